"""Meters of what is played: peak, true peak and short-term loudness."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from fractions import Fraction

import av
import numpy as np

from engine import CHANNELS, SAMPLE_RATE

SILENCE_DB = -120.0
_FALL_DB_A_SECOND = 20.0


@dataclass(frozen=True)
class Levels:
    """What a meter shows.

    Attributes:
        peak_db: left and right, dBFS, falling 20 dB a second.
        true_peak_db: highest since play was pressed, dBTP.
        short_term_lufs: loudness of the last 3 s; None before that.
    """

    peak_db: tuple[float, float] = (SILENCE_DB, SILENCE_DB)
    true_peak_db: float = SILENCE_DB
    short_term_lufs: float | None = None


class Meter:
    """Measures blocks as they are written; read from another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._levels = Levels()
        self._at = 0
        self._open()

    def reset(self) -> None:
        with self._lock:
            self._levels = Levels()
        self._at = 0
        self._open()

    def feed(self, samples: np.ndarray) -> None:
        """Float32 `[n, 2]` at 48 kHz."""
        if not len(samples):
            return
        fallen = _FALL_DB_A_SECOND * len(samples) / SAMPLE_RATE
        peaks = np.abs(samples).max(axis=0)
        before = self._levels
        left, right = (max(_db(float(peak)), old - fallen) for peak, old in zip(peaks, before.peak_db, strict=True))
        true_peak_db, lufs = self._loudness(samples)
        with self._lock:
            self._levels = Levels(
                (left, right),
                max(before.true_peak_db, true_peak_db),
                before.short_term_lufs if lufs is None else lufs,
            )

    def levels(self) -> Levels:
        with self._lock:
            return self._levels

    def _open(self) -> None:
        self._graph = av.filter.Graph()
        self._source = self._graph.add_abuffer(
            sample_rate=SAMPLE_RATE, format="flt", layout="stereo", time_base=Fraction(1, SAMPLE_RATE)
        )
        measure = self._graph.add("ebur128", "metadata=1:peak=true")
        self._sink = self._graph.add("abuffersink")
        self._source.link_to(measure)
        measure.link_to(self._sink)
        self._graph.configure()

    def _loudness(self, samples: np.ndarray) -> tuple[float, float | None]:
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples, np.float32).reshape(1, -1), "flt", "stereo")
        frame.sample_rate, frame.pts, frame.time_base = SAMPLE_RATE, self._at, Fraction(1, SAMPLE_RATE)
        self._at += len(samples)
        self._source.push(frame)
        true_peak_db, lufs = SILENCE_DB, None
        while True:
            try:
                told = self._sink.pull().metadata
            except (av.error.BlockingIOError, av.error.EOFError):
                return true_peak_db, lufs
            peaks = [float(told.get(f"lavfi.r128.true_peaks_ch{channel}", 0.0)) for channel in range(CHANNELS)]
            true_peak_db = max(true_peak_db, _db(max(peaks)))
            if self._at >= 3 * SAMPLE_RATE and "lavfi.r128.S" in told:
                short_term = float(told["lavfi.r128.S"])
                # Digital silence longer than the window is told as no number.
                lufs = short_term if math.isfinite(short_term) else SILENCE_DB


def _db(amplitude: float) -> float:
    return max(SILENCE_DB, 20 * math.log10(amplitude)) if amplitude > 0 else SILENCE_DB
