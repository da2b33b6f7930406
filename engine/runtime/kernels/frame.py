"""All layers of the backbone, and all codebooks of a frame, for one row: one kernel each, whose blocks stay.

A row is a chain of some 250 products, each of which takes less time to read than a kernel takes to start and drain. Here a few blocks on each
multiprocessor go through the chain together and meet after each part (`kernels.meeting`); the launch is cooperative, so that none of them waits
for one that has no place. Each block has its share of the rows of every weight. While it waits for the others it already asks for the first
weights of the next part, which depend on nobody; they wait in registers, as the rest passes through shared memory.

The arithmetic is that of `kernels.linear`: residual and norms in float32, `x * gain` and partial sums of x and x² left by the producer. What a
product makes of its rows is worked out once for all rows of a block, when its loop has ended.
"""

from __future__ import annotations

import triton
import triton.language as tl

from engine.runtime.kernels.attention import attend, local_attend
from engine.runtime.kernels.meeting import arrive, leave, wait_for
from engine.runtime.kernels.sampling import advance_row, gumbel, next_input_row, sample_row
from engine.runtime.kernels.words import EXPONENTS, add_int8, four_x

_INT8 = tl.constexpr(EXPONENTS[8])


@triton.jit
def _share(pid, blocks, N, EACH: tl.constexpr):
    """First tile of a block, and how many it has: tiles of EACH results, shared out evenly."""
    tiles = (N + EACH - 1) // EACH
    first = tiles * pid // blocks
    return first, tiles * (pid + 1) // blocks - first


@triton.jit
def _weights(w_ptr, tile, chunk, N, K: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GATED: tl.constexpr, BITS: tl.constexpr):
    """BLOCK_N rows of weights over BLOCK_K columns, as int32 words of four where BITS is 8. GATED: results are pairs of rows, N apart."""
    ROW: tl.constexpr = K * BITS // 32 if BITS == 8 else K
    COLS: tl.constexpr = BLOCK_K * BITS // 32 if BITS == 8 else BLOCK_K
    r = tl.arange(0, BLOCK_N)
    # Rows past the end read the last one; nobody stores what comes of it.
    if GATED:
        row = tl.minimum(tile * (BLOCK_N // 2) + r // 2, N - 1) + r % 2 * N
    else:
        row = tl.minimum(tile * BLOCK_N + r, N - 1)
    cols = chunk * COLS + tl.arange(0, COLS)
    at = w_ptr + row.to(tl.int64)[:, None] * ROW + cols[None, :]
    if ROW % COLS == 0:
        return tl.load(at)
    else:
        return tl.load(at, mask=(cols < ROW)[None, :], other=0)


@triton.jit
def _added(acc, w, x_ptr, chunk, exponent, K: tl.constexpr, BLOCK_K: tl.constexpr, BITS: tl.constexpr, ASM: tl.constexpr):
    """acc plus the products of a chunk of columns, still apart."""
    if BITS == 8:
        words = chunk * (BLOCK_K // 4) + tl.arange(0, BLOCK_K // 4)
        x0, x1, x2, x3 = four_x(x_ptr, words, words < K // 4, K % BLOCK_K == 0)
        return add_int8(acc, w, x0, x1, x2, x3, exponent, ASM)
    else:
        cols = chunk * BLOCK_K + tl.arange(0, BLOCK_K)
        if K % BLOCK_K == 0:
            x = tl.load(x_ptr + cols)
        else:
            x = tl.load(x_ptr + cols, mask=cols < K, other=0)
        return acc + w.to(tl.float32) * x.to(tl.float32)[None, :]


@triton.jit
def _ahead(w_ptr, first, N, K: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GATED: tl.constexpr, BITS: tl.constexpr, AHEAD: tl.constexpr):
    """The first chunks of a block's first tile, to be asked for before the input is there."""
    CHUNKS: tl.constexpr = (K + BLOCK_K - 1) // BLOCK_K
    chunks = ()
    for chunk in tl.static_range(AHEAD if AHEAD < CHUNKS else CHUNKS):
        chunks = chunks + (_weights(w_ptr, first, chunk, N, K, BLOCK_N, BLOCK_K, GATED, BITS),)
    return chunks


@triton.jit
def _products(
    ahead, x_ptr, w_ptr, first, mine, N, exponent, K: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GATED: tl.constexpr,
    BITS: tl.constexpr, AHEAD: tl.constexpr, TILES: tl.constexpr, STAGES: tl.constexpr, ASM: tl.constexpr,
):  # fmt: skip
    """x times the rows of this block's tiles: float32 `[TILES, BLOCK_N]`, of which it has `mine`."""
    CHUNKS: tl.constexpr = (K + BLOCK_K - 1) // BLOCK_K
    BEGIN: tl.constexpr = AHEAD if AHEAD < CHUNKS else CHUNKS
    tiles = tl.arange(0, TILES)
    acc = tl.zeros((BLOCK_N, BLOCK_K // 4 if BITS == 8 else BLOCK_K), tl.float32)
    found = tl.zeros((TILES, BLOCK_N), tl.float32)
    for begin in tl.static_range(BEGIN):
        acc = _added(acc, ahead[begin], x_ptr, begin, exponent, K, BLOCK_K, BITS, ASM)
    if BEGIN == CHUNKS:
        found = tl.where((tiles == 0)[:, None], tl.sum(acc, 1)[None, :], found)
    for index in tl.range(BEGIN, mine * CHUNKS, num_stages=STAGES):
        chunk = index % CHUNKS
        w = _weights(w_ptr, first + index // CHUNKS, chunk, N, K, BLOCK_N, BLOCK_K, GATED, BITS)
        acc = _added(tl.where(chunk == 0, 0.0, acc), w, x_ptr, chunk, exponent, K, BLOCK_K, BITS, ASM)
        if chunk == CHUNKS - 1:
            found = tl.where((tiles == index // CHUNKS)[:, None], tl.sum(acc, 1)[None, :], found)
    return found


@triton.jit
def _results(first, mine, N, EACH: tl.constexpr, TILES: tl.constexpr):
    """Which results a block's `[TILES, EACH]` are, and which of them there are."""
    tiles = tl.arange(0, TILES)
    rows = (first + tiles)[:, None] * EACH + tl.arange(0, EACH)[None, :]
    return rows, (tiles < mine)[:, None] & (rows < N)


@triton.jit
def _stored(
    ahead, x_ptr, w_ptr, scale_ptr, stats_ptr, shift_ptr, bias_ptr, out_ptr, first, mine, parts, STRIDE, N, eps, exponent,
    K: tl.constexpr, LAYER: tl.constexpr, SILU: tl.constexpr, GATED: tl.constexpr, BITS: tl.constexpr,
    BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_P: tl.constexpr, AHEAD: tl.constexpr, TILES: tl.constexpr, STAGES: tl.constexpr, ASM: tl.constexpr,
):  # fmt: skip
    """out = act(norm(x) Wᵀ): LayerNorm where LAYER, else RMSNorm."""
    EACH: tl.constexpr = BLOCK_N // 2 if GATED else BLOCK_N
    rows, ok = _results(first, mine, N, EACH, TILES)
    part = tl.arange(0, BLOCK_P)
    there = part < parts
    # All of this is asked for before the products, and waited for after them.
    squares = tl.load(stats_ptr + (parts + part) * STRIDE, mask=there, other=0)
    if BITS == 8:
        scale = tl.load(scale_ptr + rows, mask=ok, other=0)
        if GATED:
            scale_up = tl.load(scale_ptr + N + rows, mask=ok, other=0)
    if LAYER:
        sums = tl.load(stats_ptr + part * STRIDE, mask=there, other=0)
        shift = tl.load(shift_ptr + rows, mask=ok, other=0)
        bias = tl.load(bias_ptr + rows, mask=ok, other=0)
    y = _products(ahead, x_ptr, w_ptr, first, mine, N, exponent, K, BLOCK_N, BLOCK_K, GATED, BITS, AHEAD, TILES, STAGES, ASM)
    square = tl.sum(squares, 0) / K
    if GATED:
        gate, y = tl.split(tl.reshape(y, (TILES, EACH, 2)))
        if BITS == 8:
            gate = gate * scale
            y = y * scale_up
    elif BITS == 8:
        y = y * scale
    if LAYER:
        mean = tl.sum(sums, 0) / K
        y = (y - mean * shift) * (1.0 / tl.sqrt(tl.maximum(square - mean * mean, 0.0) + eps)) + bias
    else:
        inv = 1.0 / tl.sqrt(square + eps)
        y = y * inv
        if GATED:
            gate = gate * inv
            y = gate / (1.0 + tl.exp(-gate)) * y
    if SILU:
        y = y / (1.0 + tl.exp(-y))
    tl.store(out_ptr + rows, y.to(out_ptr.dtype.element_ty), mask=ok)


@triton.jit
def _summed(
    ahead, x_ptr, w_ptr, scale_ptr, bias_ptr, gain_ptr, residual_ptr, gained_ptr, stats_ptr, pid, blocks, first, mine, STRIDE, N, exponent,
    K: tl.constexpr, HAS_BIAS: tl.constexpr, BITS: tl.constexpr,
    BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, AHEAD: tl.constexpr, TILES: tl.constexpr, STAGES: tl.constexpr, ASM: tl.constexpr,
):  # fmt: skip
    """residual += x Wᵀ, with what the next norm needs: a partial sum of each block."""
    rows, ok = _results(first, mine, N, BLOCK_N, TILES)
    residual = tl.load(residual_ptr + rows, mask=ok, other=0)
    gain = tl.load(gain_ptr + rows, mask=ok, other=0)
    if HAS_BIAS:
        residual += tl.load(bias_ptr + rows, mask=ok, other=0)
    if BITS == 8:
        scale = tl.load(scale_ptr + rows, mask=ok, other=0)
    y = _products(ahead, x_ptr, w_ptr, first, mine, N, exponent, K, BLOCK_N, BLOCK_K, False, BITS, AHEAD, TILES, STAGES, ASM)
    if BITS == 8:
        y = y * scale
    y = tl.where(ok, y + residual, 0.0)
    tl.store(residual_ptr + rows, y, mask=ok)
    tl.store(stats_ptr + pid * STRIDE, tl.sum(tl.sum(y, 1), 0))
    tl.store(stats_ptr + (blocks + pid) * STRIDE, tl.sum(tl.sum(y * y, 1), 0))
    tl.store(gained_ptr + rows, (y * gain).to(gained_ptr.dtype.element_ty), mask=ok)


@triton.jit(do_not_specialize=["STRIDE", "LAYERS", "PAGES_PER_ROW", "exponent"])
def backbone_kernel(
    residual_ptr, gained_ptr, stats_ptr, qkv_ptr, attended_ptr, inner_ptr, meeting_ptr,
    qkv_w, out_w, up_w, down_w, places_ptr, qkv_scale, out_scale, up_scale, down_scale, middle_gain, next_gain, q_gain, k_gain,
    keys_ptr, values_ptr, page_table_ptr, position_ptr, cos_ptr, sin_ptr, part_ptr, part_max_ptr, part_sum_ptr, counter_ptr,
    final_gain, local_gain, local_residual, local_gained, local_stats, live_ptr,
    STRIDE, LAYERS, PAGES_PER_ROW, LAYER_KEYS, scale, eps, exponent,
    D: tl.constexpr, HIDDEN: tl.constexpr, HEADS: tl.constexpr, KV_HEADS: tl.constexpr, DIM: tl.constexpr, PAGE: tl.constexpr,
    SPLITS: tl.constexpr, GROUP_PAD: tl.constexpr, BLOCK_T: tl.constexpr, BITS: tl.constexpr,
    BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_P: tl.constexpr, BLOCK_D: tl.constexpr, AHEAD: tl.constexpr,
    TILES_QKV: tl.constexpr, TILES_D: tl.constexpr, TILES_UP: tl.constexpr, STAGES: tl.constexpr, CARD: tl.constexpr,
):  # fmt: skip
    """Grid (as many blocks as can be resident). Row 0 through all layers; what the backbone says of it becomes the local transformer's input.

    Weights: where layer l has them, in elements from the pointer given (that of layer 0), is `places[l]`: int64 `[LAYERS, 4]`; rows 16 bytes
    aligned. Scales `[LAYERS, N]` float32 where BITS is 8; gains `[LAYERS, .]` float32 (middle: before the gated product; next: of the next
    layer or of the end). keys, values: LAYER_KEYS elements a layer, within it as for `paged_attention_kernel`. stats `[2, blocks, STRIDE]`,
    its first part alone when the kernel begins. `meeting` int32 `[2]` is left at zero.
    """
    pid = tl.program_id(0)
    blocks = tl.num_programs(0)
    QKV: tl.constexpr = (HEADS + 2 * KV_HEADS) * DIM
    A: tl.constexpr = HEADS * DIM
    qkv_first, qkv_mine = _share(pid, blocks, QKV, BLOCK_N)
    d_first, d_mine = _share(pid, blocks, D, BLOCK_N)
    up_first, up_mine = _share(pid, blocks, HIDDEN, BLOCK_N // 2)
    met = 0
    parts = 1
    ahead = _ahead(qkv_w, qkv_first, QKV, D, BLOCK_N, BLOCK_K, False, BITS, AHEAD)
    for layer in range(LAYERS):
        wide = tl.cast(layer, tl.int64)
        qkv_at = qkv_w + tl.multiple_of(tl.load(places_ptr + 4 * layer), 8)
        out_at = out_w + tl.multiple_of(tl.load(places_ptr + 4 * layer + 1), 8)
        up_at = up_w + tl.multiple_of(tl.load(places_ptr + 4 * layer + 2), 8)
        down_at = down_w + tl.multiple_of(tl.load(places_ptr + 4 * layer + 3), 8)
        following = qkv_w + tl.multiple_of(tl.load(places_ptr + 4 * tl.minimum(layer + 1, LAYERS - 1)), 8)
        _stored(
            ahead, gained_ptr, qkv_at, qkv_scale + layer * QKV, stats_ptr, stats_ptr, stats_ptr, qkv_ptr, qkv_first, qkv_mine, parts, STRIDE,
            QKV, eps, exponent, D, False, False, False, BITS, BLOCK_N, BLOCK_K, BLOCK_P, AHEAD, TILES_QKV, STAGES, CARD,
        )  # fmt: skip
        arrive(meeting_ptr)
        met += blocks
        wait_for(meeting_ptr, met, CARD)
        for task in range(pid, KV_HEADS * SPLITS, blocks):
            attend(
                task % KV_HEADS, task // KV_HEADS, 0, qkv_ptr, keys_ptr + wide * LAYER_KEYS, values_ptr + wide * LAYER_KEYS, page_table_ptr,
                position_ptr, q_gain + layer * DIM, k_gain + layer * DIM, cos_ptr, sin_ptr, part_ptr, part_max_ptr, part_sum_ptr, counter_ptr,
                attended_ptr, PAGES_PER_ROW, scale, eps, HEADS, KV_HEADS, DIM, PAGE, SPLITS, GROUP_PAD, BLOCK_T, 2, False, False,
            )  # fmt: skip
        arrive(meeting_ptr)
        ahead = _ahead(out_at, d_first, D, A, BLOCK_N, BLOCK_K, False, BITS, AHEAD)
        met += blocks
        wait_for(meeting_ptr, met, CARD)
        _summed(
            ahead, attended_ptr, out_at, out_scale + layer * D, stats_ptr, middle_gain + layer * D, residual_ptr, gained_ptr, stats_ptr,
            pid, blocks, d_first, d_mine, STRIDE, D, exponent, A, False, BITS, BLOCK_N, BLOCK_K, AHEAD, TILES_D, STAGES, CARD,
        )  # fmt: skip
        arrive(meeting_ptr)
        ahead = _ahead(up_at, up_first, HIDDEN, D, BLOCK_N, BLOCK_K, True, BITS, AHEAD)
        met += blocks
        wait_for(meeting_ptr, met, CARD)
        _stored(
            ahead, gained_ptr, up_at, up_scale + layer * 2 * HIDDEN, stats_ptr, stats_ptr, stats_ptr, inner_ptr, up_first, up_mine, blocks,
            STRIDE, HIDDEN, eps, exponent, D, False, False, True, BITS, BLOCK_N, BLOCK_K, BLOCK_P, AHEAD, TILES_UP, STAGES, CARD,
        )  # fmt: skip
        arrive(meeting_ptr)
        ahead = _ahead(down_at, d_first, D, HIDDEN, BLOCK_N, BLOCK_K, False, BITS, AHEAD)
        met += blocks
        wait_for(meeting_ptr, met, CARD)
        _summed(
            ahead, inner_ptr, down_at, down_scale + layer * D, stats_ptr, next_gain + layer * D, residual_ptr, gained_ptr, stats_ptr,
            pid, blocks, d_first, d_mine, STRIDE, D, exponent, HIDDEN, False, BITS, BLOCK_N, BLOCK_K, AHEAD, TILES_D, STAGES, CARD,
        )  # fmt: skip
        parts = blocks
        arrive(meeting_ptr)
        ahead = _ahead(following, qkv_first, QKV, D, BLOCK_N, BLOCK_K, False, BITS, AHEAD)
        met += blocks
        wait_for(meeting_ptr, met, CARD)
    if pid == 0:
        advance_row(
            0, residual_ptr, stats_ptr, final_gain, local_gain, local_residual, local_gained, local_stats, live_ptr, position_ptr,
            parts, STRIDE, D, eps, BLOCK_P, BLOCK_D,
        )  # fmt: skip
    leave(meeting_ptr, blocks)


@triton.jit(do_not_specialize=["STRIDE", "RING", "exponent"])
def codes_kernel(
    residual_ptr, gained_ptr, stats_ptr, qkv_ptr, attended_ptr, inner_ptr, logits_ptr, meeting_ptr,
    qkv_w, out_w, in_w, down_w, head_w, places_ptr, qkv_scale, out_scale, in_scale, down_scale,
    qkv_shift, qkv_bias, out_bias, in_shift, in_bias, down_bias, head_shift, head_bias, middle_gain, final_gain, first_gain,
    keys_ptr, values_ptr, cos_ptr, sin_ptr, tables_ptr,
    history_ptr, codes_ptr, live_ptr, frame_ptr, seed_ptr, floats_ptr, ints_ptr, force_ptr,
    ring_ptr, ring_at_ptr, slot_ptr, next_gain, next_residual, next_gained, next_stats,
    STRIDE, RING, scale, eps, exponent,
    D: tl.constexpr, HIDDEN: tl.constexpr, HEADS: tl.constexpr, DIM: tl.constexpr, HALF_PAD: tl.constexpr, DIM_PAD: tl.constexpr,
    LENGTH: tl.constexpr, ROTATE: tl.constexpr, CHANNELS: tl.constexpr, SIZE: tl.constexpr, VOCAB: tl.constexpr, BITS: tl.constexpr, HEAD_BITS: tl.constexpr,
    BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_P: tl.constexpr, BLOCK_D: tl.constexpr, BLOCK_V: tl.constexpr, AHEAD: tl.constexpr,
    TILES_QKV: tl.constexpr, TILES_D: tl.constexpr, TILES_IN: tl.constexpr, TILES_HEAD: tl.constexpr, STAGES: tl.constexpr, CARD: tl.constexpr,
):  # fmt: skip
    """Grid (as many blocks as can be resident). Stop decision and the codes of one frame for row 0, then the next input of the backbone.

    Weights `[N, D]` or `[D, .]` of the one layer; heads: codebook c is `places[c]` elements from `head_w` (int64 `[CHANNELS]`), SIZE rows, the
    first one with the stop head's two behind them; head_shift, head_bias `[CHANNELS, SIZE + 2]`. All else as the parts of a frame step want it.
    """
    pid = tl.program_id(0)
    blocks = tl.num_programs(0)
    qkv_first, qkv_mine = _share(pid, blocks, 3 * D, BLOCK_N)
    d_first, d_mine = _share(pid, blocks, D, BLOCK_N)
    in_first, in_mine = _share(pid, blocks, HIDDEN, BLOCK_N)
    frame = tl.load(frame_ptr)
    seed = tl.load(seed_ptr)
    met = 0
    ahead = _ahead(qkv_w, qkv_first, 3 * D, D, BLOCK_N, BLOCK_K, False, BITS, AHEAD)
    for channel in range(CHANNELS):
        _stored(
            ahead, gained_ptr, qkv_w, qkv_scale, stats_ptr, qkv_shift, qkv_bias, qkv_ptr, qkv_first, qkv_mine, 1, STRIDE,
            3 * D, eps, exponent, D, True, False, False, BITS, BLOCK_N, BLOCK_K, 1, AHEAD, TILES_QKV, STAGES, CARD,
        )  # fmt: skip
        arrive(meeting_ptr)
        met += blocks
        wait_for(meeting_ptr, met, CARD)
        for head in range(pid, HEADS, blocks):
            local_attend(
                head, 0, qkv_ptr, keys_ptr, values_ptr, cos_ptr, sin_ptr, attended_ptr, scale, channel, HEADS, DIM, HALF_PAD, DIM_PAD, LENGTH, ROTATE
            )  # fmt: skip
        arrive(meeting_ptr)
        ahead = _ahead(out_w, d_first, D, D, BLOCK_N, BLOCK_K, False, BITS, AHEAD)
        met += blocks
        wait_for(meeting_ptr, met, CARD)
        _summed(
            ahead, attended_ptr, out_w, out_scale, out_bias, middle_gain, residual_ptr, gained_ptr, stats_ptr,
            pid, blocks, d_first, d_mine, STRIDE, D, exponent, D, True, BITS, BLOCK_N, BLOCK_K, AHEAD, TILES_D, STAGES, CARD,
        )  # fmt: skip
        arrive(meeting_ptr)
        ahead = _ahead(in_w, in_first, HIDDEN, D, BLOCK_N, BLOCK_K, False, BITS, AHEAD)
        met += blocks
        wait_for(meeting_ptr, met, CARD)
        _stored(
            ahead, gained_ptr, in_w, in_scale, stats_ptr, in_shift, in_bias, inner_ptr, in_first, in_mine, blocks, STRIDE,
            HIDDEN, eps, exponent, D, True, True, False, BITS, BLOCK_N, BLOCK_K, BLOCK_P, AHEAD, TILES_IN, STAGES, CARD,
        )  # fmt: skip
        arrive(meeting_ptr)
        ahead = _ahead(down_w, d_first, D, HIDDEN, BLOCK_N, BLOCK_K, False, BITS, AHEAD)
        met += blocks
        wait_for(meeting_ptr, met, CARD)
        _summed(
            ahead, inner_ptr, down_w, down_scale, down_bias, final_gain, residual_ptr, gained_ptr, stats_ptr,
            pid, blocks, d_first, d_mine, STRIDE, D, exponent, HIDDEN, True, BITS, BLOCK_N, BLOCK_K, AHEAD, TILES_D, STAGES, CARD,
        )  # fmt: skip
        arrive(meeting_ptr)
        head_at = head_w + tl.multiple_of(tl.load(places_ptr + channel), 8)
        count = tl.where(channel == 0, SIZE + 2, SIZE)
        head_first, head_mine = _share(pid, blocks, count, BLOCK_N)
        ahead_head = _ahead(head_at, head_first, count, D, BLOCK_N, BLOCK_K, False, HEAD_BITS, AHEAD)
        met += blocks
        wait_for(meeting_ptr, met, CARD)
        _stored(
            ahead_head, gained_ptr, head_at, qkv_scale, stats_ptr, head_shift + channel * (SIZE + 2), head_bias + channel * (SIZE + 2), logits_ptr,
            head_first, head_mine, blocks, STRIDE, count, eps, exponent, D, True, False, False, HEAD_BITS,
            BLOCK_N, BLOCK_K, BLOCK_P, AHEAD, TILES_HEAD, STAGES, CARD,
        )  # fmt: skip
        arrive(meeting_ptr)
        met += blocks
        wait_for(meeting_ptr, met, CARD)
        if pid == 0:
            noise = gumbel(seed, frame, channel + 1, tl.arange(0, BLOCK_V))
            sample_row(
                0, noise, logits_ptr, history_ptr, codes_ptr, live_ptr, frame, seed, floats_ptr, ints_ptr,
                tables_ptr + tl.cast(channel, tl.int64) * VOCAB * D, first_gain, residual_ptr, gained_ptr, stats_ptr, force_ptr,
                channel, SIZE, VOCAB, 0, D, STRIDE, channel == 0, channel == CHANNELS - 1, CHANNELS, BLOCK_V, BLOCK_D,
            )  # fmt: skip
        arrive(meeting_ptr)
        ahead = _ahead(qkv_w, qkv_first, 3 * D, D, BLOCK_N, BLOCK_K, False, BITS, AHEAD)
        met += blocks
        wait_for(meeting_ptr, met, CARD)
    if pid == 0:
        next_input_row(
            0, codes_ptr, live_ptr, frame_ptr, ring_ptr, ring_at_ptr, slot_ptr, tables_ptr, next_gain, next_residual, next_gained, next_stats,
            D, VOCAB, RING, STRIDE, CHANNELS, BLOCK_D,
        )  # fmt: skip
    leave(meeting_ptr, blocks)
