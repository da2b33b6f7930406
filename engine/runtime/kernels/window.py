"""Attention of a codec's stage: some new positions over a window of old ones, which each stream keeps in a ring."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait


@triton.jit
def _turned(row_ptr, at, ok, stride, cos_high, sin_high, cos_low, sin_low, positions, ROWS: tl.constexpr, HALF: tl.constexpr):
    """Heads' rows `[T, 2 HALF]` rotated by their positions in neighbouring pairs, float32.

    The angle of position 1024 a + b is the product of two table entries, so that hours into a stream it is as exact as at 0.
    """
    half = tl.arange(0, HALF)
    even = tl.load(row_ptr + at[:, None] * stride + 2 * half[None, :], mask=ok[:, None], other=0).to(tl.float32)
    odd = tl.load(row_ptr + at[:, None] * stride + 2 * half[None, :] + 1, mask=ok[:, None], other=0).to(tl.float32)
    high = (positions // 1024)[:, None] * HALF + half[None, :]
    low = (positions % 1024)[:, None] * HALF + half[None, :]
    ch, sh = tl.load(cos_high + high, mask=ok[:, None], other=0), tl.load(sin_high + high, mask=ok[:, None], other=0)
    cl, sl = tl.load(cos_low + low, mask=ok[:, None], other=0), tl.load(sin_low + low, mask=ok[:, None], other=0)
    cos, sin = ch * cl - sh * sl, sh * cl + ch * sl
    return tl.reshape(tl.join(even * cos - odd * sin, odd * cos + even * sin), (ROWS, 2 * HALF))


@triton.jit(do_not_specialize=["COUNT", "PER_FRAME"])
def window_attention_kernel(
    qkv_ptr, keys_ptr, values_ptr, frames_ptr, slots_ptr, cos_high, sin_high, cos_low, sin_low, out_ptr,
    COUNT, PER_FRAME, scale,
    HEADS: tl.constexpr, DIM: tl.constexpr, CONTEXT: tl.constexpr, CAPACITY: tl.constexpr,
    BLOCK_Q: tl.constexpr, BLOCK_T: tl.constexpr, STAGES: tl.constexpr, PDL: tl.constexpr,
):
    """Grid (ceil(COUNT / BLOCK_Q), HEADS, B): COUNT new positions of B streams over the last CONTEXT keys, themselves included.

    Old keys come from each slot's ring of CAPACITY >= CONTEXT + COUNT positions, new ones from qkv, so nothing that is still
    needed is overwritten. Each block of queries also writes its own keys (rotated) and values into the ring.

    Layout: qkv `[B COUNT, 3 HEADS DIM]`; keys, values `[slots, HEADS, CAPACITY, DIM]`;
    frames int32 `[slots]` that the stream has been through; slots int32 `[B]`; out `[B COUNT, HEADS DIM]`.
    """
    if PDL:
        gdc_launch_dependents()
    HALF: tl.constexpr = DIM // 2
    head = tl.program_id(1)
    batch = tl.program_id(2)
    slot = tl.load(slots_ptr + batch).to(tl.int64)
    first = tl.load(frames_ptr + slot) * PER_FRAME
    dims = tl.arange(0, DIM)
    stride = 3 * HEADS * DIM
    row = qkv_ptr + batch.to(tl.int64) * COUNT * stride + head * DIM
    begin = tl.program_id(0) * BLOCK_Q
    at = begin + tl.arange(0, BLOCK_Q)
    ok = at < COUNT
    dtype = keys_ptr.dtype.element_ty
    ring = (slot * HEADS + head) * CAPACITY * DIM
    times = tl.arange(0, BLOCK_T)
    oldest = tl.maximum(first + begin - CONTEXT + 1, 0)
    # Old keys do not depend on the kernel before this one: the first tile is asked for before it has ended.
    position = oldest + times
    there = position < first
    index = ring + (position % CAPACITY)[:, None] * DIM
    k = tl.load(keys_ptr + index + dims[None, :], mask=there[:, None], other=0)
    v = tl.load(values_ptr + index + dims[None, :], mask=there[:, None], other=0)
    if PDL:
        gdc_wait()
    q = _turned(row, at, ok, stride, cos_high, sin_high, cos_low, sin_low, first + at, BLOCK_Q, HALF)
    q = (q * scale).to(dtype)
    scores = tl.dot(q, k.T, input_precision="ieee")
    seen = there[None, :] & ((first + at)[:, None] - position[None, :] < CONTEXT)
    scores = tl.where(seen, scores, float("-inf"))
    top = tl.maximum(tl.max(scores, 1), -1.0e30)
    weights = tl.exp(scores - top[:, None])
    total = tl.sum(weights, 1)
    acc = tl.dot(weights.to(dtype), v, input_precision="ieee")
    for start in tl.range(oldest + BLOCK_T, first, BLOCK_T, num_stages=STAGES):
        position = start + times
        there = position < first
        index = ring + (position % CAPACITY)[:, None] * DIM
        k = tl.load(keys_ptr + index + dims[None, :], mask=there[:, None], other=0)
        v = tl.load(values_ptr + index + dims[None, :], mask=there[:, None], other=0)
        scores = tl.dot(q, k.T, input_precision="ieee")
        seen = there[None, :] & ((first + at)[:, None] - position[None, :] < CONTEXT)
        scores = tl.where(seen, scores, float("-inf"))
        new_top = tl.maximum(top, tl.max(scores, 1))
        shrink = tl.exp(top - new_top)
        weights = tl.exp(scores - new_top[:, None])
        total = total * shrink + tl.sum(weights, 1)
        acc = tl.dot(weights.to(dtype), v, acc * shrink[:, None], input_precision="ieee")
        top = new_top

    nearest = tl.maximum(begin - CONTEXT + 1, 0) // BLOCK_Q * BLOCK_Q
    for start in tl.range(nearest, begin + BLOCK_Q, BLOCK_Q):
        new = start + tl.arange(0, BLOCK_Q)
        present = new < COUNT
        key = _turned(row + HEADS * DIM, new, present, stride, cos_high, sin_high, cos_low, sin_low, first + new, BLOCK_Q, HALF).to(dtype)
        value = tl.load(row + 2 * HEADS * DIM + new[:, None] * stride + dims[None, :], mask=present[:, None], other=0)
        if start == begin:
            place = ring + ((first + new) % CAPACITY)[:, None] * DIM
            tl.store(keys_ptr + place + dims[None, :], key, mask=present[:, None])
            tl.store(values_ptr + place + dims[None, :], value, mask=present[:, None])
        logits = tl.dot(q, key.T, input_precision="ieee")
        distance = at[:, None] - new[None, :]
        logits = tl.where((distance >= 0) & (distance < CONTEXT) & present[None, :], logits, float("-inf"))
        new_top = tl.maximum(top, tl.max(logits, 1))
        shrink = tl.exp(top - new_top)
        shares = tl.exp(logits - new_top[:, None])
        total = total * shrink + tl.sum(shares, 1)
        acc = tl.dot(shares.to(dtype), value, acc * shrink[:, None], input_precision="ieee")
        top = new_top
    out = out_ptr + (batch.to(tl.int64) * COUNT + at)[:, None] * HEADS * DIM + head * DIM + dims[None, :]
    tl.store(out, (acc / total[:, None]).to(out_ptr.dtype.element_ty), mask=ok[:, None])
