"""Weight-only tiers: what is stored narrow, and how it is made."""

from __future__ import annotations

import torch


def int8_rows(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Symmetric int8 with one float32 scale for each output row: `[N, K]` -> int8 `[N, K]`, scale `[N]`.

    Rounding is to nearest; the scale puts the largest magnitude of a row at 127, so nothing is clipped.
    """
    wide = weight.float()
    scale = wide.abs().amax(dim=1).clamp_min(1e-12) / 127.0
    return (wide / scale[:, None]).round_().clamp_(-127, 127).to(torch.int8), scale
