"""An engine whose every request goes to the run log."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from app.services.runlog import RunLog
from engine import Event, EventKind, SpeechRequest

if TYPE_CHECKING:
    from engine import Engine, Listener, Stream


class LoggedEngine:
    """An engine whose every request is noted. Everything else is the engine's own.

    Args:
        ends_log: the log is closed with the engine.
    """

    def __init__(self, engine: Engine, log: RunLog, *, ends_log: bool = False) -> None:
        self._engine = engine
        self._run_log = log
        self._ends_log = ends_log

    def close(self) -> None:
        """See `Engine.close`."""
        self._engine.close()
        if self._ends_log:
            self._run_log.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def submit(
        self, request: SpeechRequest, on_event: Listener | None = None, lead_s: Callable[[], float] | None = None
    ) -> Stream:
        """See `Engine.submit`."""
        heard: list[np.ndarray] | None = [] if self._run_log.keeps()[1] else None
        model = self._engine.card.name

        def listen(event: Event) -> None:
            if on_event is not None:
                on_event(event)
            if event.kind in (EventKind.DONE, EventKind.FAILED):
                self._run_log.add(stream.request, model, event.result, event.error, heard)

        ready = threading.Event()
        stream: Any = None

        def wait_and_listen(event: Event) -> None:
            # The first event may come before `submit` has returned; no sound comes before that event is over.
            ready.wait(5.0)
            listen(event)

        stream = self._engine.submit(request, wait_and_listen, lead_s)
        stream.copies = heard
        ready.set()
        return stream
