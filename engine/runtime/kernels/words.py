"""One row times int8 or int4 weights, read as words of four bytes and made floats by a permutation of their bytes.

A multiprocessor converts few integers a clock. A byte that is put under the exponent of 2¹⁵ is a float, 2¹⁵ too large, and a nibble under that of 2⁷
likewise; what is too much comes off the sum, once for all columns of a thread. So it is two instructions a weight, where the memory wants to
deliver eighteen weights a clock. It costs int8 nine bits of the sum's 24, and the inputs have eight (eleven as float16).
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from engine.runtime.kernels.epilogues import ask_constants, ask_one_row, finish_one_row

EXPONENTS = {8: 0x47000000, 4: 0x43000000}  # of 2¹⁵, where the last bit of the second byte of a float32 is 1; of 2⁷, where that of its third byte is


@triton.jit
def _four_x(x_ptr, words, mask, EVEN: tl.constexpr):
    """float32 of the four columns that belong to each word of weights."""
    if EVEN:
        packed = tl.load(x_ptr.to(tl.pointer_type(tl.int64)) + words)
    else:
        packed = tl.load(x_ptr.to(tl.pointer_type(tl.int64)) + words, mask=mask, other=0)
    dtype: tl.constexpr = x_ptr.dtype.element_ty
    if dtype == tl.bfloat16:
        low = packed.to(tl.int32)
        high = (packed >> 32).to(tl.int32)
        x0 = (low << 16).to(tl.float32, bitcast=True)
        x1 = (low & -65536).to(tl.float32, bitcast=True)
        x2 = (high << 16).to(tl.float32, bitcast=True)
        x3 = (high & -65536).to(tl.float32, bitcast=True)
    else:
        x0 = packed.to(tl.int16).to(dtype, bitcast=True).to(tl.float32)
        x1 = (packed >> 16).to(tl.int16).to(dtype, bitcast=True).to(tl.float32)
        x2 = (packed >> 32).to(tl.int16).to(dtype, bitcast=True).to(tl.float32)
        x3 = (packed >> 48).to(tl.int16).to(dtype, bitcast=True).to(tl.float32)
    return x0, x1, x2, x3


@triton.jit
def _byte_float(shifted, exponent, AT: tl.constexpr, PERMUTE: tl.constexpr, ASM: tl.constexpr):
    """float32 of 2¹⁵ + byte AT of words. The compiler needs to be told that this is one permutation."""
    if ASM:
        bits = tl.inline_asm_elementwise(PERMUTE, "=r,r,r", [shifted, exponent], dtype=tl.int32, is_pure=True, pack=1)
    else:
        bits = (((shifted >> (8 * AT)) & 0xFF) << 8) | exponent
    return bits.to(tl.float32, bitcast=True)


@triton.jit
def _add_int8(acc, w, x0, x1, x2, x3, exponent, ASM: tl.constexpr):
    """Add the products of the four int8 of each word. Each is 2¹⁵ + 128 too large: whoever has the sum of x takes it off."""
    shifted = w ^ -2139062144  # 0x80 in each byte: two's complement to 128 too large
    acc += _byte_float(shifted, exponent, 0, "prmt.b32 $0, $1, $2, 0x7604;", ASM) * x0[None, :]
    acc += _byte_float(shifted, exponent, 1, "prmt.b32 $0, $1, $2, 0x7614;", ASM) * x1[None, :]
    acc += _byte_float(shifted, exponent, 2, "prmt.b32 $0, $1, $2, 0x7624;", ASM) * x2[None, :]
    acc += _byte_float(shifted, exponent, 3, "prmt.b32 $0, $1, $2, 0x7634;", ASM) * x3[None, :]
    return acc


@triton.jit
def _nibble_float(nibbles, exponent, AT: tl.constexpr, PERMUTE: tl.constexpr, ASM: tl.constexpr):
    """float32 of 128 + byte AT of words whose bytes are less than 16."""
    if ASM:
        bits = tl.inline_asm_elementwise(PERMUTE, "=r,r,r", [nibbles, exponent], dtype=tl.int32, is_pure=True, pack=1)
    else:
        bits = (((nibbles >> (8 * AT)) & 0xFF) << 16) | exponent
    return bits.to(tl.float32, bitcast=True)


@triton.jit
def _dot_nibbles(nibbles, x0, x1, x2, x3, exponent, ASM: tl.constexpr):
    part = _nibble_float(nibbles, exponent, 0, "prmt.b32 $0, $1, $2, 0x7044;", ASM) * x0[None, :]
    part += _nibble_float(nibbles, exponent, 1, "prmt.b32 $0, $1, $2, 0x7144;", ASM) * x1[None, :]
    part += _nibble_float(nibbles, exponent, 2, "prmt.b32 $0, $1, $2, 0x7244;", ASM) * x2[None, :]
    part += _nibble_float(nibbles, exponent, 3, "prmt.b32 $0, $1, $2, 0x7344;", ASM) * x3[None, :]
    return part


@triton.jit
def _add_int4(acc, w, scale, x0, x1, x2, x3, x4, x5, x6, x7, too_large, exponent, ASM: tl.constexpr):
    """Add the products of the eight int4 of each word. Each is 136 too large (128 from the exponent, 8 as stored): `too_large`, 136 times the
    sum of x, takes it off."""
    part = _dot_nibbles(w & 0x0F0F0F0F, x0, x1, x2, x3, exponent, ASM)
    part += _dot_nibbles((w >> 4) & 0x0F0F0F0F, x4, x5, x6, x7, exponent, ASM)
    return acc + (part - too_large[None, :]) * scale.to(tl.float32)


@triton.jit
def _load_tile(w_ptr, tile, mask, EVEN: tl.constexpr, EVICT: tl.constexpr):
    if EVEN:
        return tl.load(w_ptr + tile, eviction_policy=EVICT)
    else:
        return tl.load(w_ptr + tile, mask=mask, other=0, eviction_policy=EVICT)


@triton.jit(do_not_specialize=["STRIDE", "STATS_IN", "exponent"])
def gemv_words_kernel(
    x_ptr, w_ptr, w_scale_ptr, stats_ptr, shift_ptr, bias_ptr, gain_ptr, residual_ptr, out_ptr, out_stats_ptr,
    STRIDE, N, K: tl.constexpr, STATS_IN, eps, exponent,
    NORM: tl.constexpr, ACT: tl.constexpr, OUT: tl.constexpr, HAS_BIAS: tl.constexpr, QUANT: tl.constexpr,
    BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_P: tl.constexpr, AHEAD: tl.constexpr, BITS: tl.constexpr,
    EVICT: tl.constexpr, PDL: tl.constexpr, ASM: tl.constexpr,
):  # fmt: skip
    """As `gemv_kernel`, of weights in int32 words: four int8, or eight int4 as `quantize.int4_groups` lays them. BLOCK_K counts words.

    AHEAD: tiles that are asked for before the input is there.
    exponent: `EXPONENTS[BITS]`: the compiler would move a constant into a register for every byte again.
    """
    if PDL:
        gdc_launch_dependents()
    pid = tl.program_id(0)
    rows = pid * BLOCK_N + tl.arange(0, BLOCK_N)
    ROW: tl.constexpr = K * BITS // 32
    GROUPS: tl.constexpr = K // 64
    EVEN: tl.constexpr = ROW % BLOCK_K == 0
    # Two words a thread, since their x fill the widest load: so weights and x lie in the same threads and nothing is exchanged.
    cols = tl.max_contiguous(tl.arange(0, BLOCK_K), 2)
    # Rows past the end read the last one: loads without a mask are half as many instructions.
    safe = tl.minimum(rows, N - 1)[:, None].to(tl.int64)
    tile = safe * ROW + cols[None, :]
    words = tl.arange(0, BLOCK_K)
    groups = safe * GROUPS + (words // 16 * 2 + words % 2)[None, :]
    up = N.to(tl.int64) * ROW
    up_groups = N.to(tl.int64) * GROUPS
    ahead = ()
    for start in tl.static_range(0, ROW, BLOCK_K):
        if start < AHEAD * BLOCK_K:
            mask = (start + cols < ROW)[None, :]
            ahead = ahead + (_load_tile(w_ptr + start, tile, mask, EVEN, EVICT),)
            if ACT == 2:
                ahead = ahead + (_load_tile(w_ptr + up + start, tile, mask, EVEN, EVICT),)
    if PDL:
        gdc_wait()
    acc = tl.zeros((BLOCK_N, BLOCK_K), tl.float32)
    acc_up = tl.zeros((BLOCK_N, BLOCK_K), tl.float32)
    total = tl.zeros((BLOCK_K,), tl.float32)
    for start in tl.static_range(0, ROW, BLOCK_K):
        mask = start + cols < ROW
        if start < AHEAD * BLOCK_K:
            w = ahead[start // BLOCK_K * (2 if ACT == 2 else 1)]
        else:
            w = _load_tile(w_ptr + start, tile, mask[None, :], EVEN, EVICT)
        if ACT == 2:
            if start < AHEAD * BLOCK_K:
                w_up = ahead[start // BLOCK_K * 2 + 1]
            else:
                w_up = _load_tile(w_ptr + up + start, tile, mask[None, :], EVEN, EVICT)
        if BITS == 8:
            x0, x1, x2, x3 = _four_x(x_ptr + 4 * start, words, mask, EVEN)
            total += (x0 + x1) + (x2 + x3)
            acc = _add_int8(acc, w, x0, x1, x2, x3, exponent, ASM)
            if ACT == 2:
                acc_up = _add_int8(acc_up, w_up, x0, x1, x2, x3, exponent, ASM)
        else:
            halves = words // 16 * 32 + words % 16
            x0, x1, x2, x3 = _four_x(x_ptr + 8 * start, halves, mask, EVEN)
            x4, x5, x6, x7 = _four_x(x_ptr + 8 * start + 64, halves, mask, EVEN)
            too_large = 136.0 * (((x0 + x1) + (x2 + x3)) + ((x4 + x5) + (x6 + x7)))
            scale = _load_tile(w_scale_ptr + start // 8, groups, mask[None, :], EVEN, EVICT)
            acc = _add_int4(acc, w, scale, x0, x1, x2, x3, x4, x5, x6, x7, too_large, exponent, ASM)
            if ACT == 2:
                scale = _load_tile(w_scale_ptr + up_groups + start // 8, groups, mask[None, :], EVEN, EVICT)
                acc_up = _add_int4(acc_up, w_up, scale, x0, x1, x2, x3, x4, x5, x6, x7, too_large, exponent, ASM)
    if BITS == 8:
        acc -= 32896.0 * total[None, :]
        acc_up -= 32896.0 * total[None, :]
    # Asked for at the end: the registers are full of words.
    row_scale, row_scale_up, shift, bias, gain = ask_constants(rows, N, w_scale_ptr, shift_ptr, bias_ptr, gain_ptr, NORM, ACT, OUT, HAS_BIAS, QUANT)
    sums, squares, residual = ask_one_row(rows, N, stats_ptr, residual_ptr, STRIDE, STATS_IN, NORM, OUT, BLOCK_P)
    finish_one_row(
        acc, acc_up, pid, rows, row_scale, row_scale_up, shift, bias, gain, sums, squares, residual, residual_ptr, out_ptr, out_stats_ptr,
        STRIDE, N, K, eps, NORM, ACT, OUT,
    )  # fmt: skip
