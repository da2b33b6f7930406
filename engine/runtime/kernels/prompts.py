"""A prompt on its way into a row: embeddings, keys and values, attention, and the state from which the row speaks.

What differs from prompt to prompt is read from the device's memory, so that one graph serves all that fit its bucket. `job` is int32:
the position of the first row, how many rows are real, the row of the bucket, whether it speaks after this piece, its next position,
where its codes are written next, and top-k of codes and stop decision. Rows that are not real are multiplied like the others, but write
no key, no value and no state, and no real row reads them.
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait


@triton.jit
def embed_rows_kernel(
    job_ptr, ids_ptr, text_ptr, tables_ptr, gain_ptr, residual_ptr, out_ptr, stats_ptr, VOCAB, PAD, DIM, STRIDE,
    CHANNELS: tl.constexpr, BLOCK_D: tl.constexpr, TEXT_GIVEN: tl.constexpr,
):
    """Grid (rows,). Text embedding plus the sum of the code embeddings, rounded as `SpeechLM.embed` does; zeros where no row is real.

    Layout: ids int32 `[rows, CHANNELS + 1]`: a text id, then codes (PAD adds nothing); text `[vocab, DIM]`, or the rows' own
    `[rows, DIM]` with TEXT_GIVEN; tables `[CHANNELS, VOCAB, DIM]`; residual, out and stats: what `Linear` reads.
    """
    t = tl.program_id(0)
    real = t < tl.load(job_ptr + 1)
    dims = tl.arange(0, BLOCK_D)
    ok = (dims < DIM) & real
    dtype = out_ptr.dtype.element_ty
    ids = ids_ptr + t * (CHANNELS + 1)
    x = tl.zeros((BLOCK_D,), tl.float32)
    for channel in tl.static_range(CHANNELS):
        code = tl.load(ids + 1 + channel, mask=real, other=PAD)
        row = tables_ptr + (channel * VOCAB + code).to(tl.int64) * DIM
        x += tl.load(row + dims, mask=ok & (code != PAD), other=0).to(tl.float32)
    x = x.to(dtype).to(tl.float32)
    text = t
    if not TEXT_GIVEN:
        text = tl.load(ids, mask=real, other=0)
    x += tl.load(text_ptr + text.to(tl.int64) * DIM + dims, mask=ok, other=0).to(tl.float32)
    x = x.to(dtype).to(tl.float32)
    place = t.to(tl.int64) * DIM + dims
    tl.store(residual_ptr + place, x, mask=dims < DIM)
    tl.store(stats_ptr + t, tl.sum(x, 0))
    tl.store(stats_ptr + STRIDE + t, tl.sum(x * x, 0))
    x = x * tl.load(gain_ptr + dims, mask=dims < DIM, other=0)
    tl.store(out_ptr + place, x.to(dtype), mask=dims < DIM)


@triton.jit
def add_rows_kernel(y_ptr, gain_ptr, residual_ptr, out_ptr, stats_ptr, DIM, STRIDE, BLOCK_D: tl.constexpr, PDL: tl.constexpr):
    """Grid (rows,). residual += y, and what the next product and its norm read: as `Linear.add` leaves them, the sums in one part."""
    if PDL:
        gdc_launch_dependents()
        gdc_wait()
    t = tl.program_id(0)
    dims = tl.arange(0, BLOCK_D)
    ok = dims < DIM
    place = t.to(tl.int64) * DIM + dims
    x = tl.load(residual_ptr + place, mask=ok, other=0) + tl.load(y_ptr + place, mask=ok, other=0).to(tl.float32)
    tl.store(residual_ptr + place, x, mask=ok)
    tl.store(stats_ptr + t, tl.sum(x, 0))
    tl.store(stats_ptr + STRIDE + t, tl.sum(x * x, 0))
    x = x * tl.load(gain_ptr + dims, mask=ok, other=0)
    tl.store(out_ptr + place, x.to(out_ptr.dtype.element_ty), mask=ok)


@triton.jit
def gate_rows_kernel(y_ptr, stats_ptr, out_ptr, INNER, STRIDE, hidden, eps, BLOCK: tl.constexpr, PDL: tl.constexpr):
    """Grid (rows, ceil(INNER / BLOCK)). out = silu(gate) · up after the norm of the input; y `[rows, 2 INNER]`: gate, then up."""
    if PDL:
        gdc_launch_dependents()
        gdc_wait()
    t = tl.program_id(0).to(tl.int64)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    ok = at < INNER
    inv = 1.0 / tl.sqrt(tl.load(stats_ptr + STRIDE + t) / hidden + eps)
    gate = tl.load(y_ptr + t * 2 * INNER + at, mask=ok, other=0).to(tl.float32) * inv
    up = tl.load(y_ptr + t * 2 * INNER + INNER + at, mask=ok, other=0).to(tl.float32) * inv
    tl.store(out_ptr + t * INNER + at, (gate / (1.0 + tl.exp(-gate)) * up).to(out_ptr.dtype.element_ty), mask=ok)


@triton.jit
def place_rows_kernel(
    job_ptr, qkv_ptr, stats_ptr, query_ptr, keys_ptr, values_ptr, page_table_ptr, q_gain_ptr, k_gain_ptr, cos_ptr, sin_ptr,
    PAGES_PER_ROW, STRIDE, hidden, scale, eps,
    HEADS: tl.constexpr, KV_HEADS: tl.constexpr, DIM: tl.constexpr, PAGE: tl.constexpr, NORMED: tl.constexpr, PDL: tl.constexpr,
):
    """Grid (rows, HEADS + 2 KV_HEADS). Queries normed, rotated and scaled into `query`, keys and values into the row's pages.

    Layout: qkv `[rows, (HEADS + 2 KV_HEADS) DIM]`, query `[rows, HEADS DIM]`, page_table `[bucket, PAGES_PER_ROW]`. Where the product
    has not applied the norm of its input (not NORMED), `stats` are the sums for it.
    """
    if PDL:
        gdc_launch_dependents()
        gdc_wait()
    t = tl.program_id(0)
    if t >= tl.load(job_ptr + 1):
        return
    head = tl.program_id(1)
    position = tl.load(job_ptr) + t
    HALF: tl.constexpr = DIM // 2
    half = tl.arange(0, HALF)
    source = qkv_ptr + t.to(tl.int64) * (HEADS + 2 * KV_HEADS) * DIM + head * DIM
    low = tl.load(source + half).to(tl.float32)
    high = tl.load(source + HALF + half).to(tl.float32)
    if not NORMED:
        inv = 1.0 / tl.sqrt(tl.load(stats_ptr + STRIDE + t) / hidden + eps)
        low = low * inv
        high = high * inv
    page = tl.load(page_table_ptr + tl.load(job_ptr + 2) * PAGES_PER_ROW + position // PAGE).to(tl.int64)
    dtype = keys_ptr.dtype.element_ty
    if head < HEADS + KV_HEADS:
        norm = 1.0 / tl.sqrt((tl.sum(low * low, 0) + tl.sum(high * high, 0)) / DIM + eps)
        is_query = head < HEADS
        gain_low = tl.where(is_query, tl.load(q_gain_ptr + half), tl.load(k_gain_ptr + half))
        gain_high = tl.where(is_query, tl.load(q_gain_ptr + HALF + half), tl.load(k_gain_ptr + HALF + half))
        low = low * norm * gain_low
        high = high * norm * gain_high
        cos = tl.load(cos_ptr + position * HALF + half)
        sin = tl.load(sin_ptr + position * HALF + half)
        turned = low * cos - high * sin
        high = high * cos + low * sin
        low = turned
    if head < HEADS:
        place = query_ptr + t.to(tl.int64) * HEADS * DIM + head * DIM
        tl.store(place + half, (low * scale).to(dtype))
        tl.store(place + HALF + half, (high * scale).to(dtype))
    else:
        slot = page * KV_HEADS * PAGE * DIM + (position % PAGE) * DIM
        if head < HEADS + KV_HEADS:
            place = keys_ptr + slot + (head - HEADS) * PAGE * DIM
            tl.store(place + half, low.to(dtype))
            tl.store(place + HALF + half, high.to(dtype))
        else:
            place = values_ptr + slot + (head - HEADS - KV_HEADS) * PAGE * DIM
            tl.store(place + half, low.to(dtype))
            tl.store(place + HALF + half, high.to(dtype))


@triton.jit
def prompt_attention_kernel(
    job_ptr, query_ptr, keys_ptr, values_ptr, page_table_ptr, out_ptr, PAGES_PER_ROW,
    HEADS: tl.constexpr, KV_HEADS: tl.constexpr, DIM: tl.constexpr, PAGE: tl.constexpr,
    BLOCK_Q: tl.constexpr, BLOCK_T: tl.constexpr, STAGES: tl.constexpr, PDL: tl.constexpr,
):
    """Grid (ceil(rows / BLOCK_Q), HEADS). Causal attention of the real rows over everything up to them in the row's pages."""
    if PDL:
        gdc_launch_dependents()
        gdc_wait()
    head = tl.program_id(1)
    start_at = tl.load(job_ptr)
    count = tl.load(job_ptr + 1)
    begin = tl.program_id(0) * BLOCK_Q
    if begin >= count:
        return
    pages = page_table_ptr + tl.load(job_ptr + 2) * PAGES_PER_ROW
    at = begin + tl.arange(0, BLOCK_Q)
    ok = at < count
    dims = tl.arange(0, DIM)
    q = tl.load(query_ptr + at[:, None].to(tl.int64) * HEADS * DIM + head * DIM + dims[None, :], mask=ok[:, None], other=0)
    top = tl.full((BLOCK_Q,), -1.0e30, tl.float32)
    total = tl.zeros((BLOCK_Q,), tl.float32)
    acc = tl.zeros((BLOCK_Q, DIM), tl.float32)
    times = tl.arange(0, BLOCK_T)
    end = start_at + tl.minimum(begin + BLOCK_Q, count)
    kv = head // (HEADS // KV_HEADS)
    for start in tl.range(0, end, BLOCK_T, num_stages=STAGES):
        page = tl.load(pages + start // PAGE).to(tl.int64)
        tile = (page * KV_HEADS + kv) * PAGE * DIM + (start % PAGE + times)[:, None] * DIM + dims[None, :]
        there = start + times < end
        k = tl.load(keys_ptr + tile, mask=there[:, None], other=0)
        v = tl.load(values_ptr + tile, mask=there[:, None], other=0)
        scores = tl.dot(q, k.T, input_precision="ieee")
        scores = tl.where((start + times)[None, :] <= (start_at + at)[:, None], scores, float("-inf"))
        new_top = tl.maximum(top, tl.max(scores, 1))
        shrink = tl.exp(top - new_top)
        weights = tl.exp(scores - new_top[:, None])
        total = total * shrink + tl.sum(weights, 1)
        acc = tl.dot(weights.to(v.dtype), v, acc * shrink[:, None], input_precision="ieee")
        top = new_top
    out = out_ptr + at[:, None].to(tl.int64) * HEADS * DIM + head * DIM + dims[None, :]
    tl.store(out, (acc / total[:, None]).to(out_ptr.dtype.element_ty), mask=ok[:, None])


@triton.jit
def start_row_kernel(
    job_ptr, job_seed_ptr, job_floats_ptr, residual_ptr, norm_gain_ptr, gain_ptr,
    live_ptr, frame_ptr, position_ptr, ring_at_ptr, seed_ptr, floats_ptr, ints_ptr, history_ptr, local_ptr, out_ptr, out_stats_ptr,
    DIM, VOCAB, CAPACITY, eps,
    CHANNELS: tl.constexpr, BLOCK_V: tl.constexpr, BLOCK_D: tl.constexpr,
):
    """Grid (CHANNELS + 1,). The row's state, and its local transformer's first input from the last real row; nothing unless it speaks.

    The sampler reads seed, frame, settings and history before it waits, so this kernel lets nothing begin before its own end.
    """
    if tl.load(job_ptr + 3) == 0:
        return
    row = tl.load(job_ptr + 2)
    channel = tl.program_id(0)
    if channel < CHANNELS:
        codes = tl.arange(0, BLOCK_V)
        tl.store(history_ptr + (row * CHANNELS + channel) * VOCAB + codes, tl.zeros((BLOCK_V,), tl.uint8), mask=codes < VOCAB)
        return
    last = (tl.load(job_ptr + 1) - 1).to(tl.int64)
    dims = tl.arange(0, BLOCK_D)
    ok = dims < DIM
    x = tl.load(residual_ptr + last * DIM + dims, mask=ok, other=0)
    x = x * (1.0 / tl.sqrt(tl.sum(x * x, 0) / DIM + eps)) * tl.load(norm_gain_ptr + dims, mask=ok, other=0)
    # The hidden state is handed on in the model's dtype, as between the two transformers of the reference.
    x = x.to(out_ptr.dtype.element_ty).to(tl.float32)
    tl.store(local_ptr + row * DIM + dims, x, mask=ok)
    tl.store(out_stats_ptr + row, tl.sum(x, 0))
    tl.store(out_stats_ptr + CAPACITY + row, tl.sum(x * x, 0))
    gained = x * tl.load(gain_ptr + dims, mask=ok, other=0)
    tl.store(out_ptr + row * DIM + dims, gained.to(out_ptr.dtype.element_ty), mask=ok)
    tl.store(live_ptr + row, 1)
    tl.store(frame_ptr + row, 0)
    tl.store(position_ptr + row, tl.load(job_ptr + 4))
    tl.store(ring_at_ptr + row, tl.load(job_ptr + 5))
    tl.store(seed_ptr + row, tl.load(job_seed_ptr))
    two = tl.arange(0, 2)
    tl.store(ints_ptr + row * 2 + two, tl.load(job_ptr + 6 + two))
    five = tl.arange(0, 8)
    tl.store(floats_ptr + row * 5 + five, tl.load(job_floats_ptr + five, mask=five < 5, other=0), mask=five < 5)
