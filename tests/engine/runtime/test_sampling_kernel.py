"""The sampling kernel against the processor's sampler, on a CUDA device or in Triton's interpreter (`TRITON_INTERPRET=1`)."""

from __future__ import annotations

import pytest
import torch
from kernel_device import DEVICE, HAS_TRITON, on_some_device

from engine.lm.sampling import RowSettings, draw, filter_logits, gumbel_noise
from engine.requests import SamplingOptions

if not HAS_TRITON:
    pytest.skip("Triton is not installed", allow_module_level=True)

from engine.runtime.kernels import sampling

pytestmark = on_some_device
ROWS, SIZE, WIDTH = 6, 1024, 64
STOPS = SamplingOptions(1.0, 1.0, 0, 1.0)


def kernel_codes(
    logits: torch.Tensor, options: SamplingOptions, seen: torch.Tensor, *, channel: int = 3, never_stop: int = 1
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Codes, the history afterwards and the next input, for logits `[ROWS, SIZE + 2]`."""
    channels = 12
    history = torch.zeros(ROWS, channels, SIZE, dtype=torch.uint8, device=DEVICE)
    history[:, channel] = seen
    whole = {"dtype": torch.int32, "device": DEVICE}
    codes, live, frame = torch.zeros(ROWS, channels, **whole), torch.ones(ROWS, **whole), torch.arange(ROWS, **whole)
    seed = torch.arange(7, 7 + ROWS, device=DEVICE)
    row = [options.temperature, options.top_p, options.repetition_penalty, STOPS.temperature, STOPS.top_p]
    floats = torch.tensor(row, device=DEVICE).repeat(ROWS, 1)
    ints = torch.tensor([options.top_k, STOPS.top_k], **whole).repeat(ROWS, 1)
    table = torch.randn(SIZE, WIDTH, generator=torch.Generator().manual_seed(1)).to(DEVICE)
    gain = torch.ones(WIDTH, device=DEVICE)
    residual, out = torch.zeros(ROWS, WIDTH, device=DEVICE), torch.zeros(ROWS, WIDTH, device=DEVICE)
    stats = torch.zeros(2, ROWS, device=DEVICE)
    sampling.sample_kernel[(ROWS,)](
        logits, history, codes, live, frame, seed, floats, ints, table, gain, residual, out, stats,
        torch.full((1,), never_stop, **whole),
        channel, SIZE, SIZE, logits.shape[1], WIDTH, ROWS,
        FIRST=channel == 0, CHANNELS=channels, BLOCK=SIZE, BLOCK_D=WIDTH, LAST=False, PDL=False, num_warps=4,
    )  # fmt: skip
    assert torch.equal(out, table[codes[:, channel].long()]) and torch.equal(residual, out)
    assert torch.allclose(stats, torch.stack((out.sum(1), out.square().sum(1))), rtol=1e-4, atol=1e-3)
    return codes[:, channel].long(), history[:, channel], live


def expected_codes(logits: torch.Tensor, options: SamplingOptions, seen: torch.Tensor, channel: int) -> torch.Tensor:
    settings = RowSettings.allocate(ROWS, DEVICE)
    for row in range(ROWS):
        settings.write(row, options)
    noise = gumbel_noise(
        torch.arange(7, 7 + ROWS, device=DEVICE),
        torch.arange(ROWS, device=DEVICE),
        torch.tensor(channel + 1, device=DEVICE),
        SIZE,
    )
    return draw(filter_logits(logits[:, :SIZE], settings, seen.bool()), settings, noise)


def random_logits(scale: float, seed: int) -> torch.Tensor:
    return scale * torch.randn(ROWS, SIZE + 2, generator=torch.Generator().manual_seed(seed)).to(DEVICE)


@pytest.mark.parametrize("channel", [0, 3])
@pytest.mark.parametrize("scale", [0.01, 3.0, 40.0])
@pytest.mark.parametrize(
    "options",
    [
        SamplingOptions(1.7, 0.8, 25, 1.0),
        SamplingOptions(1.7, 0.8, 25, 1.3),
        SamplingOptions(0.0, 0.8, 25, 1.3),
        SamplingOptions(1.0, 0.95, 0, 1.0),
        SamplingOptions(1.0, 1.0, 5, 1.0),
        SamplingOptions(0.7, 0.3, 1, 1.0),
        SamplingOptions(1.0, 1e-6, 0, 1.0),
        SamplingOptions(1.0, 0.9999, 5000, 1.0),
        SamplingOptions(1.0, 0.0, 0, 1.0),
    ],
)
def test_codes_are_those_of_the_processor(options: SamplingOptions, scale: float, channel: int) -> None:
    logits = random_logits(scale, seed=3)
    seen = (torch.rand(ROWS, SIZE, generator=torch.Generator().manual_seed(4)) < 0.3).to(torch.uint8).to(DEVICE)
    codes, history, live = kernel_codes(logits, options, seen, channel=channel)
    assert torch.equal(codes, expected_codes(logits, options, seen, channel))
    assert torch.equal(history, seen.scatter(1, codes[:, None], 1))
    assert live.all()


def test_equal_scores_and_infinite_ones_end_the_search() -> None:
    logits = random_logits(1.0, seed=5)
    logits[0] = 0.5  # all alike: all are kept
    logits[1] = (logits[1] * 2).round()  # many ties at the k-th
    logits[2, :SIZE] = torch.linspace(1.0, 1.0 + 30 * 2.0**-23, SIZE)  # neighbours of each other
    logits[3, 17] = float("inf")
    logits[4] *= 1e-42  # denormal
    logits[5, :SIZE] = -1e37 * torch.arange(1, SIZE + 1) / SIZE
    unseen = torch.zeros(ROWS, SIZE, dtype=torch.uint8, device=DEVICE)
    options = SamplingOptions(1.0, 1.0, 25, 1.0)
    codes, _, _ = kernel_codes(logits, options, unseen)
    expected = expected_codes(logits, options, unseen, 3)
    kept = [row for row in range(ROWS) if row != 3]  # the reference's infinite scores are no numbers any more
    assert torch.equal(codes[kept], expected[kept])
    assert codes[3] == 17
    narrow, _, _ = kernel_codes(logits, SamplingOptions(1.0, 0.5, 25, 1.0), unseen)
    assert narrow[3] == 17 and narrow[5] == 0


def test_a_stop_ends_the_row_and_leaves_its_history() -> None:
    logits = random_logits(1.0, seed=6)
    logits[::2, SIZE:] = torch.tensor([-50.0, 50.0], device=DEVICE)
    logits[1::2, SIZE:] = torch.tensor([50.0, -50.0], device=DEVICE)
    unseen = torch.zeros(ROWS, SIZE, dtype=torch.uint8, device=DEVICE)
    _, history, live = kernel_codes(logits, SamplingOptions(1.7, 0.8, 25, 1.0), unseen, channel=0, never_stop=0)
    assert live.tolist() == [0, 1] * (ROWS // 2)
    assert history.sum(1).tolist() == [0, 1] * (ROWS // 2)
    _, _, live = kernel_codes(logits, SamplingOptions(1.7, 0.8, 25, 1.0), unseen, channel=0)
    assert live.all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_the_next_input_adds_the_codes_in_order_and_the_host_reads_them(dtype: torch.dtype) -> None:
    channels, vocab, ring_length = 3, 32, 8
    generator = torch.Generator().manual_seed(8)
    codes = torch.randint(vocab, (ROWS, channels), generator=generator, dtype=torch.int32).to(DEVICE)
    tables = torch.randn(channels, vocab, WIDTH, generator=generator).to(DEVICE, dtype)
    slot = torch.randn(WIDTH, generator=generator).to(DEVICE, dtype)
    whole = {"dtype": torch.int32, "device": DEVICE}
    live, frame, ring_at = (
        torch.arange(ROWS, **whole) % 2,
        torch.arange(ROWS, **whole),
        torch.full((ROWS,), 11, **whole),
    )
    ring = torch.full((ring_length, ROWS, channels + 1), -1, **whole)
    gain = torch.rand(WIDTH, generator=generator).to(DEVICE)
    residual, stats = torch.zeros(ROWS, WIDTH, device=DEVICE), torch.zeros(2, ROWS, device=DEVICE)
    out = torch.zeros(ROWS, WIDTH, device=DEVICE, dtype=dtype)
    sampling.next_input_kernel[(ROWS,)](
        codes, live, frame, ring, ring_at, slot, tables, gain, residual, out, stats, WIDTH, vocab, ring_length, ROWS,
        CHANNELS=channels, BLOCK_D=WIDTH, PDL=False, num_warps=4,
    )  # fmt: skip
    x = slot.expand(ROWS, WIDTH)
    for channel in range(channels):
        x = x + tables[channel, codes[:, channel].long()]
    assert torch.equal(residual, x.float()) and torch.equal(out, (x.float() * gain).to(dtype))
    assert torch.allclose(stats, torch.stack((x.float().sum(1), x.float().square().sum(1))), rtol=1e-4, atol=1e-3)
    assert torch.equal(ring[11 % ring_length], torch.cat((codes, live[:, None]), 1))
    assert (ring == -1).all((1, 2)).sum() == ring_length - 1
    assert torch.equal(frame, torch.arange(ROWS, **whole) + live) and (ring_at == 12).all()
