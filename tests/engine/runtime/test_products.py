"""Fused products against float64, on a CUDA device or in Triton's interpreter (`TRITON_INTERPRET=1`)."""

from __future__ import annotations

import importlib.util

import pytest
import torch

from engine.runtime.devices import cuda_works
from engine.runtime.quantize import int8_rows
from engine.runtime.random_weights import FULL_LM

if importlib.util.find_spec("triton") is None:
    pytest.skip("Triton is not installed", allow_module_level=True)

from engine.runtime.kernels import ops
from engine.runtime.kernels.ops import Linear, Norm, Rows

DEVICE = torch.device("cuda" if cuda_works() else "cpu")
on_some_device = pytest.mark.skipif(
    DEVICE.type == "cpu" and not ops.INTERPRETED, reason="neither a CUDA device nor the interpreter"
)
HAS_PDL = DEVICE.type == "cuda" and torch.cuda.get_device_capability() >= (9, 0)


def random(*shape: int, seed: int, scale: float = 1.0) -> torch.Tensor:
    return scale * torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(DEVICE)


@on_some_device
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize(
    ("n", "k", "act", "kind"),
    [(96, 384, None, ""), (70, 2560, "swiglu", "rms"), (200, 400, "silu", "layer"), (33, 48, None, "rms"), (64, 9728, None, "")],
)  # fmt: skip
def test_one_row_of_int8_is_exact_to_float32(n: int, k: int, act: str | None, kind: str, dtype: torch.dtype) -> None:
    stored, scale = int8_rows(random(n * (2 if act == "swiglu" else 1), k, seed=1, scale=0.05))
    wide = stored.double() * scale[:, None].double()
    residual, gain, shift = random(1, k, seed=2), random(k, seed=3).abs() + 0.5, random(k, seed=4, scale=0.1)
    rows = Rows.empty(1, k, device=DEVICE, dtype=dtype)
    rows.residual.copy_(residual)
    rows.gained.copy_(residual * gain)
    rows.stats[0], rows.stats[1] = residual.sum(), residual.square().sum()
    norm = Norm(kind, 1e-6, gain, shift if kind == "layer" else None) if kind else None
    product = Linear(stored, scale=scale, norm=norm, act=act, pdl=HAS_PDL)
    assert product.words is not None
    out = torch.empty(1, n, device=DEVICE)
    product.store(rows.gained, rows if kind else None, out)

    expected, exact = (rows.gained.double() @ wide.T)[0], residual.double()[0]
    if kind == "rms":
        expected = expected / (exact.square().mean() + 1e-6).sqrt()
    elif kind == "layer":
        spread = (exact.square().mean() - exact.mean().square() + 1e-6).sqrt()
        expected = (expected - exact.mean() * (wide @ gain.double())) / spread + wide @ shift.double()
    if act == "swiglu":
        expected = torch.nn.functional.silu(expected[:n]) * expected[n:]
    elif act == "silu":
        expected = torch.nn.functional.silu(expected)
    assert ((out[0].double() - expected).abs().max() / expected.abs().max()).item() < 3e-6


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
