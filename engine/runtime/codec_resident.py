"""A stage of the codec as one launch: its weights one after the other, and room for what its kernel works out."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import torch
import triton

from engine.codec.config import TransformerStage
from engine.codec.layers import NORM_EPS
from engine.runtime.codec_tiles import MOST_ROWS, fitting, streams_at_once, tiles
from engine.runtime.kernels import stage as kernels
from engine.runtime.kernels.launch import launch
from engine.runtime.kernels.ops import MOST_SPLIT_VALUES, Linear, Rows, SplitWork, shared_bytes


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
    """Blocks that are on the card at once, one on each multiprocessor. In Triton's interpreter, which takes turns:
    one."""
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
        chosen = fitting(tiles(count, config.width), shared_bytes(rows.residual.device), rows.gained.element_size())
        narrow_tiles = triton.cdiv(config.width, chosen.narrow)
        most = streams_at_once(chosen, config, count, MOST_SPLIT_VALUES)
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
