"""The compiled decoder computes what the torch one does, and stands aside where it cannot serve."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numba import njit

from engine.lm import compiled, kernels
from engine.lm.compiled import compiled_decoder, narrowest
from engine.lm.config import LMConfig
from engine.lm.generate import BucketState, FrameLoop, TorchDecoder
from engine.lm.model import SpeechLM, load_lm
from engine.lm.prompt import Message, PromptBuilder
from engine.lm.sampling import RowSettings, draw, filter_logits, gumbel_noise
from engine.lm.tokenizer import Tokenizer
from engine.requests import Sampling, SamplingOptions

from .conftest import tiny_config, tiny_weights


@njit
def choose(logits, settings, seed, frame, channel, seen, heap):
    return kernels._choose(logits, logits.shape[0], settings, seed, frame, channel, seen, heap)


@njit
def exponential(x, out):
    for i in range(x.shape[0]):
        out[i] = kernels._exp(x[i])


@njit
def gumbel(seed, frame, channel, out):
    for token in range(out.shape[0]):
        out[token] = kernels._gumbel(seed, frame, channel, token)


options = st.builds(
    SamplingOptions,
    st.sampled_from([0.0, 0.3, 0.6, 1.0, 1.7]),
    st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]),
    st.sampled_from([0, 1, 2, 25, 63, 64, 1000]),
    st.sampled_from([1.0, 1.2, 0.8]),
)


@given(options, st.integers(0, 2**63 - 1), st.integers(0, 2**32 - 1), st.booleans())
@example(SamplingOptions(0.0, 0.0, 0, 1.2), 0, 546, True)  # 9 / 1.2 rounds below 7.5, 9 · (1 / 1.2) does not
@settings(max_examples=300, deadline=None)
def test_a_choice_is_the_one_that_torch_makes(options: SamplingOptions, seed: int, values: int, tied: bool) -> None:
    generator = torch.Generator().manual_seed(values)
    logits = torch.randn(1, 64, generator=generator) * 3
    logits = (logits * 2).round() / 2 if tied else logits  # equal scores are common then
    seen = torch.rand(1, 64, generator=generator) < 0.3
    rows = RowSettings.allocate(1, torch.device("cpu"))
    rows.write(0, options)
    noise = gumbel_noise(torch.tensor([seed]), torch.tensor([5]), torch.tensor([3]), 64)
    expected = int(draw(filter_logits(logits, rows, seen), rows, noise))
    own = (
        np.float32(options.temperature),
        np.float32(options.top_p),
        options.top_k,
        np.float32(options.repetition_penalty),
    )
    heap = np.zeros((2, 64), np.int64)
    assert choose(logits[0].numpy().copy(), own, seed, 5, 3, seen[0].numpy(), heap) == expected


@given(st.integers(0, 2**63 - 1), st.integers(0, 7500), st.integers(0, 32))
@settings(max_examples=100, deadline=None)
def test_noise_is_bit_for_bit_that_of_torch(seed: int, frame: int, channel: int) -> None:
    out = np.zeros(64, np.float32)
    gumbel(seed, frame, channel, out)
    expected = gumbel_noise(torch.tensor(seed), torch.tensor(frame), torch.tensor(channel), 64)
    assert np.array_equal(out, expected.numpy())


def test_the_exponential_is_exact_to_two_units_of_the_last_place() -> None:
    x = np.linspace(-86, 86, 100_001, dtype=np.float32)
    out = np.zeros_like(x)
    exponential(x, out)
    exact = np.exp(x.astype(np.float64))
    assert np.max(np.abs(out - exact) / exact) < 2.5e-7
    edge = np.zeros(3, np.float32)
    exponential(np.array([-np.inf, -500, 0], np.float32), edge)
    assert 0 <= edge[0] < 1e-37 and 0 <= edge[1] < 1e-37 and edge[2] == 1


@pytest.mark.parametrize("stored", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("positions", ["rope", "absolute"])
@torch.inference_mode()
def test_a_frame_is_that_of_the_torch_decoder(
    write_checkpoint: Callable[..., Path], stored: torch.dtype, positions: str
) -> None:
    config = tiny_config(tie_audio_embeddings=positions == "rope")
    config["gpt2_config"] = {**config["gpt2_config"], "position_embedding_type": positions}
    folder = write_checkpoint(config)
    weights = tiny_weights(LMConfig.read(folder))
    weights["local_transformer.h.0.attn.c_proj.weight"][0, 0] = 2.0**-40  # too small for float16
    model = load_lm(write_checkpoint(config, weights, dtype=stored))
    results = []
    for make in (TorchDecoder, compiled.CompiledDecoder):
        state = BucketState(model, 2)
        decoder = make(model, state)
        assert getattr(decoder, "stored", None) in (None, str(stored).removeprefix("torch."))
        state.hidden.copy_(torch.randn(2, 32, generator=torch.Generator().manual_seed(3)))
        state.frame.zero_()
        for _ in range(6):
            decoder.speak([True, True])
            decoder.advance([True, True])
        results.append((state.frame_rows.clone(), state.hidden.clone(), state.stop.clone(), state.cache.lengths))
    for torch_one, own in zip(results[0][:3], results[1][:3]):
        torch.testing.assert_close(own, torch_one, atol=2e-5, rtol=1e-5)
    assert results[0][3] == results[1][3] == [6, 6]


def test_weights_are_narrowed_only_where_nothing_is_lost() -> None:
    half = {"a": torch.tensor([[1.0, -2.5]]), "b": torch.tensor([[0.1]]).half().float()}
    assert narrowest(half)[0] == "float16" and narrowest(half)[1]["a"].dtype == np.uint16
    brain = {"a": torch.tensor([[1e30, 0.1]]).bfloat16().float()}
    assert narrowest(brain)[0] == "bfloat16" and narrowest(brain)[1]["a"].dtype == np.int16
    mixed = {**half, **brain}
    name, arrays = narrowest(mixed)
    assert name == "float32" and all(np.array_equal(arrays[key], mixed[key].numpy()) for key in mixed)


def tiny(write_checkpoint: Callable[..., Path]) -> SpeechLM:
    return load_lm(write_checkpoint())


def test_without_numba_frames_are_made_by_torch(
    write_checkpoint: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tiny(write_checkpoint)
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "numba" else real(name, *rest))
    assert not FrameLoop(model).compiled


def test_a_compiler_that_fails_leaves_torch_in_charge(
    write_checkpoint: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    model = tiny(write_checkpoint)

    def fail(*arguments: object) -> None:
        raise RuntimeError("no code for this processor")

    monkeypatch.setattr(kernels, "speak", fail)
    loop = FrameLoop(model)
    assert not loop.compiled and "no code for this processor" in caplog.text


def test_narrow_models_are_left_to_torch(write_checkpoint: Callable[..., Path]) -> None:
    model = load_lm(write_checkpoint(), dtype=torch.bfloat16)
    assert compiled_decoder(model, BucketState(model, 1)) is None


def test_nothing_is_compiled_once_a_loop_is_made(write_checkpoint: Callable[..., Path]) -> None:
    folder = write_checkpoint()
    model = load_lm(folder)
    loop = FrameLoop(model, rows=2)
    before = len(kernels.speak.signatures), len(kernels.advance.signatures)
    prompt = PromptBuilder(model.config, Tokenizer(folder)).build(Message("Hi."))
    sampling = Sampling(SamplingOptions(0.6, 0.9, 5, 1.2), SamplingOptions(1.0))
    for _ in range(2):
        row = loop.admit(prompt, sampling=sampling, seed=2**63 - 1, max_frames=300)
        while not loop.step()[0].finished:
            pass
        loop.release(row)
    assert (len(kernels.speak.signatures), len(kernels.advance.signatures)) == before
