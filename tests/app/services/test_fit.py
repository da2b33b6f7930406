"""The small stretch that makes a line last as long as was asked."""

from __future__ import annotations

import numpy as np
import pytest
from made_projects import RATE, voiced

from app.services.fit import fit, stretch_to


def pitch_hz(samples: np.ndarray) -> float:
    mono = samples[:, 0] * np.hanning(len(samples))
    return float(np.argmax(np.abs(np.fft.rfft(mono, 1 << 19))) * RATE / (1 << 19))


@pytest.mark.parametrize("ratio", [0.92, 0.96, 0.999, 1.0, 1.003, 1.05, 1.08])
def test_a_stretch_is_exact_to_the_sample_and_keeps_pitch_and_level(ratio: float) -> None:
    spoken = voiced(2.0)[RATE // 4 : -RATE // 4]
    wanted = round(len(spoken) * ratio)
    out = stretch_to(spoken, wanted)
    assert out.shape == (wanted, 2)
    assert out.dtype == np.float32
    assert pitch_hz(out) == pytest.approx(pitch_hz(spoken), rel=0.003)
    assert np.sqrt(np.mean(out**2)) == pytest.approx(np.sqrt(np.mean(spoken**2)), rel=0.05)


def test_a_stretch_never_clicks() -> None:
    spoken = voiced(1.0)[RATE // 4 : -RATE // 4]
    out = stretch_to(spoken, round(len(spoken) * 1.07))
    assert np.abs(np.diff(out, axis=0)).max() < 1.5 * np.abs(np.diff(spoken, axis=0)).max()


@pytest.mark.parametrize("n", [1, 10, 500, 1500, 3000])
def test_very_short_speech_is_stretched_too(n: int) -> None:
    out = stretch_to(voiced(0.5)[RATE // 4 : RATE // 4 + n], round(n * 1.08) + 1)
    assert len(out) == round(n * 1.08) + 1
    assert np.isfinite(out).all()


def test_a_fit_says_by_how_much_it_misses() -> None:
    assert fit(3.0, 1.0, 4.1).fits
    assert fit(3.0, 1.0, 4.1).ratio == pytest.approx(3.1 / 3.0)
    too_long = fit(5.0, 0.0, 4.0)
    assert not too_long.fits
    assert (too_long.ratio, too_long.miss_s) == (pytest.approx(0.92), pytest.approx(0.6))
    assert fit(3.0, 0.0, 4.0).miss_s == pytest.approx(-0.76)
    assert fit(4.005, 0.0, 4.0).ratio == 1.0
