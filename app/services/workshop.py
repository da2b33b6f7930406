"""The threads on which takes are made; they touch no project and tell what came of it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.model.take import Take
from app.services.excerpt import Excerpt, heard_shape
from app.services.maker import Made, TakeMaking, copy_take, make_take
from app.services.overview import Overview
from app.services.programme import take_pieces
from app.services.render_job import RenderJob
from app.services.respeak import respeak
from app.services.take_cache import TakeCache
from engine import Event, EventKind

if TYPE_CHECKING:
    from engine import Engine

log = logging.getLogger(__name__)

MOST_AT_ONCE = 64
_GROWN_EVERY_S = 1 / 30
_CLOSE_S = 3.0
_TURN_S = 5.0  # longer a line is not waited for: it may be read from a slow disk


@dataclass(frozen=True)
class Order:
    """A take to be made.

    Attributes:
        job: with `speech` and `live` set. take: as it was begun. found: a take of the same key elsewhere in it.
        writer, store: where the audio goes. shape: grows with it. engine: speaks it.
        excerpt: the block, frozen. lead_s: asks the listener how much is ahead; None where nobody listens.
    """

    job: RenderJob
    take: Take
    found: Take | None
    writer: Any
    shape: Overview
    store: Any
    engine: Engine
    excerpt: Excerpt
    lead_s: Callable[[], float] | None


class _InTurn:
    """The engine as one order sees it: its first request goes in behind that of the order before it.

    Orders have threads of their own, so the later one might run first, and a listener would wait for the line after
    next.
    """

    def __init__(self, engine: Engine, before: threading.Event, gone_in: threading.Event) -> None:
        self._engine, self._before, self._gone_in = engine, before, gone_in

    def submit(self, *arguments: Any) -> Any:
        self._before.wait(_TURN_S)
        try:
            return self._engine.submit(*arguments)
        finally:
            self._gone_in.set()


class Workshop:
    """Makes takes. What it tells goes through `deliver`, which brings it to the project's thread.

    Attributes:
        ttfa_ms, rtf: of the newest request; None before there was one. Any thread.
    """

    def __init__(
        self,
        deliver: Callable[[Callable[[], None]], None],
        finished: Callable[[Order, Made, Overview | None], None],
        started: Callable[[str], None],
        grown: Callable[[str], None],
        take_cache: TakeCache | None = None,
    ) -> None:
        """
        Args:
            finished: what came of an order, and the shape of what is heard of it.
            started, grown: block ids; `grown` comes at most 30 times a second.
        """
        self.ttfa_ms: float | None = None
        self.rtf: float | None = None
        self._deliver = deliver
        self._tell_finished, self._tell_started, self._tell_grown = finished, started, grown
        self._cache = take_cache
        self._workers = ThreadPoolExecutor(max_workers=MOST_AT_ONCE + 2, thread_name_prefix="render")
        self._working: set[Future[None]] = set()
        self._grown_at_s = 0.0
        self._last_in = threading.Event()
        self._last_in.set()

    def take_in(self, order: Order) -> None:
        self._working = {each for each in self._working if not each.done()}
        before, self._last_in = self._last_in, threading.Event()
        self._working.add(self._workers.submit(self._work, order, before, self._last_in))

    def close(self) -> None:
        """The jobs were cancelled: a worker ends within a frame; one that is stuck ends with the engine."""
        self._workers.shutdown(wait=False, cancel_futures=True)
        wait(self._working, timeout=_CLOSE_S)

    # -- on a worker thread -------------------------------------------------------------------------------------

    def _work(self, order: Order, before: threading.Event, gone_in: threading.Event) -> None:
        live, speech, take = order.job.live, order.job.speech, order.take
        assert live is not None and speech is not None
        measured: Overview | None = None
        spoken = False
        try:
            made, spoken = self._make(order, _InTurn(order.engine, before, gone_in))
            if made.take is not None and made.take.pieces:
                samples, measured = heard_shape(order.excerpt, speech.block, live, order.store.read_take)
                made.take = replace(made.take, figures={**made.take.figures, "heard_samples": samples})
                self.rtf = made.take.figures.get("rtf") or self.rtf
        except Exception as error:
            log.exception("the take %s could not be made", take.id)
            live.end(str(error))
            made = Made(None, f"The line could not be spoken: {error}")
        finally:
            gone_in.set()
        self._deliver(lambda: self._tell_finished(order, made, measured))
        if self._cache is not None and spoken and made.take is not None:
            self._cache.keep(made.take, live.everything())

    def _make(self, order: Order, engine: _InTurn) -> tuple[Made, bool]:
        """What came of it, and whether it was spoken now: else there was a take of the same key."""
        job, take = order.job, order.take
        cache = self._cache
        if order.found is not None:
            audio = (block for piece in take_pieces(order.found, order.store.read_take) for block in piece)
            return copy_take(audio, order.writer, job.live, order.found, take), False
        cached = cache.find(take.key) if cache is not None and not job.again else None
        if cache is not None and cached is not None:
            return copy_take(cache.blocks(take.key), order.writer, job.live, cached, take), False

        def grew(samples: np.ndarray) -> None:
            order.shape.add(samples)
            now_s = time.monotonic()
            if now_s - self._grown_at_s >= _GROWN_EVERY_S:
                self._grown_at_s = now_s
                self._deliver(lambda: self._tell_grown(job.block_id))

        making = TakeMaking(job, take, engine, order.writer, self._events(job), grew, order.lead_s)
        if job.sentences is not None:
            # Of use to this take alone: no other is asked for with its key.
            return respeak(making, order.store.read_take), False
        return make_take(making), True

    def _events(self, job: RenderJob) -> Callable[[Event], None]:
        def hear(event: Event) -> None:
            """On the engine's thread: returns at once."""
            if event.kind is EventKind.STARTED:
                job.started = True
                self._deliver(lambda: self._tell_started(job.block_id))
            elif event.kind is EventKind.FIRST_AUDIO:
                self.ttfa_ms = event.figures.get("ttfa_ms")
            elif event.kind is EventKind.PROGRESS and event.figures.get("rtf"):
                self.rtf = event.figures["rtf"]

        return hear
