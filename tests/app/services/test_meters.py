"""What the meter shows is a number, whatever it hears."""

from __future__ import annotations

import math

import numpy as np
import pytest

from app.services.meters import SILENCE_DB, Meter

RATE = 48_000


def test_a_pause_longer_than_the_window_is_silence_and_speech_after_it_is_measured() -> None:
    meter = Meter()
    tone = 0.1 * np.sin(2 * np.pi * 1_000 * np.arange(4 * RATE) / RATE)
    speech = np.stack([tone, tone], axis=1).astype(np.float32)
    meter.feed(speech)
    before = meter.levels().short_term_lufs
    for _ in range(50):
        meter.feed(np.zeros((RATE // 10, 2), np.float32))
        shown = meter.levels().short_term_lufs
        assert shown is not None and math.isfinite(shown)
    assert shown == SILENCE_DB
    meter.feed(speech)
    assert meter.levels().short_term_lufs == pytest.approx(before, abs=0.5)
