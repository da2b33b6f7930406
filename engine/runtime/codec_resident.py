"""A stage of the codec as one launch, for short steps."""

from __future__ import annotations

import functools

import torch
import triton

from engine.codec.layers import NORM_EPS
from engine.runtime.codec_layers import PackedLayers, RowPlaces
from engine.runtime.codec_tiles import fitting, streams_at_once, tiles
from engine.runtime.kernels import stage as kernels
from engine.runtime.kernels.launch import launch
from engine.runtime.kernels.ops import MOST_SPLIT_VALUES, Rows, SplitWork, shared_bytes


@functools.cache
def resident_blocks(device: torch.device) -> int:
    """Blocks that are on the card at once, one on each multiprocessor. In Triton's interpreter, which takes turns:
    one."""
    return torch.cuda.get_device_properties(device).multi_processor_count if device.type == "cuda" else 1


class ResidentStage:
    """The layers of one stage, all at each call."""

    def __init__(self, layers: PackedLayers, work: SplitWork) -> None:
        self.layers, self._work = layers, work
        device = layers.qkv.device
        self._meeting = torch.zeros(2, dtype=torch.int32, device=device)
        self._blocks, self._card = resident_blocks(device), device.type == "cuda"
        self._options = {"launch_cooperative_grid": True} if self._card else {}

    def run(
        self,
        x: torch.Tensor,
        out: torch.Tensor,
        rows: Rows,
        work: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
        rings: torch.Tensor,
        places: RowPlaces,
        frames: torch.Tensor,
        slots: torch.Tensor,
        turns: tuple[torch.Tensor, ...],
        count: int,
        *,
        advance: int = 0,
    ) -> None:
        """`count` new positions of each stream in `slots` from `x` `[., inputs]` to `out` `[., outputs]`.

        `advance`: of the last stage, by how many frames those streams are further on afterwards.
        """
        config = self.layers.config
        chosen = fitting(tiles(count, config.width), shared_bytes(rows.residual.device), rows.gained.element_size())
        narrow_tiles = triton.cdiv(config.width, chosen.narrow)
        most = streams_at_once(chosen, config, count, MOST_SPLIT_VALUES)
        for begin in range(0, len(slots), most):
            members = slots[begin : begin + most]
            part = slice(begin * count, (begin + len(members)) * count)
            launch(kernels.stage_kernel, (self._blocks,))(
                x[part], out[part], rows.residual[part], rows.gained[part], rows.stats[begin * count :], *(buffer[part] for buffer in work),
                self._work.parts, self._work.counters, self._meeting,
                self.layers.begin, self.layers.end, self.layers.first_gain, *self.layers.weights, *self.layers.vectors,
                rings, places.angles, places.places, places.firsts, frames, members, *turns,
                len(members), count, config.tokens_per_frame, rows.stride,
                len(rings), config.context, rings.shape[4], rings.stride(1), config.head_width**-0.5, NORM_EPS, advance,
                INPUTS=config.inputs, OUTPUTS=config.outputs, WIDTH=config.width, HIDDEN=config.hidden, HEADS=config.heads,
                BLOCK_M=chosen.block_m, WIDE=chosen.wide, NARROW=chosen.narrow, BLOCK_K=chosen.block_k,
                SPLITS_ATTEND=chosen.splits_attend, SPLITS_OUT=chosen.splits_out, SPLITS_DOWN=chosen.splits_down,
                BLOCK_P=triton.next_power_of_2(narrow_tiles), BLOCK_Q=chosen.block_q, BLOCK_T=64, STAGES=chosen.stages,
                CARD=self._card, num_warps=chosen.warps, **self._options,
            )  # fmt: skip
