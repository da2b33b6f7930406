"""Loudness and true peak, against FFmpeg's own program; the limiter against its ceiling."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st
from made_projects import RATE, voiced
from outside import loudness as loudness_outside
from outside import needs_ffmpeg

from app.model.errors import ProjectError
from app.services.limiter import Limiter, TruePeakMeter
from app.services.loudness import LoudnessMeter, gain_for, target_for


def loud_programme(seconds: float = 12.0) -> np.ndarray:
    parts = [voiced(1.5, seed=k, level=0.05 + 0.06 * (k % 4)) for k in range(int(seconds / 2))]
    return np.concatenate(parts)


@needs_ffmpeg
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("rate", [44_100, 48_000])
def test_loudness_and_true_peak_agree_with_ffmpeg(channels: int, rate: int, tmp_path: Path) -> None:
    samples = np.ascontiguousarray(loud_programme()[:, :channels])
    soundfile.write(tmp_path / "a.wav", samples, rate, subtype="FLOAT")
    meter = LoudnessMeter(rate, channels)
    for at in range(0, len(samples), 10_000):
        meter.feed(samples[at : at + 10_000])
    measured = meter.result()
    lufs, true_peak_db = loudness_outside(tmp_path / "a.wav")
    assert measured.lufs == pytest.approx(lufs, abs=0.1)
    assert measured.true_peak_db == pytest.approx(true_peak_db, abs=0.2)
    assert measured.peak_db == pytest.approx(20 * np.log10(np.abs(samples).max()), abs=0.01)
    assert measured.rms_db == pytest.approx(10 * np.log10(np.mean(samples.astype(np.float64) ** 2)), abs=0.01)


def test_silence_has_no_loudness_and_gets_no_gain() -> None:
    meter = LoudnessMeter(RATE, 2)
    meter.feed(np.zeros((RATE, 2), np.float32))
    measured = meter.result()
    assert measured.lufs == measured.rms_db == measured.noise_floor_db == -120.0
    assert gain_for(measured, target_for("-16")) == 0.0


def test_an_empty_programme_can_be_measured() -> None:
    assert LoudnessMeter(RATE, 2).result().seconds == 0


def test_the_noise_floor_is_that_of_the_quietest_half_second() -> None:
    noise = np.random.default_rng(0).standard_normal((RATE * 4, 2)).astype(np.float32) * 0.1
    noise[RATE : 2 * RATE] *= 0.01
    meter = LoudnessMeter(RATE, 2)
    for at in range(0, len(noise), 777):
        meter.feed(noise[at : at + 777])
    assert meter.result().noise_floor_db == pytest.approx(-60.0, abs=0.3)


def test_unknown_loudness_is_refused_with_what_there_is() -> None:
    assert target_for("off") is None
    assert target_for(" ACX ").rms_db == -20.0
    assert target_for("−16 LUFS").lufs == -16.0
    with pytest.raises(ProjectError, match="-14, -16, -18, -19, -23"):
        target_for("-15")
    with pytest.raises(ProjectError):
        target_for("loud")


def run_limiter(samples: np.ndarray, cuts: list[int] | None = None, ceiling_db: float = -1.0) -> np.ndarray:
    limiter = Limiter(samples.shape[1], RATE, ceiling_db)
    edges = [0, *sorted({min(c, len(samples)) for c in cuts or ()}), len(samples)]
    out = [limiter.feed(samples[a:b]) for a, b in zip(edges, edges[1:], strict=False)]
    return np.concatenate([*out, limiter.flush()])


def true_peak_db(samples: np.ndarray) -> float:
    meter = TruePeakMeter(samples.shape[1])
    meter.feed(samples)
    meter.flush()
    return 20 * np.log10(meter.peak)


def test_the_true_peak_of_a_sine_between_the_samples_is_seen() -> None:
    # A quarter of the rate at 45°: every sample is 3 dB below the wave's top.
    t = np.arange(4_800)
    wave = np.sin(2 * np.pi * t / 4 + np.pi / 4).astype(np.float32)[:, None] * np.hanning(4_800)[:, None].astype(
        np.float32
    )
    assert true_peak_db(wave) == pytest.approx(0.0, abs=0.1)
    assert 20 * np.log10(np.abs(wave).max()) == pytest.approx(-3.0, abs=0.1)


def test_what_is_under_the_ceiling_passes_bit_for_bit() -> None:
    samples = loud_programme(4.0) * np.float32(0.2)
    np.testing.assert_array_equal(run_limiter(samples), samples)


@needs_ffmpeg
@pytest.mark.parametrize("kind", ["speech", "noise", "clicks", "square"])
def test_nothing_comes_out_above_the_ceiling(kind: str, tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    samples = {
        "speech": lambda: loud_programme(6.0) * np.float32(6.0),
        "noise": lambda: random.standard_normal((RATE * 2, 2)).astype(np.float32),
        "clicks": lambda: (random.random((RATE * 2, 2)) > 0.9995).astype(np.float32) * np.float32(3.0),
        "square": lambda: (
            np.sign(np.sin(np.arange(RATE * 2) * 0.37))[:, None].astype(np.float32).repeat(2, 1) * np.float32(1.5)
        ),
    }[kind]()
    out = run_limiter(samples)
    assert len(out) == len(samples)
    soundfile.write(tmp_path / "a.wav", out, RATE, subtype="FLOAT")
    assert loudness_outside(tmp_path / "a.wav")[1] <= -1.0 + 0.05


def test_limiting_is_gentle_around_a_single_peak() -> None:
    samples = np.full((RATE, 1), 0.1, np.float32)
    samples[RATE // 2] = 2.0
    out = run_limiter(samples)
    assert abs(out[RATE // 2, 0]) <= 0.9
    np.testing.assert_array_equal(out[: RATE // 2 - 600], samples[: RATE // 2 - 600])
    np.testing.assert_array_equal(out[RATE // 2 + RATE // 4 :], samples[RATE // 2 + RATE // 4 :])


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 30_000), max_size=6), st.integers(0, 30_000), st.sampled_from([1, 2]))
def test_any_split_gives_the_same_limited_samples(cuts: list[int], n: int, channels: int) -> None:
    samples = np.random.default_rng(n).standard_normal((n, channels)).astype(np.float32)
    np.testing.assert_array_equal(run_limiter(samples, cuts), run_limiter(samples))
