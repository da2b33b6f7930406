"""The language model: prompt rows in, hidden states and logits out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import torch
import torch.nn.functional as F

from engine.lm.backbone import Backbone
from engine.lm.config import LMConfig
from engine.lm.local import LocalTransformer
from engine.lm.tokenizer import tokenizer_digest
from engine.runtime.checkpoint import Checkpoint, Progress, Shape


class SpeechLM:
    """Weights of a moss_tts_local checkpoint and the four things they compute.

    Attributes:
        config, device, dtype: as loaded; all arithmetic is in `dtype`, logits are float32.
        hashes: `model`: SHA-256 of config and weights; `tokenizer`: of the tokenizer's files.
        backbone, local: the two transformers.
        audio_embeddings: `[sum(codebook_sizes) + 1, hidden]`: all tables in order, then a row of zeros for "no audio".
        offsets: int64 `[C]`: where each table starts.
        audio_heads: C of `[size, hidden]`: views of the tables, or heads of their own.
        stop_head: `[2, hidden]`: continue, stop.
    """

    def __init__(self, config: LMConfig, *, device: torch.device, dtype: torch.dtype) -> None:
        self.config, self.device, self.dtype = config, device, dtype
        self.hashes: dict[str, str] = {}
        hidden, sizes = config.backbone.hidden, config.codebook_sizes
        self.backbone = Backbone(config.backbone, device=device, dtype=dtype)
        self.local = LocalTransformer(config.local, config.codebooks, device=device, dtype=dtype)
        self.audio_embeddings = torch.empty(sum(sizes) + 1, hidden, device=device, dtype=dtype)
        self.audio_embeddings[-1].zero_()
        starts = [sum(sizes[:k]) for k in range(len(sizes))]
        self.offsets = torch.tensor(starts, device=device)
        self._tables = self.audio_embeddings[:-1].split(list(sizes))
        self.audio_heads = self._tables
        if not config.tied_audio:
            self.audio_heads = tuple(torch.empty_like(table) for table in self._tables)
        self.stop_head = torch.empty(2, hidden, device=device, dtype=dtype)

    @staticmethod
    def shapes(config: LMConfig) -> tuple[dict[str, Shape], dict[str, Shape]]:
        """Tensors that must be stored, and those that may be (copies of tied weights, a head that is not used)."""
        hidden, sizes = config.backbone.hidden, config.codebook_sizes
        expected = Backbone.shapes(config.backbone) | LocalTransformer.shapes(config.local, config.codebooks)
        expected |= {f"audio_embeddings.{k}.weight": (size, hidden) for k, size in enumerate(sizes)}
        heads: dict[str, Shape] = {f"audio_lm_heads.{k}.weight": (size, hidden) for k, size in enumerate(sizes)}
        text_head: dict[str, Shape] = {"text_lm_head.weight": (config.backbone.vocab, hidden)}
        optional: dict[str, Shape] = {}
        (optional if config.tied_audio else expected).update(heads)
        if config.binary_stop_head:
            expected["local_text_lm_head.weight"] = (2, hidden)
        (optional if config.tied_text or config.binary_stop_head else expected).update(text_head)
        return expected, optional

    def places(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Where each published tensor goes. The two rows of a full vocabulary head are taken by `load_lm`."""
        yield from self.backbone.places()
        yield from self.local.places()
        for k, table in enumerate(self._tables):
            yield f"audio_embeddings.{k}.weight", table
        if not self.config.tied_audio:
            for k, head in enumerate(self.audio_heads):
                yield f"audio_lm_heads.{k}.weight", head
        if self.config.binary_stop_head:
            yield "local_text_lm_head.weight", self.stop_head

    def embed(self, rows: torch.Tensor) -> torch.Tensor:
        """int64 rows `[..., C+1]` -> `[..., hidden]`: the text embedding plus those of the codes; a pad adds zero."""
        codes = rows[..., 1:]
        silent = self.audio_embeddings.shape[0] - 1
        index = torch.where(codes == self.config.pad_code, silent, codes + self.offsets)
        return self.backbone.embed_tokens[rows[..., 0]] + self.audio_embeddings[index].sum(-2)

    def stop_logits(self, y: torch.Tensor) -> torch.Tensor:
        """float32 `[rows, 2]`: continue, stop; `y` is the local transformer's output at position 0."""
        return F.linear(y, self.stop_head).float()

    def code_logits(self, y: torch.Tensor, codebook: int) -> torch.Tensor:
        """float32 `[rows, size of that codebook]`; `y` is the local transformer's output at position `codebook`."""
        return F.linear(y, self.audio_heads[codebook]).float()

    def embed_code(self, codes: torch.Tensor, codebook: int) -> torch.Tensor:
        """int64 `[rows]` -> the local transformer's next input `[rows, hidden]`."""
        return self._tables[codebook][codes]


def load_lm(
    folder: Path,
    *,
    device: torch.device | str = "cpu",
    dtype: torch.dtype | None = None,
    progress: Progress | None = None,
) -> SpeechLM:
    """Load a checkpoint folder; weights go straight to `device`.

    Args:
        dtype: None is float32 on a CPU (whatever is stored) and bfloat16 elsewhere.
        progress: called with 0..1.

    Raises:
        CheckpointError: before any memory is spent, when names or shapes are not those that `config.json` asks for.
    """
    folder, device = Path(folder), torch.device(device)
    config = LMConfig.read(folder)
    checkpoint = Checkpoint(folder)
    checkpoint.check(*SpeechLM.shapes(config))
    model = SpeechLM(config, device=device, dtype=dtype or (torch.float32 if device.type == "cpu" else torch.bfloat16))
    checkpoint.fill(model.places(), progress)
    if not config.binary_stop_head:
        rows = [config.assistant_slot_id, config.audio_end_id]
        if config.tied_text:
            model.stop_head.copy_(model.backbone.embed_tokens[rows])
        else:
            head = checkpoint.load(["text_lm_head.weight"], device=device, dtype=model.dtype)["text_lm_head.weight"]
            model.stop_head.copy_(head[rows])
    model.hashes = {"model": checkpoint.digest(), "tokenizer": tokenizer_digest(folder)}
    return model
