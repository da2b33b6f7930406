"""The one thread that writes a project file: changes within a fraction of a second, audio segment by segment."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from app.model.errors import ProjectError
from app.services.store_audio import Segment
from app.services.store_file import WrittenFile
from app.services.store_lag import LagWatch
from app.services.store_problem import Problem, problem, problem_of
from app.services.store_rescue import RescueFile
from app.services.store_rows import Batch

_log = logging.getLogger(__name__)
T = TypeVar("T")

WINDOW_S = 0.1  # changes are collected this long; with a commit of a slow disk that stays under a quarter of a second
BEAT_S = 30.0  # how often a row in the file says that its writer lives
IDLE_S = 5.0  # then the write-ahead log goes into the file
RETRY_S = (0.5, 1.0, 2.0, 5.0)
MAX_WAITING_BYTES = 512 * 1024 * 1024


class Writer:
    """Owns the only writing connection of a project.

    Any thread may hand in changes, and none waits for the disk; callbacks come on the writing thread, and on one that
    watches it. Acknowledged means that the commit returned.

    Attributes:
        file: what is written.
        sequence, saved_sequence: numbers of the last change handed in, and of the last one committed.
        trouble: why nothing can be written at the moment, or None.
    """

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        state: Batch,
        *,
        on_saved: Callable[[int], None],
        on_audio_saved: Callable[[str, int], None],
        on_problem: Callable[[Problem | None], None],
        rescue: RescueFile | None = None,
        beat: Callable[[], str] | None = None,
    ) -> None:
        self.file = WrittenFile(path, connection)
        self.sequence = 0
        self.saved_sequence = 0
        self.trouble: Problem | None = None
        self._on_saved, self._on_audio_saved, self._on_problem = on_saved, on_audio_saved, on_problem
        self._rescue = rescue
        self._beat = beat
        self._beaten_s = -BEAT_S  # the first beat is at once
        self._state = state  # the whole project as it is in memory, for the rescue; values are shared, not copied
        self._batch = Batch()
        self._unrescued = Batch()  # what came while the file could not be written, for the rescue alone
        self._segments: deque[Segment] = deque()
        self._in_commit = Batch()  # what is being written at the moment
        self._jobs: deque[tuple[Callable[[Any], Any], Future[Any], bool]] = deque()
        self._changed = threading.Condition()
        self._hurry = False
        self._closing = False
        self._failures = 0
        self._retry_at_s = 0.0
        self._checkpointed = True
        self._thread = threading.Thread(target=self._run, name=f"write {path.name}", daemon=True)
        self._lag = LagWatch(self._changed, self._waiting_since_s, self._tell_lag)
        self._thread.start()

    # -- any thread

    @property
    def path(self) -> Path:
        return self.file.path

    def add(self, update: Batch) -> int:
        """Hand in changes that belong together; returns their sequence number."""
        with self._changed:
            self.sequence += 1
            update.sequence = self.sequence
            if update.first_s is None:
                update.first_s = time.monotonic()
            self._batch.add(update)
            if self.trouble is not None:
                self._unrescued.add(update)
            self._state.add(update, forget_removed=True)
            self._state.clips.clear()  # clips are written once and not needed again
            self._changed.notify_all()
            return self.sequence

    def add_segment(self, segment: Segment) -> None:
        """Hand in audio. Raises MemoryError when too much of it waits: the file cannot be written, or too slowly."""
        with self._changed:
            if self._waiting_bytes() > MAX_WAITING_BYTES:
                raise MemoryError(problem("memory", self.path).message)
            self._segments.append(segment)
            self._changed.notify_all()

    def unsaved(self, take_id: str) -> list[Segment]:
        """Segments of a take that are not committed yet, in order."""
        with self._changed:
            return [segment for segment in self._segments if segment.take_id == take_id]

    def unsaved_clip(self, sha256: str) -> bytes | None:
        """The bytes of a clip that is not committed yet."""
        with self._changed:
            waiting = self._batch.clips.get(sha256) or self._in_commit.clips.get(sha256)
        return waiting[1] if waiting is not None else None

    def call(self, job: Callable[[Any], T], *, anyway: bool = False) -> Future[T]:
        """Run `job(connection)` on the writing thread, after everything handed in so far was tried.

        Args:
            anyway: run it also when the file cannot be opened; the connection is None then.
        """
        future: Future[T] = Future()
        with self._changed:
            if self._closing:
                future.set_exception(ProjectError("The project was closed.", "Open it and try again."))
                return future
            self._jobs.append((job, future, anyway))
            self._hurry = True
            self._changed.notify_all()
        return future

    def flush(self, timeout_s: float = 10.0) -> bool:
        """Wait until everything handed in so far is committed. False when it could not be, or not in time."""
        end_s = time.monotonic() + timeout_s
        with self._changed:
            wanted = self.sequence
            last = self._segments[-1] if self._segments else None
            self._hurry = True
            self._retry_at_s = 0.0
            self._changed.notify_all()
            failures = self._failures
            while self.saved_sequence < wanted or (last is not None and last in self._segments):
                left = end_s - time.monotonic()
                if left <= 0 or self._failures > failures or not self._thread.is_alive():
                    return False
                self._changed.wait(left)
            return True

    def flush_or_raise(self, timeout_s: float) -> None:
        """As `flush`. Raises ProjectError with the reason when it cannot be."""
        if not self.flush(timeout_s):
            trouble = self.trouble
            if trouble is not None:
                raise ProjectError(trouble.message, trouble.remedy)
            raise ProjectError(f"{self.path.name} takes too long to write.", "Save it on another drive.")

    def close(self, timeout_s: float = 30.0) -> bool:
        """Write what is left, put the file to rest and end. False when something could not be written."""
        with self._changed:
            self._closing = True
            self._retry_at_s = 0.0
            self._changed.notify_all()
        self._thread.join(timeout_s)
        return self.trouble is None and not self._batch and not self._segments

    def pump(self) -> None:
        """Called by a long job on the writing thread: write what is due in between."""
        with self._changed:
            due = bool(self._segments) or self._due(time.monotonic())
        if due:
            self._write()

    # -- the writing thread

    def _run(self) -> None:
        while True:
            with self._changed:
                now = time.monotonic()
                while not self._ready(now):
                    timeout = self._patience(now)
                    if not self._changed.wait(timeout) and timeout is not None and self._idle():
                        break
                    now = time.monotonic()
                closing = self._closing
                waiting = bool(self._batch or self._segments)
                idle = not waiting and not self._jobs
                blocked = self.trouble is not None and now < self._retry_at_s
            if blocked and not closing:
                self._save_to_rescue()
            elif waiting:
                self._write()
            elif idle and not closing:
                self._rest_a_little()
            self._work()
            with self._changed:
                if closing and (self.trouble is not None or not (self._batch or self._segments)) and not self._jobs:
                    break
        self._finish()

    def _idle(self) -> bool:
        return not (self._batch or self._segments or self._jobs)

    def _due(self, now: float) -> bool:
        return self._batch.first_s is not None and (self._hurry or now >= self._batch.first_s + WINDOW_S)

    def _ready(self, now: float) -> bool:
        if self._closing or self._jobs:
            return True
        if self.trouble is not None and now < self._retry_at_s:
            first_s = self._unrescued.first_s
            return self._rescue is not None and first_s is not None and now >= first_s + WINDOW_S
        return bool(self._segments) or self._due(now)

    def _patience(self, now: float) -> float | None:
        if self.trouble is not None and (self._batch or self._segments):
            retry_s = max(0.0, self._retry_at_s - now)
            return min(retry_s, WINDOW_S) if self._unrescued.first_s is not None else retry_s
        if self._batch.first_s is not None:
            return max(0.0, self._batch.first_s + WINDOW_S - now)
        beat_s = max(0.0, self._beaten_s + BEAT_S - now) if self._beat is not None else None
        return beat_s if self._checkpointed else IDLE_S

    def _write(self) -> None:
        """One commit: all changes that wait, and the next segment; with a take that ends, all of its segments."""
        with self._changed:
            batch, self._batch = self._batch, Batch()
            ending = {take_id for take_id, take in batch.takes.items() if take is not None and take.state != "making"}
            segments = [segment for at, segment in enumerate(self._segments) if at == 0 or segment.take_id in ending]
            self._hurry = False
            self._in_commit = batch
        try:
            for segment in segments:
                segment.encode()
            self.file.commit(batch, segments)
        except (sqlite3.Error, OSError, MemoryError) as error:
            self._failed(error, batch, segments)
            return
        self._checkpointed = False
        with self._changed:
            self._segments = deque(segment for segment in self._segments if segment not in segments)
            if batch:
                self.saved_sequence = max(self.saved_sequence, batch.sequence)
            solved = self.trouble is not None
            self.trouble = None
            self._unrescued = Batch()
            self._failures = 0
            self._in_commit = Batch()
            self._changed.notify_all()
        if solved:
            if self._rescue is not None:
                self._rescue.discard()
            self._on_problem(None)
        for segment in segments:
            self._on_audio_saved(segment.take_id, segment.start + segment.samples)
        if batch.sequence:  # not for a beat
            self._on_saved(batch.sequence)

    def _failed(self, error: BaseException, batch: Batch, segments: list[Segment]) -> None:
        _log.warning("Saving %s failed: %s", self.path, error)
        with self._changed:
            self._unrescued.add(batch)
        rescued = self._save_to_rescue()
        now_trouble = problem_of(error, self.path, rescued)
        if now_trouble.kind in ("lost", "permission", "damaged", "other"):
            self.file.let_go()
        with self._changed:
            self._in_commit = Batch()
            newer, self._batch = self._batch, batch
            self._batch.add(newer)
            if not self._batch:
                self._batch.first_s = None
            told = self.trouble
            self.trouble = now_trouble
            self._failures += 1
            self._retry_at_s = time.monotonic() + RETRY_S[min(self._failures, len(RETRY_S)) - 1]
            self._changed.notify_all()
        if told != now_trouble:
            self._on_problem(now_trouble)

    def _save_to_rescue(self) -> Path | None:
        """Put what waits into the rescue file; where that is, or None when there is none or it cannot be written
        either."""
        with self._changed:
            batch, self._unrescued = self._unrescued, Batch()
            segments = list(self._segments)
        if self._rescue is None:
            return None
        return self._rescue.path if self._rescue.write(self.whole_state, batch, segments) else None

    def _work(self) -> None:
        while True:
            with self._changed:
                if not self._jobs:
                    return
                job, future, anyway = self._jobs.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                connection: sqlite3.Connection | None = None
                try:
                    connection = self.file.open()
                except (sqlite3.Error, OSError):
                    if not anyway:
                        raise
                future.set_result(job(connection))
            except BaseException as error:
                future.set_exception(error)

    def switch(self, path: Path, settle: Callable[[], None]) -> None:
        """For a job: see `WrittenFile.switch`. What waits goes into the new file."""
        self.file.switch(path, settle)
        with self._changed:
            self._retry_at_s = 0.0
            self._changed.notify_all()

    def whole_state(self) -> Batch:
        """Everything of the project but audio and clips, as it is in memory."""
        with self._changed:
            whole = Batch()
            whole.add(self._state)
            return whole

    def _rest_a_little(self) -> None:
        """Say that the writer lives; in quiet moments the file itself holds everything, so that copies of it are
        whole."""
        if self._beat is not None and time.monotonic() >= self._beaten_s + BEAT_S:
            self._beaten_s = time.monotonic()
            with self._changed:
                self._batch.add(Batch(meta={"lock": self._beat()}, first_s=time.monotonic()))
            return
        if self._checkpointed:
            return
        self._checkpointed = True
        self.file.gather()

    def _finish(self) -> None:
        self._lag.end()
        if self._rescue is not None:
            self._rescue.close()
        self.file.close(sign_off=self._beat is not None and self.trouble is None)
        with self._changed:
            self._changed.notify_all()

    # -- a slow disk

    def _waiting_since_s(self) -> float | None:
        """Since when the oldest of what waits does; None in trouble too, which is told by itself."""
        if self.trouble is not None:
            return None
        since = [batch.first_s for batch in (self._in_commit, self._batch) if batch]
        since += [self._segments[0].handed_in_s] if self._segments else []
        return min((each for each in since if each is not None), default=None)

    def _tell_lag(self, late: bool) -> None:
        with self._changed:
            troubled = self.trouble is not None
        if not troubled:
            self._on_problem(problem("slow", self.path) if late else None)

    def _waiting_bytes(self) -> int:
        return sum(len(segment.flac) if segment.flac is not None else segment.samples * 8 for segment in self._segments)
