"""Short steps of the codec, a stage of which is one launch, say what plain decoding says, whoever is decoded beside.

Runs on a card, or without one in Triton's interpreter: `TRITON_INTERPRET=1 python -m pytest tests/engine/runtime/test_codec_stage.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from kernel_device import DEVICE, INTERPRETED, on_some_device

from engine.codec import linear
from engine.codec.model import load_codec

pytestmark = on_some_device
CODEC = Path(__file__).parents[3] / "resources" / "starter" / "codec"
STEPS = (1, 3)
CODES = np.random.default_rng(4).integers(0, 1024, (2, sum(STEPS), 12)).astype(np.int16)


@pytest.fixture
def streams(monkeypatch: pytest.MonkeyPatch) -> Any:
    from engine.runtime.codec_graphs import CudaDecodeStreams
    from engine.runtime.codec_stack import KernelStack

    monkeypatch.setattr(linear, "_can_block", lambda weight: False)  # kernels read plain weights
    codec = load_codec(CODEC, device=DEVICE, dtype=torch.float32 if INTERPRETED else torch.bfloat16, codebooks=12)
    codec.decoder = KernelStack(codec.decoder, resident=True, pdl=not INTERPRETED)  # type: ignore[arg-type,assignment]
    return CudaDecodeStreams(codec, slots=2)


def spoken(streams: Any, codes: dict[int, np.ndarray]) -> dict[int, np.ndarray]:
    parts: dict[int, list[np.ndarray]] = {slot: [] for slot in codes}
    at = 0
    for size in STEPS:
        for slot, samples in streams.step({slot: each[at : at + size] for slot, each in codes.items()}).items():
            parts[slot].append(samples)
        at += size
    return {slot: np.concatenate(each) for slot, each in parts.items()}


def test_resident_stages_decode_and_company_changes_no_bit(streams: Any) -> None:
    expected = load_codec(CODEC, codebooks=12).decode(CODES[1]).T
    slot = streams.open()
    alone = spoken(streams, {slot: CODES[1]})[slot]
    noise = np.square(alone - expected).sum() / np.square(expected).sum()
    assert noise < (1e-10 if INTERPRETED else 1e-4)
    streams.close(slot)
    first, second = streams.open(), streams.open()
    together = spoken(streams, {first: CODES[0], second: CODES[1]})
    assert np.array_equal(together[second], alone)
