"""What stands around a product: the norm before it as factors of its result, activation or residual sum, and what the next norm needs.

What is taken from memory is asked for by functions of its own, so that a kernel may do that before its product.
"""

from __future__ import annotations

import triton
import triton.language as tl

NORM_NONE, NORM_RMS, NORM_LAYER = 0, 1, 2
ACT_NONE, ACT_SILU, ACT_SWIGLU = 0, 1, 2
OUT_STORE, OUT_ADD = 0, 1  # into `out`; onto the residual


@triton.jit
def activated(y, gate, ACT: tl.constexpr):
    """y, silu(y), or silu(gate) y."""
    if ACT == 1:
        y = y / (1.0 + tl.exp(-y))
    elif ACT == 2:
        y = gate / (1.0 + tl.exp(-gate)) * y
    return y


@triton.jit
def ask_constants(
    rows, N, w_scale_ptr, shift_ptr, bias_ptr, gain_ptr,
    NORM: tl.constexpr, ACT: tl.constexpr, OUT: tl.constexpr, HAS_BIAS: tl.constexpr, QUANT: tl.constexpr,
):  # fmt: skip
    """What an epilogue takes of these rows and nobody writes: scale, scale of what is gated, shift, bias, gain."""
    row_ok = rows < N
    scale, scale_up, shift, bias, gain = 1.0, 1.0, 0.0, 0.0, 1.0
    if QUANT:
        scale = tl.load(w_scale_ptr + rows, mask=row_ok, other=0)
        if ACT == 2:
            scale_up = tl.load(w_scale_ptr + N + rows, mask=row_ok, other=0)
    if NORM == 2:
        shift = tl.load(shift_ptr + rows, mask=row_ok, other=0)
    if HAS_BIAS:
        bias = tl.load(bias_ptr + rows, mask=row_ok, other=0)
    if OUT > 0:
        gain = tl.load(gain_ptr + rows, mask=row_ok, other=0)
    return scale, scale_up, shift, bias, gain


@triton.jit
def ask_one_row(rows, N, stats_ptr, residual_ptr, STRIDE, STATS_IN, NORM: tl.constexpr, OUT: tl.constexpr, BLOCK_P: tl.constexpr):
    """What it takes and the kernel before may have written: partial sums of x and of x², the residual."""
    sums, squares, residual = 0.0, 0.0, 0.0
    parts = tl.arange(0, BLOCK_P)
    if NORM > 0:
        squares = tl.load(stats_ptr + (STATS_IN + parts) * STRIDE, mask=parts < STATS_IN, other=0)
    if NORM == 2:
        sums = tl.load(stats_ptr + parts * STRIDE, mask=parts < STATS_IN, other=0)
    if OUT > 0:
        residual = tl.load(residual_ptr + rows, mask=rows < N, other=0)
    return sums, squares, residual


@triton.jit
def ask_rows(
    rows, row_ok, ms, m_ok, N, stats_ptr, residual_ptr, STRIDE, STATS_IN, NORM: tl.constexpr, OUT: tl.constexpr, BLOCK_P: tl.constexpr
):
    """As `ask_one_row`, for several."""
    sums, squares, residual = 0.0, 0.0, 0.0
    parts = tl.arange(0, BLOCK_P)
    part = parts[:, None] * STRIDE + ms[None, :]
    part_ok = (parts < STATS_IN)[:, None] & m_ok[None, :]
    if NORM > 0:
        squares = tl.load(stats_ptr + STATS_IN * STRIDE + part, mask=part_ok, other=0)
    if NORM == 2:
        sums = tl.load(stats_ptr + part, mask=part_ok, other=0)
    if OUT > 0:
        where = ms[:, None].to(tl.int64) * N + rows[None, :]
        residual = tl.load(residual_ptr + where, mask=m_ok[:, None] & row_ok[None, :], other=0)
    return sums, squares, residual


@triton.jit
def added_up(sums, squares, NORM: tl.constexpr):
    """Partial sums as vectors of one element each."""
    if NORM > 0:
        squares = tl.sum(squares, 0)[None]
    if NORM == 2:
        sums = tl.sum(sums, 0)[None]
    return sums, squares


@triton.jit
def finish_one_row(
    acc, acc_up, pid, rows, scale, scale_up, shift, bias, gain, sums, squares, residual, residual_ptr, out_ptr, out_stats_ptr,
    STRIDE, N, K: tl.constexpr, eps, NORM: tl.constexpr, ACT: tl.constexpr, OUT: tl.constexpr,
):  # fmt: skip
    """The epilogue of a product of one row: scale, norm, bias, activation, residual, and the sums for the next norm."""
    row_ok = rows < N
    gate = tl.sum(acc, 1) * scale
    y = gate
    if ACT == 2:
        # The first N rows of the weights are the gate, the next N what it gates.
        y = tl.sum(acc_up, 1) * scale_up
    if NORM == 1:
        inv = 1.0 / tl.sqrt(tl.sum(squares, 0) / K + eps)
        y = y * inv
        gate = gate * inv
    elif NORM == 2:
        mean = tl.sum(sums, 0) / K
        inv = 1.0 / tl.sqrt(tl.maximum(tl.sum(squares, 0) / K - mean * mean, 0.0) + eps)
        y = (y - mean * shift) * inv
    y = activated(y + bias, gate, ACT)
    if OUT > 0:
        y += residual
        tl.store(residual_ptr + rows, y, mask=row_ok)
        y = tl.where(row_ok, y, 0.0)
        blocks = tl.num_programs(0)
        tl.store(out_stats_ptr + pid * STRIDE, tl.sum(y, 0))
        tl.store(out_stats_ptr + (blocks + pid) * STRIDE, tl.sum(y * y, 0))
    tl.store(out_ptr + rows, (y * gain).to(out_ptr.dtype.element_ty), mask=row_ok)
