"""A backend that speaks by script, so that what is around it can be tested without a model."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

import numpy as np

from engine.backends.base import Job, LoadProgress
from engine.card import ModelCard
from engine.errors import CheckpointError
from engine.requests import FRAME_SAMPLES, SpeechRequest, StopReason


class ScriptedBackend:
    """A backend that speaks by script: each word is one frame, whose samples all are (number of the frame + 1) / 1000.

    A text starting with `refuse` fails at its start, one with `break` in its second frame, one with `explode` takes the
    whole backend down, one with `silent` stops at once, one with `forever` never ends. `gate` and `load_gate` hold
    steps and loading back while they are cleared, `improve_gate` what makes it faster. Other scripts override `verdict` and `sound`.

    Attributes:
        improved_after: of each improvement, how many requests had been started before.
        seen: every request, as it was started. cancelled: ids of jobs.
    """

    name = "scripted"

    def __init__(self) -> None:
        self.card = ModelCard(name="Scripted")
        self.capacity = 1
        self.repeatable = True
        self.gate = threading.Event()
        self.gate.set()
        self.load_gate = threading.Event()
        self.load_gate.set()
        self.improve_gate = threading.Event()
        self.improve_gate.set()
        self.improvements_left = 0
        self.improved_after: list[int] = []
        self.load_error: Exception | None = None
        self.closed = threading.Event()
        self.seen: list[SpeechRequest] = []
        self.cancelled: list[str] = []
        self._jobs: dict[str, tuple[Job, int]] = {}

    @property
    def started(self) -> list[str]:
        """The texts of `seen`."""
        return [request.text for request in self.seen]

    def load(self, progress: Callable[[LoadProgress], None]) -> None:
        for tenth in range(11):
            progress(LoadProgress("weights", tenth / 10))
            self.load_gate.wait()
        if self.load_error is not None:
            raise self.load_error

    def start(self, job: Job) -> None:
        self.seen.append(job.request)
        if job.request.text.startswith("refuse"):
            raise CheckpointError("This text is refused.", "Take another.")
        self._jobs[job.id] = (job, 0)

    def step(self, timeout_s: float) -> None:
        self.gate.wait()
        for job_id, (job, frame) in list(self._jobs.items()):
            verdict = self.verdict(job.request, frame)
            if verdict is None:
                job.progress(frame + 1, len(job.request.text.split()))
                job.audio(self.sound(job.request, frame), np.full((1, 12), frame, np.int16))
                self._jobs[job_id] = (job, frame + 1)
                continue
            del self._jobs[job_id]
            if isinstance(verdict, Exception):
                job.fail(verdict)
            else:
                job.finish(verdict)

    def verdict(self, request: SpeechRequest, frame: int) -> StopReason | Exception | None:
        """How a request ends before this frame; None: it goes on."""
        text = request.text
        if text.startswith("explode"):
            raise RuntimeError("the device is gone")
        if text.startswith("break") and frame == 1:
            return CheckpointError("It broke.", "Mend it.")
        over = text.startswith("silent") or (frame == len(text.split()) and not text.startswith("forever"))
        return StopReason.STOP if over else None

    def sound(self, request: SpeechRequest, frame: int) -> np.ndarray:
        """A frame of a request, `[3840, 2]`."""
        return np.full((FRAME_SAMPLES, 2), (frame + 1) / 1000, np.float64)

    def improve(self) -> None:
        assert not self._jobs, "somebody is being served"
        self.improve_gate.wait()
        self.improvements_left -= 1
        self.improved_after.append(len(self.seen))

    def cancel(self, job_id: str) -> None:
        self.cancelled.append(job_id)
        self._jobs.pop(job_id, None)

    def interrupt(self) -> None:
        pass

    def identity(self) -> Mapping[str, str]:
        return {"model": self.name}

    def status(self) -> Mapping[str, float | str]:
        return {"device": "script"}

    def close(self) -> None:
        self.closed.set()
