"""Puts the clips of a project's voices into the project file, so that the project travels with its voices."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.model.voice import VoiceClip
from app.services.library import Library
from engine import SpeechError

log = logging.getLogger(__name__)


class Embedding:
    """Watches the voices of the open project. Belongs to the project's thread; clips are read on another.

    A clip that cannot be read is tried again when voices change the next time.
    """

    def __init__(self, library: Library, post: Callable[[Callable[[], None]], None]) -> None:
        self._library = library
        self._post = post
        self._store: Any = None
        self._kept: set[str] = set()
        self._disconnect: Callable[[], None] = lambda: None

    def set_store(self, store: Any) -> None:
        self._disconnect()
        self._store = store
        self._kept.clear()
        self._disconnect = store.project.voices_changed.connect(self._look) if store is not None else lambda: None
        if store is not None:
            self._look()

    def _look(self) -> None:
        store = self._store
        wanted: list[tuple[Path, VoiceClip]] = []
        for voice in store.project.voices.values():
            if voice.known is not None:
                continue  # comes with the model, wherever the project goes
            for clip in voice.references:
                path = self._library.clip_path(voice, clip)
                if clip.sha256 not in self._kept and path.is_file():
                    self._kept.add(clip.sha256)
                    wanted.append((path, clip))
        if wanted:
            threading.Thread(target=self._read, args=(store, wanted), name="embed clips", daemon=True).start()

    def _read(self, store: Any, wanted: list[tuple[Path, VoiceClip]]) -> None:
        for path, clip in wanted:
            try:
                data = path.read_bytes()
            except OSError as error:
                log.warning("the clip %s is not kept with the project: %s", path, error)
                self._post(lambda clip=clip: self._kept.discard(clip.sha256))
                continue
            self._post(lambda data=data, clip=clip: self._keep(store, data, clip))

    def _keep(self, store: Any, data: bytes, clip: VoiceClip) -> None:
        if store is not self._store:
            return
        try:
            store.add_clip(data, clip.file)
        except SpeechError as error:
            log.warning("the clip %s is not kept with the project: %s", clip.file, error)
