"""Makes an order of a job, and of what came of it a take of the project."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.model.block import Block
from app.model.commands import ChooseTake, DropTake, PutTake
from app.model.take import Take
from app.services.ahead import Ahead
from app.services.block_states import BlockStates
from app.services.excerpt import Excerpt
from app.services.live_take import LiveTake
from app.services.maker import Made
from app.services.overview import Overview
from app.services.render_job import RenderJob
from app.services.respeak import key_of
from app.services.speaking import prepare
from app.services.take_shapes import TakeShapes
from app.services.work_in_hand import WorkInHand
from app.services.workshop import Order, Workshop
from engine import Priority, SpeechError

if TYPE_CHECKING:
    from app.model.project import Project
    from engine import Engine


class Making:
    """For the project's thread; the work itself is done by a `Workshop`.

    Attributes:
        engine: what speaks now. workshop: where orders go; set once.
    """

    workshop: Workshop

    def __init__(
        self,
        states: BlockStates,
        work: WorkInHand,
        ahead: Ahead,
        shapes: TakeShapes,
        changed: Callable[[str], None],
        queue_changed: Callable[[], None],
    ) -> None:
        self._states, self._work, self._ahead, self._shapes = states, work, ahead, shapes
        self._tell_changed, self._tell_queue_changed = changed, queue_changed
        self.engine: Engine | None = None

    @property
    def _store(self) -> Any:
        return self._states.store

    @property
    def _project(self) -> Project:
        return self._states.project

    def start(self, job: RenderJob) -> None:
        """Begin a take for a job, unless there is one already or it cannot be spoken."""
        block = self._project.block(job.block_id)
        manner = self._states.manner(block)
        assert manner is not None and self.engine is not None
        try:
            speech = prepare(
                block, manner, self._states.clips, self.engine.identity(),
                seed=self._seed(block, job.again), priority=job.priority,
            )  # fmt: skip
        except SpeechError as error:
            self._failed(job, block, str(error))
            return
        if job.sentences is not None:
            if self._states.is_stale(block, job.sentences.take) or job.sentences.take.text != block.text:
                self._tell_changed(block.id)  # edited meanwhile: these sentences are no longer there
                self._tell_queue_changed()
                return
            speech = replace(speech, key=key_of(speech, job.sentences))
        if not speech.plan.pieces:
            unread = [warning.message for warning in speech.plan.warnings if warning.code == "unreadable"]
            nothing = "There is nothing in this line that can be spoken. Write some words."
            self._failed(job, block, unread[0] if unread else nothing)
            return
        found = None if job.again else self._project.take_with_key(speech.key)
        if found is not None and found.block_id == block.id:
            # The same sound was asked for in another way: from now on it counts as asked for in this one.
            self._store.history.note(PutTake(replace(found, settings=speech.settings), choose=True))
            self._ahead.tried.add(block.id)
            self._tell_changed(block.id)
            return
        take = Take(block_id=block.id, key=speech.key, text=block.text, settings=speech.settings, seed=speech.seed)
        try:
            writer = self._store.begin_take(take)
        except SpeechError as error:
            self._failed(job, block, str(error))
            return
        # What is noted of each request leads to the take that came of it.
        requests = tuple(replace(request, label=take.id) for request in speech.requests)
        job.speech = replace(speech, requests=requests)
        job.live = LiveTake(take.id, block.id, block.text, len(speech.plan.pieces))
        shape = self._shapes.begin(take.id)
        self._work.active.append(job)
        listener = self._ahead.listener
        self.workshop.take_in(
            Order(
                job, take, found, writer, shape, self._store, self.engine,
                Excerpt(self._project, [block.id], self._states.manner),
                listener.lead_s if listener is not None and job.priority is Priority.LISTENING else None,
            )
        )  # fmt: skip
        self._tell_changed(block.id)
        self._tell_queue_changed()

    def _seed(self, block: Block, again: bool) -> int:
        heard = self._states.take(block)
        if heard is not None and not again and self._states.needs_stereo(block):
            return heard.seed  # the same speech as was heard
        if block.settings.seed is None and self._states.habits.fresh_seeds:
            return secrets.randbelow(2**31)
        own = block.settings.seed
        first = own if own is not None else self._project.settings.seed
        if not again:
            return first
        used = [take.seed for take in self._project.takes_of(block.id)]
        if own is None:
            return (max(used) if used else first - 1) + 1
        return next(seed for seed in itertools.count(own) if seed not in used)  # a seed that was set comes first

    def finish(self, order: Order, made: Made, shape: Overview | None) -> None:
        """Keep what came of an order."""
        job, take, writer, store = order.job, order.take, order.writer, order.store
        if job in self._work.active:
            self._work.active.remove(job)
        if store is not self._store:
            return  # the project was closed meanwhile; opening it again marks the take as interrupted
        if made.take is None:
            writer.finish(replace(take, state="failed", stop_reason="failed"), choose=False)
            store.history.note(DropTake(take.id))
        else:
            choose = self._should_choose(made.take)
            before = self._project.block(take.block_id).chosen if choose else None
            undoable = job.again and before is not None
            writer.finish(made.take, choose=choose and not undoable)
            if undoable:
                store.history.do(ChooseTake(take.block_id, take.id))
            if shape is not None and job.speech is not None:
                heard_as = self._states.heard_as(job.speech.block, made.take)
                self._shapes.put(take, heard_as, shape)
                self._states.measured_samples[take.id] = (heard_as, shape.samples)
        if made.failed and self._project.has_block(job.block_id) and not job.dropped:
            if order.engine is self.engine:
                self._failed(job, self._project.block(job.block_id), made.failed)
            else:
                # Another model was chosen meanwhile: the line is not at fault, and the new one will speak it.
                self._work.add(RenderJob(job.block_id, job.priority, job.again, job.order, sentences=job.sentences))
        elif made.take is not None:
            self._ahead.tried.add(job.block_id)
        self._tell_changed(job.block_id)
        self._tell_queue_changed()

    def _failed(self, job: RenderJob, block: Block, reason: str) -> None:
        self._states.fail(block, reason)
        self._ahead.tried.add(block.id)
        if job.live is not None and not job.live.over:
            job.live.end(reason)
        self._tell_changed(block.id)
        self._tell_queue_changed()

    def _should_choose(self, take: Take) -> bool:
        """A complete take is heard; an incomplete one only where there is nothing better."""
        if not self._project.has_block(take.block_id):
            return False
        if take.state == "done":
            return True
        before = self._states.take(self._project.block(take.block_id))
        if before is None or before.state != "done":
            return True
        return self._states.is_stale(self._project.block(take.block_id), before)
