"""Background work: a function without UI, then success or failure in the thread of whoever asked."""

from __future__ import annotations

import logging
import threading
import time
import weakref
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from app.model.signal import Signal
from engine.errors import RequestCancelled

_log = logging.getLogger(__name__)
T = TypeVar("T")
Deliver = Callable[[Callable[[], None]], None]

MIN_TELL_S = 1 / 15  # progress is told no more often than this


class TaskCancelled(RequestCancelled):
    """Raised inside a task at its next report after it was cancelled; never shown as a failure."""

    def __init__(self) -> None:
        super().__init__("This was cancelled.")


class Task(Generic[T]):
    """One piece of background work.

    The function gets the task as its only argument, calls `report` now and then, and returns a result or raises.

    Attributes:
        title: for people.
        fraction: 0..1, or None while nothing is known.
        detail: a short phrase for people.
        state: waiting, running, done, failed, cancelled.

    Signals (through the hook of the service):
        progressed(task).
        ended(task).
    """

    def __init__(self, title: str, deliver: Deliver) -> None:
        self.title = title
        self.fraction: float | None = None
        self.detail = ""
        self.state = "waiting"
        self.result: T | None = None
        self.error: BaseException | None = None
        self.progressed, self.ended = Signal(), Signal()
        self._deliver = deliver
        self._cancelled = threading.Event()
        self._finished = threading.Event()
        self._told_end = False
        self._told_s = 0.0
        self._started_s = 0.0
        self._lock = threading.Lock()

    def report(self, fraction: float | None = None, detail: str = "") -> None:
        """For the function: say how far it is. Raises TaskCancelled once the task was cancelled."""
        self.check()
        self.fraction = None if fraction is None else min(1.0, max(0.0, fraction))
        self.detail = detail or self.detail
        now = time.monotonic()
        if now - self._told_s >= MIN_TELL_S:
            self._told_s = now
            self._deliver(lambda: self.progressed.emit(self))

    def check(self) -> None:
        """For the function: raises TaskCancelled once the task was cancelled."""
        if self._cancelled.is_set():
            raise TaskCancelled

    @property
    def is_cancelled(self) -> bool:
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Ask it to stop. It counts as cancelled at once; what it still returns is dropped. Any thread."""
        with self._lock:
            if self._told_end or self._cancelled.is_set():
                return
            self._cancelled.set()
            self.state = "cancelled"
        self._deliver(lambda: self.ended.emit(self))

    @property
    def remaining_s(self) -> float | None:
        """Estimate from what was done so far; None while that says nothing."""
        fraction = self.fraction
        if fraction is None or fraction < 0.01 or self.state != "running":
            return None
        return (time.monotonic() - self._started_s) / fraction * (1.0 - fraction)

    def wait(self, timeout_s: float | None = None) -> bool:
        """For commands and tests: wait until the function returned; False when it did not in time."""
        return self._finished.wait(timeout_s)


class Tasks:
    """Runs tasks in a small pool of threads.

    Attributes:
        running: tasks that wait or run, oldest first.

    Signals (through the hook):
        changed(): `running` is another.
    """

    def __init__(self, deliver: Deliver | None = None, threads: int = 3) -> None:
        """
        Args:
            deliver: posts a call into the thread of the callbacks; None calls at once in the thread of the work.
        """
        self.changed = Signal()
        self._deliver: Deliver = deliver or (lambda call: call())
        self._queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._threads = threads
        self._started: list[threading.Thread] = []
        self._running: list[Task[Any]] = []
        self._lock = threading.Lock()
        self._closed = False

    @property
    def running(self) -> tuple[Task[Any], ...]:
        with self._lock:
            return tuple(self._running)

    def run(
        self,
        work: Callable[[Task[T]], T],
        on_success: Callable[[T], None] | None = None,
        on_failure: Callable[[BaseException], None] | None = None,
        *,
        title: str = "",
        on_progress: Callable[[Task[T]], None] | None = None,
        owner: object | None = None,
    ) -> Task[T]:
        """Start `work(task)` in the background.

        Args:
            on_success, on_failure: called through the hook; neither is, once the task was cancelled.
            on_progress: called through the hook, at most 15 times a second.
            owner: when it is gone, nothing is called any more and the task is cancelled. Callbacks that are its bound
                methods do not keep it alive.

        Raises:
            RuntimeError: the service was closed.
        """
        reference = weakref.ref(owner) if owner is not None else None
        success, failure, progress = _weak(on_success, owner), _weak(on_failure, owner), _weak(on_progress, owner)
        deliver = self._deliver

        def guarded(call: Callable[[], None]) -> None:
            deliver(lambda: None if reference is not None and reference() is None else call())

        task: Task[T] = Task(title, guarded)
        if progress is not None:
            task.progressed.connect(lambda each: progress(each))
        with self._lock:
            if self._closed:
                raise RuntimeError("The studio is closing.")
            self._running.append(task)
        if reference is not None:
            weakref.finalize(owner, task.cancel).atexit = False

        def run() -> None:
            self._perform(task, work, success, failure, guarded)

        self._queue.put(run)
        self._start_thread()
        self._tell()
        return task

    def _start_thread(self) -> None:
        with self._lock:
            if len(self._started) < min(self._threads, len(self._running)):
                # A daemon: work that does not listen to its cancel must not keep the program from ending.
                thread = threading.Thread(target=self._serve, name=f"task {len(self._started) + 1}", daemon=True)
                self._started.append(thread)
                thread.start()

    def _serve(self) -> None:
        while (run := self._queue.get()) is not None:
            try:
                run()
            except Exception:
                _log.exception("The end of a task could not be told")

    def _perform(
        self,
        task: Task[T],
        work: Callable[[Task[T]], T],
        success: Callable[[T], None] | None,
        failure: Callable[[BaseException], None] | None,
        deliver: Deliver,
    ) -> None:
        told: Callable[[], None] | None = None
        try:
            task.check()
            with task._lock:
                if task.state == "waiting":
                    task.state = "running"
            task._started_s = time.monotonic()
            result = work(task)
        except TaskCancelled:
            pass
        except BaseException as error:
            if self._end(task, "failed", error=error):
                if failure is None:
                    _log.error("%s failed", task.title or "A task", exc_info=error)
                told = partial(_finish, task, failure, error)
        else:
            if self._end(task, "done", result=result):
                told = partial(_finish, task, success, result)
        # Whoever hears of the end, or waited for it, finds the task gone from the list.
        with self._lock:
            self._running.remove(task)
        try:
            if told is not None:
                deliver(told)
            self._tell()
        finally:
            task._finished.set()

    @staticmethod
    def _end(task: Task[Any], state: str, *, result: Any = None, error: BaseException | None = None) -> bool:
        """Whether it ends so; False when it was cancelled before."""
        with task._lock:
            if task._cancelled.is_set():
                return False
            task.state, task.result, task.error = state, result, error
            if error is None:
                task.fraction = 1.0
            return True

    def _tell(self) -> None:
        self._deliver(self.changed.emit)

    def cancel_all(self) -> None:
        for task in self.running:
            task.cancel()

    def close(self, timeout_s: float = 5.0) -> bool:
        """Cancel everything and wait a little for it to stop. False when something still runs."""
        with self._lock:
            self._closed = True
        tasks = self.running
        self.cancel_all()
        end_s = time.monotonic() + timeout_s
        stopped = all([task.wait(max(0.0, end_s - time.monotonic())) for task in tasks])  # noqa: C419 - waits for each
        for _ in self._started:
            self._queue.put(None)
        return stopped


def _finish(task: Task[T], call: Callable[[Any], None] | None, value: Any) -> None:
    """Tell the outcome, unless the task was cancelled between its end and now."""
    with task._lock:
        if task._cancelled.is_set():
            return
        task._told_end = True
    if call is not None:
        call(value)
    task.ended.emit(task)


def _weak(call: Callable[..., None] | None, owner: object | None) -> Callable[..., None] | None:
    """The call without a strong hold on the owner, where it is a bound method of it."""
    if call is None or owner is None or getattr(call, "__self__", None) is not owner:
        return call
    method = weakref.WeakMethod(call)  # type: ignore[arg-type]

    def forward(*args: Any) -> None:
        target = method()
        if target is not None:
            target(*args)

    return forward
