"""The settings of a project: what holds for all of its blocks."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

from app.model import checks
from app.model.block import Block
from app.model.errors import FormatError

Lexicon = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Pauses:
    """Silence between blocks in seconds, after a block whose next is a paragraph, scene or chapter; `heading_s` after a
    spoken heading; `empty_line_s` is added for each empty line."""

    paragraph_s: float = 0.45
    scene_s: float = 1.5
    chapter_s: float = 2.5
    heading_s: float = 1.0
    empty_line_s: float = 0.4

    def to_json(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @staticmethod
    def from_json(raw: object) -> Pauses:
        given = checks.mapping(raw, "The pauses of a project", 50)
        known = {each.name for each in fields(Pauses)}
        return Pauses(
            **{name: checks.number(value, name, 0.0, 600.0) for name, value in given.items() if name in known}
        )


@dataclass(frozen=True)
class ProjectSettings:
    """What holds for the whole project.

    Attributes:
        seed: of all blocks that have none of their own: one timbre over a book.
        default_voice: id of a voice, or None for the model's own.
        language: full English name, or None.
        pauses: see Pauses.
        room_tone_db: level of the noise in pauses (dB below full scale), or None for digital silence.
        headings_spoken: whether chapter and scene lines are spoken.
        pauses_mode: `exact` or `natural` (the model makes them).
        normalise: Markdown, dashes, repeated marks and the like are tidied before speaking.
        title, author: for the files that are exported.
        export: what was chosen in the export dialog last; plain JSON values.
        voice_gains_db: in the mixer, by the id of a voice ("": the model's own); it comes on top of a block's own gain.
    """

    seed: int = 1234
    default_voice: str | None = None
    language: str | None = None
    pauses: Pauses = field(default_factory=Pauses)
    room_tone_db: float | None = None
    headings_spoken: bool = True
    pauses_mode: str = "exact"
    normalise: bool = False
    title: str = ""
    author: str = ""
    export: dict[str, Any] = field(default_factory=dict)
    voice_gains_db: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, check in _CHECKS.items():
            object.__setattr__(self, name, check(getattr(self, name), name))

    def gain_db(self, block: Block) -> float:
        """Gain of a block in the mixer: its own, and that of its voice."""
        voice = block.settings.voice or self.default_voice or ""
        return block.settings.gain_db + self.voice_gains_db.get(voice, 0.0)

    def changed(self, changes: dict[str, Any]) -> ProjectSettings:
        """A copy with some fields changed; `pauses` may be a Pauses or its JSON. Raises FormatError."""
        unknown = set(changes) - set(_CHECKS)
        if unknown:
            raise FormatError(f"A project has no setting called {min(unknown)}.")
        return replace(self, **changes)

    def to_json(self) -> dict[str, Any]:
        return {name: json_of(getattr(self, name)) for name in _CHECKS}

    @staticmethod
    def from_json(raw: object) -> ProjectSettings:
        """Unknown fields are ignored, so that a file of a later minor version opens."""
        given = checks.mapping(raw, "The settings of a project", 200)
        return ProjectSettings(**{name: value for name, value in given.items() if name in _CHECKS})


def json_of(value: Any) -> Any:
    """The JSON form of the value of a field."""
    return value.to_json() if isinstance(value, Pauses) else value


def _gains(value: object, what: str) -> dict[str, float]:
    """Gains by voice; those of 0 dB are left out."""
    gains = checks.mapping(value, what, 1_000)
    return {voice: gain for voice, each in gains.items() if (gain := checks.number(each, what, -60.0, 24.0))}


_CHECKS: dict[str, Any] = {
    "seed": lambda value, what: checks.integer(value, what, 0),
    "default_voice": lambda value, what: checks.optional(checks.identifier, value, what),
    "language": lambda value, what: checks.optional(checks.string, value, what, 64),
    "pauses": lambda value, what: value if isinstance(value, Pauses) else Pauses.from_json(value),
    "voice_gains_db": _gains,
    "room_tone_db": lambda value, what: checks.optional(checks.number, value, what, -120.0, -20.0),
    "headings_spoken": checks.boolean,
    "pauses_mode": lambda value, what: checks.one_of(value, what, ("exact", "natural")),
    "normalise": checks.boolean,
    "title": lambda value, what: checks.string(value, what, 500),
    "author": lambda value, what: checks.string(value, what, 500),
    "export": lambda value, what: checks.mapping(checks.plain(value, what, 2_000), what),
}


def lexicon_from_json(raw: object) -> Lexicon:
    """(written, spoken) pairs. Raises FormatError."""
    pairs = []
    for each in checks.items(raw, "The lexicon", 20_000):
        pair = checks.items(each, "An entry of the lexicon", 2)
        if len(pair) != 2:
            raise FormatError("An entry of the lexicon must be two texts.")
        pairs.append((checks.string(pair[0], "A written form", 500), checks.string(pair[1], "A spoken form", 500)))
    return tuple(pairs)
