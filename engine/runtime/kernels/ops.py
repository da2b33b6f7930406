"""Launches the fused products: a weight with its norm, activation and epilogue is one object with one call."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import ClassVar

import torch
import triton

from engine.runtime.kernels import epilogues
from engine.runtime.kernels import linear as kernels
from engine.runtime.kernels import words as words_kernels
from engine.runtime.kernels.launch import launch
from engine.runtime.quantize import GROUP, widen

MOST_SPLIT_VALUES = 8 * 128 * 4096  # float32: splits × rows × width
INTERPRETED = triton.knobs.runtime.interpret  # no machine code in there: kernels take plain paths of the same values
MOST_PARTS = 2048  # blocks that a residual product may be cut into at one row


@functools.cache
def shared_bytes(device: torch.device) -> int:
    """Shared memory that one block may have, less what the compiler takes for itself."""
    if device.type != "cuda":
        return 64 << 10
    return torch.cuda.get_device_properties(device).shared_memory_per_block_optin - 4096


@dataclass
class Rows:
    """A few rows on their way through a network, in the form that the kernels hand on.

    Attributes:
        residual: float32 `[M, d]`, the sum so far; kept wide so that many layers add without rounding to the model's dtype.
        gained: `[M, d]` in the model's dtype: residual × gain of the norm that comes next.
        stats: float32, partial sums of x and x² over blocks: `[2, parts, stride]` in its first elements.
        stride: rows there is room for; the same for every bucket, so that buckets can take over from each other.
        parts: how many partial sums there are.
    """

    residual: torch.Tensor
    gained: torch.Tensor
    stats: torch.Tensor
    stride: int
    parts: int = 1

    @classmethod
    def empty(cls, rows: int, width: int, *, device: torch.device, dtype: torch.dtype, parts: int = MOST_PARTS) -> Rows:
        return cls(
            torch.zeros(rows, width, device=device, dtype=torch.float32),
            torch.zeros(rows, width, device=device, dtype=dtype),
            torch.zeros(2 * parts * rows, device=device, dtype=torch.float32),
            rows,
        )


@dataclass(frozen=True)
class Norm:
    """Which norm stands before a product: `rms` with gain, or `layer` with gain and shift. float32 `[d]`."""

    kind: str
    eps: float
    gain: torch.Tensor
    shift: torch.Tensor | None = None


@dataclass(frozen=True)
class SplitWork:
    """Where products that are cut along K leave their parts; one for each stream, whose kernels follow each other."""

    parts: torch.Tensor
    counters: torch.Tensor

    _made: ClassVar[dict[torch.device, SplitWork]] = {}

    @classmethod
    def on(cls, device: torch.device) -> SplitWork:
        """That of the stream on which the language model runs."""
        if device not in cls._made:
            cls._made[device] = cls.new(device)
        return cls._made[device]

    @classmethod
    def new(cls, device: torch.device) -> SplitWork:
        return cls(
            torch.zeros(MOST_SPLIT_VALUES, device=device, dtype=torch.float32), torch.zeros(16384, device=device, dtype=torch.int32)
        )


class Linear:
    """One product y = act(norm(x) Wᵀ + b), and where it goes.

    Attributes:
        weight: `[N, K]`, or `[2 N, K]` for the gated activation (gate rows first); int8 with `scale` float32 `[N or 2 N]`.
        evict: what the level-2 cache is told of weights that one row reads: "evict_last" where they are read again soon.
    """

    ACTS = {None: epilogues.ACT_NONE, "silu": epilogues.ACT_SILU, "swiglu": epilogues.ACT_SWIGLU}

    def __init__(
        self,
        weight: torch.Tensor,
        *,
        norm: Norm | None = None,
        bias: torch.Tensor | None = None,
        act: str | None = None,
        next_gain: torch.Tensor | None = None,
        scale: torch.Tensor | None = None,
        pdl: bool = True,
        evict: str = "evict_first",
    ) -> None:
        self.evict = evict
        self.weight, self.scale, self.norm, self.act = weight, scale, norm, self.ACTS[act]
        self.next_gain, self.pdl = next_gain, pdl
        self.N = weight.shape[0] // (2 if act == "swiglu" else 1)
        self.bits = 4 if weight.dtype == torch.uint8 else 8 * weight.element_size()
        self.K = weight.shape[1] * (2 if self.bits == 4 else 1)
        # One row reads four int8, or eight int4, as a word; the same bytes, so that nothing is stored twice.
        packed = self.bits == 4 or (weight.dtype == torch.int8 and self.K % 16 == 0)
        self.words = weight.view(torch.int32) if packed else None
        self.shift: torch.Tensor | None = None
        self.bias = None if bias is None else bias.float()
        self.mode = epilogues.NORM_NONE
        if norm is not None:
            self.mode = epilogues.NORM_RMS if norm.kind == "rms" else epilogues.NORM_LAYER
        if self.mode == epilogues.NORM_LAYER:
            # W(g∘(x − mean)·inv + b) = inv·(W(g∘x) − mean·Wg) + Wb
            wide = self._wide()
            self.shift = wide @ norm.gain.float()
            if norm.shift is not None:
                moved = wide @ norm.shift.float()
                self.bias = moved if self.bias is None else self.bias + moved

    def _wide(self) -> torch.Tensor:
        return self.weight.float() if self.scale is None else widen(self.weight, self.scale)

    def store(self, x: torch.Tensor, rows: Rows | None, out: torch.Tensor) -> None:
        """out `[M, N]` = act(...). `rows` gives the sums of the norm; `x` is its `gained` (or any input where there is no norm)."""
        self._launch(x, rows, out, None, epilogues.OUT_STORE)

    def add(self, x: torch.Tensor, rows: Rows) -> None:
        """rows.residual += y, and leaves `gained` and the sums for the next norm."""
        rows.parts = self._launch(x, None, rows.gained, rows, epilogues.OUT_ADD)

    def _launch(
        self, x: torch.Tensor, rows: Rows | None, out: torch.Tensor, target: Rows | None, mode: int
    ) -> int:
        m = x.shape[0]
        stats_in = rows.parts if rows is not None else 1
        stride = (rows or target).stride if (rows or target) is not None else 1
        dummy = self.weight
        arguments = (
            x,
            self.weight,
            self.scale if self.scale is not None else dummy,
            rows.stats if rows is not None else dummy,
            self.shift if self.shift is not None else dummy,
            self.bias if self.bias is not None else dummy,
            self.next_gain if self.next_gain is not None else dummy,
            target.residual if target is not None else dummy,
            out,
            target.stats if target is not None else dummy,
        )
        flags = {
            "NORM": self.mode,
            "ACT": self.act,
            "OUT": mode,
            "HAS_BIAS": self.bias is not None,
            "QUANT": self.scale is not None and self.bits == 8,
            "BLOCK_P": max(1, triton.next_power_of_2(stats_in)),
            "PDL": self.pdl,
        }
        options = {"launch_pdl": True} if self.pdl else {}
        eps = self.norm.eps if self.norm is not None else 0.0
        words = self.words if x.element_size() == 2 else None
        if m == 1 and (words is not None or self.bits != 4):
            gated = self.act == epilogues.ACT_SWIGLU
            ahead = 0
            if words is None:
                block_n, block_k, warps = gemv_shape(self.N, self.K, gated)
            else:
                block_n, block_k, warps, ahead = words_gemv_shape(self.N, self.K, gated, self.bits)
            if target is not None:
                block_n, block_k = fit_parts(self.N, block_n, block_k, target)
            blocks = triton.cdiv(self.N, block_n)
            flags |= {"BLOCK_N": block_n, "BLOCK_K": block_k, "num_warps": warps}
            if words is None:
                launch(kernels.gemv_kernel, (blocks,))(
                    *arguments, stride, self.N, self.K, stats_in, eps, EVICT=self.evict, **flags, **options
                )
            else:
                arguments = (x, words, *arguments[2:])
                launch(words_kernels.gemv_words_kernel, (blocks,))(
                    *arguments, stride, self.N, self.K, stats_in, eps, words_kernels.EXPONENTS[self.bits], EVICT=self.evict,
                    AHEAD=ahead, BITS=self.bits, ASM=not INTERPRETED, **flags, **options,
                )  # fmt: skip
            return blocks
        block_m, block_n, block_k, splits, stages, warps, early = gemm_shape(
            m, self.N, self.K, self.act == epilogues.ACT_SWIGLU, x.element_size(), shared_bytes(x.device)
        )
        if self.bits == 4:
            gated = self.act == epilogues.ACT_SWIGLU
            block_n, block_k, stages = int4_gemm_shape(block_m, block_n, gated, x.element_size(), shared_bytes(x.device))
        blocks = triton.cdiv(self.N, block_n)
        if splits > 1 and splits * m * self.N > MOST_SPLIT_VALUES:
            raise ValueError(f"{m} rows of {self.N} in {splits} parts: there is no room for so many")
        work = SplitWork.on(x.device)
        launch(kernels.gemm_kernel, (blocks, triton.cdiv(m, block_m), splits))(
            *arguments, work.parts, work.counters, m, stride, self.N, self.K, stats_in, eps,
            BLOCK_M=block_m, BLOCK_N=block_n, BLOCK_K=block_k, SPLITS=splits, STAGES=stages, BITS=self.bits, EARLY=early,
            num_warps=warps, **flags, **options,
        )  # fmt: skip
        return blocks


def gemv_shape(n: int, k: int, gated: bool) -> tuple[int, int, int]:
    """(BLOCK_N, BLOCK_K, warps) for one row: measured, see packaging/notes/gpu.md."""
    widest = triton.next_power_of_2(k)
    if gated:
        return 2, min(1024, widest), 2
    if k > 2560:
        return (4 if k > 4096 else 8), min(1024, widest), 4
    if n <= 2048:
        return 2, min(512, widest), 2
    if n <= 4096:
        return 2, min(1024, widest), 1
    return 4, min(512 if n >= 9000 else 1024, widest), 2


def words_gemv_shape(n: int, k: int, gated: bool, bits: int = 8) -> tuple[int, int, int, int]:
    """(BLOCK_N, BLOCK_K in words of four int8 or eight int4, warps, AHEAD) for one row.

    A warp takes 64 words of each of four rows (eight where gated or where there are many), and each thread has 128 bytes asked for before its
    input is there. Long rows are shared by more warps, for there are too few of them to fill the card. Measured, see packaging/notes/gpu.md.
    """
    words = k * bits // 32
    rows, ahead = 4, 2 if gated else 4
    if bits == 4:
        warps = 1 if k <= 2560 and not gated and n > 4096 else 2
    else:
        warps = 4 if k > 2560 and not gated else 2
        if k >= 2048 and not gated and n >= 6144:
            rows, ahead = (8, 2) if n < 7000 or n >= 9000 else (4, 2)
    warps = min(warps, max(1, words // 64))
    return rows, min(64 * warps, triton.next_power_of_2(words)), warps, ahead


def fit_parts(n: int, block_n: int, block_k: int, target: Rows) -> tuple[int, int]:
    """Taller blocks, where the partial sums of so many blocks have no room in `target`."""
    room = target.stats.numel() // (2 * target.stride)
    while triton.cdiv(n, block_n) > room:
        block_n, block_k = 2 * block_n, max(32, block_k // 2)
    return block_n, block_k


def gemm_shape(m: int, n: int, k: int, gated: bool, itemsize: int, shared_bytes: int) -> tuple[int, int, int, int, int, int, int]:
    """(BLOCK_M, BLOCK_N, BLOCK_K, SPLITS, stages, warps, EARLY) for several rows: measured, see packaging/notes/gpu.md.

    A few rows want as many blocks as the card has multiprocessors, each with deep loads; many rows want square tiles.
    """
    block_m = 16 if m <= 16 else 32 if m <= 32 else 64
    warps, splits = 4, 1
    if m > 512:
        block_m, block_n, block_k, warps = 128, 128, 64, 8
    elif m > 32:
        block_n = 64 if gated or n >= 3500 else 32 if n >= 2048 else 16
        block_k = 256 if not gated and (n < 2048 or 6144 <= n < 9000) else 128
    else:
        block_n, block_k, splits, warps = _few_rows_shape(m, n, k, gated)
    block_k = min(block_k, max(16, triton.next_power_of_2(k)))
    # As many tiles in flight as the multiprocessor has room for.
    while True:
        tile = (block_n * (2 if gated else 1) + block_m) * block_k * itemsize
        stages = min(6 if m <= 32 else 5, shared_bytes // tile)
        if stages >= 2 or block_k <= 32:
            early = 0 if m > 32 else 512 if 6144 <= n < 9000 else 128
            return block_m, block_n, block_k, splits, max(1, stages), warps, early
        block_k //= 2


def _few_rows_shape(m: int, n: int, k: int, gated: bool) -> tuple[int, int, int, int]:
    """(BLOCK_N, BLOCK_K, SPLITS, warps) for up to 32 rows. Where there are few results, several blocks share a long row, or most of the card
    would idle."""
    wide = m > 16
    if gated:
        return 64, 256 if wide else 64, 1, 4
    if k < 2048:
        return (64 if n >= 6144 else 32 if n >= 2048 else 16), 128, 1, 4
    if k > 4096:
        return (64, 256, 2, 4) if wide else (32, 128, 4, 4)
    if n >= 9000:
        return 128, 128, 1, 8
    if n >= 6144:
        return (64, 256, 1, 4) if n < 7000 else (64, 128, 1, 8 if wide else 4)
    if k > 2560:
        return (64, 256, 2, 8) if wide else (32, 256, 1, 4)
    if n >= 2048:
        return (64, 64, 2, 8) if wide else (64, 128, 8, 4)
    return 64, 128, 8 if wide else 4, 8


def int4_gemm_shape(block_m: int, block_n: int, gated: bool, itemsize: int, shared_bytes: int) -> tuple[int, int, int]:
    """(BLOCK_N, BLOCK_K, stages) where a tile is two groups of columns, and widened weights pass through shared memory too."""
    block_n = min(block_n, 64)
    tile = 2 * GROUP * block_m * itemsize + GROUP * block_n * (2 if gated else 1)
    return block_n, 2 * GROUP, max(1, min(4, (shared_bytes - 4 * GROUP * block_n * itemsize) // tile))
