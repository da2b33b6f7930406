"""The background thread that speaks: it takes requests in order of urgency and carries each through its life."""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from engine.backends.base import LoadProgress
from engine.capabilities import fit_to_card
from engine.errors import EngineClosedError, SpeechError, as_speech_error
from engine.job import EngineJob
from engine.requests import Listener, Priority, SpeechRequest, StopReason
from engine.stream import Stream

if TYPE_CHECKING:
    from engine.backends.base import Backend
    from engine.card import ModelCard

_log = logging.getLogger(__name__)

STEP_TIMEOUT_S = 0.5
CLOSE_TIMEOUT_S = 3.0
STATUS_EVERY_S = 0.5


class _Closing(Exception):
    """Ends a load that is under way when the engine is closed."""


class Engine:
    """Requests in, streams of audio out, on one thread of its own.

    The life of a request: `submit` checks it against the card and queues it; the thread starts it when a place is free,
    the most urgent first, and steps the backend until it ends: by itself, by `Stream.cancel`, by its own failure, or
    with the engine. Rendering gives its place back to a listener, where the backend repeats itself bit for bit.

    Attributes:
        backend: what speaks; after `start` only the engine's thread touches it.
    """

    def __init__(self, backend: Backend, *, on_status: Callable[[LoadProgress], None] | None = None) -> None:
        self.backend = backend
        self._on_status = on_status
        self._wake = threading.Condition()
        self._arrived: list[EngineJob] = []
        self._unfinished: dict[str, EngineJob] = {}
        self._cancelled: set[str] = set()
        self._closing = False
        self._failure: SpeechError | None = None
        self._loaded = threading.Event()  # also set when loading failed or the engine was closed
        self._identity: Mapping[str, str] = {}
        self._backend_status: Mapping[str, float | str] = {}
        self._status_s = -STATUS_EVERY_S
        self._numbers = itertools.count(1)
        self._thread: threading.Thread | None = None
        # Only the engine's thread changes these two.
        self._waiting: list[EngineJob] = []
        self._running: dict[str, EngineJob] = {}

    # -- for callers, any thread --------------------------------------------------------------------------------

    @property
    def card(self) -> ModelCard:
        """What the model can do."""
        return self.backend.card

    def start(self) -> None:
        """Start the thread, which loads the model first. Starting twice is harmless."""
        with self._wake:
            if self._thread is None and not self._closing:
                self._thread = threading.Thread(target=self._live, name="engine", daemon=True)
                self._thread.start()

    def ready(self, timeout_s: float | None = None) -> bool:
        """Wait until the model is loaded; False when it is not within `timeout_s`. Raises why loading failed."""
        if not self._loaded.wait(timeout_s):
            return False
        if self._failure is not None:
            raise self._failure
        if self._closing:
            raise EngineClosedError("The engine was closed.")
        return True

    def submit(
        self, request: SpeechRequest, on_event: Listener | None = None, lead_s: Callable[[], float] | None = None
    ) -> Stream:
        """Queue a request.

        Args:
            on_event: called on the engine's thread; it must return at once.
            lead_s: seconds of audio ready ahead of the listener, asked before every chunk; None where nobody listens.

        Raises:
            SpeechError: the card forbids it, or the engine has failed or is closed.
        """
        request, warnings = fit_to_card(request, self.card)
        with self._wake:
            if self._failure is not None:
                raise self._failure
            if self._closing:
                raise EngineClosedError("The engine was closed.", "Open a model again.")
            stream = Stream(f"r{next(self._numbers)}", request, self._cancel)
            job = EngineJob(stream, on_event, lead_s, warnings, lambda: self._identity)
            self._arrived.append(job)
            self._unfinished[job.id] = job
            self._wake.notify_all()
        self.backend.interrupt()
        return stream

    def status(self) -> dict[str, float | str]:
        """For people: `state`, `waiting`, `running` and what the backend says of itself, at most half a second old."""
        with self._wake:
            unfinished, running = len(self._unfinished), len(self._running)
        waiting = max(0, unfinished - running)
        return {**self._backend_status, "state": self._state(), "waiting": waiting, "running": running}

    def identity(self) -> Mapping[str, str]:
        """Hashes of model, codec and tokenizer, numeric profile and revision; empty before the model is loaded."""
        return self._identity

    def close(self) -> None:
        """End everything; who waits gets EngineClosedError. Returns soon, whatever the thread is stuck in."""
        with self._wake:
            self._closing = True
            thread = self._thread
            self._wake.notify_all()
        self.backend.interrupt()
        if thread is threading.current_thread():
            return  # called by a listener: the thread ends by itself after this event
        if thread is not None:
            thread.join(CLOSE_TIMEOUT_S)
            if thread.is_alive():
                _log.error("The engine's thread did not end within %s s and is left behind", CLOSE_TIMEOUT_S)
        self._loaded.set()
        # Normally nobody is left. The listeners of a thread that does not end are stuck, so they are not called.
        for job in self._close_queue():
            job.stream._end(None, EngineClosedError("The engine was closed before the speech was finished."))

    # -- the life of the thread ---------------------------------------------------------------------------------

    def _live(self) -> None:
        cause: SpeechError = EngineClosedError("The engine was closed before the speech was finished.")
        try:
            self.backend.load(self._loading)
            self._identity = dict(self.backend.identity())
            self._refresh_status()
            self._loaded.set()
            while self._wait_for_work():
                self._take_in()
                self._start_most_urgent()
                if self._running:
                    self.backend.step(STEP_TIMEOUT_S)
                self._forget_ended()
                self._refresh_status()
        except _Closing:
            pass
        except Exception as error:
            cause = as_speech_error(error)
            _log.error("The engine stopped", exc_info=error)
            with self._wake:
                self._failure = cause
        finally:
            self._end(cause)

    def _loading(self, progress: LoadProgress) -> None:
        if self._closing:
            raise _Closing
        if self._on_status is not None:
            try:
                self._on_status(progress)
            except Exception:
                _log.exception("The listener of the engine's status failed")

    def _wait_for_work(self) -> bool:
        """Get faster, then sleep, until there is something to do; False when the engine is to end."""
        while True:
            with self._wake:
                while not (self._has_work() or self.backend.improvements_left):
                    self._wake.wait()
                if self._closing or self._has_work():
                    return not self._closing
            self._improve()

    def _has_work(self) -> bool:
        return bool(self._closing or self._arrived or self._cancelled or self._waiting or self._running)

    def _improve(self) -> None:
        self.backend.improve()
        self._refresh_status()

    def _take_in(self) -> None:
        """Move what arrived into the queue, in order of urgency and then of arrival, and drop what was cancelled."""
        with self._wake:
            arrived, self._arrived = self._arrived, []
            cancelled, self._cancelled = self._cancelled, set()
            self._waiting = sorted([*self._waiting, *arrived], key=lambda job: job.request.priority)
        for job in arrived:
            job.queued(self._waiting.index(job))
        for job in [job for job in (*self._running.values(), *self._waiting) if job.id in cancelled]:
            if job.id in self._running:
                self.backend.cancel(job.id)
            job.finish(StopReason.CANCELLED)
        self._forget_ended()

    def _start_most_urgent(self) -> None:
        while self._waiting and not self._closing:
            if self.backend.improvements_left and self._waiting[0].request.priority >= Priority.RENDERING:
                # A listener, or one short text, is served at once. Many are done sooner when the backend is fast first.
                if self._running:
                    return
                if len(self._waiting) > 1:
                    self._improve()
                    return
            if len(self._running) >= self.backend.capacity and not self._make_place(self._waiting[0]):
                return
            job = self._waiting.pop(0)
            job.started()
            self._running[job.id] = job
            try:
                self.backend.start(job)
            except Exception as error:
                job.fail(as_speech_error(error))
            self._forget_ended()

    def _make_place(self, urgent: EngineJob) -> bool:
        """Put the least urgent running job back for a listener; it will be made again and continues unheard."""
        if urgent.request.priority >= Priority.RENDERING or not getattr(self.backend, "repeatable", False):
            return False
        least = max(self._running.values(), key=lambda job: (job.request.priority, -job.frames), default=None)
        if least is None or least.request.priority < Priority.RENDERING:
            return False
        self.backend.cancel(least.id)
        least.put_back()
        del self._running[least.id]
        self._waiting.append(least)
        # It comes first among its equals: those were behind it before.
        self._waiting.sort(key=lambda job: (job.request.priority, job is not least))
        return True

    def _forget_ended(self) -> None:
        for job in [job for job in self._running.values() if job.ended]:
            del self._running[job.id]
        self._waiting = [job for job in self._waiting if not job.ended]
        with self._wake:
            self._unfinished = {job.id: job for job in self._unfinished.values() if not job.ended}

    def _refresh_status(self) -> None:
        now_s = time.monotonic()
        if not self._running or now_s - self._status_s >= STATUS_EVERY_S:
            self._status_s = now_s
            self._backend_status = dict(self.backend.status())

    def _end(self, cause: SpeechError) -> None:
        """The thread's last deed: nobody is left waiting, and the backend's memory is given back."""
        self._loaded.set()
        for job in self._close_queue():
            job.fail(cause)
        try:
            self.backend.close()
        except Exception:
            _log.exception("The backend could not be closed")

    # -- inside -------------------------------------------------------------------------------------------------

    def _cancel(self, request_id: str) -> None:
        with self._wake:
            self._cancelled.add(request_id)
            self._wake.notify_all()
        self.backend.interrupt()

    def _close_queue(self) -> list[EngineJob]:
        """Every request that has not ended; no further ones are taken."""
        with self._wake:
            self._closing = True
            return list(self._unfinished.values())

    def _state(self) -> str:
        if self._failure is not None:
            return "failed"
        if self._closing:
            return "closed"
        if self._thread is None:
            return "new"
        return "ready" if self._loaded.is_set() else "loading"


def open_local(
    model_folder: Path,
    *,
    codec_folder: Path | None = None,
    device: str = "auto",
    precision: str = "auto",
    cache_folder: Path | None = None,
    slots: int = 1,
    on_status: Callable[[LoadProgress], None] | None = None,
) -> Engine:
    """An engine, not started yet, for a checkpoint on this machine.

    Args:
        model_folder: a folder with `card.json` (the starter's layout), or a published checkpoint's folder.
        codec_folder: the codec of a published checkpoint; None looks beside it.
        device, precision: `auto`, or as `engine.runtime.devices` names them.
        cache_folder: where codes of references are kept; None keeps them in memory only.
        slots: how many requests are spoken at once.

    Raises:
        CheckpointError: there is no model. DeviceError: the device is missing.
    """
    from engine.backends.local import LocalBackend

    backend = LocalBackend(
        model_folder,
        codec_folder=codec_folder,
        device=device,
        precision=precision,
        cache_folder=cache_folder,
        slots=slots,
    )
    return Engine(backend, on_status=on_status)
