"""Fused products against float64, on a CUDA device or in Triton's interpreter (`TRITON_INTERPRET=1`)."""

from __future__ import annotations

import pytest
import torch
from kernel_device import CAPABILITY, DEVICE, HAS_TRITON, on_some_device

from engine.runtime.quantize import QUANTIZERS, int8_rows, widen
from engine.runtime.random_weights import FULL_LM

if not HAS_TRITON:
    pytest.skip("Triton is not installed", allow_module_level=True)

from engine.runtime.kernels import ops
from engine.runtime.kernels.ops import Linear, Norm, Rows

HAS_PDL = CAPABILITY >= (9, 0)


def random(*shape: int, seed: int, scale: float = 1.0) -> torch.Tensor:
    return scale * torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(DEVICE)


FP8 = DEVICE.type == "cpu" or CAPABILITY >= (8, 9)
TIERS = [
    pytest.param(tier, marks=pytest.mark.skipif(tier == "fp8" and not FP8, reason="no e4m3")) for tier in QUANTIZERS
]


def off(product: Linear, wide: torch.Tensor, m: int, n: int, act: str | None, dtype: torch.dtype) -> float:
    """How far `product` of m rows, its norm before it, is from float64 on `wide` weights; relative to the largest."""
    k, norm = wide.shape[1], product.norm
    residual = random(m, k, seed=2)
    rows = Rows.empty(m, k, device=DEVICE, dtype=dtype)
    rows.residual.copy_(residual)
    rows.gained.copy_(residual if norm is None else residual * norm.gain)
    rows.stats[:m], rows.stats[m : 2 * m] = residual.sum(1), residual.square().sum(1)
    out = torch.empty(m, n, device=DEVICE)
    product.store(rows.gained, rows if norm is not None else None, out)

    expected, exact = rows.gained.double() @ wide.double().T, residual.double()
    if norm is not None and norm.shift is None:
        expected /= (exact.square().mean(1) + 1e-6).sqrt()[:, None]
    elif norm is not None:
        mean = exact.mean(1, keepdim=True)
        spread = (exact.square().mean(1, keepdim=True) - mean.square() + 1e-6).sqrt()
        expected = (expected - mean * (wide.double() @ norm.gain.double())) / spread
        expected += wide.double() @ norm.shift.double()
    if act == "swiglu":
        expected = torch.nn.functional.silu(expected[:, :n]) * expected[:, n:]
    elif act == "silu":
        expected = torch.nn.functional.silu(expected)
    return ((out.double() - expected).abs().max() / expected.abs().max()).item()


def normed(kind: str, k: int) -> Norm | None:
    shift = random(k, seed=4, scale=0.1) if kind == "layer" else None
    return Norm(kind, 1e-6, random(k, seed=3).abs() + 0.5, shift) if kind else None


@on_some_device
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize(
    ("n", "k", "act", "kind"),
    [(96, 384, None, ""), (70, 2560, "swiglu", "rms"), (200, 896, "silu", "layer"), (33, 128, None, "rms"), (64, 9728, None, "")],
)  # fmt: skip
@pytest.mark.parametrize("tier", TIERS)
def test_one_row_of_narrow_weights_loses_less_than_its_inputs_did(
    tier: str, n: int, k: int, act: str | None, kind: str, dtype: torch.dtype
) -> None:
    """bfloat16 rounds to 2⁻⁹, float16 to 2⁻¹². A byte of int8 lies nine bits below the float that it is read as."""
    stored, scale = QUANTIZERS[tier](random(n * (2 if act == "swiglu" else 1), k, seed=1, scale=0.05))
    product = Linear(stored, scale=scale, norm=normed(kind, k), act=act, pdl=HAS_PDL)
    assert (product.words is None) == (tier == "fp8")
    assert off(product, widen(stored, scale), 1, n, act, dtype) < (2**-12 if tier == "int8" else 1e-5)


@on_some_device
@pytest.mark.parametrize("m", [2, 20])
@pytest.mark.parametrize(
    ("n", "k", "act", "kind"), [(70, 384, "swiglu", "rms"), (200, 512, "silu", "layer"), (96, 2560, None, "")]
)
@pytest.mark.parametrize("tier", TIERS)
def test_several_rows_multiply_with_what_narrow_weights_stand_for(
    tier: str, m: int, n: int, k: int, act: str | None, kind: str
) -> None:
    stored, scale = QUANTIZERS[tier](random(n * (2 if act == "swiglu" else 1), k, seed=1, scale=0.05))
    product = Linear(stored, scale=scale, norm=normed(kind, k), act=act, pdl=HAS_PDL)
    # int4 is rounded to the model's dtype once it is scaled; the others are exact in it. The interpreter multiplies no bfloat16.
    dtype = torch.float16 if DEVICE.type == "cpu" else torch.bfloat16
    assert off(product, widen(stored, scale), m, n, act, dtype) < (4e-3 if tier == "int4" else 2e-5)


@on_some_device
def test_int8_of_odd_widths_is_multiplied_without_words() -> None:
    stored, scale = int8_rows(random(40, 100, seed=1, scale=0.05))
    product = Linear(stored, scale=scale, pdl=HAS_PDL)
    assert product.words is None and off(product, widen(stored, scale), 1, 40, None, torch.bfloat16) < 1e-5


@on_some_device
@pytest.mark.parametrize("parts", [2048, 8])
def test_partial_sums_of_a_row_stay_where_there_is_room(parts: int) -> None:
    stored, scale = int8_rows(random(128, 9728, seed=5, scale=0.05))
    wide = stored.float() * scale[:, None]
    for weight, scales in ((stored, scale), (wide.to(torch.bfloat16), None)):
        target = Rows.empty(1, 128, device=DEVICE, dtype=torch.bfloat16, parts=parts)
        guarded = torch.full((2 * parts + 4096,), 77.0, device=DEVICE)
        target.stats = guarded[: 2 * parts]
        product = Linear(weight, scale=scales, next_gain=torch.ones(128, device=DEVICE), pdl=HAS_PDL)
        product.add(random(1, 9728, seed=6).to(torch.bfloat16), target)
        assert (guarded[2 * parts :] == 77.0).all()
        sums = guarded[: 2 * target.parts].view(2, -1).sum(1)
        assert torch.allclose(sums[0], target.residual.sum(), rtol=1e-4, atol=1e-3)
        assert torch.allclose(sums[1], target.residual.square().sum(), rtol=1e-4)


def test_sums_of_the_full_size_fit_the_buffers_made_for_them() -> None:
    hidden, inner = FULL_LM.backbone.hidden, FULL_LM.backbone.intermediate
    attended = FULL_LM.backbone.heads * FULL_LM.backbone.head_dim
    target = Rows.empty(1, hidden, device=torch.device("cpu"), dtype=torch.bfloat16)
    for shape in (ops.gemv_shape, ops.words_gemv_shape):
        for k in (attended, hidden, inner):
            block_n, block_k, *_ = shape(hidden, k, False)
            assert ops.fit_parts(hidden, block_n, block_k, target) == (block_n, block_k)


@pytest.mark.parametrize("itemsize", [2, 4])
@pytest.mark.parametrize("shared_kb", [60, 95, 159, 223])
@pytest.mark.parametrize("m", [2, 16, 17, 32, 33, 512, 513])
def test_several_rows_fit_the_card_and_the_buffers_made_for_them(m: int, shared_kb: int, itemsize: int) -> None:
    split = 0
    for n in (16, 384, 1026, 2560, 6144, 8192, 9728, 12288):
        for k in (16, 100, 384, 2048, 2560, 4096, 9728):
            for gated in (False, True):
                block_m, block_n, block_k, splits, stages, _, _ = ops.gemm_shape(
                    m, n, k, gated, itemsize, shared_kb << 10
                )
                tile = (block_n * (2 if gated else 1) + block_m) * block_k * itemsize
                assert stages >= 1 and stages * tile <= shared_kb << 10
                assert splits == 1 or (not gated and splits * m * n <= ops.MOST_SPLIT_VALUES)
                assert -(-n // block_n) * -(-m // block_m) <= 16384 and -(-n // block_n) <= ops.MOST_PARTS
                split += splits > 1
    assert (split > 0) == (m <= 32)  # long rows are shared where there are few
