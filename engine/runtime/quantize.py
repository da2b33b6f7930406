"""Weight-only tiers: what is stored narrow, and how it is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from engine.lm.model import SpeechLM

GROUP = 64  # columns that share a scale of int4
_RANGES = (1.0, 0.95, 0.9, 0.85, 0.8, 0.75)


def int8_rows(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Symmetric int8 with one float32 scale for each output row: `[N, K]` -> int8 `[N, K]`, scale `[N]`.

    Rounding is to nearest; the scale puts the largest magnitude of a row at 127, so nothing is clipped.
    """
    wide = weight.float()
    scale = wide.abs().amax(dim=1).clamp_min(1e-12) / 127.0
    return (wide / scale[:, None]).round_().clamp_(-127, 127).to(torch.int8), scale


def fp8_rows(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """e4m3 with one float32 scale for each output row: `[N, K]` -> float8 `[N, K]`, scale `[N]`; the largest becomes
    448."""
    wide = weight.float()
    scale = wide.abs().amax(dim=1).clamp_min(1e-12) / 448.0
    return (wide / scale[:, None]).to(torch.float8_e4m3fn), scale


def int4_groups(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Symmetric int4 with one bfloat16 scale for 64 columns of a row: `[N, K]` -> uint8 `[N, K/2]`, scale `[N, K/64]`.

    Of each group the value that is largest in size becomes -8, the end of the range that is one longer, so scales may
    be negative; of a few shorter ranges the one with the least squared error is kept. bfloat16 has the range of the
    weights, and rounding it costs nothing, since values are divided by what is stored.

    Every 128 columns have two groups, of alternating runs of four: see `_runs`. Byte j of their 64 holds column j (low)
    and column j + 64 (high), both 8 too large. So a word of four bytes has columns of one group, two runs of four; two
    words that lie together have two scales that lie together.
    """
    wide = _runs(weight.float())
    largest = wide.gather(-1, wide.abs().argmax(-1, keepdim=True))
    least = torch.full_like(largest, torch.inf)
    scale, codes = torch.empty_like(largest), torch.empty_like(wide)
    for share in _RANGES:
        step = (largest * (share / -8.0)).bfloat16().float()
        step = torch.where(step == 0, 1e-12, step)
        values = (wide / step).round_().clamp_(-8, 7)
        error = (values * step - wide).square_().sum(-1, keepdim=True)
        better = error < least
        least = torch.where(better, error, least)
        scale, codes = torch.where(better, step, scale), torch.where(better, values, codes)
    halves = _columns(codes + 8).to(torch.uint8).view(len(weight), -1, 2, GROUP)
    return (halves[:, :, 0] | (halves[:, :, 1] << 4)).flatten(1), scale.bfloat16().view(len(weight), -1)


def _runs(wide: torch.Tensor) -> torch.Tensor:
    """`[N, K]` -> `[N, K/128, 2, 64]`: the groups of int4; run 0, 2, 4 … of four columns is of the first."""
    return wide.view(len(wide), -1, GROUP // 4, 2, 4).transpose(2, 3).flatten(3)


def _columns(groups: torch.Tensor) -> torch.Tensor:
    """What `_runs` took apart."""
    return groups.view(len(groups), -1, 2, GROUP // 4, 4).transpose(2, 3).flatten(1)


def widen(stored: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """float32 `[N, K]` that narrow weights stand for."""
    if stored.dtype != torch.uint8:
        return stored.float() * scale[:, None]
    halves = stored.view(len(stored), -1, GROUP)
    values = torch.stack((halves & 15, halves >> 4), 2).flatten(1).float() - 8
    return _columns(_runs(values) * scale.float().view(len(scale), -1, 2, 1))


Quantize = Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]
QUANTIZERS: dict[str, Quantize] = {"int8": int8_rows, "fp8": fp8_rows, "int4": int4_groups}


def local_tier(tier: str) -> str:
    """How a tier stores the local transformer: twelve runs a frame add up what int4 loses, and it is a fiftieth of
    all."""
    return "int8" if tier == "int4" else tier


def quantizer(tier: str, model: SpeechLM) -> Quantize:
    """What stores each matrix of a loaded model as a tier does."""
    local = model.local
    local_matrices = {each.data_ptr() for each in (local.qkv, local.out, local.fc_in, local.fc_out)}
    backbone, of_local = QUANTIZERS[tier], QUANTIZERS[local_tier(tier)]
    return lambda weight: (of_local if weight.data_ptr() in local_matrices else backbone)(weight)
