"""A matrix multiplies the same in every layout."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from engine.codec import linear
from engine.codec.linear import Linear


@pytest.fixture(params=["as the processor likes it", "plain"])
def layout(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr(linear, "_can_block", lambda weight: False)
    return request.param


@pytest.mark.parametrize("rows", [1, 3, 32, 700])
def test_products_are_those_of_the_plain_matrix(layout, rows):
    torch.manual_seed(0)
    weight, x, residual = torch.randn(24, 40), torch.randn(1, rows, 40), torch.randn(1, rows, 24)
    matrix = Linear(weight)
    exact = x.double() @ weight.double().T
    kept = residual.clone()
    with torch.inference_mode():
        torch.testing.assert_close(matrix(x).double(), exact, atol=1e-4, rtol=0)
        torch.testing.assert_close(matrix.gelu(x).double(), F.gelu(exact), atol=1e-4, rtol=0)
        torch.testing.assert_close(matrix.add(x, residual).double(), exact + residual, atol=1e-4, rtol=0)
    assert torch.equal(residual, kept) and torch.equal(matrix.weight, weight) and matrix.shape == (24, 40)


def test_a_narrow_type_adds_to_a_float32_residual():
    weight, x = torch.randn(8, 8), torch.randn(1, 4, 8)
    residual = torch.full((1, 4, 8), 1000.0)
    total = Linear(weight.bfloat16()).add(x.bfloat16(), residual)
    assert total.dtype == torch.float32
    assert (total - residual - x @ weight.T).abs().max() < 0.5  # bfloat16 would have lost it all at 1,000
