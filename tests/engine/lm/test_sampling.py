"""Noise belongs to (seed, frame, channel, token), and the filters leave what the model's own sampler leaves."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.lm.sampling import RowSettings, draw, filter_logits, gumbel_noise, require_valid, stop_options
from engine.requests import Sampling, SamplingOptions


def noise(seed: int, frame: int, channel: int, tokens: int = 1024) -> torch.Tensor:
    return gumbel_noise(torch.tensor(seed), torch.tensor(frame), torch.tensor(channel), tokens)


def settings_of(*options: SamplingOptions) -> RowSettings:
    rows = RowSettings.allocate(len(options), torch.device("cpu"))
    for row, each in enumerate(options):
        rows.write(row, each)
    return rows


def splitmix_gumbel(seed: int, frame: int, channel: int, token: int) -> np.float32:
    """The same in unlimited Python integers."""
    mask, golden = 2**64 - 1, 0x9E3779B97F4A7C15

    def mix(x: int) -> int:
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & mask
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB & mask
        return x ^ (x >> 31)

    key = mix(mix((seed + golden) & mask) ^ ((frame * 64 + channel) * golden & mask))
    uniform = ((mix((key + (token + 1) * golden) & mask) >> 12) + 0.5) / 2**52
    return -np.float32(np.log(-np.log(uniform)))


@given(st.integers(0, 2**63 - 1), st.integers(0, 7500), st.integers(0, 32), st.integers(0, 1023))
@settings(max_examples=200, deadline=None)
def test_noise_is_the_published_hash_of_its_counters(seed: int, frame: int, channel: int, token: int) -> None:
    expected = splitmix_gumbel(seed, frame, channel, token)
    assert noise(seed, frame, channel)[token].item() == pytest.approx(float(expected), rel=1e-6, abs=1e-6)


def test_noise_of_a_row_is_the_same_in_any_batch() -> None:
    seeds, frames = torch.tensor([[7], [2**63 - 1], [0]]), torch.tensor([[3], [0], [9]])
    together = gumbel_noise(seeds, frames, torch.arange(13), 100)
    for row in range(3):
        for channel in (0, 5, 12):
            assert torch.equal(together[row, channel], noise(int(seeds[row]), int(frames[row]), channel, 100))


def test_noise_is_gumbel_distributed_and_uncorrelated_between_counters() -> None:
    samples = torch.stack(
        [noise(seed, frame, channel) for seed in (1, 2) for frame in range(8) for channel in range(4)]
    )
    uniform = torch.exp(-torch.exp(-samples.double()))
    histogram = torch.histc(uniform, 16, 0, 1) / uniform.numel()
    assert (histogram - 1 / 16).abs().max() < 0.006
    correlation = torch.corrcoef(uniform).fill_diagonal_(0).abs().max()
    assert correlation < 0.15
    assert abs(float(samples.mean()) - 0.5772) < 0.03


def test_draws_follow_the_probabilities() -> None:
    logits = torch.log(torch.tensor([0.5, 0.3, 0.15, 0.05]))
    frames = torch.arange(20_000)
    drawn = (logits + gumbel_noise(torch.tensor(11), frames, torch.tensor(1), 4)).argmax(-1)
    shares = torch.bincount(drawn, minlength=4) / len(frames)
    assert (shares - logits.exp()).abs().max() < 0.012


def test_top_k_keeps_ties_and_top_p_keeps_the_token_that_crosses() -> None:
    logits = torch.log(torch.tensor([[0.4, 0.2, 0.2, 0.1, 0.1]]))
    kept = filter_logits(logits, settings_of(SamplingOptions(1.0, 1.0, 2))).isfinite()
    assert kept.tolist() == [[True, True, True, False, False]]
    kept = filter_logits(logits, settings_of(SamplingOptions(1.0, 0.5, 0))).isfinite()
    assert kept.tolist() == [[True, True, False, False, False]]
    kept = filter_logits(logits, settings_of(SamplingOptions(1.0, 1e-9, 0))).isfinite()
    assert kept.tolist() == [[True, False, False, False, False]]


def test_each_row_has_its_own_settings() -> None:
    logits = torch.randn(1, 50).expand(3, 50)
    options = [SamplingOptions(0.0), SamplingOptions(0.7, 0.8, 5), SamplingOptions(1.7, 1.0, 0, 1.3)]
    seen = torch.zeros(3, 50, dtype=torch.bool)
    seen[2, :10] = True
    together = filter_logits(logits, settings_of(*options), seen)
    for row, each in enumerate(options):
        assert torch.equal(together[row], filter_logits(logits[:1], settings_of(each), seen[row : row + 1])[0])


def test_temperature_zero_is_arg_max_whatever_the_noise() -> None:
    logits = torch.randn(2, 30)
    rows = settings_of(SamplingOptions(0.0), SamplingOptions(0.0))
    assert torch.equal(draw(filter_logits(logits, rows), rows, noise(1, 1, 1, 30) * 100), logits.argmax(-1))


def test_the_stop_head_is_sampled_while_audio_is_sampled() -> None:
    sampled = Sampling(SamplingOptions(0.6), SamplingOptions(0.0))
    assert stop_options(sampled).temperature == 1.0
    greedy = Sampling(SamplingOptions(0.0), SamplingOptions(1.0))
    assert stop_options(greedy).temperature == 0.0
    own = Sampling(SamplingOptions(0.6, repetition_penalty=1.3), SamplingOptions(0.8, 0.9, 2, 1.5))
    assert stop_options(own) == SamplingOptions(0.8, 0.9, 2, 1.0)


@pytest.mark.parametrize(
    "options",
    [
        SamplingOptions(-0.1),
        SamplingOptions(float("nan")),
        SamplingOptions(float("inf")),
        SamplingOptions(1.0, -0.5),
        SamplingOptions(1.0, float("nan")),
        SamplingOptions(1.0, 1.0, -1),
        SamplingOptions(1.0, 1.0, 0, 0.0),
    ],
)
def test_settings_without_meaning_are_refused(options: SamplingOptions) -> None:
    with pytest.raises(ValueError, match="temperature|top_p|repetition_penalty"):
        require_valid(options)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_noise_is_the_same_on_a_gpu() -> None:
    here = gumbel_noise(torch.tensor([[123456789012345678]]), torch.tensor([[77]]), torch.arange(13), 1024)
    there = gumbel_noise(
        torch.tensor([[123456789012345678]], device="cuda"),
        torch.tensor([[77]], device="cuda"),
        torch.arange(13, device="cuda"),
        1024,
    )
    assert torch.equal(here, there.cpu())
