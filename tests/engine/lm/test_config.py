"""Everything about a model comes from its config.json, in either spelling; what cannot be served is refused by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.errors import CheckpointError
from engine.lm.config import LMConfig

from .conftest import tiny_config


def read(folder: Path, config: dict[str, Any]) -> LMConfig:
    (folder / "config.json").write_text(json.dumps(config))
    return LMConfig.read(folder)


def nested(part: str, **changes: Any) -> dict[str, Any]:
    config = tiny_config()
    config[part] = {**config[part], **changes}
    return {**config}


def test_both_spellings_of_the_rotary_base_are_read(tmp_path: Path) -> None:
    newer = nested("qwen3_config", rope_parameters={"rope_theta": 5e5, "rope_type": "default"})
    older = nested("qwen3_config", rope_parameters=None, rope_theta=5e5, rope_scaling=None)
    assert read(tmp_path, newer) == read(tmp_path, older)
    assert read(tmp_path, newer).backbone.rope_theta == 5e5


def test_the_backbone_may_be_called_language_config(tmp_path: Path) -> None:
    config = tiny_config()
    other = {**config, "language_config": config["qwen3_config"]}
    del other["qwen3_config"]
    assert read(tmp_path, config) == read(tmp_path, other)


def test_codebook_sizes_default_to_the_common_one(tmp_path: Path) -> None:
    config = tiny_config()
    del config["audio_codebook_sizes"]
    assert read(tmp_path, config).codebook_sizes == (20, 20, 20)


def test_the_top_level_layer_count_of_the_local_transformer_wins(tmp_path: Path) -> None:
    config = nested("gpt2_config", n_layer=12)
    with pytest.raises(CheckpointError, match="more than one layer"):
        read(tmp_path, config)
    assert read(tmp_path, {**config, "local_transformer_layers": 1}).codebooks == 3


def test_untied_audio_heads_are_told_apart_from_untied_text(tmp_path: Path) -> None:
    config = read(tmp_path, tiny_config(tie_audio_embeddings=False))
    assert config.tied_text and not config.tied_audio


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (tiny_config(model_type="moss_tts_delay"), "moss_tts_delay"),
        (tiny_config(architectures=["OtherModel"]), "OtherModel"),
        (nested("qwen3_config", hidden_act="gelu"), "gelu"),
        (nested("gpt2_config", activation_function="gelu_new"), "gelu_new"),
        (nested("qwen3_config", attention_bias=True), "attention_bias"),
        (nested("qwen3_config", rope_parameters={"rope_theta": 1e6, "rope_type": "yarn"}), "yarn"),
        (nested("qwen3_config", use_sliding_window=True, sliding_window=64), "sliding"),
        (nested("gpt2_config", position_embedding_type="alibi"), "alibi"),
        (nested("gpt2_config", n_embd=64), "n_embd 64"),
        (nested("qwen3_config", num_key_value_heads=3), "heads"),
        (nested("qwen3_config", num_hidden_layers=0), "below 1"),
        (nested("qwen3_config", num_hidden_layers=10**9), "layers"),
        (tiny_config(n_vq=10**12, audio_codebook_sizes=None), "codebooks"),
        (nested("qwen3_config", rms_norm_eps=float("nan")), "epsilon"),
        (nested("gpt2_config", rope_base=-1), "rotary base"),
        (nested("qwen3_config", rope_parameters=None, rope_theta=1e6, rope_scaling={"type": "yarn"}), "yarn"),
        (nested("qwen3_config", hidden_size="x"), "cannot be understood"),
        (tiny_config(audio_codebook_sizes=[20, 16]), "n_vq 3"),
        (tiny_config(audio_pad_token_id=19), "audio_pad_token_id"),
        (tiny_config(audio_end_token_id=300), "audio_end_token_id 300"),
        (tiny_config(local_text_head_mode="other"), "other"),
        (tiny_config(qwen3_config=None), "qwen3_config"),
        ({name: value for name, value in tiny_config().items() if name != "n_vq"}, "n_vq"),
    ],
)
def test_what_cannot_be_served_is_refused_by_name(tmp_path: Path, config: dict[str, Any], said: str) -> None:
    with pytest.raises(CheckpointError, match="config.json") as refusal:
        read(tmp_path, config)
    assert said in str(refusal.value)
