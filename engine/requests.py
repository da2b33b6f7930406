"""What can be asked of the engine and what comes back: frozen values, units in their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from pathlib import Path
from typing import Any

import numpy as np

SAMPLE_RATE = 48_000
CHANNELS = 2
FRAME_SAMPLES = 3_840
FRAME_RATE = 12.5
FRAME_S = 0.08
MAX_FRAMES = 7_500


class Priority(IntEnum):
    """Which of the waiting requests starts first; a lower number goes first."""

    LISTENING = 0
    PREVIEW = 1
    RENDERING = 2
    EXPORTING = 3


class StopReason(str, Enum):
    """Why a generation ended."""

    STOP = "stop"  # the model's own stop head: the only complete end
    LENGTH = "length"  # the frame budget ran out
    RUNAWAY = "runaway"  # the watchdog ended it: silence, repetition, or far over the estimate
    EARLY_END = "early_end"  # the model stopped far too early for the text
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(frozen=True)
class SamplingOptions:
    """How one kind of logits is sampled (MODEL §4). `temperature` 0 means arg-max; `top_k` 0 and `top_p` 1 mean off."""

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    repetition_penalty: float = 1.0


@dataclass(frozen=True)
class Sampling:
    """Audio codes and stop decision are sampled by separate settings. Stop is never arg-maxed while audio is
    sampled."""

    audio: SamplingOptions
    stop: SamplingOptions

    @property
    def greedy(self) -> bool:
        return self.audio.temperature == 0


@dataclass(frozen=True)
class Clip:
    """Audio given as a reference or as what to continue from.

    Attributes:
        path: file to read; None when `samples` or `codes` is given.
        samples: float32 `[n, channels]` at `rate`.
        rate: Hz of `samples`.
        codes: int16 `[T, C]`, already encoded by the model's own codec.
        transcript: what is said in it; used by continuation only.
        start_s, end_s: the part of the audio that counts; None is the whole.
    """

    path: Path | None = None
    samples: np.ndarray | None = field(default=None, compare=False)
    rate: int = SAMPLE_RATE
    codes: np.ndarray | None = field(default=None, compare=False)
    transcript: str = ""
    start_s: float | None = None
    end_s: float | None = None


@dataclass(frozen=True)
class SpeechRequest:
    """One piece to be spoken in one model call. Text is what the model shall read: no tags but those its card follows.

    Attributes:
        text: see above; `engine.plan_speech` makes it from what a person wrote.
        references: clips whose voice is wanted; empty is the model's own voice.
        language: full English name of MODEL §3.3, or None.
        tokens: wanted length in frames of 80 ms, or None for natural.
        instruction, quality, sound_event, ambient_sound: free text fields of the prompt, or None.
        continue_from: audio that the speech goes on from; its transcript is prepended to the text.
        reference_with_continuation: experimental: keep reference rows as well as the continued audio.
        sampling: None takes the card's default.
        seed: 0..2**63-1; the same request with the same seed gives the same bits (DESIGN: seeds).
        max_frames: budget, 1..7500; None lets the engine choose from `estimate_frames`.
        estimate_frames: expected length, used by the watchdog and the progress; None lets the engine estimate.
        own_pause_s: longest silence the text itself asks for, so that the watchdog lets it pass.
        priority: see `Priority`.
        label: shown in logs and queue views (a block's id, a file name).
    """

    text: str
    references: tuple[Clip, ...] = ()
    language: str | None = None
    tokens: int | None = None
    instruction: str | None = None
    quality: str | None = None
    sound_event: str | None = None
    ambient_sound: str | None = None
    continue_from: Clip | None = None
    reference_with_continuation: bool = False
    sampling: Sampling | None = None
    seed: int = 0
    max_frames: int | None = None
    estimate_frames: int | None = None
    own_pause_s: float = 0.0
    priority: Priority = Priority.RENDERING
    label: str = ""


@dataclass(frozen=True)
class Chunk:
    """Decoded audio of some frames.

    Attributes:
        samples: float32 `[n, 2]` at 48 kHz, on the 24-bit grid (a multiple of 2**-23, |x| <= 1).
        codes: int16 `[F, C]` of the same frames (empty `[0, C]` from a server).
        start_frame: index of the first frame in its request.
        made_at_s: `time.monotonic()` at hand-over.
    """

    samples: np.ndarray
    codes: np.ndarray
    start_frame: int
    made_at_s: float


@dataclass(frozen=True)
class SpeechWarning:
    """Something a person should know though speech was made. `code` is stable, `message` is for people."""

    code: str
    message: str


@dataclass(frozen=True)
class SpeechResult:
    """How a request ended.

    Attributes:
        stop_reason: see `StopReason`; only STOP is complete.
        frames, seconds: what was made.
        ttfa_ms: submit to first chunk handed over; None when there was none.
        rtf: time spent making it / seconds of audio.
        waited_ms: submit to start of work.
        seed: the one used.
        warnings: reference repairs, early end and the like.
        codes: int16 `[frames, C]`, for continuation and for decoding again.
        identity: what made it: `model`, `codec`, `tokenizer` (hashes), `numeric` (device class, precision, bucket),
            `revision`.
    """

    stop_reason: StopReason
    frames: int
    seconds: float
    ttfa_ms: float | None
    rtf: float
    waited_ms: float
    seed: int
    warnings: tuple[SpeechWarning, ...] = ()
    codes: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), np.int16), compare=False)
    identity: Mapping[str, str] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        return self.stop_reason is StopReason.STOP


class EventKind(str, Enum):
    """What an event tells. Order per request: QUEUED, STARTED, [REFERENCE_READY], FIRST_AUDIO, PROGRESS*, then DONE
    or FAILED."""

    QUEUED = "queued"
    STARTED = "started"
    REFERENCE_READY = "reference_ready"
    FIRST_AUDIO = "first_audio"
    PROGRESS = "progress"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class Event:
    """A fact about one request. Delivered on the engine thread; a listener must return at once.

    Attributes:
        figures: QUEUED `position`; FIRST_AUDIO `ttfa_ms`; PROGRESS `frames`, `estimate_frames`, `rtf`.
        result: on DONE (also for incomplete ends).
        error: on FAILED.
    """

    kind: EventKind
    request_id: str
    figures: Mapping[str, Any] = field(default_factory=dict)
    result: SpeechResult | None = None
    error: Exception | None = None


Listener = Callable[[Event], None]
