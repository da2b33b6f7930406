"""Codes become the codec's hidden vectors, and hidden vectors codes: one kernel each way, a block to a frame."""

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


@triton.jit(do_not_specialize=["BOOKS"])
def find_codes_kernel(
    residual_ptr, probes_ptr, biases_ptr, directions_ptr, steps_ptr, codes_ptr, BOOKS,
    SIZE: tl.constexpr, WIDTH: tl.constexpr, INNER: tl.constexpr, BLOCK_S: tl.constexpr, BLOCK_W: tl.constexpr, BLOCK_I: tl.constexpr,
):  # fmt: skip
    """Grid (frames,): in each codebook the row of the greatest cosine, whose step the residual loses (`Quantizer.encode`).

    Layout: residual float32 `[frames, INNER]`, not changed; probes `[books, WIDTH, INNER]`, biases `[books, WIDTH]`, directions `[books, SIZE, WIDTH]`,
    steps `[books, SIZE, INNER]`; codes int16 `[frames, BOOKS]`. BLOCK_S >= SIZE, BLOCK_W >= WIDTH, BLOCK_I >= INNER.
    """
    row = tl.program_id(0)
    inner, widths, entries = tl.arange(0, BLOCK_I), tl.arange(0, BLOCK_W), tl.arange(0, BLOCK_S)
    residual = tl.load(residual_ptr + row * INNER + inner, mask=inner < INNER, other=0)
    probe_at = widths[:, None] * INNER + inner[None, :]
    probe_ok = (widths < WIDTH)[:, None] & (inner < INNER)[None, :]
    direction_at = entries[:, None] * WIDTH + widths[None, :]
    direction_ok = (entries < SIZE)[:, None] & (widths < WIDTH)[None, :]
    for book in range(BOOKS):
        directions = tl.load(directions_ptr + book * SIZE * WIDTH + direction_at, mask=direction_ok, other=0)
        probes = tl.load(probes_ptr + book * WIDTH * INNER + probe_at, mask=probe_ok, other=0)
        bias = tl.load(biases_ptr + book * WIDTH + widths, mask=widths < WIDTH, other=0)
        probe = tl.sum(probes * residual[None, :], 1) + bias
        probe = probe / tl.maximum(tl.sqrt(tl.sum(probe * probe, 0)), 1.0e-12)
        cosines = tl.sum(directions * probe[None, :], 1)
        code = tl.argmax(tl.where(entries < SIZE, cosines, float("-inf")), 0)
        tl.store(codes_ptr + row * BOOKS + book, code.to(tl.int16))
        residual -= tl.load(steps_ptr + (book * SIZE + code) * INNER + inner, mask=inner < INNER, other=0)
