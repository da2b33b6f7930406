"""The frame loop: rows of a bucket start, speak one frame a step, finish and are refilled independently."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import torch

from engine.errors import DeviceError
from engine.lm.cache import KVCache, PrefixStore
from engine.lm.compiled import compiled_decoder
from engine.lm.model import SpeechLM
from engine.lm.prompt import Prompt
from engine.lm.sampling import STOP_CHANNEL, RowSettings, draw, filter_logits, gumbel_noise, require_valid, stop_options
from engine.requests import MAX_FRAMES, Sampling


@dataclass(frozen=True)
class Frame:
    """What a row gave in one step.

    Attributes:
        codes: int16 `[C]`, or None: the model stopped, and no frame comes with a stop.
        stopped: the stop head ended the row.
        finished: nothing more comes from this row: it stopped, or its budget is used up.
    """

    row: int
    codes: np.ndarray | None
    stopped: bool
    finished: bool


class BucketState:
    """Everything a bucket of rows carries from frame to frame, in buffers that stay where they are.

    Attributes:
        cache: keys and values of the backbone.
        hidden: `[rows, hidden]`: the backbone's output at each row's last position.
        frame_rows: int64 `[rows, C+1]`: the row that each frame becomes: assistant slot, codes.
        stop: int64 `[rows]`: 1 where the stop head ended the row in this frame.
        seed, frame: int64 `[rows]`: what the noise of each row is keyed by.
        audio, stop_settings: how codes and the stop decision are sampled.
        seen: bool `[rows, C, largest codebook]`: codes each codebook has emitted in this generation.
        sampled, penalised: whether any row needs noise and filters, or the repetition penalty.
    """

    def __init__(self, model: SpeechLM, rows: int) -> None:
        config, device = model.config, model.device
        self.rows = rows
        self.cache = KVCache(config.backbone, rows, device=device, dtype=model.dtype)
        self.hidden = torch.zeros(rows, config.backbone.hidden, device=device, dtype=model.dtype)
        self.frame_rows = torch.zeros(rows, config.codebooks + 1, device=device, dtype=torch.int64)
        self.frame_rows[:, 0] = config.assistant_slot_id
        self.stop = torch.zeros(rows, device=device, dtype=torch.int64)
        self.seed = torch.zeros(rows, device=device, dtype=torch.int64)
        self.frame = torch.zeros(rows, device=device, dtype=torch.int64)
        self.audio = RowSettings.allocate(rows, device)
        self.stop_settings = RowSettings.allocate(rows, device)
        self.seen = torch.zeros(rows, config.codebooks, max(config.codebook_sizes), device=device, dtype=torch.bool)
        self.sampled = self.penalised = False


class TorchDecoder:
    """The two halves of a step in torch operations, for any device. Neither reads a value back."""

    def __init__(self, model: SpeechLM, state: BucketState) -> None:
        self.model, self.state = model, state
        self._local_cache = model.local.new_cache(state.rows, model.config.codebooks)

    def advance(self, speaking: list[bool]) -> None:
        """Feed each speaking row its last frame: its hidden state and cache move on by one position."""
        model, state = self.model, self.state
        hidden = model.backbone.step(model.embed(state.frame_rows), state.cache, speaking)
        moved = torch.tensor(speaking, device=model.device)[:, None]
        torch.where(moved, hidden, state.hidden, out=state.hidden)

    def speak(self, live: list[bool]) -> None:
        """From `hidden` to a stop decision and the C codes of a frame, for every row, also those that are not live."""
        model, state = self.model, self.state
        noise = self._noise()
        y = model.local.step(state.hidden, 0, self._local_cache)
        state.stop.copy_(self._choose(model.stop_logits(y), state.stop_settings, noise[:, STOP_CHANNEL], None))
        for k in range(model.config.codebooks):
            if k > 0:
                y = model.local.step(model.embed_code(state.frame_rows[:, k], k - 1), k, self._local_cache)
            logits = model.code_logits(y, k)
            seen = state.seen[:, k, : logits.shape[-1]] if state.penalised else None
            state.frame_rows[:, k + 1] = self._choose(logits, state.audio, noise[:, k + 1], seen)
        state.seen.scatter_(2, state.frame_rows[:, 1:, None], True)
        state.frame += 1

    def _noise(self) -> torch.Tensor:
        """float32 `[rows, C+1, largest codebook]`, or no tokens at all where every row is greedy."""
        state = self.state
        channels = torch.arange(self.model.config.codebooks + 1, device=self.model.device)
        tokens = state.seen.shape[-1] if state.sampled else 0
        return gumbel_noise(state.seed[:, None], state.frame[:, None], channels, tokens)

    def _choose(
        self, logits: torch.Tensor, settings: RowSettings, noise: torch.Tensor, seen: torch.Tensor | None
    ) -> torch.Tensor:
        if not self.state.sampled and seen is None:
            return logits.argmax(-1)
        scores = filter_logits(logits, settings, seen)
        return draw(scores, settings, noise[:, : logits.shape[-1]]) if self.state.sampled else scores.argmax(-1)


@dataclass
class _Row:
    """One request in work. `spoken` frames were handed out; the first comes from the prompt's own hidden state."""

    sampling: Sampling
    max_frames: int
    spoken: int = 0
    finished: bool = False


def require_admissible(sampling: Sampling, seed: int, max_frames: int) -> None:
    """Raises ValueError for settings, a seed or a budget that no frame loop takes."""
    require_valid(sampling.audio)
    require_valid(sampling.stop)
    if not 0 <= seed < 2**63:
        raise ValueError(f"seed is {seed}; it must be 0 to 2**63 - 1")
    if not 1 <= max_frames <= MAX_FRAMES:
        raise ValueError(f"max_frames is {max_frames}; it must be 1 to {MAX_FRAMES}")


class FrameLoop:
    """A fixed bucket of rows over one model.

    What a row gives depends on its prompt, settings, seed and the size of the bucket, never on the other rows.

    Attributes:
        rows: the size of the bucket.
        errors: what ended a row that its device had no room for, by row; none here, where memory grows with the rows.
    """

    errors: Mapping[int, DeviceError] = MappingProxyType({})

    def __init__(
        self, model: SpeechLM, *, rows: int = 1, prefixes: PrefixStore | None = None, compiled: bool = True
    ) -> None:
        """`compiled=False` keeps to torch operations where machine code could serve (`engine.lm.compiled`)."""
        self.model, self.rows = model, rows
        self._state = BucketState(model, rows)
        fast = compiled_decoder(model, self._state) if compiled else None
        self._decoder = fast or TorchDecoder(model, self._state)
        self._prefixes = PrefixStore() if prefixes is None else prefixes
        self._work: list[_Row | None] = [None] * rows

    @property
    def compiled(self) -> bool:
        """Whether the compiled decoder makes the frames; part of the numeric profile, for it rounds in its own way."""
        return not isinstance(self._decoder, TorchDecoder)

    @property
    def free_rows(self) -> int:
        return self._work.count(None)

    @torch.inference_mode()
    def admit(self, prompt: Prompt, *, sampling: Sampling, seed: int, max_frames: int) -> int:
        """Take a request: its prompt is computed now, its first frame comes with the next `step`.

        The voice's prefix is a computation of its own, also the first time, so a kept prefix changes no bit.

        Returns:
            The row it got; `release` it when its last frame was seen.

        Raises:
            RuntimeError: no row is free. ValueError: settings, seed or budget out of range.
        """
        require_admissible(sampling, seed, max_frames)
        if None not in self._work:
            raise RuntimeError("no row is free")
        row = self._work.index(None)
        state, model = self._state, self.model

        state.cache.clear(row)
        prefix = self._prefixes.find(prompt.prefix)
        if prefix is not None:
            state.cache.paste_prefix(row, prefix)
        elif len(prompt.prefix):
            model.backbone.prefill(model.embed(prompt.prefix.to(model.device)), state.cache, row, last_only=True)
            self._prefixes.keep(prompt.prefix, state.cache.copy_prefix(row))
        rest = model.embed(prompt.rest.to(model.device))
        state.hidden[row] = model.backbone.prefill(rest, state.cache, row, last_only=True)[0]

        state.seed[row], state.frame[row] = seed, 0
        state.audio.write(row, sampling.audio)
        state.stop_settings.write(row, stop_options(sampling))
        state.seen[row] = False
        self._work[row] = _Row(sampling, max_frames)
        self._note_settings()
        return row

    @torch.inference_mode()
    def step(self) -> list[Frame]:
        """One frame of every row in work, in the order of rows; rows that have finished give nothing."""
        state = self._state
        live = [work is not None and not work.finished for work in self._work]
        if not any(live):
            return []
        speaking = [alive and work.spoken > 0 for alive, work in zip(live, self._work)]
        if any(speaking):
            self._decoder.advance(speaking)
        self._decoder.speak(live)
        stops, codes = state.stop.tolist(), state.frame_rows[:, 1:].to("cpu", torch.int16).numpy()
        return [self._hand_out(row, bool(stops[row]), codes[row].copy()) for row in range(self.rows) if live[row]]

    def release(self, row: int) -> None:
        """Free a row, finished or not; the next `admit` may take it."""
        self._work[row] = None
        self._state.cache.clear(row)
        self._note_settings()

    def _hand_out(self, row: int, stopped: bool, codes: np.ndarray) -> Frame:
        work = self._work[row]
        work.spoken += not stopped
        work.finished = stopped or work.spoken >= work.max_frames
        return Frame(row, None if stopped else codes, stopped, work.finished)

    def _note_settings(self) -> None:
        """Rows that are all greedy, or all without penalty, need less; it changes no result."""
        sampling = [work.sampling for work in self._work if work is not None]
        self._state.sampled = any(not each.greedy for each in sampling)
        self._state.penalised = any(each.audio.repetition_penalty != 1.0 for each in sampling)
