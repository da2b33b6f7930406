"""What a renderer has in hand: lines that wait, lines that are being made, and how far what was asked for has come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from app.services.block_states import BlockStates
from app.services.live_take import LiveTake
from app.services.render_job import RenderJob, RenderQueue
from app.services.render_report import Figures, Report, report_of
from app.services.workshop import Workshop


class WorkInHand:
    """For the project's thread.

    Attributes:
        waiting: jobs that were not started. active: those that are being made.
        asked: block -> takes that a person asked for and that count together.
    """

    def __init__(self, states: BlockStates, changed: Callable[[str], None], queue_changed: Callable[[], None]) -> None:
        self._states = states
        self._tell_changed, self._tell_queue_changed = changed, queue_changed
        self.waiting = RenderQueue()
        self.active: list[RenderJob] = []
        self.asked: dict[str, int] = {}

    @property
    def is_busy(self) -> bool:
        """Whether anything waits or is spoken; costs nothing however much it is."""
        return bool(self.active) or len(self.waiting) > 0

    def begin_asking(self) -> None:
        """What was asked for before this is counted with it only while any of it is still to be made."""
        if not self.is_busy:
            self.asked.clear()

    def jobs_of(self, block_id: str) -> list[RenderJob]:
        active = [job for job in self.active if job.block_id == block_id and not job.dropped]
        return [*active, *self.waiting.of(block_id)]

    def add(self, job: RenderJob) -> None:
        self.waiting.add(job)
        self._tell_changed(job.block_id)
        self._tell_queue_changed()

    def cancel(self, chosen: set[str] | None) -> None:
        """Forget what waits and end what is spoken; None is everything."""
        for block_id in self.waiting.drop(chosen):
            self.asked.pop(block_id, None)
            self._tell_changed(block_id)
        for job in self.active:
            if chosen is None or job.block_id in chosen:
                self.asked.pop(job.block_id, None)
                job.cancel(drop=False)
        self._tell_queue_changed()

    def forget(self, block_id: str) -> None:
        """The block is gone."""
        for job in self.jobs_of(block_id):
            if job in self.active:
                job.cancel(drop=True)
            else:
                self.waiting.remove(job)

    def state(self, block_id: str) -> str:
        """none, wordless, queued, speaking, ready, stale, suspicious, failed or locked."""
        if self._states.store is None or not self._states.project.has_block(block_id):
            return "none"
        jobs = self.jobs_of(block_id)
        if jobs:
            return "speaking" if any(job.started for job in jobs) else "queued"
        return self._states.rest_state(self._states.project.block(block_id))

    def live(self, block_id: str) -> LiveTake | None:
        """What is being made of a block now."""
        for job in self.active:
            if job.block_id == block_id and job.live is not None and not job.dropped:
                return job.live
        return None

    def figures(self, shop: Workshop) -> Figures:
        jobs = [*self.waiting.jobs_of(self.asked), *(job for job in self.active if not job.dropped)]
        waiting = Counter(job.block_id for job in jobs if job.block_id in self.asked)
        takes = sum(self.asked.values())
        finished = takes - sum(min(count, self.asked[block_id]) for block_id, count in waiting.items())
        speaking = tuple(job.block_id for job in self.active if job.started)
        return Figures(shop.ttfa_ms, shop.rtf, speaking, len(self.waiting), finished, takes, len(self.asked))

    def report(self) -> Report:
        """What became of all blocks asked for since there was nothing to do."""
        return report_of(self.asked, self.state)

    def queue(self) -> tuple[tuple[str, str], ...]:
        """(block id, "speaking" or "queued") in the order of the work."""
        active = [(job.block_id, "speaking" if job.started else "queued") for job in self.active]
        return (*active, *((job.block_id, "queued") for job in self.waiting.jobs()))
