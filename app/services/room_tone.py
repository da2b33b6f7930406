"""A quiet, endless, repeatable noise that fills pauses instead of digital silence."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

_LOOP_SAMPLES = 1 << 18  # 5.46 s at 48 kHz: too long to be heard as a loop at these levels, 2 MiB in memory
_RATE = 48_000
_CORNER_HZ = 200.0


@lru_cache(maxsize=4)
def _loop(level_db: float, tilt_db: float, seed: int) -> np.ndarray:
    """One period, float32 `[_LOOP_SAMPLES, 2]`, RMS `level_db` dBFS in each channel, without a seam."""
    random = np.random.Generator(np.random.PCG64(seed))
    bins = _LOOP_SAMPLES // 2 + 1
    hz = np.arange(bins) * (_RATE / _LOOP_SAMPLES)
    # Flat below the corner, then `tilt_db` an octave; nothing below 20 Hz, where it would only cost headroom.
    shape = 10.0 ** (tilt_db * np.log2(np.maximum(hz, _CORNER_HZ) / _CORNER_HZ) / 20.0)
    shape[hz < 20.0] = 0.0
    phases = random.uniform(0.0, 2.0 * math.pi, (bins, 2))
    # Fixed magnitudes with random phases: periodic by construction, so that the loop has no seam.
    tone = np.fft.irfft(shape[:, None] * np.exp(1j * phases), n=_LOOP_SAMPLES, axis=0)
    tone *= 10.0 ** (level_db / 20.0) / np.sqrt(np.mean(tone**2, axis=0))
    loop = tone.astype(np.float32)
    loop.setflags(write=False)
    return loop


def room_tone(
    start_sample: int, n_samples: int, level_db: float, *, tilt_db: float = -4.0, seed: int = 0
) -> np.ndarray:
    """Noise for the samples `start_sample … start_sample + n_samples` of a programme.

    The same position always has the same noise, however the programme is cut into calls.

    Args:
        level_db: RMS of each channel in dBFS.
        tilt_db: fall of the spectrum in dB an octave above 200 Hz.

    Returns:
        float32 `[n_samples, 2]`.
    """
    loop = _loop(float(level_db), float(tilt_db), int(seed))
    return np.take(loop, np.arange(start_sample, start_sample + n_samples), axis=0, mode="wrap")
