"""The two steps of a frame of one row as a launch each: where weights lie, shapes of the kernels, and their calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
import triton

from engine.runtime.codec_resident import resident_blocks
from engine.runtime.kernels import frame as kernels
from engine.runtime.kernels.attention import ATTENTION_TILE
from engine.runtime.kernels.launch import launch
from engine.runtime.kernels.ops import INTERPRETED, Linear
from engine.runtime.kernels.words import EXPONENTS
from engine.runtime.paged import PAGE_ROWS

if TYPE_CHECKING:
    from engine.runtime.graphs import FrameGraphs

BLOCK_K = 512  # columns of a chunk
AHEAD = 5  # chunks of a block's first tile that it asks for while it waits
AHEAD_NARROW = 2
STAGES = 6
SPLITS = 16  # blocks that share one head's keys
WARPS = 4
BLOCKS_EACH = 2  # blocks on each multiprocessor: they hide each other's waits


class ResidentStep:
    """What both steps share.

    Attributes:
        blocks: in the grid.
    """

    def __init__(self, graphs: FrameGraphs, products: Sequence[Linear]) -> None:
        self.graphs = graphs
        device = graphs.model.device
        card = device.type == "cuda"
        self.blocks = resident_blocks(device) * (BLOCKS_EACH if card else 1)
        first = products[0]
        self._narrow = first.bits == 8
        self._exponent = EXPONENTS[8] if self._narrow else 0
        self._block_n = 8 if self._narrow else 4
        self._meeting = torch.zeros(2, dtype=torch.int32, device=device)
        self._shapes = {
            "BITS": first.bits, "BLOCK_N": self._block_n, "BLOCK_K": BLOCK_K,
            "BLOCK_P": triton.next_power_of_2(self.blocks), "BLOCK_D": triton.next_power_of_2(first.K),
            "AHEAD": AHEAD_NARROW if self._narrow else AHEAD, "STAGES": STAGES,
            "CARD": not INTERPRETED, "num_warps": WARPS,
        }  # fmt: skip
        if card:
            self._shapes["launch_cooperative_grid"] = True

    def _weight(self, product: Linear) -> torch.Tensor:
        return product.words if self._narrow and product.words is not None else product.weight

    def _tiles(self, results: int, each: int) -> int:
        """Most tiles that a block has, rounded up to what a kernel can hold."""
        return triton.next_power_of_2(triton.cdiv(triton.cdiv(results, each), self.blocks))

    def _scales(self, products: Sequence[Linear]) -> torch.Tensor:
        """`[len(products), N]`, or something to point to."""
        if not self._narrow:
            return self._meeting
        return torch.stack([product.scale for product in products if product.scale is not None])


class ResidentBackbone(ResidentStep):
    """`FrameGraphs.backbone_step` of one row."""

    def __init__(self, graphs: FrameGraphs) -> None:
        super().__init__(graphs, [layer[0] for layer in graphs.layers])
        parts = [[layer[index] for layer in graphs.layers] for index in (0, 2, 3, 4)]
        self._weights = [self._weight(products[0]) for products in parts]
        self._places = places([[self._weight(product) for product in products] for products in parts])
        self._scaled = [self._scales(products) for products in parts]
        qkv, out, gate_up, down = parts
        self._gains = [
            torch.stack([product.next_gain for product in out]),
            torch.stack([product.next_gain for product in down]),
            torch.stack([layer[1][0] for layer in graphs.layers]),
            torch.stack([layer[1][1] for layer in graphs.layers]),
        ]
        self._tile_counts = {
            "TILES_QKV": self._tiles(qkv[0].N, self._block_n),
            "TILES_D": self._tiles(out[0].N, self._block_n),
            "TILES_UP": self._tiles(gate_up[0].N, self._block_n // 2),
        }
        self._eps = qkv[0].norm.eps if qkv[0].norm is not None else 0.0

    def run(self) -> None:
        graphs, config = self.graphs, self.graphs.model.config.backbone
        state, cache, x, local = graphs.state, graphs.cache, graphs.state.backbone, graphs.state.local
        launch(kernels.backbone_kernel, (self.blocks,))(
            x.residual, x.gained, x.stats, graphs.qkv, graphs.attended, graphs.inner, self._meeting,
            *self._weights, self._places, *self._scaled, *self._gains,
            cache.keys, cache.values, cache.table, state.position, graphs.cos, graphs.sin,
            graphs.part, graphs.part_max, graphs.part_sum, graphs.counter,
            graphs.final_gain, graphs.local_gain, local.residual, local.gained, local.stats, state.live,
            x.stride, config.layers, cache.table.shape[1], cache.keys.stride(0),
            config.head_dim**-0.5, self._eps, self._exponent,
            D=config.hidden, HIDDEN=config.intermediate, HEADS=config.heads, KV_HEADS=config.kv_heads,
            DIM=config.head_dim, PAGE=PAGE_ROWS,
            SPLITS=SPLITS, GROUP_PAD=graphs.group_pad, BLOCK_T=ATTENTION_TILE, **self._tile_counts, **self._shapes,
        )  # fmt: skip
        x.parts, local.parts = 1, 1


class ResidentCodes(ResidentStep):
    """`FrameGraphs.frame_step` of one row."""

    def __init__(self, graphs: FrameGraphs) -> None:
        qkv, out, feed, down = products = (graphs.local_qkv, graphs.local_out, graphs.local_in, graphs.local_down)
        super().__init__(graphs, products)
        self._weights = [self._weight(product) for product in products]
        self._scaled = [product.scale if product.scale is not None else self._meeting for product in products]
        self._places = places([[head.weight for head in graphs.heads]])
        size = graphs.heads[-1].N
        self._size = size
        shifts, biases = torch.zeros(2, len(graphs.heads), size + 2, device=graphs.model.device)
        for head, shift, bias in zip(graphs.heads, shifts, biases, strict=True):
            shift[: head.N], bias[: head.N] = head.shift, head.bias
        self._vectors = [
            qkv.shift, qkv.bias, out.bias, feed.shift, feed.bias, down.bias, shifts, biases,
            out.next_gain, down.next_gain, graphs.local_gain,
        ]  # fmt: skip
        self._tile_counts = {
            "TILES_QKV": self._tiles(qkv.N, self._block_n),
            "TILES_D": self._tiles(out.N, self._block_n),
            "TILES_IN": self._tiles(feed.N, self._block_n),
            "TILES_HEAD": self._tiles(size + 2, self._block_n),
        }

    def run(self) -> None:
        graphs, config = self.graphs, self.graphs.model.config
        state, local = graphs.state, config.local
        x, following = state.local, state.backbone
        launch(kernels.codes_kernel, (self.blocks,))(
            x.residual, x.gained, x.stats, graphs.local_qkv_out, graphs.local_attended, graphs.local_inner,
            graphs.logits, self._meeting,
            *self._weights, graphs.heads[0].weight, self._places, *self._scaled, *self._vectors,
            graphs.local_keys, graphs.local_values, graphs.local_cos, graphs.local_sin, graphs.tables,
            state.history, state.codes, state.live, state.frame, state.seed, state.floats, state.ints, state.never_stop,
            state.ring, state.ring_at, graphs.slot, graphs.first_gain,
            following.residual, following.gained, following.stats,
            x.stride, len(state.ring), local.head_dim**-0.5, local.norm_eps, self._exponent,
            D=local.hidden, HIDDEN=local.intermediate, HEADS=local.heads, DIM=local.head_dim,
            HALF_PAD=graphs.half_pad, DIM_PAD=graphs.dim_pad, LENGTH=graphs.local_length, ROTATE=local.rotary,
            CHANNELS=config.codebooks, SIZE=self._size, VOCAB=graphs.width,
            HEAD_BITS=8 * graphs.heads[0].weight.element_size(), BLOCK_V=triton.next_power_of_2(self._size),
            **self._tile_counts, **self._shapes,
        )  # fmt: skip
        x.parts, following.parts = 1, 1


def places(parts: Sequence[Sequence[torch.Tensor]]) -> torch.Tensor:
    """How far each tensor's first element is from that of the first one of its part: int64 `[each, parts]`."""
    table = [
        [(tensor.data_ptr() - tensors[0].data_ptr()) // tensor.element_size() for tensor in tensors]
        for tensors in parts
    ]
    return torch.tensor(table, device=parts[0][0].device).T.contiguous()


def serves(products: Sequence[Linear]) -> bool:
    """Whether these can be the weights of one launch: of one width that it reads, their rows on 16 bytes."""
    if len({(product.bits, product.weight.dtype) for product in products}) != 1:
        return False
    known = products[0].bits >= 16 or products[0].weight.dtype == torch.int8
    return known and all(
        product.weight.data_ptr() % 32 == 0 and product.weight.stride(0) * product.weight.element_size() % 16 == 0
        for product in products
    )
