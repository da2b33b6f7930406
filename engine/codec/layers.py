"""The causal transformers of the codec as one pure step over preallocated state (MODEL §5.3, §5.4, §5.9)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F

from engine.codec.config import PatchStage, Stage, TransformerStage
from engine.codec.linear import Linear

NORM_EPS = 1e-5
LARGEST_BLOCK = 512  # queries that attend together
STEP_FRAMES = 100  # the most frames that a step is meant for; a longer one works, but slower

Rows = slice | torch.Tensor  # which rows of the state take part: a range, or int64 indices on the state's device


@dataclass
class LayerWeights:
    """One layer. The layer scales are folded into `attention_out` and `feed_out`; norms stay float32."""

    norm1: tuple[torch.Tensor, torch.Tensor]
    qkv: Linear
    attention_out: Linear
    norm2: tuple[torch.Tensor, torch.Tensor]
    feed_in: Linear
    feed_out: Linear


@dataclass
class StageWeights:
    """One transformer stage, or a patch stage (`config` is a PatchStage and the rest is empty).

    Attributes:
        input_proj, output_proj: `[width, inputs]`, `[outputs, width]`, their channels in the order that makes
            neighbouring patches plain views: position in the patch, then channel. None: equal sizes, no projection.
        frequencies: float64 `[head_width / 2]`, radians a position.
        turns: complex128 `[positions, head_width / 2]`: rotation by 0, 1, 2, … positions of one step.
        band: float32 `[block, block + context]`: query i stands at key i + context; 0 where it may look, else -inf.
    """

    config: TransformerStage
    input_proj: Linear | None
    output_proj: Linear | None
    layers: list[LayerWeights]
    frequencies: torch.Tensor
    turns: torch.Tensor
    band: torch.Tensor


@dataclass
class StreamState:
    """What a stack remembers of several streams, one a row.

    Attributes:
        frames: int64 `[rows]`, frames each row has been through.
        keys_values: for each stage and layer `[2, rows, heads, context, head_width]`: the last `context` keys (rotated)
            and values, right-aligned: the newest is last; what lies left of the stream's age is never looked at.
        kept: a step leaves what it saw behind. False: the next one starts from the same place again.
    """

    frames: torch.Tensor
    keys_values: list[list[torch.Tensor]]
    kept: bool = True

    def reset(self, row: int) -> None:
        """Begin a new stream in `row`. Its old keys stay in memory, out of reach of the mask."""
        self.frames[row] = 0

    def for_a_look(self) -> StreamState:
        """The same memory, which steps do not change."""
        return replace(self, kept=False)


class Stack:
    """All stages of one side of the codec.

    Attributes:
        stages: patch sizes and transformer weights in order.
        device, dtype: where and in what type the linear layers compute; the residual stream and the norms are float32.
    """

    def __init__(self, stages: list[StageWeights | PatchStage], device: torch.device, dtype: torch.dtype) -> None:
        self.stages = stages
        self.device = device
        self.dtype = dtype
        self.transformers = [stage for stage in stages if isinstance(stage, StageWeights)]

    def new_state(self, rows: int) -> StreamState:
        """Zeroed state for `rows` streams."""
        return StreamState(
            frames=torch.zeros(rows, dtype=torch.int64, device=self.device),
            keys_values=[
                [
                    torch.zeros(
                        (2, rows, stage.config.heads, stage.config.context, stage.config.head_width),
                        device=self.device,
                        dtype=self.dtype,
                    )
                    for _ in stage.layers
                ]
                for stage in self.transformers
            ],
        )

    def step(
        self,
        x: torch.Tensor,
        frames: int,
        state: StreamState,
        rows: Rows = slice(None),
        *,
        youngest: int = 0,
        oldest: int | None = None,
    ) -> torch.Tensor:
        """Run `frames` frames of the chosen rows through all stages and advance their state.

        Any split of a stream into steps gives the same values to rounding: new keys stand behind the old ones (never
        over them), the mask goes by position, and only then are the last `context` kept. Nothing is read back from the
        device, and for given sizes, `youngest` and `oldest` the operations are the same: a graph can capture the step.

        Args:
            x: `[B, positions, channels]` of the first stage.
            state: persistent; changed in place, unless it is for a look only.
            rows: the B rows of `state`, each at most once.
            youngest, oldest: bounds of the frames those rows have been through, if known (None: unbounded).
                They only save work: keys that no row has are left out, and full rows need no mask of their own.

        Returns:
            `[B, positions, channels]` of the last stage, float32.
        """
        started = state.frames[rows]
        for stage, caches in zip_stages(self.stages, state):
            if isinstance(stage, PatchStage):
                continue  # its neighbours' channels are in the order that makes it the view below
            x = x.reshape(x.shape[0], frames * stage.config.tokens_per_frame, -1)
            x = self._transform(x, stage, caches, started, rows, youngest, oldest, state.kept)
        if state.kept:
            state.frames[rows] = started + frames
        return x.float()

    def _transform(
        self,
        x: torch.Tensor,
        stage: StageWeights,
        caches: list[torch.Tensor],
        started: torch.Tensor,
        rows: Rows,
        youngest: int,
        oldest: int | None,
        kept: bool,
    ) -> torch.Tensor:
        config = stage.config
        batch, count, _ = x.shape
        first = started * config.tokens_per_frame
        past = config.context if oldest is None else min(config.context, oldest * config.tokens_per_frame)
        rotation = _rotation(first, count, stage)
        # Rows younger than `past` must not see the empty part of their cache.
        empty = None if youngest * config.tokens_per_frame >= past else past - first
        blocks = _blocks(count, past, stage.band, empty, self.dtype)
        x = x.to(self.dtype)
        if stage.input_proj is not None:
            x = stage.input_proj(x)
        x = x.float()
        for layer, cache in zip(stage.layers, caches, strict=True):
            normed = F.layer_norm(x, (config.width,), *layer.norm1, NORM_EPS).to(self.dtype)
            qkv = layer.qkv(normed).view(batch, count, 3, config.heads, config.head_width)
            qkv = _rotate_in_place(qkv, rotation)
            keys_values = qkv[:, :, 1:].permute(2, 0, 3, 1, 4)
            keys_values = _remember(cache, rows, keys_values, past, kept)
            heard = _attend(qkv[:, :, 0].transpose(1, 2), keys_values[0], keys_values[1], blocks)
            heard = heard.transpose(1, 2).reshape(batch, count, config.width)
            x = layer.attention_out.add(heard, x)
            normed = F.layer_norm(x, (config.width,), *layer.norm2, NORM_EPS).to(self.dtype)
            x = layer.feed_out.add(layer.feed_in.gelu(normed), x)
        if stage.output_proj is not None:
            x = stage.output_proj(x.to(self.dtype))
        return x


def zip_stages(
    stages: list[StageWeights | PatchStage], state: StreamState
) -> list[tuple[StageWeights | PatchStage, list[torch.Tensor]]]:
    """Each stage with its layers' caches; a patch stage has none."""
    caches = iter(state.keys_values)
    return [(stage, [] if isinstance(stage, PatchStage) else next(caches)) for stage in stages]


def frequencies(stage: TransformerStage, device: torch.device) -> torch.Tensor:
    """float64 `[head_width / 2]`: exp(-ln(max_period) * 2 i / head_width)."""
    pairs = torch.arange(stage.head_width // 2, dtype=torch.float64)
    return torch.exp(pairs * (-2 * math.log(stage.max_period) / stage.head_width)).to(device)


def turns_of(radians: torch.Tensor, count: int) -> torch.Tensor:
    """complex128 `[count, head_width / 2]`: exp(i * position * radians)."""
    phase = torch.arange(count, device=radians.device)[:, None] * radians
    return torch.polar(torch.ones_like(phase), phase)


def band(context: int, device: torch.device) -> torch.Tensor:
    """float32 `[block, block + context]`: the window of queries over their own keys and the `context` before."""
    block = min(context, LARGEST_BLOCK)
    distance = torch.arange(block)[:, None] + context - torch.arange(block + context)[None, :]
    hidden = (distance < 0) | (distance >= context)
    return torch.zeros(hidden.shape).masked_fill_(hidden, -math.inf).to(device)


@dataclass
class _Block:
    """Queries `start:end` look at keys `low:high` through `bias` (`[1 or B, 1, end - start, high - low]`)."""

    start: int
    end: int
    low: int
    high: int
    bias: torch.Tensor


def _blocks(
    count: int, past: int, window: torch.Tensor, empty: torch.Tensor | None, dtype: torch.dtype
) -> list[_Block]:
    """`count` queries behind `past` remembered keys, in blocks: a long chunk costs no more a position than a short one.

    `empty` int64 `[B]`: how many of the first keys a row does not have (negative: none); None: all rows have all.
    """
    block = window.shape[0]
    context = window.shape[1] - block
    blocks = []
    for start in range(0, count, block):
        end = min(start + block, count)
        high = end + past
        low = max(0, start + past - context + 1)
        column = context - (start + past - low)
        bias = window[: end - start, column : column + high - low][None, None]
        if empty is not None and low < past:
            absent = torch.arange(low, high, device=window.device) < empty[:, None]
            bias = bias.masked_fill(absent[:, None, None, :], -math.inf)
        blocks.append(_Block(start, end, low, high, bias.to(dtype)))
    return blocks


def _attend(query: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, blocks: list[_Block]) -> torch.Tensor:
    """query `[B, heads, T, head_width]`, keys and values `[B, heads, past + T, head_width]` -> as query."""
    heard = [
        F.scaled_dot_product_attention(
            query[:, :, block.start : block.end],
            keys[:, :, block.low : block.high],
            values[:, :, block.low : block.high],
            attn_mask=block.bias,
        )
        for block in blocks
    ]
    return heard[0] if len(heard) == 1 else torch.cat(heard, dim=2)


def _remember(cache: torch.Tensor, rows: Rows, new: torch.Tensor, past: int, kept: bool) -> torch.Tensor:
    """The last `past` remembered keys and values followed by the new ones. `kept`: the last `context` of both stay."""
    context = cache.shape[3]
    chosen = cache[:, rows] if isinstance(rows, slice) else cache.index_select(1, rows)
    everything = torch.cat((chosen[:, :, :, context - past :], new), dim=3) if past else new
    count = min(context, everything.shape[3])
    if kept and isinstance(rows, slice):
        chosen[:, :, :, context - count :].copy_(everything[:, :, :, -count:])
    elif kept:
        cache[:, :, :, context - count :].index_copy_(1, rows, everything[:, :, :, -count:])
    return everything


def _rotation(first: torch.Tensor, count: int, stage: StageWeights) -> torch.Tensor:
    """complex64 `[B, count, 1, 1, head_width / 2]`, rounded once from float64, so position 10**7 is as exact as 0."""
    phase = first[:, None] * stage.frequencies
    start = torch.polar(torch.ones_like(phase), phase)
    turns = stage.turns[:count] if count <= len(stage.turns) else turns_of(stage.frequencies, count)
    return (start[:, None, None, None] * turns[:, None, None]).to(torch.complex64)


def _rotate_in_place(qkv: torch.Tensor, rotation: torch.Tensor) -> torch.Tensor:
    """Rotate queries and keys of `[B, T, 3, heads, head_width]`: neighbouring pairs are complex numbers, in float32."""
    part = qkv[:, :, :2]
    pairs = torch.view_as_complex(part.float().unflatten(-1, (-1, 2)))
    if part.dtype == torch.float32:
        pairs.mul_(rotation)  # a view of qkv
    else:
        part.copy_(torch.view_as_real(pairs * rotation).flatten(-2))
    return qkv


def order_for_patch_before(weight: torch.Tensor, patch: int) -> torch.Tensor:
    """`input_proj` after folding by `patch`: its inputs (channel, position) are put as (position, channel)."""
    outputs, inputs = weight.shape
    return weight.view(outputs, inputs // patch, patch).transpose(1, 2).reshape(outputs, inputs)


def order_for_patch_after(weight: torch.Tensor, patch: int) -> torch.Tensor:
    """`output_proj` before unfolding by `patch`: its outputs (channel, position) are put as (position, channel)."""
    outputs, inputs = weight.shape
    return weight.view(outputs // patch, patch, inputs).transpose(0, 1).reshape(outputs, inputs)


def neighbouring_patch(stages: tuple[Stage, ...], index: int) -> int:
    """Size of the patch at `index`, 1 where no patch stands there."""
    if 0 <= index < len(stages) and isinstance(stages[index], PatchStage):
        return stages[index].size
    return 1
