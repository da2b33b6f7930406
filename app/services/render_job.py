"""One block on its way to a take, and the queue of those that wait."""

from __future__ import annotations

import itertools
import threading
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.services.live_take import LiveTake
from app.services.speaking import Speech
from engine import Priority

if TYPE_CHECKING:
    from app.services.respeak import Sentences
    from engine import Stream

_numbers = itertools.count()


@dataclass(eq=False)
class RenderJob:
    """A wish for a take of a block, then the making of it.

    Attributes:
        block_id: whose take.
        priority: see Priority.
        again: make a new take with the next seed although there is a good one.
        sentences: only these of a take are spoken anew; None is the whole block.
        order: place among equals; lower is sooner.
        not_before_s: `time.monotonic()` before which it is not started: the person is still typing in it.
        speech, live: set when it is started.
        started: the engine works on it (not only has it queued).
        stop: set to end it early. dropped: nobody wants its audio any more.
    """

    block_id: str
    priority: Priority
    again: bool = False
    order: float = field(default_factory=lambda: float(next(_numbers)))
    not_before_s: float = 0.0
    speech: Speech | None = None
    live: LiveTake | None = None
    started: bool = False
    stop: threading.Event = field(default_factory=threading.Event)
    dropped: bool = False
    stream: Stream | None = None
    sentences: Sentences | None = None

    def cancel(self, *, drop: bool) -> None:
        """End the making within a frame. `drop`: throw away what was made."""
        self.dropped = self.dropped or drop
        self.stop.set()
        stream = self.stream
        if stream is not None:
            stream.cancel()


class RenderQueue:
    """Jobs that wait. Used on the owner's thread alone; their priority and order change through it."""

    def __init__(self) -> None:
        self._jobs: dict[str, list[RenderJob]] = {}
        self._count = 0
        # In the order of the work; jobs that were taken out meanwhile are skipped. None: to be sorted anew.
        self._sorted: deque[RenderJob] | None = deque()

    def __len__(self) -> int:
        return self._count

    def jobs(self) -> list[RenderJob]:
        """In the order in which they will be started."""
        return [job for job in self._in_order() if self._waits(job)]

    def jobs_of(self, block_ids: Iterable[str]) -> list[RenderJob]:
        """Those of these blocks, in no order."""
        return [job for block_id in block_ids for job in self._jobs.get(block_id, ())]

    def of(self, block_id: str) -> list[RenderJob]:
        return self._jobs.get(block_id, [])

    def add(self, job: RenderJob) -> None:
        self._jobs.setdefault(job.block_id, []).append(job)
        self._count += 1
        if self._sorted is not None and (not self._sorted or _place(self._sorted[-1]) <= _place(job)):
            self._sorted.append(job)
        else:
            self._sorted = None

    def remove(self, job: RenderJob) -> None:
        waiting = self._jobs.get(job.block_id, [])
        if job in waiting:
            waiting.remove(job)
            self._count -= 1
        if not waiting:
            self._jobs.pop(job.block_id, None)

    def drop(self, block_ids: set[str] | None) -> list[str]:
        """Forget the jobs of these blocks, or of all; returns whose there were."""
        dropped = [block_id for block_id in self._jobs if block_ids is None or block_id in block_ids]
        for block_id in dropped:
            self._count -= len(self._jobs.pop(block_id))
        return dropped

    def hurry(self, job: RenderJob, priority: Priority) -> None:
        """Another priority for a job that waits."""
        if job.priority is not priority:
            job.priority = priority
            self._sorted = None

    def next(self, *, urgent_only: bool) -> RenderJob | None:
        """The job to start now, taken out of the queue; None when there is none that may."""
        now_s = time.monotonic()
        in_order = self._in_order()
        while in_order and not self._waits(in_order[0]):
            in_order.popleft()
        for job in in_order:
            if urgent_only and job.priority >= Priority.RENDERING:
                return None  # as are all behind it
            if job.not_before_s <= now_s and self._waits(job):
                self.remove(job)
                return job
        return None

    def is_held_back(self) -> bool:
        """Whether some job only waits until the person has stopped typing."""
        now_s = time.monotonic()
        return any(job.not_before_s > now_s for jobs in self._jobs.values() for job in jobs)

    def move(self, block_ids: Iterable[str], before: str | None) -> None:
        """Put the jobs of these blocks, in this order, before the job of another, or last."""
        place = {block_id: number for number, block_id in enumerate(block_ids)}
        jobs = self.jobs()
        kept = [job for job in jobs if job.block_id not in place]
        moved = sorted((job for job in jobs if job.block_id in place), key=lambda job: place[job.block_id])
        at = next((i for i, job in enumerate(kept) if job.block_id == before), len(kept))
        ordered = kept[:at] + moved + kept[at:]
        for number, job in enumerate(ordered):
            job.order = number - len(ordered)
        self._sorted = None

    def _waits(self, job: RenderJob) -> bool:
        return job in self._jobs.get(job.block_id, ())

    def _in_order(self) -> deque[RenderJob]:
        if self._sorted is None:
            self._sorted = deque(sorted(itertools.chain.from_iterable(self._jobs.values()), key=_place))
        return self._sorted


def _place(job: RenderJob) -> tuple[Priority, float]:
    return job.priority, job.order
