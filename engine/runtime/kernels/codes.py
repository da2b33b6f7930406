"""Codes become the codec's hidden vectors: what was sent from the host, the tables' rows and their sum in one kernel."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["FRAMES", "BOOKS"])
def codes_kernel(
    codes_ptr, sent_slots_ptr, slots_ptr, table_ptr, bias_ptr, out_ptr, FRAMES, BOOKS,
    SIZE: tl.constexpr, WIDTH: tl.constexpr, BLOCK: tl.constexpr, BLOCK_B: tl.constexpr,
):  # fmt: skip
    """Grid (B * FRAMES,). codes int64 `[B, FRAMES, BOOKS]` and sent slots int32 `[B]` may lie in pinned memory of the host, where a copy of so
    few bytes would cost more than reading them once, all at the same time; slots are left on the device for what follows.

    Layout: table float32 `[BOOKS * SIZE, WIDTH]`, bias `[WIDTH]`, out `[B, FRAMES, WIDTH]`; BLOCK >= WIDTH, BLOCK_B >= BOOKS.
    """
    row = tl.program_id(0)
    books = tl.arange(0, BLOCK_B)
    values = tl.arange(0, BLOCK)
    codes = tl.load(codes_ptr + row * BOOKS + books, mask=books < BOOKS, other=0)
    if row % FRAMES == 0:
        tl.store(slots_ptr + row // FRAMES, tl.load(sent_slots_ptr + row // FRAMES))
    ok = (books < BOOKS)[:, None] & (values < WIDTH)[None, :]
    vectors = tl.load(table_ptr + (codes + books * SIZE)[:, None] * WIDTH + values[None, :], mask=ok, other=0)
    total = tl.sum(vectors, 0) + tl.load(bias_ptr + values, mask=values < WIDTH, other=0)
    tl.store(out_ptr + row * WIDTH + values, total.to(out_ptr.dtype.element_ty), mask=values < WIDTH)
