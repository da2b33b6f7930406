"""Skinny matrix products with everything around them fused: norm before, activation or residual after.

A decode step multiplies a few rows by large weights, so time is bytes over bandwidth plus the gaps between kernels. Three things keep
the gaps few. The norm before a product is not a kernel: its producer leaves `x * gain` in the model's dtype and per-block partial sums of
x and x², and the product scales its result (for RMSNorm y = inv·W(g∘x); for LayerNorm y = inv·(W(g∘x) − mean·Wg) + Wb). Activation
and the residual sum are epilogues. And each kernel asks for its first weights before it waits for its producer
(programmatic dependent launch), so that the ramp of one kernel hides behind the tail of the other. What an epilogue takes is asked for
before the product where the registers allow: at its end every block would wait for it once more.

Partial sums are written one per block and added in a fixed order, never by atomics: the same inputs give the same bits.
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from engine.runtime.kernels.epilogues import activated, added_up, ask_constants, ask_one_row, ask_rows, finish_one_row


@triton.jit
def _load_weights(w_ptr, tile, mask, EVICT: tl.constexpr):
    """Weights, or zeros where `mask` is false; there is no literal for an e4m3 zero."""
    if w_ptr.dtype.element_ty == tl.float8e4nv:
        bits = tl.load(w_ptr.to(tl.pointer_type(tl.uint8)) + tile, mask=mask, other=0, eviction_policy=EVICT)
        return bits.to(tl.float8e4nv, bitcast=True)
    else:
        return tl.load(w_ptr + tile, mask=mask, other=0, eviction_policy=EVICT)


@triton.jit
def ask_early(w_ptr, rows, begin, ROW: tl.constexpr, EARLY: tl.constexpr):
    """Have columns begin .. begin + EARLY of these rows of ROW brought into the level-2 cache."""
    LINE: tl.constexpr = 128 * 8 // w_ptr.dtype.element_ty.primitive_bitwidth
    COUNT: tl.constexpr = triton.next_power_of_2((EARLY + LINE - 1) // LINE)
    cols = tl.minimum(begin + tl.arange(0, COUNT) * LINE, ROW - 1)
    tl.inline_asm_elementwise(
        "prefetch.global.L2 [$1]; mov.u32 $0, 0;", "=r,l", [w_ptr + (rows[:, None].to(tl.int64) * ROW + cols[None, :])], dtype=tl.int32, is_pure=False, pack=1
    )


@triton.jit(do_not_specialize=["STRIDE", "STATS_IN"])
def gemv_kernel(
    x_ptr, w_ptr, w_scale_ptr, stats_ptr, shift_ptr, bias_ptr, gain_ptr, residual_ptr, out_ptr, out_stats_ptr,
    STRIDE, N, K: tl.constexpr, STATS_IN, eps,
    NORM: tl.constexpr, ACT: tl.constexpr, OUT: tl.constexpr, HAS_BIAS: tl.constexpr, QUANT: tl.constexpr,
    BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_P: tl.constexpr, EVICT: tl.constexpr, PDL: tl.constexpr,
):
    """One row: out[n] = epilogue(sum_k x[k] w[n, k]). Grid (ceil(N / BLOCK_N),). See `Linear` for the meaning of the arguments."""
    if PDL:
        gdc_launch_dependents()
    pid = tl.program_id(0)
    rows = pid * BLOCK_N + tl.arange(0, BLOCK_N)
    row_ok = rows < N
    cols = tl.arange(0, BLOCK_K)
    if QUANT:
        cols = tl.max_contiguous(cols, 8)  # in each thread as many weights as x fill the widest load
    tile = rows[:, None].to(tl.int64) * K + cols[None, :]
    mask = row_ok[:, None] & (cols < K)[None, :]
    w = _load_weights(w_ptr, tile, mask, EVICT)
    if ACT == 2:
        w_up = _load_weights(w_ptr + N.to(tl.int64) * K, tile, mask, EVICT)
    scale, scale_up, shift, bias, gain = ask_constants(rows, N, w_scale_ptr, shift_ptr, bias_ptr, gain_ptr, NORM, ACT, OUT, HAS_BIAS, QUANT)
    if PDL:
        gdc_wait()
    sums, squares, residual = ask_one_row(rows, N, stats_ptr, residual_ptr, STRIDE, STATS_IN, NORM, OUT, BLOCK_P)
    if ACT > 0:  # these blocks do best with few registers
        sums, squares = added_up(sums, squares, NORM)
    acc = tl.zeros((BLOCK_N, BLOCK_K), tl.float32)
    acc_up = tl.zeros((BLOCK_N, BLOCK_K), tl.float32)
    for start in tl.static_range(0, K, BLOCK_K):
        x = tl.load(x_ptr + start + cols, mask=start + cols < K, other=0).to(tl.float32)
        if start > 0:
            mask = row_ok[:, None] & (start + cols < K)[None, :]
            w = _load_weights(w_ptr + start, tile, mask, EVICT)
            if ACT == 2:
                w_up = _load_weights(w_ptr + N.to(tl.int64) * K + start, tile, mask, EVICT)
        acc += w.to(tl.float32) * x[None, :]
        if ACT == 2:
            acc_up += w_up.to(tl.float32) * x[None, :]
    finish_one_row(
        acc, acc_up, pid, rows, scale, scale_up, shift, bias, gain, sums, squares, residual, residual_ptr, out_ptr, out_stats_ptr,
        STRIDE, N, K, eps, NORM, ACT, OUT,
    )  # fmt: skip


@triton.jit
def _widen_nibble(nibble, scale, DTYPE: tl.constexpr):
    """Stored int4 (8 too large) in the model's dtype, scaled and rounded to it: matrix units add what has one scale."""
    bits = (nibble.to(tl.int32) << 16) | 0x43000000  # 128 more, as for one row
    return ((bits.to(tl.float32, bitcast=True) - 136.0) * scale).to(DTYPE)


@triton.jit(do_not_specialize=["M", "STRIDE", "STATS_IN"])
def gemm_kernel(
    x_ptr, w_ptr, w_scale_ptr, stats_ptr, shift_ptr, bias_ptr, gain_ptr, residual_ptr, out_ptr, out_stats_ptr,
    part_ptr, counter_ptr, M, STRIDE, N, K: tl.constexpr, STATS_IN, eps,
    NORM: tl.constexpr, ACT: tl.constexpr, OUT: tl.constexpr, HAS_BIAS: tl.constexpr, QUANT: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_P: tl.constexpr, SPLITS: tl.constexpr,
    STAGES: tl.constexpr, BITS: tl.constexpr, EARLY: tl.constexpr, PDL: tl.constexpr,
):
    """The same for M rows on the matrix units. Grid (ceil(N / BLOCK_N), ceil(M / BLOCK_M), SPLITS). EARLY: columns that are asked for before the
    input is there.

    Narrow results have too few blocks to fill the card, so K is cut into SPLITS; the block that comes last (a counter, left at
    zero) adds the parts in their order and goes on to the epilogue.
    """
    if PDL:
        gdc_launch_dependents()
    pid = tl.program_id(0)
    rows = pid * BLOCK_N + tl.arange(0, BLOCK_N)
    row_ok = rows < N
    ms = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    m_ok = ms < M
    TILES: tl.constexpr = (K + BLOCK_K - 1) // BLOCK_K
    TILES_EACH: tl.constexpr = (TILES + SPLITS - 1) // SPLITS
    split = tl.program_id(2)
    begin = split * TILES_EACH * BLOCK_K
    last = tl.minimum(begin + TILES_EACH * BLOCK_K, K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    acc_up = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    if OUT > 0:
        scale, scale_up, shift, bias, gain = ask_constants(rows, N, w_scale_ptr, shift_ptr, bias_ptr, gain_ptr, NORM, ACT, OUT, HAS_BIAS, QUANT)
    if PDL:
        if EARLY > 0 and BITS != 4:
            if tl.program_id(1) == 0:
                soon = tl.minimum(rows, N - 1)
                ask_early(w_ptr, soon, begin, K, min(EARLY, TILES_EACH * BLOCK_K))
                if ACT == 2:
                    ask_early(w_ptr + N.to(tl.int64) * K, soon, begin, K, min(EARLY, TILES_EACH * BLOCK_K))
        gdc_wait()
    if OUT > 0:
        sums, squares, residual = ask_rows(rows, row_ok, ms, m_ok, N, stats_ptr, residual_ptr, STRIDE, STATS_IN, NORM, OUT, BLOCK_P)
    if BITS == 4:
        tl.static_assert(BLOCK_K == 128, "a tile is two groups of columns")
        half = tl.arange(0, 64)
        first = (half // 4 % 2 == 0)[:, None]
        x_tile = ms[:, None].to(tl.int64) * K + half[None, :]
        safe = tl.minimum(rows, N - 1).to(tl.int64)
        w_tile = safe[None, :] * (K // 2) + half[:, None]
        scale_tile = safe * (K // 64)
        for start in tl.range(begin, last, BLOCK_K, num_stages=STAGES):
            x_low = tl.load(x_ptr + start + x_tile, mask=m_ok[:, None], other=0)
            x_high = tl.load(x_ptr + start + 64 + x_tile, mask=m_ok[:, None], other=0)
            w = tl.load(w_ptr + start // 2 + w_tile)
            scales = w_scale_ptr + scale_tile + start // 64
            of_columns = tl.where(first, tl.load(scales)[None, :], tl.load(scales + 1)[None, :]).to(tl.float32)
            acc = tl.dot(x_low, _widen_nibble(w & 15, of_columns, x_low.dtype), acc, input_precision="ieee")
            acc = tl.dot(x_high, _widen_nibble(w >> 4, of_columns, x_low.dtype), acc, input_precision="ieee")
            if ACT == 2:
                w_up = tl.load(w_ptr + N.to(tl.int64) * (K // 2) + start // 2 + w_tile)
                scales = w_scale_ptr + N.to(tl.int64) * (K // 64) + scale_tile + start // 64
                of_columns = tl.where(first, tl.load(scales)[None, :], tl.load(scales + 1)[None, :]).to(tl.float32)
                acc_up = tl.dot(x_low, _widen_nibble(w_up & 15, of_columns, x_low.dtype), acc_up, input_precision="ieee")
                acc_up = tl.dot(x_high, _widen_nibble(w_up >> 4, of_columns, x_low.dtype), acc_up, input_precision="ieee")
    else:
        cols = tl.arange(0, BLOCK_K)
        w_tile = rows[None, :].to(tl.int64) * K + cols[:, None]
        x_tile = ms[:, None].to(tl.int64) * K + cols[None, :]
        for start in tl.range(begin, last, BLOCK_K, num_stages=STAGES):
            k_ok = start + cols < K
            x = tl.load(x_ptr + start + x_tile, mask=m_ok[:, None] & k_ok[None, :], other=0)
            w = _load_weights(w_ptr + start, w_tile, k_ok[:, None] & row_ok[None, :], "")
            acc = tl.dot(x, w.to(x.dtype), acc, input_precision="ieee")
            if ACT == 2:
                w_up = _load_weights(w_ptr + N.to(tl.int64) * K + start, w_tile, k_ok[:, None] & row_ok[None, :], "")
                acc_up = tl.dot(x, w_up.to(x.dtype), acc_up, input_precision="ieee")
    if SPLITS > 1:
        tl.static_assert(ACT != 2, "the gated product is wide enough without a split")
        part = part_ptr + ms[:, None] * N + rows[None, :]
        ok = m_ok[:, None] & row_ok[None, :]
        tl.store(part + split * M * N, acc, mask=ok)
        tl.debug_barrier()
        block = tl.program_id(1) * tl.num_programs(0) + pid
        if tl.atomic_add(counter_ptr + block, 1, sem="acq_rel", scope="gpu") < SPLITS - 1:
            return
        tl.debug_barrier()
        tl.store(counter_ptr + block, 0)
        acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for index in tl.static_range(SPLITS):
            acc += tl.load(part + index * M * N, mask=ok, other=0, cache_modifier=".cg")
    if OUT == 0:
        scale, scale_up, shift, bias, gain = ask_constants(rows, N, w_scale_ptr, shift_ptr, bias_ptr, gain_ptr, NORM, ACT, OUT, HAS_BIAS, QUANT)
        sums, squares, residual = ask_rows(rows, row_ok, ms, m_ok, N, stats_ptr, residual_ptr, STRIDE, STATS_IN, NORM, OUT, BLOCK_P)
    gate = acc
    if QUANT:
        gate = gate * scale[None, :]
    y = gate
    if ACT == 2:
        y = acc_up
        if QUANT:
            y = y * scale_up[None, :]
    if NORM == 1:
        inv = 1.0 / tl.sqrt(tl.sum(squares, 0) / K + eps)
        y = y * inv[:, None]
        gate = gate * inv[:, None]
    elif NORM == 2:
        mean = tl.sum(sums, 0) / K
        inv = 1.0 / tl.sqrt(tl.maximum(tl.sum(squares, 0) / K - mean * mean, 0.0) + eps)
        y = (y - mean[:, None] * shift[None, :]) * inv[:, None]
    if HAS_BIAS:
        y += bias[None, :]
    y = activated(y, gate, ACT)
    where = ms[:, None].to(tl.int64) * N + rows[None, :]
    ok = m_ok[:, None] & row_ok[None, :]
    if OUT > 0:
        y += residual
        tl.store(residual_ptr + where, y, mask=ok)
        y = tl.where(ok, y, 0.0)
        blocks = tl.num_programs(0)
        tl.store(out_stats_ptr + pid * STRIDE + ms, tl.sum(y, 1), mask=m_ok)
        tl.store(out_stats_ptr + (blocks + pid) * STRIDE + ms, tl.sum(y * y, 1), mask=m_ok)
        y = y * gain[None, :]
    tl.store(out_ptr + where, y.to(out_ptr.dtype.element_ty), mask=ok)
