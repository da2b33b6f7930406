"""Small random checkpoints in the published format, in every variant that a test asks for."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from engine.lm.config import LMConfig
from engine.lm.model import SpeechLM

SPECIAL = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|audio_start|>",
    "<|audio_end|>",
    "<|user|>",
    "<|assistant|>",
)
FRAME_WORDS = ("user\n", "\n</user_inst>", "\n- Language:\n", "\n- Language:\nEnglish\n- Text:\n", "<think>")
TAGS = ("[pause 0.5s]", "[pause 1.5s]")


def tiny_config(**changes: Any) -> dict[str, Any]:
    """`config.json` of a model of a few thousand weights; changes replace top-level fields."""
    config = {
        "model_type": "moss_tts_local",
        "architectures": ["MossTTSLocalModel"],
        "qwen3_config": {
            "vocab_size": 300,
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "head_dim": 12,
            "hidden_act": "silu",
            "rms_norm_eps": 1e-6,
            "rope_parameters": {"rope_theta": 1e6, "rope_type": "default"},
        },
        "gpt2_config": {
            "n_embd": 32,
            "n_head": 2,
            "n_inner": 40,
            "n_layer": 1,
            "activation_function": "silu",
            "layer_norm_epsilon": 1e-6,
            "position_embedding_type": "rope",
            "rope_base": 1e6,
        },
        "n_vq": 3,
        "audio_codebook_sizes": [20, 16, 12],
        "audio_vocab_size": 20,
        "audio_pad_token_id": 20,
        "pad_token_id": 256,
        "im_start_token_id": 257,
        "im_end_token_id": 258,
        "audio_start_token_id": 259,
        "audio_end_token_id": 260,
        "audio_user_slot_token_id": 261,
        "audio_assistant_slot_token_id": 262,
        "local_text_head_mode": "binary",
        "tie_word_embeddings": True,
        "sampling_rate": 48000,
    }
    return {**config, **changes}


def tiny_weights(config: LMConfig, seed: int = 0, optional: bool = False) -> dict[str, torch.Tensor]:
    """Random float32 tensors of all that must be stored (and, if wanted, all that may be)."""
    generator = torch.Generator().manual_seed(seed)
    expected, extra = SpeechLM.shapes(config)
    shapes = {**expected, **(extra if optional else {})}
    return {name: torch.randn(shape, generator=generator) * 0.2 for name, shape in sorted(shapes.items())}


def write_tokenizer(folder: Path, first_added_id: int = 256) -> None:
    """A byte-level tokenizer without merges: 256 letters, then special tokens, the frame's words, and tags."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    filler = [f"unused {n}" for n in range(first_added_id - len(letters))]
    vocabulary = {token: number for number, token in enumerate(letters + filler)}
    tokenizer = Tokenizer(models.BPE(vocabulary, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(content, special=True, normalized=False) for content in SPECIAL])
    tokenizer.add_tokens([AddedToken(content, special=False, normalized=False) for content in (*FRAME_WORDS, *TAGS)])
    tokenizer.save(str(folder / "tokenizer.json"))


@pytest.fixture
def write_checkpoint(tmp_path: Path) -> Callable[..., Path]:
    """Writes a checkpoint folder: configuration, weights (random by default), tokenizer."""

    def write(
        config: dict[str, Any] | None = None,
        weights: dict[str, torch.Tensor] | None = None,
        dtype: torch.dtype = torch.float32,
        name: str = "model",
        seed: int = 0,
    ) -> Path:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "config.json").write_text(json.dumps(config or tiny_config()), "utf-8")
        weights = weights if weights is not None else tiny_weights(LMConfig.read(folder), seed)
        save_file({name: weight.to(dtype).clone() for name, weight in weights.items()}, folder / "model.safetensors")
        write_tokenizer(folder)
        return folder

    return write
