"""What narrow weights make of the same rows."""

from __future__ import annotations

import torch

from engine.lm.cache import KVCache
from engine.lm.model import SpeechLM
from engine.runtime.quantize import quantizer, widen


@torch.inference_mode()
def teacher_forced(model: SpeechLM, rows: torch.Tensor) -> torch.Tensor:
    """float32 `[T - 1, C * V]` log-probabilities of all codebooks after each of the rows `[T, C + 1]`, the codes given."""
    config = model.config
    cache = KVCache(config.backbone, 1, device=model.device, dtype=model.dtype)
    hidden = model.backbone.prefill(model.embed(rows.to(model.device)), cache, 0)[:-1]
    codes = rows[1:, 1:].clamp_max(min(config.codebook_sizes) - 1).to(model.device)
    local = model.local.new_cache(len(hidden), config.codebooks)
    y, found = model.local.step(hidden, 0, local), []
    for k in range(config.codebooks):
        if k > 0:
            y = model.local.step(model.embed_code(codes[:, k - 1], k - 1), k, local)
        found.append(model.code_logits(y, k).float().log_softmax(-1))
    return torch.cat(found, -1)


@torch.inference_mode()
def round_to(tier: str, model: SpeechLM) -> None:
    """Round the matrices of a model to what a tier keeps of them."""
    quantize = quantizer(tier, model)
    local = model.local
    matrices = [each for layer in model.backbone.layers for each in (layer.qkv, layer.out, layer.gate_up, layer.down)]
    for matrix in (*matrices, local.qkv, local.out, local.fc_in, local.fc_out):
        matrix.copy_(widen(*quantize(matrix)))


def divergence(ours: torch.Tensor, theirs: torch.Tensor, codebooks: int) -> float:
    """Kullback-Leibler divergence of `theirs` from `ours` in nats a codebook, the mean of all rows."""
    return (ours.exp() * (ours - theirs)).sum(-1).mean().item() / codebooks
