"""Turns blocks into takes: what waits, what is spoken now, and what is made ahead of the listener."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.model.block import Block
from app.model.signal import Signal
from app.services.ahead import Ahead, Listener
from app.services.alarm import Alarm
from app.services.asking import Asking
from app.services.block_states import BlockStates
from app.services.line_shapes import LineShapes
from app.services.live_take import LiveTake
from app.services.maker import Made
from app.services.making import Making
from app.services.overview import Overview
from app.services.programme import is_spoken
from app.services.project_clips import ProjectClips
from app.services.render_job import RenderJob
from app.services.render_report import REASONS, Figures, Report
from app.services.respeak import Sentences, chosen_sentences
from app.services.revising import TYPING_S, Revising
from app.services.speaking import Habits
from app.services.take_cache import TakeCache
from app.services.work_in_hand import WorkInHand
from app.services.workshop import MOST_AT_ONCE, Order, Workshop
from engine import FRAME_S, Priority, estimate_frames

if TYPE_CHECKING:
    from app.model.project import Project
    from engine import Engine, ModelCard

_LOOK_AGAIN_S = 0.03


class Renderer:
    """Blocks to takes.

    Every method and every signal belongs to one thread, the owner of the project; `post` brings results there. Speech
    is made on worker threads that touch no project.

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
        self._held: list[tuple[Order, Made, Overview | None]] = []  # ended while a long step is under way
        self._work = WorkInHand(self.states, self.changed.emit, self.queue_changed.emit)
        self._revising = Revising(self.states, self._work, self._ahead, self.changed.emit)
        self._shapes = LineShapes(self.states, self._work, self._deliver, shape_cache, self.changed.emit)
        self._asking = Asking(self.states, self._work, self.changed.emit)
        self._making = Making(
            self.states, self._work, self._ahead, self._shapes.takes, self.changed.emit, self.queue_changed.emit
        )
        self._making.workshop = self._workshop
        self._connections: list[Callable[[], None]] = []
        self._closed = False

    # -- what it works with -------------------------------------------------------------------------------------

    @property
    def project(self) -> Project:
        return self.store.project

    def set_store(self, store: Any) -> None:
        """Another project: everything of the old one ends."""
        self._finish_held()
        if self.store is not None:
            self.listen(None)
            self.cancel()
        for disconnect in self._connections:
            disconnect()
        self.store = self.states.store = store
        if store is not None and self._clip_cache is not None:
            self.states.clips = ProjectClips(self._clips, store, self._clip_cache)
        self.states.forget_project()
        self._work.asked.clear()
        self._shapes.takes.forget()
        self._connections = [] if store is None else [
            self.project.block_changed.connect(self._block_changed),
            self.project.blocks_changed.connect(self._blocks_changed),
            self.project.settings_changed.connect(self._manner_changed),
            self.project.voices_changed.connect(self._manner_changed),
        ]  # fmt: skip

    def set_engine(self, engine: Engine | None, card: ModelCard | None) -> None:
        self.engine = self._making.engine = engine
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
        """none, wordless, queued, speaking, ready, stale, suspicious, failed or locked."""
        return self._work.state(block_id)

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
        return self._work.live(block_id)

    def shape(self, block: Block) -> Overview | None:
        """The shape of what is heard of a block, where it is known: growing while it is spoken."""
        return self._shapes.of(block)

    @property
    def rtf(self) -> float | None:
        """Time spent / audio made, of the newest request; None before there was one. Any thread."""
        return self._workshop.rtf

    def is_measured(self, block: Block) -> bool:
        """Whether `shape` is, or soon will be, that of what is heard now; it is not when a pause was made longer."""
        return self._shapes.is_measured(block)

    def measure(self, block_ids: Iterable[str]) -> None:
        """Find out the shape and length of takes that were made earlier, in the background; `changed` tells when."""
        self._shapes.measure(block_ids)

    def figures(self) -> Figures:
        return self._work.figures(self._workshop)

    def report(self) -> Report:
        """What became of all blocks asked for since the renderer was last idle."""
        return self._work.report()

    def queue(self) -> tuple[tuple[str, str], ...]:
        """(block id, "speaking" or "queued") in the order of the work."""
        return self._work.queue()

    @property
    def is_busy(self) -> bool:
        """Whether anything waits or is spoken; costs nothing however much it is."""
        return self._work.is_busy

    def asked_ids(self) -> list[str]:
        """Blocks that a person asked for and that are not finished, in the order of the work."""
        return list(dict.fromkeys(block_id for block_id, _ in self.queue() if block_id in self._work.asked))

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
        count = self._asking.render(block_ids, priority)
        self.queue_changed.emit()
        self._pump()
        return count

    def again(self, block_id: str, count: int = 1, priority: Priority = Priority.PREVIEW) -> None:
        """Make `count` more takes of a block, each with the next seed; the newest is chosen."""
        self._ask_again(block_id, [None] * count, priority)

    def respeak(self, block_id: str, start: int, end: int, priority: Priority = Priority.PREVIEW) -> bool:
        """Speak the sentences of a block that a range of its text touches anew, as a new take; the others stay.

        Returns whether anything stays: not where no finished take says the present text, or where the range touches
        every sentence. Then the whole block is spoken again.
        """
        sentences = chosen_sentences(self.states, self.project.block(block_id), start, end)
        self._ask_again(block_id, [sentences], priority)
        return sentences is not None

    def _ask_again(self, block_id: str, wishes: list[Sentences | None], priority: Priority) -> None:
        if self._asking.again(block_id, wishes, priority):
            self._pump()

    def cancel(self, block_ids: Iterable[str] | None = None) -> None:
        """Forget what waits and end what is spoken (what there is of it is kept, marked); None is everything."""
        chosen = None if block_ids is None else set(block_ids)
        self.cancels += chosen is None
        self._work.cancel(chosen)

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
        self._work.waiting.move(block_ids, before)
        self.queue_changed.emit()

    def listen(self, listener: Listener | None) -> None:
        """Speak ahead of this listener from now on; None: nobody listens, and what only they wanted is given up."""
        self._ahead.listen(listener)
        self._revising.take_as_written()
        wanted = set(self._wanted_ahead())
        for job in [*self._work.waiting.jobs(), *self._work.active]:
            if job.priority is Priority.LISTENING and job.block_id not in wanted:
                if job.block_id in self._work.asked:
                    self._work.waiting.hurry(job, Priority.RENDERING)
                    continue
                if job in self._work.active:
                    # Started speech is finished: it will be wanted soon, and half a take helps nobody.
                    continue
                self._work.waiting.remove(job)
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
        return bool(self._work.jobs_of(block_id))

    def write_in(self, block_id: str) -> None:
        """A person types in this block: half a line is not spoken ahead of anybody. "": the caret went elsewhere."""
        if self._revising.write_in(block_id):
            self._pump()
        if block_id:
            self._pump_later()

    def advance(self) -> None:
        """The listener moved on: see whether more must be made."""
        self._pump()

    def close(self) -> None:
        """End everything; nothing is posted any more."""
        self._finish_held()
        self._closed = True
        for job in self._work.active:
            job.cancel(drop=False)
        for disconnect in self._connections:
            disconnect()
        self._connections = []
        self._later.close()
        self._shapes.takes.close()
        self._workshop.close()

    # -- the project changes ------------------------------------------------------------------------------------

    def _block_changed(self, block_id: str) -> None:
        self._revising.block_changed(block_id)
        self._pump_later()

    def _blocks_changed(self, _first: int, removed: tuple[str, ...], added: tuple[str, ...]) -> None:
        self._revising.blocks_changed(removed, added)
        self._pump_later()

    def _manner_changed(self) -> None:
        self._revising.manner_changed()
        # The project tells of a change: while it does, nothing can be begun in it.
        self._deliver(self._pump)

    # -- starting -----------------------------------------------------------------------------------------------

    def _wanted_ahead(self) -> list[str]:
        return self._ahead.wanted(self._parallel + 2)

    def _pump_later(self) -> None:
        """Look again when the person has stopped typing; one look is enough for all that was typed until then."""
        self._later.set(TYPING_S + 0.01)

    def _pump_waiting(self) -> None:
        if self._in_long_step():
            self._later.set(_LOOK_AGAIN_S)
            return
        self._finish_held()
        self._pump()
        if self._revising.written or self._work.waiting.is_held_back():
            self._pump_later()

    def _deliver(self, deed: Callable[[], None]) -> None:
        if not self._closed:
            self._post(lambda: None if self._closed else deed())

    def _pump(self) -> None:
        """Start what should be started."""
        if self._closed or self.engine is None or self.card is None or self.store is None:
            return
        if self._in_long_step():
            self._later.set(_LOOK_AGAIN_S)
            return
        for block_id in self._wanted_ahead():
            for job in self._work.waiting.of(block_id):
                self._work.waiting.hurry(job, Priority.LISTENING)
            if not self._work.jobs_of(block_id) and not self._revising.is_being_written(block_id):
                self._work.add(RenderJob(block_id, Priority.LISTENING, not_before_s=0.0))
        while True:
            busy = sum(not job.dropped for job in self._work.active)
            # A listener never waits for what nobody hears: one more may be handed to the engine, which sorts them.
            if busy > self._parallel:
                return
            job = self._work.waiting.next(urgent_only=self.paused or busy >= self._parallel)
            if job is None:
                return
            self._making.start(job)

    def _finished(self, order: Order, made: Made, shape: Overview | None) -> None:
        self._held.append((order, made, shape))
        if self._in_long_step():
            self._later.set(_LOOK_AGAIN_S)
            return
        self._finish_held()
        self._pump()

    def _finish_held(self) -> None:
        held, self._held = self._held, []
        for order, made, shape in held:
            self._making.finish(order, made, shape)

    def _in_long_step(self) -> bool:
        """Thousands of lines are changed bit by bit: what waits until that is done lets the window live."""
        return self.store is not None and self.store.history.in_long_step
