"""Checkpoints load in every published variant and compute what the architecture says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from engine.errors import CheckpointError
from engine.lm.cache import KVCache
from engine.lm.config import LMConfig
from engine.lm.model import SpeechLM, load_lm

from .conftest import tiny_config, tiny_weights


def new_cache(model: SpeechLM) -> KVCache:
    return KVCache(model.config.backbone, 1, device=model.device, dtype=model.dtype)


def frame_logits(model: SpeechLM, hidden: torch.Tensor, codes: tuple[int, ...]) -> list[torch.Tensor]:
    """Stop logits, then the logits of each codebook when the codes before it are given."""
    cache = model.local.new_cache(1, model.config.codebooks)
    y = model.local.step(hidden, 0, cache)
    logits = [model.stop_logits(y), model.code_logits(y, 0)]
    for k in range(1, model.config.codebooks):
        y = model.local.step(model.embed_code(torch.tensor(codes[k - 1 : k]), k - 1), k, cache)
        logits.append(model.code_logits(y, k))
    return logits


@torch.inference_mode()
def test_transformers_qwen3_gives_the_same_hidden_states(write_checkpoint: Callable[..., Path]) -> None:
    from transformers import Qwen3Config, Qwen3Model

    model = load_lm(write_checkpoint())
    sizes = tiny_config()["qwen3_config"]
    sizes["rope_theta"] = sizes["rope_parameters"]["rope_theta"]
    reference = Qwen3Model(Qwen3Config(**sizes, attn_implementation="eager")).eval()
    weights = tiny_weights(model.config)
    reference.load_state_dict(
        {name.removeprefix("transformer."): w for name, w in weights.items() if name.startswith("transformer.")}
    )
    inputs = torch.randn(37, model.config.backbone.hidden)
    expected = reference(inputs_embeds=inputs[None]).last_hidden_state[0]
    whole = model.backbone.prefill(inputs, new_cache(model), 0)
    cache = new_cache(model)
    parts = [model.backbone.prefill(inputs[:20], cache, 0), model.backbone.prefill(inputs[20:30], cache, 0)]
    parts += [model.backbone.step(each[None], cache, [True]) for each in inputs[30:]]
    torch.testing.assert_close(whole, expected, atol=1e-5, rtol=0)
    torch.testing.assert_close(torch.cat(parts), expected, atol=1e-5, rtol=0)
    last_only = model.backbone.prefill(inputs, new_cache(model), 0, last_only=True)
    torch.testing.assert_close(last_only, expected[-1:], atol=1e-5, rtol=0)


@torch.inference_mode()
def test_stored_copies_of_tied_weights_change_nothing(write_checkpoint: Callable[..., Path]) -> None:
    once = load_lm(write_checkpoint(name="once"))
    weights = tiny_weights(once.config)
    weights["text_lm_head.weight"] = weights["transformer.embed_tokens.weight"]
    for k in range(3):
        weights[f"audio_lm_heads.{k}.weight"] = weights[f"audio_embeddings.{k}.weight"]
    twice = load_lm(write_checkpoint(weights=weights, name="twice"))
    hidden = torch.randn(1, 32)
    for one, two in zip(frame_logits(once, hidden, (3, 5)), frame_logits(twice, hidden, (3, 5))):
        assert torch.equal(one, two)


@torch.inference_mode()
def test_untied_audio_heads_are_used(write_checkpoint: Callable[..., Path]) -> None:
    folder = write_checkpoint(tiny_config(tie_audio_embeddings=False))
    model = load_lm(folder)
    weights = tiny_weights(LMConfig.read(folder))
    cache = model.local.new_cache(1, 3)
    y = model.local.step(torch.randn(1, 32), 0, cache)
    for k in range(3):
        torch.testing.assert_close(model.code_logits(y, k), y @ weights[f"audio_lm_heads.{k}.weight"].T)
        assert torch.equal(model.embed_code(torch.tensor([2]), k)[0], weights[f"audio_embeddings.{k}.weight"][2])


def test_untied_heads_must_be_stored(write_checkpoint: Callable[..., Path]) -> None:
    config = tiny_config(tie_audio_embeddings=False)
    tied = load_lm(write_checkpoint())
    with pytest.raises(CheckpointError, match="lacks audio_lm_heads.0.weight"):
        load_lm(write_checkpoint(config, tiny_weights(tied.config), name="untied"))


@pytest.mark.parametrize("tied", [True, False])
@torch.inference_mode()
def test_a_full_vocabulary_head_gives_the_two_rows_of_stop_and_continue(
    write_checkpoint: Callable[..., Path], tied: bool
) -> None:
    folder = write_checkpoint(
        tiny_config(local_text_head_mode="full_vocab", tie_word_embeddings=tied, tie_audio_embeddings=True)
    )
    weights = tiny_weights(LMConfig.read(folder))
    table = weights["transformer.embed_tokens.weight" if tied else "text_lm_head.weight"]
    assert torch.equal(load_lm(folder).stop_head, table[[262, 260]])


@torch.inference_mode()
def test_learned_positions_are_added_and_nothing_is_rotated(write_checkpoint: Callable[..., Path]) -> None:
    config = tiny_config()
    config["gpt2_config"] = {**config["gpt2_config"], "position_embedding_type": "absolute"}
    folder = write_checkpoint(config)
    weights = tiny_weights(LMConfig.read(folder))
    learned = load_lm(folder)
    assert torch.equal(learned.local.wpe, weights["local_transformer.wpe.weight"])
    # With equal learned positions the frame does not know where it is: the same input twice gives the same output.
    learned.local.wpe[:] = learned.local.wpe[0]
    cache, x = learned.local.new_cache(1, 3), torch.randn(1, 32)
    torch.testing.assert_close(learned.local.step(x, 0, cache), learned.local.step(x, 1, cache))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_narrow_storage_is_computed_in_float32_on_a_cpu(
    write_checkpoint: Callable[..., Path], dtype: torch.dtype
) -> None:
    model = load_lm(write_checkpoint(dtype=dtype))
    stored = tiny_weights(model.config)["transformer.layers.1.mlp.up_proj.weight"].to(dtype)
    assert model.dtype == torch.float32
    assert torch.equal(model.backbone.layers[1].gate_up.chunk(2)[1], stored.float())


@torch.inference_mode()
def test_a_bfloat16_model_follows_the_float32_one(write_checkpoint: Callable[..., Path]) -> None:
    folder = write_checkpoint(dtype=torch.bfloat16)
    rows = torch.tensor([[5, 20, 20, 20], [7, 1, 2, 3], [9, 19, 15, 11]])
    hidden = []
    for dtype in (torch.float32, torch.bfloat16):
        model = load_lm(folder, dtype=dtype)
        hidden.append(model.backbone.prefill(model.embed(rows), new_cache(model), 0).float())
    assert torch.nn.functional.cosine_similarity(*hidden, dim=-1).min() > 0.999


@torch.inference_mode()
def test_a_pad_code_adds_exactly_nothing(write_checkpoint: Callable[..., Path]) -> None:
    model = load_lm(write_checkpoint())
    rows = torch.tensor([[5, 20, 20, 20], [5, 4, 20, 20]])
    plain, one_code = model.embed(rows)
    assert torch.equal(plain, model.backbone.embed_tokens[5])
    torch.testing.assert_close(one_code, plain + model.audio_embeddings[4])


def test_hashes_follow_weights_and_tokenizer(write_checkpoint: Callable[..., Path]) -> None:
    first, again, other = (
        load_lm(write_checkpoint(name=name, seed=seed)) for name, seed in (("a", 0), ("b", 0), ("c", 1))
    )
    assert first.hashes == again.hashes
    assert first.hashes["model"] != other.hashes["model"] and first.hashes["tokenizer"] == other.hashes["tokenizer"]


def test_a_checkpoint_of_other_sizes_is_refused_before_memory_is_spent(
    write_checkpoint: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_checkpoint()
    config = tiny_config()
    config["qwen3_config"] = {**config["qwen3_config"], "intermediate_size": 10**12}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(CheckpointError, match=r"mlp\.(gate|up|down)_proj\.weight has the shape"):
        load_lm(folder)


def test_loading_reports_progress(write_checkpoint: Callable[..., Path]) -> None:
    seen: list[float] = []
    load_lm(write_checkpoint(), progress=seen.append)
    assert seen == sorted(seen) and seen[-1] == 1.0
