"""The shapes in which a stage of the codec works, as one launch or as five a layer, and room for how many streams."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.codec.config import TransformerStage

MOST_ROWS = 64  # positions of one stream in a step; longer steps fill the card with ordinary kernels
MOST_AHEAD = 256  # positions up to which products wait for weights rather than for the matrix units
# Frames of the steps in which clips are encoded. Ten seconds are one step; the last one of a clip is padded: nothing
# behind its end is heard before it.
CLIP_STEPS = (125, 50, 25)
_BLOCKS = 120  # that keep most of a large card's multiprocessors at work


@dataclass(frozen=True)
class Tiles:
    """Shapes of `kernels.stage.stage_kernel`.

    Attributes:
        block_m, wide, narrow, block_k: rows; results of wide and of narrow products; columns.
        block_q: queries that attend together.
        splits_attend, splits_out, splits_down: in how many parts the window of a block of queries, and the rows of the
            two narrow products, are shared out.
        stages, warps: tiles on their way, threads / 32.
    """

    block_m: int
    wide: int
    narrow: int
    block_k: int
    block_q: int
    splits_attend: int
    splits_out: int
    splits_down: int
    stages: int
    warps: int


def tiles(count: int, width: int) -> Tiles:
    """For `count` <= MOST_ROWS positions of one stream: measured, see packaging/notes/gpu.md. Other streams beside it
    change nothing."""
    if width > 1024:
        return Tiles(16, 64, 64, 128, 16, 2, 5, 5, 5, 8) if count <= 16 else Tiles(32, 32, 32, 128, 32, 3, 3, 4, 5, 4)
    if count <= 16:
        return Tiles(16, 32, 32, 128, 16, 7, 3, 4, 5, 4)
    if count <= 32:
        return Tiles(32, 32, 32, 128, 32, 7, 3, 4, 5, 4)
    return Tiles(64, 32, 32, 128, 32, 4, 3, 4, 4, 4)


def fitting(chosen: Tiles, shared_bytes: int, itemsize: int = 2) -> Tiles:
    """The same with fewer tiles on their way where a block has no shared memory for so many."""
    tile = (chosen.block_m + max(chosen.wide, chosen.narrow)) * chosen.block_k * itemsize
    return replace(chosen, stages=max(1, min(chosen.stages, shared_bytes // tile)))


@dataclass(frozen=True)
class Tile:
    """One product of `kernels.layer`.

    Attributes:
        block_m, block_n, block_k: rows, results, columns. splits: parts along K.
        stages, warps: tiles on their way, threads / 32.
        registers: at most so many a thread, so that blocks share a multiprocessor; 0 is as many as the compiler likes.
    """

    block_m: int
    block_n: int
    block_k: int
    splits: int
    stages: int
    warps: int
    registers: int = 0


@dataclass(frozen=True)
class LongTiles:
    """Shapes of `kernels.layer`.

    Attributes:
        begin, qkv, out, feed_in, feed_out, end: of the products; `qkv`, `feed_in` and `end` are whole along K.
        block_q, block_t: queries and keys that attend together. splits_attend: parts of a window.
        stages_attend, warps_attend: as in `Tile`.
    """

    begin: Tile
    qkv: Tile
    out: Tile
    feed_in: Tile
    feed_out: Tile
    end: Tile
    block_q: int
    block_t: int
    splits_attend: int
    stages_attend: int
    warps_attend: int


def long_tiles(count: int, config: TransformerStage, itemsize: int = 2) -> LongTiles:
    """For `count` positions of one stream: see packaging/notes/gpu.md. Other streams beside it change nothing."""
    if itemsize == 4:  # no matrix units: every product of a tile's step is an instruction that is compiled
        tile = Tile(64, 64, 64, 1, 2, 4)
        return LongTiles(tile, tile, tile, tile, tile, tile, 32, 64, 1, 2, 8)
    width, hidden = config.width, config.hidden
    block_q = 128 if count >= 1600 else 64
    blocks = -(-count // block_q) * config.heads
    return LongTiles(
        begin=_product_tile(count, width, config.inputs),
        qkv=_product_tile(count, 3 * width, width, whole=True),
        out=_product_tile(count, width, width),
        feed_in=_product_tile(count, hidden, width, whole=True),
        feed_out=_product_tile(count, width, hidden),
        end=_product_tile(count, config.outputs, width, whole=True),
        block_q=block_q,
        block_t=64,
        splits_attend=min(4, max(1, _BLOCKS // blocks)),
        stages_attend=3,
        warps_attend=block_q // 16,
    )


def _product_tile(count: int, n: int, k: int, *, whole: bool = False) -> Tile:
    """The largest tile of which there are enough to fill a card; where there is none, K is cut in parts."""
    for block_m, block_n in ((128, 128), (64, 128), (64, 64)):
        blocks = -(-count // block_m) * -(-n // block_n)
        if block_m * block_n == 128 * 128 and blocks >= 2 * _BLOCKS:
            # Two blocks on each multiprocessor: one ends its tile while the other's product is under way.
            return Tile(block_m, block_n, 64, 1, 3, 8, registers=128)
        if blocks >= _BLOCKS:
            return Tile(block_m, block_n, 64, 1, 4, max(4, block_m * block_n // 2048))
    if whole:
        return Tile(64, 32, 128, 1, 4, 4)
    if 2 * blocks >= _BLOCKS and k % 128 == 0:
        return Tile(64, 64, 64, 2, 4, 4)
    blocks = -(-count // 64) * -(-n // 32)
    splits = (parts for parts in (1, 2, 3, 4, 5, 6, 8) if parts * blocks >= _BLOCKS and k % (128 * parts) == 0)
    return Tile(64, 32, 128, next(splits, 1), 4, 4)


def fitting_tile(tile: Tile, shared_bytes: int, itemsize: int = 2) -> Tile:
    """As `fitting`, for one product: narrower where not even two tiles find room, which changes no bit."""
    while True:
        step = (tile.block_m + tile.block_n) * tile.block_k * itemsize
        stages = min(tile.stages, shared_bytes // step)
        if stages >= 2 or tile.block_k <= 16:
            return replace(tile, stages=max(1, stages))
        tile = replace(tile, block_k=tile.block_k // 2)


def part_values(chosen: Tiles | LongTiles, config: TransformerStage, count: int) -> int:
    """float32 values that the parts of one stream's `count` positions take before they are added up; what is whole
    takes none."""
    if isinstance(chosen, Tiles):
        splits = max(chosen.splits_out, chosen.splits_down)
    else:
        splits = max(chosen.begin.splits, chosen.out.splits, chosen.feed_out.splits)
    products = splits * count * config.width if splits > 1 else 0
    blocks = -(-count // chosen.block_q) * config.heads * chosen.splits_attend if chosen.splits_attend > 1 else 0
    return max(products, blocks * chosen.block_q * (config.head_width + 2))


def streams_at_once(chosen: Tiles | LongTiles, config: TransformerStage, count: int, room: int) -> int:
    """How many streams' parts `room` float32 values hold; at least one (`room` must hold that)."""
    return max(1, room // max(1, part_values(chosen, config, count)))
