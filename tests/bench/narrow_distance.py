"""How far narrow weights are from bf16 at full size: divergence of the codebooks' distributions on teacher-forced rows.

`python tests/bench/narrow_distance.py` makes up the full-size model with random weights, runs a made-up voice, text and
frames through it, rounds its weights to a tier and runs them again. Needs 14 GB of memory and minutes on a processor.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from pathlib import Path

import torch

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1] / "helpers")]

from narrow import divergence, round_to, teacher_forced

from engine.bench_cuda import made_up_prompt
from engine.lm.model import SpeechLM
from engine.runtime.quantize import QUANTIZERS
from engine.runtime.random_weights import random_lm


def made_up(device: str, dtype: torch.dtype) -> SpeechLM:
    torch.manual_seed(0)
    return random_lm(device=device, dtype=dtype)


def rows_of(model: SpeechLM, count: int, frames: int) -> torch.Tensor:
    """The last of a made-up prompt, then frames of random codes: int64 `[count, C + 1]`."""
    prompt = made_up_prompt(model, 0)
    generator = torch.Generator().manual_seed(1)
    codes = torch.randint(0, 1024, (frames, model.config.codebooks), generator=generator)
    slot = torch.full((frames, 1), model.config.assistant_slot_id)
    return torch.cat((prompt.prefix, prompt.rest, torch.cat((slot, codes), 1)))[-count:]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rows", type=int, default=64)
    parser.add_argument("--frames", type=int, default=24)
    parser.add_argument("--tiers", nargs="+", choices=tuple(QUANTIZERS), default=list(QUANTIZERS))
    wish = parser.parse_args()
    model = made_up(wish.device, torch.bfloat16)
    rows = rows_of(model, wish.rows, wish.frames)
    books = model.config.codebooks
    exact = teacher_forced(model, rows)[-wish.frames :]
    entropy = -(exact.exp() * exact).sum(-1).mean().item() / books
    print(f"{wish.rows} rows, {wish.frames} of them frames; entropy {entropy:.4f} nats a codebook", flush=True)
    for number, tier in enumerate(wish.tiers):
        if number:
            del model
            gc.collect()
            model = made_up(wish.device, torch.bfloat16)
        began_s = time.monotonic()
        round_to(tier, model)
        found = divergence(exact, teacher_forced(model, rows)[-wish.frames :], books)
        print(f"bf16 to {tier}: {found:.6f} nats a codebook ({time.monotonic() - began_s:.0f} s)", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
