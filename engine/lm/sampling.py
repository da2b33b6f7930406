"""Samples codes and the stop decision: filters, and noise that depends on nothing but seed, frame, channel and token.

Everything here is elementwise over rows and waits for no value, so it can run inside a captured graph.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from engine.requests import Sampling, SamplingOptions

STOP_CHANNEL = 0  # codebook k draws from channel k + 1

# splitmix64 (Steele, Lea, Flood 2014): the increment and the two multipliers of its finaliser, as signed numbers.
INCREMENT = 0x9E3779B97F4A7C15 - (1 << 64)
MULTIPLIERS = (0xBF58476D1CE4E5B9 - (1 << 64), 0x94D049BB133111EB - (1 << 64))
CHANNELS_PER_FRAME = 64  # counters of different (frame, channel) never meet


def _shift_right(x: torch.Tensor, bits: int) -> torch.Tensor:
    """Logical shift of int64: the sign bit is a bit like any other."""
    return (x >> bits) & ((1 << (64 - bits)) - 1)


def _mix(x: torch.Tensor) -> torch.Tensor:
    """The finaliser of splitmix64: every input bit reaches every output bit. int64 products wrap on every device."""
    x = (x ^ _shift_right(x, 30)) * MULTIPLIERS[0]
    x = (x ^ _shift_right(x, 27)) * MULTIPLIERS[1]
    return x ^ _shift_right(x, 31)


def gumbel_noise(seed: torch.Tensor, frame: torch.Tensor, channel: torch.Tensor, tokens: int) -> torch.Tensor:
    """Standard Gumbel noise for each token, the same on every device.

    Args:
        seed, frame, channel: int64, broadcast against each other; seed 0..2**63-1.
        tokens: size of the last axis of the result.

    Returns:
        float32 `[..., tokens]`: -ln(-ln(u)), u uniform in (0, 1) from 52 hashed bits. Logarithms are taken in float64,
        so that libraries which differ in a last bit still round to the same float32.
    """
    key = _mix(_mix(seed + INCREMENT) ^ ((frame * CHANNELS_PER_FRAME + channel) * INCREMENT))
    token = torch.arange(1, tokens + 1, device=key.device) * INCREMENT
    bits = _shift_right(_mix(key.unsqueeze(-1) + token), 12)
    uniform = (bits.double() + 0.5) * 2.0**-52  # exact: never 0, never 1
    return -torch.log(-torch.log(uniform)).float()


@dataclass(frozen=True)
class RowSettings:
    """Sampling settings of one kind of logits for a bucket of rows, each `[rows, 1]`; they change in place.

    Attributes:
        temperature: float32; 0 means arg-max (noise and filters have no effect then).
        top_p: float32; top_k: int64; penalty: float32, see `engine.requests.SamplingOptions`.
    """

    temperature: torch.Tensor
    top_p: torch.Tensor
    top_k: torch.Tensor
    penalty: torch.Tensor

    @classmethod
    def allocate(cls, rows: int, device: torch.device) -> RowSettings:
        def column(value: float, dtype: torch.dtype) -> torch.Tensor:
            return torch.full((rows, 1), value, dtype=dtype, device=device)

        return cls(
            column(0.0, torch.float32), column(1.0, torch.float32), column(0, torch.int64), column(1.0, torch.float32)
        )

    def write(self, row: int, options: SamplingOptions) -> None:
        self.temperature[row] = options.temperature
        self.top_p[row] = options.top_p
        self.top_k[row] = options.top_k
        self.penalty[row] = options.repetition_penalty


def require_valid(options: SamplingOptions) -> None:
    """Raises ValueError for settings that have no meaning."""
    if not 0.0 <= options.temperature < float("inf"):
        raise ValueError(f"temperature is {options.temperature}; it must be 0 or more")
    if not 0.0 < options.repetition_penalty < float("inf"):
        raise ValueError(f"repetition_penalty is {options.repetition_penalty}; it must be above 0")
    if options.top_k < 0 or not options.top_p >= 0.0:
        raise ValueError("top_k and top_p must not be negative")


def stop_options(sampling: Sampling) -> SamplingOptions:
    """Settings of the stop head: arg-max with greedy audio; else never arg-max, for then it may never stop."""
    temperature = 0.0 if sampling.greedy else sampling.stop.temperature or 1.0
    return SamplingOptions(temperature, sampling.stop.top_p, sampling.stop.top_k, 1.0)


def filter_logits(logits: torch.Tensor, settings: RowSettings, seen: torch.Tensor | None = None) -> torch.Tensor:
    """Scores whose softmax is sampled from: penalty, temperature, top-k, top-p in this order (MODEL §4).

    Args:
        logits: float32 `[rows, V]`.
        seen: bool `[rows, V]`: tokens this codebook has emitted in this generation; None without penalty.

    Returns:
        float32 `[rows, V]`, minus infinity where a token was filtered out. Top-k keeps ties with the k-th score; top-p
        keeps the token that crosses it, and always the first.
    """
    scores = logits
    if seen is not None:
        punished = torch.where(scores < 0, scores * settings.penalty, scores / settings.penalty)
        scores = torch.where(seen, punished, scores)
    scores = scores / torch.where(settings.temperature > 0, settings.temperature, 1.0)
    size = scores.shape[-1]
    ordered, order = scores.sort(dim=-1, descending=True, stable=True)
    kept = torch.where((settings.top_k > 0) & (settings.top_k < size), settings.top_k, size)
    ordered = ordered.masked_fill(ordered < ordered.gather(-1, kept - 1), float("-inf"))
    before = ordered.softmax(-1).cumsum(-1).roll(1, dims=-1)  # probability of all better tokens
    before[..., 0] = 0.0
    limit = torch.where((settings.top_p > 0) & (settings.top_p < 1), settings.top_p, float("inf"))
    ordered = ordered.masked_fill(before > limit, float("-inf"))
    return torch.empty_like(ordered).scatter_(-1, order, ordered)


def draw(scores: torch.Tensor, settings: RowSettings, noise: torch.Tensor) -> torch.Tensor:
    """int64 `[rows]`: a sample of softmax(scores) by the Gumbel arg-max; the plain arg-max at temperature 0."""
    return (scores + noise * (settings.temperature > 0)).argmax(-1)
