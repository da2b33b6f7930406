"""The records behind voices: from a card, from a clip, from a file that may have been changed by hand."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from app.model import checks
from app.model.errors import FormatError
from app.model.voice import Voice, VoiceClip
from engine import KnownVoice, SpeechError, language_name

VERSION = 1
AUDIO_SUFFIXES = frozenset(
    ".wav .flac .mp3 .ogg .opus .oga .m4a .m4b .mp4 .aac .webm .mkv .mov .aif .aiff .caf .wma .avi".split()
)
LONGEST_NAME = 120
LONGEST_RECORD_BYTES = 1 << 20
COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#eeca3b", "#9d755d")


class LibraryError(SpeechError):
    """A voice is missing, or its files cannot be read or written."""


def clean_name(name: str) -> str:
    """A name on one line, without control characters, at most 120 characters."""
    printable = "".join(character if character.isprintable() else " " for character in name)
    return " ".join(printable.split())[:LONGEST_NAME].strip()


def file_sha256(path: Path) -> str:
    """Hex SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def built_in_voice(known: KnownVoice, place: int) -> Voice:
    """A voice that comes with the model; its id is the same at every start, and `place` in the model's list gives
    its colour."""
    clip = VoiceClip(known.path.name, known.sha256, known.transcript, language_name(known.language))
    return Voice(
        id=f"known-{known.id}",
        name=known.name,
        colour=COLOURS[place % len(COLOURS)],
        references=(clip,),
        known=known.id,
        consent={"source": known.source, "licence": known.licence},
        created_at_s=0.0,
    )


def reference_for(
    clip: Path, transcript: str, language: str | None, start_s: float | None, end_s: float | None
) -> VoiceClip:
    """What a file holds, named by its content. Raises LibraryError."""
    suffix = clip.suffix.lower()
    if suffix not in AUDIO_SUFFIXES:
        raise LibraryError(
            f"{clip.name} does not look like audio or video.", "Give a wav, flac, mp3, ogg, opus, m4a or video file."
        )
    try:
        digest = file_sha256(clip)
    except OSError as error:
        raise LibraryError(f"The clip {clip} cannot be read ({error.strerror}).", "Check the path.") from error
    return VoiceClip(
        file=digest + suffix,
        sha256=digest,
        transcript=" ".join(transcript.split()),
        language=language,
        start_s=start_s,
        end_s=end_s,
    )


def read_voice(file: Path, voice_id: str) -> Voice:
    """The voice in a voice.json. Raises OSError, FormatError."""
    return checked_voice(checks.from_json_text(file.read_bytes(), "The record", LONGEST_RECORD_BYTES), voice_id)


def checked_voice(raw: object, voice_id: str) -> Voice:
    """A voice from a record of this or an older version, under the id of its folder. Raises FormatError."""
    record = checks.mapping(raw, "The record", 50)
    checks.integer(record.get("version"), "The version of the record (a newer studio may have written it)", 1, VERSION)
    voice = replace(
        Voice.from_json({**record, "id": voice_id}), name=clean_name(str(record.get("name", ""))) or "Voice"
    )
    if not voice.references or any(Path(clip.file).suffix.lower() not in AUDIO_SUFFIXES for clip in voice.references):
        raise FormatError("The voice must have at least one clip, each of them audio.")
    return voice


def refused(what: str, error: OSError) -> LibraryError:
    """What the disk said, and what to do about it."""
    said = f"The system says: {error.strerror or error}."
    return LibraryError(f"{what} {said}", "Check free space and permissions, then try again.")
