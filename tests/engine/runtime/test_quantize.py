"""Narrow weights: how far they are from wide ones, and that a narrow load gives the same as quantizing afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from engine.lm.model import load_lm
from engine.runtime.narrow import load_narrow_lm
from engine.runtime.quantize import QUANTIZERS, fp8_rows, int4_groups, int8_rows, quantizer, widen

STARTER = Path(__file__).parents[3] / "resources" / "starter" / "model"


def random_rows(rows: int, columns: int) -> torch.Tensor:
    """Normal values, of another size in every row."""
    sizes = torch.logspace(-4, 2, rows)[:, None]
    return torch.randn(rows, columns, generator=torch.Generator().manual_seed(1)) * sizes


def test_each_row_is_off_by_at_most_half_a_step() -> None:
    weight = random_rows(50, 300)
    stored, scale = int8_rows(weight)
    assert stored.dtype == torch.int8 and scale.shape == (50,)
    assert ((stored.float() * scale[:, None] - weight).abs() <= 0.5001 * scale[:, None]).all()
    assert (stored.abs().amax(dim=1) == 127).all()


def test_a_row_of_zeros_stays_zero() -> None:
    stored, scale = int8_rows(torch.zeros(2, 8))
    assert not stored.any() and torch.isfinite(scale).all() and (scale > 0).all()


def test_fp8_is_off_by_at_most_a_sixteenth_of_each_value() -> None:
    weight = random_rows(50, 300)
    stored, scale = fp8_rows(weight)
    assert stored.dtype == torch.float8_e4m3fn and scale.shape == (50,)
    assert torch.isfinite(stored.float()).all() and (stored.float().abs().amax(dim=1) == 448).all()
    # Below the smallest normal number steps are even: 2^-9.
    allowed = torch.maximum(weight.abs() / 16, scale[:, None] * 2**-10)
    assert ((widen(stored, scale) - weight).abs() <= 1.0001 * allowed).all()


def test_int4_is_off_by_at_most_half_a_step_or_what_a_shorter_range_saves() -> None:
    weight = random_rows(50, 384)
    stored, scale = int4_groups(weight)
    assert stored.dtype == torch.uint8 and stored.shape == (50, 192) and scale.shape == (50, 6)
    error = (widen(stored, scale) - weight).square().view(50, 3, -1).sum(-1)
    # As if every group of a run of 128 columns had a whole range of its largest: seven steps to one side, rounding evenly spread.
    plain = weight.view(50, 3, -1).abs().amax(-1) / 7
    assert (error <= 128 * plain.square() / 12 * 1.3).all()


def test_int4_keeps_the_columns_and_groups_that_products_read() -> None:
    weight = torch.zeros(1, 256)
    weight[0, [0, 4, 127, 255]] = torch.tensor([7.0, -80.0, -10.0, 5.0])
    stored, scale = int4_groups(weight)
    wide = widen(stored, scale)[0]
    assert torch.allclose(wide[[0, 4, 127, 255]], weight[0, [0, 4, 127, 255]], rtol=0.05) and wide.count_nonzero() == 4
    # Byte 0 has columns 0 (low) and 64; 4 and 127 share a group, 0 has another, and the second 128 columns have two more.
    assert stored[0, 0] & 15 != 8 and stored[0, 0] >> 4 == 8 and stored[0, 63] & 15 == 8 and stored[0, 63] >> 4 != 8
    assert scale[0, 0].abs() < 1 and scale[0, 1].abs() > 7 and scale[0, 2].abs() < 1e-6 and scale[0, 3].abs() < 1


@pytest.mark.parametrize("tier", QUANTIZERS)
def test_what_is_narrow_stays_itself(tier: str) -> None:
    once = widen(*QUANTIZERS[tier](random_rows(20, 256)))
    assert torch.allclose(widen(*QUANTIZERS[tier](once)), once, rtol=0.01, atol=0.0)
    assert not widen(*QUANTIZERS[tier](torch.zeros(2, 128))).any()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_narrow_types_are_quantized_in_float32(dtype: torch.dtype) -> None:
    weight = torch.randn(4, 64, generator=torch.Generator().manual_seed(2)).to(dtype)
    stored, scale = int8_rows(weight)
    wide, wide_scale = int8_rows(weight.float())
    assert torch.equal(stored, wide) and torch.equal(scale, wide_scale)


@pytest.mark.parametrize("tier", QUANTIZERS)
def test_a_model_loaded_narrow_has_the_weights_of_one_quantized_afterwards(tier: str) -> None:
    wide = load_lm(STARTER, dtype=torch.bfloat16)
    seen: list[float] = []
    narrow = load_narrow_lm(STARTER, device="cpu", dtype=torch.bfloat16, tier=tier, progress=seen.append)
    assert seen == sorted(seen) and seen[-1] == 1.0 and narrow.hashes == wide.hashes
    pairs = [
        (getattr(ours, name), getattr(theirs, name))
        for ours, theirs in zip(narrow.backbone.layers, wide.backbone.layers, strict=True)
        for name in ("qkv", "out", "gate_up", "down")
    ]
    pairs += [(getattr(narrow.local, name), getattr(wide.local, name)) for name in ("qkv", "out", "fc_in", "fc_out")]
    quantize = quantizer(tier, wide)
    for ours, theirs in pairs:
        stored, scale = narrow.narrowed(ours)
        expected, expected_scale = quantize(theirs)
        assert scale is not None and torch.equal(scale, expected_scale) and stored.dtype == expected.dtype
        assert torch.equal(stored.view(torch.uint8), expected.view(torch.uint8))
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
