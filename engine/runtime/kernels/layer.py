"""A layer of the codec in five kernels that follow each other: for steps of so many rows that each of them fills the card.

They are the parts of `engine.runtime.kernels.parts`, a block to a task, in tiles that keep the matrix units busy: the rotation is the end of the
product that makes queries and keys, which go with the values straight into the rings; attention reads nothing but rings; the activation and
the residual sum are the ends of their products. The blocks of one kernel start while those of the one before run out, and wait for them
(programmatic dependent launch).
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

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
def _follow(PDL: tl.constexpr):
    """Let the next kernel's blocks come, and wait for all that the kernel before has written."""
    if PDL:
        gdc_launch_dependents()
        gdc_wait()


@triton.jit
def _follow_with(
    w_ptr, N: tl.constexpr, K: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, SPLITS: tl.constexpr, PDL: tl.constexpr, AHEAD: tl.constexpr
):
    """As `_follow`. AHEAD: meanwhile the weights are asked for, which nothing that is waited for makes; the blocks of the first rows do that for all."""
    if PDL:
        gdc_launch_dependents()
        if AHEAD:
            BLOCKS: tl.constexpr = (N + BLOCK_N - 1) // BLOCK_N
            EACH: tl.constexpr = ((K + BLOCK_K - 1) // BLOCK_K + SPLITS - 1) // SPLITS * BLOCK_K
            task = tl.program_id(0)
            if task < BLOCKS * SPLITS:
                fetch_early(w_ptr, task // SPLITS * BLOCK_N, task % SPLITS * EACH, N, K, BLOCK_N, EACH)
        gdc_wait()


@triton.jit(do_not_specialize=["M", "COUNT", "PER_FRAME", "CAPACITY"])
def places_kernel(
    angles_ptr, places_ptr, firsts_ptr, frames_ptr, slots_ptr, cos_high, sin_high, cos_low, sin_low, M, COUNT, PER_FRAME, CAPACITY,
    HEADS: tl.constexpr, DIM: tl.constexpr, BLOCK_M: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """Grid (ceil(M / BLOCK_M),): once for all layers, where rows go."""
    _follow(PDL)
    where_rows_go(
        angles_ptr, places_ptr, firsts_ptr, frames_ptr, slots_ptr, cos_high, sin_high, cos_low, sin_low,
        tl.program_id(0), M, COUNT, PER_FRAME, CAPACITY, HEADS, DIM, BLOCK_M,
    )  # fmt: skip


@triton.jit(do_not_specialize=["PER_FRAME", "FRAMES"])
def advance_kernel(frames_ptr, slots_ptr, firsts_ptr, PER_FRAME, FRAMES, PDL: tl.constexpr):
    """Grid (streams,): each is FRAMES further on, after its last layer."""
    _follow(PDL)
    moved_on(frames_ptr, slots_ptr, firsts_ptr, tl.program_id(0), PER_FRAME, FRAMES)


@triton.jit(do_not_specialize=["parts", "M", "STRIDE", "CAPACITY"])
def qkv_kernel(
    x_ptr, w_ptr, shift_ptr, bias_ptr, stats_ptr, query_ptr, keys_ptr, values_ptr, angles_ptr, places_ptr,
    parts, M, STRIDE, CAPACITY, scale, eps,
    WIDTH: tl.constexpr, HEADS: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_P: tl.constexpr, STAGES: tl.constexpr,
    PDL: tl.constexpr, AHEAD: tl.constexpr,
):  # fmt: skip
    """Grid (tiles of the product,)."""
    _follow_with(w_ptr, 3 * WIDTH, WIDTH, BLOCK_N, BLOCK_K, 1, PDL, AHEAD)
    queries_keys_values(
        x_ptr, w_ptr, shift_ptr, bias_ptr, stats_ptr, query_ptr, keys_ptr, values_ptr, angles_ptr, places_ptr,
        parts, tl.program_id(0), M, STRIDE, CAPACITY, scale, eps, WIDTH, HEADS, BLOCK_M, BLOCK_N, BLOCK_K, BLOCK_P, STAGES, True,
    )  # fmt: skip


@triton.jit(do_not_specialize=["q_blocks", "COUNT", "CONTEXT", "CAPACITY"])
def attend_kernel(
    query_ptr, keys_ptr, values_ptr, firsts_ptr, slots_ptr, out_ptr, part_ptr, counter_ptr, q_blocks, COUNT, CONTEXT, CAPACITY,
    WIDTH: tl.constexpr, HEADS: tl.constexpr,
    BLOCK_Q: tl.constexpr, BLOCK_T: tl.constexpr, SPLITS: tl.constexpr, STAGES: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """Grid (streams × blocks of queries × heads × SPLITS,)."""
    _follow(PDL)
    attended(
        query_ptr, keys_ptr, values_ptr, firsts_ptr, slots_ptr, out_ptr, part_ptr, counter_ptr, tl.program_id(0), q_blocks, COUNT,
        CONTEXT, CAPACITY, WIDTH, HEADS, BLOCK_Q, BLOCK_T, SPLITS, STAGES,
    )  # fmt: skip


@triton.jit(do_not_specialize=["M", "STRIDE"])
def add_kernel(
    x_ptr, w_ptr, gain_ptr, residual_ptr, gained_ptr, stats_ptr, part_ptr, counter_ptr, M, STRIDE,
    N: tl.constexpr, K: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, SPLITS: tl.constexpr, STAGES: tl.constexpr, SET: tl.constexpr,
    PDL: tl.constexpr, AHEAD: tl.constexpr,
):  # fmt: skip
    """Grid (tiles of the product × SPLITS,)."""
    _follow_with(w_ptr, N, K, BLOCK_N, BLOCK_K, SPLITS, PDL, AHEAD)
    added(
        x_ptr, w_ptr, gain_ptr, residual_ptr, gained_ptr, stats_ptr, part_ptr, counter_ptr, tl.program_id(0), M, STRIDE,
        N, K, BLOCK_M, BLOCK_N, BLOCK_K, SPLITS, STAGES, True, SET,
    )  # fmt: skip


@triton.jit(do_not_specialize=["parts", "M", "STRIDE"])
def feed_kernel(
    x_ptr, w_ptr, shift_ptr, bias_ptr, stats_ptr, out_ptr, parts, M, STRIDE, eps,
    N: tl.constexpr, K: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_P: tl.constexpr, STAGES: tl.constexpr,
    PDL: tl.constexpr, AHEAD: tl.constexpr,
):  # fmt: skip
    """Grid (tiles of the product,)."""
    _follow_with(w_ptr, N, K, BLOCK_N, BLOCK_K, 1, PDL, AHEAD)
    fed(
        x_ptr, w_ptr, shift_ptr, bias_ptr, stats_ptr, out_ptr, parts, tl.program_id(0), M, STRIDE, eps,
        N, K, BLOCK_M, BLOCK_N, BLOCK_K, BLOCK_P, STAGES, True,
    )  # fmt: skip


@triton.jit(do_not_specialize=["M"])
def end_kernel(
    x_ptr, w_ptr, out_ptr, M, N: tl.constexpr, K: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, STAGES: tl.constexpr, PDL: tl.constexpr, AHEAD: tl.constexpr,
):  # fmt: skip
    """Grid (tiles of the product,)."""
    _follow_with(w_ptr, N, K, BLOCK_N, BLOCK_K, 1, PDL, AHEAD)
    ended(x_ptr, w_ptr, out_ptr, tl.program_id(0), M, N, K, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, True)
