"""The clip doctor: what it finds in clips with known faults, and that repairs mend just that."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.paths import starter
from app.services import voice_activity
from app.services.clip_doctor import examine, repaired
from engine import load_clip

RATE = 24_000


@pytest.fixture
def by_loudness(monkeypatch):
    """As on a machine where the detector of speech cannot be loaded: made-up syllables count as speech."""
    monkeypatch.setattr(voice_activity, "_detectors", [None])


def speech(seconds=8.0, level=0.15, noise=0.0005, seed=0):
    """Syllables of a voiced buzz with pauses over a little noise, float32 [n, 1]."""
    rng = np.random.default_rng(seed)
    t = np.arange(int(seconds * RATE)) / RATE
    buzz = sum(np.sin(2 * np.pi * 140 * k * t) / k for k in range(1, 12))
    syllables = np.clip(np.sin(2 * np.pi * 3.5 * t), 0, 1) * (np.sin(2 * np.pi * 0.5 * t) > -0.6)
    return (level * buzz * syllables + noise * rng.standard_normal(len(t))).astype(np.float32)[:, None]


def silence(seconds, noise=0.0005, seed=9):
    return (noise * np.random.default_rng(seed).standard_normal((int(seconds * RATE), 1))).astype(np.float32)


def repairable(found):
    return any(finding.repair for finding in found.findings)


def severity(examination, code):
    return next(finding.severity for finding in examination.findings if finding.code == code)


def test_a_good_clip_is_fit(by_loudness):
    found = examine(speech(), RATE)
    assert found.fit and [finding.severity for finding in found.findings] == ["good"] * 5


@pytest.mark.parametrize("name", ["joe", "gon", "kumo", "nezumi", "joe_light"])
def test_the_clips_of_the_starter_are_fit(name):
    samples, rate = load_clip(starter() / "voices" / f"{name}.wav")
    assert examine(samples, rate).fit


def test_silence_is_unfit():
    found = examine(np.zeros((RATE * 8, 1), np.float32), RATE)
    assert severity(found, "level") == "bad" and severity(found, "speech") == "bad" and not found.fit
    assert severity(found, "noise") != "bad" and not repairable(found)
    assert not repairable(examine(np.zeros((RATE * 8, 1), np.float32), RATE, longest_s=5.0))


def test_a_snippet_is_too_short():
    assert severity(examine(speech(1.0), RATE), "length") == "bad"


def test_a_long_clip_is_cut_at_a_pause(by_loudness):
    clip = speech(30.0)
    found = examine(clip, RATE, longest_s=12.0)
    assert severity(found, "length") == "note" and found.fit and repairable(found)
    mended, done = repaired(clip, RATE, longest_s=12.0)
    assert 8.0 <= len(mended) / RATE <= 12.0
    assert any("cut to" in words for words in done)
    end = mended[-int(0.02 * RATE) :]
    assert np.abs(end).max() < 0.3 * np.abs(mended).max()


def test_clipping_is_found_and_rounded_without_touching_the_rest():
    clean = speech(level=0.35)
    top = 0.6 * np.abs(clean).max()
    clipped = np.clip(clean, -top, top)
    found = examine(clipped, RATE)
    assert severity(found, "clipping") in ("note", "bad") and found.clipped_share > 0
    assert severity(examine(clean, RATE), "clipping") == "good"
    mended, done = repaired(clipped, RATE)
    assert any("rounded" in words for words in done)
    assert examine(mended, RATE).clipped_share < found.clipped_share / 3


def test_noise_is_found_and_not_repaired():
    found = examine(speech(noise=0.05), RATE)
    assert severity(found, "noise") == "bad"
    assert not next(finding for finding in found.findings if finding.code == "noise").repair


def test_a_quiet_clip_is_raised_to_a_level_that_serves():
    quiet = speech(level=0.002, noise=0.00001)
    assert severity(examine(quiet, RATE), "level") == "note"
    mended, done = repaired(quiet, RATE)
    assert examine(mended, RATE).speech_db == pytest.approx(-23, abs=1.0)
    assert any("level" in words for words in done)


def test_silence_around_speech_is_cut_and_speech_is_whole(by_loudness):
    clip = np.concatenate((silence(5), speech(), silence(6)))
    found = examine(clip, RATE)
    assert severity(found, "speech") == "note"
    mended, done = repaired(clip, RATE)
    assert len(mended) / RATE == pytest.approx(8.0, abs=0.7)
    assert any("Silence" in words for words in done)


def test_a_good_clip_is_left_alone_but_for_its_level():
    clip = speech()
    mended, done = repaired(clip, RATE)
    again, nothing = repaired(mended, RATE)
    assert not nothing and np.array_equal(again, mended)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 3000), st.integers(1, 2), st.sampled_from([8_000, 22_050, 44_100, 48_000]), st.integers(0, 2**31))
def test_any_sound_can_be_examined_and_repaired(length, channels, rate, seed):
    rng = np.random.default_rng(seed)
    samples = (rng.standard_normal((length, channels)) * rng.choice([0, 1e-6, 0.1, 3.0])).astype(np.float32)
    if length and seed % 3 == 0:
        samples[seed % length] = np.nan
    found = examine(samples, rate)
    assert len(found.findings) == 5 and 0 <= found.speech_share <= 1
    mended, _ = repaired(samples, rate)
    assert np.isfinite(mended).all() and mended.shape[1] == channels


def test_speech_is_told_from_noise_and_music_that_are_as_loud():
    samples, rate = load_clip(starter() / "voices" / "joe.wav")
    assert examine(samples, rate).speech_share > 0.8
    t = np.arange(8 * RATE) / RATE
    chord = sum(0.1 * np.sin(2 * np.pi * hz * t) for hz in (220.0, 277.2, 329.6))
    music = (chord * (1 + np.sin(2 * np.pi * 2 * t)) / 2).astype(np.float32)[:, None]
    for sound in (music, silence(8.0, noise=0.1)):
        found = examine(sound, RATE)
        assert found.speech_share < 0.2 and severity(found, "speech") == "bad"


def test_the_level_of_a_clip_does_not_change_how_much_of_it_is_speech():
    samples, rate = load_clip(starter() / "voices" / "kumo.wav")
    loud, soft = (examine(samples * gain, rate).speech_share for gain in (1.0, 0.01))
    assert soft == pytest.approx(loud, abs=0.05)


def test_half_a_clip_of_speech_is_half():
    samples, rate = load_clip(starter() / "voices" / "joe.wav")
    clip = np.concatenate((samples, np.zeros_like(samples)))
    assert examine(clip, rate).speech_share == pytest.approx(0.5, abs=0.1)


def test_without_the_detector_loudness_is_looked_at(by_loudness):
    assert voice_activity.speech_share(np.zeros(RATE), RATE) is None
    samples, rate = load_clip(starter() / "voices" / "joe.wav")
    assert examine(samples, rate).fit
