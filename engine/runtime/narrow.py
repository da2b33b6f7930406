"""Loads a language model whose matrices are narrow from the start: no moment needs room for the wide ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import torch

from engine.lm.backbone import BackboneLayer
from engine.lm.config import LMConfig
from engine.lm.model import SpeechLM
from engine.lm.tokenizer import tokenizer_digest
from engine.runtime.checkpoint import Checkpoint, Progress
from engine.runtime.quantize import QUANTIZERS, local_tier

_MATRICES = ("qkv", "out", "gate_up", "down")
_LOCAL_MATRICES = ("qkv", "out", "fc_in", "fc_out")
_ROWS_AT_ONCE = 1024


class NarrowLM(SpeechLM):
    """A language model with narrow matrices, for the kernels alone: the plain operations cannot multiply with them.

    Attributes:
        scales: of each matrix, as its quantizer gives them, by its address.
        text_table: `[vocab, hidden]` in the host's memory; only prompts read it.
    """

    def __init__(self, config: LMConfig, *, device: torch.device, dtype: torch.dtype) -> None:
        super().__init__(config, device=torch.device("meta"), dtype=dtype)
        self.device = device
        self.scales: dict[int, torch.Tensor] = {}
        starts = [sum(config.codebook_sizes[:k]) for k in range(config.codebooks)]
        self.offsets = torch.tensor(starts, device=device)
        self.audio_embeddings = torch.zeros(self.audio_embeddings.shape, device=device, dtype=dtype)
        self._tables = self.audio_embeddings[:-1].split(list(config.codebook_sizes))
        self.audio_heads = self._tables
        if not config.tied_audio:
            self.audio_heads = tuple(torch.empty_like(table) for table in self._tables)
        self.stop_head = torch.empty(self.stop_head.shape, device=device, dtype=dtype)
        backbone, local = self.backbone, self.local
        backbone.norm = torch.empty_like(backbone.norm, device=device)
        self.text_table = torch.empty(config.backbone.vocab, config.backbone.hidden, dtype=dtype)
        backbone.embed_tokens = self.text_table
        for name in ("qkv_bias", "out_bias", "fc_in_bias", "fc_out_bias", "ln_1", "ln_2", "ln_f", "wpe"):
            value = getattr(local, name)
            if value is not None:
                setattr(local, name, torch.empty_like(value, device=device))

    def embed(self, rows: torch.Tensor) -> torch.Tensor:
        """As `SpeechLM.embed`; the text's part comes from the host."""
        codes = rows[..., 1:]
        silent = self.audio_embeddings.shape[0] - 1
        index = torch.where(codes == self.config.pad_code, silent, codes + self.offsets)
        text = self.text_table[rows[..., 0].cpu()].to(self.device)
        return text + self.audio_embeddings[index].sum(-2)

    def narrowed(self, weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor | None]:
        """The quantizer of `FrameGraphs`: matrices are what they are, and their scales are known."""
        return weight, self.scales.get(weight.data_ptr())

    def take(self, weight: torch.Tensor, tier: str) -> torch.Tensor:
        """Quantize a wide matrix `[N, K]` on the device; a part of its rows at a time, for float32 takes room."""
        parts = [QUANTIZERS[tier](part) for part in weight.split(_ROWS_AT_ONCE)]
        stored = torch.cat([part for part, _ in parts])
        self.scales[stored.data_ptr()] = torch.cat([scale for _, scale in parts])
        return stored


def load_narrow_lm(
    folder: Path,
    *,
    device: torch.device | str,
    dtype: torch.dtype,
    tier: str = "int8",
    progress: Progress | None = None,
) -> NarrowLM:
    """As `load_lm`, with the matrices as `tier` stores them; the wide weights of one layer at a time are on the
    device."""
    device = torch.device(device)
    config = LMConfig.read(folder)
    checkpoint = Checkpoint(folder)
    checkpoint.check(*SpeechLM.shapes(config))
    model = NarrowLM(config, device=device, dtype=dtype)

    def fill(prefix: str) -> None:
        checkpoint.fill((name, place) for name, place in model.places() if name.startswith(prefix))

    def everything_else() -> list[tuple[str, torch.Tensor]]:
        return [(name, place) for name, place in model.places() if place.device.type != "meta"]

    checkpoint.fill(everything_else())
    _narrow(model, tier, fill, progress)
    if not config.binary_stop_head:
        ids = [config.assistant_slot_id, config.audio_end_id]
        head = model.text_table
        if not config.tied_text:
            head = checkpoint.load(["text_lm_head.weight"], dtype=dtype)["text_lm_head.weight"]
        model.stop_head.copy_(head[ids])
    model.backbone.embed_tokens = _OnDevice(model.text_table, device)  # type: ignore[assignment]
    model.hashes = {"model": checkpoint.digest(), "tokenizer": tokenizer_digest(folder)}
    return model


def _narrow(model: NarrowLM, tier: str, fill: Callable[[str], None], progress: Progress | None) -> None:
    layers, device = model.backbone.layers, model.device
    for index, layer in enumerate(layers):
        layers[index] = _allocated(layer, device)
        fill(f"transformer.layers.{index}.")
        taken = {name: model.take(getattr(layers[index], name), tier) for name in _MATRICES}
        layers[index] = replace(layers[index], **taken)
        if progress is not None:
            progress((index + 1) / (len(layers) + 1))
    for name in _LOCAL_MATRICES:
        setattr(model.local, name, torch.empty_like(getattr(model.local, name), device=device))
    fill("local_transformer.")
    for name in _LOCAL_MATRICES:
        setattr(model.local, name, model.take(getattr(model.local, name), local_tier(tier)))
    if progress is not None:
        progress(1.0)


def _allocated(layer: BackboneLayer, device: torch.device) -> BackboneLayer:
    return BackboneLayer(*(torch.empty_like(getattr(layer, each.name), device=device) for each in fields(layer)))


class _OnDevice:
    """The host's text table where a row or a few of it are wanted on the device."""

    def __init__(self, table: torch.Tensor, device: torch.device) -> None:
        self._table, self._device = table, device

    def __getitem__(self, index: object) -> torch.Tensor:
        return self._table[index].to(self._device)
