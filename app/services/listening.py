"""What a listener hears: blocks in order, mixed on a thread of its own while later ones are still being spoken."""

from __future__ import annotations

import bisect
import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from app.model.block import Block
from app.services.block_states import has_words
from app.services.excerpt import Excerpt, mix_settings
from app.services.live_take import LiveTake
from app.services.mixer import Mixer
from app.services.playing import Place
from app.services.programme import Action, BeginPiece, EndPiece, Feed, Rest, Silence, is_spoken, mix, programme
from engine import CHANNELS, SAMPLE_RATE

if TYPE_CHECKING:
    from app.services.renderer import Renderer

log = logging.getLogger(__name__)

_Answer = TypeVar("_Answer")
_AHEAD_SAMPLES = 60 * SAMPLE_RATE
_ASK_AGAIN_S = 0.04
_EMPTY = np.zeros((0, CHANNELS), np.float32)


@dataclass(frozen=True)
class Range:
    """What is to be heard: blocks `only` (None: every block) from `first` on, beginning `offset_samples` after its
    first speech,
    ending `length_samples` later (None: at the last block)."""

    first: str
    offset_samples: int = 0
    only: frozenset[str] | None = None
    length_samples: int | None = None


@dataclass
class _Step:
    """What comes next: `block_id` "" is the end, with the blocks from the last one on that was heard; without an
    excerpt it is not there yet; `problem` ends everything."""

    block_id: str = ""
    excerpt: Excerpt | None = None
    live: LiveTake | None = None
    problem: str = ""


class Listening:
    """A source for the player and a listener for the renderer.

    The project is looked at on its own thread (`post`), one block at a time and only when its turn comes, so that every
    edit ahead of the playhead is heard. Mixing and reading happen on the thread of this object.

    Attributes: those of `Source`.
    """

    def __init__(self, renderer: Renderer, post: Callable[[Callable[[], None]], None], wanted: Range) -> None:
        self.problem = ""
        self.remaining_s = 0.0
        self._renderer = renderer
        self._post = post
        self._wanted = wanted
        self._stop = threading.Event()
        self._lock = threading.Condition()
        self._ready: deque[np.ndarray] = deque()
        self._ready_samples = 0
        self._made_samples = 0
        self._over = False
        self._starts: list[int] = []  # source samples at which the speech of blocks begins
        self._blocks: list[str] = []
        self._spans_seen = 0
        self._at_block = wanted.first  # the block that is being mixed or waited for
        self._mixer = Mixer(mix_settings(renderer.project.settings))
        self._thread = threading.Thread(target=self._run, name="mix", daemon=True)
        renderer.listen(self)
        self._thread.start()

    # -- Source: the player's thread ----------------------------------------------------------------------------

    @property
    def ready_samples(self) -> int:
        return self._ready_samples

    @property
    def complete(self) -> bool:
        return self._over

    def read(self, n: int) -> np.ndarray | None:
        with self._lock:
            if not self._ready:
                return None if self._over else _EMPTY
            block = self._ready.popleft()
            if len(block) > n:
                self._ready.appendleft(block[n:])
                block = block[:n]
            while len(block) < n and self._ready:
                # Short blocks at the border of chunks are filled up: the device is written to in even steps.
                more = self._ready.popleft()
                need = n - len(block)
                block = np.concatenate((block, more[:need]))
                if len(more) > need:
                    self._ready.appendleft(more[need:])
            self._ready_samples -= len(block)
            self._lock.notify_all()
            return block

    def place(self, sample: int) -> Place | None:
        with self._lock:
            at = bisect.bisect_right(self._starts, sample) - 1
            if at < 0:
                return Place(self._wanted.first, self._wanted.offset_samples)
            return Place(self._blocks[at], max(0, sample - self._starts[at]))

    def close(self) -> None:
        self._stop.set()
        with self._lock:
            self._lock.notify_all()
        self._post(self._left)

    # -- Listener: the project's thread, but for lead_s ----------------------------------------------------------

    def ahead(self) -> Iterable[str]:
        """Blocks to hear from the one that is mixed or waited for now on."""
        project = self._renderer.project
        if not project.has_block(self._at_block):
            return
        for index in range(project.index(self._at_block), len(project.blocks)):
            block_id = project.blocks[index].id
            if self._wanted.only is None or block_id in self._wanted.only:
                yield block_id

    def lead_s(self) -> float:
        return self._ready_samples / SAMPLE_RATE

    def _left(self) -> None:
        if self._renderer.listener is self:
            self._renderer.listen(None)

    # -- the mixing thread --------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            limit = self._wanted.length_samples
            for samples in self._from_offset(mix(self._actions(), self._mixer)):
                if limit is not None:
                    samples = samples[: limit - self._made_samples]
                if not self._hand_over(samples):
                    return
                if limit is not None and self._made_samples >= limit:
                    break
        except _Stopped:
            return
        except Exception as error:
            log.exception("mixing failed")
            self.problem = f"Playing stopped: {error}"
        finally:
            with self._lock:
                self._over = True
                self.remaining_s = 0.0
                self._lock.notify_all()

    def _from_offset(self, mixed: Iterator[np.ndarray]) -> Iterator[np.ndarray]:
        """Drops what lies before the wanted start, and notes where blocks begin."""
        skip: int | None = 0 if self._wanted.offset_samples == 0 else None
        position = 0
        for samples in mixed:
            if skip is None:
                span = self._first_span()
                if span is None:
                    position += len(samples)
                    continue
                skip = span + self._wanted.offset_samples
            self._note_starts(skip)
            start, position = position, position + len(samples)
            if position > skip:
                yield samples[max(0, skip - start) :]

    def _first_span(self) -> int | None:
        spans = [*self._mixer.spans[:1], *([self._mixer.open_span] if self._mixer.open_span else [])]
        return spans[0].start_sample if spans else None

    def _note_starts(self, skipped: int) -> None:
        spans = self._mixer.spans
        fresh = [*spans[self._spans_seen :], *([self._mixer.open_span] if self._mixer.open_span else [])]
        self._spans_seen = len(spans)
        with self._lock:
            for span in fresh:
                if not self._blocks or self._blocks[-1] != span.block_id:
                    self._blocks.append(span.block_id)
                    self._starts.append(span.start_sample - skipped)

    def _hand_over(self, samples: np.ndarray) -> bool:
        with self._lock:
            while self._ready_samples > _AHEAD_SAMPLES and not self._stop.is_set():
                self._lock.wait(0.5)
            if len(samples):
                self._ready.append(samples)
                self._ready_samples += len(samples)
                self._made_samples += len(samples)
        return not self._stop.is_set()

    def _actions(self) -> Iterator[Action]:
        """The steps of all blocks, each asked for when its turn comes."""
        before = ""
        while True:
            step = self._next(before)
            if step.problem:
                self.problem = step.problem
                return
            if not step.block_id:
                if step.excerpt is not None:
                    yield from self._after_all(step.excerpt)
                return
            yield from self._of_step(step, before)
            if step.live is not None and step.live.failed:
                self.problem = step.live.failed
                return
            before = step.block_id

    def _of_step(self, step: _Step, before: str) -> Iterator[Action]:
        excerpt = step.excerpt
        assert excerpt is not None

        def live(block: Block) -> Iterator[Iterable[np.ndarray]] | None:
            if block.id != step.block_id:
                return _unheard(excerpt, block)
            return step.live.pieces(self._stop) if step.live is not None else None

        pauses: list[Silence] = []
        skipping = False
        read = self._renderer.store.read_take
        for action in programme(excerpt, excerpt.block_ids, read, excerpt.plan, live=live):  # type: ignore[arg-type]
            if isinstance(action, BeginPiece):
                skipping = action.block_id == before
                if not skipping:
                    yield from pauses
                pauses.clear()
            if isinstance(action, Rest):
                # Of the block before it was heard, and of one that broke off nobody waits for it.
                if not skipping and not (step.live is not None and step.live.failed):
                    yield action
            elif isinstance(action, Silence):
                # Those after the last piece are told again with the next block.
                pauses.append(action)
            elif not skipping and isinstance(action, (BeginPiece, Feed, EndPiece)):
                yield action

    def _after_all(self, excerpt: Excerpt) -> Iterator[Action]:
        """The pauses written after the last speech."""
        pauses: list[Silence] = []
        read = self._renderer.store.read_take
        live = partial(_unheard, excerpt)
        for action in programme(excerpt, excerpt.block_ids, read, excerpt.plan, live=live):  # type: ignore[arg-type]
            if isinstance(action, EndPiece):
                pauses.clear()
            elif isinstance(action, Silence) and not isinstance(action, Rest):
                pauses.append(action)
        yield from pauses

    def _next(self, before: str) -> _Step:
        while True:
            step = self._ask(lambda: self._look(before))
            if step.excerpt is not None or not step.block_id or step.problem:
                return step
            if self._stop.wait(_ASK_AGAIN_S):
                raise _Stopped

    def _ask(self, question: Callable[[], _Answer]) -> _Answer:
        """The answer, found on the project's thread."""
        answered = threading.Event()
        answer: list[Any] = []

        def find() -> None:
            try:
                if not self._stop.is_set():
                    answer.append(question())
            except Exception as error:
                answer.append(error)
            finally:
                answered.set()

        self._post(find)
        while not answered.wait(0.1):
            if self._stop.is_set():
                raise _Stopped
        if not answer:
            raise _Stopped
        if isinstance(answer[0], Exception):
            raise answer[0]
        return answer[0]  # type: ignore[no-any-return]

    # -- on the project's thread --------------------------------------------------------------------------------

    def _look(self, before: str) -> _Step:
        """What comes after a block ("": at the start)."""
        renderer, project = self._renderer, self._renderer.project
        between: list[str] = [before] if before and project.has_block(before) else []
        start = project.index(before) + 1 if between else self._start_index()
        for index in range(start, len(project.blocks)):
            block = project.blocks[index]
            take, words = renderer.states.take(block), has_words(block.text)
            if is_spoken(project, block):
                if self._wanted.only is not None and block.id not in self._wanted.only:
                    continue
                if take is None and words and block.settings.locked:
                    continue  # never touched, and nothing to hear
            between.append(block.id)
            if is_spoken(project, block) and (take is not None or words):
                return self._look_at(block, between)
        excerpt = Excerpt(project, between, renderer.states.manner) if before and between else None
        return _Step(excerpt=None if excerpt is None or excerpt.lacks_model else excerpt)

    def _start_index(self) -> int:
        project = self._renderer.project
        first = self._at_block if project.has_block(self._at_block) else self._wanted.first
        return project.index(first) if project.has_block(first) else len(project.blocks)

    def _look_at(self, block: Block, between: list[str]) -> _Step:
        renderer = self._renderer
        if self._at_block != block.id:
            self._at_block = block.id
            renderer.advance()
        live = renderer.live(block.id)
        waiting = renderer.is_waiting(block.id)
        failure = renderer.states.failure(block.id)
        self.remaining_s = self._unmade_s()
        if live is None and not waiting:
            if failure:
                return _Step(block.id, problem=failure)
            if renderer.wants_speaking(block):
                if renderer.engine is None:
                    return _Step(block.id)  # the model is still loading
                renderer.advance()
                if not renderer.is_waiting(block.id) and renderer.live(block.id) is None:
                    reason = renderer.states.failure(block.id)
                    if reason:
                        return _Step(block.id, problem=reason)
                return _Step(block.id)
        elif live is None:
            return _Step(block.id)
        excerpt = Excerpt(renderer.project, between, renderer.states.manner)
        if excerpt.lacks_model:
            return _Step(block.id)
        if live is not None:
            excerpt.with_text(block.id, live.text)
        return _Step(block.id, excerpt, live)

    def _unmade_s(self) -> float:
        """Audio still to be made of what will be heard without a stop, as far as speech is made ahead."""
        renderer = self._renderer
        unmade_s = ahead_s = 0.0
        for block_id in self.ahead():
            block = renderer.project.block(block_id)
            length_s = renderer.states.length_s(block)[0]
            ahead_s += length_s
            if renderer.states.needs_speaking(block):
                unmade_s += length_s
            if ahead_s > renderer.ahead_s:
                break
        return unmade_s


def _unheard(excerpt: Excerpt, block: Block) -> Iterator[Iterable[np.ndarray]]:
    """A block of which only the pauses count; it was heard already."""
    return iter([()] * len(excerpt.plan(block, block.text).pieces))


class _Stopped(Exception):
    """Nobody listens any more."""
