"""Plays a voice's clip once: a source for the player that is not the programme."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soxr

from app.services.playing import Place
from engine import CHANNELS, SAMPLE_RATE, load_clip


class ClipSource:
    """A clip from disk, brought to 48 kHz stereo; made on the player's thread, so reading it holds up nobody."""

    problem = ""
    remaining_s = 0.0
    complete = True

    def __init__(self, samples: np.ndarray) -> None:
        self._samples = samples
        self._at = 0

    @staticmethod
    def of_file(path: Path, start_s: float | None = None, end_s: float | None = None) -> ClipSource:
        """Raises SpeechError when it cannot be read."""
        samples, rate = load_clip(path, start_s, end_s)
        return ClipSource(at_48k(samples, rate))

    @property
    def ready_samples(self) -> int:
        return len(self._samples) - self._at

    def read(self, n: int) -> np.ndarray | None:
        if self._at >= len(self._samples):
            return None
        block = self._samples[self._at : self._at + n]
        self._at += len(block)
        return block

    def place(self, _sample: int) -> Place | None:
        return None

    def close(self) -> None:
        self._at = len(self._samples)


def at_48k(samples: np.ndarray, rate: int) -> np.ndarray:
    """Float32 `[n, 2]` at 48 kHz."""
    stereo = samples[:, :CHANNELS] if samples.shape[1] >= CHANNELS else np.repeat(samples[:, :1], CHANNELS, axis=1)
    if rate != SAMPLE_RATE:
        stereo = soxr.resample(stereo, rate, SAMPLE_RATE)
    return np.ascontiguousarray(np.clip(stereo, -1.0, 1.0), np.float32)
