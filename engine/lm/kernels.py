"""The decode step as machine code for one processor core, compiled at first use and kept on disk (numba).

Arithmetic is float32. Matrices may lie in 16 bits: where every weight is exactly a float16 or bfloat16 number, widening
it in a register gives the very float32 that a wider copy would hold, for half the memory traffic, which is what binds.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from engine.lm.sampling import CHANNELS_PER_FRAME, INCREMENT, MULTIPLIERS

# Sums may be reordered (vector lanes); infinities keep their meaning, for they mark tokens that are filtered out.
_FAST = {"reassoc", "contract", "nsz", "arcp"}
_OPTIONS = {"nogil": True, "fastmath": _FAST, "error_model": "numpy"}
entry = njit(cache=True, no_cfunc_wrapper=True, **_OPTIONS)
part = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS)  # called by other kernels alone
# Said although it is the default: what is not said is taken over from the kernel that calls.
exact_part = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, nogil=True, fastmath=False, error_model="numpy")

_U64 = 0xFFFFFFFFFFFFFFFF
_GOLDEN = np.uint64(INCREMENT & _U64)
_MUL_1, _MUL_2 = np.uint64(MULTIPLIERS[0] & _U64), np.uint64(MULTIPLIERS[1] & _U64)
_PER_FRAME = np.uint64(CHANNELS_PER_FRAME)
_S12, _S27, _S30, _S31 = (np.uint64(n) for n in (12, 27, 30, 31))
_ZERO, _ONE, _MINUS_INF = np.float32(0), np.float32(1), np.float32(-np.inf)


class BackboneArrays(NamedTuple):
    """Layers stacked along the first axis; matrices `[layers, out, in]` of one stored type, vectors float32."""

    embed_tokens: np.ndarray
    input_norm: np.ndarray
    qkv: np.ndarray
    q_norm: np.ndarray
    k_norm: np.ndarray
    out: np.ndarray
    post_norm: np.ndarray
    gate_up: np.ndarray
    down: np.ndarray
    norm: np.ndarray


class LocalArrays(NamedTuple):
    """The local transformer; `wpe` has no rows where positions are rotary."""

    ln_1: np.ndarray
    qkv: np.ndarray
    qkv_bias: np.ndarray
    out: np.ndarray
    out_bias: np.ndarray
    ln_2: np.ndarray
    fc_in: np.ndarray
    fc_in_bias: np.ndarray
    fc_out: np.ndarray
    fc_out_bias: np.ndarray
    ln_f: np.ndarray
    wpe: np.ndarray
    cos: np.ndarray
    sin: np.ndarray


class Tables(NamedTuple):
    """Embeddings float32 `[sum(sizes) + 1, hidden]`, where each codebook starts, and the heads (matrices)."""

    embeddings: np.ndarray
    offsets: np.ndarray
    sizes: np.ndarray
    heads: np.ndarray
    stop_head: np.ndarray


@intrinsic
def _widen(typingctx, stored):
    """float32 of a stored weight: float32 as it is, uint16 the bits of a float16, int16 the bits of a bfloat16."""

    def from_half(context, builder, signature, args):
        return builder.fpext(builder.bitcast(args[0], ir.HalfType()), ir.FloatType())

    def from_brain(context, builder, signature, args):
        wide = builder.zext(args[0], ir.IntType(32))
        return builder.bitcast(builder.shl(wide, ir.Constant(ir.IntType(32), 16)), ir.FloatType())

    def as_it_is(context, builder, signature, args):
        return args[0]

    codegen = {types.uint16: from_half, types.int16: from_brain, types.float32: as_it_is}[stored]
    return types.float32(stored), codegen


@intrinsic
def _float_of_bits(typingctx, bits):
    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.FloatType())

    return types.float32(types.int32), codegen


@part
def _exp(x):
    """float32 e^x within 2 units of the last place, without a call, so that loops become vector code (Cephes expf)."""
    x = min(max(x, np.float32(-87.0)), np.float32(88.0))
    n = np.float32(math.floor(x * np.float32(1.44269504088896341) + np.float32(0.5)))
    r = x - n * np.float32(0.693359375) + n * np.float32(2.12194440e-4)
    p = np.float32(1.9875691500e-4)
    p = p * r + np.float32(1.3981999507e-3)
    p = p * r + np.float32(8.3334519073e-3)
    p = p * r + np.float32(4.1665795894e-2)
    p = p * r + np.float32(1.6666665459e-1)
    p = p * r + np.float32(5.0000001201e-1)
    return (p * r * r + r + _ONE) * _float_of_bits((np.int32(n) + np.int32(127)) << np.int32(23))


@part
def _linear(weight, x, out):
    """out = weight @ x for the leading entries of x and out."""
    inputs = weight.shape[1]
    for i in range(weight.shape[0]):
        total = _ZERO
        for j in range(inputs):
            total += _widen(weight[i, j]) * x[j]
        out[i] = total


@part
def _rms_norm(x, weight, eps, out):
    size = weight.shape[0]
    total = _ZERO
    for j in range(size):
        total += x[j] * x[j]
    scale = _ONE / np.float32(math.sqrt(total / np.float32(size) + eps))
    for j in range(size):
        out[j] = x[j] * scale * weight[j]


@part
def _layer_norm(x, weight_and_bias, eps, out):
    size = weight_and_bias.shape[1]
    mean = _ZERO
    for j in range(size):
        mean += x[j]
    mean /= np.float32(size)
    variance = _ZERO
    for j in range(size):
        variance += (x[j] - mean) * (x[j] - mean)
    scale = _ONE / np.float32(math.sqrt(variance / np.float32(size) + eps))
    for j in range(size):
        out[j] = (x[j] - mean) * scale * weight_and_bias[0, j] + weight_and_bias[1, j]


@part
def _attend(query, keys, values, count, scores, out):
    """One head: `query` `[dim]` over `count` positions of `keys`, `values` `[.., dim]` -> `out` `[dim]`."""
    dim = keys.shape[1]
    scale = _ONE / np.float32(math.sqrt(np.float32(dim)))
    best = _MINUS_INF
    for p in range(count):
        total = _ZERO
        for d in range(dim):
            total += query[d] * keys[p, d]
        scores[p] = total * scale
        best = max(best, scores[p])
    total = _ZERO
    for p in range(count):
        scores[p] = _exp(scores[p] - best)
        total += scores[p]
    for d in range(dim):
        out[d] = _ZERO
    for p in range(count):
        share = scores[p] / total
        for d in range(dim):
            out[d] += share * values[p, d]


@entry
def advance(weights, tables, frame_row, pad_code, kv, position, cos, sin, eps, heads, work, hidden):
    """Feed one row its frame: writes its keys and values at `position`, and its new `hidden`.

    Args:
        frame_row: int64 `[C+1]`. kv: `[layers, 2, kv_heads, capacity, dim]`. cos, sin: `[dim / 2]` of this position.
        work: float32 scratch: three arrays as wide as the widest vector, one as long as the cache.
    """
    layers, kv_heads, dim = kv.shape[0], kv.shape[2], kv.shape[4]
    size, inner, half, group = hidden.shape[0], weights.down.shape[2], dim // 2, heads // kv_heads
    x, narrow, wide, scores = work
    for j in range(size):
        x[j] = weights.embed_tokens[frame_row[0], j]
    for k in range(tables.offsets.shape[0]):
        if frame_row[k + 1] != pad_code:
            code = tables.offsets[k] + frame_row[k + 1]
            for j in range(size):
                x[j] += tables.embeddings[code, j]
    for layer in range(layers):
        _rms_norm(x, weights.input_norm[layer], eps, narrow)
        _linear(weights.qkv[layer], narrow, wide)
        keys, values = kv[layer, 0], kv[layer, 1]
        for h in range(heads + kv_heads):
            head = wide[h * dim :]
            _rms_norm(head, weights.q_norm[layer] if h < heads else weights.k_norm[layer], eps, head)
            for d in range(half):
                first, second = head[d], head[d + half]
                head[d] = first * cos[d] - second * sin[d]
                head[d + half] = second * cos[d] + first * sin[d]
        for h in range(kv_heads):
            for d in range(dim):
                keys[h, position, d] = wide[(heads + h) * dim + d]
                values[h, position, d] = wide[(heads + kv_heads + h) * dim + d]
        for h in range(heads):
            _attend(wide[h * dim :], keys[h // group], values[h // group], position + 1, scores, narrow[h * dim :])
        _linear(weights.out[layer], narrow, wide)
        for j in range(size):
            x[j] += wide[j]
        _rms_norm(x, weights.post_norm[layer], eps, narrow)
        _linear(weights.gate_up[layer], narrow, wide)
        for j in range(inner):
            wide[j] = wide[j] / (_ONE + _exp(-wide[j])) * wide[inner + j]
        _linear(weights.down[layer], wide, narrow)
        for j in range(size):
            x[j] += narrow[j]
    _rms_norm(x, weights.norm, eps, hidden)


@part
def _local_step(weights, position, cache, eps, work):
    """One position of the local transformer: input is the first scratch array, output the second.

    `cache` `[2, heads, C, dim]`: keys and values of this frame.
    """
    heads, dim = cache.shape[1], cache.shape[3]
    size, inner = heads * dim, weights.fc_in.shape[0]
    x, narrow, wide, scores = work
    if weights.wpe.shape[0] > 0:
        for j in range(size):
            x[j] += weights.wpe[position, j]
    _layer_norm(x, weights.ln_1, eps, narrow)
    _linear(weights.qkv, narrow, wide)
    for j in range(3 * size):
        wide[j] += weights.qkv_bias[j]
    if weights.wpe.shape[0] == 0:
        for pair in range(size):  # queries and keys lie one after the other: 2 x size numbers
            d = pair % (dim // 2)
            c, s = weights.cos[position, d], weights.sin[position, d]
            even, odd = wide[2 * pair], wide[2 * pair + 1]
            wide[2 * pair], wide[2 * pair + 1] = even * c - odd * s, odd * c + even * s
    for h in range(heads):
        for d in range(dim):
            cache[0, h, position, d] = wide[size + h * dim + d]
            cache[1, h, position, d] = wide[2 * size + h * dim + d]
        _attend(wide[h * dim :], cache[0, h], cache[1, h], position + 1, scores, narrow[h * dim :])
    _linear(weights.out, narrow, wide)
    for j in range(size):
        x[j] += wide[j] + weights.out_bias[j]
    _layer_norm(x, weights.ln_2, eps, narrow)
    _linear(weights.fc_in, narrow, wide)
    for j in range(inner):
        value = wide[j] + weights.fc_in_bias[j]
        wide[j] = value / (_ONE + _exp(-value))
    _linear(weights.fc_out, wide, narrow)
    for j in range(size):
        x[j] += narrow[j] + weights.fc_out_bias[j]
    _layer_norm(x, weights.ln_f, eps, narrow)


@entry
def speak(weights, tables, audio, stop, seed, frame, seen, hidden, cache, eps, work, logits, heap, frame_row):
    """From `hidden` to the C codes of one frame of one row, written to `frame_row`; returns the stop decision, 0 or 1.

    Args:
        audio, stop: (temperature, top_p, top_k, penalty). seed, frame: int64. seen: bool `[C, largest codebook]`.
        cache: see `_local_step`. logits, heap: scratch, see `_choose`.
    """
    size = hidden.shape[0]
    x, narrow = work[0], work[1]
    stopped = 0
    for j in range(size):
        x[j] = hidden[j]
    for k in range(tables.sizes.shape[0]):
        if k > 0:
            code = tables.offsets[k - 1] + frame_row[k]
            for j in range(size):
                x[j] = tables.embeddings[code, j]
        _local_step(weights, k, cache, eps, work)
        for channel in range(0 if k == 0 else k + 1, k + 2):  # channel 0 is the stop decision, before codebook 0
            if channel == 0:
                _linear(tables.stop_head, narrow, logits)
                stopped = _choose(logits, 2, stop, seed, frame, channel, seen[k], heap)
            else:
                start, count = tables.offsets[k], tables.sizes[k]
                _linear(tables.heads[start : start + count], narrow, logits)
                frame_row[k + 1] = _choose(logits, count, audio, seed, frame, channel, seen[k], heap)
    for k in range(tables.sizes.shape[0]):
        seen[k, frame_row[k + 1]] = True
    return stopped


@part
def _choose(logits, size, settings, seed, frame, channel, seen, heap):
    """One of `size` tokens: the filters of MODEL §4 in their order, then the Gumbel arg-max over what they leave.

    `heap` int64 `[2, V]` is scratch: tokens as a heap by score, then the best tokens in falling order.
    """
    temperature, top_p, top_k, penalty = settings
    _scale(logits, size, seen, penalty, temperature)
    if temperature == _ZERO:
        return _first_of_the_best(logits, size)

    limited = 0 < top_k < size
    order, best = heap[0], heap[1]
    for token in range(size):
        order[token] = token
    for parent in range(size // 2 - 1, -1, -1):
        _sift_down(order, logits, parent, size)
    kept, left, total = 0, size, _ZERO
    while left > 0:
        token = order[0]
        if limited and kept >= top_k and logits[token] < logits[best[kept - 1]]:
            break  # ties with the k-th score are kept
        best[kept] = token
        kept += 1
        left -= 1
        order[0] = order[left]
        _sift_down(order, logits, 0, left)
        total += _exp(logits[token] - logits[best[0]])

    chosen, highest, before = best[0], _MINUS_INF, _ZERO
    for i in range(kept):
        token = best[i]
        if _ZERO < top_p < _ONE and before > top_p:
            break  # the token that crosses top-p stays, those after it go
        before += _exp(logits[token] - logits[best[0]]) / total
        score = logits[token] + _gumbel(seed, frame, channel, token)
        if score > highest or (score == highest and token < chosen):
            chosen, highest = token, score
    return chosen


@exact_part
def _scale(logits, size, seen, penalty, temperature):
    """Penalty and temperature. Rounded as torch rounds: a reciprocal would part, or make, scores that are equal."""
    if penalty != _ONE:
        for token in range(size):
            if seen[token]:
                logits[token] = logits[token] * penalty if logits[token] < _ZERO else logits[token] / penalty
    if temperature != _ZERO:
        for token in range(size):
            logits[token] /= temperature


@part
def _first_of_the_best(logits, size):
    best = 0
    for token in range(1, size):
        if logits[token] > logits[best]:
            best = token
    return best


@part
def _sift_down(order, scores, parent, size):
    """Restore the heap below `parent`: higher scores first, of equal ones the lower token."""
    moving = order[parent]
    while True:
        child = 2 * parent + 1
        if child >= size:
            break
        if child + 1 < size and _before(order[child + 1], order[child], scores):
            child += 1
        if not _before(order[child], moving, scores):
            break
        order[parent] = order[child]
        parent = child
    order[parent] = moving


@part
def _before(a, b, scores):
    return scores[a] > scores[b] or (scores[a] == scores[b] and a < b)


@part
def _mix(x):
    x = (x ^ (x >> _S30)) * _MUL_1
    x = (x ^ (x >> _S27)) * _MUL_2
    return x ^ (x >> _S31)


@exact_part
def _gumbel(seed, frame, channel, token):
    """The noise of `engine.lm.sampling.gumbel_noise` for one token."""
    counter = (np.uint64(frame) * _PER_FRAME + np.uint64(channel)) * _GOLDEN
    key = _mix(_mix(np.uint64(seed) + _GOLDEN) ^ counter)
    bits = _mix(key + np.uint64(token + 1) * _GOLDEN) >> _S12
    uniform = (np.float64(bits) + 0.5) * 2.0**-52
    return np.float32(-np.float32(math.log(-math.log(uniform))))
