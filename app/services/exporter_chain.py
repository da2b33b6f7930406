"""From the mixer's samples to the samples of a file: channels, rate, gain and limiter, in a stream."""

from __future__ import annotations

import numpy as np
import soxr

from app.services.limiter import Limiter
from app.services.mixer import CHANNELS, RATE, gain_factor


class Chain:
    """What happens to every sample between mixer and file. Nothing is done that was not asked for: then bits pass
    unchanged.

    Attributes:
        exact: samples pass as they are.
    """

    def __init__(self, rate: int, channels: int, *, gain_db: float = 0.0, ceiling_db: float | None = None) -> None:
        self._channels = channels
        self._mono = channels == 1
        self._resample = (
            None if rate == RATE else soxr.ResampleStream(RATE, rate, channels, dtype="float32", quality="VHQ")
        )
        self._gain = gain_factor(gain_db) if gain_db else None
        self._limiter = None if ceiling_db is None else Limiter(channels, rate, ceiling_db)
        self.exact = not self._mono and self._resample is None and self._gain is None and self._limiter is None

    @property
    def reduced_db(self) -> float:
        """The deepest gain of the limiter."""
        return self._limiter.reduced_db if self._limiter else 0.0

    def feed(self, samples: np.ndarray) -> np.ndarray:
        """float32 `[n, 2]` at 48 kHz in; what is finished, float32 `[m, channels]` at the file's rate, out."""
        return self._run(samples, last=False)

    def flush(self) -> np.ndarray:
        rest = self._run(np.zeros((0, CHANNELS), np.float32), last=True)
        return rest if self._limiter is None else np.concatenate((rest, self._limiter.flush()))

    def _run(self, samples: np.ndarray, *, last: bool) -> np.ndarray:
        if self._mono:
            samples = (samples[:, :1] + samples[:, 1:]) * np.float32(0.5)
        if self._resample is not None:
            samples = self._resample.resample_chunk(np.ascontiguousarray(samples), last=last)
            samples = samples.reshape(len(samples), self._channels)  # the resampler may have kept all of them
        if self._gain is not None:
            samples = samples * self._gain
        return samples if self._limiter is None else self._limiter.feed(samples)
