"""What a drop onto the window carries: sound files, script files, a voice."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QMimeData

from app.services.voice_archive import SUFFIX as ARCHIVE_SUFFIX
from app.services.voice_records import AUDIO_SUFFIXES

VOICE_MIME = "application/x-moss-voice"
SOUND_SUFFIXES = AUDIO_SUFFIXES
PROJECT_SUFFIX = ".mvs"
SCRIPT_SUFFIXES = frozenset(".txt .md .markdown .docx .epub .srt .vtt .html .htm .rtf .odt .pdf".split()) | {
    PROJECT_SUFFIX
}


def sort_files(files: Iterable[Path]) -> tuple[list[Path], list[Path]]:
    """Files that make voices (sound, or a voice kept as one file) and script files among these; others are left out."""
    listed = list(files)
    sounds = [path for path in listed if path.suffix.lower() in (*SOUND_SUFFIXES, ARCHIVE_SUFFIX)]
    texts = [path for path in listed if path.suffix.lower() in SCRIPT_SUFFIXES]
    return sounds, texts


def local_files(mime: QMimeData) -> list[Path]:
    """The files on this machine that the drop names."""
    return [Path(url.toLocalFile()) for url in mime.urls() if url.isLocalFile()]


def dropped_voice(mime: QMimeData) -> str | None:
    """The id of the voice being dragged, or None."""
    if not mime.hasFormat(VOICE_MIME):
        return None
    return bytes(mime.data(VOICE_MIME).data()).decode("utf-8", "replace") or None


def voice_mime(voice_id: str, name: str) -> QMimeData:
    """What a dragged voice carries: its id for the studio, its name for everyone else."""
    mime = QMimeData()
    mime.setData(VOICE_MIME, voice_id.encode("utf-8"))
    mime.setText(name)
    return mime
