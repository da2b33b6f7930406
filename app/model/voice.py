"""A voice: a name with one or more references."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import Any

from app.model import checks
from app.model.block import new_id
from app.model.errors import FormatError

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\Z")


@dataclass(frozen=True)
class VoiceClip:
    """One reference.

    Attributes:
        file: name of the file, without a folder.
        sha256: of the file's bytes; the project holds them under it.
        transcript: what is said between `start_s` and `end_s`.
        language: full English name, or None.
        start_s, end_s: the part that counts; None is from the beginning, to the end.
    """

    file: str
    sha256: str
    transcript: str = ""
    language: str | None = None
    start_s: float | None = None
    end_s: float | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "sha256": self.sha256,
            "transcript": self.transcript,
            "language": self.language,
            "start_s": self.start_s,
            "end_s": self.end_s,
        }

    @staticmethod
    def from_json(raw: object) -> VoiceClip:
        given = checks.mapping(raw, "A clip", 50)
        file = checks.string(given.get("file"), "The file name of a clip", 255)
        if not file or file in {".", ".."} or "/" in file or "\\" in file or ":" in file:
            raise FormatError("The file name of a clip must be a plain name without a folder.")
        return VoiceClip(
            file=file,
            sha256=checks.sha256(given.get("sha256"), "The content of a clip"),
            transcript=checks.string(given.get("transcript", ""), "The transcript of a clip", 20_000),
            language=checks.optional(checks.string, given.get("language"), "The language of a clip", 64),
            start_s=checks.optional(checks.number, given.get("start_s"), "The start of a clip", 0.0, 1e6),
            end_s=checks.optional(checks.number, given.get("end_s"), "The end of a clip", 0.0, 1e6),
        )


@dataclass(frozen=True)
class Voice:
    """Who speaks.

    Attributes:
        id: hex; blocks refer to it.
        name, colour (`#rrggbb`), tags, favourite: for people.
        references: clips, the first is the one sent to models that take one.
        known: id of a voice listed with a model, or None.
        consent: what was answered when asked whose voice it is; plain JSON values.
        created_at_s: seconds since the epoch.
    """

    id: str = field(default_factory=new_id)
    name: str = ""
    colour: str = "#7a8ca8"
    references: tuple[VoiceClip, ...] = ()
    tags: tuple[str, ...] = ()
    favourite: bool = False
    known: str | None = None
    consent: dict[str, Any] = field(default_factory=dict)
    created_at_s: float = field(default_factory=time.time)

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "name": self.name,
            "colour": self.colour,
            "references": [each.to_json() for each in self.references],
            "tags": list(self.tags),
            "favourite": self.favourite,
            "known": self.known,
            "consent": self.consent,
            "created_at_s": self.created_at_s,
        }

    @staticmethod
    def from_json(raw: object) -> Voice:
        given = checks.mapping(raw, "A voice", 50)
        colour = checks.string(given.get("colour", "#7a8ca8"), "The colour of a voice", 7)
        if not _COLOUR.match(colour):
            raise FormatError("The colour of a voice must look like #7a8ca8.")
        return Voice(
            id=checks.identifier(given.get("id"), "The id of a voice"),
            name=checks.string(given.get("name", ""), "The name of a voice", 200),
            colour=colour,
            references=tuple(
                VoiceClip.from_json(each) for each in checks.items(given.get("references", ()), "clips", 200)
            ),
            tags=tuple(checks.string(each, "A tag", 100) for each in checks.items(given.get("tags", ()), "tags", 100)),
            favourite=checks.boolean(given.get("favourite", False), "favourite"),
            known=checks.optional(checks.string, given.get("known"), "The known voice", 200),
            consent=checks.mapping(checks.plain(given.get("consent", {}), "The consent", 1_000), "consent"),
            created_at_s=checks.number(given.get("created_at_s", 0.0), "The time of a voice", 0.0, 1e11),
        )
