"""Turns blocks into takes: what waits, what is spoken now, and what is made ahead of the listener."""

from __future__ import annotations

import logging
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.model.block import Block
from app.model.commands import ChooseTake, DropTake, PutTake
from app.model.signal import Signal
from app.model.take import Take
from app.services.ahead import Ahead, Listener
from app.services.alarm import Alarm
from app.services.block_states import BlockStates
from app.services.excerpt import Excerpt
from app.services.live_take import LiveTake
from app.services.maker import Made
from app.services.overview import Overview
from app.services.programme import is_spoken
from app.services.project_clips import ProjectClips
from app.services.render_job import RenderJob, RenderQueue
from app.services.render_report import REASONS, Figures, Report, report_of
from app.services.respeak import Sentences, can_be_base, is_everything, key_of, touched
from app.services.speaking import Habits, Speech, prepare
from app.services.take_cache import TakeCache
from app.services.take_shapes import TakeShapes
from app.services.workshop import MOST_AT_ONCE, Order, Workshop
from engine import FRAME_S, Priority, SpeechError, estimate_frames

if TYPE_CHECKING:
    from app.model.project import Project
    from engine import Engine, ModelCard

log = logging.getLogger(__name__)

_TYPING_S = 0.6
_HALF_A_LINE_S = 1.5  # so long nothing is typed before a line that is being written counts as finished


class Renderer:
    """Blocks to takes.

    Every method and every signal belongs to one thread, the owner of the project; `post` brings results there. Speech
    is
    made on worker threads that touch no project.

    Attributes:
        states: facts about blocks (BlockStates). store, project, engine, card: what it works with.
        ahead_s: how far ahead of the listener speech is made.
        paused: nothing is started that nobody listens to.
        cancels: how often everything was cancelled; who asks bit by bit stops when it grows.

    Signals:
        changed(block_id): state, length or takes of a block changed.
        grown(block_id): there is more of a block that is being spoken; at most 30 a second.
        queue_changed(): what waits or is spoken.
    """

    def __init__(
        self,
        post: Callable[[Callable[[], None]], None],
        clips: Any = None,
        *,
        ahead_s: float = 60.0,
        take_cache: TakeCache | None = None,
        clip_cache: Path | None = None,
        shape_cache: Path | None = None,
    ) -> None:
        """
        Args:
            clips: a Library, or what finds voices and clips as it does.
            take_cache: complete takes that any project may use.
            clip_cache: with it, clips that only the project holds are found too; copies of them go there.
            shape_cache: where the shapes of takes are kept.
        """
        self.changed = Signal()
        self.grown = Signal()
        self.queue_changed = Signal()
        self.states = BlockStates(clips)
        self._ahead = Ahead(self.states, ahead_s)
        self.store: Any = None
        self.engine: Engine | None = None
        self.card: ModelCard | None = None
        self.paused = False
        self.cancels = 0
        self._clips, self._clip_cache = clips, clip_cache
        self._post = post
        self._parallel = 1  # as many as the engine speaks at once
        self._workshop = Workshop(self._deliver, self._finished, self.changed.emit, self.grown.emit, take_cache)
        self._later = Alarm(lambda: self._deliver(self._pump_waiting))
        self._writing: tuple[str, float] = ("", 0.0)  # where the person types, and when they did last
        self._queue = RenderQueue()
        self._active: list[RenderJob] = []
        self._asked: dict[str, int] = {}  # block -> takes that a person asked for
        self._shapes = TakeShapes(self._deliver, self._measured, shape_cache)
        self._connections: list[Callable[[], None]] = []
        self._closed = False

    # -- what it works with -------------------------------------------------------------------------------------

    @property
    def project(self) -> Project:
        return self.store.project

    def set_store(self, store: Any) -> None:
        """Another project: everything of the old one ends."""
        if self.store is not None:
            self.listen(None)
            self.cancel()
        for disconnect in self._connections:
            disconnect()
        self.store = self.states.store = store
        if store is not None and self._clip_cache is not None:
            self.states.clips = ProjectClips(self._clips, store, self._clip_cache)
        self.states.forget_project()
        self._asked.clear()
        self._shapes.forget()
        self._connections = [] if store is None else [
            self.project.block_changed.connect(self._block_changed),
            self.project.blocks_changed.connect(self._blocks_changed),
            self.project.settings_changed.connect(self._manner_changed),
            self.project.voices_changed.connect(self._manner_changed),
        ]  # fmt: skip

    def set_engine(self, engine: Engine | None, card: ModelCard | None) -> None:
        self.engine = engine
        self.card = self.states.card = card
        capacity = getattr(getattr(engine, "backend", None), "capacity", 1)
        self._parallel = min(max(1, capacity), MOST_AT_ONCE)
        if self.store is not None:
            self._manner_changed()

    def set_habits(self, habits: Habits) -> None:
        """How the person wants blocks to be made; counts at once."""
        if habits != self.states.habits:
            self.states.habits = habits
            if self.store is not None:
                self._manner_changed()
                for block in self.project.blocks:
                    if block.chosen:
                        self.changed.emit(block.id)

    # -- what a view asks ---------------------------------------------------------------------------------------

    def state(self, block_id: str) -> str:
        """none, queued, speaking, ready, stale, suspicious, failed or locked."""
        if self.store is None or not self.project.has_block(block_id):
            return "none"
        jobs = self._jobs_of(block_id)
        if jobs:
            return "speaking" if any(job.started for job in jobs) else "queued"
        return self.states.rest_state(self.project.block(block_id))

    def reason(self, block_id: str) -> str:
        """Why a block is failed or suspicious, for people; "" when it is neither."""
        failure = self.states.failure(block_id)
        if failure:
            return failure
        take = self.states.take(self.project.block(block_id))
        if take is None or take.state not in ("incomplete", "suspicious", "failed"):
            return ""
        return REASONS.get(take.stop_reason, "This take is not complete.")

    def live(self, block_id: str) -> LiveTake | None:
        """What is being made of a block now."""
        for job in self._active:
            if job.block_id == block_id and job.live is not None and not job.dropped:
                return job.live
        return None

    def shape(self, block: Block) -> Overview | None:
        """The shape of what is heard of a block, where it is known: growing while it is spoken."""
        live = self.live(block.id)
        if live is not None and live.seconds:
            return self._shapes.of(live.take_id)
        return self._shapes.of(block.chosen)

    @property
    def rtf(self) -> float | None:
        """Time spent / audio made, of the newest request; None before there was one. Any thread."""
        return self._workshop.rtf

    def measure(self, block_ids: Iterable[str]) -> None:
        """Find out the shape and length of takes that were made earlier, in the background; `changed` tells when."""
        for block_id in block_ids:
            block = self.project.block(block_id)
            take = self.states.take(block)
            if take is None or self._shapes.is_known(take) or self._jobs_of(block_id):
                continue
            excerpt = Excerpt(self.project, [block_id], self.states.manner)
            if not excerpt.lacks_model:
                self._shapes.measure(block, take, excerpt, self.store.read_take)

    def _measured(self, block: Block, take: Take, samples: int) -> None:
        self.states.measured_samples[take.id] = (block.text, samples)
        self.changed.emit(block.id)

    def figures(self) -> Figures:
        jobs = [*self._queue.jobs_of(self._asked), *(job for job in self._active if not job.dropped)]
        waiting = Counter(job.block_id for job in jobs if job.block_id in self._asked)
        takes = sum(self._asked.values())
        finished = takes - sum(min(count, self._asked[block_id]) for block_id, count in waiting.items())
        speaking = tuple(job.block_id for job in self._active if job.started)
        shop = self._workshop
        return Figures(shop.ttfa_ms, shop.rtf, speaking, len(self._queue), finished, takes, len(self._asked))

    def report(self) -> Report:
        """What became of all blocks asked for since the renderer was last idle."""
        return report_of(self._asked, self.state)

    def queue(self) -> tuple[tuple[str, str], ...]:
        """(block id, "speaking" or "queued") in the order of the work."""
        active = [(job.block_id, "speaking" if job.started else "queued") for job in self._active]
        return (*active, *((job.block_id, "queued") for job in self._queue.jobs()))

    @property
    def is_busy(self) -> bool:
        """Whether anything waits or is spoken; costs nothing however much it is."""
        return bool(self._active) or len(self._queue) > 0

    def asked_ids(self) -> list[str]:
        """Blocks that a person asked for and that are not finished, in the order of the work."""
        return list(dict.fromkeys(block_id for block_id, _ in self.queue() if block_id in self._asked))

    def stale_ids(self) -> list[str]:
        """Blocks that are to be spoken, in the order of the script."""
        return [block.id for block in self.project.blocks if self.states.needs_speaking(block)]

    def estimate(self, block_ids: Iterable[str]) -> tuple[float, float | None]:
        """(seconds of audio, seconds of work or None while the speed is unknown) to speak these blocks."""
        audio_s = 0.0
        for block in map(self.project.block, block_ids):
            if is_spoken(self.project, block):
                audio_s += FRAME_S * estimate_frames(
                    block.text, block.settings.language or self.project.settings.language
                )
        return audio_s, None if self.rtf is None else audio_s * self.rtf

    # -- what a person asks -------------------------------------------------------------------------------------

    def render(self, block_ids: Iterable[str], priority: Priority = Priority.RENDERING) -> int:
        """Speak those of these blocks that need it; returns how many. Locked ones are never touched.

        For an export (`Priority.EXPORTING`) lines that were streamed in mono need it too.
        """
        needs = self.states.needs_speaking if priority is not Priority.EXPORTING else self.states.needs_export
        wanted = [block_id for block_id in block_ids if needs(self.project.block(block_id))]
        self._begin_asking()
        for block_id in wanted:
            self.states.forget_failure(block_id)
            self._asked[block_id] = max(1, self._asked.get(block_id, 0))
            if not self._jobs_of(block_id):
                self._queue.add(RenderJob(block_id, priority))
                self.changed.emit(block_id)
        self.queue_changed.emit()
        self._pump()
        return len(wanted)

    def again(self, block_id: str, count: int = 1, priority: Priority = Priority.PREVIEW) -> None:
        """Make `count` more takes of a block, each with the next seed; the newest is chosen."""
        self._ask_again(block_id, [None] * count, priority)

    def respeak(self, block_id: str, start: int, end: int, priority: Priority = Priority.PREVIEW) -> bool:
        """Speak the sentences of a block that a range of its text touches anew, as a new take; the others stay.

        Returns whether anything stays: not where no finished take says the present text, or where the range touches
        every sentence. Then the whole block is spoken again.
        """
        block = self.project.block(block_id)
        manner, take = self.states.manner(block), self.states.take(block)
        sentences = None
        if manner is not None and take is not None and not self.states.is_stale(block, take):
            plan = manner.plan(block)
            if can_be_base(take, block.text, plan):
                chosen = touched(plan, manner.language(block), start, end)
                if chosen and not is_everything(plan, chosen):
                    sentences = Sentences(take, start, end)
        self._ask_again(block_id, [sentences], priority)
        return sentences is not None

    def _ask_again(self, block_id: str, wishes: list[Sentences | None], priority: Priority) -> None:
        block = self.project.block(block_id)
        if block.settings.locked or not is_spoken(self.project, block):
            return
        self._begin_asking()
        self.states.forget_failure(block_id)
        self._asked[block_id] = self._asked.get(block_id, 0) + len(wishes)
        for sentences in wishes:
            self._add(RenderJob(block_id, priority, again=True, sentences=sentences))
        self._pump()

    def _begin_asking(self) -> None:
        """What was asked for before this is counted with it only while any of it is still to be made."""
        if not len(self._queue) and not self._active:
            self._asked.clear()

    def cancel(self, block_ids: Iterable[str] | None = None) -> None:
        """Forget what waits and end what is spoken (what there is of it is kept, marked); None is everything."""
        chosen = None if block_ids is None else set(block_ids)
        self.cancels += chosen is None
        for block_id in self._queue.drop(chosen):
            self._asked.pop(block_id, None)
            self.changed.emit(block_id)
        for job in self._active:
            if chosen is None or job.block_id in chosen:
                self._asked.pop(job.block_id, None)
                job.cancel(drop=False)
        self.queue_changed.emit()

    def pause(self) -> None:
        """Start nothing more that nobody listens to; what is spoken now is finished."""
        self.paused = True
        self.queue_changed.emit()

    def resume(self) -> None:
        self.paused = False
        self._pump()
        self.queue_changed.emit()

    def move(self, block_ids: Iterable[str], before: str | None = None) -> None:
        """Do the waiting work for these blocks before that for another block, or last."""
        self._queue.move(block_ids, before)
        self.queue_changed.emit()

    def listen(self, listener: Listener | None) -> None:
        """Speak ahead of this listener from now on; None: nobody listens, and what only they wanted is given up."""
        self._ahead.listen(listener)
        self._writing = ("", 0.0)  # who asks to hear it now wants it as it is
        wanted = set(self._wanted_ahead())
        for job in [*self._queue.jobs(), *self._active]:
            if job.priority is Priority.LISTENING and job.block_id not in wanted:
                if job.block_id in self._asked:
                    self._queue.hurry(job, Priority.RENDERING)
                    continue
                if job in self._active:
                    # Started speech is finished: it will be wanted soon, and half a take helps nobody.
                    continue
                self._queue.remove(job)
                self.changed.emit(job.block_id)
        self._pump()

    @property
    def listener(self) -> Listener | None:
        return self._ahead.listener

    @property
    def ahead_s(self) -> float:
        return self._ahead.seconds

    @ahead_s.setter
    def ahead_s(self, seconds: float) -> None:
        self._ahead.seconds = seconds

    def wants_speaking(self, block: Block) -> bool:
        """Whether the block will be spoken before it is heard: it needs it, and was not tried for this listener yet."""
        return self._ahead.wants(block)

    def is_waiting(self, block_id: str) -> bool:
        """Whether a take of the block will come."""
        return bool(self._jobs_of(block_id))

    def write_in(self, block_id: str) -> None:
        """A person types in this block: half a line is not spoken ahead of anybody. "": the caret went elsewhere."""
        before, self._writing = self._writing[0], (block_id, time.monotonic())
        for each, wait_s in ((before, 0.0), (block_id, _HALF_A_LINE_S)):
            for job in self._queue.of(each):
                if job.priority is Priority.LISTENING:
                    job.not_before_s = time.monotonic() + wait_s
        if before and before != block_id:
            self._pump()
        if block_id:
            self._pump_later()

    def _is_being_written(self, block_id: str) -> bool:
        writing, at_s = self._writing
        if writing and time.monotonic() - at_s > _HALF_A_LINE_S:
            self._writing = ("", 0.0)
        return self._writing[0] == block_id != ""

    def advance(self) -> None:
        """The listener moved on: see whether more must be made."""
        self._pump()

    def close(self) -> None:
        """End everything; nothing is posted any more."""
        self._closed = True
        for job in self._active:
            job.cancel(drop=False)
        for disconnect in self._connections:
            disconnect()
        self._connections = []
        self._later.close()
        self._shapes.close()
        self._workshop.close()

    # -- the project changes ------------------------------------------------------------------------------------

    def _block_changed(self, block_id: str) -> None:
        block = self.project.block(block_id)
        if not self._ahead.is_heard(block_id):
            self._ahead.tried.discard(block_id)
        for job in self._jobs_of(block_id):
            if job.speech is None:
                job.not_before_s = time.monotonic() + _TYPING_S
            elif not job.dropped and self._would_differ(job.speech, block) and not self._ahead.is_heard(block_id):
                job.cancel(drop=True)
                if job.priority is not Priority.LISTENING and job.sentences is None:
                    self._add(RenderJob(block_id, job.priority, job.again, not_before_s=time.monotonic() + _TYPING_S))
        self._pump_later()
        self.changed.emit(block_id)

    def _blocks_changed(self, _first: int, removed: tuple[str, ...], added: tuple[str, ...]) -> None:
        for block_id in set(removed) - set(added):
            for job in self._jobs_of(block_id):
                if job in self._active:
                    job.cancel(drop=True)
                else:
                    self._queue.remove(job)
        for block_id in set(removed) & set(added):
            # Split, joined or moved: what is being made of it may be of words that are no longer there.
            if self._jobs_of(block_id):
                self._block_changed(block_id)
        self._pump_later()

    def _manner_changed(self) -> None:
        self.states.forget()
        for job in list(self._active):
            if job.speech is not None and not job.dropped and self.project.has_block(job.block_id):
                if self._would_differ(job.speech, self.project.block(job.block_id)) and not self._ahead.is_heard(
                    job.block_id
                ):
                    job.cancel(drop=True)
                    if job.priority is not Priority.LISTENING and job.sentences is None:
                        self._add(RenderJob(job.block_id, job.priority, job.again))
        self._pump()

    def _would_differ(self, speech: Speech, block: Block) -> bool:
        manner = self.states.manner(block)
        if manner is None or block.settings.seed != speech.block.settings.seed:
            return True
        made = Take(block_id=block.id, text=speech.block.text, settings=speech.settings)
        return manner.is_stale(block, made)

    # -- the queue ----------------------------------------------------------------------------------------------

    def _jobs_of(self, block_id: str) -> list[RenderJob]:
        active = [job for job in self._active if job.block_id == block_id and not job.dropped]
        return [*active, *self._queue.of(block_id)]

    def _add(self, job: RenderJob) -> None:
        self._queue.add(job)
        self.changed.emit(job.block_id)
        self.queue_changed.emit()

    def _wanted_ahead(self) -> list[str]:
        return self._ahead.wanted(self._parallel + 2)

    def _pump_later(self) -> None:
        """Look again when the person has stopped typing; one look is enough for all that was typed until then."""
        self._later.set(_TYPING_S + 0.01)

    def _pump_waiting(self) -> None:
        self._pump()
        if self._is_being_written(self._writing[0]) or self._queue.is_held_back():
            self._pump_later()

    def _deliver(self, deed: Callable[[], None]) -> None:
        if not self._closed:
            self._post(lambda: None if self._closed else deed())

    def _pump(self) -> None:
        """Start what should be started."""
        if self._closed or self.engine is None or self.card is None or self.store is None:
            return
        for block_id in self._wanted_ahead():
            for job in self._queue.of(block_id):
                self._queue.hurry(job, Priority.LISTENING)
            if not self._jobs_of(block_id) and not self._is_being_written(block_id):
                self._add(RenderJob(block_id, Priority.LISTENING, not_before_s=0.0))
        while True:
            busy = sum(not job.dropped for job in self._active)
            # A listener never waits for what nobody hears: one more may be handed to the engine, which sorts by
            # urgency.
            if busy > self._parallel:
                return
            job = self._queue.next(urgent_only=self.paused or busy >= self._parallel)
            if job is None:
                return
            self._start(job)

    def _start(self, job: RenderJob) -> None:
        block = self.project.block(job.block_id)
        manner = self.states.manner(block)
        assert manner is not None and self.engine is not None
        try:
            speech = prepare(
                block, manner, self.states.clips, self.engine.identity(),
                seed=self._seed(block, job.again), priority=job.priority,
            )  # fmt: skip
        except SpeechError as error:
            self._failed(job, block, str(error))
            return
        if job.sentences is not None:
            if self.states.is_stale(block, job.sentences.take) or job.sentences.take.text != block.text:
                self.changed.emit(block.id)  # edited meanwhile: these sentences are no longer there
                self.queue_changed.emit()
                return
            speech = replace(speech, key=key_of(speech, job.sentences))
        if not speech.plan.pieces:
            unread = [warning.message for warning in speech.plan.warnings if warning.code == "unreadable"]
            nothing = "There is nothing in this line that can be spoken. Write some words."
            self._failed(job, block, unread[0] if unread else nothing)
            return
        found = None if job.again else self.project.take_with_key(speech.key)
        if found is not None and found.block_id == block.id:
            # The same sound was asked for in another way: from now on it counts as asked for in this one.
            self.store.history.note(PutTake(replace(found, settings=speech.settings), choose=True))
            self._ahead.tried.add(block.id)
            self.changed.emit(block.id)
            return
        take = Take(block_id=block.id, key=speech.key, text=block.text, settings=speech.settings, seed=speech.seed)
        try:
            writer = self.store.begin_take(take)
        except SpeechError as error:
            self._failed(job, block, str(error))
            return
        # What is noted of each request leads to the take that came of it.
        requests = tuple(replace(request, label=take.id) for request in speech.requests)
        job.speech = replace(speech, requests=requests)
        job.live = LiveTake(take.id, block.id, block.text, len(speech.plan.pieces))
        shape = self._shapes.begin(take.id)
        self._active.append(job)
        listener = self._ahead.listener
        self._workshop.take_in(
            Order(
                job, take, found, writer, shape, self.store, self.engine,
                Excerpt(self.project, [block.id], self.states.manner),
                listener.lead_s if listener is not None and job.priority is Priority.LISTENING else None,
            )
        )  # fmt: skip
        self.changed.emit(block.id)
        self.queue_changed.emit()

    def _seed(self, block: Block, again: bool) -> int:
        heard = self.states.take(block)
        if heard is not None and not again and self.states.needs_stereo(block):
            return heard.seed  # the same speech as was heard
        if block.settings.seed is None and self.states.habits.fresh_seeds:
            return secrets.randbelow(2**31)
        first = block.settings.seed if block.settings.seed is not None else self.project.settings.seed
        if not again:
            return first
        used = [take.seed for take in self.project.takes_of(block.id)]
        return (max(used) if used else first - 1) + 1

    # -- back on the owner's thread -----------------------------------------------------------------------------

    def _finished(self, order: Order, made: Made, shape: Overview | None) -> None:
        job, take, writer, store = order.job, order.take, order.writer, order.store
        if job in self._active:
            self._active.remove(job)
        if store is not self.store:
            return  # the project was closed meanwhile; opening it again marks the take as interrupted
        if made.take is None:
            writer.finish(replace(take, state="failed", stop_reason="failed"), choose=False)
            store.history.note(DropTake(take.id))
        else:
            choose = self._should_choose(made.take)
            before = self.project.block(take.block_id).chosen if choose else None
            undoable = job.again and before is not None
            writer.finish(made.take, choose=choose and not undoable)
            if undoable:
                store.history.do(ChooseTake(take.block_id, take.id))
            if shape is not None and job.speech is not None:
                self._shapes.put(take, job.speech.block.text, shape)
        if made.failed and self.project.has_block(job.block_id) and not job.dropped:
            if order.engine is self.engine:
                self._failed(job, self.project.block(job.block_id), made.failed)
            else:
                # Another model was chosen meanwhile: the line is not at fault, and the new one will speak it.
                self._add(RenderJob(job.block_id, job.priority, job.again, job.order, sentences=job.sentences))
        elif made.take is not None:
            self._ahead.tried.add(job.block_id)
        self.changed.emit(job.block_id)
        self.queue_changed.emit()
        self._pump()

    def _failed(self, job: RenderJob, block: Block, reason: str) -> None:
        self.states.fail(block, reason)
        self._ahead.tried.add(block.id)
        if job.live is not None and not job.live.over:
            job.live.end(reason)
        self.changed.emit(block.id)
        self.queue_changed.emit()

    def _should_choose(self, take: Take) -> bool:
        """A complete take is heard; an incomplete one only where there is nothing better."""
        if not self.project.has_block(take.block_id):
            return False
        if take.state == "done":
            return True
        before = self.states.take(self.project.block(take.block_id))
        return (
            before is None or before.state != "done" or self.states.is_stale(self.project.block(take.block_id), before)
        )
