"""Streaming decode on a CUDA device: persistent slots, and one graph for each exact number of frames."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping

import numpy as np
import torch
import triton

from engine.codec.model import Codec
from engine.runtime.capture import Capture, Graphs
from engine.runtime.codec_stack import KernelStack
from engine.runtime.kernels.codes import codes_kernel
from engine.runtime.kernels.launch import launch, prove, rehearse
from engine.runtime.queue import Queue

GRAPH_FRAMES = (1, 2, 3, 4, 5, 6, 7, 8, 16, 25)  # a step of any other length is made of these


class CudaDecodeStreams:
    """The interface of `engine.codec.stream.DecodeStreams`, on graphs.

    Padding frames would move a stream on, so a graph serves one exact number of frames; padding streams go to a slot
    that belongs to nobody. Streams that take the same step take it together: it gives each the bits that it gets alone.

    Everything runs on a CUDA stream of its own, beside the frames that are being made.

    Attributes:
        codec: what decodes; its decoder is a `KernelStack`.
        slots: how many streams there may be at once.
        graphs: by streams, frames and codebooks.
    """

    def __init__(self, codec: Codec, slots: int = 1, *, most_frames: int = 25) -> None:
        if not isinstance(codec.decoder, KernelStack):
            raise TypeError("the codec's decoder is not on kernels")
        self.codec, self.slots, self.most_frames = codec, slots, most_frames
        device = codec.device
        self._queue = Queue(device)
        width = codec.codebooks
        samples = most_frames * codec.config.hop * codec.config.channels
        with torch.inference_mode(), self._queue:
            self._state = codec.decoder.new_state(slots + 1, most_frames)
            self._slots = torch.full((slots,), slots, dtype=torch.int32, device=device)
        self._sent_slots = self._queue.pinned(slots, dtype=torch.int32)
        self._sent_codes = self._queue.pinned(slots * most_frames * width, dtype=torch.int64)
        self._heard = self._queue.pinned(slots * samples, dtype=torch.float32)
        self._open: set[int] = set()
        self.graphs: Graphs[tuple[int, int, int]] = Graphs(
            "graphs of the codec could not be captured ({}); steps run one kernel at a time"
        )

    @property
    def free(self) -> int:
        """Slots that are not open."""
        return self.slots - len(self._open)

    def open(self) -> int:
        """Start a stream: the lowest free slot. Raises RuntimeError when none is free."""
        for slot in range(self.slots):
            if slot not in self._open:
                self.reset(slot)
                return slot
        raise RuntimeError(f"all {self.slots} decoding slots are in use")

    @torch.inference_mode()
    def reset(self, slot: int) -> None:
        """Start a new stream in a slot, open or not."""
        if not 0 <= slot < self.slots:
            raise IndexError(f"slot {slot} of {self.slots}")
        with self._queue:
            self._state.reset(slot)
        self._open.add(slot)

    def close(self, slot: int) -> None:
        """Give a slot back."""
        self._open.remove(slot)

    @torch.inference_mode()
    def step(self, chunks: Mapping[int, np.ndarray]) -> dict[int, np.ndarray]:
        """As `DecodeStreams.step`: codes `[F, q]` of any F >= 0 for each slot -> float32 `[F * hop, channels]`."""
        left: dict[int, np.ndarray] = {}
        for slot, codes in chunks.items():
            if slot not in self._open:
                raise KeyError(f"slot {slot} is not open")
            left[slot] = self.codec.check_codes(codes)
        parts: dict[int, list[np.ndarray]] = {slot: [] for slot in left}
        while any(len(codes) for codes in left.values()):
            # The streams that can take the same step take it together.
            together: dict[tuple[int, int], list[int]] = {}
            for slot, codes in left.items():
                if len(codes):
                    together.setdefault((self._step_of(len(codes)), codes.shape[1]), []).append(slot)
            for (frames, _), slots in together.items():
                audio = self._decode(slots, np.stack([left[slot][:frames] for slot in slots]))
                for slot, samples in zip(slots, audio, strict=True):
                    parts[slot].append(samples)
                    left[slot] = left[slot][frames:]
        empty = np.zeros((0, self.codec.config.channels), np.float32)
        return {slot: np.concatenate(made) if len(made) > 1 else (made or [empty])[0] for slot, made in parts.items()}

    def _step_of(self, frames: int) -> int:
        return max(size for size in GRAPH_FRAMES if size <= min(frames, self.most_frames))

    def _decode(self, slots: list[int], codes: np.ndarray) -> np.ndarray:
        batch, frames, books = codes.shape
        bucket = min(
            (size for size, count, known in self.graphs if count == frames and known == books and size >= batch),
            default=batch,
        )
        ids = self._sent_slots.numpy()
        ids[:bucket] = self.slots
        ids[:batch] = slots
        self._sent_codes.numpy()[: codes.size] = codes.reshape(-1)
        with self._queue:
            graph = self.graphs.get((bucket, frames, books))
            if graph is None:
                self._go(bucket, frames, books)
            else:
                graph.replay()
            self._queue.wait()
        shape = (bucket, frames * self.codec.config.hop, self.codec.config.channels)
        return self._heard.numpy()[: math.prod(shape)].reshape(shape)[:batch].copy()

    def _go(self, batch: int, frames: int, books: int) -> None:
        """What was sent is decoded, and the samples are brought to the host: all that a graph holds."""
        signal = self._run(batch, frames, books).reshape(-1)
        self._heard[: len(signal)].copy_(signal, non_blocking=True)

    def _run(self, batch: int, frames: int, books: int) -> torch.Tensor:
        quantizer, decoder = self.codec.quantizer, self.codec.decoder
        assert decoder is not None
        width = quantizer.table.shape[1]
        hidden = torch.empty(batch, frames, width, device=self.codec.device, dtype=decoder.dtype)
        launch(codes_kernel, (batch * frames,))(
            self._sent_codes, self._sent_slots, self._slots, quantizer.table, quantizer.bias, hidden, frames, books,
            SIZE=quantizer.size, WIDTH=width, BLOCK=triton.next_power_of_2(width),
            BLOCK_B=triton.next_power_of_2(self.codec.codebooks), num_warps=8,
        )  # fmt: skip
        return decoder.step(hidden, frames, self._state, self._slots[:batch])

    def capture(
        self, buckets: tuple[int, ...] = (1,), frames: tuple[int, ...] = GRAPH_FRAMES, books: int | None = None
    ) -> None:
        """Compile and capture steps of these sizes; before, and where it fails, steps run eagerly."""
        rehearse(self.rehearsal(buckets, frames, books))
        for capture in self.captures(buckets, frames, books):
            capture()

    def captures(
        self, buckets: tuple[int, ...] = (1,), frames: tuple[int, ...] = GRAPH_FRAMES, books: int | None = None
    ) -> list[Capture]:
        """What captures steps of these sizes, one a call, in this order; no stream may be open meanwhile."""
        books = books or min(12, self.codec.codebooks)
        return [
            torch.inference_mode()(functools.partial(self._capture, *size, books))
            for size in self._sizes(buckets, frames)
        ]

    @property
    def fallbacks(self) -> list[str]:
        """Why something is not captured."""
        return [self.graphs.fallback] if self.graphs.fallback else []

    @torch.inference_mode()
    def prove(self) -> None:
        """Run every kernel once, for nobody. Raises whatever keeps one from running on this device."""
        with self._queue:
            self._sent_slots.fill_(self.slots)
            self._sent_codes.zero_()
            prove(self.rehearsal())
            self._state.frames.zero_()

    def _capture(self, batch: int, frames: int, books: int) -> None:
        self._sent_slots.fill_(self.slots)
        self._sent_codes.zero_()
        with self._queue:
            step = functools.partial(self._go, batch, frames, books)
            self.graphs.capture((batch, frames, books), step, self._queue.stream)
            self._state.frames.zero_()

    def rehearsal(
        self, buckets: tuple[int, ...] = (1,), frames: tuple[int, ...] = GRAPH_FRAMES, books: int | None = None
    ) -> list[Callable[[], object]]:
        """What `rehearse` takes for the same sizes."""
        books = books or min(12, self.codec.codebooks)
        return [
            torch.inference_mode()(functools.partial(self._run, *size, books)) for size in self._sizes(buckets, frames)
        ]

    def _sizes(self, buckets: tuple[int, ...], frames: tuple[int, ...]) -> list[tuple[int, int]]:
        return sorted(
            ((batch, count) for batch in buckets for count in frames if count <= self.most_frames), reverse=True
        )
