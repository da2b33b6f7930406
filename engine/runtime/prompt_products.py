"""The products of a prompt's rows with a layer's weights: by the library where they are wide, by our own kernels
where they are not."""

from __future__ import annotations

import torch
import triton

from engine.runtime.graphs import FrameGraphs
from engine.runtime.kernels import prompts as kernels
from engine.runtime.kernels.launch import launch
from engine.runtime.kernels.ops import Linear, Rows

_GATE_BLOCK = 1024


class FusedProducts:
    """Our kernels: norm before, activation or residual after are part of each product, and weights may be narrow.

    Attributes:
        normed: whether queries, keys and values come with the norm of their input applied.
    """

    normed = True

    def __init__(self, frames: FrameGraphs, rows: Rows) -> None:
        self.frames, self.rows = frames, rows
        self.inner = rows.gained.new_zeros(len(rows.gained), frames.inner.shape[1])

    def qkv(self, layer: int, size: int, out: torch.Tensor) -> None:
        self.frames.layers[layer][0].store(self.rows.gained[:size], self.rows, out[:size])

    def add_attended(self, layer: int, size: int, attended: torch.Tensor) -> None:
        self.frames.layers[layer][2].add(attended[:size], self.rows)

    def add_inner(self, layer: int, size: int) -> None:
        _, _, _, gate_up, down = self.frames.layers[layer]
        gate_up.store(self.rows.gained[:size], self.rows, self.inner[:size])
        down.add(self.inner[:size], self.rows)


class WideProducts(FusedProducts):
    """The library's products, which read each weight once for any number of rows, with small kernels between them."""

    normed = False

    def __init__(self, frames: FrameGraphs, rows: Rows) -> None:
        super().__init__(frames, rows)
        most, hidden = rows.gained.shape
        self.wide = rows.gained.new_zeros(most, 2 * self.inner.shape[1])
        self.sum = rows.gained.new_zeros(most, hidden)

    @staticmethod
    def serves(frames: FrameGraphs) -> bool:
        products = [each for layer in frames.layers for each in layer if isinstance(each, Linear)]
        return all(each.scale is None and each.weight.dtype == frames.model.dtype for each in products)

    def qkv(self, layer: int, size: int, out: torch.Tensor) -> None:
        torch.mm(self.rows.gained[:size], self.frames.layers[layer][0].weight.t(), out=out[:size])

    def add_attended(self, layer: int, size: int, attended: torch.Tensor) -> None:
        self._add(attended, self.frames.layers[layer][2], size)

    def add_inner(self, layer: int, size: int) -> None:
        frames, x = self.frames, self.rows
        _, _, _, gate_up, down = frames.layers[layer]
        torch.mm(x.gained[:size], gate_up.weight.t(), out=self.wide[:size])
        config, inner = frames.model.config.backbone, self.inner.shape[1]
        launch(kernels.gate_rows_kernel, (size, triton.cdiv(inner, _GATE_BLOCK)))(
            self.wide, x.stats, self.inner, inner, x.stride, config.hidden, config.norm_eps,
            BLOCK=_GATE_BLOCK, PDL=frames.pdl, **frames.launch,
        )  # fmt: skip
        self._add(self.inner, down, size)

    def _add(self, source: torch.Tensor, product: Linear, size: int) -> None:
        x, hidden = self.rows, self.sum.shape[1]
        torch.mm(source[:size], product.weight.t(), out=self.sum[:size])
        launch(kernels.add_rows_kernel, (size,))(
            self.sum, product.next_gain, x.residual, x.gained, x.stats, hidden, x.stride,
            BLOCK_D=triton.next_power_of_2(hidden), PDL=self.frames.pdl, **self.frames.launch,
        )  # fmt: skip
