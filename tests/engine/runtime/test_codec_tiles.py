"""Streams that are decoded together have room for what their stages leave on the way."""

from __future__ import annotations

import pytest

from engine.codec.config import TransformerStage
from engine.runtime.codec_tiles import (
    MOST_ROWS,
    fitting,
    fitting_tile,
    long_tiles,
    part_values,
    streams_at_once,
    tiles,
)
from engine.runtime.random_weights import FULL_CODEC

ROOM = 8 * 128 * 4096  # float32 values, as `kernels.ops.MOST_SPLIT_VALUES`
STAGES = [stage for stage in FULL_CODEC.decoder if isinstance(stage, TransformerStage)]


@pytest.mark.parametrize("frames", [*range(1, 9), 16, 25])
@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: f"{stage.tokens_per_frame} a frame")
def test_as_many_streams_go_together_as_their_parts_have_room(stage: TransformerStage, frames: int) -> None:
    count = min(MOST_ROWS, frames * stage.tokens_per_frame)
    chosen = tiles(count, stage.width)
    together = streams_at_once(chosen, stage, count, ROOM)
    products = together * max(chosen.splits_out, chosen.splits_down) * count * stage.width
    shares = together * -(-count // chosen.block_q) * stage.heads * chosen.splits_attend
    assert max(products, shares * chosen.block_q * (stage.head_width + 2)) <= ROOM
    assert together >= 5


def test_tiles_do_not_depend_on_company() -> None:
    stage = STAGES[3]
    assert (
        part_values(tiles(64, stage.width), stage, 64) * 21
        > ROOM
        >= part_values(tiles(64, stage.width), stage, 64) * 20
    )
    assert streams_at_once(tiles(64, stage.width), stage, 64, ROOM) == 20


@pytest.mark.parametrize("shared_kb", [60, 95, 223])
@pytest.mark.parametrize("frames", [1, 4, 8, 25])
@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: f"{stage.tokens_per_frame} a frame")
def test_cards_with_little_shared_memory_take_fewer_tiles_at_once(
    stage: TransformerStage, frames: int, shared_kb: int
) -> None:
    wished = tiles(min(MOST_ROWS, frames * stage.tokens_per_frame), stage.width)
    chosen = fitting(wished, shared_kb << 10)
    tile = (chosen.block_m + max(chosen.wide, chosen.narrow)) * chosen.block_k * 2
    assert 2 <= chosen.stages <= wished.stages and chosen.stages * tile <= shared_kb << 10
    assert chosen.stages == wished.stages or (chosen.stages + 1) * tile > shared_kb << 10


ENCODER = [stage for stage in FULL_CODEC.encoder if isinstance(stage, TransformerStage)]
MULTIPROCESSORS = 132


@pytest.mark.parametrize("itemsize", [2, 4])
@pytest.mark.parametrize("frames", [25, 50, 100, 125])
@pytest.mark.parametrize("stage", ENCODER, ids=lambda stage: f"{stage.tokens_per_frame} a frame")
def test_long_steps_fill_a_card_and_their_parts_have_room(stage: TransformerStage, frames: int, itemsize: int) -> None:
    count = frames * stage.tokens_per_frame
    chosen = long_tiles(count, stage, itemsize)
    assert chosen.qkv.splits == chosen.feed_in.splits == chosen.end.splits == 1
    assert part_values(chosen, stage, count) <= ROOM
    widths = (3 * stage.width, stage.width, stage.hidden, stage.width)
    for tile, n in zip((chosen.qkv, chosen.out, chosen.feed_in, chosen.feed_out), widths, strict=True):
        blocks = -(-count // tile.block_m) * -(-n // tile.block_n) * tile.splits
        assert itemsize == 4 or count < 100 or blocks >= 0.8 * MULTIPROCESSORS
        assert tile.block_m * tile.block_n <= 64 * tile.warps * 32  # sums of a thread that its registers hold
        assert tile.warps % 4 == 0  # that many use the matrix units of the newest cards together


def test_long_steps_without_parts_take_any_number_of_streams() -> None:
    stage = STAGES[-1]
    whole, parted = long_tiles(800, stage), long_tiles(400, stage)
    assert streams_at_once(whole, stage, 800, ROOM) > 32
    assert streams_at_once(parted, stage, 400, ROOM) == ROOM // (parted.feed_out.splits * 400 * stage.width) < 32


@pytest.mark.parametrize("shared_kb", [44, 60, 95, 223])
@pytest.mark.parametrize("frames", [25, 100])
@pytest.mark.parametrize("stage", ENCODER, ids=lambda stage: f"{stage.tokens_per_frame} a frame")
def test_long_tiles_fit_cards_with_little_shared_memory(stage: TransformerStage, frames: int, shared_kb: int) -> None:
    chosen = long_tiles(frames * stage.tokens_per_frame, stage)
    for tile in (chosen.qkv, chosen.out, chosen.feed_in, chosen.feed_out):
        fits = fitting_tile(tile, shared_kb << 10)
        assert (fits.block_m, fits.block_n, fits.splits) == (tile.block_m, tile.block_n, tile.splits)
        assert 2 <= fits.stages <= tile.stages
        assert fits.stages * (fits.block_m + fits.block_n) * fits.block_k * 2 <= shared_kb << 10
