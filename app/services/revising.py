"""What edits do to lines that wait or are being made: they wait on, begin anew, or are not wanted any more."""

from __future__ import annotations

import time
from collections.abc import Callable

from app.model.block import Block
from app.model.take import Take
from app.services.ahead import Ahead
from app.services.block_states import BlockStates
from app.services.render_job import RenderJob
from app.services.speaking import Speech
from app.services.work_in_hand import WorkInHand
from engine import Priority

TYPING_S = 0.6  # so long nothing is typed in a line before it is made
_HALF_A_LINE_S = 1.5  # and so long before one that was never asked for is


class Revising:
    """For the project's thread. What may be made now is for its owner to see to, after each call."""

    def __init__(self, states: BlockStates, work: WorkInHand, ahead: Ahead, changed: Callable[[str], None]) -> None:
        self._states, self._work, self._ahead = states, work, ahead
        self._tell_changed = changed
        self._writing, self._written_at_s = "", 0.0  # the block that the person types in, and when they did last

    # -- a line that is being written ---------------------------------------------------------------------------

    def write_in(self, block_id: str) -> bool:
        """A person types in this block ("": their caret went elsewhere). Whether another line is finished by that."""
        before, self._writing, self._written_at_s = self._writing, block_id, time.monotonic()
        for each, wait_s in ((before, 0.0), (block_id, _HALF_A_LINE_S)):
            for job in self._work.waiting.of(each):
                if job.priority is Priority.LISTENING:
                    job.not_before_s = time.monotonic() + wait_s
        return before not in ("", block_id)

    def take_as_written(self) -> None:
        """Who asks to hear it now wants it as it is."""
        self._writing = ""

    def is_being_written(self, block_id: str) -> bool:
        """Whether only half of this line may be there."""
        return block_id != "" and block_id == self.written

    @property
    def written(self) -> str:
        """The block that is being written; "" when the person pauses."""
        if self._writing and time.monotonic() - self._written_at_s > _HALF_A_LINE_S:
            self._writing = ""
        return self._writing

    # -- the project changes ------------------------------------------------------------------------------------

    def block_changed(self, block_id: str) -> None:
        block = self._states.project.block(block_id)
        if not self._ahead.is_heard(block_id):
            self._ahead.tried.discard(block_id)
        for job in self._work.jobs_of(block_id):
            if job.speech is None:
                job.not_before_s = time.monotonic() + TYPING_S
            elif self._is_outdated(job, job.speech, block):
                self._give_up(job, TYPING_S)
        self._tell_changed(block_id)

    def blocks_changed(self, removed: tuple[str, ...], added: tuple[str, ...]) -> None:
        for block_id in set(removed) - set(added):
            self._work.forget(block_id)
        for block_id in set(removed) & set(added):
            # Split, joined or moved: what is being made of it may be of words that are no longer there.
            if self._work.jobs_of(block_id):
                self.block_changed(block_id)

    def manner_changed(self) -> None:
        """Voices, settings or the model are others."""
        self._states.forget()
        for job in list(self._work.active):
            if job.speech is not None and self._states.project.has_block(job.block_id):
                if self._is_outdated(job, job.speech, self._states.project.block(job.block_id)):
                    self._give_up(job, 0.0)

    def _is_outdated(self, job: RenderJob, speech: Speech, block: Block) -> bool:
        return not job.dropped and self._would_differ(speech, block) and not self._ahead.is_heard(block.id)

    def _give_up(self, job: RenderJob, wait_s: float) -> None:
        """Nobody wants what is being made; what a person asked for begins anew."""
        job.cancel(drop=True)
        if job.priority is not Priority.LISTENING and job.sentences is None:
            not_before_s = time.monotonic() + wait_s if wait_s else 0.0
            self._work.add(RenderJob(job.block_id, job.priority, job.again, not_before_s=not_before_s))

    def _would_differ(self, speech: Speech, block: Block) -> bool:
        manner = self._states.manner(block)
        if manner is None or block.settings.seed != speech.block.settings.seed:
            return True
        made = Take(block_id=block.id, text=speech.block.text, settings=speech.settings)
        return manner.is_stale(block, made)
