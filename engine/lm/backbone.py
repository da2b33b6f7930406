"""The Qwen3 backbone: one pass over a prompt, one step for a bucket of rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from engine.lm.cache import KVCache
from engine.lm.config import BackboneConfig
from engine.runtime.checkpoint import Shape


@dataclass(frozen=True)
class BackboneLayer:
    """Weights of one layer, projections fused by output rows: qkv is [q | k | v], gate_up is [gate | up]."""

    input_norm: torch.Tensor  # [hidden]
    qkv: torch.Tensor  # [(heads + 2 kv_heads) head_dim, hidden]
    q_norm: torch.Tensor  # [head_dim]
    k_norm: torch.Tensor  # [head_dim]
    out: torch.Tensor  # [hidden, heads head_dim]
    post_norm: torch.Tensor  # [hidden]
    gate_up: torch.Tensor  # [2 intermediate, hidden]
    down: torch.Tensor  # [hidden, intermediate]


class Backbone:
    """Attributes: embed_tokens `[vocab, hidden]`, layers, norm `[hidden]`."""

    def __init__(self, config: BackboneConfig, *, device: torch.device, dtype: torch.dtype) -> None:
        def empty(*shape: int) -> torch.Tensor:
            return torch.empty(shape, device=device, dtype=dtype)

        hidden, dim = config.hidden, config.head_dim
        self.config = config
        self.embed_tokens = empty(config.vocab, hidden)
        self.layers = [
            BackboneLayer(
                input_norm=empty(hidden),
                qkv=empty((config.heads + 2 * config.kv_heads) * dim, hidden),
                q_norm=empty(dim),
                k_norm=empty(dim),
                out=empty(hidden, config.heads * dim),
                post_norm=empty(hidden),
                gate_up=empty(2 * config.intermediate, hidden),
                down=empty(hidden, config.intermediate),
            )
            for _ in range(config.layers)
        ]
        self.norm = empty(hidden)
        self.cos, self.sin = rotary_table(0, config.head_dim, config.rope_theta, device, dtype)

    @staticmethod
    def shapes(config: BackboneConfig) -> dict[str, Shape]:
        """Names and shapes as published (MODEL §2)."""
        hidden, inner, dim = config.hidden, config.intermediate, config.head_dim
        shapes: dict[str, Shape] = {
            "transformer.embed_tokens.weight": (config.vocab, hidden),
            "transformer.norm.weight": (hidden,),
        }
        for index in range(config.layers):
            layer = {
                "input_layernorm": (hidden,),
                "self_attn.q_proj": (config.heads * dim, hidden),
                "self_attn.k_proj": (config.kv_heads * dim, hidden),
                "self_attn.v_proj": (config.kv_heads * dim, hidden),
                "self_attn.q_norm": (dim,),
                "self_attn.k_norm": (dim,),
                "self_attn.o_proj": (hidden, config.heads * dim),
                "post_attention_layernorm": (hidden,),
                "mlp.gate_proj": (inner, hidden),
                "mlp.up_proj": (inner, hidden),
                "mlp.down_proj": (hidden, inner),
            }
            shapes |= {f"transformer.layers.{index}.{name}.weight": shape for name, shape in layer.items()}
        return shapes

    def places(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Where each published tensor goes."""
        config = self.config
        widths = [config.heads * config.head_dim, config.kv_heads * config.head_dim, config.kv_heads * config.head_dim]
        yield "transformer.embed_tokens.weight", self.embed_tokens
        for index, layer in enumerate(self.layers):
            query, key, value = layer.qkv.split(widths)
            gate, up = layer.gate_up.chunk(2)
            places = {
                "input_layernorm": layer.input_norm,
                "self_attn.q_proj": query,
                "self_attn.k_proj": key,
                "self_attn.v_proj": value,
                "self_attn.q_norm": layer.q_norm,
                "self_attn.k_norm": layer.k_norm,
                "self_attn.o_proj": layer.out,
                "post_attention_layernorm": layer.post_norm,
                "mlp.gate_proj": gate,
                "mlp.up_proj": up,
                "mlp.down_proj": layer.down,
            }
            for name, place in places.items():
                yield f"transformer.layers.{index}.{name}.weight", place
        yield "transformer.norm.weight", self.norm

    def reserve(self, cache: KVCache, positions: int) -> None:
        """Make room in the cache and in the rotary table."""
        cache.reserve(positions)
        if self.cos.shape[0] < cache.capacity:
            config = self.config
            self.cos, self.sin = rotary_table(
                cache.capacity, config.head_dim, config.rope_theta, self.cos.device, self.cos.dtype
            )

    def prefill(self, x: torch.Tensor, cache: KVCache, row: int, *, last_only: bool = False) -> torch.Tensor:
        """Append positions to one row: `x` `[T, hidden]` -> hidden after the final norm `[T, hidden]`.

        `last_only` computes no more than what the last position needs: `[1, hidden]`. In the last layer, the other
        positions give keys and values alone.
        """
        start, count = cache.lengths[row], x.shape[0]
        end = start + count
        self.reserve(cache, end)
        group = self.config.heads // self.config.kv_heads
        cos, sin = self.cos[start:end, None], self.sin[start:end, None]
        seen = torch.ones(count, end, dtype=torch.bool, device=x.device).tril_(start)
        for index, layer in enumerate(self.layers):
            query, key, value = self._qkv(layer, x, cos, sin)
            kv = cache.kv[row, index]
            kv[0, :, start:end] = key.transpose(0, 1)
            kv[1, :, start:end] = value.transpose(0, 1)
            if last_only and index == len(self.layers) - 1:
                x, query, seen, count = x[-1:], query[-1:], seen[-1:], 1
            keys, values = kv[:, :, :end].repeat_interleave(group, dim=1)
            attended = F.scaled_dot_product_attention(query.transpose(0, 1)[None], keys[None], values[None], seen)
            x = self._rest(layer, x, attended[0].transpose(0, 1).reshape(count, -1))
        cache.lengths[row] = end
        return rms_norm(x, self.norm, self.config.norm_eps)

    def step(self, x: torch.Tensor, cache: KVCache, live: list[bool]) -> torch.Tensor:
        """One position for every row of the bucket: `x` `[rows, hidden]` -> `[rows, hidden]`.

        Rows are ragged: each attends to its own positions. Rows that are not live are computed (the bucket keeps its
        shape, hence its rounding) but do not advance.
        """
        self.reserve(cache, max(cache.lengths) + 1)
        rows = x.shape[0]
        positions = torch.tensor(cache.lengths, device=x.device)
        cos, sin = self.cos[positions, None], self.sin[positions, None]
        for index, layer in enumerate(self.layers):
            query, key, value = self._qkv(layer, x, cos, sin)
            attended = torch.empty_like(query)
            for row in range(rows):
                end = cache.lengths[row] + 1
                kv = cache.kv[row, index]
                kv[0, :, end - 1] = key[row]
                kv[1, :, end - 1] = value[row]
                # The queries that share a key head stand where a sequence would: no key is copied for them.
                grouped = query[row].view(1, self.config.kv_heads, -1, self.config.head_dim)
                one = F.scaled_dot_product_attention(grouped, kv[None, 0, :, :end], kv[None, 1, :, :end])
                attended[row] = one.view(-1, self.config.head_dim)
            x = self._rest(layer, x, attended.view(rows, -1))
        for row in range(rows):
            cache.lengths[row] += live[row]
        return rms_norm(x, self.norm, self.config.norm_eps)

    def _qkv(
        self, layer: BackboneLayer, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        config = self.config
        fused = F.linear(rms_norm(x, layer.input_norm, config.norm_eps), layer.qkv)
        fused = fused.view(x.shape[0], config.heads + 2 * config.kv_heads, config.head_dim)
        query, key, value = fused.split([config.heads, config.kv_heads, config.kv_heads], dim=1)
        query = rotate_halves(rms_norm(query, layer.q_norm, config.norm_eps), cos, sin)
        key = rotate_halves(rms_norm(key, layer.k_norm, config.norm_eps), cos, sin)
        return query, key, value

    def _rest(self, layer: BackboneLayer, x: torch.Tensor, attended: torch.Tensor) -> torch.Tensor:
        x = x + F.linear(attended, layer.out)
        gate, up = F.linear(rms_norm(x, layer.post_norm, self.config.norm_eps), layer.gate_up).chunk(2, dim=-1)
        return x + F.linear(F.silu(gate) * up, layer.down)


def rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    """Root mean square norm over the last axis, in float32, cast back before the weight is applied."""
    wide = x.float()
    return (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps)).to(x.dtype) * weight


def rotary_table(
    positions: int, dim: int, base: float, device: torch.device, dtype: torch.dtype
) -> tuple[torch.Tensor, torch.Tensor]:
    """cos and sin `[positions, dim / 2]` of position × base^(-2i/dim), computed in float32."""
    frequencies = 1.0 / base ** (torch.arange(0, dim, 2, dtype=torch.float32) / dim)
    angles = torch.arange(positions, dtype=torch.float32)[:, None] * frequencies
    return angles.cos().to(device, dtype), angles.sin().to(device, dtype)


def rotate_halves(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Rotary embedding with pairs (i, i + dim/2); `x` `[..., dim]`, `cos` and `sin` broadcast to `[..., dim/2]`."""
    first, second = x.chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)
