"""Blocks that are on the card at once wait for each other: a counter in global memory that all of them raise."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def arrive(counter_ptr):
    """Count this block. What it stored before is seen by whoever `wait_for`s it."""
    tl.debug_barrier()
    tl.atomic_add(counter_ptr, 1, sem="release", scope="gpu")


@triton.jit
def wait_for(counter_ptr, target, CARD: tl.constexpr):
    """Wait until `target` arrivals were counted. CARD: False in Triton's interpreter, whose one block never waits."""
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


@triton.jit
def leave(meeting_ptr, blocks):
    """Whoever leaves last puts the counters (int32 `[2]`: arrivals, departures) back for the next launch."""
    if tl.atomic_add(meeting_ptr + 1, 1, sem="acq_rel", scope="gpu") == blocks - 1:
        tl.store(meeting_ptr, 0)
        tl.store(meeting_ptr + 1, 0)
