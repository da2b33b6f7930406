"""Clips become codes on a CUDA device: one after the other, in steps that are graphs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator

import numpy as np
import torch
import torch.nn.functional as F
import triton

from engine.codec.model import Codec
from engine.runtime.capture import Capture, Graphs
from engine.runtime.codec_tiles import CLIP_STEPS
from engine.runtime.kernels.codes import find_codes_kernel
from engine.runtime.kernels.launch import launch, prove, rehearse
from engine.runtime.queue import Queue


class ClipGraphs:
    """The encoder's side of a codec whose encoder is on kernels.

    A step launches some 480 kernels, which takes the host longer than the card, so steps of a few lengths are captured.
    Clips do not share a step: one fills the card, and so the codes of a clip depend on nothing but the clip.

    Attributes:
        graphs: by frames.
    """

    def __init__(self, codec: Codec) -> None:
        assert codec.encoder is not None
        self.codec = codec
        width = codec.config.frame_values
        longest = max(CLIP_STEPS)
        self._queue = Queue(codec.device)
        with torch.inference_mode(), self._queue:
            self._state = codec.encoder.new_state(1, longest)
            self._slot = torch.zeros(1, dtype=torch.int32, device=codec.device)
            self._signal = torch.zeros(longest * width, device=codec.device)
            self._books = min(12, codec.codebooks)
            self._found = torch.zeros(longest, self._books, dtype=torch.int16, device=codec.device)
        self._sent = self._queue.pinned(longest * width, dtype=torch.float32)
        self.graphs: Graphs[int] = Graphs(
            "graphs of the encoder could not be captured ({}); clips are encoded one kernel at a time"
        )

    def encode(self, clip: np.ndarray, books: int) -> Generator[None, None, np.ndarray]:
        """Codes int16 `[frames, books]` of a clip float32 `[channels, samples]`, control back after each step.

        A last part of a frame is left out. One clip at a time: what is begun must be ended, or begun anew.
        """
        hop = self.codec.config.hop
        frames = clip.shape[1] // hop
        found = [np.zeros((0, books), np.int16)]
        at = 0
        while at < frames:
            size = min((step for step in CLIP_STEPS if step >= frames - at), default=max(CLIP_STEPS))
            count = min(size, frames - at)
            part = clip[:, at * hop : (at + count) * hop]
            found.append(self._step(part, size, books, begins=at == 0)[:count])
            at += count
            yield
        return np.concatenate(found)

    @torch.inference_mode()
    def _step(self, part: np.ndarray, size: int, books: int, *, begins: bool) -> np.ndarray:
        with self._queue:
            if begins:
                self._state.reset(0)
            sent = self._sent.numpy()[: size * self.codec.config.frame_values].reshape(len(part), -1)
            sent[:, : part.shape[1]] = part
            sent[:, part.shape[1] :] = 0
            if books != self._books:
                found = torch.empty(size, books, dtype=torch.int16, device=self.codec.device)
                self._run(size, books, found)
                return found.cpu().numpy()
            graph = self.graphs.get(size)
            if graph is None:
                self._go(size)
            else:
                graph.replay()
            return self._found[:size].cpu().numpy().copy()  # in the interpreter it is the place itself

    def _go(self, frames: int) -> None:
        """What a graph holds: the usual codebooks of a step, into a place that stays."""
        self._run(frames, self._books, self._found[:frames])

    def _run(self, frames: int, books: int, found: torch.Tensor) -> None:
        encoder, parts = self.codec.encoder, self.codec.quantizer.encoding
        assert encoder is not None and parts is not None
        values = frames * self.codec.config.frame_values
        signal = self._signal[:values].copy_(self._sent[:values], non_blocking=True)
        # Channels were sent one after the other, as they lie in a clip; the encoder takes them in turns.
        hidden = encoder.step(signal.view(1, -1, frames * self.codec.config.hop).mT, frames, self._state, self._slot)
        residual = F.linear(hidden[0], *parts.input_proj)
        _, size, width = parts.directions.shape
        inner = residual.shape[1]
        launch(find_codes_kernel, (frames,))(
            residual, parts.probes, parts.probe_biases, parts.directions, parts.steps, found, books,
            SIZE=size, WIDTH=width, INNER=inner, BLOCK_S=triton.next_power_of_2(size),
            BLOCK_W=triton.next_power_of_2(width), BLOCK_I=triton.next_power_of_2(inner), num_warps=8,
        )  # fmt: skip

    def capture(self) -> None:
        """Compile and capture the steps; before, and where it fails, they run eagerly."""
        rehearse(self.rehearsal())
        for capture in self.captures():
            capture()

    def captures(self) -> list[Capture]:
        """What captures the steps, one a call, in this order; no clip may be under way meanwhile."""
        return [
            torch.inference_mode()(functools.partial(self._capture, size)) for size in sorted(CLIP_STEPS, reverse=True)
        ]

    @property
    def fallbacks(self) -> list[str]:
        """Why something is not captured."""
        return [self.graphs.fallback] if self.graphs.fallback else []

    @torch.inference_mode()
    def prove(self) -> None:
        """Run every kernel once, for nobody. Raises whatever keeps one from running on this device."""
        with self._queue:
            prove(self.rehearsal())
            self._state.frames.zero_()

    def _capture(self, size: int) -> None:
        with self._queue:
            self.graphs.capture(size, functools.partial(self._go, size), self._queue.stream)
            self._state.frames.zero_()

    def rehearsal(self) -> list[Callable[[], object]]:
        """What `rehearse` takes: every step."""
        return [torch.inference_mode()(functools.partial(self._go, size)) for size in CLIP_STEPS]
