"""The layers of one stage of the codec as kernels read them: one tensor of each kind for all, and room to work in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from engine.codec.config import TransformerStage
from engine.codec.layers import LayerWeights, StageWeights
from engine.codec.linear import Linear

if TYPE_CHECKING:
    from engine.runtime.kernels.ops import Rows


@dataclass(frozen=True)
class RowPlaces:
    """Room for what is worked out once for all layers of a stage: angles, places in rings, where each stream stands."""

    angles: torch.Tensor
    places: torch.Tensor
    firsts: torch.Tensor

    @classmethod
    def empty(cls, streams: int, positions: int, head_width: int, device: torch.device) -> RowPlaces:
        """For steps of up to `positions` positions of each stream."""
        rows = streams * positions
        return cls(
            torch.empty(rows * head_width, device=device, dtype=torch.float32),
            torch.empty(rows, device=device, dtype=torch.int64),
            torch.empty(streams, device=device, dtype=torch.int32),
        )


@dataclass(frozen=True)
class PackedLayers:
    """Layers of one stage.

    Attributes:
        begin, end: `[width, inputs]`, `[outputs, width]`, the products before the first layer and behind the last.
        qkv, out, feed_in, feed_out: `[layers, N, K]` in the codec's dtype.
        qkv_shift, qkv_bias, in_shift, in_bias: float32 `[layers, N]`: the norm before the product, folded around it:
            W(g∘(x − mean)·inv + b) = inv·(W(g∘x) − mean·Wg) + Wb.
        middle_gain, next_gain: float32 `[layers, width]`, of the norm that follows the product `out`, and `feed_out`.
        first_gain: float32 `[width]`, of the norm of the first layer.
    """

    config: TransformerStage
    begin: torch.Tensor
    end: torch.Tensor
    qkv: torch.Tensor
    out: torch.Tensor
    feed_in: torch.Tensor
    feed_out: torch.Tensor
    qkv_shift: torch.Tensor
    qkv_bias: torch.Tensor
    in_shift: torch.Tensor
    in_bias: torch.Tensor
    middle_gain: torch.Tensor
    next_gain: torch.Tensor
    first_gain: torch.Tensor

    @property
    def weights(self) -> tuple[torch.Tensor, ...]:
        return self.qkv, self.out, self.feed_in, self.feed_out

    @property
    def vectors(self) -> tuple[torch.Tensor, ...]:
        return self.qkv_shift, self.qkv_bias, self.in_shift, self.in_bias, self.middle_gain, self.next_gain

    @classmethod
    def of(cls, stage: StageWeights) -> PackedLayers:
        """It takes the weights over: those of `stage` become views, one kind at a time, for they are large."""
        layers = stage.layers
        names = {"qkv": "qkv", "out": "attention_out", "feed_in": "feed_in", "feed_out": "feed_out"}
        packed = {ours: _after_each_other(layers, theirs) for ours, theirs in names.items()}
        # What follows the last layer is a plain product: it takes the sum as it is.
        last = torch.ones(stage.config.width, device=packed["qkv"].device)
        identity = torch.eye(stage.config.width, device=last.device, dtype=packed["qkv"].dtype)
        return cls(
            stage.config,
            begin=stage.input_proj.weight if stage.input_proj is not None else identity,
            end=stage.output_proj.weight if stage.output_proj is not None else identity,
            **packed,
            qkv_shift=torch.stack([layer.qkv.weight.float() @ layer.norm1[0] for layer in layers]),
            qkv_bias=torch.stack([layer.qkv.weight.float() @ layer.norm1[1] for layer in layers]),
            in_shift=torch.stack([layer.feed_in.weight.float() @ layer.norm2[0] for layer in layers]),
            in_bias=torch.stack([layer.feed_in.weight.float() @ layer.norm2[1] for layer in layers]),
            middle_gain=torch.stack([layer.norm2[0] for layer in layers]),
            next_gain=torch.stack([*(layer.norm1[0] for layer in layers[1:]), last]),
            first_gain=layers[0].norm1[0].clone(),
        )


def _after_each_other(layers: list[LayerWeights], name: str) -> torch.Tensor:
    first = getattr(layers[0], name).weight
    together = first.new_empty(len(layers), *first.shape)
    for place, layer in zip(together, layers, strict=True):
        place.copy_(getattr(layer, name).weight)
        setattr(layer, name, Linear(place))
    return together


@dataclass(frozen=True)
class StageStep:
    """New positions of some streams on their way through a stage.

    Attributes:
        x, out: `[streams · count, inputs]` and `[streams · count, outputs]`.
        rows: the sum on its way. work: queries, what was attended, the inner rows of the feed-forward part.
        rings, places, frames: as in `codec_stack.KernelState`; slots: int32 `[streams]`, whose they are.
        turns: cos and sin of angles, see `codec_stack`.
        count: positions of each stream.
        advance: of the last stage, by how many frames those streams are further on afterwards.
    """

    x: torch.Tensor
    out: torch.Tensor
    rows: Rows
    work: tuple[torch.Tensor, ...]
    rings: torch.Tensor
    places: RowPlaces
    frames: torch.Tensor
    slots: torch.Tensor
    turns: tuple[torch.Tensor, ...]
    count: int
    advance: int = 0

    def groups(self, most: int) -> Iterator[StageStep]:
        """The same in steps of at most `most` streams."""
        for begin in range(0, len(self.slots), most):
            members = self.slots[begin : begin + most]
            part = slice(begin * self.count, (begin + len(members)) * self.count)
            rows = replace(
                self.rows,
                residual=self.rows.residual[part],
                gained=self.rows.gained[part],
                stats=self.rows.stats[begin * self.count :],
            )
            work = tuple(each[part] for each in self.work)
            yield replace(self, x=self.x[part], out=self.out[part], rows=rows, work=work, slots=members)
