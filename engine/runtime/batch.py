"""The frame loop of a CUDA device: the host admits rows, launches frames ahead, and reads codes a little late."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass

import torch

from engine.errors import DeviceError
from engine.lm.generate import Frame, require_admissible
from engine.lm.model import SpeechLM
from engine.lm.prompt import Prompt
from engine.lm.sampling import stop_options
from engine.requests import Sampling
from engine.runtime.graphs import RING, FrameGraphs, Quantizer
from engine.runtime.paged import PAGE_ROWS, PagedCache

LOOK_BACK = 2  # frames launched beyond the one that is read; a stop is noticed that late and costs as many frames
PREFIX_BYTES = 256 << 20  # keys and values of voices' prompt prefixes that stay on the device; the memory plan counts them


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


@dataclass
class _Prefix:
    keys: torch.Tensor  # [layers, length, kv_heads, head_dim]
    values: torch.Tensor

    @property
    def nbytes(self) -> int:
        return self.keys.nbytes + self.values.nbytes


class CudaFrameLoop:
    """A bucket of rows with the interface of `engine.lm.generate.FrameLoop`, on graphs and paged keys.

    Attributes:
        rows: the most rows at once.
        pinned: True runs every frame in the bucket of `rows` (same bits whatever shares it); False in the smallest that fits.
        graphs: the two steps.
        errors: what ended a row that its device had no room for, by row, until it is released.
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
        self.model, self.rows, self.pinned, self.prefix_bytes = model, rows, pinned, prefix_bytes
        pages = pages or rows * -(-longest // PAGE_ROWS)
        self.cache = PagedCache(
            model.config.backbone, pages=pages, rows=rows, longest=longest, device=model.device, dtype=model.dtype
        )
        self.graphs = FrameGraphs(model, self.cache, rows=rows, quantize=quantize, pdl=pdl)
        self.errors: dict[int, DeviceError] = {}
        self._work: list[_Row | None] = [None] * rows
        self._launched: deque[_Launch] = deque()
        self._launches = 0
        self._prefixes: OrderedDict[bytes, _Prefix] = OrderedDict()
        width = model.config.codebooks + 1
        self._pinned_codes = torch.zeros(RING, rows, width, dtype=torch.int32, pin_memory=model.device.type == "cuda")

    @property
    def free_rows(self) -> int:
        return self._work.count(None)

    def capture(self) -> None:
        """Capture the graphs. Call it once, before the first `admit`; until then, and where it fails, steps run eagerly."""
        sizes = {self.rows} if self.pinned else {size for size in (1, 2, 4, 8, 16, 32) if size < self.rows} | {self.rows}
        self.graphs.capture(sorted(sizes))

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
            start = self._paste_prefix(prompt, row)
            hidden = self._prefill(prompt.rest, row, start)
            self._start(row, hidden, length, sampling, seed)
        except Exception:
            self.cache.release(row)
            raise
        self._work[row] = _Row(max_frames, length)
        self.errors.pop(row, None)
        return row

    @torch.inference_mode()
    def step(self) -> list[Frame]:
        """Launch one more frame and hand out the oldest that is ready; waits only when `LOOK_BACK` frames are under way."""
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
        self.graphs.state.live[row] = 0
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
                self.graphs.state.live[row] = 0
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
                self.graphs.state.live[row] = 0  # its last frame is under way; frames of others must not move it on
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
        ended = [row for row in self.errors if self._work[row] is not None and not any(row == r for l in self._launched for r, _ in l.rows)]
        return [Frame(row, None, False, True) for row in ended]

    # Prompts

    def _start(self, row: int, hidden: torch.Tensor, length: int, sampling: Sampling, seed: int) -> None:
        """Write the row's part of the state; frames already launched do not read it."""
        state = self.graphs.state
        stop = stop_options(sampling)
        audio = sampling.audio
        state.live[row] = 1
        state.frame[row] = 0
        # The frame step moves nothing; the backbone step that follows it writes at this position.
        state.position[row] = length
        state.seed[row] = seed
        state.history[row].zero_()
        state.floats[row] = torch.tensor(
            [audio.temperature, audio.top_p, audio.repetition_penalty, stop.temperature, stop.top_p], device=self.model.device
        )
        state.ints[row] = torch.tensor([audio.top_k, stop.top_k], dtype=torch.int32, device=self.model.device)
        local = state.local
        wide = hidden.float()
        local.residual[row] = wide
        local.gained[row] = (wide * self.graphs.local_gain).to(local.gained.dtype)
        local.stats[row] = wide.sum()
        local.stats[local.stride + row] = wide.square().sum()

    def _paste_prefix(self, prompt: Prompt, row: int) -> int:
        """The voice's part of the prompt: from the store, or computed as a call of its own and kept. Returns its length."""
        length = len(prompt.prefix)
        if not length:
            return 0
        key = prompt.prefix.numpy().tobytes()
        kept = self._prefixes.get(key)
        if kept is None:
            self._prefill(prompt.prefix, row, 0)
            pairs = [self.cache.read(layer, row, length) for layer in range(len(self.model.backbone.layers))]
            kept = _Prefix(
                torch.stack([keys.transpose(0, 1) for keys, _ in pairs]), torch.stack([values.transpose(0, 1) for _, values in pairs])
            )
            self._keep_prefix(key, kept)
        else:
            self._prefixes.move_to_end(key)
            for layer, (keys, values) in enumerate(zip(kept.keys, kept.values, strict=True)):
                self.cache.write(layer, row, 0, keys, values)
        return length

    def _keep_prefix(self, key: bytes, prefix: _Prefix) -> None:
        """The least recently used voices leave first; one larger than the whole store is not kept."""
        if prefix.nbytes > self.prefix_bytes:
            return
        self._prefixes[key] = prefix
        while sum(each.nbytes for each in self._prefixes.values()) > self.prefix_bytes:
            self._prefixes.popitem(last=False)

    def _prefill(self, prompt_rows: torch.Tensor, row: int, start: int) -> torch.Tensor:
        """Compute prompt rows `[T, C+1]` at positions start.. of `row`; returns the last hidden state `[hidden]`."""
        x = self.model.embed(prompt_rows.to(self.model.device, non_blocking=True))
        return self.graphs.prefill(x, row, start).to(self.model.dtype)
