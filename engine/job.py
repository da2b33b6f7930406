"""One request in work: what the backend hands over becomes chunks, events and the result's figures."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from engine.pauses import PauseCheck
from engine.requests import (
    FRAME_S,
    SAMPLE_RATE,
    Chunk,
    Event,
    EventKind,
    Listener,
    SpeechRequest,
    SpeechResult,
    SpeechWarning,
    StopReason,
)
from engine.stream import Stream

_log = logging.getLogger(__name__)

GRID = 2.0**23
PROGRESS_EVERY_S = 1 / 30


def to_grid(samples: np.ndarray) -> np.ndarray:
    """Samples rounded to the 24-bit grid and clamped to what it holds: multiples of 2**-23 in [-1, 1 - 2**-23].

    Args:
        samples: float `[n, 2]`.

    Returns:
        float32 `[n, 2]`; exact, as a float32 has 24 significant bits. What is not a number becomes silence.
    """
    bounded = np.clip(np.nan_to_num(np.asarray(samples, dtype=np.float32)), np.float32(-1), np.float32(1))
    scaled = np.rint(bounded * np.float32(GRID))
    return np.minimum(scaled, np.float32(GRID - 1)) / np.float32(GRID)


class EngineJob:
    """The engine's side of `backends.base.Job`. All but `lead_s` is used on the engine thread alone.

    A job may be put back for a more urgent one and started again; the model is deterministic, so what was handed over
    before comes again and is skipped.

    Attributes:
        stream: what the caller holds.
        ended: no more is taken from the backend.
    """

    def __init__(
        self,
        stream: Stream,
        on_event: Listener | None,
        lead_s: Callable[[], float] | None,
        warnings: tuple[SpeechWarning, ...],
        identity: Callable[[], Mapping[str, str]],
    ) -> None:
        self.id = stream.id
        self.request: SpeechRequest = stream.request
        self.stream = stream
        self.ended = False
        self._on_event = on_event
        self._lead = lead_s
        self._identity = identity
        self._warnings: dict[SpeechWarning, None] = dict.fromkeys(warnings)
        self._submitted_s = time.monotonic()
        self._first_start_s: float | None = None
        self._running_since_s: float | None = None
        self._busy_s = 0.0
        self._first_audio_s: float | None = None
        self._progress_s = -math.inf
        self._reference_told = False
        self._codes: list[np.ndarray] = []
        self._frames = 0
        self._samples = 0
        self._skip_frames = 0
        self._skip_samples = 0
        self._pauses = PauseCheck(self.request.text) if self.request.own_pause_s else None

    # -- what the engine does with it ---------------------------------------------------------------------------

    @property
    def frames(self) -> int:
        """Frames handed over so far."""
        return self._frames

    def queued(self, position: int) -> None:
        self._tell(EventKind.QUEUED, {"position": position})

    def started(self) -> None:
        """The backend takes the job, for the first time or again."""
        self._running_since_s = time.monotonic()
        if self._first_start_s is None:
            self._first_start_s = self._running_since_s
            self._tell(EventKind.STARTED)

    def put_back(self) -> None:
        """A more urgent request takes the place; what was handed over is skipped when the job runs again."""
        self._stop_clock()
        self._skip_frames, self._skip_samples = self._frames, self._samples

    # -- Job ----------------------------------------------------------------------------------------------------

    @property
    def lead_s(self) -> float:
        """Audio ready ahead of the listener; inf where nobody listens or the listener's answer fails."""
        if self._lead is None:
            return math.inf
        try:
            return float(self._lead())
        except Exception:
            _log.exception("The lead of request %s could not be asked", self.id)
            self._lead = None
            return math.inf

    def reference_ready(self) -> None:
        if not self._reference_told:
            self._reference_told = True
            self._tell(EventKind.REFERENCE_READY)

    def audio(self, samples: np.ndarray, codes: np.ndarray) -> None:
        if self.ended or self.stream.done:
            return
        samples, codes = self._skip_known(samples, codes)
        if not len(samples) and not len(codes):
            return
        now_s = time.monotonic()
        chunk = Chunk(to_grid(samples), np.array(codes, np.int16), self._frames, now_s)
        self._codes.append(chunk.codes)
        self._frames += len(codes)
        self._samples += len(samples)
        first = self._first_audio_s is None
        if first:
            self._first_audio_s = now_s
        if self._pauses is not None:
            self._pauses.feed(chunk.samples)
        self.stream._put(chunk)
        if first:
            self._tell(EventKind.FIRST_AUDIO, {"ttfa_ms": self._ttfa_ms()})

    def progress(self, frames: int, estimate_frames: int | None) -> None:
        now_s = time.monotonic()
        if now_s - self._progress_s < PROGRESS_EVERY_S:
            return
        self._progress_s = now_s
        made_s = max(frames, 1) * FRAME_S
        figures = {"frames": frames, "estimate_frames": estimate_frames, "rtf": self._spent_s() / made_s}
        self._tell(EventKind.PROGRESS, figures)

    def warn(self, warning: SpeechWarning) -> None:
        self._warnings[warning] = None

    def finish(self, reason: StopReason) -> None:
        if self.ended:
            return
        self.ended = True
        self._stop_clock()
        if reason is StopReason.STOP and self._samples == 0:
            reason = StopReason.EARLY_END  # silence from a server or a first-frame stop is never a success
        if reason is StopReason.EARLY_END:
            self.warn(
                SpeechWarning(
                    "early_end",
                    "The speech ended before the text can have been spoken. Listen to it, or speak it again.",
                )
            )
        missed = self._pauses.warning() if self._pauses is not None and reason is StopReason.STOP else None
        if missed is not None:
            self.warn(missed)
        result = SpeechResult(
            stop_reason=reason,
            frames=self._frames,
            seconds=self._samples / SAMPLE_RATE,
            ttfa_ms=self._ttfa_ms(),
            rtf=self._busy_s / (self._samples / SAMPLE_RATE) if self._samples else 0.0,
            waited_ms=1000 * ((self._first_start_s or time.monotonic()) - self._submitted_s),
            seed=self.request.seed,
            warnings=tuple(self._warnings),
            codes=np.concatenate(self._codes) if self._codes else np.zeros((0, 0), np.int16),
            identity=dict(self._identity()),
        )
        if self.stream._end(result, None):
            self._tell(EventKind.DONE, result=result)

    def fail(self, error: Exception) -> None:
        if self.ended:
            return
        self.ended = True
        self._stop_clock()
        if self.stream._end(None, error):
            self._tell(EventKind.FAILED, error=error)

    # -- inside -------------------------------------------------------------------------------------------------

    def _skip_known(self, samples: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What is left of a chunk after leaving out what was handed over before the job was put back."""
        known_samples = min(self._skip_samples, len(samples))
        known_frames = min(self._skip_frames, len(codes))
        self._skip_samples -= known_samples
        self._skip_frames -= known_frames
        return samples[known_samples:], codes[known_frames:]

    def _spent_s(self) -> float:
        running = 0.0 if self._running_since_s is None else time.monotonic() - self._running_since_s
        return self._busy_s + running

    def _stop_clock(self) -> None:
        self._busy_s = self._spent_s()
        self._running_since_s = None

    def _ttfa_ms(self) -> float | None:
        return None if self._first_audio_s is None else 1000 * (self._first_audio_s - self._submitted_s)

    def _tell(
        self,
        kind: EventKind,
        figures: Mapping[str, Any] | None = None,
        result: SpeechResult | None = None,
        error: Exception | None = None,
    ) -> None:
        if self._on_event is None:
            return
        try:
            self._on_event(Event(kind, self.id, figures or {}, result, error))
        except Exception:
            _log.exception("A listener of request %s failed on %s", self.id, kind.value)
