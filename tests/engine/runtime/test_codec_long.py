"""Steps of the codec on kernels, long and short, say what plain steps say, whoever takes the step beside.

Runs on a card, or without one in Triton's interpreter: `TRITON_INTERPRET=1 python -m pytest tests/engine/runtime/test_codec_long.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import torch
from kernel_device import DEVICE, INTERPRETED, on_some_device

from engine.codec import linear
from engine.codec.config import PatchStage, TransformerStage
from engine.codec.layers import LayerWeights, Stack, StageWeights, band, frequencies, turns_of
from engine.codec.linear import Linear
from engine.runtime import memory
from engine.runtime.codec_tiles import LongTiles, Tile

pytestmark = on_some_device
MOST_FRAMES = 7


def stage_config(
    index: int, inputs: int, outputs: int, width: int, layers: int, context: int, per_frame: int
) -> TransformerStage:
    return TransformerStage(index, inputs, outputs, width, width // 32, layers, 4 * width, 1e4, context, per_frame)


# Widths that tiles do not divide; windows shorter and longer than a step, both of which wrap around their rings.
STAGES = (stage_config(0, 40, 96, 96, 2, 11, 3), PatchStage(2), stage_config(2, 48, 16, 64, 1, 50, 6))


@pytest.fixture
def stack(monkeypatch: pytest.MonkeyPatch) -> Stack:
    monkeypatch.setattr(linear, "_can_block", lambda weight: False)  # kernels read plain weights
    generator = torch.Generator().manual_seed(5)

    def random(*shape: int) -> torch.Tensor:
        return (torch.randn(*shape, generator=generator) * shape[-1] ** -0.5).to(DEVICE)

    def norm(width: int) -> tuple[torch.Tensor, torch.Tensor]:
        return 1 + random(width), random(width)

    stages: list[StageWeights | PatchStage] = []
    for config in STAGES:
        if isinstance(config, PatchStage):
            stages.append(config)
            continue
        width, hidden = config.width, config.hidden
        layers = [
            LayerWeights(
                norm(width), Linear(random(3 * width, width)), Linear(random(width, width)),
                norm(width), Linear(random(hidden, width)), Linear(random(width, hidden)),
            )
            for _ in range(config.layers)
        ]  # fmt: skip
        radians = frequencies(config, DEVICE)
        stages.append(
            StageWeights(
                config,
                Linear(random(width, config.inputs)),
                Linear(random(config.outputs, width)),
                layers,
                radians,
                turns_of(radians, 30),
                band(config.context, DEVICE),
            )  # fmt: skip
        )
    return Stack(stages, DEVICE, torch.float32)


def on_kernels(stack: Stack, *, resident: bool = False) -> Any:
    from engine.runtime.codec_stack import KernelStack

    pdl = not INTERPRETED and torch.cuda.get_device_capability() >= (9, 0)
    return KernelStack(stack, pdl=pdl, resident=resident)


def signals(*lengths: int) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(8)
    return [
        torch.randn(1, length * STAGES[0].tokens_per_frame, 40, generator=generator).to(DEVICE) for length in lengths
    ]


def run(stack: Any, signal: torch.Tensor, steps: tuple[int, ...], *, rows: int = 1) -> torch.Tensor:
    """One stream, alone in the last row."""
    state = stack.new_state(rows) if isinstance(stack, Stack) else stack.new_state(rows, MOST_FRAMES)
    made, at = [], 0
    row = torch.tensor([rows - 1], device=DEVICE)
    for frames in steps:
        piece = signal[:, at * 3 : (at + frames) * 3]
        made.append(stack.step(piece, frames, state, row).clone())
        at += frames
    return torch.cat(made, 1)


def noise(heard: torch.Tensor, expected: torch.Tensor) -> float:
    return float((heard - expected).square().sum() / expected.square().sum())


# On a card float32 always takes five launches a layer: one launch of all of them would compile for minutes.
WHOLE = pytest.mark.skipif(not INTERPRETED, reason="a card takes such launches in 16 bits alone")


@torch.inference_mode()
@pytest.mark.parametrize(
    ("resident", "steps"),
    [(False, (5, 1, 7, 7, 3)), (False, (7, 7, 2, 7)), pytest.param(True, (5, 1, 7, 7, 3), marks=WHOLE)],
    ids=["five launches a layer", "another split", "one launch a stage"],
)
def test_steps_say_what_one_plain_step_says(stack: Stack, resident: bool, steps: tuple[int, ...]) -> None:
    (signal,) = signals(23)
    expected = run(stack, signal, (23,))
    assert noise(run(on_kernels(stack, resident=resident), signal, steps, rows=2), expected) < 1e-10


def parted() -> LongTiles:
    """More parts than a short row of K or a young window has tiles; the largest of tiles beside the smallest."""
    return LongTiles(
        Tile(32, 32, 16, 2, 2, 4), Tile(32, 64, 32, 1, 2, 4), Tile(16, 64, 32, 2, 2, 4), Tile(64, 128, 64, 1, 2, 4), Tile(32, 64, 64, 5, 2, 4), Tile(32, 32, 64, 1, 2, 4),
        16, 32, 3, 2, 4,
    )  # fmt: skip


@torch.inference_mode()
@pytest.mark.parametrize("tiles", [None, parted()], ids=["usual", "parted"])
def test_company_changes_no_bit_of_a_long_step(
    stack: Stack, tiles: LongTiles | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.runtime import codec_long

    if tiles is not None:
        monkeypatch.setattr(codec_long, "long_tiles", lambda *_: tiles)
    first, second, third = signals(6, 13, 6)
    expected = run(stack, second, (13,))
    kernels = on_kernels(stack)
    alone = run(kernels, second, (7, 3, 3))
    assert noise(alone, expected) < 1e-10
    for room in (None, 40_000):  # all at once; a stream or two at a time
        if room is not None:
            monkeypatch.setattr(codec_long, "MOST_SPLIT_VALUES", room)
        state = kernels.new_state(4, MOST_FRAMES)
        rows: Mapping[str, torch.Tensor] = {
            name: torch.tensor(each, device=DEVICE, dtype=torch.int32)
            for name, each in (("one", [2]), ("all", [3, 2, 0]))
        }
        together = [kernels.step(second[:, :21], 7, state, rows["one"]).clone()]
        for at in (0, 3):
            beside = [each[:, 3 * at : 3 * (at + 3)] for each in (first, second[:, 21:], third)]
            together.append(kernels.step(torch.cat(beside), 3, state, rows["all"])[1:2].clone())
        assert torch.equal(torch.cat(together, 1), alone)
        assert state.frames.tolist() == [6, 0, 13, 6]


@torch.inference_mode()
def test_what_kernels_hold_is_counted_to_the_byte(stack: Stack) -> None:
    kernels = on_kernels(stack)
    assert memory.codec_side(STAGES, 4) == tensor_bytes(kernels._stages)
    state = kernels.new_state(3, MOST_FRAMES)
    assert memory.stream_state(STAGES, 3, MOST_FRAMES, 4) == tensor_bytes(state)


def tensor_bytes(value: object) -> int:
    """Of all distinct memory that tensors in attributes and collections point to, work that streams share left out."""
    from engine.runtime.kernels.ops import SplitWork

    found: dict[int, int] = {}
    seen: set[int] = set()

    def look(each: object) -> None:
        if id(each) in seen or isinstance(each, SplitWork):
            return
        seen.add(id(each))
        if isinstance(each, torch.Tensor):
            found[each.untyped_storage().data_ptr()] = each.untyped_storage().nbytes()
        elif isinstance(each, dict):
            for inner in each.values():
                look(inner)
        elif isinstance(each, list | tuple):
            for inner in each:
                look(inner)
        elif hasattr(each, "__dict__"):
            look(vars(each))

    look(value)
    return sum(found.values())
