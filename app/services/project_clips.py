"""The clips of a project's voices: from the library, else from the copies that travel in the project file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from app.model.voice import Voice
from engine import Clip, SpeechError

if TYPE_CHECKING:
    from app.services.library import Library
    from app.services.store import ProjectStore


class ProjectClips:
    """What the renderer asks for the audio of a voice.

    Args:
        cache: a folder in which copies out of the project may be put; they are found again by content.
    """

    def __init__(self, library: Library, store: ProjectStore, cache: Path) -> None:
        self._library = library
        self._store = store
        self._cache = cache

    def find(self, name: str) -> Voice | None:
        return self._library.find(name)

    def clips(self, voice: Voice) -> tuple[Clip, ...]:
        """Clips of a voice, first the one that is sent. Raises LibraryError when one is nowhere."""
        try:
            return self._library.clips(voice)
        except SpeechError:
            found = []
            for clip in voice.references:
                raw = self._store.clip(clip.sha256)
                if raw is None:
                    raise
                path = self._copied(raw, clip.sha256 + Path(clip.file).suffix)
                found.append(Clip(path=path, transcript=clip.transcript, start_s=clip.start_s, end_s=clip.end_s))
            return tuple(found)

    def _copied(self, raw: bytes, name: str) -> Path:
        path = self._cache / name
        if not path.is_file() or path.stat().st_size != len(raw):
            self._cache.mkdir(parents=True, exist_ok=True)
            part = path.with_name(path.name + ".part")
            part.write_bytes(raw)
            os.replace(part, path)
        return path
