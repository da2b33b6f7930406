"""Streaming decode on a CUDA device: persistent slots, and one graph for each exact number of frames."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch

from engine.codec.model import Codec
from engine.runtime.codec_stack import KernelStack

GRAPH_FRAMES = (1, 2, 3, 4, 5, 6, 7, 8, 16, 25)  # a step of any other length is made of these


class CudaDecodeStreams:
    """The interface of `engine.codec.stream.DecodeStreams`, on graphs.

    Padding frames would move a stream on, so a graph serves one exact number of frames; padding streams go to a slot that
    belongs to nobody.

    Attributes:
        codec: what decodes; its decoder is a `KernelStack`.
        slots: how many streams there may be at once.
        fallback: why steps run eagerly, or "".
    """

    def __init__(self, codec: Codec, slots: int = 1, *, most_frames: int = 25) -> None:
        if not isinstance(codec.decoder, KernelStack):
            raise TypeError("the codec's decoder is not on kernels")
        self.codec, self.slots, self.most_frames = codec, slots, most_frames
        self.fallback = ""
        device = codec.device
        with torch.inference_mode():
            self._state = codec.decoder.new_state(slots + 1, most_frames)
            self._slots = torch.full((slots,), slots, dtype=torch.int32, device=device)
            self._codes = torch.zeros(slots, most_frames, codec.codebooks, dtype=torch.int64, device=device)
        self._open: set[int] = set()
        self._graphs: dict[tuple[int, int, int], tuple[torch.cuda.CUDAGraph, torch.Tensor]] = {}

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
        return {slot: np.concatenate(made) if made else empty for slot, made in parts.items()}

    def _step_of(self, frames: int) -> int:
        return max(size for size in GRAPH_FRAMES if size <= min(frames, self.most_frames))

    def _decode(self, slots: list[int], codes: np.ndarray) -> np.ndarray:
        batch, frames, books = codes.shape
        bucket = min(
            (size for size, count, known in self._graphs if count == frames and known == books and size >= batch), default=batch
        )
        ids = np.full(bucket, self.slots, np.int32)
        ids[:batch] = slots
        self._slots[:bucket].copy_(torch.from_numpy(ids))
        self._codes[:batch, :frames, :books].copy_(torch.from_numpy(codes))
        captured = self._graphs.get((bucket, frames, books))
        if captured is None:
            return self._run(bucket, frames, books)[:batch].cpu().numpy()
        captured[0].replay()
        return captured[1][:batch].cpu().numpy()

    def _run(self, batch: int, frames: int, books: int) -> torch.Tensor:
        return self.codec.decode_step(self._codes[:batch, :frames, :books], self._state, self._slots[:batch])

    @torch.inference_mode()
    def capture(
        self, buckets: tuple[int, ...] = (1,), frames: tuple[int, ...] = GRAPH_FRAMES, books: int | None = None
    ) -> None:
        """Capture steps of these sizes, the largest first, into one pool. Failure leaves eager steps and a reason."""
        books = books or min(12, self.codec.codebooks)
        pool = None
        self._slots.fill_(self.slots)
        self._codes.zero_()
        try:
            for batch in sorted(buckets, reverse=True):
                for count in sorted((each for each in frames if each <= self.most_frames), reverse=True):
                    self._run(batch, count, books)  # compiles what is not compiled yet
                    torch.cuda.synchronize()
                    graph = torch.cuda.CUDAGraph()
                    with torch.cuda.graph(graph, pool=pool):
                        signal = self._run(batch, count, books)
                    pool = graph.pool()
                    self._graphs[batch, count, books] = (graph, signal)
        except RuntimeError as error:
            self._graphs.clear()
            self.fallback = f"graphs of the codec could not be captured ({error}); steps run one kernel at a time"
        self._state.frames.zero_()
