"""The shapes of clips, read in the background and kept while the studio runs."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue

from app.model.voice import VoiceClip
from app.services.overview import Overview
from engine import SpeechError, load_clip

log = logging.getLogger(__name__)


class Thumbnails:
    """Shapes by content and range of a clip; what is not known yet is read and `ready` called through `post`."""

    def __init__(self, post: Callable[[Callable[[], None]], None], ready: Callable[[], None]) -> None:
        self._post, self._ready = post, ready
        self._shapes: dict[tuple[str, float | None, float | None], Overview | None] = {}
        self._wanted: SimpleQueue[tuple[Path, VoiceClip] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._closed = False

    def of(self, path: Path, clip: VoiceClip) -> Overview | None:
        key = (clip.sha256, clip.start_s, clip.end_s)
        if key not in self._shapes:
            self._shapes[key] = None
            self._wanted.put((path, clip))
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="thumbnails", daemon=True)
                self._thread.start()
        return self._shapes[key]

    def close(self) -> None:
        """End the thread after the clip it reads; what is wanted still is dropped."""
        self._closed = True
        self._wanted.put(None)

    def _work(self) -> None:
        while (wanted := self._wanted.get()) is not None and not self._closed:
            path, clip = wanted
            try:
                samples, _ = load_clip(path, clip.start_s, clip.end_s)
            except SpeechError as error:
                log.info("no shape of %s: %s", path.name, error)
                continue
            shape = Overview()
            shape.add(samples)
            self._shapes[(clip.sha256, clip.start_s, clip.end_s)] = shape
            self._post(self._ready)
