"""A stage of the codec as one launch: its weights one after the other, and the tiles that its kernel works in."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import torch
import triton

from engine.codec.config import TransformerStage
from engine.codec.layers import NORM_EPS
from engine.runtime.kernels import stage as kernels
from engine.runtime.kernels.launch import launch
from engine.runtime.kernels.ops import MOST_SPLIT_VALUES, Linear, Rows, SplitWork

MOST_ROWS = 256  # positions of one stream in a step; longer steps fill the card with ordinary kernels


@dataclass(frozen=True)
class Tiles:
    """Shapes of `stage_kernel`: rows, results of wide and of narrow products, columns; queries;
    in how many parts the window of a block of queries, and the rows of narrow products, are shared out."""

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
    """For `count` positions of one stream: measured, see packaging/notes/gpu.md. Other streams beside it change nothing."""
    if width > 1024:
        return Tiles(16, 64, 64, 128, 16, 2, 5, 5, 5, 8)
    if count <= 16:
        return Tiles(16, 32, 32, 128, 16, 7, 3, 4, 5, 4)
    if count <= 32:
        return Tiles(32, 32, 32, 128, 32, 7, 3, 4, 5, 4)
    if count <= 64:
        return Tiles(64, 32, 32, 128, 32, 4, 3, 4, 4, 4)
    return Tiles(128, 32, 32, 64, 32, 2, 3, 4, 5, 8)


@dataclass(frozen=True)
class RowPlaces:
    """Room for what `stage_kernel` works out once for all layers: angles, places in rings, where each stream stands."""

    angles: torch.Tensor
    places: torch.Tensor
    firsts: torch.Tensor

    @classmethod
    def empty(cls, streams: int, head_width: int, device: torch.device) -> RowPlaces:
        rows = streams * MOST_ROWS
        return cls(
            torch.empty(rows * head_width, device=device, dtype=torch.float32),
            torch.empty(rows, device=device, dtype=torch.int64),
            torch.empty(streams, device=device, dtype=torch.int32),
        )


@functools.cache
def resident_blocks(device: torch.device) -> int:
    """Blocks that are on the card at once, one on each multiprocessor. In Triton's interpreter, which takes turns: one."""
    return torch.cuda.get_device_properties(device).multi_processor_count if device.type == "cuda" else 1


class ResidentStage:
    """The layers of one stage.

    Attributes:
        weights: qkv, out, in, down: `[layers, N, K]` in the codec's dtype.
    """

    def __init__(
        self, config: TransformerStage, layers: list[tuple[Linear, Linear, Linear, Linear]], work: SplitWork
    ) -> None:
        self.config, self._work = config, work
        self.weights = [self._after_each_other([layer[part] for layer in layers]) for part in range(4)]
        self._vectors = [
            torch.stack(each)
            for each in (
                [qkv.shift for qkv, _, _, _ in layers],
                [qkv.bias for qkv, _, _, _ in layers],
                [feed.shift for _, _, feed, _ in layers],
                [feed.bias for _, _, feed, _ in layers],
                [out.next_gain for _, out, _, _ in layers],
                [down.next_gain for _, _, _, down in layers],
            )
        ]
        device = self.weights[0].device
        self._meeting = torch.zeros(2, dtype=torch.int32, device=device)
        self._blocks, self._card = resident_blocks(device), device.type == "cuda"
        self._options = {"launch_cooperative_grid": True} if self._card else {}

    @staticmethod
    def _after_each_other(products: list[Linear]) -> torch.Tensor:
        """One tensor that the products become views of. One at a time, so that little is in memory twice."""
        first = products[0].weight
        together = first.new_empty(len(products), *first.shape)
        for place, product in zip(together, products, strict=True):
            place.copy_(product.weight)
            product.weight = place
        return together

    def run(
        self,
        rows: Rows,
        work: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
        rings: torch.Tensor,
        places: RowPlaces,
        frames: torch.Tensor,
        slots: torch.Tensor,
        turns: tuple[torch.Tensor, ...],
        count: int,
    ) -> None:
        """`count` new positions of each stream in `slots` through all layers; what `rows` holds is replaced."""
        config = self.config
        chosen = tiles(count, config.width)
        narrow_tiles = triton.cdiv(config.width, chosen.narrow)
        # As many streams at once as there is room for the parts of their products.
        most = max(1, MOST_SPLIT_VALUES // (max(chosen.splits_out, chosen.splits_down) * count * config.width))
        for begin in range(0, len(slots), most):
            members = slots[begin : begin + most]
            part = slice(begin * count, (begin + len(members)) * count)
            launch(kernels.stage_kernel, (self._blocks,))(
                rows.residual[part], rows.gained[part], rows.stats[begin * count :], *(buffer[part] for buffer in work),
                self._work.parts, self._work.counters, self._meeting, *self.weights, *self._vectors,
                rings, places.angles, places.places, places.firsts, frames, members, *turns,
                len(members), count, config.tokens_per_frame, rows.stride, rows.parts,
                len(rings), config.context, rings.shape[4], rings.stride(1), config.head_width**-0.5, NORM_EPS,
                WIDTH=config.width, HIDDEN=config.hidden, HEADS=config.heads,
                BLOCK_M=chosen.block_m, WIDE=chosen.wide, NARROW=chosen.narrow, BLOCK_K=chosen.block_k,
                SPLITS_ATTEND=chosen.splits_attend, SPLITS_OUT=chosen.splits_out, SPLITS_DOWN=chosen.splits_down,
                BLOCK_P=triton.next_power_of_2(max(narrow_tiles, rows.parts)), BLOCK_Q=chosen.block_q, BLOCK_T=64, STAGES=chosen.stages,
                CARD=self._card, num_warps=chosen.warps, **self._options,
            )  # fmt: skip
        rows.parts = narrow_tiles
