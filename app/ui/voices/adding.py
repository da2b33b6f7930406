"""Makes voices of sound files in the background."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.model.voice import Voice
from app.services.clip_doctor import Examination, examine
from app.services.library import Library
from app.services.voice_archive import SUFFIX as ARCHIVE_SUFFIX
from app.services.voice_records import clean_name, file_sha256
from engine import ModelCard, SpeechError, load_clip

log = logging.getLogger(__name__)


@dataclass
class Added:
    """What became of the files.

    Attributes:
        voices: made or already there. known: those of them that were there before.
        examinations: of their clips, by voice id. refused: (file name, reason).
    """

    voices: list[Voice] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    examinations: dict[str, Examination] = field(default_factory=dict)
    refused: list[tuple[str, str]] = field(default_factory=list)


def add_in_background(
    library: Library,
    files: Sequence[Path],
    longest_s: float,
    post: Callable[[Callable[[], None]], None],
    done: Callable[[Added], None],
) -> None:
    """Add each file as a voice named after it; `done` is called through `post`."""

    def work() -> None:
        added = Added()
        for file in files:
            try:
                _add_one(library, file, longest_s, added)
            except Exception as error:  # told like the others: else it would be looked at for ever
                log.exception("%s could not be made a voice", file)
                added.refused.append((file.name, f"{type(error).__name__}: {error}"))
        post(lambda: done(added))

    threading.Thread(target=work, name="add voices", daemon=True).start()


def _add_one(library: Library, file: Path, longest_s: float, added: Added) -> None:
    before = {voice.id for voice in library.voices}
    try:
        if file.suffix.lower() == ARCHIVE_SUFFIX:
            voice = library.import_(file)
        else:
            same = _with_clip(library, file_sha256(file))
            if same is not None:
                added.voices.append(same)
                added.known.add(same.id)
                return
            # What cannot be read as sound is refused before it becomes a voice.
            samples, rate = load_clip(file, 0.0, None)
            voice = library.add(file, free_name(library, file.stem))
            added.examinations[voice.id] = examine(samples, rate, longest_s=longest_s)
    except SpeechError as error:
        added.refused.append((file.name, str(error)))
        return
    except OSError as error:
        added.refused.append((file.name, f"{error.strerror or error}"))
        return
    added.voices.append(voice)
    if voice.id in before:
        added.known.add(voice.id)


def _with_clip(library: Library, sha256: str) -> Voice | None:
    """An own voice that was made of just this clip."""
    for voice in library.voices:
        if not library.is_built_in(voice.id) and [clip.sha256 for clip in voice.references] == [sha256]:
            return voice
    return None


def free_name(library: Library, wanted: str) -> str:
    """The name, or the first with a number that nobody has."""
    taken = {voice.name.casefold() for voice in library.voices}
    name = clean_name(wanted.replace("_", " ")) or "Voice"
    return next(
        one
        for one in (name, *(f"{name} {number}" for number in range(2, len(taken) + 3)))
        if one.casefold() not in taken
    )


def longest_clip_s(card: ModelCard | None) -> float:
    """Seconds of a clip that the model takes; while none is known, what the one that takes most does."""
    return card.longest_reference_s if card is not None else 100.0
