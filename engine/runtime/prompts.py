"""Prompts computed into rows of the frame loop: graphs for a few lengths, told by one small copy what each prompt
is."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import torch
import triton

from engine.lm.sampling import stop_options
from engine.requests import Sampling
from engine.runtime.capture import Capture, Graphs
from engine.runtime.graphs import FrameGraphs
from engine.runtime.kernels import prompts as kernels
from engine.runtime.kernels.launch import launch
from engine.runtime.kernels.ops import Rows, shared_bytes
from engine.runtime.memory import PROMPT_ROWS
from engine.runtime.paged import PAGE_ROWS
from engine.runtime.prompt_products import FusedProducts, WideProducts

# Products take rows in tiles of 64, so lengths between would cost as much. Texts of usual length fill one or two tiles.
BUCKETS = (64, 128, 192, 256, 384, PROMPT_ROWS)
MOST_PARTS = 256  # blocks that a residual product of so many rows is cut into
_SLIPS = 4  # pieces whose copies may be under way
_HEAD_BYTES = 64


def pieces(count: int, buckets: tuple[int, ...] = BUCKETS) -> list[tuple[int, int]]:
    """(rows, bucket) of each call that a prompt of `count` rows takes, in order: its length alone decides, so its
    bits do not vary."""
    largest = buckets[-1]
    sizes = [largest] * (count // largest) + ([count % largest] if count % largest else [])
    return [(size, min(bucket for bucket in buckets if bucket >= size)) for size in sizes]


def attention_tile(dim: int, itemsize: int, shared: int) -> tuple[int, int, int]:
    """(BLOCK_Q, BLOCK_T, stages) of a prompt's attention, from the shared memory that a block may have."""
    if itemsize == 4:
        return 32, 32, 2  # without matrix units: larger tiles do not fit the registers
    return 64, 64, 2 if (64 + 2 * 2 * 64) * dim * itemsize <= shared else 1


@dataclass(frozen=True)
class Speaks:
    """How a row goes on once its prompt is computed. `ring_at`: the slot of the ring that its first codes go to."""

    sampling: Sampling
    seed: int
    ring_at: int


class _Slip:
    """What kernels are told of a piece, as one run of bytes: on the device, or on its way there in pinned memory.

    Attributes:
        seed int64 `[1]`, fields int32 `[8]` (`job` of the kernels), floats float32 `[5]`, ids int32 `[rows, C + 1]`:
        parts of it. text: the rows' text embeddings `[rows, hidden]`, where the host has their table. sent: when its
        copy has happened; None on the device itself.
    """

    def __init__(
        self, rows: int, width: int, text: torch.Tensor | None, *, device: torch.device, pinned: bool = False
    ) -> None:
        self.bytes = torch.zeros(_HEAD_BYTES + 4 * rows * width, dtype=torch.uint8, device=device, pin_memory=pinned)
        self.seed = self.bytes[:8].view(torch.int64)
        self.fields = self.bytes[8:40].view(torch.int32)
        self.floats = self.bytes[40:60].view(torch.float32)
        self.ids = self.bytes[_HEAD_BYTES:].view(torch.int32).view(rows, width)
        self.text: torch.Tensor | None = None
        if text is not None:
            self.text = torch.zeros(rows, text.shape[1], dtype=text.dtype, device=device, pin_memory=pinned)
        self.sent = torch.cuda.Event(blocking=True) if pinned else None


class PromptGraphs:
    """Computes prompts for the rows of `frames`, by graphs or eagerly (the same kernels on the same buffers, so the
    same bits).

    Attributes:
        buckets: rows that prompts are filled up to; longer ones are computed in pieces of the largest.
        graphs: by bucket.
    """

    def __init__(self, frames: FrameGraphs) -> None:
        self.frames, self.cache = frames, frames.cache
        model = frames.model
        config, device, dtype = model.config.backbone, model.device, model.dtype
        self.buckets = tuple(size for size in BUCKETS if size <= self.cache.pages_per_row * PAGE_ROWS)
        self.graphs: Graphs[int] = Graphs(
            "prompts could not be captured ({}); they are computed one kernel at a time", beside=frames.graphs
        )
        most = self.buckets[-1]

        def empty(width: int) -> torch.Tensor:
            return torch.zeros(most, width, device=device, dtype=dtype)

        self.rows = Rows.empty(most, config.hidden, device=device, dtype=dtype, parts=MOST_PARTS)
        self.qkv, self.query = empty(frames.qkv.shape[1]), empty(frames.attended.shape[1])
        self.attended = empty(frames.attended.shape[1])
        self.products = (WideProducts if WideProducts.serves(frames) else FusedProducts)(frames, self.rows)
        self._tile = attention_tile(config.head_dim, dtype.itemsize, shared_bytes(device))
        self._text_table: torch.Tensor | None = getattr(model, "text_table", None)
        width = model.config.codebooks + 1
        self.job = _Slip(most, width, self._text_table, device=device)
        pinned = device.type == "cuda"
        self._slips = [
            _Slip(most, width, self._text_table, device=torch.device("cpu"), pinned=pinned) for _ in range(_SLIPS)
        ]
        self._sent = 0

    def compute(self, rows: torch.Tensor, row: int, start: int, speaks: Speaks | None = None) -> None:
        """Prompt rows int64 `[T, C + 1]`, T >= 1, on the host, at positions start.. of `row`, whose pages are reserved.

        With `speaks`, the row is live afterwards, its first frame made from the last of them. Waits for nothing.
        """
        at, count = 0, len(rows)
        for size, bucket in pieces(count, self.buckets):
            last = at + size == count
            self._send(rows[at : at + size], row, start + at, speaks if last else None)
            graph = self.graphs.get(bucket)
            if graph is None:
                self.forward(bucket)
            else:
                graph.replay()
            at += size

    def captures(self) -> list[Capture]:
        """What captures the buckets, one call each, in this order; no prompt may be under way meanwhile."""
        return [functools.partial(self._capture, size) for size in reversed(self.buckets)]

    def _capture(self, size: int) -> None:
        self.job.bytes.zero_()  # no real rows: nothing is written
        self.graphs.capture(size, functools.partial(self.forward, size))

    def _send(self, rows: torch.Tensor, row: int, start: int, speaks: Speaks | None) -> None:
        """Tell the device of the next piece: written to pinned memory, one copy, no wait unless many are under way."""
        slip = self._slips[self._sent % _SLIPS]
        self._sent += 1
        if slip.sent is not None:
            slip.sent.synchronize()
        count = len(rows)
        fields = [start, count, row, 0, 0, 0, 0, 0]
        if speaks is not None:
            audio, stop = speaks.sampling.audio, stop_options(speaks.sampling)
            fields = [start, count, row, 1, start + count, speaks.ring_at, audio.top_k, stop.top_k]
            slip.seed.numpy()[0] = speaks.seed
            slip.floats.numpy()[:] = [
                audio.temperature, audio.top_p, audio.repetition_penalty, stop.temperature, stop.top_p,
            ]  # fmt: skip
        slip.fields.numpy()[:] = fields
        slip.ids[:count].copy_(rows)
        used = _HEAD_BYTES + 4 * count * rows.shape[1]
        self.job.bytes[:used].copy_(slip.bytes[:used], non_blocking=True)
        if self._text_table is not None and slip.text is not None and self.job.text is not None:
            torch.index_select(self._text_table, 0, rows[:, 0], out=slip.text[:count])
            self.job.text[:count].copy_(slip.text[:count], non_blocking=True)
        if slip.sent is not None:
            slip.sent.record()

    def forward(self, size: int) -> None:
        """Launch what computes a piece of up to `size` rows, as `job` says it is."""
        frames, cache, job = self.frames, self.cache, self.job
        model, state = frames.model, frames.state
        config, books = model.config.backbone, model.config.codebooks
        x = self.rows
        x.parts = 1
        block_d = triton.next_power_of_2(config.hidden)
        text = model.backbone.embed_tokens if job.text is None else job.text
        launch(kernels.embed_rows_kernel, (size,))(
            job.fields, job.ids, text, frames.tables, frames.first_gain, x.residual, x.gained, x.stats,
            frames.width, model.config.pad_code, config.hidden, x.stride,
            CHANNELS=books, BLOCK_D=block_d, TEXT_GIVEN=job.text is not None,
        )  # fmt: skip
        shape = {
            "HEADS": config.heads,
            "KV_HEADS": config.kv_heads,
            "DIM": config.head_dim,
            "PAGE": PAGE_ROWS,
            "PDL": frames.pdl,
        }
        scale, per_row = config.head_dim**-0.5, cache.table.shape[1]
        block_q, block_t, stages = self._tile
        products = self.products
        for index, (_, (q_gain, k_gain), *_) in enumerate(frames.layers):
            products.qkv(index, size, self.qkv)
            launch(kernels.place_rows_kernel, (size, config.heads + 2 * config.kv_heads))(
                job.fields, self.qkv, x.stats, self.query, cache.keys[index], cache.values[index], cache.table, q_gain, k_gain,
                frames.cos, frames.sin, per_row, x.stride, config.hidden, scale, config.norm_eps,
                NORMED=products.normed, **shape, num_warps=1, **frames.launch,
            )  # fmt: skip
            launch(kernels.prompt_attention_kernel, (triton.cdiv(size, block_q), config.heads))(
                job.fields, self.query, cache.keys[index], cache.values[index], cache.table, self.attended, per_row,
                BLOCK_Q=block_q, BLOCK_T=block_t, STAGES=stages, **shape, num_warps=4, **frames.launch,
            )  # fmt: skip
            products.add_attended(index, size, self.attended)
            products.add_inner(index, size)
        local = state.local
        launch(kernels.start_row_kernel, (books + 1,))(
            job.fields, job.seed, job.floats, x.residual, frames.final_gain, frames.local_gain, state.live, state.frame, state.position,
            state.ring_at, state.seed, state.floats, state.ints, state.history, local.residual, local.gained, local.stats,
            config.hidden, frames.width, local.stride, config.norm_eps,
            CHANNELS=books, BLOCK_V=triton.next_power_of_2(frames.width), BLOCK_D=block_d,
        )  # fmt: skip
