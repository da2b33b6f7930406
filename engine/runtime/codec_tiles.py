"""The shapes in which a stage of the codec works as one launch, and how many streams they have room for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.codec.config import TransformerStage

MOST_ROWS = 256  # positions of one stream in a step; longer steps fill the card with ordinary kernels


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
    """For `count` positions of one stream: measured, see packaging/notes/gpu.md. Other streams beside it change
    nothing."""
    if width > 1024:
        return Tiles(16, 64, 64, 128, 16, 2, 5, 5, 5, 8)
    if count <= 16:
        return Tiles(16, 32, 32, 128, 16, 7, 3, 4, 5, 4)
    if count <= 32:
        return Tiles(32, 32, 32, 128, 32, 7, 3, 4, 5, 4)
    if count <= 64:
        return Tiles(64, 32, 32, 128, 32, 4, 3, 4, 4, 4)
    return Tiles(128, 32, 32, 64, 32, 2, 3, 4, 5, 8)


def fitting(chosen: Tiles, shared_bytes: int, itemsize: int = 2) -> Tiles:
    """The same with fewer tiles on their way where a block has no shared memory for so many."""
    tile = (chosen.block_m + max(chosen.wide, chosen.narrow)) * chosen.block_k * itemsize
    return replace(chosen, stages=max(1, min(chosen.stages, shared_bytes // tile)))


def part_values(chosen: Tiles, config: TransformerStage, count: int) -> int:
    """float32 values that the parts of one stream's `count` positions take before they are added up."""
    products = max(chosen.splits_out, chosen.splits_down) * count * config.width
    blocks = -(-count // chosen.block_q) * config.heads * chosen.splits_attend
    return max(products, blocks * chosen.block_q * (config.head_width + 2))


def streams_at_once(chosen: Tiles, config: TransformerStage, count: int, room: int) -> int:
    """How many streams' parts `room` float32 values hold; at least one (`room` must hold that)."""
    return max(1, room // part_values(chosen, config, count))
