"""Mixed requests with cancels, in slices that any scheduler allows: nothing fails, device memory stays flat to 1 %.

`python tests/bench/soak_cuda.py --minutes 9 --state soak.json` is a slice; the next one goes on from the file and
compares with the first. `--request-minutes 10` speaks one request of that length instead. Without `--model` the
full-size model with random weights speaks. Needs torch, numpy, triton, tokenizers and safetensors alone.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from engine.requests import FRAME_S

WARM_S = 45.0  # kernels of rarer shapes are still compiled until then
MOST_GROWTH = 0.01


class Mixed:
    """Requests of every kind against a frame loop and its streams, as the engine's thread drives them."""

    def __init__(self, loop, streams, prompt: Callable[[int], object], sampling, seed: int) -> None:
        self.loop, self.streams, self.prompt, self.sampling = loop, streams, prompt, sampling
        self.random = random.Random(seed)
        self.codes: dict[int, list[np.ndarray]] = {}
        self.slots: dict[int, int] = {}
        self.chunk: dict[int, int] = {}
        self.cancel_at: dict[int, int] = {}
        self.spoken: dict[int, int] = {}
        self.counts = {"requests": 0, "cancelled": 0, "frames": 0, "failed": 0}

    def step(self) -> None:
        if self.loop.free_rows and (not self.codes or self.random.random() < 0.2):
            self._start()
        for frame in self.loop.step():
            row = frame.row
            if row in self.loop.errors:
                self.counts["failed"] += 1
                self._end(row)
                continue
            if frame.codes is not None:
                self.codes[row].append(frame.codes)
                self.spoken[row] += 1
                self.counts["frames"] += 1
            if len(self.codes[row]) >= self.chunk[row] or (frame.finished and self.codes[row]):
                samples = self.streams.step({self.slots[row]: np.stack(self.codes[row])})[self.slots[row]]
                assert np.isfinite(samples).all(), "samples are not finite"
                self.codes[row] = []
            if frame.finished:
                self._end(row)
            elif self.spoken[row] >= self.cancel_at[row]:
                self.counts["cancelled"] += 1
                self._end(row)

    def _start(self) -> None:
        number = self.random.randrange(200)
        frames = self.random.choice((5, 60, 125, 400, 1500))
        row = self.loop.admit(self.prompt(number), sampling=self.sampling, seed=number, max_frames=frames)
        self.counts["requests"] += 1
        self.codes[row], self.spoken[row], self.slots[row] = [], 0, self.streams.open()
        self.chunk[row] = self.random.choice((1, 2, 3, 4, 6, 8, 25))
        self.cancel_at[row] = self.random.randrange(1, frames + 1) if self.random.random() < 0.3 else frames + 1

    def _end(self, row: int) -> None:
        self.loop.release(row)
        self.streams.close(self.slots.pop(row))
        del self.codes[row]


def one_request(loop, streams, prompt: Callable[[int], object], sampling, minutes: float) -> dict[str, float]:
    """A single request of so many minutes of speech, decoded eight frames at a time; memory after its first frames and
    at its most, in GB."""
    frames = round(minutes * 60 / FRAME_S)
    started_s = time.monotonic()
    row, slot = loop.admit(prompt(0), sampling=sampling, seed=1, max_frames=frames), streams.open()
    spoken, waiting, memory = 0, [], []
    finished = False
    while not finished:
        for frame in loop.step():
            waiting.append(frame.codes)
            spoken += 1
            finished = frame.finished
        if len(waiting) >= 8 or finished:
            samples = streams.step({slot: np.stack(waiting)})[slot]
            assert np.isfinite(samples).all(), "samples are not finite"
            waiting = []
            if spoken >= min(100, frames):
                memory.append(used_gb())
    loop.release(row)
    streams.close(slot)
    spent_s = time.monotonic() - started_s
    found = {"frames": spoken, "seconds": spent_s, "first_gb": memory[0], "last_gb": memory[-1], "most_gb": max(memory)}
    assert spoken == frames, f"{spoken} frames instead of {frames}"
    return found


def used_gb() -> float:
    import torch

    free, total = torch.cuda.mem_get_info()
    return (total - free) / 2**30


def full_random(rows: int):
    """Loop, streams, prompts and sampling of the full-size model with random weights, which never stops by itself."""
    import torch

    from engine import bench_cuda
    from engine.runtime.cuda import kernel_streams
    from engine.runtime.random_weights import random_codec, random_lm

    device = torch.device("cuda")
    pdl = torch.cuda.get_device_capability() >= (9, 0)
    model = random_lm(device=device, dtype=torch.bfloat16)
    loop, _ = bench_cuda.make_loop(model, rows=rows, pages=36 + 8 * rows, pdl=pdl)
    streams = kernel_streams(random_codec(device=device, dtype=torch.bfloat16, encoder=False), rows)
    streams.capture()
    return loop, streams, lambda number: bench_cuda.made_up_prompt(model, number), bench_cuda.SAMPLING


def installed(folder: Path, rows: int):
    """The same of a model's folder, which stops by itself."""
    from engine.layout import find_layout
    from engine.lm.prompt import Message
    from engine.runtime.devices import choose_device
    from engine.runtime.factory import make_runtime

    layout = find_layout(folder)
    runtime = make_runtime(layout, choose_device("cuda"), rows=rows, progress=lambda progress: None)
    words = "the train leaves at noon and it rained all night so we still have some time".split()

    def prompt(number: int):
        chosen = random.Random(number).choices(words, k=3 + number % 20)
        return runtime.prompts.build(Message(" ".join(chosen).capitalize() + ".", language="English"))

    return runtime.loop, runtime.streams, prompt, layout.card.sampling


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=8.0)
    parser.add_argument("--request-minutes", type=float, help="one request of so many minutes of speech instead")
    parser.add_argument("--rows", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0, help="of slices that run side by side")
    parser.add_argument("--warm-seconds", type=float, default=WARM_S, help="until memory is held to be settled")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--state", type=Path, help="what earlier slices found; this one is added")
    wish = parser.parse_args()
    if wish.model and wish.request_minutes:
        parser.error("--request-minutes needs weights that never stop by themselves: leave --model out")
    import torch

    started_s = time.monotonic()
    loop, streams, prompt, sampling = installed(wish.model, wish.rows) if wish.model else full_random(wish.rows)
    if wish.request_minutes:
        found = one_request(loop, streams, prompt, sampling, wish.request_minutes)
        growth = found["most_gb"] / found["first_gb"] - 1
        print(f"{json.dumps(found)}\nmemory grew by {100 * growth:.2f} %")
        return 0 if growth <= MOST_GROWTH else 1
    slices = json.loads(wish.state.read_text()) if wish.state and wish.state.exists() else []
    mixed = Mixed(loop, streams, prompt, sampling, seed=1000 * wish.seed + len(slices))
    memory: list[tuple[float, float, float]] = []
    looked_s = 0.0
    begun_s = time.monotonic()
    while time.monotonic() - started_s < 60 * wish.minutes:
        mixed.step()
        now_s = time.monotonic() - begun_s
        if now_s - looked_s >= 5:
            looked_s = now_s
            memory.append((now_s, used_gb(), torch.cuda.memory_allocated() / 2**30))
            used, allocated = memory[-1][1:]
            print(f"{now_s:6.0f} s  {used:.3f} GB in use, {allocated:.3f} allocated  {mixed.counts}", flush=True)
    settled = [used for at_s, used, _ in memory if at_s >= wish.warm_seconds] or [used for _, used, _ in memory]
    found = {**mixed.counts, "first_gb": settled[0], "last_gb": settled[-1], "most_gb": max(settled)}
    slices.append(found)
    if wish.state:
        wish.state.write_text(json.dumps(slices, indent=1))
    growth = max(found["most_gb"] / slices[0]["first_gb"], found["most_gb"] / found["first_gb"]) - 1
    print(f"{json.dumps(found)}\nmemory grew by {100 * growth:.2f} %")
    return 0 if growth <= MOST_GROWTH and not found["failed"] else 1


if __name__ == "__main__":
    sys.exit(main())
