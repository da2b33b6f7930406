"""The watchdog on constructed streams of frames."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.card import ModelCard
from engine.lm.watchdog import EARLY_SHARE, Watchdog
from engine.requests import StopReason

LOUD_DB, QUIET_DB = -20.0, -75.0


def varied(rng: np.random.Generator) -> np.ndarray:
    return rng.integers(0, 1024, 12).astype(np.int16)


def run(dog: Watchdog, frames, levels):
    for i, (codes, level) in enumerate(zip(frames, levels, strict=True)):
        verdict = dog.see(codes, level)
        if verdict is not None:
            return i + 1, verdict
    return None, None


def speech(seed: int, n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [varied(rng) for _ in range(n)]


def test_ordinary_speech_with_pauses_passes():
    levels = ([LOUD_DB] * 30 + [QUIET_DB] * 12) * 4
    at, _ = run(Watchdog(150), speech(0, len(levels)), levels)
    assert at is None


@pytest.mark.parametrize("own_pause_s", [0.0, 1.5, 5.0])
def test_silence_beyond_the_text_s_own_pauses_ends_it(own_pause_s):
    levels = [LOUD_DB] * 20 + [QUIET_DB] * 200
    at, verdict = run(Watchdog(200, own_pause_s), speech(1, 220), levels)
    assert verdict.code == "runaway_silence" and verdict.reason is StopReason.RUNAWAY
    silent_s = (at - 20) * 0.08
    assert own_pause_s + 2.4 < silent_s < own_pause_s * 1.3 + 3


def test_an_asked_pause_as_long_as_the_starter_makes_it_passes():
    levels = [LOUD_DB] * 20 + [QUIET_DB] * round(5.4 * 12.5) + [LOUD_DB] * 20
    at, _ = run(Watchdog(100, 5.0), speech(2, len(levels)), levels)
    assert at is None


def test_silence_from_the_start_ends_it():
    at, verdict = run(Watchdog(100), speech(3, 60), [QUIET_DB] * 60)
    assert verdict.code == "runaway_silence"


def test_a_quiet_voice_is_not_taken_for_silence():
    levels = [-38.0, -60.0, -55.0, -62.0] * 30
    at, _ = run(Watchdog(120), speech(4, 120), levels)
    assert at is None


@pytest.mark.parametrize("period", [1, 2, 5, 12])
@pytest.mark.parametrize("level", [LOUD_DB, None])
def test_a_loop_is_seen_whatever_its_period(period, level):
    loop = speech(5, period)
    frames = speech(6, 20) + [loop[i % period] for i in range(80)]
    at, verdict = run(Watchdog(200), frames, [level] * 100)
    assert verdict.code == "runaway_loop"
    assert 20 + 37 < at <= 20 + 38 + period + 1


def test_a_loop_is_seen_though_its_details_and_some_frames_differ():
    rng = np.random.default_rng(7)
    frames = []
    for i in range(200):
        codes = varied(rng)
        if i % 10:
            codes[:2] = (i % 4, 7)
        frames.append(codes)
    _, verdict = run(Watchdog(300), frames, [LOUD_DB] * 200)
    assert verdict is not None and verdict.code == "runaway_loop"


def test_the_constant_codes_of_an_asked_pause_are_no_loop():
    still = np.zeros(12, np.int16)
    frames = speech(8, 10) + [still] * 70 + speech(9, 10)
    for level in (None, -60.0):
        at, _ = run(Watchdog(100, 5.0), frames, [LOUD_DB] * 10 + [level] * 70 + [LOUD_DB] * 10)
        assert at is None


def test_a_held_vowel_is_no_loop():
    frames = speech(10, 10) + [np.full(12, 3, np.int16)] * 12 + speech(11, 10)
    at, _ = run(Watchdog(40), frames, [LOUD_DB] * 32)
    assert at is None


def test_far_over_the_estimate_ends_it():
    at, verdict = run(Watchdog(20), speech(12, 400), [LOUD_DB] * 400)
    assert verdict.code == "runaway_length" and at == 3 * 20 + 50 + 1


def test_twice_the_estimate_passes():
    at, _ = run(Watchdog(100), speech(13, 200), [LOUD_DB] * 200)
    assert at is None


def test_works_without_levels():
    at, verdict = run(Watchdog(20), speech(14, 400), [None] * 400)
    assert verdict.code == "runaway_length"


def test_an_empty_end_is_early():
    assert Watchdog(5).judge_stop(0) is StopReason.EARLY_END


def test_nothing_but_silence_is_an_early_end():
    dog = Watchdog(10)
    run(dog, speech(15, 10), [QUIET_DB] * 10)
    assert dog.judge_stop(10) is StopReason.EARLY_END


def test_a_stop_far_under_the_estimate_is_early_and_a_fast_speaker_is_not():
    assert Watchdog(100).judge_stop(30) is StopReason.EARLY_END
    assert Watchdog(100).judge_stop(50) is StopReason.STOP


def test_a_pause_left_out_is_no_early_end():
    assert Watchdog(77, 5.0).judge_stop(15) is StopReason.STOP


def test_short_texts_may_be_quick():
    assert Watchdog(15).judge_stop(3) is StopReason.STOP


def test_the_message_says_what_can_be_done():
    seeded, unseeded = ModelCard("a"), ModelCard("b", seed=False)
    for card, remedy in ((seeded, "another seed"), (unseeded, "again")):
        _, verdict = run(Watchdog(1, 0.0, card), speech(16, 100), [LOUD_DB] * 100)
        assert remedy in verdict.message
    assert "seed" not in verdict.message


def test_one_codebook_is_enough():
    dog = Watchdog(100)
    verdicts = [dog.see(np.array([5], np.int16), LOUD_DB) for _ in range(60)]
    assert any(verdict is not None and verdict.code == "runaway_loop" for verdict in verdicts)


def test_needs_no_torch():
    code = "import sys, engine.lm.watchdog; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


levels = st.one_of(st.none(), st.floats(allow_nan=True, allow_infinity=True))


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 100), st.floats(0, 10), st.lists(st.tuples(st.integers(0, 1023), levels), max_size=200))
def test_any_stream_ends_within_its_budget_and_never_raises(estimate, own_pause_s, stream):
    dog = Watchdog(estimate, own_pause_s)
    for code, level in stream:
        dog.see(np.full(12, code, np.int16), level)
    assert dog.judge_stop(0) is StopReason.EARLY_END
    rng = np.random.default_rng(0)
    most = 3 * max(1, estimate) + (4 + own_pause_s) * 12.5 + 2
    made = len(stream)
    while dog.see(varied(rng), LOUD_DB) is None:
        made += 1
        assert made <= most


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(20, 300), st.floats(0.5, 2.0))
def test_varied_speech_of_a_plausible_length_is_never_accused(seed, estimate, share):
    rng = np.random.default_rng(seed)
    dog = Watchdog(estimate)
    frames = max(1, int(estimate * share))
    pause = 0
    for i in range(frames):
        pause = int(rng.integers(1, 28)) if pause == 0 and i > 5 and rng.random() < 0.03 else max(0, pause - 1)
        level = rng.uniform(-80, -60) if pause else rng.uniform(-40, -12)
        assert dog.see(varied(rng), level) is None
    if frames >= EARLY_SHARE * estimate:
        assert dog.judge_stop(frames) is StopReason.STOP
