"""Measures how fit a clip is to be a voice."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class ClipMeasures:
    """How fit a clip is.

    Attributes:
        seconds, rate, channels: of the clip.
        peak_dbfs, rms_dbfs: of all channels together, the latter without offset; -inf for digital silence.
        clipped_share: of samples that lie in runs of at least three at the clip's own ceiling near full scale.
        silence_share: of 20 ms windows below -50 dBFS or more than 40 dB under the loudest tenth.
        noise_floor_dbfs: the level below which a tenth of the windows lie, zeros at the ends left out; -inf where a
            recorder or an editor has muted the pauses.
        dc_offset: mean of the channel where it is largest.
        leading_silence_s, trailing_silence_s: before the first and after the last window that is not silent.
    """

    seconds: float
    rate: int
    channels: int
    peak_dbfs: float
    rms_dbfs: float
    clipped_share: float
    silence_share: float
    noise_floor_dbfs: float
    dc_offset: float
    leading_silence_s: float
    trailing_silence_s: float

    @property
    def snr_db(self) -> float:
        """Level over noise floor: what a person hears as a clean or a noisy clip; inf where the floor is -inf."""
        return self.rms_dbfs - self.noise_floor_dbfs if math.isfinite(self.noise_floor_dbfs) else math.inf


WINDOW_S = 0.02
SILENT_DBFS = -50.0
AUDIBLE_OFFSET = 0.005
SILENT_BELOW_SPEECH_DB = 40.0


def measure_clip(samples: np.ndarray, rate: int) -> ClipMeasures:
    """Measure float32 `[n, channels]` at `rate` Hz."""
    samples = np.asarray(samples, np.float32)
    offset = samples.mean(axis=0, dtype=np.float64) if len(samples) else np.zeros(samples.shape[1])
    largest_offset = float(np.abs(offset).max(initial=0.0))
    # A constant is no sound; a tiny one stays, so that muted pauses remain zeros.
    sound = samples - offset.astype(np.float32) if largest_offset >= AUDIBLE_OFFSET else samples
    levels = window_levels(sound, rate)
    silent = silent_windows(levels)
    sounding = np.flatnonzero(~silent)
    recorded = np.flatnonzero(np.isfinite(levels))
    between = levels[recorded[0] : recorded[-1] + 1] if len(recorded) else levels[:0]
    peak = float(np.abs(samples).max(initial=0.0))
    seconds = len(samples) / rate
    return ClipMeasures(
        seconds=seconds,
        rate=rate,
        channels=samples.shape[1],
        peak_dbfs=_db(peak),
        rms_dbfs=_db(math.sqrt(_mean_square(sound))),
        clipped_share=clipped_share(samples),
        silence_share=float(silent.mean()) if len(silent) else 1.0,
        noise_floor_dbfs=float(np.percentile(between, 10, method="lower")) if len(between) else -math.inf,
        dc_offset=largest_offset,
        leading_silence_s=float(sounding[0] * WINDOW_S) if len(sounding) else seconds,
        trailing_silence_s=max(0.0, seconds - float((sounding[-1] + 1) * WINDOW_S)) if len(sounding) else seconds,
    )


def window_levels(samples: np.ndarray, rate: int) -> np.ndarray:
    """RMS in dBFS (-inf for zeros) of each window of 20 ms over all channels, the last one shorter."""
    size = max(1, round(rate * WINDOW_S))
    if len(samples) == 0:
        return np.zeros(0)
    starts = np.arange(0, len(samples), size)
    energy = np.add.reduceat(np.square(samples, dtype=np.float64).sum(axis=1), starts)
    lengths = np.minimum(size, len(samples) - starts) * samples.shape[1]
    with np.errstate(divide="ignore"):
        return 10 * np.log10(energy / lengths)


def silent_windows(levels: np.ndarray) -> np.ndarray:
    """Which windows hold no speech: far below full scale, or far below the clip's own loud parts."""
    if len(levels) == 0:
        return np.zeros(0, bool)
    loud = np.percentile(np.maximum(levels, -200.0), 90)
    return levels < max(SILENT_DBFS, loud - SILENT_BELOW_SPEECH_DB)


def clipped_share(samples: np.ndarray) -> float:
    """Share of samples in runs of three or more at the largest value, where that is -1 dBFS or above."""
    if len(samples) == 0:
        return 0.0
    peak = float(np.abs(samples).max())
    if peak < 10 ** (-1 / 20):
        return 0.0
    flat = np.abs(samples) >= peak * (1 - 2**-11)  # room for the rounding of a lossy copy
    flat &= np.abs(samples) > 0
    run = flat[2:] & flat[1:-1] & flat[:-2] if len(flat) >= 3 else np.zeros((0, samples.shape[1]), bool)
    in_run = np.zeros_like(flat)
    for offset in range(3):
        in_run[offset : offset + len(run)] |= run
    return float(in_run.mean())


def _mean_square(samples: np.ndarray) -> float:
    return float(np.square(samples, dtype=np.float64).mean()) if samples.size else 0.0


def _db(amplitude: float) -> float:
    return 20 * math.log10(amplitude) if amplitude > 0 else -math.inf
