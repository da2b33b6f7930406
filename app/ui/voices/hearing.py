"""Plays clips of voices and what was just recorded, one at a time."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal

from app.model.voice import Voice
from app.ui.studio import Studio
from app.ui.transport.playback import playback_of
from app.ui.voices.preview import ClipSource, at_48k
from engine import SAMPLE_RATE


class Hearing(QObject):
    """
    Attributes:
        voice_id: whose clip is played; "" when none is.

    Signals:
        changed(): `voice_id` is another.
    """

    changed = Signal()

    def __init__(self, studio: Studio, parent: QObject) -> None:
        super().__init__(parent)
        self._studio = studio
        self._playback = playback_of(studio)
        self._playback.ticked.connect(self._ticked)
        self.voice_id = ""

    def play_clip(self, voice: Voice) -> None:
        """The first clip of a voice that has one."""
        library, clip = self._studio.library, voice.references[0]
        self._playback.preview(lambda: ClipSource.of_file(library.clip_path(voice, clip), clip.start_s, clip.end_s))
        self._now(voice.id)

    def play_samples(self, samples: np.ndarray) -> None:
        """Args: samples: float32 `[n, channels]` at 48 kHz."""
        self._playback.preview(lambda: ClipSource(at_48k(samples, SAMPLE_RATE)))
        self._now("")

    def stop(self) -> None:
        self._playback.stop()

    def _ticked(self, _snapshot: object) -> None:
        if self.voice_id and not self._playback.previewing:
            self._now("")

    def _now(self, voice_id: str) -> None:
        self.voice_id = voice_id
        self.changed.emit()
