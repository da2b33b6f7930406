"""The protocol between the engine thread and whatever speaks: a local model or a speech server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from engine.card import ModelCard
from engine.requests import SpeechRequest, SpeechWarning, StopReason


@dataclass(frozen=True)
class LoadProgress:
    """How far loading is. `fraction` 0..1, `stage` a short phrase for people."""

    stage: str
    fraction: float


class Job(Protocol):
    """One request in work, seen from the backend. The engine implements it."""

    id: str
    request: SpeechRequest
    lead_s: float  # audio ready ahead of the listener; inf where nobody listens. Decides the size of the next chunk.

    def reference_ready(self) -> None:
        """The references are encoded."""

    def audio(self, samples: np.ndarray, codes: np.ndarray) -> None:
        """Hand over float32 `[n, 2]` at 48 kHz and its codes int16 `[F, C]`; the engine puts samples on the 24-bit
        grid."""

    def progress(self, frames: int, estimate_frames: int | None) -> None:
        """Frames generated so far, also those not decoded yet."""

    def warn(self, warning: SpeechWarning) -> None:
        """Something the person should know; kept for the result."""

    def finish(self, reason: StopReason) -> None:
        """The last chunk was handed over."""

    def fail(self, error: Exception) -> None:
        """This request alone failed."""


class Backend(Protocol):
    """What speaks. All methods but `interrupt` are called on the engine thread alone.

    Attributes:
        card: what it can do.
        capacity: how many jobs may be in work at once.
        improvements_left: how often `improve` has something to do.
    """

    card: ModelCard
    capacity: int
    improvements_left: int

    def load(self, progress: Callable[[LoadProgress], None]) -> None:
        """Get ready; called once. Raises SpeechError."""

    def start(self, job: Job) -> None:
        """Take a job. Raises SpeechError when it cannot be done; that fails this job alone."""

    def step(self, timeout_s: float) -> None:
        """Do one slice of work (one frame of every job), or wait up to `timeout_s` for something to happen."""

    def improve(self) -> None:
        """Do one of what is left to do for later work to be faster. Called only while no job is in work."""

    def cancel(self, job_id: str) -> None:
        """Forget the job within one frame; nothing more is handed over for it."""

    def interrupt(self) -> None:
        """Thread-safe: make a waiting `step` return at once."""

    def identity(self) -> Mapping[str, str]:
        """What makes its sound: `model`, `codec`, `tokenizer` hashes, `numeric` profile, `revision`."""

    def status(self) -> Mapping[str, float | str]:
        """For people: `device`, `precision`, `memory_used_gb`, `memory_total_gb`, `doing`."""

    def close(self) -> None:
        """Free everything. Always returns."""
