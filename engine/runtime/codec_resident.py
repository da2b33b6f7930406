"""A stage of the codec as one launch, for short steps."""

from __future__ import annotations

import functools

import torch
import triton

from engine.codec.layers import NORM_EPS
from engine.runtime.codec_layers import PackedLayers, StageStep
from engine.runtime.codec_tiles import fitting, streams_at_once, tiles
from engine.runtime.kernels import stage as kernels
from engine.runtime.kernels.launch import launch
from engine.runtime.kernels.ops import MOST_SPLIT_VALUES, SplitWork, shared_bytes


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

    def run(self, step: StageStep) -> None:
        """From `step.x` to `step.out`."""
        layers, config, count = self.layers, self.layers.config, step.count
        device, itemsize = step.rows.residual.device, step.rows.gained.element_size()
        chosen = fitting(tiles(count, config.width), shared_bytes(device), itemsize)
        for some in step.groups(streams_at_once(chosen, config, count, MOST_SPLIT_VALUES)):
            rows, rings, places = some.rows, some.rings, some.places
            launch(kernels.stage_kernel, (self._blocks,))(
                some.x, some.out, rows.residual, rows.gained, rows.stats, *some.work,
                self._work.parts, self._work.counters, self._meeting,
                layers.begin, layers.end, layers.first_gain, *layers.weights, *layers.vectors,
                rings, places.angles, places.places, places.firsts, some.frames, some.slots, *some.turns,
                len(some.slots), count, config.tokens_per_frame, rows.stride,
                len(rings), config.context, rings.shape[4], rings.stride(1), config.head_width**-0.5, NORM_EPS, some.advance,
                INPUTS=config.inputs, OUTPUTS=config.outputs, WIDTH=config.width, HIDDEN=config.hidden, HEADS=config.heads,
                BLOCK_M=chosen.block_m, WIDE=chosen.wide, NARROW=chosen.narrow, BLOCK_K=chosen.block_k,
                SPLITS_ATTEND=chosen.splits_attend, SPLITS_OUT=chosen.splits_out, SPLITS_DOWN=chosen.splits_down,
                BLOCK_P=triton.next_power_of_2(triton.cdiv(config.width, chosen.narrow)),
                BLOCK_Q=chosen.block_q, BLOCK_T=64, STAGES=chosen.stages,
                CARD=self._card, num_warps=chosen.warps, **self._options,
            )  # fmt: skip
