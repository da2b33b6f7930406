"""Stop decision, code sampling and the embeddings that follow, without a look from the host."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait


@triton.jit
def _mix(x):
    """The finaliser of splitmix64, on uint64."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB
    return x ^ (x >> 31)


@triton.jit
def _gumbel(seed, frame, channel, tokens):
    """Gumbel noise as `engine.lm.sampling.gumbel_noise` defines it, its logarithms in float32.

    -ln(u) of the upper half goes through the exact complement 1 - u, so float32 keeps its relative precision at both ends.
    """
    step = 0x9E3779B97F4A7C15
    counter = (frame.to(tl.uint64) * 64 + channel.to(tl.uint64)) * step
    key = _mix(_mix(seed.to(tl.uint64) + step) ^ counter)
    bits = _mix(key + (tokens + 1).to(tl.uint64) * step) >> 11
    low = (bits.to(tl.float32) + 0.5) * (1.0 / 9007199254740992.0)
    high = ((9007199254740991 - bits).to(tl.float32) + 0.5) * (1.0 / 9007199254740992.0)
    # -ln(1 - h) = 2 artanh(z), z = h / (2 - h) <= 1/3: seven terms reach float32.
    z = high / (2.0 - high)
    z2 = z * z
    tail = z2 * (1 / 3 + z2 * (1 / 5 + z2 * (1 / 7 + z2 * (1 / 9 + z2 * (1 / 11 + z2 * (1 / 13 + z2 * (1 / 15)))))))
    minus_log = tl.where(low < 0.5, -tl.log(low), 2.0 * z * (1.0 + tail))
    return -tl.log(minus_log)


@triton.jit
def _least(scores):
    """The lowest score that is a number's."""
    return tl.min(tl.where(scores == float("-inf"), float("inf"), scores), 0)


@triton.jit
def _kth_largest(scores, k):
    """A t with `scores >= t` true for the k largest and those that equal the last of them; for all where there are not so many.

    Bisection, until the count is k or no float lies between. It takes ten rounds or so, each a sum over all.
    """
    low = _least(scores)
    high = tl.max(scores, 0)
    count = tl.sum((scores >= low).to(tl.int32), 0)
    if tl.sum((scores >= high).to(tl.int32), 0) >= k:
        low = high
        count = k
    while count > k:
        middle = low + 0.5 * (high - low)
        above = tl.sum((scores >= middle).to(tl.int32), 0)
        if (middle <= low) | (middle >= high):
            count = k
        elif above >= k:
            low = middle
            count = above
        else:
            high = middle
    return low


@triton.jit
def _nucleus(scores, probs, mass):
    """A t with `scores >= t` true for the fewest largest that have more than `mass` of probability: the token that crosses stays, the first
    always does."""
    low = _least(scores)
    high = tl.max(scores, 0)
    between = tl.sum((scores >= low).to(tl.int32), 0) - tl.sum((scores >= high).to(tl.int32), 0)
    if tl.sum(tl.where(scores >= high, probs, 0.0), 0) > mass:
        low = high
        between = 0
    while between > 1:
        middle = low + 0.5 * (high - low)
        part = tl.sum(((scores >= low) & (scores < middle)).to(tl.int32), 0)
        enough = tl.sum(tl.where(scores >= middle, probs, 0.0), 0) > mass
        if (middle <= low) | (middle >= high):
            between = 0
        elif enough:
            low = middle
            between -= part
        else:
            high = middle
            between = part
    return low


@triton.jit
def _pick(logits, ok, temperature, top_k, top_p, noise):
    """Temperature, top-k, top-p, then Gumbel arg-max; temperature 0 is arg-max of the logits."""
    greedy = temperature <= 0.0
    scores = logits / tl.where(greedy, 1.0, temperature)
    # An infinite score has no middle; what is no number is as unlikely as can be.
    scores = tl.where(ok, tl.minimum(tl.maximum(scores, -1.0e38), 1.0e38), float("-inf"))
    if not greedy:
        if top_k > 0:
            scores = tl.where(scores >= _kth_largest(scores, top_k), scores, float("-inf"))
        if (top_p > 0.0) & (top_p < 1.0):
            weights = tl.exp(scores - tl.max(scores, 0))
            weights = weights / tl.sum(weights, 0)
            scores = tl.where(scores >= _nucleus(scores, weights, top_p), scores, float("-inf"))
        scores = tl.where(scores == float("-inf"), scores, scores + noise)
    return tl.argmax(scores, 0)


@triton.jit(do_not_specialize=["channel", "STRIDE"])
def sample_kernel(
    logits_ptr, history_ptr, codes_ptr, live_ptr, frame_ptr, seed_ptr, floats_ptr, ints_ptr,
    embedding_ptr, gain_ptr, residual_ptr, out_ptr, out_stats_ptr, force_ptr,
    channel, SIZE, VOCAB, STRIDE, DIM, CAPACITY,
    FIRST: tl.constexpr, CHANNELS: tl.constexpr, BLOCK: tl.constexpr, BLOCK_D: tl.constexpr, LAST: tl.constexpr, PDL: tl.constexpr,
):
    """Grid (B,). Samples the code of `channel` (0-based) and, with the FIRST one, the stop decision; leaves the next local input.

    Args (shapes; B rows, C codebooks, V codes, D width):
        logits `[B, STRIDE]` float32: SIZE codes, for the first channel followed by the two stop logits (continue, stop).
        history `[B, C, V]` uint8: codes already emitted by the row. codes `[B, C]` int32. live `[B]` int32. frame `[B]` int32.
        seed `[B]` int64. floats `[B, 5]`: audio temperature, top-p, repetition penalty; stop temperature, top-p.
        ints `[B, 2]`: audio top-k, stop top-k. force `[1]` int32: 0 lets the stop head decide, 1 never stops.
        embedding `[V, D]`, gain `[D]` float32; residual `[B, D]` float32, out `[B, D]`, out_stats `[2, 1, B]`: what `Linear` reads.
    """
    if PDL:
        gdc_launch_dependents()
    row = tl.program_id(0)
    # Nothing before this kernel in the frame writes these, so they need not wait for it.
    frame = tl.load(frame_ptr + row)
    seed = tl.load(seed_ptr + row)
    temperature, top_p, penalty = tl.load(floats_ptr + row * 5), tl.load(floats_ptr + row * 5 + 1), tl.load(floats_ptr + row * 5 + 2)
    top_k = tl.load(ints_ptr + row * 2)
    tokens = tl.arange(0, BLOCK)
    ok = tokens < SIZE
    seen_at = history_ptr + (row * CHANNELS + channel) * VOCAB
    seen = tl.load(seen_at + tokens, mask=ok, other=0) != 0
    if not LAST:
        dims = tl.arange(0, BLOCK_D)
        dims_ok = dims < DIM
        gain = tl.load(gain_ptr + dims, mask=dims_ok, other=0)
    noise = _gumbel(seed, frame, channel + 1, tokens)
    if FIRST:
        two = tl.arange(0, 2)
        stop_temperature, stop_top_p = tl.load(floats_ptr + row * 5 + 3), tl.load(floats_ptr + row * 5 + 4)
        stop_top_k, never_stop = tl.load(ints_ptr + row * 2 + 1), tl.load(force_ptr)
        stop_noise = _gumbel(seed, frame, channel, two)
    if PDL:
        gdc_wait()
    logits = tl.load(logits_ptr + row * STRIDE + tokens, mask=ok, other=0)
    live = tl.load(live_ptr + row)
    if FIRST:
        stop_logits = tl.load(logits_ptr + row * STRIDE + SIZE + two)
        stop = _pick(stop_logits, two < 2, stop_temperature, stop_top_k, stop_top_p, stop_noise)
        if (stop == 1) & (never_stop == 0):
            live = 0
            tl.store(live_ptr + row, live)
    logits = tl.where(seen, tl.where(logits < 0, logits * penalty, logits / penalty), logits)
    code = _pick(logits, ok, temperature, top_k, top_p, noise).to(tl.int32)
    tl.store(codes_ptr + row * CHANNELS + channel, code)
    if live != 0:
        tl.store(seen_at + code, 1)
    if not LAST:
        x = tl.load(embedding_ptr + code.to(tl.int64) * DIM + dims, mask=dims_ok, other=0).to(tl.float32)
        tl.store(residual_ptr + row * DIM + dims, x, mask=dims_ok)
        tl.store(out_stats_ptr + row, tl.sum(x, 0))
        tl.store(out_stats_ptr + CAPACITY + row, tl.sum(x * x, 0))
        tl.store(out_ptr + row * DIM + dims, (x * gain).to(out_ptr.dtype.element_ty), mask=dims_ok)


@triton.jit
def next_input_kernel(
    codes_ptr, live_ptr, frame_ptr, ring_ptr, ring_at_ptr, slot_ptr, tables_ptr, gain_ptr, residual_ptr, out_ptr, out_stats_ptr,
    DIM, VOCAB, RING, CAPACITY,
    CHANNELS: tl.constexpr, BLOCK_D: tl.constexpr, PDL: tl.constexpr,
):
    """Grid (B,). The row of the next step: slot embedding plus the code embeddings, added in channel order in the model's dtype.

    Also writes codes and live flag to `ring[at % RING, B, CHANNELS + 1]` for the host and moves the frame of live rows on.
    """
    if PDL:
        gdc_launch_dependents()
    row = tl.program_id(0)
    dims = tl.arange(0, BLOCK_D)
    ok = dims < DIM
    dtype = slot_ptr.dtype.element_ty
    x = tl.load(slot_ptr + dims, mask=ok, other=0)
    gain = tl.load(gain_ptr + dims, mask=ok, other=0)
    if PDL:
        gdc_wait()
    live = tl.load(live_ptr + row)
    at = tl.load(ring_at_ptr + row)
    frame = tl.load(frame_ptr + row)
    codes = ()
    for channel in tl.static_range(CHANNELS):
        codes = codes + (tl.load(codes_ptr + row * CHANNELS + channel),)
    rows = ()  # all of them are asked for before anything waits for the first
    for channel in tl.static_range(CHANNELS):
        rows = rows + (tl.load(tables_ptr + (channel * VOCAB + codes[channel]).to(tl.int64) * DIM + dims, mask=ok, other=0),)
    for channel in tl.static_range(CHANNELS):
        x = (x.to(tl.float32) + rows[channel].to(tl.float32)).to(dtype)
    x = x.to(tl.float32)
    tl.store(residual_ptr + row * DIM + dims, x, mask=ok)
    tl.store(out_stats_ptr + row, tl.sum(x, 0))
    tl.store(out_stats_ptr + CAPACITY + row, tl.sum(x * x, 0))
    tl.store(out_ptr + row * DIM + dims, (x * gain).to(out_ptr.dtype.element_ty), mask=ok)
    ring = ring_ptr + ((at % RING) * CAPACITY + row) * (CHANNELS + 1)
    for channel in tl.static_range(CHANNELS):
        tl.store(ring + channel, codes[channel])
    tl.store(ring + CHANNELS, live)
    tl.store(ring_at_ptr + row, at + 1)
    tl.store(frame_ptr + row, frame + live)


@triton.jit(do_not_specialize=["STATS_IN"])
def advance_kernel(
    residual_ptr, stats_ptr, norm_gain_ptr, gain_ptr, local_ptr, out_ptr, out_stats_ptr, live_ptr, position_ptr,
    STATS_IN, CAPACITY, DIM, eps, BLOCK_P: tl.constexpr, BLOCK_D: tl.constexpr, PDL: tl.constexpr,
):
    """Grid (B,). Final RMSNorm of the backbone; its result is the local transformer's first input. Moves the position of live rows on."""
    if PDL:
        gdc_launch_dependents()
    row = tl.program_id(0)
    dims = tl.arange(0, BLOCK_D)
    ok = dims < DIM
    norm_gain = tl.load(norm_gain_ptr + dims, mask=ok, other=0)
    gain = tl.load(gain_ptr + dims, mask=ok, other=0)
    if PDL:
        gdc_wait()
    parts = tl.arange(0, BLOCK_P)
    squares = tl.load(stats_ptr + (STATS_IN + parts) * CAPACITY + row, mask=parts < STATS_IN, other=0)
    x = tl.load(residual_ptr + row * DIM + dims, mask=ok, other=0)
    moved = tl.load(position_ptr + row) + tl.load(live_ptr + row)
    x = x * (1.0 / tl.sqrt(tl.sum(squares, 0) / DIM + eps)) * norm_gain
    # The hidden state is handed on in the model's dtype, as between the two transformers of the reference.
    x = x.to(out_ptr.dtype.element_ty).to(tl.float32)
    tl.store(local_ptr + row * DIM + dims, x, mask=ok)
    tl.store(out_stats_ptr + row, tl.sum(x, 0))
    tl.store(out_stats_ptr + CAPACITY + row, tl.sum(x * x, 0))
    tl.store(out_ptr + row * DIM + dims, (x * gain).to(out_ptr.dtype.element_ty), mask=ok)
    tl.store(position_ptr + row, moved)
