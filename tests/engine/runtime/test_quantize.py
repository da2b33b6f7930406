"""int8 weights: nothing is clipped, every row has its own scale, and a narrow load gives the same as a wide one."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from engine.lm.model import load_lm
from engine.runtime.narrow import load_narrow_lm
from engine.runtime.quantize import int8_rows

STARTER = Path(__file__).parents[3] / "resources" / "starter" / "model"


def test_each_row_is_off_by_at_most_half_a_step() -> None:
    weight = torch.randn(50, 300, generator=torch.Generator().manual_seed(1)) * torch.logspace(-4, 2, 50)[:, None]
    stored, scale = int8_rows(weight)
    assert stored.dtype == torch.int8 and scale.shape == (50,)
    assert ((stored.float() * scale[:, None] - weight).abs() <= 0.5001 * scale[:, None]).all()
    assert (stored.abs().amax(dim=1) == 127).all()


def test_a_row_of_zeros_stays_zero() -> None:
    stored, scale = int8_rows(torch.zeros(2, 8))
    assert not stored.any() and torch.isfinite(scale).all() and (scale > 0).all()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_narrow_types_are_quantized_in_float32(dtype: torch.dtype) -> None:
    weight = torch.randn(4, 64, generator=torch.Generator().manual_seed(2)).to(dtype)
    stored, scale = int8_rows(weight)
    wide, wide_scale = int8_rows(weight.float())
    assert torch.equal(stored, wide) and torch.equal(scale, wide_scale)


def test_a_model_loaded_narrow_has_the_weights_of_one_quantized_afterwards() -> None:
    wide = load_lm(STARTER, dtype=torch.bfloat16)
    seen: list[float] = []
    narrow = load_narrow_lm(STARTER, device="cpu", dtype=torch.bfloat16, progress=seen.append)
    assert seen == sorted(seen) and seen[-1] == 1.0 and narrow.hashes == wide.hashes
    pairs = [
        (getattr(ours, name), getattr(theirs, name))
        for ours, theirs in zip(narrow.backbone.layers, wide.backbone.layers, strict=True)
        for name in ("qkv", "out", "gate_up", "down")
    ]
    pairs += [(getattr(narrow.local, name), getattr(wide.local, name)) for name in ("qkv", "out", "fc_in", "fc_out")]
    for ours, theirs in pairs:
        stored, scale = narrow.narrowed(ours)
        expected, expected_scale = int8_rows(theirs)
        assert scale is not None and torch.equal(stored, expected) and torch.equal(scale, expected_scale)
    for name in ("ln_1", "ln_f", "qkv_bias", "fc_out_bias"):
        assert torch.equal(getattr(narrow.local, name), getattr(wide.local, name))
    assert torch.equal(narrow.backbone.norm, wide.backbone.norm) and torch.equal(narrow.stop_head, wide.stop_head)
    assert torch.equal(narrow.backbone.layers[0].q_norm, wide.backbone.layers[0].q_norm)


def test_prompts_are_embedded_alike() -> None:
    wide = load_lm(STARTER, dtype=torch.bfloat16)
    narrow = load_narrow_lm(STARTER, device="cpu", dtype=torch.bfloat16)
    config = wide.config
    rows = torch.randint(0, 300, (20, config.codebooks + 1), generator=torch.Generator().manual_seed(3))
    rows[5:, 1:] = config.pad_code
    assert torch.equal(narrow.embed(rows), wide.embed(rows))
    slot = config.assistant_slot_id
    assert torch.equal(narrow.backbone.embed_tokens[slot], wide.backbone.embed_tokens[slot])
