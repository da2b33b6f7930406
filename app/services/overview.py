"""The shape of sound for drawing: least and greatest sample of growing stretches, at any zoom."""

from __future__ import annotations

import numpy as np

BIN_SAMPLES = 256
_FACTOR = 4
_LEVELS = 8


class Overview:
    """Min/max pyramid of mono-folded sound that grows at its end; level k has bins of 256 * 4**k samples, int8 pairs.

    Attributes:
        samples: how much sound it covers.
    """

    def __init__(self) -> None:
        self.samples = 0
        self._rest = np.zeros(0, np.float32)
        self._levels: list[np.ndarray] = [np.zeros((64, 2), np.int8) for _ in range(_LEVELS)]
        self._counts = [0] * _LEVELS

    def add(self, samples: np.ndarray) -> None:
        """Float32 `[n, 2]`; any split into calls gives the same bins."""
        if not len(samples):
            return
        self.samples += len(samples)
        mono = samples.mean(axis=1, dtype=np.float32)
        sound = np.concatenate((self._rest, mono)) if len(self._rest) else mono
        whole = len(sound) // BIN_SAMPLES * BIN_SAMPLES
        self._rest = sound[whole:].copy()
        if whole:
            bins = sound[:whole].reshape(-1, BIN_SAMPLES)
            self._append(0, np.stack((_to_int8(bins.min(axis=1)), _to_int8(bins.max(axis=1))), axis=1))

    def bins(self, samples_a_pixel: float) -> tuple[np.ndarray, int]:
        """The coarsest bins not wider than a pixel, int8 `[n, 2]` of -127..127 (a view), and their width in samples."""
        level, width = 0, BIN_SAMPLES
        while level + 1 < _LEVELS and width * _FACTOR <= samples_a_pixel:
            level, width = level + 1, width * _FACTOR
        return self._levels[level][: self._counts[level]], width

    def to_bytes(self) -> bytes:
        """The finest level; the others are made from it."""
        return self._levels[0][: self._counts[0]].tobytes()

    @staticmethod
    def from_bytes(data: bytes, samples: int) -> Overview:
        made = Overview()
        bins = np.frombuffer(data[: len(data) // 2 * 2], np.int8).reshape(-1, 2)
        made.samples = samples
        if len(bins):
            made._append(0, bins)
        return made

    def _append(self, level: int, bins: np.ndarray) -> None:
        count = self._counts[level]
        needed = count + len(bins)
        if needed > len(self._levels[level]):
            grown = np.zeros((max(needed, 2 * len(self._levels[level])), 2), np.int8)
            grown[:count] = self._levels[level][:count]
            self._levels[level] = grown
        self._levels[level][count:needed] = bins
        self._counts[level] = needed
        if level + 1 < _LEVELS:
            # Bins of the next level that became whole with these.
            first = self._counts[level + 1] * _FACTOR
            whole = (needed - first) // _FACTOR * _FACTOR
            if whole:
                groups = self._levels[level][first : first + whole].reshape(-1, _FACTOR, 2)
                self._append(level + 1, np.stack((groups[:, :, 0].min(axis=1), groups[:, :, 1].max(axis=1)), axis=1))


def _to_int8(values: np.ndarray) -> np.ndarray:
    return np.clip(np.rint(values * 127), -127, 127).astype(np.int8)
