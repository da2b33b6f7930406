"""The local transformer: inside one frame, it speaks the codebooks one after the other."""

from __future__ import annotations

from collections.abc import Iterator

import torch
import torch.nn.functional as F

from engine.lm.backbone import rotary_table
from engine.lm.config import LocalConfig
from engine.runtime.checkpoint import Shape


class LocalTransformer:
    """One pre-norm block over at most C positions, with a cache that starts anew every frame (MODEL §1.3).

    Attributes:
        qkv `[3 hidden, hidden]` fused as [q | k | v] thirds, out, fc_in, fc_out: weights, each with a `_bias`;
        ln_1, ln_2, ln_f: layer norms as `[2, hidden]`: weight, bias; wpe `[C+1, hidden]` or None.
    """

    def __init__(self, config: LocalConfig, codebooks: int, *, device: torch.device, dtype: torch.dtype) -> None:
        def empty(*shape: int) -> torch.Tensor:
            return torch.empty(shape, device=device, dtype=dtype)

        hidden, inner = config.hidden, config.intermediate
        self.config = config
        self.ln_1, self.ln_2, self.ln_f = empty(2, hidden), empty(2, hidden), empty(2, hidden)
        self.qkv, self.qkv_bias = empty(3 * hidden, hidden), empty(3 * hidden)
        self.out, self.out_bias = empty(hidden, hidden), empty(hidden)
        self.fc_in, self.fc_in_bias = empty(inner, hidden), empty(inner)
        self.fc_out, self.fc_out_bias = empty(hidden, inner), empty(hidden)
        self.wpe = None if config.rotary else empty(codebooks + 1, hidden)
        self.cos, self.sin = rotary_table(codebooks + 1, config.head_dim, config.rope_base, device, dtype)

    @staticmethod
    def shapes(config: LocalConfig, codebooks: int) -> dict[str, Shape]:
        """Names and shapes as published (MODEL §2)."""
        hidden, inner = config.hidden, config.intermediate
        modules = {
            "h.0.ln_1": (hidden,),
            "h.0.ln_2": (hidden,),
            "ln_f": (hidden,),
            "h.0.attn.c_attn": (3 * hidden, hidden),
            "h.0.attn.c_proj": (hidden, hidden),
            "h.0.mlp.fc_in": (inner, hidden),
            "h.0.mlp.fc_out": (hidden, inner),
        }
        shapes: dict[str, Shape] = {}
        for name, shape in modules.items():
            shapes[f"local_transformer.{name}.weight"] = shape
            shapes[f"local_transformer.{name}.bias"] = shape[:1]
        if not config.rotary:
            shapes["local_transformer.wpe.weight"] = (codebooks + 1, hidden)
        return shapes

    def places(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Where each published tensor goes."""
        modules = {
            "h.0.ln_1": tuple(self.ln_1),
            "h.0.ln_2": tuple(self.ln_2),
            "ln_f": tuple(self.ln_f),
            "h.0.attn.c_attn": (self.qkv, self.qkv_bias),
            "h.0.attn.c_proj": (self.out, self.out_bias),
            "h.0.mlp.fc_in": (self.fc_in, self.fc_in_bias),
            "h.0.mlp.fc_out": (self.fc_out, self.fc_out_bias),
        }
        for name, (weight, bias) in modules.items():
            yield f"local_transformer.{name}.weight", weight
            yield f"local_transformer.{name}.bias", bias
        if self.wpe is not None:
            yield "local_transformer.wpe.weight", self.wpe

    def new_cache(self, rows: int, codebooks: int) -> torch.Tensor:
        """`[2, rows, heads, C, head_dim]`: keys, values. It needs no clearing: positions are written before read."""
        config = self.config
        return self.qkv.new_zeros((2, rows, config.heads, codebooks, config.head_dim))

    def step(self, x: torch.Tensor, position: int, cache: torch.Tensor) -> torch.Tensor:
        """`x` `[rows, hidden]` at `position` of the frame -> y `[rows, hidden]`."""
        rows, heads, dim = x.shape[0], self.config.heads, self.config.head_dim
        if self.wpe is not None:
            x = x + self.wpe[position]
        fused = F.linear(self._norm(x, self.ln_1), self.qkv, self.qkv_bias)
        query, key, value = fused.view(rows, 3, heads, dim).unbind(1)
        if self.wpe is None:
            cos, sin = self.cos[position], self.sin[position]
            query, key = rotate_pairs(query, cos, sin), rotate_pairs(key, cos, sin)
        cache[0, :, :, position] = key
        cache[1, :, :, position] = value
        keys, values = cache[:, :, :, : position + 1]
        attended = F.scaled_dot_product_attention(query.unsqueeze(2), keys, values)
        x = x + F.linear(attended.reshape(rows, -1), self.out, self.out_bias)
        inner = F.silu(F.linear(self._norm(x, self.ln_2), self.fc_in, self.fc_in_bias))
        x = x + F.linear(inner, self.fc_out, self.fc_out_bias)
        return self._norm(x, self.ln_f)

    def _norm(self, x: torch.Tensor, weight_and_bias: torch.Tensor) -> torch.Tensor:
        return F.layer_norm(x, x.shape[-1:], weight_and_bias[0], weight_and_bias[1], self.config.norm_eps)


def rotate_pairs(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Rotary embedding with interleaved pairs (2i, 2i + 1); `x` `[..., dim]`, `cos` and `sin` `[dim / 2]`."""
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, odd * cos + even * sin), dim=-1).flatten(-2)
