"""What can be asked of an export and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from app.model.project import Project
from app.services.exporter_formats import AudioFormat, ExportError, FileTags
from app.services.exporter_plan import Problem, Split
from app.services.loudness import Loudness, LoudnessTarget
from app.services.mixer import MixSettings

Subtitle = Literal["srt", "vtt", "json"]


class Cancelled(ExportError):
    """The person ended the export; nothing was left behind."""

    exit_status = 5

    def __init__(self) -> None:
        super().__init__("The export was cancelled; no file was written.")


class Rendering(Protocol):
    """Who can speak blocks that have no take."""

    def render(
        self, block_ids: Sequence[str], progress: Callable[[float], None], cancelled: Callable[[], bool]
    ) -> Project:
        """Speaks these blocks and returns the project as it is then; blocks that failed are left as they are."""

    def reason(self, block_id: str) -> str:
        """Why a block could not be spoken, for people; "" where that is not known."""


@dataclass(frozen=True)
class ExportRequest:
    """What is wanted.

    Attributes:
        out: the file; with another split than `programme` the folder for the files, made where it is missing.
        audio: see AudioFormat.
        split: one file of everything, or one a chapter, a block, a voice.
        template: names of the files of a split (see exporter_names); None is the usual one.
        taken: names without ending that no file of a split may have, as another one has them.
        block_ids: None is the whole script.
        loudness: None leaves levels as they are.
        subtitles: kinds that are written beside each file under its name.
        subtitle_files: kind to file, for the programme as one.
        tags: of the files; title, track and chapters are filled in.
        skip: leave blocks out that are not ready, instead of stopping.
        mix: how pieces are put together; None takes the project's room tone and the usual rest.
    """

    out: Path
    audio: AudioFormat = field(default_factory=AudioFormat)
    split: Split = "programme"
    template: str | None = None
    taken: tuple[str, ...] = ()
    block_ids: tuple[str, ...] | None = None
    loudness: LoudnessTarget | None = None
    subtitles: frozenset[Subtitle] = frozenset()
    subtitle_files: dict[Subtitle, Path] = field(default_factory=dict)
    tags: FileTags = field(default_factory=FileTags)
    skip: bool = False
    mix: MixSettings | None = None


@dataclass(frozen=True)
class Progress:
    """How far an export is: `stage` is `rendering`, `measuring`, `writing` or `checking`; `left_s` None while
    unknown."""

    stage: str
    fraction: float
    left_s: float | None


@dataclass(frozen=True)
class ExportedFile:
    """One finished file of sound.

    Attributes:
        path, seconds: where it is and how long.
        gain_db, limited_db: what was done to its loudness; deepest reduction by the limiter, ≤ 0.
        measured: what is in it, None where loudness was not asked for.
        faults: what the asked loudness does not allow all the same, for people.
    """

    path: Path
    seconds: float
    gain_db: float = 0.0
    limited_db: float = 0.0
    measured: Loudness | None = None
    faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExportReport:
    """What an export wrote, which blocks were left out by choice, and which ones a person should listen to."""

    files: tuple[ExportedFile, ...]
    texts: tuple[Path, ...]
    left_out: tuple[Problem, ...]
    doubtful: tuple[Problem, ...]
