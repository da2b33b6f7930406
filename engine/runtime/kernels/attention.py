"""Attention of one new row per sequence: over pages for the backbone, over at most 13 positions for the local transformer."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait


@triton.jit
def _normed_rotated(low, high, gain_low, gain_high, cos, sin, DIM: tl.constexpr, eps):
    """Heads, given as two halves `[., DIM / 2]` in float32, after RMSNorm and half-split rotation."""
    inv = 1.0 / tl.sqrt((tl.sum(low * low, 1) + tl.sum(high * high, 1)) / DIM + eps)
    low = low * inv[:, None] * gain_low[None, :]
    high = high * inv[:, None] * gain_high[None, :]
    return low * cos[None, :] - high * sin[None, :], high * cos[None, :] + low * sin[None, :]


@triton.jit
def paged_attention_kernel(
    qkv_ptr, keys_ptr, values_ptr, page_table_ptr, position_ptr, q_gain_ptr, k_gain_ptr, cos_ptr, sin_ptr,
    part_ptr, part_max_ptr, part_sum_ptr, counter_ptr, out_ptr,
    PAGES_PER_ROW, scale, eps,
    HEADS: tl.constexpr, KV_HEADS: tl.constexpr, DIM: tl.constexpr, PAGE: tl.constexpr, SPLITS: tl.constexpr,
    GROUP_PAD: tl.constexpr, BLOCK_T: tl.constexpr, STAGES: tl.constexpr, EARLY: tl.constexpr, PDL: tl.constexpr,
):
    """Grid (KV_HEADS, SPLITS, B). Reads only the rows in use; split 0 also writes the new key and value into the row's page.

    Layout: qkv `[B, (HEADS + 2 KV_HEADS) DIM]`; keys and values `[pages, KV_HEADS, PAGE, DIM]`; page_table `[B, PAGES_PER_ROW]`;
    cos and sin `[positions, DIM / 2]` float32. The split that finishes last (a counter per row and head) adds the parts, in order.
    """
    if PDL:
        gdc_launch_dependents()
    head = tl.program_id(0)
    split = tl.program_id(1)
    batch = tl.program_id(2)
    GROUP: tl.constexpr = HEADS // KV_HEADS
    HALF: tl.constexpr = DIM // 2
    dtype = keys_ptr.dtype.element_ty
    position = tl.load(position_ptr + batch)
    half = tl.arange(0, HALF)
    times = tl.arange(0, BLOCK_T)
    # Whole tiles to each split, so that a tile never crosses a page (PAGE is a multiple of BLOCK_T).
    tiles = (position + BLOCK_T - 1) // BLOCK_T
    tiles_each = (tiles + SPLITS - 1) // SPLITS
    first = split * tiles_each * BLOCK_T
    last = tl.minimum(position, first + tiles_each * BLOCK_T)
    if EARLY:
        # Old keys do not depend on the kernel before this one: the first tile is asked for before it has ended.
        page = tl.load(page_table_ptr + batch * PAGES_PER_ROW + first // PAGE, mask=first < last, other=0).to(tl.int64)
        tile = (page * KV_HEADS + head) * PAGE * DIM + (first % PAGE + times)[:, None] * DIM + half[None, :]
        ok = first + times < last
        k_low_t = tl.load(keys_ptr + tile, mask=ok[:, None], other=0)
        k_high_t = tl.load(keys_ptr + HALF + tile, mask=ok[:, None], other=0)
        v_low_t = tl.load(values_ptr + tile, mask=ok[:, None], other=0)
        v_high_t = tl.load(values_ptr + HALF + tile, mask=ok[:, None], other=0)
    cos = tl.load(cos_ptr + position * HALF + half)
    sin = tl.load(sin_ptr + position * HALF + half)
    q_gain_low, q_gain_high = tl.load(q_gain_ptr + half), tl.load(q_gain_ptr + HALF + half)
    k_gain_low, k_gain_high = tl.load(k_gain_ptr + half), tl.load(k_gain_ptr + HALF + half)
    page = tl.load(page_table_ptr + batch * PAGES_PER_ROW + position // PAGE).to(tl.int64)
    slot = (page * KV_HEADS + head) * PAGE * DIM + (position % PAGE) * DIM
    if PDL:
        gdc_wait()
    # All that is read of this row is asked for at once.
    row = qkv_ptr + batch * (HEADS + 2 * KV_HEADS) * DIM
    group = tl.arange(0, GROUP_PAD)
    group_ok = group < GROUP
    q_row = row + head * GROUP * DIM + group[:, None] * DIM + half[None, :]
    q_low = tl.load(q_row, mask=group_ok[:, None], other=0).to(tl.float32)
    q_high = tl.load(q_row + HALF, mask=group_ok[:, None], other=0).to(tl.float32)
    own_row = split == 0
    k_row = row + (HEADS + head) * DIM + half
    k_low = tl.load(k_row, mask=own_row, other=0).to(tl.float32)
    k_high = tl.load(k_row + HALF, mask=own_row, other=0).to(tl.float32)
    v_row = k_row + KV_HEADS * DIM
    v_low = tl.load(v_row, mask=own_row, other=0)
    v_high = tl.load(v_row + HALF, mask=own_row, other=0)
    q_low, q_high = _normed_rotated(q_low, q_high, q_gain_low, q_gain_high, cos, sin, DIM, eps)
    q_low = (q_low * scale).to(dtype)
    q_high = (q_high * scale).to(dtype)

    # A floor instead of -inf: a split without keys must not compute inf - inf.
    top = tl.full((GROUP_PAD,), -1.0e30, tl.float32)
    total = tl.zeros((GROUP_PAD,), tl.float32)
    acc_low = tl.zeros((GROUP_PAD, HALF), tl.float32)
    acc_high = tl.zeros((GROUP_PAD, HALF), tl.float32)
    begin = first
    if EARLY:
        scores = tl.dot(q_low, k_low_t.T, input_precision="ieee") + tl.dot(q_high, k_high_t.T, input_precision="ieee")
        scores = tl.where(ok[None, :], scores, float("-inf"))
        top = tl.maximum(tl.max(scores, 1), top)
        weights = tl.exp(scores - top[:, None])
        total = tl.sum(weights, 1)
        acc_low = tl.dot(weights.to(dtype), v_low_t, input_precision="ieee")
        acc_high = tl.dot(weights.to(dtype), v_high_t, input_precision="ieee")
        begin = first + BLOCK_T
    for start in tl.range(begin, last, BLOCK_T, num_stages=STAGES):
        page = tl.load(page_table_ptr + batch * PAGES_PER_ROW + start // PAGE).to(tl.int64)
        tile = (page * KV_HEADS + head) * PAGE * DIM + (start % PAGE + times)[:, None] * DIM + half[None, :]
        ok = start + times < position
        k_low_t = tl.load(keys_ptr + tile, mask=ok[:, None], other=0)
        k_high_t = tl.load(keys_ptr + HALF + tile, mask=ok[:, None], other=0)
        scores = tl.dot(q_low, k_low_t.T, input_precision="ieee") + tl.dot(q_high, k_high_t.T, input_precision="ieee")
        scores = tl.where(ok[None, :], scores, float("-inf"))
        new_top = tl.maximum(top, tl.max(scores, 1))
        shrink = tl.exp(top - new_top)
        weights = tl.exp(scores - new_top[:, None])
        total = total * shrink + tl.sum(weights, 1)
        v_low_t = tl.load(values_ptr + tile, mask=ok[:, None], other=0)
        v_high_t = tl.load(values_ptr + HALF + tile, mask=ok[:, None], other=0)
        acc_low = tl.dot(weights.to(dtype), v_low_t, acc_low * shrink[:, None], input_precision="ieee")
        acc_high = tl.dot(weights.to(dtype), v_high_t, acc_high * shrink[:, None], input_precision="ieee")
        top = new_top

    if own_row:
        own_low, own_high = _normed_rotated(k_low[None, :], k_high[None, :], k_gain_low, k_gain_high, cos, sin, DIM, eps)
        k_low_d = own_low.to(dtype)
        k_high_d = own_high.to(dtype)
        tl.store(keys_ptr + slot + half[None, :], k_low_d)
        tl.store(keys_ptr + slot + HALF + half[None, :], k_high_d)
        tl.store(values_ptr + slot + half, v_low.to(dtype))
        tl.store(values_ptr + slot + HALF + half, v_high.to(dtype))
        own = tl.sum(q_low.to(tl.float32) * k_low_d.to(tl.float32), 1) + tl.sum(q_high.to(tl.float32) * k_high_d.to(tl.float32), 1)
        new_top = tl.maximum(top, own)
        shrink = tl.exp(top - new_top)
        weight = tl.exp(own - new_top)
        total = total * shrink + weight
        acc_low = acc_low * shrink[:, None] + weight[:, None] * v_low.to(tl.float32)[None, :]
        acc_high = acc_high * shrink[:, None] + weight[:, None] * v_high.to(tl.float32)[None, :]
        top = new_top

    if SPLITS == 1:
        out = out_ptr + batch * HEADS * DIM + (head * GROUP + group)[:, None] * DIM + half[None, :]
        tl.store(out, (acc_low / total[:, None]).to(out_ptr.dtype.element_ty), mask=group_ok[:, None])
        tl.store(out + HALF, (acc_high / total[:, None]).to(out_ptr.dtype.element_ty), mask=group_ok[:, None])
    else:
        where = ((batch * KV_HEADS + head) * SPLITS + split) * GROUP_PAD
        tl.store(part_max_ptr + where + group, top)
        tl.store(part_sum_ptr + where + group, total)
        part = part_ptr + (where + group)[:, None] * DIM + half[None, :]
        tl.store(part, acc_low, mask=group_ok[:, None])
        tl.store(part + HALF, acc_high, mask=group_ok[:, None])
        tl.debug_barrier()
        done = tl.atomic_add(counter_ptr + batch * KV_HEADS + head, 1, sem="acq_rel", scope="gpu")
        if done == SPLITS - 1:
            tl.debug_barrier()
            # All parts are asked for before anything waits for the first; of the rows in each, those that are heads.
            FEW: tl.constexpr = triton.next_power_of_2(GROUP)
            few = tl.arange(0, FEW)
            few_ok = few < GROUP
            tops, totals, lows, highs = (), (), (), ()
            for index in tl.static_range(SPLITS):
                at = ((batch * KV_HEADS + head) * SPLITS + index) * GROUP_PAD + few
                theirs = part_ptr + at[:, None] * DIM + half[None, :]
                tops = tops + (tl.load(part_max_ptr + at, cache_modifier=".cg"),)
                totals = totals + (tl.load(part_sum_ptr + at, cache_modifier=".cg"),)
                lows = lows + (tl.load(theirs, mask=few_ok[:, None], other=0, cache_modifier=".cg"),)
                highs = highs + (tl.load(theirs + HALF, mask=few_ok[:, None], other=0, cache_modifier=".cg"),)
            most = tl.full((FEW,), -1.0e30, tl.float32)
            for index in tl.static_range(SPLITS):
                most = tl.maximum(most, tops[index])
            whole = tl.zeros((FEW,), tl.float32)
            low = tl.zeros((FEW, HALF), tl.float32)
            high = tl.zeros((FEW, HALF), tl.float32)
            for index in tl.static_range(SPLITS):
                share = tl.exp(tops[index] - most)
                whole += share * totals[index]
                low += share[:, None] * lows[index]
                high += share[:, None] * highs[index]
            out = out_ptr + batch * HEADS * DIM + (head * GROUP + few)[:, None] * DIM + half[None, :]
            tl.store(out, (low / whole[:, None]).to(out_ptr.dtype.element_ty), mask=few_ok[:, None])
            tl.store(out + HALF, (high / whole[:, None]).to(out_ptr.dtype.element_ty), mask=few_ok[:, None])
            tl.store(counter_ptr + batch * KV_HEADS + head, 0)


@triton.jit(do_not_specialize=["position"])
def local_attention_kernel(
    qkv_ptr, keys_ptr, values_ptr, cos_ptr, sin_ptr, out_ptr, scale, position,
    HEADS: tl.constexpr, DIM: tl.constexpr, HALF_PAD: tl.constexpr, DIM_PAD: tl.constexpr,
    LENGTH: tl.constexpr, ROTATE: tl.constexpr, PDL: tl.constexpr,
):
    """Grid (HEADS, B). One query at `position` over the keys 0..position of this frame; interleaved rotation.

    Layout: qkv `[B, 3 HEADS DIM]`; keys `[B, HEADS, LENGTH, 2, HALF_PAD]` (even and odd elements apart), values `[B, HEADS, LENGTH, DIM_PAD]`.
    """
    if PDL:
        gdc_launch_dependents()
    head = tl.program_id(0)
    batch = tl.program_id(1)
    half = tl.arange(0, HALF_PAD)
    half_ok = half < DIM // 2
    dims = tl.arange(0, DIM_PAD)
    dims_ok = dims < DIM
    if ROTATE:
        cos = tl.load(cos_ptr + position * (DIM // 2) + half, mask=half_ok, other=0)
        sin = tl.load(sin_ptr + position * (DIM // 2) + half, mask=half_ok, other=0)
    if PDL:
        gdc_wait()
    # All that is read is asked for at once.
    row = qkv_ptr + batch * 3 * HEADS * DIM + head * DIM
    q_even = tl.load(row + 2 * half, mask=half_ok, other=0).to(tl.float32)
    q_odd = tl.load(row + 2 * half + 1, mask=half_ok, other=0).to(tl.float32)
    k_even = tl.load(row + HEADS * DIM + 2 * half, mask=half_ok, other=0).to(tl.float32)
    k_odd = tl.load(row + HEADS * DIM + 2 * half + 1, mask=half_ok, other=0).to(tl.float32)
    value = tl.load(row + 2 * HEADS * DIM + dims, mask=dims_ok, other=0).to(tl.float32)
    cache = (batch * HEADS + head) * LENGTH
    times = tl.arange(0, LENGTH)
    ok = times < position
    at = (cache + times)[:, None] * 2 * HALF_PAD + half[None, :]
    keys_even = tl.load(keys_ptr + at, mask=ok[:, None], other=0)
    keys_odd = tl.load(keys_ptr + HALF_PAD + at, mask=ok[:, None], other=0)
    values = tl.load(values_ptr + (cache + times)[:, None] * DIM_PAD + dims[None, :], mask=ok[:, None], other=0)
    if ROTATE:
        q_even, q_odd = q_even * cos - q_odd * sin, q_odd * cos + q_even * sin
        k_even, k_odd = k_even * cos - k_odd * sin, k_odd * cos + k_even * sin
    tl.store(keys_ptr + (cache + position) * 2 * HALF_PAD + half, k_even)
    tl.store(keys_ptr + (cache + position) * 2 * HALF_PAD + HALF_PAD + half, k_odd)
    tl.store(values_ptr + (cache + position) * DIM_PAD + dims, value)
    own = tl.sum(q_even * k_even + q_odd * k_odd, 0) * scale
    scores = tl.sum(keys_even * q_even[None, :] + keys_odd * q_odd[None, :], 1) * scale
    scores = tl.where(ok, scores, float("-inf"))
    top = tl.maximum(tl.max(scores, 0), own)
    weights = tl.exp(scores - top)
    own_weight = tl.exp(own - top)
    out = (tl.sum(values * weights[:, None], 0) + own_weight * value) / (tl.sum(weights, 0) + own_weight)
    tl.store(out_ptr + batch * HEADS * DIM + head * DIM + dims, out.to(out_ptr.dtype.element_ty), mask=dims_ok)
