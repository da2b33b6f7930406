"""A block: one paragraph of the script, the unit of voice, length and takes."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from functools import cached_property
from typing import Any, Literal

from app.model import checks
from app.model.errors import FormatError

Length = Literal["natural", "target", "fit"]


class BlockKind(str, Enum):
    """What a paragraph is, read from how it begins."""

    SPEECH = "speech"
    CHAPTER = "chapter"
    SCENE = "scene"
    NOTE = "note"
    EMPTY = "empty"


def kind_of(text: str) -> BlockKind:
    """`# ` chapter, `## ` scene, `//` note (never spoken), only white space empty, else speech."""
    if text.startswith("# "):
        return BlockKind.CHAPTER
    if text.startswith("## "):
        return BlockKind.SCENE
    if text.startswith("//"):
        return BlockKind.NOTE
    return BlockKind.SPEECH if text.strip() else BlockKind.EMPTY


def new_id() -> str:
    return uuid.uuid4().hex


@dataclass(frozen=True)
class BlockSettings:
    """How a block is to be spoken.

    Attributes:
        voice: id of a voice of the project; None is the project's default.
        language: full English name; None is the project's.
        instruction: free text for models that follow one.
        length: `natural`, `target` (asked of the model), `fit` (asked, then stretched by at most 8 %).
        target_s: seconds wanted with `target` and `fit`.
        seed: None is the project's.
        temperature, top_p, top_k, repetition_penalty: None is the model card's.
        gain_db: in the mixer; changes no take.
        locked: its takes are not made again by "render what is stale".
        spoken: for headings; None follows the project.
    """

    voice: str | None = None
    language: str | None = None
    instruction: str | None = None
    length: Length = "natural"
    target_s: float | None = None
    seed: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    repetition_penalty: float | None = None
    gain_db: float = 0.0
    locked: bool = False
    spoken: bool | None = None

    def __post_init__(self) -> None:
        read = {name: check(getattr(self, name), name) for name, check in _CHECKS.items()}
        for name, value in read.items():
            object.__setattr__(self, name, value)

    def changed(self, changes: dict[str, Any]) -> BlockSettings:
        """A copy with some fields changed. Raises FormatError for an unknown field or a bad value."""
        unknown = set(changes) - set(_CHECKS)
        if unknown:
            raise FormatError(f"A block has no setting called {min(unknown)}.")
        return replace(self, **changes)

    def for_split(self) -> BlockSettings:
        """What a new part of a split block takes over: who speaks and how, but no length, seed or lock of the old
        line."""
        if self.length == "natural" and self.target_s is None and self.seed is None and not self.locked:
            return self
        return replace(self, length="natural", target_s=None, seed=None, locked=False)

    def to_json(self) -> dict[str, Any]:
        """The fields that are not at their default."""
        return {name: value for name in _CHECKS if (value := getattr(self, name)) != _DEFAULTS[name]}

    @staticmethod
    def from_json(raw: object) -> BlockSettings:
        """Unknown fields are ignored, so that a file of a later minor version opens."""
        given = checks.mapping(raw, "The settings of a block", 100)
        known = {name: value for name, value in given.items() if name in _CHECKS}
        return BlockSettings(**known) if known else NATURAL


_CHECKS: dict[str, Any] = {
    "voice": lambda value, what: checks.optional(checks.identifier, value, what),
    "language": lambda value, what: checks.optional(checks.string, value, what, 64),
    "instruction": lambda value, what: checks.optional(checks.string, value, what),
    "length": lambda value, what: checks.one_of(value, what, ("natural", "target", "fit")),
    "target_s": lambda value, what: checks.optional(checks.number, value, what, 0.08, 600.0),
    "seed": lambda value, what: checks.optional(checks.integer, value, what, 0),
    "temperature": lambda value, what: checks.optional(checks.number, value, what, 0.0, 10.0),
    "top_p": lambda value, what: checks.optional(checks.number, value, what, 0.0, 1.0),
    "top_k": lambda value, what: checks.optional(checks.integer, value, what, 0, 100_000),
    "repetition_penalty": lambda value, what: checks.optional(checks.number, value, what, 0.01, 10.0),
    "gain_db": lambda value, what: checks.number(value, what, -60.0, 24.0),
    "locked": checks.boolean,
    "spoken": lambda value, what: checks.optional(checks.boolean, value, what),
}
_DEFAULTS = {each.name: each.default for each in fields(BlockSettings)}
NATURAL = BlockSettings()


@dataclass(frozen=True)
class Block:
    """One paragraph.

    Attributes:
        id: stays through every edit, cut and paste, undo and restart.
        text: without the line feed that ends it.
        settings: see BlockSettings.
        takes: ids of its takes, oldest first.
        chosen: the take that is heard, or None.
    """

    id: str = field(default_factory=new_id)
    text: str = ""
    settings: BlockSettings = NATURAL
    takes: tuple[str, ...] = ()
    chosen: str | None = None

    @cached_property
    def kind(self) -> BlockKind:
        return kind_of(self.text)

    def to_json(self) -> dict[str, Any]:
        raw: dict[str, Any] = {"id": self.id, "text": self.text}
        if settings := self.settings.to_json():
            raw["settings"] = settings
        if self.takes:
            raw["takes"] = list(self.takes)
        if self.chosen is not None:
            raw["chosen"] = self.chosen
        return raw

    @staticmethod
    def from_json(raw: object) -> Block:
        given = checks.mapping(raw, "A block", 100)
        text = checks.string(given.get("text", ""), "The text of a block", checks.MAX_TEXT)
        return Block(
            id=checks.identifier(given.get("id"), "The id of a block"),
            text=clean_line(text),
            settings=BlockSettings.from_json(given["settings"]) if "settings" in given else NATURAL,
            takes=tuple(
                checks.identifier(each, "The id of a take") for each in checks.items(given.get("takes", ()), "takes")
            ),
            chosen=checks.optional(checks.identifier, given.get("chosen"), "The chosen take"),
        )


def clean_line(text: str) -> str:
    """Text of one block: clean, and line ends inside it become spaces, since a line end would be another block."""
    return checks.clean_text(text).replace("\n", " ")
