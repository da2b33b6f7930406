"""The parts of a layer of the codec: what its kernels, one or five to a layer, are made of.

Work is shared out by tiles; the same tile gives the same bits whichever block takes it, and rows of a tile do not hear each other: the bits of a
stream depend on the tile shapes alone. The arithmetic is that of `engine.runtime.kernels.linear`: residual and norms in float32, `x * gain` and
partial sums left by the producer.
"""

from __future__ import annotations

import triton
import triton.language as tl

from engine.runtime.kernels.linear import ask_early


@triton.jit
def fetch_early(w_ptr, row, begin, N, K: tl.constexpr, ROWS: tl.constexpr, EACH: tl.constexpr):
    """Ask for the weights of this block's next tile, so that they are in the level-2 cache when the others have been waited for."""
    ask_early(w_ptr, tl.minimum(row + tl.arange(0, ROWS), N - 1), begin, K, EACH)


@triton.jit
def _product(
    x_ptr, w_ptr, ms, rows, begin, M, N: tl.constexpr,
    K: tl.constexpr, EACH: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, STAGES: tl.constexpr, WHOLE: tl.constexpr,
):
    """x `[M, K]` at rows `ms` times w `[N, K]` at rows `rows` over columns begin .. begin + EACH: float32 `[BLOCK_M, BLOCK_N]`.

    WHOLE: no column is past K, and rows past the last are read as the last: loads without masks. A tile of few rows is better off with masks,
    which read nothing.
    """
    m_ok = ms < M
    row_ok = rows < N
    if WHOLE:
        ms = tl.minimum(ms, M - 1)
        if N % BLOCK_N > 0:
            rows = tl.minimum(rows, N - 1)
    cols = tl.arange(0, BLOCK_K)
    x_tile = x_ptr + ms[:, None] * K + cols[None, :]
    w_tile = w_ptr + rows[None, :] * K + cols[:, None]
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in tl.range(begin, begin + EACH, BLOCK_K, num_stages=STAGES):
        if WHOLE:
            x = tl.load(x_tile + start)
            w = tl.load(w_tile + start)
        else:
            ok = start + cols < K
            x = tl.load(x_tile + start, mask=m_ok[:, None] & ok[None, :], other=0)
            w = tl.load(w_tile + start, mask=row_ok[None, :] & ok[:, None], other=0)
        acc = tl.dot(x, w, acc, input_precision="ieee")
    return acc


@triton.jit
def _sums(stats_ptr, parts, ms, m_ok, STRIDE, BLOCK_P: tl.constexpr):
    """What the producers of rows `ms` left of x and x²; added up only after a product, so that this wait hides in it."""
    part = tl.arange(0, BLOCK_P)
    place = part[:, None] * STRIDE + ms[None, :]
    ok = (part < parts)[:, None] & m_ok[None, :]
    return tl.load(stats_ptr + place, mask=ok, other=0), tl.load(stats_ptr + parts * STRIDE + place, mask=ok, other=0)


@triton.jit
def _normed(acc, sums, squares, shift, bias, eps, K: tl.constexpr):
    """LayerNorm around a product: W(g∘(x − mean)·inv + b) = inv·(W(g∘x) − mean·Wg) + Wb."""
    mean = tl.sum(sums, 0) / K
    inv = 1.0 / tl.sqrt(tl.maximum(tl.sum(squares, 0) / K - mean * mean, 0.0) + eps)
    return (acc - mean[:, None] * shift[None, :]) * inv[:, None] + bias[None, :]


@triton.jit
def where_rows_go(
    angles_ptr, places_ptr, firsts_ptr, frames_ptr, slots_ptr, cos_high, sin_high, cos_low, sin_low,
    task, M, COUNT, PER_FRAME, CAPACITY, HEADS: tl.constexpr, DIM: tl.constexpr, BLOCK_M: tl.constexpr,
):
    """Once for all layers: cos and sin of the angle of each row, its place in a ring, and where each stream stands."""
    HALF: tl.constexpr = DIM // 2
    ms = task * BLOCK_M + tl.arange(0, BLOCK_M)
    ok = ms < M
    half = tl.arange(0, HALF)
    slot = tl.load(slots_ptr + ms // COUNT, mask=ok, other=0)
    first = tl.load(frames_ptr + slot, mask=ok, other=0) * PER_FRAME
    position = first + ms % COUNT
    high = (position // 1024)[:, None] * HALF + half[None, :]
    low = (position % 1024)[:, None] * HALF + half[None, :]
    ch, sh = tl.load(cos_high + high, mask=ok[:, None], other=0), tl.load(sin_high + high, mask=ok[:, None], other=0)
    cl, sl = tl.load(cos_low + low, mask=ok[:, None], other=0), tl.load(sin_low + low, mask=ok[:, None], other=0)
    place = angles_ptr + ms[:, None] * HALF + half[None, :]
    tl.store(place, ch * cl - sh * sl, mask=ok[:, None])
    tl.store(place + M * HALF, sh * cl + ch * sl, mask=ok[:, None])
    tl.store(places_ptr + ms, slot.to(tl.int64) * HEADS * CAPACITY + position % CAPACITY, mask=ok)
    tl.store(firsts_ptr + ms // COUNT, first, mask=ok & (ms % COUNT == 0))


@triton.jit
def moved_on(frames_ptr, slots_ptr, firsts_ptr, stream, PER_FRAME, FRAMES):
    """Not added to what stands there: several rows may stand for one stream, that of nobody."""
    tl.store(frames_ptr + tl.load(slots_ptr + stream), tl.load(firsts_ptr + stream) // PER_FRAME + FRAMES)


@triton.jit
def queries_keys_values(
    x_ptr, w_ptr, shift_ptr, bias_ptr, stats_ptr, query_ptr, keys_ptr, values_ptr, angles_ptr, places_ptr,
    parts, task, M, STRIDE, CAPACITY, scale, eps,
    WIDTH: tl.constexpr, HEADS: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_P: tl.constexpr, STAGES: tl.constexpr, LONG: tl.constexpr,
):
    """One tile of LayerNorm(x) Wᵀ: queries rotated and scaled into `query` `[M, WIDTH]`, keys rotated and values into the rings.

    LONG: what the end takes is loaded there: other blocks work meanwhile, and the registers are the product's.
    """
    DIM: tl.constexpr = WIDTH // HEADS
    HALF: tl.constexpr = DIM // 2
    BLOCKS: tl.constexpr = (3 * WIDTH + BLOCK_N - 1) // BLOCK_N
    TILES: tl.constexpr = (WIDTH + BLOCK_K - 1) // BLOCK_K
    first_row = task % BLOCKS * BLOCK_N
    rows = first_row + tl.arange(0, BLOCK_N)
    row_ok = rows < 3 * WIDTH
    pairs = first_row // 2 + tl.arange(0, BLOCK_N // 2)
    ms = task // BLOCKS * BLOCK_M + tl.arange(0, BLOCK_M)
    m_ok = ms < M
    if LONG:
        acc = _product(x_ptr, w_ptr, ms, rows, 0, M, 3 * WIDTH, WIDTH, TILES * BLOCK_K, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, WIDTH == TILES * BLOCK_K)
    sums, squares = _sums(stats_ptr, parts, ms, m_ok, STRIDE, BLOCK_P)
    shift = tl.load(shift_ptr + rows, mask=row_ok, other=0)
    bias = tl.load(bias_ptr + rows, mask=row_ok, other=0)
    places = tl.load(places_ptr + ms, mask=m_ok, other=0)
    half = pairs % HALF
    turned = m_ok[:, None] & (pairs < WIDTH)[None, :]
    angle = angles_ptr + ms[:, None] * HALF + half[None, :]
    cos = tl.load(angle, mask=turned, other=1)
    sin = tl.load(angle + M * HALF, mask=turned, other=0)
    if not LONG:
        acc = _product(x_ptr, w_ptr, ms, rows, 0, M, 3 * WIDTH, WIDTH, TILES * BLOCK_K, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, False)
    y = _normed(acc, sums, squares, shift, bias, eps, WIDTH)
    even, odd = tl.split(tl.reshape(y, (BLOCK_M, BLOCK_N // 2, 2)))
    turned_y = tl.join(even * cos - odd * sin, odd * cos + even * sin)
    y = tl.reshape(turned_y, (BLOCK_M, BLOCK_N))
    kind = rows // WIDTH  # 0: queries, 1: keys, 2: values
    head = rows % WIDTH // DIM
    dim = rows % DIM
    ok = m_ok[:, None] & row_ok[None, :]
    dtype = query_ptr.dtype.element_ty
    asked = query_ptr + ms[:, None] * WIDTH + (head * DIM + dim)[None, :]
    ring = (places * DIM)[:, None] + (head * CAPACITY * DIM + dim)[None, :]
    if LONG and WIDTH % BLOCK_N == 0:  # the whole tile is of one kind
        if first_row < WIDTH:
            tl.store(asked, (y * scale).to(dtype), mask=m_ok[:, None])
        else:
            into = keys_ptr if first_row < 2 * WIDTH else values_ptr
            tl.store(into + ring, y.to(dtype), mask=m_ok[:, None])
    else:
        tl.store(asked, (y * scale).to(dtype), mask=ok & (kind == 0)[None, :])
        tl.store(keys_ptr + ring, y.to(dtype), mask=ok & (kind == 1)[None, :])
        tl.store(values_ptr + ring, y.to(dtype), mask=ok & (kind == 2)[None, :])


@triton.jit
def attended(
    query_ptr, keys_ptr, values_ptr, firsts_ptr, slots_ptr, out_ptr, part_ptr, counter_ptr, task, q_blocks, COUNT, CONTEXT, CAPACITY,
    WIDTH: tl.constexpr, HEADS: tl.constexpr,
    BLOCK_Q: tl.constexpr, BLOCK_T: tl.constexpr, SPLITS: tl.constexpr, STAGES: tl.constexpr,
):
    """A block of queries of one head over its share of the window. The last of its SPLITS tasks adds the shares, in order."""
    DIM: tl.constexpr = WIDTH // HEADS
    split = task % SPLITS
    whole = task // SPLITS
    head = whole % HEADS
    block = whole // HEADS % q_blocks
    batch = whole // HEADS // q_blocks
    slot = tl.load(slots_ptr + batch).to(tl.int64)
    first = tl.load(firsts_ptr + batch)
    at = block * BLOCK_Q + tl.arange(0, BLOCK_Q)
    dims = tl.arange(0, DIM)
    ok = at < COUNT
    where = (batch * COUNT + at)[:, None] * WIDTH + head * DIM + dims[None, :]
    q = tl.load(query_ptr + where, mask=ok[:, None], other=0)
    ring = (slot * HEADS + head) * CAPACITY * DIM
    times = tl.arange(0, BLOCK_T)
    oldest = tl.maximum(first + block * BLOCK_Q - CONTEXT + 1, 0)
    newest = first + tl.minimum((block + 1) * BLOCK_Q, COUNT)
    each = tl.cdiv(tl.cdiv(newest - oldest, BLOCK_T), SPLITS) * BLOCK_T
    begin = oldest + split * each
    # A floor instead of -inf: a share without keys must not compute inf - inf.
    top = tl.full((BLOCK_Q,), -1.0e30, tl.float32)
    total = tl.zeros((BLOCK_Q,), tl.float32)
    acc = tl.zeros((BLOCK_Q, DIM), tl.float32)
    for start in tl.range(begin, tl.minimum(begin + each, newest), BLOCK_T, num_stages=STAGES):
        position = start + times
        there = position < newest
        place = start % CAPACITY + times
        place = tl.where(place < CAPACITY, place, place - CAPACITY)
        index = ring + place[:, None] * DIM + dims[None, :]
        k = tl.load(keys_ptr + index, mask=there[:, None], other=0)
        v = tl.load(values_ptr + index, mask=there[:, None], other=0)
        scores = tl.dot(q, k.T, input_precision="ieee")
        distance = (first + at)[:, None] - position[None, :]
        scores = tl.where((distance >= 0) & (distance < CONTEXT), scores, float("-inf"))
        new_top = tl.maximum(top, tl.max(scores, 1))
        shrink = tl.exp(top - new_top)
        weights = tl.exp(scores - new_top[:, None])
        total = total * shrink + tl.sum(weights, 1)
        acc = tl.dot(weights.to(v.dtype), v, acc * shrink[:, None], input_precision="ieee")
        top = new_top
    last = True
    if SPLITS > 1:
        rows = tl.arange(0, BLOCK_Q)
        share = part_ptr + (whole * SPLITS) * BLOCK_Q * (DIM + 2)
        own = share + split * BLOCK_Q * (DIM + 2)
        tl.store(own + rows[:, None] * DIM + dims[None, :], acc)
        tl.store(own + BLOCK_Q * DIM + rows, top)
        tl.store(own + BLOCK_Q * (DIM + 1) + rows, total)
        tl.debug_barrier()
        arrived = tl.atomic_add(counter_ptr + whole, 1, sem="acq_rel", scope="gpu")
        tl.debug_barrier()
        last = arrived == SPLITS - 1
    if last:
        if SPLITS > 1:
            tl.store(counter_ptr + whole, 0)
            top = tl.full((BLOCK_Q,), -1.0e30, tl.float32)
            for index in tl.static_range(SPLITS):
                top = tl.maximum(top, tl.load(share + index * BLOCK_Q * (DIM + 2) + BLOCK_Q * DIM + rows, cache_modifier=".cg"))
            total = tl.zeros((BLOCK_Q,), tl.float32)
            acc = tl.zeros((BLOCK_Q, DIM), tl.float32)
            for index in tl.static_range(SPLITS):
                other = share + index * BLOCK_Q * (DIM + 2)
                weight = tl.exp(tl.load(other + BLOCK_Q * DIM + rows, cache_modifier=".cg") - top)
                total += weight * tl.load(other + BLOCK_Q * (DIM + 1) + rows, cache_modifier=".cg")
                acc += weight[:, None] * tl.load(other + rows[:, None] * DIM + dims[None, :], cache_modifier=".cg")
        tl.store(out_ptr + where, (acc / total[:, None]).to(out_ptr.dtype.element_ty), mask=ok[:, None])


@triton.jit
def fed(
    x_ptr, w_ptr, shift_ptr, bias_ptr, stats_ptr, out_ptr, parts, task, M, STRIDE, eps,
    N: tl.constexpr, K: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_P: tl.constexpr, STAGES: tl.constexpr, LONG: tl.constexpr,
):
    """One tile of gelu(LayerNorm(x) Wᵀ). LONG: as for `queries_keys_values`."""
    BLOCKS: tl.constexpr = (N + BLOCK_N - 1) // BLOCK_N
    TILES: tl.constexpr = (K + BLOCK_K - 1) // BLOCK_K
    rows = task % BLOCKS * BLOCK_N + tl.arange(0, BLOCK_N)
    row_ok = rows < N
    ms = task // BLOCKS * BLOCK_M + tl.arange(0, BLOCK_M)
    m_ok = ms < M
    if LONG:
        acc = _product(x_ptr, w_ptr, ms, rows, 0, M, N, K, TILES * BLOCK_K, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, K == TILES * BLOCK_K)
    sums, squares = _sums(stats_ptr, parts, ms, m_ok, STRIDE, BLOCK_P)
    shift = tl.load(shift_ptr + rows, mask=row_ok, other=0)
    bias = tl.load(bias_ptr + rows, mask=row_ok, other=0)
    if not LONG:
        acc = _product(x_ptr, w_ptr, ms, rows, 0, M, N, K, TILES * BLOCK_K, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, False)
    y = _normed(acc, sums, squares, shift, bias, eps, K)
    y = 0.5 * y * (1.0 + tl.erf(y * 0.7071067811865476))
    tl.store(out_ptr + ms[:, None] * N + rows[None, :], y.to(out_ptr.dtype.element_ty), mask=m_ok[:, None] & row_ok[None, :])


@triton.jit
def added(
    x_ptr, w_ptr, gain_ptr, residual_ptr, gained_ptr, stats_ptr, part_ptr, counter_ptr, task, M, STRIDE,
    N: tl.constexpr, K: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, SPLITS: tl.constexpr, STAGES: tl.constexpr, LONG: tl.constexpr,
    SET: tl.constexpr,
):
    """One tile of residual += x Wᵀ (SET: residual = x Wᵀ), with what the next norm needs. K is cut into SPLITS tasks; the last of them adds the parts,
    in order.

    LONG: as for `queries_keys_values`.
    """
    BLOCKS: tl.constexpr = (N + BLOCK_N - 1) // BLOCK_N
    TILES: tl.constexpr = (K + BLOCK_K - 1) // BLOCK_K
    EACH: tl.constexpr = (TILES + SPLITS - 1) // SPLITS * BLOCK_K
    split = task % SPLITS
    tile = task // SPLITS
    block = tile % BLOCKS
    rows = block * BLOCK_N + tl.arange(0, BLOCK_N)
    row_ok = rows < N
    ms = tile // BLOCKS * BLOCK_M + tl.arange(0, BLOCK_M)
    m_ok = ms < M
    where = ms[:, None] * N + rows[None, :]
    ok = m_ok[:, None] & row_ok[None, :]
    if not LONG:
        # Asked for before the product, for whoever will be the last.
        if not SET:
            residual = tl.load(residual_ptr + where, mask=ok, other=0)
        gain = tl.load(gain_ptr + rows, mask=row_ok, other=0)
    y = _product(
        x_ptr, w_ptr, ms, rows, split * EACH, M, N, K, EACH, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, LONG and K == EACH * SPLITS
    )  # fmt: skip
    last = True
    if SPLITS > 1:
        tl.store(part_ptr + split * M * N + where, y, mask=ok)
        tl.debug_barrier()
        arrived = tl.atomic_add(counter_ptr + tile, 1, sem="acq_rel", scope="gpu")
        tl.debug_barrier()
        last = arrived == SPLITS - 1
    if last:
        if SPLITS > 1:
            tl.store(counter_ptr + tile, 0)
            y = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
            for index in tl.static_range(SPLITS):
                y += tl.load(part_ptr + index * M * N + where, mask=ok, other=0, cache_modifier=".cg")
        if LONG:
            if not SET:
                residual = tl.load(residual_ptr + where, mask=ok, other=0)
            gain = tl.load(gain_ptr + rows, mask=row_ok, other=0)
        if not SET:
            y += residual
        tl.store(residual_ptr + where, y, mask=ok)
        y = tl.where(ok, y, 0.0)
        tl.store(stats_ptr + block * STRIDE + ms, tl.sum(y, 1), mask=m_ok)
        tl.store(stats_ptr + (BLOCKS + block) * STRIDE + ms, tl.sum(y * y, 1), mask=m_ok)
        tl.store(gained_ptr + where, (y * gain[None, :]).to(gained_ptr.dtype.element_ty), mask=ok)


@triton.jit
def ended(
    x_ptr, w_ptr, out_ptr, task, M, N: tl.constexpr, K: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, STAGES: tl.constexpr, LONG: tl.constexpr,
):
    """One tile of x Wᵀ, as it is."""
    BLOCKS: tl.constexpr = (N + BLOCK_N - 1) // BLOCK_N
    EACH: tl.constexpr = (K + BLOCK_K - 1) // BLOCK_K * BLOCK_K
    rows = task % BLOCKS * BLOCK_N + tl.arange(0, BLOCK_N)
    ms = task // BLOCKS * BLOCK_M + tl.arange(0, BLOCK_M)
    y = _product(x_ptr, w_ptr, ms, rows, 0, M, N, K, EACH, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, LONG and K == EACH)
    ok = (ms < M)[:, None] & (rows < N)[None, :]
    tl.store(out_ptr + ms[:, None] * N + rows[None, :], y.to(out_ptr.dtype.element_ty), mask=ok)
