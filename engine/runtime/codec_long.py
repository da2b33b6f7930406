"""A stage of the codec as five launches a layer, for long steps."""

from __future__ import annotations

import torch
import triton

from engine.codec.layers import NORM_EPS
from engine.runtime.codec_layers import PackedLayers, StageStep
from engine.runtime.codec_tiles import MOST_AHEAD, LongTiles, Tile, fitting_tile, long_tiles, streams_at_once
from engine.runtime.kernels import layer as kernels
from engine.runtime.kernels.launch import launch
from engine.runtime.kernels.ops import MOST_SPLIT_VALUES, Rows, SplitWork, shared_bytes


class LongStage:
    """The layers of one stage, one after the other."""

    def __init__(self, layers: PackedLayers, work: SplitWork, *, pdl: bool) -> None:
        self.layers, self._work = layers, work
        self._common = {"PDL": pdl, "launch_pdl": True} if pdl else {"PDL": False}

    def run(self, step: StageStep) -> None:
        """From `step.x` to `step.out`."""
        config = self.layers.config
        chosen = long_tiles(step.count, config, step.rows.gained.element_size())
        for some in step.groups(streams_at_once(chosen, config, step.count, MOST_SPLIT_VALUES)):
            self._layers(some, chosen)
            if some.advance:
                launch(kernels.advance_kernel, (len(some.slots),))(
                    some.frames, some.slots, some.places.firsts, config.tokens_per_frame, some.advance,
                    num_warps=1, **self._common,
                )  # fmt: skip

    def _layers(self, step: StageStep, chosen: LongTiles) -> None:
        layers, config = self.layers, self.layers.config
        rows, rings, places, count = step.rows, step.rings, step.places, step.count
        ahead = {"AHEAD": count <= MOST_AHEAD and rows.gained.element_size() == 2}
        width, capacity, m = config.width, rings.shape[4], len(rows.residual)
        query, attended, inner = step.work
        launch(kernels.places_kernel, (triton.cdiv(m, 64),))(
            places.angles, places.places, places.firsts, step.frames, step.slots, *step.turns,
            m, count, config.tokens_per_frame, capacity, HEADS=config.heads, DIM=config.head_width, BLOCK_M=64, num_warps=4, **self._common,
        )  # fmt: skip
        self._add(step.x, layers.begin, layers.first_gain, rows, chosen.begin, ahead, new=True)
        q_blocks = triton.cdiv(count, chosen.block_q)
        attend_grid = (q_blocks * config.heads * len(step.slots) * chosen.splits_attend,)
        for index, (keys, values) in enumerate(rings):
            tile = self._tile(chosen.qkv, rows)
            launch(kernels.qkv_kernel, _grid(tile, m, 3 * width))(
                rows.gained, layers.qkv[index], layers.qkv_shift[index], layers.qkv_bias[index], rows.stats,
                query, keys, values, places.angles, places.places, rows.parts, m, rows.stride, capacity, config.head_width**-0.5, NORM_EPS,
                WIDTH=width, HEADS=config.heads, BLOCK_P=triton.next_power_of_2(rows.parts), **_sizes(tile), **ahead, **self._common,
            )  # fmt: skip
            launch(kernels.attend_kernel, attend_grid)(
                query, keys, values, places.firsts, step.slots, attended, self._work.parts, self._work.counters,
                q_blocks, count, config.context, capacity, WIDTH=width, HEADS=config.heads, BLOCK_Q=chosen.block_q, BLOCK_T=chosen.block_t,
                SPLITS=chosen.splits_attend, STAGES=chosen.stages_attend, num_warps=chosen.warps_attend, **self._common,
            )  # fmt: skip
            self._add(attended, layers.out[index], layers.middle_gain[index], rows, chosen.out, ahead)
            tile = self._tile(chosen.feed_in, rows)
            launch(kernels.feed_kernel, _grid(tile, m, config.hidden))(
                rows.gained, layers.feed_in[index], layers.in_shift[index], layers.in_bias[index], rows.stats,
                inner, rows.parts, m, rows.stride, NORM_EPS,
                N=config.hidden, K=width, BLOCK_P=triton.next_power_of_2(rows.parts), **_sizes(tile), **ahead, **self._common,
            )  # fmt: skip
            self._add(inner, layers.feed_out[index], layers.next_gain[index], rows, chosen.feed_out, ahead)
        tile = self._tile(chosen.end, rows)
        launch(kernels.end_kernel, _grid(tile, m, config.outputs))(
            rows.gained, layers.end, step.out, m, N=config.outputs, K=width, **_sizes(tile), **ahead, **self._common
        )

    def _add(
        self,
        x: torch.Tensor,
        weight: torch.Tensor,
        gain: torch.Tensor,
        rows: Rows,
        tile: Tile,
        ahead: dict[str, bool],
        *,
        new: bool = False,
    ) -> None:
        tile, m = self._tile(tile, rows), len(x)
        n, k = weight.shape
        launch(kernels.add_kernel, _grid(tile, m, n))(
            x, weight, gain, rows.residual, rows.gained, rows.stats, self._work.parts, self._work.counters, m, rows.stride,
            N=n, K=k, SPLITS=tile.splits, SET=new, **_sizes(tile), **ahead, **self._common,
        )  # fmt: skip
        rows.parts = triton.cdiv(n, tile.block_n)

    @staticmethod
    def _tile(tile: Tile, rows: Rows) -> Tile:
        return fitting_tile(tile, shared_bytes(rows.residual.device), rows.gained.element_size())


def _grid(tile: Tile, m: int, n: int) -> tuple[int]:
    return (triton.cdiv(m, tile.block_m) * triton.cdiv(n, tile.block_n) * tile.splits,)


def _sizes(tile: Tile) -> dict[str, int]:
    limit = {"maxnreg": tile.registers} if tile.registers else {}
    return limit | {
        "BLOCK_M": tile.block_m,
        "BLOCK_N": tile.block_n,
        "BLOCK_K": tile.block_k,
        "STAGES": tile.stages,
        "num_warps": tile.warps,
    }
