"""The commands: edits of text and blocks are here, those of takes, voices and settings are handed on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from app.model import checks
from app.model.block import Block, BlockSettings
from app.model.command import Command, Compound, command_from_json
from app.model.content_commands import (
    ChooseTake,
    DropTake,
    DropVoice,
    PutTake,
    SetLexicon,
    SetProjectSettings,
    SetVoice,
)
from app.model.errors import CommandError, FormatError
from app.model.identity import Incoming, blocks_after, trimmed
from app.model.project import Project

__all__ = [
    "ChooseTake",
    "Command",
    "Compound",
    "DropTake",
    "DropVoice",
    "MoveBlocks",
    "PasteBlocks",
    "PutTake",
    "ReplaceBlocks",
    "ReplaceText",
    "RestoreBlockSettings",
    "SetBlockSettings",
    "SetLexicon",
    "SetProjectSettings",
    "SetVoice",
    "command_from_json",
]


@dataclass(frozen=True)
class ReplaceText(Command):
    """Replace a stretch of the whole script's text; positions count characters (code points), line feeds included.

    Which paragraphs keep their identity is told in `identity.blocks_after`. `removed` must be what stands there.
    """

    type: ClassVar[str] = "replace_text"
    label: ClassVar[str] = "Typing"
    position: int
    removed: str
    inserted: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "inserted", checks.clean_text(self.inserted))

    @property
    def weight(self) -> int:
        return 100 + len(self.removed) + len(self.inserted)

    def apply(self, project: Project) -> Command:
        check_removed(project, self.position, self.removed)
        position, removed, inserted = trimmed(self.position, self.removed, self.inserted)
        if "\n" not in removed and "\n" not in inserted:
            index, offset = project.at_position(position)
            block = project.blocks[index]
            text = block.text[:offset] + inserted + block.text[offset + len(removed) :]
            if removed or inserted:
                project.put_block(replace(block, text=text), (offset, len(removed), inserted))
            return ReplaceText(position, inserted, removed)
        return _replace_range(project, position, len(removed), [Incoming(line) for line in inserted.split("\n")])

    def after(self, newer: Command) -> Command | None:
        if not isinstance(newer, ReplaceText) or "\n" in self.removed + newer.removed:
            return None
        end = self.position + len(self.removed)
        if newer.position == end and not newer.inserted:  # typed on
            return ReplaceText(self.position, self.removed + newer.removed, self.inserted)
        if newer.removed:
            return None
        if not self.removed and newer.position + len(newer.inserted) == self.position:  # backspace again
            return ReplaceText(newer.position, "", newer.inserted + self.inserted)
        if not self.removed and newer.position == self.position:  # delete again
            return ReplaceText(self.position, "", self.inserted + newer.inserted)
        if newer.position + len(newer.inserted) == end and self.removed.endswith(
            newer.inserted
        ):  # took back what was typed
            return ReplaceText(self.position, self.removed[: len(self.removed) - len(newer.inserted)], self.inserted)
        return None

    @classmethod
    def read(cls, given: dict[str, Any]) -> Command:
        return cls(
            checks.integer(given.get("position"), "A position", 0),
            checks.string(given.get("removed"), "Removed text", checks.MAX_TEXT),
            checks.string(given.get("inserted"), "Inserted text", checks.MAX_TEXT),
        )


@dataclass(frozen=True)
class PasteBlocks(Command):
    """Replace a stretch of text by paragraphs that bring their identity and settings (see `clipboard`)."""

    type: ClassVar[str] = "paste_blocks"
    label: ClassVar[str] = "Paste"
    position: int
    removed: str
    lines: tuple[Incoming, ...]

    def apply(self, project: Project) -> Command:
        check_removed(project, self.position, self.removed)
        if not self.lines:
            return ReplaceText(self.position, self.removed, "").apply(project)
        return _replace_range(project, self.position, len(self.removed), self.lines)

    def to_json(self) -> dict[str, Any]:
        lines = lines_to_json(self.lines)
        return {"type": self.type, "position": self.position, "removed": self.removed, "lines": lines}

    @classmethod
    def read(cls, given: dict[str, Any]) -> Command:
        return cls(
            checks.integer(given.get("position"), "A position", 0),
            checks.string(given.get("removed"), "Removed text", checks.MAX_TEXT),
            lines_from_json(given.get("lines")),
        )


@dataclass(frozen=True)
class ReplaceBlocks(Command):
    """Put these blocks, ids and all, where `count` blocks are from `first` on; the exact inverse of most edits."""

    type: ClassVar[str] = "replace_blocks"
    label: ClassVar[str] = "Edit"
    first: int
    count: int
    blocks: tuple[Block, ...]

    @property
    def weight(self) -> int:
        return sum(200 + len(block.text) for block in self.blocks)

    def apply(self, project: Project) -> Command:
        removed = project.replace_blocks(self.first, self.count, self.blocks)
        return ReplaceBlocks(self.first, len(self.blocks), tuple(removed))

    def to_json(self) -> dict[str, Any]:
        blocks = [block.to_json() for block in self.blocks]
        return {"type": self.type, "first": self.first, "count": self.count, "blocks": blocks}

    @classmethod
    def read(cls, given: dict[str, Any]) -> Command:
        return cls(
            checks.integer(given.get("first"), "A place", 0),
            checks.integer(given.get("count"), "A count", 0),
            tuple(Block.from_json(each) for each in checks.items(given.get("blocks"), "Blocks")),
        )


@dataclass(frozen=True)
class MoveBlocks(Command):
    """Move `count` blocks from `first` on so that they begin at index `to` of the resulting order."""

    type: ClassVar[str] = "move_blocks"
    label: ClassVar[str] = "Move"
    first: int
    count: int
    to: int

    def apply(self, project: Project) -> Command:
        total = len(project.blocks)
        if not (
            0 <= self.first and 0 <= self.count and 0 <= self.to and max(self.first, self.to) + self.count <= total
        ):
            raise CommandError("These paragraphs are not there any more.")
        if self.count and self.first != self.to:
            start, end = min(self.first, self.to), max(self.first, self.to) + self.count
            span = list(project.blocks[start:end])
            moved = span[self.first - start : self.first - start + self.count]
            del span[self.first - start : self.first - start + self.count]
            span[self.to - start : self.to - start] = moved
            project.replace_blocks(start, end - start, span)
        return MoveBlocks(self.to, self.count, self.first)

    @classmethod
    def read(cls, given: dict[str, Any]) -> Command:
        return cls(*(checks.integer(given.get(name), name, 0) for name in ("first", "count", "to")))


@dataclass(frozen=True)
class SetBlockSettings(Command):
    """Change some settings of some blocks to the same values: `SetBlockSettings(ids, {"voice": voice.id})`."""

    type: ClassVar[str] = "set_block_settings"
    label: ClassVar[str] = "Change settings"
    ids: tuple[str, ...]
    changes: dict[str, Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "ids", tuple(dict.fromkeys(self.ids)))

    def apply(self, project: Project) -> Command:
        blocks = [_block(project, each) for each in self.ids]
        try:
            changed = [block.settings.changed(self.changes) for block in blocks]
        except FormatError as error:
            raise CommandError(error.message) from error
        pairs = tuple(zip(self.ids, changed, strict=True))
        return RestoreBlockSettings(pairs).apply(project)

    def to_json(self) -> dict[str, Any]:
        return {"type": self.type, "ids": list(self.ids), "changes": self.changes}

    @classmethod
    def read(cls, given: dict[str, Any]) -> Command:
        changes = checks.mapping(checks.plain(given.get("changes"), "Changes", 100), "Changes", 100)
        return cls(_ids(given.get("ids")), changes)


@dataclass(frozen=True)
class RestoreBlockSettings(Command):
    """Give blocks these settings, each its own."""

    type: ClassVar[str] = "restore_block_settings"
    label: ClassVar[str] = "Change settings"
    settings: tuple[tuple[str, BlockSettings], ...]

    def apply(self, project: Project) -> Command:
        blocks = [_block(project, each) for each, _ in self.settings]
        for block, (_, settings) in zip(blocks, self.settings, strict=True):
            if settings != block.settings:
                project.put_block(replace(block, settings=settings))
        return RestoreBlockSettings(tuple((block.id, block.settings) for block in blocks))

    def after(self, newer: Command) -> Command | None:
        if isinstance(newer, RestoreBlockSettings) and [i for i, _ in newer.settings] == [i for i, _ in self.settings]:
            return self
        return None

    def to_json(self) -> dict[str, Any]:
        return {"type": self.type, "settings": [[block_id, each.to_json()] for block_id, each in self.settings]}

    @classmethod
    def read(cls, given: dict[str, Any]) -> Command:
        pairs = [checks.items(each, "Settings", 2) for each in checks.items(given.get("settings"), "Settings")]
        if any(len(pair) != 2 for pair in pairs):
            raise FormatError("Settings must come with the id of a block.")
        read = {checks.identifier(pair[0], "The id of a block"): BlockSettings.from_json(pair[1]) for pair in pairs}
        return cls(tuple(read.items()))


def check_removed(project: Project, position: int, removed: str) -> None:
    """Raises CommandError when something else stands there."""
    if position < 0 or position + len(removed) > project.characters:
        raise CommandError("The text to be replaced is not there any more.")
    if project.text_between(position, position + len(removed)) != removed:
        raise CommandError("The text to be replaced is not what it was.")


def _replace_range(project: Project, position: int, length: int, lines: Any) -> Command:
    return range_replaced(project, position, length, lines).apply(project)


def range_replaced(project: Project, position: int, length: int, lines: Sequence[Incoming]) -> ReplaceBlocks:
    """What puts these lines, at least one, where `length` characters are."""
    first, offset = project.at_position(position)
    last, stop = project.at_position(position + length)
    old = project.blocks[first : last + 1]
    touched = {block.id for block in old}
    new = blocks_after(
        old,
        old[0].text[:offset],
        lines,
        old[-1].text[stop:],
        lambda block_id: block_id not in touched and project.has_block(block_id),
    )
    return ReplaceBlocks(first, len(old), tuple(new))


def _block(project: Project, block_id: str) -> Block:
    if not project.has_block(block_id):
        raise CommandError("This paragraph is not there any more.")
    return project.block(block_id)


def _ids(raw: object) -> tuple[str, ...]:
    return tuple(checks.identifier(each, "The id of a block") for each in checks.items(raw, "Ids"))


def lines_to_json(lines: Sequence[Incoming]) -> list[dict[str, Any]]:
    return [{"text": each.text} | ({"block": each.carried.to_json()} if each.carried else {}) for each in lines]


def lines_from_json(raw: object) -> tuple[Incoming, ...]:
    """Lines of a paste. Raises FormatError."""
    lines = []
    for each in checks.items(raw, "Lines"):
        given = checks.mapping(each, "A line", 10)
        text = checks.clean_text(checks.string(given.get("text"), "A line", checks.MAX_TEXT))
        if "\n" in text:
            raise FormatError("A line cannot hold a line end.")
        lines.append(Incoming(text, Block.from_json(given["block"]) if "block" in given else None))
    return tuple(lines)
