"""What goes into and comes out of the codec's kernels: clips become the codes of plain encoding, codes the vectors of plain tables.

Runs on a card, or without one in Triton's interpreter: `TRITON_INTERPRET=1 python -m pytest tests/engine/runtime/test_codec_clips.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from kernel_device import DEVICE, INTERPRETED, on_some_device

from engine.codec import linear
from engine.codec.model import load_codec
from engine.codec.quantizer import Encoding, Quantizer

pytestmark = on_some_device
CODEC = Path(__file__).parents[3] / "resources" / "starter" / "codec"


def test_a_clip_of_several_steps_has_the_codes_of_plain_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.runtime import codec_clips
    from engine.runtime.codec_stack import KernelStack

    hop, channels = 3840, 2
    times = np.arange(3 * hop + hop // 2) / 48_000
    clip = np.stack([np.sin(2 * np.pi * (200 + 900 * times) * times), np.sin(2 * np.pi * 310 * times)]).astype(
        np.float32
    )
    clip *= 0.3
    assert clip.shape[0] == channels
    expected = load_codec(CODEC, codebooks=12).encode([clip])[0]
    monkeypatch.setattr(linear, "_can_block", lambda weight: False)  # kernels read plain weights
    monkeypatch.setattr(codec_clips, "CLIP_STEPS", (2,))  # so that one goes on where another ended, and is padded
    codec = load_codec(CODEC, device=DEVICE, dtype=torch.float32, codebooks=12, decoder=False)
    codec.encoder = KernelStack(codec.encoder, pdl=False)  # type: ignore[arg-type,assignment]
    codec.clips = codec_clips.ClipGraphs(codec)
    for _ in range(2):  # nothing of the first is left in the second
        found = codec.encode([clip])[0]
        assert found.shape == expected.shape == (3, 12)
        assert (found == expected).mean() > 0.97


@torch.inference_mode()
@pytest.mark.parametrize("books", [1, 5, 12])
def test_codes_are_looked_up_where_the_host_wrote_them(books: int) -> None:
    import triton

    from engine.runtime.kernels.codes import codes_kernel

    streams, frames, size, width = 3, 2, 16, 40
    generator = torch.Generator().manual_seed(books)
    table = torch.randn(12 * size, width, generator=generator).to(DEVICE)
    quantizer = Quantizer(12, size, table, torch.randn(width, generator=generator).to(DEVICE), None)
    sent = torch.randint(0, size, (streams, frames, books), generator=generator)
    sent_slots = torch.tensor([4, 0, 4], dtype=torch.int32)
    if not INTERPRETED:
        sent, sent_slots = sent.pin_memory(), sent_slots.pin_memory()
    slots = torch.full((streams + 1,), -1, dtype=torch.int32, device=DEVICE)
    out = torch.full((streams, frames, width), torch.nan, device=DEVICE)
    codes_kernel[(streams * frames,)](
        sent, sent_slots, slots, table, quantizer.bias, out, frames, books,
        SIZE=size, WIDTH=width, BLOCK=triton.next_power_of_2(width), BLOCK_B=16,
    )  # fmt: skip
    assert torch.allclose(out, quantizer.decode(sent.to(DEVICE)), atol=1e-5)
    assert slots.tolist() == [4, 0, 4, -1]


@torch.inference_mode()
@pytest.mark.parametrize("books", [1, 6])
def test_codes_are_found_as_the_quantizer_finds_them(books: int) -> None:
    import triton

    from engine.runtime.kernels.codes import find_codes_kernel

    frames, size, width, inner = 5, 24, 6, 40
    generator = torch.Generator().manual_seed(books)

    def random(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=generator).to(DEVICE)

    directions = torch.nn.functional.normalize(random(6, size, width), dim=-1)
    encoding = Encoding(
        (random(inner, 30), random(inner)),
        random(6, width, inner),
        random(6, width),
        directions,
        random(6, size, inner),
    )
    quantizer = Quantizer(6, size, random(6 * size, 30), random(30), encoding)
    hidden = random(frames, 30)
    residual = torch.nn.functional.linear(hidden, *encoding.input_proj)
    found = torch.full((frames, books), -1, dtype=torch.int16, device=DEVICE)
    find_codes_kernel[(frames,)](
        residual, encoding.probes, encoding.probe_biases, encoding.directions, encoding.steps, found, books,
        SIZE=size, WIDTH=width, INNER=inner, BLOCK_S=triton.next_power_of_2(size),
        BLOCK_W=triton.next_power_of_2(width), BLOCK_I=triton.next_power_of_2(inner),
    )  # fmt: skip
    assert torch.equal(found.long(), quantizer.encode(hidden, books))
