"""Where the listener is: what was written to the device, less what the device still holds."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from engine import SAMPLE_RATE


@dataclass
class _Run:
    """Device frames from `start` on, `count` of them, that carry source samples from `sample` on, `step` of them a
    frame."""

    source: object
    start: int
    count: int
    sample: float
    step: float


class Playhead:
    """Maps time to what is heard. Frames are 48 kHz samples given to the device, silence included. Thread-safe."""

    def __init__(self, latency_s: float, now: Callable[[], float]) -> None:
        self._held_frames = latency_s * SAMPLE_RATE
        self._now = now
        self._lock = threading.Lock()
        self._written = 0
        self._written_at_s = now()
        self._runs: deque[_Run] = deque()

    def wrote(
        self,
        frames: int,
        source: object = None,
        sample: float = 0.0,
        step: float = 0.0,
        held_s: float | None = None,
    ) -> None:
        """A write of `frames` returned: source samples from `sample` on, `step` a frame; without a source it was
        silence. `held_s`: seconds that the device holds now; None: as before."""
        with self._lock:
            if held_s is not None:
                self._held_frames = held_s * SAMPLE_RATE
            last = self._runs[-1] if self._runs else None
            if (
                last is not None
                and last.source is source
                and last.step == step
                and (source is None or abs(last.sample + last.count * step - sample) < 1.0)
            ):
                last.count += frames
            else:
                self._runs.append(_Run(source, self._written, frames, sample, step))
            self._written += frames
            self._written_at_s = self._now()
            while len(self._runs) > 1 and self._runs[1].start < self._heard_frame():
                self._runs.popleft()

    def heard(self) -> tuple[object, int] | None:
        """Source and sample number heard now; during filled silence the sample that comes next. None before any
        sound."""
        with self._lock:
            frame = self._heard_frame()
            before: tuple[object, int] | None = None
            for run in self._runs:
                if run.source is not None and frame < run.start + run.count:
                    return run.source, int(run.sample + max(0.0, frame - run.start) * run.step)
                if run.source is not None:
                    before = run.source, int(run.sample + run.count * run.step)
            return before

    def _heard_frame(self) -> float:
        since = (self._now() - self._written_at_s) * SAMPLE_RATE
        return min(float(self._written), self._written - self._held_frames + since)
