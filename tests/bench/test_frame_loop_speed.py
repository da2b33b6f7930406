"""Prints how long the language model takes for the starter: `pytest tests/bench/test_frame_loop_speed.py -s`."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

from engine.lm.generate import FrameLoop
from engine.lm.model import load_lm
from engine.lm.prompt import Message, Prompt, PromptBuilder
from engine.lm.tokenizer import Tokenizer
from engine.requests import FRAME_S, Sampling, SamplingOptions

STARTER = Path(__file__).parents[2] / "resources" / "starter" / "model"
TEXT = "Good morning. Please sit down, and tell me everything about it."
SAMPLING = Sampling(SamplingOptions(0.6, 0.9, 30, 1.0), SamplingOptions(1.0))
FRAMES = 20


@pytest.fixture(params=[1, 2], ids=["1 thread", "2 threads"])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


def times_ms(function: Callable[[], object], count: int) -> list[float]:
    """Duration of each of `count` calls."""
    taken = []
    for _ in range(count):
        start = time.perf_counter()
        function()
        taken.append((time.perf_counter() - start) * 1000)
    return taken


def frame_times_ms(loop: FrameLoop, prompt: Prompt) -> list[float]:
    """Time of each step while every row of the bucket speaks."""
    rows = [loop.admit(prompt, sampling=SAMPLING, seed=row, max_frames=FRAMES) for row in range(loop.rows)]
    taken = []
    while True:
        start = time.perf_counter()
        frames = loop.step()
        if len(frames) < loop.rows:
            break
        taken.append((time.perf_counter() - start) * 1000)
    for row in rows:
        loop.release(row)
    return taken


@pytest.mark.bench
def test_frame_loop_speed(threads: int) -> None:
    loading_s = times_ms(lambda: load_lm(STARTER), 1)[0] / 1000
    model = load_lm(STARTER)
    prompt = PromptBuilder(model.config, Tokenizer(STARTER)).build(Message(TEXT, language="English"))
    print(f"\n{threads} thread(s): load {loading_s:.2f} s")
    for compiled in (True, False):
        for rows in (1, 4):
            start = time.perf_counter()
            loop = FrameLoop(model, rows=rows, compiled=compiled)
            setup_s = time.perf_counter() - start
            frames = [taken for _ in range(3 if compiled else 1) for taken in frame_times_ms(loop, prompt)]
            median, best = statistics.median(frames), min(frames)
            print(
                f"  {'compiled' if compiled else 'torch':8} {rows} row(s): set up {setup_s:.2f} s, "
                f"step {median:.1f} ms (best {best:.1f}), RTF {median / rows / FRAME_S / 1000:.3f}"
            )
            assert frames

    def admit_and_release() -> None:
        loop.release(loop.admit(prompt, sampling=SAMPLING, seed=0, max_frames=1))

    warm = times_ms(admit_and_release, 7)
    median, best = statistics.median(warm), min(warm)
    print(f"  prefill of {len(prompt.rest)} rows after a kept prefix: {median:.0f} ms (best {best:.0f})")
