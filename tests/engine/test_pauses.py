"""The pauses that a model makes itself are listened for, and a miss is told."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_backend import ScriptedBackend

from engine import FRAME_SAMPLES, Engine, SpeechRequest, StopReason
from engine.pauses import PauseCheck


class PausingBackend(ScriptedBackend):
    """Words are frames of noise; after the first word of a text it falls silent for `silent_frames`."""

    silent_frames = 0

    def verdict(self, request: SpeechRequest, frame: int) -> StopReason | Exception | None:
        return StopReason.STOP if frame == 10 + self.silent_frames else None

    def sound(self, request: SpeechRequest, frame: int) -> np.ndarray:
        level = 0.0 if 5 <= frame < 5 + self.silent_frames else 0.1
        return np.random.default_rng(frame).normal(0.0, level, (FRAME_SAMPLES, 2))


def warnings_of(text: str, own_pause_s: float, silent_frames: int) -> list[str]:
    backend = PausingBackend()
    backend.silent_frames = silent_frames
    engine = Engine(backend)
    engine.start()
    try:
        result = engine.submit(SpeechRequest(text, own_pause_s=own_pause_s, estimate_frames=20)).result(10)
        assert result.complete
        return [f"{warning.code}: {warning.message}" for warning in result.warnings]
    finally:
        engine.close()


def test_a_pause_that_the_model_made_is_not_talked_about() -> None:
    assert warnings_of("One. [pause 1.5s] Two.", 1.5, silent_frames=20) == []


@pytest.mark.parametrize(("silent_frames", "made"), [(0, "0.0"), (5, "0.4"), (40, "3.2")])
def test_a_pause_that_was_left_out_or_came_out_much_longer_is_told(silent_frames: int, made: str) -> None:
    told = warnings_of("One. [pause 1.5s] Two.", 1.5, silent_frames)
    assert len(told) == 1 and told[0].startswith("pauses_missed: ")
    assert "1.5 s" in told[0] and f"{made} s" in told[0]


def test_what_is_said_about_pauses_is_of_those_that_the_model_makes() -> None:
    assert warnings_of("One. Two.", 0.0, silent_frames=20) == []


def speech(*silences_s: float) -> np.ndarray:
    sound = np.random.default_rng(1).normal(0.0, 0.1, (24_000, 2)).astype(np.float32)
    parts = [sound]
    for silence_s in silences_s:
        parts += [np.zeros((round(silence_s * 48_000), 2), np.float32), sound]
    return np.concatenate(parts)


def test_two_pauses_are_added_up_and_silence_around_the_speech_does_not_count() -> None:
    edge = np.zeros((96_000, 2), np.float32)
    check = PauseCheck("a [pause 3.0s] b [pause 3.0s] c")
    check.feed(np.concatenate((edge, speech(3.2, 1.6), edge)))
    assert check.warning() is not None
    check = PauseCheck("a [pause 3.0s] b [pause 3.0s] c")
    check.feed(np.concatenate((edge, speech(3.2, 0.3, 3.2), edge)))
    assert check.warning() is None


@given(st.lists(st.integers(1, 20_000), max_size=8))
def test_any_split_hears_the_same(cuts: list[int]) -> None:
    samples = speech(0.8)
    whole, parts = PauseCheck("a [pause 3.0s] b"), PauseCheck("a [pause 3.0s] b")
    whole.feed(samples)
    for part in np.split(samples, np.cumsum(cuts)[np.cumsum(cuts) < len(samples)]):
        parts.feed(part)
    assert whole.warning() == parts.warning() is not None
