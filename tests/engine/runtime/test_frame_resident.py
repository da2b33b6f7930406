"""A frame of one row as two launches says what the same frame says kernel by kernel.

Runs on a card, or without one in Triton's interpreter:
`TRITON_INTERPRET=1 python -m pytest tests/engine/runtime/test_frame_resident.py`.
"""

from __future__ import annotations

import importlib.util
import os
from dataclasses import replace

import pytest
import torch

from engine.runtime.devices import cuda_works
from engine.runtime.paged import PAGE_ROWS, PagedCache
from engine.runtime.quantize import quantizer
from engine.runtime.random_weights import FULL_LM, random_lm

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed"),
    pytest.mark.skipif(
        not INTERPRETED and not cuda_works(), reason="there is neither a CUDA device nor the interpreter"
    ),
]

DEVICE = "cpu" if INTERPRETED else "cuda"
BACKBONE = replace(FULL_LM.backbone, vocab=50, hidden=64, intermediate=704, layers=3, heads=4, kv_heads=2, head_dim=32)
CONFIG = replace(
    FULL_LM,
    backbone=BACKBONE,
    local=replace(FULL_LM.local, hidden=64, intermediate=704, heads=2),
    codebook_sizes=(18,) * 3,
    pad_code=18,
    assistant_slot_id=3,
)
POSITION = 70  # more than a tile of keys


def graphs_of(dtype: torch.dtype, tier: str | None, *, resident: bool):
    from engine.runtime.graphs import FrameGraphs

    torch.manual_seed(1)
    model = random_lm(CONFIG, device=DEVICE, dtype=dtype)
    for name, place in model.places():
        if "norm" not in name and "bias" not in name:
            place.mul_(8)
        elif name.endswith("bias"):
            place.normal_(0, 0.1)
    cache = PagedCache(
        CONFIG.backbone, pages=4, rows=2, longest=2 * PAGE_ROWS, device=torch.device(DEVICE), dtype=dtype
    )
    cache.reserve(0, POSITION + 8)
    cache.keys.normal_(0, 1)
    cache.values.normal_(0, 1)
    pdl = DEVICE == "cuda" and torch.cuda.get_device_capability() >= (9, 0)
    quantize = quantizer(tier, model) if tier else None
    graphs = FrameGraphs(model, cache, rows=2, quantize=quantize, pdl=pdl, resident=resident)
    state = graphs.state
    state.live.fill_(1)
    state.position.fill_(POSITION)
    state.seed.fill_(11)
    state.floats.copy_(torch.tensor([0.9, 0.8, 1.1, 0.7, 0.9]))
    state.ints.copy_(torch.tensor([12, 2]))
    start = torch.randn(64, generator=torch.Generator().manual_seed(3)).to(DEVICE)
    x = state.local
    x.residual[0], x.gained[0] = start, start * graphs.local_gain
    x.stats[0], x.stats[x.stride] = start.sum(), start.square().sum()
    return graphs


@torch.inference_mode()
def spoken(graphs, frames: int) -> tuple[list[list[int]], list[torch.Tensor]]:
    codes, hidden = [], []
    for _ in range(frames):
        graphs.step(1)
        codes.append(graphs.state.codes[0].tolist())
        hidden.append(graphs.state.local.residual[0].float().cpu())
    return codes, hidden


@pytest.mark.parametrize(
    ("dtype", "tier"),
    [
        (torch.float32 if INTERPRETED else torch.bfloat16, None),
        (torch.float16, None),
        (torch.float16, "int8"),
    ],
)
def test_two_launches_say_what_many_say(dtype: torch.dtype, tier: str | None) -> None:
    plain, resident = (graphs_of(dtype, tier, resident=wish) for wish in (False, True))
    assert resident._backbone is not None and resident._codes is not None and plain._codes is None
    wanted, found = spoken(plain, 3), spoken(resident, 3)
    within = 1e-4 if dtype == torch.float32 else 2e-2
    for ours, theirs in zip(found[1], wanted[1], strict=True):
        assert (ours - theirs).norm() < within * theirs.norm()
    assert found[0] == wanted[0]
    for name in ("live", "frame", "position", "history", "ring", "ring_at"):
        assert torch.equal(getattr(resident.state, name), getattr(plain.state, name)), name
    new = slice(POSITION, POSITION + 3)
    page = resident.cache.pages_of(0)[0]
    keys, expected = resident.cache.keys[:, page, :, new], plain.cache.keys[:, page, :, new]
    assert (keys - expected).float().norm() < within * expected.float().norm()


def test_a_stop_ends_the_row_in_the_launch_too() -> None:
    dtype = torch.float32 if INTERPRETED else torch.bfloat16
    resident = graphs_of(dtype, None, resident=True)
    resident.heads[0].bias[18:] = torch.tensor([-1e4, 1e4], device=DEVICE)  # the stop head's two
    resident._codes._vectors[7][0, 18:20] = resident.heads[0].bias[18:]
    with torch.inference_mode():
        resident.step(1)
    assert resident.state.live.tolist() == [0, 1] and resident.state.frame.tolist() == [0, 0]
    assert resident.state.position.tolist() == [POSITION, POSITION]


def test_weights_that_do_not_lie_on_16_bytes_go_kernel_by_kernel() -> None:
    from engine.runtime.frame_resident import serves
    from engine.runtime.kernels.ops import Linear

    wide = torch.zeros(8 * 64 + 8, device=DEVICE, dtype=torch.float16)
    aligned = Linear(wide[: 8 * 64].view(8, 64), pdl=False)
    assert serves([aligned, aligned])
    assert not serves([aligned, Linear(wide[4 : 4 + 8 * 64].view(8, 64), pdl=False)])
    assert not serves([aligned, Linear(wide[: 8 * 64].view(8, 64).float(), pdl=False)])
