"""All layers of one stage of the codec in one kernel whose blocks stay: what launches cost is paid once a stage.

A streaming step has few rows, so that a layer of 14 MB takes less time to read than its five kernels take to start and drain. Here as many
blocks as the card has multiprocessors go through the five parts of a layer together and meet after each (a counter in global memory); the
launch is cooperative, so that none of them waits for one that has no place. The parts are those of `engine.runtime.kernels.parts`.
"""

from __future__ import annotations

import triton
import triton.language as tl

from engine.runtime.kernels.parts import (
    added,
    attended,
    ended,
    fed,
    fetch_early,
    moved_on,
    queries_keys_values,
    where_rows_go,
)


@triton.jit
def _meet(counter_ptr, target, CARD: tl.constexpr):
    """Wait until `target` arrivals were counted. What was stored before is seen after it by all threads of all blocks."""
    tl.debug_barrier()
    tl.atomic_add(counter_ptr, 1, sem="release", scope="gpu")
    seen = target - 1
    while seen < target:
        if CARD:  # one thread looks, and only looks: those who have still to arrive are not held up
            seen = tl.inline_asm_elementwise(
                """{
                .reg .pred first;
                .reg .u32 thread;
                mov.u32 thread, %tid.x;
                setp.eq.u32 first, thread, 0;
                mov.s32 $0, 0x7fffffff;
                @first ld.acquire.gpu.global.s32 $0, [$1];
                }""",
                "=r,l", [counter_ptr], dtype=tl.int32, is_pure=False, pack=1,
            )  # fmt: skip
        else:
            seen = tl.atomic_add(counter_ptr, 0)
    tl.debug_barrier()


@triton.jit(do_not_specialize=["BATCH", "COUNT", "PER_FRAME", "STRIDE", "LAYERS", "CONTEXT", "CAPACITY", "ADVANCE"])
def stage_kernel(
    x_ptr, out_ptr, residual_ptr, gained_ptr, stats_ptr, query_ptr, attended_ptr, inner_ptr, part_ptr, counter_ptr, meeting_ptr,
    begin_w, end_w, first_gain, qkv_w, out_w, in_w, down_w, qkv_shift, qkv_bias, in_shift, in_bias, middle_gain, next_gain,
    rings_ptr, angles_ptr, places_ptr, firsts_ptr, frames_ptr, slots_ptr, cos_high, sin_high, cos_low, sin_low,
    BATCH, COUNT, PER_FRAME, STRIDE, LAYERS, CONTEXT, CAPACITY, RING, scale, eps, ADVANCE,
    INPUTS: tl.constexpr, OUTPUTS: tl.constexpr, WIDTH: tl.constexpr, HIDDEN: tl.constexpr, HEADS: tl.constexpr,
    BLOCK_M: tl.constexpr, WIDE: tl.constexpr, NARROW: tl.constexpr, BLOCK_K: tl.constexpr, SPLITS_ATTEND: tl.constexpr, SPLITS_OUT: tl.constexpr, SPLITS_DOWN: tl.constexpr,
    BLOCK_P: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_T: tl.constexpr, STAGES: tl.constexpr, CARD: tl.constexpr,
):
    """Grid (at most as many blocks as can be resident). BATCH streams of COUNT positions each: from x `[., INPUTS]` to out `[., OUTPUTS]`.

    Layout: weights of all layers one after the other (`[LAYERS, N, K]`), shift, bias and gains `[LAYERS, N]` float32 (`next_gain`: what
    the layer's sum is multiplied with for the next one); rings `[LAYERS, 2, slots, HEADS, CAPACITY, DIM]`, RING elements from keys to values.
    Tiles of products into wide rows (qkv, inner) are WIDE results broad, those of WIDTH are NARROW, those of `out` are 16, for they are few.
    ADVANCE: frames that the streams are further on afterwards, 0 in all stages but the last. `meeting` int32 `[2]` and `counter` are left at zero. CARD: False in Triton's interpreter, whose one block never waits.
    """
    pid = tl.program_id(0)
    blocks = tl.num_programs(0)
    M = BATCH * COUNT
    m_tiles = tl.cdiv(M, BLOCK_M)
    QKV_TILES: tl.constexpr = (3 * WIDTH + WIDE - 1) // WIDE
    IN_TILES: tl.constexpr = (HIDDEN + WIDE - 1) // WIDE
    NARROW_TILES: tl.constexpr = (WIDTH + NARROW - 1) // NARROW
    q_blocks = tl.cdiv(COUNT, BLOCK_Q)
    for task in range(pid, m_tiles * NARROW_TILES * SPLITS_OUT, blocks):
        added(
            x_ptr, begin_w, first_gain, residual_ptr, gained_ptr, stats_ptr, part_ptr, counter_ptr, task, M, STRIDE,
            WIDTH, INPUTS, BLOCK_M, NARROW, BLOCK_K, SPLITS_OUT, STAGES, False, True,
        )  # fmt: skip
    for task in range(pid, m_tiles, blocks):
        where_rows_go(
            angles_ptr, places_ptr, firsts_ptr, frames_ptr, slots_ptr, cos_high, sin_high, cos_low, sin_low,
            task, M, COUNT, PER_FRAME, CAPACITY, HEADS, WIDTH // HEADS, BLOCK_M,
        )  # fmt: skip
    if CARD:
        fetch_early(qkv_w, pid % QKV_TILES * WIDE, 0, 3 * WIDTH, WIDTH, WIDE, WIDTH)
    met = blocks
    _meet(meeting_ptr, met, CARD)
    if ADVANCE > 0:  # nobody looks at `frames` from here on
        for stream in range(pid, BATCH, blocks):
            moved_on(frames_ptr, slots_ptr, firsts_ptr, stream, PER_FRAME, ADVANCE)
    OUT_EACH: tl.constexpr = ((WIDTH + BLOCK_K - 1) // BLOCK_K + SPLITS_OUT - 1) // SPLITS_OUT * BLOCK_K
    DOWN_EACH: tl.constexpr = ((HIDDEN + BLOCK_K - 1) // BLOCK_K + SPLITS_DOWN - 1) // SPLITS_DOWN * BLOCK_K
    for layer in range(LAYERS):
        layer_wide = tl.cast(layer, tl.int64)
        keys = rings_ptr + layer_wide * 2 * RING
        for task in range(pid, m_tiles * QKV_TILES, blocks):
            queries_keys_values(
                gained_ptr, qkv_w + layer_wide * 3 * WIDTH * WIDTH, qkv_shift + layer * 3 * WIDTH, qkv_bias + layer * 3 * WIDTH,
                stats_ptr, query_ptr, keys, keys + RING, angles_ptr, places_ptr,
                NARROW_TILES, task, M, STRIDE, CAPACITY, scale, eps, WIDTH, HEADS, BLOCK_M, WIDE, BLOCK_K, BLOCK_P, STAGES, False,
            )  # fmt: skip
        if CARD:
            fetch_early(out_w + layer_wide * WIDTH * WIDTH, pid // SPLITS_OUT % NARROW_TILES * NARROW, pid % SPLITS_OUT * OUT_EACH, WIDTH, WIDTH, NARROW, OUT_EACH)
        met += blocks
        _meet(meeting_ptr, met, CARD)
        for task in range(pid, q_blocks * HEADS * BATCH * SPLITS_ATTEND, blocks):
            attended(
                query_ptr, keys, keys + RING, firsts_ptr, slots_ptr, attended_ptr, part_ptr, counter_ptr, task, q_blocks, COUNT,
                CONTEXT, CAPACITY, WIDTH, HEADS, BLOCK_Q, BLOCK_T, SPLITS_ATTEND, 2,
            )  # fmt: skip
        met += blocks
        _meet(meeting_ptr, met, CARD)
        for task in range(pid, m_tiles * NARROW_TILES * SPLITS_OUT, blocks):
            added(
                attended_ptr, out_w + layer_wide * WIDTH * WIDTH, middle_gain + layer * WIDTH, residual_ptr, gained_ptr, stats_ptr,
                part_ptr, counter_ptr, task, M, STRIDE, WIDTH, WIDTH, BLOCK_M, NARROW, BLOCK_K, SPLITS_OUT, STAGES, False, False,
            )  # fmt: skip
        if CARD:
            fetch_early(in_w + layer_wide * HIDDEN * WIDTH, pid % IN_TILES * WIDE, 0, HIDDEN, WIDTH, WIDE, WIDTH)
        met += blocks
        _meet(meeting_ptr, met, CARD)
        for task in range(pid, m_tiles * IN_TILES, blocks):
            fed(
                gained_ptr, in_w + layer_wide * HIDDEN * WIDTH, in_shift + layer * HIDDEN, in_bias + layer * HIDDEN,
                stats_ptr, inner_ptr, NARROW_TILES, task, M, STRIDE, eps,
                HIDDEN, WIDTH, BLOCK_M, WIDE, BLOCK_K, BLOCK_P, STAGES, False,
            )  # fmt: skip
        if CARD:
            fetch_early(down_w + layer_wide * HIDDEN * WIDTH, pid // SPLITS_DOWN % NARROW_TILES * NARROW, pid % SPLITS_DOWN * DOWN_EACH, WIDTH, HIDDEN, NARROW, DOWN_EACH)
        met += blocks
        _meet(meeting_ptr, met, CARD)
        for task in range(pid, m_tiles * NARROW_TILES * SPLITS_DOWN, blocks):
            added(
                inner_ptr, down_w + layer_wide * HIDDEN * WIDTH, next_gain + layer * WIDTH, residual_ptr, gained_ptr, stats_ptr,
                part_ptr, counter_ptr, task, M, STRIDE, WIDTH, HIDDEN, BLOCK_M, NARROW, BLOCK_K, SPLITS_DOWN, STAGES, False, False,
            )  # fmt: skip
        if CARD:
            fetch_early(qkv_w + tl.minimum(layer_wide + 1, LAYERS - 1) * 3 * WIDTH * WIDTH, pid % QKV_TILES * WIDE, 0, 3 * WIDTH, WIDTH, WIDE, WIDTH)
        met += blocks
        _meet(meeting_ptr, met, CARD)
    for task in range(pid, m_tiles * ((OUTPUTS + 15) // 16), blocks):
        ended(gained_ptr, end_w, out_ptr, task, M, OUTPUTS, WIDTH, BLOCK_M, 16, BLOCK_K, STAGES, False)
    # Whoever leaves last puts the counters back for the next launch.
    if tl.atomic_add(meeting_ptr + 1, 1, sem="acq_rel", scope="gpu") == blocks - 1:
        tl.store(meeting_ptr, 0)
        tl.store(meeting_ptr + 1, 0)
