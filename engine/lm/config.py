"""What `config.json` of a moss_tts_local checkpoint says, in both spellings, checked before anything is built."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import CheckpointError
from engine.runtime.checkpoint import REMEDY, read_config

MODEL_TYPE = "moss_tts_local"
_KNOWN = ("MossTTSLocalModel", "MossTTSLocal")  # architectures
_MOST = 1 << 10  # layers and codebooks: no real model comes near; keeps a damaged file from asking for all memory


@dataclass(frozen=True)
class BackboneConfig:
    """The Qwen3 decoder. `head_dim` is its own number: heads × head_dim need not be `hidden`."""

    vocab: int
    hidden: int
    intermediate: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    norm_eps: float
    rope_theta: float
    attention_bias: bool


@dataclass(frozen=True)
class LocalConfig:
    """The local (depth) transformer: one pre-norm block that speaks the codebooks of one frame in turn."""

    hidden: int
    intermediate: int
    heads: int
    norm_eps: float
    rope_base: float
    rotary: bool  # interleaved rotation; otherwise learned absolute positions (`wpe`)

    @property
    def head_dim(self) -> int:
        return self.hidden // self.heads


@dataclass(frozen=True)
class LMConfig:
    """All sizes and ids of the language model (MODEL §1).

    Attributes:
        codebook_sizes: rows of each codebook's table, C of them; sizes may differ.
        pad_code: written where a row has no audio; it is no row of any table and adds exactly zero.
        binary_stop_head: a stop head of its own; otherwise the two rows of the full vocabulary head are used.
        tied_text, tied_audio: whether heads are the embeddings themselves.
    """

    backbone: BackboneConfig
    local: LocalConfig
    codebook_sizes: tuple[int, ...]
    pad_code: int
    pad_id: int
    im_start_id: int
    im_end_id: int
    audio_start_id: int
    audio_end_id: int
    user_slot_id: int
    assistant_slot_id: int
    binary_stop_head: bool
    tied_text: bool
    tied_audio: bool
    sampling_rate: int

    @property
    def codebooks(self) -> int:
        return len(self.codebook_sizes)

    @property
    def control_ids(self) -> dict[str, int]:
        """Ids that only the prompt builder and the frame loop may write, by the field that names each."""
        return {
            "pad_token_id": self.pad_id,
            "im_start_token_id": self.im_start_id,
            "im_end_token_id": self.im_end_id,
            "audio_start_token_id": self.audio_start_id,
            "audio_end_token_id": self.audio_end_id,
            "audio_user_slot_token_id": self.user_slot_id,
            "audio_assistant_slot_token_id": self.assistant_slot_id,
        }

    @classmethod
    def read(cls, folder: Path) -> LMConfig:
        """The configuration of a checkpoint folder. Raises CheckpointError: other architecture, odd or no values."""
        path = Path(folder) / "config.json"
        raw = read_config(Path(folder), MODEL_TYPE)
        architectures = raw.get("architectures")
        if architectures and isinstance(architectures, list) and not any(each in architectures for each in _KNOWN):
            raise CheckpointError(f"{path} is of the architecture {architectures}, which is not known here.", REMEDY)
        try:
            config = _from_json(raw)
        except KeyError as error:
            raise CheckpointError(f"{path} does not say {error.args[0]}.", REMEDY) from error
        except (TypeError, ValueError, OverflowError, AttributeError) as error:
            raise CheckpointError(f"{path} cannot be understood ({error}).", REMEDY) from error
        return config


def _from_json(raw: Mapping[str, Any]) -> LMConfig:
    qwen3 = raw.get("qwen3_config") or raw.get("language_config")
    if not qwen3:
        raise KeyError("qwen3_config")
    gpt2 = raw["gpt2_config"]
    layers = raw.get("local_transformer_layers")
    if (gpt2["n_layer"] if layers is None else layers) != 1:
        raise ValueError("a local transformer of more than one layer")
    for activation in (qwen3.get("hidden_act", "silu"), gpt2.get("activation_function")):
        if activation not in ("silu", "swish"):
            raise ValueError(f"the activation {activation!r}")
    if qwen3.get("use_sliding_window") and qwen3.get("sliding_window"):
        raise ValueError("a backbone with sliding windows")
    # "rope_theta" beside "rope_scaling" is the older spelling, both inside "rope_parameters" the newer one.
    rope = qwen3.get("rope_parameters") or {}
    older = qwen3.get("rope_scaling") or {}
    scaling = rope.get("rope_type") or older.get("rope_type") or older.get("type") or "default"
    if scaling != "default":
        raise ValueError(f"rope_type {scaling!r}")
    heads = int(qwen3["num_attention_heads"])
    hidden = int(qwen3["hidden_size"])
    backbone = BackboneConfig(
        vocab=int(qwen3["vocab_size"]),
        hidden=hidden,
        intermediate=int(qwen3["intermediate_size"]),
        layers=int(qwen3["num_hidden_layers"]),
        heads=heads,
        kv_heads=int(qwen3["num_key_value_heads"]),
        head_dim=int(qwen3.get("head_dim") or hidden // heads),
        norm_eps=float(qwen3["rms_norm_eps"]),
        rope_theta=float(rope.get("rope_theta") or qwen3["rope_theta"]),
        attention_bias=bool(qwen3.get("attention_bias", False)),
    )
    positions = gpt2.get("position_embedding_type", "absolute")
    if positions not in ("rope", "absolute"):
        raise ValueError(f"position_embedding_type {positions!r}")
    local = LocalConfig(
        hidden=int(gpt2["n_embd"]),
        intermediate=int(gpt2.get("n_inner") or 4 * gpt2["n_embd"]),
        heads=int(gpt2["n_head"]),
        norm_eps=float(gpt2["layer_norm_epsilon"]),
        rope_base=float(gpt2.get("rope_base", 10_000.0)),
        rotary=positions == "rope",
    )
    codebooks = int(raw["n_vq"])
    if max(codebooks, backbone.layers) > _MOST:
        raise ValueError(f"{codebooks} codebooks and {backbone.layers} layers, more than {_MOST}")
    sizes = tuple(int(n) for n in raw.get("audio_codebook_sizes") or [raw["audio_vocab_size"]] * codebooks)
    head = raw.get("local_text_head_mode", "full_vocab")
    if head not in ("binary", "full_vocab"):
        raise ValueError(f"local_text_head_mode {head!r}")
    tied = bool(raw.get("tie_word_embeddings", True))
    config = LMConfig(
        backbone=backbone,
        local=local,
        codebook_sizes=sizes,
        pad_code=int(raw["audio_pad_token_id"] if "audio_pad_token_id" in raw else raw["audio_pad_code"]),
        pad_id=int(raw["pad_token_id"]),
        im_start_id=int(raw["im_start_token_id"]),
        im_end_id=int(raw["im_end_token_id"]),
        audio_start_id=int(raw["audio_start_token_id"]),
        audio_end_id=int(raw["audio_end_token_id"]),
        user_slot_id=int(raw["audio_user_slot_token_id"]),
        assistant_slot_id=int(raw["audio_assistant_slot_token_id"]),
        binary_stop_head=head == "binary",
        tied_text=tied,
        tied_audio=bool(raw.get("tie_audio_embeddings", tied)),
        sampling_rate=int(raw.get("sampling_rate", 48_000)),
    )
    _require_consistent(config, codebooks)
    return config


def _require_consistent(config: LMConfig, codebooks: int) -> None:
    backbone, local = config.backbone, config.local
    sizes = [
        *(backbone.vocab, backbone.hidden, backbone.intermediate, backbone.layers, backbone.heads, backbone.kv_heads),
        *(backbone.head_dim, local.hidden, local.intermediate, local.heads, codebooks, *config.codebook_sizes),
    ]
    if min(sizes) < 1:
        raise ValueError("a size below 1")
    factors = (backbone.norm_eps, backbone.rope_theta, local.norm_eps, local.rope_base)
    if not all(0 < factor < math.inf for factor in factors):
        raise ValueError("a norm's epsilon or a rotary base that is not above 0")
    if len(config.codebook_sizes) != codebooks:
        raise ValueError(f"{len(config.codebook_sizes)} audio_codebook_sizes for n_vq {codebooks}")
    if backbone.attention_bias:
        raise ValueError("attention_bias")
    if local.hidden != backbone.hidden:
        raise ValueError(f"n_embd {local.hidden} beside hidden_size {backbone.hidden}")
    if backbone.heads % backbone.kv_heads or backbone.head_dim % 2 or local.hidden % local.heads or local.head_dim % 2:
        raise ValueError("heads that do not divide the hidden size")
    if config.pad_code < max(config.codebook_sizes):
        raise ValueError(f"audio_pad_token_id {config.pad_code} inside a codebook")
    for name, value in config.control_ids.items():
        if not 0 <= value < backbone.vocab:
            raise ValueError(f"{name} {value} outside the vocabulary of {backbone.vocab}")
