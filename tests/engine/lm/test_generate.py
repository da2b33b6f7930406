"""Rows of a bucket start, finish and are refilled without touching each other; a seed always gives the same frames."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.lm.cache import PrefixStore
from engine.lm.generate import FrameLoop
from engine.lm.model import SpeechLM, load_lm
from engine.lm.prompt import Message, Prompt, PromptBuilder
from engine.lm.tokenizer import Tokenizer
from engine.requests import Sampling, SamplingOptions

SAMPLED = Sampling(SamplingOptions(0.9, 0.9, 15, 1.1), SamplingOptions(1.0))
GREEDY = Sampling(SamplingOptions(0.0), SamplingOptions(0.0))


@pytest.fixture
def folder(write_checkpoint: Callable[..., Path]) -> Path:
    return write_checkpoint(dtype=torch.float16)


@pytest.fixture
def model(folder: Path) -> SpeechLM:
    """It rarely stops, so that rows live long enough to be watched."""
    model = load_lm(folder)
    model.stop_head[1] = model.stop_head[0] * 0.2
    return model


@pytest.fixture(params=[True, False], ids=["compiled", "torch"])
def compiled(request: pytest.FixtureRequest) -> bool:
    return request.param


@pytest.fixture
def prompts(folder: Path, model: SpeechLM) -> list[Prompt]:
    builder = PromptBuilder(model.config, Tokenizer(folder))
    voice = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]], np.int16)
    return [
        builder.build(Message("A first text.")),
        builder.build(Message("Quite another one, and longer at that.", language="English")),
        builder.build(Message("In a voice.", (voice,))),
        builder.build(Message("Short.", (voice[:1],), tokens=9)),
        builder.build(Message("The last of them.", continue_from=voice)),
    ]


def run(loop: FrameLoop, row: int) -> np.ndarray:
    """All frames of one row, alone."""
    frames = []
    while True:
        (frame,) = [each for each in loop.step() if each.row == row]
        frames += [frame.codes] if frame.codes is not None else []
        if frame.finished:
            loop.release(row)
            return np.array(frames).reshape(-1, loop.model.config.codebooks)


def alone(model: SpeechLM, prompt: Prompt, seed: int, frames: int, compiled: bool, rows: int = 1) -> np.ndarray:
    loop = FrameLoop(model, rows=rows, compiled=compiled)
    return run(loop, loop.admit(prompt, sampling=SAMPLED, seed=seed, max_frames=frames))


def test_rows_started_and_refilled_at_any_time_equal_each_alone(
    model: SpeechLM, prompts: list[Prompt], compiled: bool
) -> None:
    rows = 3
    waiting = [(index % len(prompts), 100 + index, 5 + 7 * (index % 4)) for index in range(9)]
    expected = [alone(model, prompts[p], seed, frames, compiled, rows) for p, seed, frames in waiting]
    loop = FrameLoop(model, rows=rows, compiled=compiled)
    working: dict[int, int] = {}
    got: list[list[np.ndarray]] = [[] for _ in waiting]
    coming = list(range(len(waiting)))
    steps = 0
    while working or coming:
        if coming and loop.free_rows and steps % 3 == 0:  # not all at once: rows are at different frames
            index = coming.pop(0)
            p, seed, frames = waiting[index]
            working[loop.admit(prompts[p], sampling=SAMPLED, seed=seed, max_frames=frames)] = index
        for frame in loop.step():
            if frame.codes is not None:
                got[working[frame.row]].append(frame.codes)
            if frame.finished:
                loop.release(frame.row)
                del working[frame.row]
        steps += 1
    for index in range(len(waiting)):
        assert np.array_equal(np.array(got[index]).reshape(-1, 3), expected[index]), index


def test_mixed_settings_in_a_bucket_equal_each_alone(model: SpeechLM, prompts: list[Prompt], compiled: bool) -> None:
    settings = [GREEDY, SAMPLED, Sampling(SamplingOptions(0.7, 1.0, 0, 1.0), SamplingOptions(1.0))]
    expected = []
    for prompt, sampling in zip(prompts, settings):
        loop = FrameLoop(model, rows=3, compiled=compiled)
        expected.append(run(loop, loop.admit(prompt, sampling=sampling, seed=4, max_frames=12)))
    loop = FrameLoop(model, rows=3, compiled=compiled)
    for prompt, sampling in zip(prompts, settings):
        loop.admit(prompt, sampling=sampling, seed=4, max_frames=12)
    got: list[list[np.ndarray]] = [[], [], []]
    while frames := loop.step():
        for frame in frames:
            got[frame.row] += [frame.codes] if frame.codes is not None else []
    for row in range(3):
        assert np.array_equal(np.array(got[row]).reshape(-1, 3), expected[row]), row


def test_the_same_seed_gives_the_same_frames_and_another_one_others(
    model: SpeechLM, prompts: list[Prompt], compiled: bool
) -> None:
    first, again, other = (alone(model, prompts[0], seed, 30, compiled) for seed in (2**63 - 1, 2**63 - 1, 5))
    assert np.array_equal(first, again) and not np.array_equal(first, other)


def test_a_kept_prefix_changes_no_bit(model: SpeechLM, prompts: list[Prompt], compiled: bool) -> None:
    prefixes = PrefixStore()
    cold, warm = (FrameLoop(model, prefixes=prefixes, compiled=compiled) for _ in range(2))
    results = []
    for loop in (cold, warm):
        row = loop.admit(prompts[2], sampling=SAMPLED, seed=1, max_frames=15)
        results.append((loop._state.hidden.clone(), run(loop, row)))
    assert torch.equal(results[0][0], results[1][0]) and np.array_equal(results[0][1], results[1][1])
    assert prefixes.find(prompts[2].prefix) is not None and prefixes.find(prompts[3].prefix) is None


def test_kept_prefixes_stay_within_their_limit() -> None:
    store = PrefixStore(limit_bytes=3 * 4 * 100)
    rows = [torch.full((2, 4), n) for n in range(5)]
    for each in rows:
        store.keep(each, torch.zeros(100))
    assert [store.find(each) is not None for each in rows] == [False, False, True, True, True]
    store.keep(rows[0], torch.zeros(10_000))
    assert store.find(rows[0]) is None and store.find(rows[4]) is not None


def test_a_stop_comes_without_a_frame_and_ends_the_row(folder: Path, prompts: list[Prompt], compiled: bool) -> None:
    model = load_lm(folder)
    model.local.ln_f[0], model.local.ln_f[1] = 0, 1  # y is all ones, whatever comes in
    model.stop_head[0], model.stop_head[1] = 0, 1
    loop = FrameLoop(model, rows=2, compiled=compiled)
    row = loop.admit(prompts[0], sampling=GREEDY, seed=0, max_frames=5)
    (frame,) = loop.step()
    assert (frame.row, frame.codes, frame.stopped, frame.finished) == (row, None, True, True)
    assert loop.step() == [] and loop.free_rows == 1
    loop.release(row)
    assert loop.free_rows == 2


def test_a_budget_ends_the_row_with_its_last_frame(model: SpeechLM, prompts: list[Prompt], compiled: bool) -> None:
    model.stop_head.zero_()
    loop = FrameLoop(model, compiled=compiled)
    loop.admit(prompts[0], sampling=GREEDY, seed=0, max_frames=2)
    first, last = loop.step() + loop.step()
    assert (first.finished, last.finished, last.stopped) == (False, True, False)
    assert last.codes.dtype == np.int16 and last.codes.shape == (3,)
    assert loop.step() == []


def test_a_row_released_in_the_middle_can_be_taken_again(
    model: SpeechLM, prompts: list[Prompt], compiled: bool
) -> None:
    loop = FrameLoop(model, compiled=compiled)
    row = loop.admit(prompts[1], sampling=SAMPLED, seed=8, max_frames=40)
    for _ in range(7):
        loop.step()
    loop.release(row)
    again = run(loop, loop.admit(prompts[0], sampling=SAMPLED, seed=8, max_frames=20))
    assert np.array_equal(again, alone(model, prompts[0], 8, 20, compiled))


def test_a_full_bucket_and_values_out_of_range_are_refused(model: SpeechLM, prompts: list[Prompt]) -> None:
    loop = FrameLoop(model)
    for bad in ({"seed": -1}, {"seed": 2**63}, {"max_frames": 0}, {"max_frames": 7501}):
        with pytest.raises(ValueError, match="seed|max_frames"):
            loop.admit(prompts[0], **{"sampling": GREEDY, "seed": 0, "max_frames": 5, **bad})
    assert loop.free_rows == 1
    loop.admit(prompts[0], sampling=GREEDY, seed=0, max_frames=5)
    with pytest.raises(RuntimeError, match="no row is free"):
        loop.admit(prompts[0], sampling=GREEDY, seed=0, max_frames=5)


def test_ten_minutes_in_one_request(model: SpeechLM, prompts: list[Prompt]) -> None:
    model.stop_head.zero_()
    loop = FrameLoop(model)
    loop.admit(prompts[0], sampling=GREEDY, seed=0, max_frames=7500)
    count = 0
    while True:
        (frame,) = loop.step()
        count += 1
        if frame.finished:
            break
    assert count == 7500 and loop._state.cache.capacity >= 7500


def test_growing_the_cache_changes_nothing(model: SpeechLM, prompts: list[Prompt], compiled: bool) -> None:
    roomy = FrameLoop(model, compiled=compiled)
    roomy._state.cache.reserve(2048)
    growing = FrameLoop(model, compiled=compiled)
    results = [run(loop, loop.admit(prompts[1], sampling=SAMPLED, seed=3, max_frames=300)) for loop in (roomy, growing)]
    assert np.array_equal(*results) and growing._state.cache.capacity < 2048


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_narrow_model_speaks_and_repeats_itself(folder: Path, prompts: list[Prompt], dtype: torch.dtype) -> None:
    model = load_lm(folder, dtype=dtype)
    first, again = (alone(model, prompts[2], 3, 25, True) for _ in range(2))
    assert np.array_equal(first, again) and (first < np.array([20, 16, 12])).all()
