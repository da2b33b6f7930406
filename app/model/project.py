"""A project: script, voices, takes and settings, changed only by commands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from app.model import checks
from app.model.block import Block
from app.model.block_list import BlockList
from app.model.errors import CommandError
from app.model.project_settings import Lexicon, ProjectSettings
from app.model.signal import Signal
from app.model.take import Take
from app.model.voice import Voice


@dataclass
class Touched:
    """What one command changed: what the store has to write.

    Attributes:
        blocks: ids of blocks that are new or differ, in order of touching.
        placed: those of them that may stand elsewhere than before.
        removed_blocks, takes, voices: ids; a take or voice that is no longer in the project was removed.
        lexicon, settings: whether these changed.
    """

    blocks: dict[str, None] = field(default_factory=dict)
    placed: set[str] = field(default_factory=set)
    removed_blocks: set[str] = field(default_factory=set)
    takes: dict[str, None] = field(default_factory=dict)
    voices: dict[str, None] = field(default_factory=dict)
    lexicon: bool = False
    settings: bool = False


class Project:
    """What a person works on. One thread uses it; everything it hands out is frozen.

    There is always at least one block, since an empty script is one empty paragraph. Takes of blocks that were removed
    stay in `takes`, so that undo and paste find them.

    Attributes:
        blocks: the script in order; a read-only sequence.
        takes: every take by id.
        voices: voices by id.
        lexicon: (written, spoken) pairs.
        settings: see ProjectSettings.

    Signals:
        blocks_changed(first, removed_ids, added_ids): from index `first` on, these were there and those are there now.
        block_changed(id): text, settings, takes or choice of one block.
        many_edits(begins): before and after a step of many changes, so that an editor lays its text out once for all.
        text_replaced(position, removed, inserted): the same change of the script's text as seen by an editor: `removed`
            characters (code points) at `position` became the text `inserted`. Emitted before the two above.
        takes_changed(block_id): a take of the block came, went or changed.
        settings_changed(): settings or lexicon.
        voices_changed().
    """

    def __init__(
        self,
        blocks: Iterable[Block] = (),
        *,
        takes: Iterable[Take] = (),
        voices: Iterable[Voice] = (),
        lexicon: Lexicon = (),
        settings: ProjectSettings | None = None,
    ) -> None:
        self.blocks_changed = Signal()
        self.block_changed = Signal()
        self.text_replaced = Signal()
        self.many_edits = Signal()
        self.takes_changed = Signal()
        self.settings_changed = Signal()
        self.voices_changed = Signal()
        self._takes = {take.id: take for take in takes}
        self._takes_of: dict[str, list[str]] = {}
        self._with_key: dict[str, set[str]] = {}
        for take in self._takes.values():
            self._with_key.setdefault(take.key, set()).add(take.id)
        for take_id in sorted(self._takes, key=self._age):
            self._takes_of.setdefault(self._takes[take_id].block_id, []).append(take_id)
        # Which takes a block has is told by the takes alone; a list in a block that was read is not believed.
        self._blocks = BlockList(self._with_all_takes(block) for block in blocks)
        if not len(self._blocks):
            self._blocks.splice(0, 0, [Block()])
        self._voices = {voice.id: voice for voice in voices}
        self._lexicon = lexicon
        self._settings = settings or ProjectSettings()
        self._touched = Touched()

    # -- reading

    @property
    def blocks(self) -> Sequence[Block]:
        return self._blocks

    @property
    def takes(self) -> dict[str, Take]:
        return self._takes

    @property
    def voices(self) -> dict[str, Voice]:
        return self._voices

    @property
    def lexicon(self) -> Lexicon:
        return self._lexicon

    @property
    def settings(self) -> ProjectSettings:
        return self._settings

    def block(self, block_id: str) -> Block:
        """Raises KeyError when there is no such block."""
        return self._blocks.by_id(block_id)

    def has_block(self, block_id: str) -> bool:
        return self._blocks.has(block_id)

    def index(self, block_id: str) -> int:
        """Raises KeyError when there is no such block."""
        return self._blocks.index_of(block_id)

    def text(self) -> str:
        """The whole script."""
        return "\n".join(block.text for block in self._blocks)

    @property
    def characters(self) -> int:
        """Length of `text()`, without making it."""
        return self._blocks.characters

    def start_of(self, index: int) -> int:
        """Position in the script at which the block of this index begins."""
        return self._blocks.start_of(index)

    def at_position(self, position: int) -> tuple[int, int]:
        """(index of the block, offset in its text). Raises IndexError beyond the end."""
        return self._blocks.at_position(position)

    def text_between(self, start: int, end: int) -> str:
        """The script's text from one position to another; costs what it spans."""
        if start == end:
            return ""
        first, offset = self._blocks.at_position(start)
        last, stop = self._blocks.at_position(end)
        if first == last:
            return self._blocks[first].text[offset:stop]
        texts = [block.text for block in self._blocks[first : last + 1]]
        texts[0], texts[-1] = texts[0][offset:], texts[-1][:stop]
        return "\n".join(texts)

    def takes_of(self, block_id: str) -> list[Take]:
        """Takes made for a block, oldest first, also when the block itself is not in the script now."""
        return [self._takes[each] for each in self._takes_of.get(block_id, ())]

    def take_with_key(self, key: str) -> Take | None:
        """A complete take of this content, the latest first; None where there is none."""
        ids = self._with_key.get(key, ()) if key else ()
        found = [self._takes[each] for each in ids if self._takes[each].state == "done"]
        return max(found, key=lambda take: take.created_at_s, default=None)

    def voice_of(self, block: Block) -> Voice | None:
        """Who speaks a block: its own voice, else the project's default; None where neither is known."""
        voice_id = block.settings.voice or self._settings.default_voice
        return self._voices.get(voice_id) if voice_id else None

    # -- changing: for commands alone

    def replace_blocks(self, first: int, count: int, blocks: Sequence[Block]) -> list[Block]:
        """Put `blocks` where `count` blocks were; returns those. For commands.

        Takes that came since a block was removed are given back to it. Raises CommandError when an id would be there
        twice or nothing would be left.
        """
        whole = [self._with_all_takes(self._heard_as_now(block)) for block in blocks]
        if count == len(self._blocks) and not whole:
            raise CommandError("A script has at least one paragraph.")
        length = len(self._blocks)
        if not 0 <= first <= first + count <= length:
            raise CommandError("These paragraphs are not there any more.")
        position, removed_chars, inserted = self._text_change(first, count, whole, length)
        if whole:
            _check_size(
                length - count + len(whole),
                max(len(block.text) for block in whole),
                self._blocks.characters - removed_chars + len(inserted),
            )
        try:
            removed = self._blocks.splice(first, count, whole)
        except ValueError as error:
            raise CommandError(str(error)) from error
        for block in removed:
            self._touched.removed_blocks.add(block.id)
            self._touched.blocks.pop(block.id, None)
            self._touched.placed.discard(block.id)
        for block in whole:
            self._touched.removed_blocks.discard(block.id)
            self._touched.blocks[block.id] = None
            self._touched.placed.add(block.id)
        if removed_chars or inserted:
            self.text_replaced.emit(position, removed_chars, inserted)
        self.blocks_changed.emit(first, tuple(block.id for block in removed), tuple(block.id for block in whole))
        return removed

    def _with_all_takes(self, block: Block) -> Block:
        known = self._takes_of.get(block.id, ())
        takes = tuple(known)
        chosen = block.chosen if block.chosen in takes else None
        if takes == block.takes and chosen == block.chosen:
            return block
        return replace(block, takes=takes, chosen=chosen)

    def _heard_as_now(self, block: Block) -> Block:
        """The block with the take that was chosen since it was set aside, where that take speaks its words: it was no
        step of a person, and going back over theirs must not make the line look unspoken."""
        if not self._blocks.has(block.id):
            return block
        chosen = self._blocks.by_id(block.id).chosen
        take = self._takes.get(chosen) if chosen else None
        came_since = take is not None and take.id not in block.takes and take.text == block.text
        return replace(block, chosen=chosen) if came_since else block

    def _age(self, take_id: str) -> tuple[float, str]:
        """Takes of a block are in this order, however they came, so that undo restores the order too."""
        return self._takes[take_id].created_at_s, take_id

    def _text_change(self, first: int, count: int, blocks: Sequence[Block], length: int) -> tuple[int, int, str]:
        """The replaced stretch of the script in terms of its text; line feeds stand between blocks, not after the
        last."""
        inserted = "\n".join(block.text for block in blocks)
        start = self._blocks.start_of(first)
        end = self._blocks.start_of(first + count) - 1
        if count and blocks:
            return start, end - start, inserted
        at_the_end = first + count == length
        if blocks:
            return (start - 1, 0, "\n" + inserted) if at_the_end else (start, 0, inserted + "\n")
        if not count:
            return start, 0, ""
        return (start - 1, end - start + 1, "") if at_the_end else (start, end - start + 1, "")

    def put_block(self, block: Block, change: tuple[int, int, str] | None = None) -> None:
        """Replace the block of the same id. For commands.

        Args:
            change: where its text changed: (offset in it, removed characters, inserted text); None when it did not.
        """
        if change is not None:
            grown = len(block.text) - len(self._blocks.by_id(block.id).text)
            if grown > 0:
                _check_size(len(self._blocks), len(block.text), self._blocks.characters + grown)
        self._blocks.put(block)
        self._touched.blocks[block.id] = None
        if change is not None:
            offset, removed, inserted = change
            self.text_replaced.emit(self._blocks.start_of(self._blocks.index_of(block.id)) + offset, removed, inserted)
        self.block_changed.emit(block.id)

    def put_take(self, take: Take) -> None:
        """Add a take or replace the one of the same id. For commands."""
        before = self._takes.get(take.id)
        if before is not None and before.block_id != take.block_id:
            raise CommandError("A take cannot move to another paragraph.")
        if before is not None:
            self._with_key[before.key].discard(take.id)
        self._with_key.setdefault(take.key, set()).add(take.id)
        self._takes[take.id] = take
        self._touched.takes[take.id] = None
        if before is None:
            self._takes_of.setdefault(take.block_id, []).append(take.id)
        self._takes_of[take.block_id].sort(key=self._age)  # also when a known take has another time now
        if self._blocks.has(take.block_id):
            block, ids = self._blocks.by_id(take.block_id), tuple(self._takes_of[take.block_id])
            if ids != block.takes:
                self.put_block(replace(block, takes=ids))
        self.takes_changed.emit(take.block_id)

    def drop_take(self, take_id: str) -> Take:
        """Take a take out of the project; its audio stays in the file until it is compacted. For commands."""
        take = self._takes.pop(take_id)
        self._with_key[take.key].discard(take_id)
        self._takes_of[take.block_id].remove(take_id)
        self._touched.takes[take_id] = None
        if self._blocks.has(take.block_id):
            block = self._blocks.by_id(take.block_id)
            if take_id in block.takes:
                takes = tuple(each for each in block.takes if each != take_id)
                self.put_block(replace(block, takes=takes, chosen=None if block.chosen == take_id else block.chosen))
        self.takes_changed.emit(take.block_id)
        return take

    def put_voice(self, voice: Voice) -> None:
        """Add or replace a voice. For commands."""
        self._voices[voice.id] = voice
        self._touched.voices[voice.id] = None
        self.voices_changed.emit()

    def drop_voice(self, voice_id: str) -> Voice:
        """Blocks keep the id, so that no other voice speaks in its place unasked. For commands."""
        voice = self._voices.pop(voice_id)
        self._touched.voices[voice_id] = None
        self.voices_changed.emit()
        return voice

    def put_lexicon(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._touched.lexicon = True
        self.settings_changed.emit()

    def put_settings(self, settings: ProjectSettings) -> None:
        self._settings = settings
        self._touched.settings = True
        self.settings_changed.emit()

    def take_touched(self) -> Touched:
        """What was changed since this was called last. For the history."""
        touched, self._touched = self._touched, Touched()
        return touched


def _check_size(blocks: int, longest: int, characters: int) -> None:
    """Raises CommandError for a script that could not be read again from its file."""
    if blocks > checks.MAX_BLOCKS or longest > checks.MAX_TEXT or characters > checks.MAX_SCRIPT:
        raise CommandError(
            f"A script has at most {checks.MAX_BLOCKS:,} paragraphs and {checks.MAX_SCRIPT // 1_000_000} million "
            f"characters, {checks.MAX_TEXT // 1_000_000} million of them in one paragraph.",
            "Divide it into several projects.",
        )
