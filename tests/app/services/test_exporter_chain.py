"""Between mixer and file: rate, channels, gain and limiter, however the sound is cut."""

from __future__ import annotations

import numpy as np
import pytest

from app.services.exporter_chain import Chain


def through(chain: Chain, samples: np.ndarray, step: int) -> np.ndarray:
    parts = [chain.feed(samples[at : at + step]) for at in range(0, len(samples), step)]
    return np.concatenate([*parts, chain.flush()])


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("rate", [22_050, 44_100, 48_000])
@pytest.mark.parametrize("ceiling_db", [None, -3.0])
def test_small_chunks_and_large_ones_give_the_same_samples(rate: int, channels: int, ceiling_db: float | None) -> None:
    random = np.random.default_rng(3)
    samples = random.normal(0.0, 0.3, (20_000, 2)).astype(np.float32)
    whole = through(Chain(rate, channels, gain_db=1.0, ceiling_db=ceiling_db), samples, len(samples))
    pieces = through(Chain(rate, channels, gain_db=1.0, ceiling_db=ceiling_db), samples, 160)
    assert whole.shape == pieces.shape == (round(20_000 * rate / 48_000), channels)
    np.testing.assert_allclose(pieces, whole, atol=1e-6)


def test_nothing_in_is_nothing_out() -> None:
    chain = Chain(44_100, 2)
    assert chain.feed(np.zeros((0, 2), np.float32)).shape == chain.flush().shape == (0, 2)
