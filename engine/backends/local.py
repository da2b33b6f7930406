"""Speaks with a model on this machine: one frame of every job a step, decoded in chunks that fit its listener."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.backends.base import Job, LoadProgress
from engine.codec.blocks import frames_to_border
from engine.errors import as_speech_error, is_out_of_memory
from engine.layout import find_layout
from engine.requests import FRAME_RATE, SpeechRequest, SpeechWarning, StopReason

if TYPE_CHECKING:
    from engine.backends.voices import ClipEncoder, Slices
    from engine.lm.watchdog import Watchdog
    from engine.runtime.factory import Runtime

_log = logging.getLogger(__name__)

QUIET_DB = -120.0
ENCODE_LEAD_S = 0.5  # below this lead a listener's frames go before the encoding of somebody else's clip
UNHEARD_FRAMES = 25


def frames_to_decode(lead_s: float, position: int, first: bool, in_blocks: bool) -> int:
    """How many frames from `position` of a stream on to wait for: `chunk_frames`, or, where the listener can wait,
    those that fill the last one's block too, as a block that is not full is computed twice."""
    frames = chunk_frames(lead_s, first)
    if in_blocks and (whole := frames_to_border(position, frames)) - frames <= lead_s * FRAME_RATE:
        return whole
    return frames


def chunk_frames(lead_s: float, first: bool) -> int:
    """Frames to decode at once: few while a listener waits, many where decoding them together saves work (MODEL §4)."""
    if math.isinf(lead_s):
        return UNHEARD_FRAMES
    if first:
        return 1
    for limit_s, frames in ((0.0, 1), (0.16, 2), (0.32, 3), (0.64, 4), (1.0, 6)):
        if lead_s <= limit_s:
            return frames
    return 8


@dataclass
class _Work:
    """One job between `start` and its end.

    Attributes:
        readying: what is left of getting ready, slice by slice: clips to encode, then the continued audio to decode.
        references, prefix: codes so far.
        begun: getting ready has begun.
        row, slot: of the frame loop and the codec; None before admission.
        watchdog: judges the frames; None before admission.
        undecoded: codes of frames not decoded yet.
        frames: generated so far.
        heard: frames decoded so far.
        ending: why no more frames come; the rest is still decoded.
    """

    job: Job
    readying: Slices[None] | None = None
    references: list[np.ndarray] = field(default_factory=list)
    prefix: np.ndarray | None = None
    begun: bool = False
    row: int | None = None
    slot: int | None = None
    watchdog: Watchdog | None = None
    undecoded: list[np.ndarray] = field(default_factory=list)
    frames: int = 0
    heard: int = 0
    ending: StopReason | None = None

    def due(self, in_blocks: bool) -> bool:
        """Whether enough frames wait to be decoded."""
        if self.ending is not None:
            return True
        position = self.heard + (0 if self.prefix is None else len(self.prefix))
        wanted = frames_to_decode(self.job.lead_s, position, self.heard == 0, in_blocks)
        return len(self.undecoded) >= wanted


class LocalBackend:
    """The backend of a model on this machine. See `engine.backends.base.Backend`.

    Attributes:
        card: of the model; read at once, while the weights wait for `load`.
        capacity: rows of the frame loop.
        improvements_left: steps that are not graphs yet.
        repeatable: the same request gives the same bits, so a job may be started again.
    """

    repeatable = True

    def __init__(
        self,
        model_folder: Path,
        *,
        codec_folder: Path | None = None,
        device: str = "auto",
        precision: str = "auto",
        cache_folder: Path | None = None,
        slots: int = 1,
    ) -> None:
        self.layout = find_layout(model_folder, codec_folder)
        self.card = self.layout.card
        self.capacity = slots
        self._device = device
        self._precision = precision
        self._cache_folder = cache_folder
        self._runtime: Runtime | None = None
        self._in_blocks = False
        self._clips: ClipEncoder | None = None
        self._work: dict[str, _Work] = {}
        self._shown: dict[str, float | str] = {}

    # -- Backend ------------------------------------------------------------------------------------------------

    def load(self, progress: Callable[[LoadProgress], None]) -> None:
        progress(LoadProgress("Starting", 0.0))
        import torch

        from engine.backends.voices import ClipEncoder
        from engine.reference_cache import ReferenceCache
        from engine.runtime.devices import choose_device
        from engine.runtime.factory import make_runtime

        plan = choose_device(self._device, self._precision)
        if plan.device == "cpu":
            torch.set_num_threads(plan.threads)
        self._runtime = make_runtime(self.layout, plan, rows=self.capacity, progress=progress)
        self._in_blocks = getattr(self._runtime.streams, "in_blocks", False)
        self.capacity = self._runtime.loop.rows  # a card may have room for fewer
        self._clips = ClipEncoder(
            self.card,
            self._runtime.codec,
            ReferenceCache(self._cache_folder),
            self._runtime.identity["codec"],
            self._runtime.prompts.config.codebooks,
        )
        memory = self._runtime.memory
        precision = plan.precision if memory is None else memory.precision
        self._shown = {"device": plan.name, "precision": precision, "model": self.card.name}
        if memory is not None:
            self._shown["memory_plan"] = memory.describe()
        self._show_warnings()

    def start(self, job: Job) -> None:
        request = job.request
        work = self._work[job.id] = _Work(job)
        work.readying = self._get_ready(work)
        if all(self._loaded_clips.encoded(clip) for clip in request.references) and request.continue_from is None:
            self._prepare(work, everything=True)

    def step(self, timeout_s: float) -> None:
        try:
            work = self._next_to_prepare()
            if work is not None:
                self._prepare(work)
            self._speak()
        except (MemoryError, RuntimeError) as error:
            if not is_out_of_memory(error):
                raise
            # Nobody's frame can be trusted.
            self._fail(list(self._work.values()), error)

    @property
    def improvements_left(self) -> int:
        return len(self._runtime.captures) if self._runtime is not None else 0

    def improve(self) -> None:
        captures = self._loaded.captures
        try:
            captures.popleft()()
        except Exception as error:
            # The steps themselves were tried before, and go on without.
            _log.warning("Steps stay single launches", exc_info=error)
            captures.clear()
        if not captures:
            self._show_warnings()

    def cancel(self, job_id: str) -> None:
        work = self._work.pop(job_id, None)
        if work is not None:
            self._free(work)

    def interrupt(self) -> None:
        """Nothing to do: a step never waits."""

    def identity(self) -> Mapping[str, str]:
        return self._loaded.identity

    def status(self) -> Mapping[str, float | str]:
        from engine.runtime.devices import used_and_total_gb

        used, total = used_and_total_gb(self._runtime.loop.model.device if self._runtime else None)
        doing = f"speaking {len(self._work)}" if self._work else "idle"
        if self.improvements_left:
            doing += ", getting faster"
        return {**self._shown, "memory_used_gb": used, "memory_total_gb": total, "doing": doing}

    def close(self) -> None:
        self._work.clear()
        self._clips = None
        self._runtime = None

    def _show_warnings(self) -> None:
        warnings = (*self._loaded.warnings, *self._loaded.fallbacks())
        if warnings:
            self._shown["warning"] = " ".join(warnings)

    # -- getting a job ready ------------------------------------------------------------------------------------

    def _next_to_prepare(self) -> _Work | None:
        """The job whose clips or prompt are next, unless a listener's lead is too short for that."""
        waiting = [work for work in self._work.values() if work.row is None]
        if not waiting:
            return None
        leads = [work.job.lead_s for work in self._work.values() if work.row is not None and work.ending is None]
        if min(leads, default=math.inf) < ENCODE_LEAD_S:
            return None
        # What was begun is finished first: another may wait for the same clip.
        return min(waiting, key=lambda work: (not work.begun, work.job.request.priority))

    def _prepare(self, work: _Work, everything: bool = False) -> None:
        """One slice of getting ready, and the prompt after the last; or all of it at once."""
        try:
            work.begun = True
            for _ in work.readying or ():
                if not everything:
                    return
            if work.job.request.references:
                work.job.reference_ready()
            self._admit(work)
        except Exception as error:
            if is_out_of_memory(error):
                self._fail([work], error)
                return
            self._end(work)
            work.job.fail(as_speech_error(error))

    def _get_ready(self, work: _Work) -> Slices[None]:
        """Codes of the voice and of the audio to go on from; stops for a moment after every slice of work."""
        request, clips = work.job.request, self._loaded_clips
        encoded = yield from clips.references(request.references)
        work.references = [np.array(each.codes) for each in encoded if each.codes is not None]
        if request.continue_from is not None:
            before = yield from clips.prefix(request.continue_from)
            encoded.append(before)
            work.prefix = None if before.codes is None or not len(before.codes) else np.array(before.codes)
        for warning in [warning for each in encoded for warning in each.warnings]:
            work.job.warn(warning)
        if work.prefix is None:
            return
        # The codec goes on from what was heard before: its state is that of the prefix, whose sound is dropped.
        work.slot = self._loaded.streams.open()
        for start in range(0, len(work.prefix), UNHEARD_FRAMES):
            self._loaded.streams.step({work.slot: work.prefix[start : start + UNHEARD_FRAMES]})
            yield

    def _admit(self, work: _Work) -> None:
        from engine.lm.watchdog import Watchdog

        runtime, request = self._loaded, work.job.request
        prompt = runtime.prompts.build(_message(request, tuple(work.references), work.prefix))
        assert request.sampling is not None and request.max_frames is not None and request.estimate_frames is not None
        work.row = runtime.loop.admit(
            prompt, sampling=request.sampling, seed=request.seed, max_frames=request.max_frames
        )
        if work.slot is None:
            work.slot = runtime.streams.open()
        work.watchdog = Watchdog(request.estimate_frames, request.own_pause_s, self.card)

    # -- speaking -----------------------------------------------------------------------------------------------

    def _speak(self) -> None:
        by_row = {work.row: work for work in self._work.values() if work.row is not None and work.ending is None}
        if by_row:
            # A graphics card's frames come a few steps late: there may be none, and one of several rows.
            for frame in self._loaded.loop.step():
                work = by_row[frame.row]
                if frame.row in self._loaded.loop.errors:
                    self._end(work)
                    work.job.fail(self._loaded.loop.errors[frame.row])
                    continue
                if frame.codes is not None:
                    work.undecoded.append(frame.codes)
                    work.frames += 1
                    work.job.progress(work.frames, work.job.request.estimate_frames)
                if frame.stopped:
                    work.ending = StopReason.STOP
                elif frame.finished:
                    work.ending = StopReason.LENGTH
        self._decode([work for work in self._work.values() if work.row is not None and work.due(self._in_blocks)])

    def _decode(self, works: list[_Work]) -> None:
        """Decode what waits of some jobs together, watch it, hand it over, and end the jobs that are through."""
        chunks = {work.slot: np.stack(work.undecoded) for work in works if work.undecoded and work.slot is not None}
        try:
            decoded = self._loaded.streams.step(chunks) if chunks else {}
        except (MemoryError, RuntimeError) as error:
            if not is_out_of_memory(error):
                raise
            # Frames are made in memory of their own: only those whose audio was being made have lost their place.
            self._fail([work for work in works if work.slot in chunks], error)
            return
        for work in works:
            if work.undecoded:
                assert work.slot is not None
                self._hand_over(work, chunks[work.slot], decoded[work.slot])
            if work.ending is not None:
                self._finish(work)

    def _hand_over(self, work: _Work, codes: np.ndarray, samples: np.ndarray) -> None:
        assert work.watchdog is not None
        work.undecoded.clear()
        if samples.shape[1] == 1:
            samples = np.repeat(samples, 2, axis=1)
        for frame, level_db in zip(codes, frame_levels_db(samples, len(codes)), strict=True):
            verdict = work.watchdog.see(frame, level_db)
            work.heard += 1
            if verdict is not None:
                work.ending = StopReason.RUNAWAY
                work.job.warn(SpeechWarning(verdict.code, verdict.message))
                break
        work.job.audio(samples, codes)

    def _finish(self, work: _Work) -> None:
        assert work.ending is not None and work.watchdog is not None
        reason = work.ending
        if reason is StopReason.STOP:
            reason = work.watchdog.judge_stop(work.frames)
        self._end(work)
        work.job.finish(reason)

    # -- ending -------------------------------------------------------------------------------------------------

    def _end(self, work: _Work) -> None:
        self._work.pop(work.job.id, None)
        self._free(work)

    def _free(self, work: _Work) -> None:
        if work.readying is not None:
            work.readying.close()  # clips that were being encoded are given up
        if work.row is not None:
            self._loaded.loop.release(work.row)
            work.row = None
        if work.slot is not None:
            self._loaded.streams.close(work.slot)
            work.slot = None

    def _fail(self, works: list[_Work], error: BaseException) -> None:
        """There was not enough memory for these; the model stays, with what it can give back given back."""
        from engine.runtime.devices import give_memory_back

        for work in works:
            self._end(work)
            work.job.fail(as_speech_error(error))
        give_memory_back()
        # Fewer at once from now on: what did not fit would not fit the next time.
        self.capacity = max(1, self.capacity - 1)

    @property
    def _loaded(self) -> Runtime:
        assert self._runtime is not None, "load() comes first"
        return self._runtime

    @property
    def _loaded_clips(self) -> ClipEncoder:
        assert self._clips is not None, "load() comes first"
        return self._clips


def frame_levels_db(samples: np.ndarray, frames: int) -> list[float]:
    """RMS in dBFS of each frame of float32 `[n, 2]`."""
    power = np.square(samples, dtype=np.float64).reshape(frames, -1).mean(axis=1)
    return [10 * math.log10(value) if value > 1e-12 else QUIET_DB for value in power]


def _message(request: SpeechRequest, references: tuple[np.ndarray, ...], prefix: np.ndarray | None):
    """The prompt of a request. In continuation the transcript stands directly before the text (MODEL §3.4)."""
    from engine.lm.prompt import Message

    transcript = "" if request.continue_from is None else request.continue_from.transcript
    return Message(
        text=transcript + request.text,
        references=references,
        language=request.language,
        tokens=request.tokens,
        instruction=request.instruction,
        quality=request.quality,
        sound_event=request.sound_event,
        ambient_sound=request.ambient_sound,
        continue_from=prefix,
        keep_references=request.reference_with_continuation,
    )
