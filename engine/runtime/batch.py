"""The frame loop of a CUDA device: the host admits rows, launches frames ahead, and reads codes a little late."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import torch

from engine.errors import DeviceError
from engine.lm.generate import Frame, require_admissible
from engine.lm.model import SpeechLM
from engine.lm.prompt import Prompt
from engine.requests import Sampling
from engine.runtime.capture import Capture
from engine.runtime.graphs import RING, FrameGraphs, Quantizer
from engine.runtime.kernels.launch import prove, rehearse
from engine.runtime.memory import PREFIX_BYTES
from engine.runtime.paged import PAGE_ROWS, PagedCache
from engine.runtime.prefixes import PrefixStore
from engine.runtime.prompts import PromptGraphs, Speaks

LOOK_BACK = 2  # frames launched beyond the one that is read; a stop is noticed that late and costs as many frames


@dataclass
class _Row:
    """A request in work. `position` is the backbone position that its next frame will take."""

    max_frames: int
    position: int
    launched: int = 0
    spoken: int = 0
    finished: bool = False


@dataclass
class _Launch:
    """A frame on its way: its codes arrive in `codes` `[rows, C + 1]` (pinned) when `ready` has happened."""

    rows: list[tuple[int, _Row]]
    codes: torch.Tensor
    ready: torch.cuda.Event


class CudaFrameLoop:
    """A bucket of rows with the interface of `engine.lm.generate.FrameLoop`, on graphs and paged keys.

    Attributes:
        rows: the most rows at once.
        pinned: True runs every frame in the bucket of `rows` (same bits whatever shares it); False in the smallest that
            fits. graphs: the two steps. prompts: what computes prompts. prefixes: those of voices, kept. errors: what
            ended a row that its device had no room for, by row, until it is released.
    """

    def __init__(
        self,
        model: SpeechLM,
        *,
        rows: int = 1,
        pages: int = 0,
        longest: int = 8192,
        pinned: bool = True,
        quantize: Quantizer | None = None,
        pdl: bool = True,
        prefix_bytes: int = PREFIX_BYTES,
    ) -> None:
        self.model, self.rows, self.pinned = model, rows, pinned
        pages = pages or rows * -(-longest // PAGE_ROWS)
        self.cache = PagedCache(
            model.config.backbone, pages=pages, rows=rows, longest=longest, device=model.device, dtype=model.dtype
        )
        self.graphs = FrameGraphs(model, self.cache, rows=rows, quantize=quantize, pdl=pdl)
        self.prompts = PromptGraphs(self.graphs)
        self.prefixes = PrefixStore(self.cache, prefix_bytes)
        self.errors: dict[int, DeviceError] = {}
        self._work: list[_Row | None] = [None] * rows
        self._launched: deque[_Launch] = deque()
        self._launches = 0
        width = model.config.codebooks + 1
        self._pinned_codes = torch.zeros(RING, rows, width, dtype=torch.int32, pin_memory=model.device.type == "cuda")

    @property
    def free_rows(self) -> int:
        return self._work.count(None)

    @property
    def fallbacks(self) -> list[str]:
        """Why something is not captured."""
        return [graphs.fallback for graphs in (self.graphs.graphs, self.prompts.graphs) if graphs.fallback]

    def capture(self) -> None:
        """Compile all kernels and capture all graphs; before, and where it fails, steps run eagerly."""
        rehearse(self.rehearsal())
        for capture in self.captures():
            capture()

    @torch.inference_mode()
    def prove(self) -> None:
        """Run every kernel once, for nobody. Raises whatever keeps one from running on this device."""
        self.prompts.job.bytes.zero_()
        prove(self.rehearsal())
        self.graphs.forget()

    def captures(self) -> list[Capture]:
        """What captures the graphs, a few at each call, in this order; no row may be taken meanwhile."""
        return [
            torch.inference_mode()(capture)
            for capture in (*self.graphs.captures(self._sizes()), *self.prompts.captures())
        ]

    def rehearsal(self) -> list[Callable[[], object]]:
        """What `rehearse` takes: all that is captured."""
        steps = [
            functools.partial(step, size)
            for size in self._sizes()
            for step in (self.graphs.frame_step, self.graphs.backbone_step)
        ]
        return [
            torch.inference_mode()(step)
            for step in (*steps, *(functools.partial(self.prompts.forward, size) for size in self.prompts.buckets))
        ]

    def _sizes(self) -> list[int]:
        return sorted(
            {self.rows} if self.pinned else {size for size in (1, 2, 4, 8, 16, 32) if size < self.rows} | {self.rows}
        )

    @torch.inference_mode()
    def admit(self, prompt: Prompt, *, sampling: Sampling, seed: int, max_frames: int) -> int:
        """As `FrameLoop.admit`. Raises DeviceError when the device has no pages left for the prompt."""
        require_admissible(sampling, seed, max_frames)
        if None not in self._work:
            raise RuntimeError("no row is free")
        row = self._work.index(None)
        length = len(prompt)
        try:
            self.cache.reserve(row, length + 1)
            self._place_prefix(prompt.prefix, row)
            # The ring slot of the next launch: a row that was outside of smaller buckets has not followed the others.
            speaks = Speaks(sampling, seed, self._launches % RING)
            self.prompts.compute(prompt.rest, row, len(prompt.prefix), speaks)
        except Exception:
            self.cache.release(row)
            raise
        self._work[row] = _Row(max_frames, length)
        self.errors.pop(row, None)
        return row

    @torch.inference_mode()
    def step(self) -> list[Frame]:
        """Launch one more frame and hand out the oldest that is ready; waits only when `LOOK_BACK` frames are under
        way."""
        if any(self._wants(work) for work in self._work):
            self._launch()
        frames: list[Frame] = []
        while self._launched and not frames:
            oldest = self._launched[0]
            idle = not any(self._wants(work) for work in self._work)
            if len(self._launched) <= LOOK_BACK and not idle and not oldest.ready.query():
                break
            oldest.ready.synchronize()
            self._launched.popleft()
            frames = self._read(oldest)
        return [*frames, *self._starved()]

    def release(self, row: int) -> None:
        """Free a row, finished or not. Frames of it that are under way are dropped."""
        self._work[row] = None
        self.graphs.silence(row)
        self.cache.release(row)

    # Frames

    def _wants(self, work: _Row | None) -> bool:
        return work is not None and not work.finished and work.launched < work.max_frames

    def _launch(self) -> None:
        rows: list[tuple[int, _Row]] = []
        for row, work in enumerate(self._work):
            if work is None or not self._wants(work):
                continue
            try:
                self.cache.reserve(row, work.position + 1)
            except DeviceError as error:
                work.finished = True
                self.errors[row] = error
                self.graphs.silence(row)
                continue
            work.launched += 1
            work.position += 1
            rows.append((row, work))
        if not rows:
            return
        bucket = self.rows if self.pinned else self.graphs.bucket(rows[-1][0] + 1)
        self.graphs.step(bucket)
        slot = self._launches % RING
        self._launches += 1
        self._pinned_codes[slot].copy_(self.graphs.state.ring[slot], non_blocking=True)
        for row, work in rows:
            if work.launched == work.max_frames:
                self.graphs.silence(row)  # its last frame is under way; frames of others must not move it on
        # A blocking event lets the waiting thread sleep instead of spin.
        ready = torch.cuda.Event(blocking=True)
        ready.record()
        self._launched.append(_Launch(rows, self._pinned_codes[slot], ready))

    def _read(self, launch: _Launch) -> list[Frame]:
        frames = []
        values = launch.codes.numpy()
        for row, work in launch.rows:
            if self._work[row] is not work or work.finished:
                continue
            stopped = not values[row, -1]
            work.spoken += not stopped
            work.finished = stopped or work.spoken >= work.max_frames
            codes = None if stopped else values[row, :-1].astype("int16")
            frames.append(Frame(row, codes, bool(stopped), work.finished))
        return frames

    def _starved(self) -> list[Frame]:
        """Rows that the device had no page for end now, alone; the reason is in `errors`."""
        ended = [
            row
            for row in self.errors
            if self._work[row] is not None and not any(row == r for launch in self._launched for r, _ in launch.rows)
        ]
        return [Frame(row, None, False, True) for row in ended]

    def _place_prefix(self, prefix: torch.Tensor, row: int) -> None:
        """The voice's part of the prompt: pasted, or computed as a call of its own and kept, so that a kept one
        changes no bit."""
        if len(prefix) and not self.prefixes.paste(prefix, row):
            self.prompts.compute(prefix, row, 0)
            self.prefixes.keep(prefix, row)
