"""Clips become codes on a CUDA device: one after the other, in steps that are graphs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator

import numpy as np
import torch

from engine.codec.model import Codec
from engine.runtime.capture import captured
from engine.runtime.kernels.launch import rehearse
from engine.runtime.queue import Queue

STEPS = (100, 50, 25)  # frames; the last one of a clip is padded: nothing behind its end is heard before it


class ClipGraphs:
    """The encoder's side of a codec whose encoder is on kernels.

    A step launches some 370 kernels, which takes the host longer than the card, so steps of a few lengths are captured.
    Clips do not share a step: one fills the card, and so the codes of a clip depend on nothing but the clip.

    Attributes:
        fallback: why steps run eagerly, or "".
    """

    def __init__(self, codec: Codec) -> None:
        assert codec.encoder is not None
        self.codec, self.fallback = codec, ""
        hop, width = codec.config.hop, codec.config.frame_values
        longest = max(STEPS)
        self._queue = Queue(codec.device)
        with torch.inference_mode(), self._queue:
            self._state = codec.encoder.new_state(1, longest)
            self._slot = torch.zeros(1, dtype=torch.int32, device=codec.device)
            self._signal = torch.zeros(1, longest * hop, width // hop, device=codec.device)
            self._books = min(12, codec.codebooks)
            self._found = torch.zeros(longest, self._books, dtype=torch.int16, device=codec.device)
        self._graphs: dict[int, torch.cuda.CUDAGraph] = {}

    def encode(self, clip: np.ndarray, books: int) -> Generator[None, None, np.ndarray]:
        """Codes int16 `[frames, books]` of a clip float32 `[channels, samples]`, control back after each step.

        A last part of a frame is left out. One clip at a time: what is begun must be ended, or begun anew.
        """
        hop = self.codec.config.hop
        frames = clip.shape[1] // hop
        found = [np.zeros((0, books), np.int16)]
        at = 0
        while at < frames:
            size = min((step for step in STEPS if step >= frames - at), default=max(STEPS))
            count = min(size, frames - at)
            part = np.zeros((size * hop, clip.shape[0]), np.float32)
            part[: count * hop] = clip[:, at * hop : (at + count) * hop].T
            found.append(self._step(part, size, books, begins=at == 0)[:count])
            at += count
            yield
        return np.concatenate(found)

    @torch.inference_mode()
    def _step(self, part: np.ndarray, size: int, books: int, *, begins: bool) -> np.ndarray:
        with self._queue:
            if begins:
                self._state.reset(0)
            self._signal[0, : len(part)].copy_(torch.from_numpy(part))
            if books != self._books:
                return self._run(size, books)[0].cpu().numpy()
            graph = self._graphs.get(size)
            if graph is None:
                self._go(size)
            else:
                graph.replay()
            return self._found[:size].cpu().numpy()

    def _go(self, frames: int) -> None:
        """What a graph holds: the usual codebooks of a step, into a place that stays."""
        self._found[:frames].copy_(self._run(frames, self._books)[0])

    def _run(self, frames: int, books: int) -> torch.Tensor:
        encoder = self.codec.encoder
        assert encoder is not None
        signal = self._signal[:, : frames * self.codec.config.hop]
        hidden = encoder.step(signal, frames, self._state, self._slot)
        return self.codec.quantizer.encode(hidden, books).to(torch.int16)

    @torch.inference_mode()
    def capture(self) -> None:
        """Capture the steps, the longest first, into one pool. Failure leaves eager steps and a reason."""
        pool = None
        rehearse(self.rehearsal())
        with self._queue:
            try:
                for size in sorted(STEPS, reverse=True):
                    graph = self._graphs[size] = captured(functools.partial(self._go, size), pool, self._queue.stream)
                    pool = graph.pool()
            except RuntimeError as error:
                self._graphs.clear()
                self.fallback = (
                    f"graphs of the encoder could not be captured ({error}); clips are encoded one kernel at a time"
                )
            self._state.frames.zero_()

    def rehearsal(self) -> list[Callable[[], object]]:
        """What `rehearse` takes: every step."""
        return [torch.inference_mode()(functools.partial(self._run, size, self._books)) for size in STEPS]
