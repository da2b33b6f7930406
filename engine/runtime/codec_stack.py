"""One side of the codec on fused kernels: the interface of `engine.codec.layers.Stack` for a CUDA device."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from engine.codec.config import TransformerStage
from engine.codec.layers import STEP_FRAMES, Stack, StageWeights
from engine.codec.layers import Rows as StreamRows
from engine.runtime.codec_layers import PackedLayers, RowPlaces, StageStep
from engine.runtime.codec_long import LongStage
from engine.runtime.codec_resident import ResidentStage
from engine.runtime.codec_tiles import MOST_ROWS
from engine.runtime.kernels.ops import Rows, SplitWork

_HIGH_POSITIONS = 8192  # × 1024 positions: five hours at the fastest stage
_PARTS = 128  # blocks that a residual product of any width here is cut into, at most


@dataclass
class _Stage:
    config: TransformerStage
    long: LongStage
    resident: ResidentStage | None  # the same layers as one launch, for short steps
    turns: tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]  # cos, sin of 1024 a; cos, sin of b


@dataclass
class KernelState:
    """What streams leave behind, and room to work in; all of it stays where it is, so graphs may point to it.

    Attributes:
        frames: int32 `[rows]`, frames each row has been through.
        most_frames: the longest step; the rings are that much longer than a window.
        rings: for each stage `[layers, 2, rows, heads, capacity, head_width]`: keys, values.
        residual: by width, the rows on their way; work: for each stage query, attended, inner; places: of all stages.
    """

    frames: torch.Tensor
    most_frames: int
    rings: list[torch.Tensor]
    residual: dict[int, Rows]
    work: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]
    places: RowPlaces

    def reset(self, row: int) -> None:
        """Begin a new stream in `row`. Its old keys stay in memory, out of reach of the window."""
        self.frames[row] = 0


class KernelStack:
    """Weights of one side, shared with the `Stack` it was made from.

    Attributes:
        device, dtype: as of the stack; residual and norms are float32.
    """

    def __init__(self, stack: Stack, *, pdl: bool = True, resident: bool = False) -> None:
        """It moves the weights, so that the stack's are views. `resident`: short steps take one launch a stage."""
        self.device, self.dtype, self.pdl, self._resident = stack.device, stack.dtype, pdl, resident
        self._work = SplitWork.new(stack.device)  # its kernels may run beside those of others
        with torch.inference_mode():
            self._stages = [self._stage(stage) for stage in stack.transformers]

    def _stage(self, stage: StageWeights) -> _Stage:
        config = stage.config
        layers = PackedLayers.of(stage)
        return _Stage(
            config=config,
            long=LongStage(layers, self._work, pdl=self.pdl),
            resident=ResidentStage(layers, self._work) if self._resident else None,
            turns=_turn_tables(stage.frequencies),
        )

    def new_state(self, rows: int, most_frames: int = STEP_FRAMES) -> KernelState:
        """Zeroed state for `rows` streams and steps of up to `most_frames` frames of all of them."""
        device, dtype = self.device, self.dtype
        residual: dict[int, Rows] = {}
        rings, work = [], []
        shared: dict[tuple[str, int, int], torch.Tensor] = {}

        def room(name: str, count: int, width: int) -> torch.Tensor:
            key = (name, count, width)
            if key not in shared:
                shared[key] = torch.empty(count, width, device=device, dtype=dtype)
            return shared[key]

        longest: dict[int, int] = {}
        for stage in self._stages:
            width = stage.config.width
            longest[width] = max(longest.get(width, 0), rows * most_frames * stage.config.tokens_per_frame)
        for width, count in longest.items():
            residual[width] = Rows.empty(count, width, device=device, dtype=dtype, parts=_PARTS)
        for stage in self._stages:
            config = stage.config
            capacity = config.context + most_frames * config.tokens_per_frame
            shape = (config.layers, 2, rows, config.heads, capacity, config.head_width)
            rings.append(torch.zeros(shape, device=device, dtype=dtype))
            count = longest[config.width]
            work.append(
                (
                    room("query", count, config.width),
                    room("attended", count, config.width),
                    room("inner", count, config.hidden),
                )
            )
        places = RowPlaces.empty(
            rows,
            most_frames * max(stage.config.tokens_per_frame for stage in self._stages),
            max(stage.config.head_width for stage in self._stages),
            device,
        )
        return KernelState(
            torch.zeros(rows, dtype=torch.int32, device=device), most_frames, rings, residual, work, places
        )

    def step(
        self,
        x: torch.Tensor,
        frames: int,
        state: KernelState,
        rows: StreamRows = slice(None),
        *,
        youngest: int = 0,
        oldest: int | None = None,
    ) -> torch.Tensor:
        """As `Stack.step`. `rows` may be an int32 tensor on the device, which is not copied (graphs read it anew)."""
        if frames > state.most_frames:
            raise ValueError(f"a step of {frames} frames; the state has room for {state.most_frames}")
        if isinstance(rows, slice):
            rows = torch.arange(*rows.indices(len(state.frames)), dtype=torch.int32, device=self.device)
        slots = rows if rows.dtype == torch.int32 else rows.to(torch.int32)
        batch = x.shape[0]
        last = len(self._stages) - 1
        for index, (stage, rings, work) in enumerate(zip(self._stages, state.rings, state.work, strict=True)):
            config = stage.config
            count = frames * config.tokens_per_frame
            m = batch * count
            x = x.reshape(m, -1).to(self.dtype)
            whole = state.residual[config.width]
            here = Rows(whole.residual[:m], whole.gained[:m], whole.stats, whole.stride)
            room = (work[0][:m], work[1][:m], work[2][:m])
            out = torch.empty(m, config.outputs, device=x.device, dtype=torch.float32 if index == last else self.dtype)
            # The path and its shapes are those of one stream's rows, whoever is beside it.
            path = stage.resident if stage.resident is not None and count <= MOST_ROWS else stage.long
            path.run(
                StageStep(
                    x, out, here, room, rings, state.places, state.frames, slots, stage.turns, count,
                    advance=frames if index == last else 0,
                )
            )  # fmt: skip
            x = out
        return x.reshape(batch, -1, x.shape[-1])


def _turn_tables(frequencies: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """cos and sin of 1024 a · f, then of b · f, float32 rounded once from float64."""
    wide = frequencies.cpu().double()
    high = torch.arange(_HIGH_POSITIONS, dtype=torch.float64)[:, None] * 1024 * wide
    low = torch.arange(1024, dtype=torch.float64)[:, None] * wide
    high_cos, high_sin, low_cos, low_sin = (
        table.float().to(frequencies.device) for table in (high.cos(), high.sin(), low.cos(), low.sin())
    )
    return high_cos, high_sin, low_cos, low_sin
