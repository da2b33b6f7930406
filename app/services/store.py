"""An open project and its file: what is changed is in the file a moment later."""

from __future__ import annotations

import contextlib
import json
import logging
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import numpy as np

from app.model import checks
from app.model.block import new_id
from app.model.commands import PutTake
from app.model.errors import FormatError, ProjectError
from app.model.history import History, Recorded
from app.model.project import Project
from app.model.signal import Signal
from app.model.take import Take
from app.paths import Paths, paths_for
from app.services import store_clips, store_moves, store_opening, store_sessions, store_snapshots, store_sums
from app.services.store_audio import Segment, TakeAudioError
from app.services.store_changes import Changes
from app.services.store_draft import Draft
from app.services.store_lock import Lock
from app.services.store_network import Publisher, WorkingCopy
from app.services.store_opening import SUFFIX, Opened
from app.services.store_problem import Problem
from app.services.store_rescue import RescueFile
from app.services.store_rows import Batch
from app.services.store_schema import connect
from app.services.store_sessions import Session
from app.services.store_snapshots import Snapshot
from app.services.store_takes import TakeReader, TakeWriter
from app.services.store_writer import Writer
from app.services.take_cache import Lease, TakeCache

__all__ = ["SUFFIX", "Deliver", "ProjectStore"]

_log = logging.getLogger(__name__)
T = TypeVar("T")

_ASKED = "asked"
_LOOK_S = 0.2

Deliver = Callable[[Callable[[], None]], None]


def _at_once(call: Callable[[], None]) -> None:
    call()


class ProjectStore:
    """A project and the file it lives in.

    Made by `open`, `create` or `untitled`, ended by `close`. Everything but `read_take` and `TakeWriter.append` belongs
    on one thread, that of the project.

    Attributes:
        path: the file, as the person knows it.
        file: what is written: the same, or the local copy of a file on a network drive.
        paths: the profile it belongs to.
        project, history: what is worked on; the store listens to the history and writes.
        read_only: nothing is written; edits live in memory alone.
        is_untitled: it lives in the profile and was never saved by the person.
        notices: what the person should know about the opening, in plain words.
        id: of the project; a copy by Save As has another one.
        changed_at_s: when it was changed last before it was opened, seconds since the epoch.
        interrupted_takes: ids of takes that were being made when the program ended last; they are incomplete now.

    Signals (through `deliver`, which a window sets to post into its own thread):
        problem(Problem | None): saving does not work at the moment; None: it works again.
        saved(sequence): everything up to this change is in the file; compare with `sequence`.
        audio_saved(take_id, samples): so many samples of a take are in the file.
        moved(path): the project lives in another file now.
    """

    def __init__(self, opened: Opened, paths: Paths, deliver: Deliver | None = None) -> None:
        """For `open`, `create` and `untitled`."""
        self.problem, self.saved, self.audio_saved, self.moved = Signal(), Signal(), Signal(), Signal()
        rows = opened.rows
        self.path = opened.path
        self.file = opened.copy.file if opened.copy is not None else opened.path
        self.paths = paths
        self.read_only = opened.connection is None
        self.is_untitled = opened.is_untitled
        self.notices = list(opened.notices)
        self.interrupted_takes = tuple(opened.interrupted)
        self.id = rows.meta.get("project", "")
        self._asked = rows.meta.get(_ASKED, "[]")
        changed = rows.meta.get("changed_at_s", "")
        self.changed_at_s = float(changed) if changed.replace(".", "", 1).isdigit() and len(changed) < 30 else 0.0
        self._deliver = deliver or _at_once
        self._lock = opened.lock
        self._closed = False
        self._altered = bool(rows.doubts.mark)
        self._session: Session | None = None
        self._publisher: Publisher | None = None
        self._lease: Lease | None = None
        self._new_keys: set[str] = set()
        self.project = Project(
            (block for block, _ in rows.blocks),
            takes=rows.takes,
            voices=rows.voices,
            lexicon=rows.lexicon,
            settings=rows.settings,
        )
        self.history = History(self.project, steps=rows.steps, done=rows.done)
        self._changes = Changes(self.project, self.history, rows)
        self._writer: Writer | None = None
        if opened.copy is not None:
            self._publish_to(opened.copy)
        if opened.connection is not None:
            self._session = store_sessions.begin(paths, self.path)
            self._writer = self._start_writer(opened.connection, rows.meta)
            if opened.interrupted:
                self._writer.add(Batch(takes=opened.interrupted))
            if not rows.blocks:  # none of a damaged file's could be read
                self._writer.add(self._changes.first_batch(rows.meta))
        self.history.recorded.connect(self._recorded)
        self.takes = TakeReader(lambda: connect(self.file), self._writer)

    # -- opening

    @classmethod
    def create(
        cls,
        path: Path,
        *,
        paths: Paths | None = None,
        deliver: Deliver | None = None,
        draft: Draft | None = None,
    ) -> ProjectStore:
        """A new project in a new file, which is there whole or not at all: empty, or with what a draft holds.

        Raises:
            ProjectError: the file exists or cannot be made.
        """
        where = paths or paths_for()
        return cls(store_opening.create_file(path, where, draft=draft), where, deliver)

    @classmethod
    def untitled(cls, paths: Paths | None = None, *, deliver: Deliver | None = None) -> ProjectStore:
        """A new project that was given no name yet: a real file in the profile."""
        where = paths or paths_for()
        name = f"{datetime.now():%Y-%m-%d %H.%M.%S} {new_id()[:6]}{SUFFIX}"
        return cls(store_opening.create_file(where.untitled / name, where, is_untitled=True), where, deliver)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        paths: Paths | None = None,
        deliver: Deliver | None = None,
        read_only: bool = False,
        force: bool = False,
        at_once: bool = False,
        progress: Callable[[float], None] | None = None,
    ) -> ProjectStore:
        """Open a project. A damaged one is repaired after a copy of it was kept; `notices` tell.

        Args:
            read_only: change nothing in the file.
            force: take the lock from a holder on another machine that is gone.
            at_once: rather fail than repair or copy the file, which may take minutes; for a thread that must not wait.
            progress: called with 0..1 while that is done; may raise to cancel, which leaves everything as it was.

        Raises:
            OpeningTakesLongError: it cannot be opened `at_once`.
            ProjectLockedError, NotAProjectError, NewerProjectError, DamagedProjectError, ProjectError.
        """
        where = paths or paths_for()
        opened = store_opening.open_file(
            path, where, read_only=read_only, force=force, at_once=at_once, progress=progress
        )
        return cls(opened, where, deliver)

    def _start_writer(self, connection: sqlite3.Connection, meta: dict[str, str]) -> Writer:
        state = self.state()
        state.meta = meta | state.meta
        return Writer(
            self.file,
            connection,
            state,
            on_saved=self._was_saved,
            on_audio_saved=lambda take_id, samples: self._deliver(lambda: self.audio_saved.emit(take_id, samples)),
            on_problem=lambda problem: self._deliver(lambda: self.problem.emit(problem)),
            rescue=RescueFile(self.paths.profile / "rescue", lambda: self.path),
            beat=lambda: self._lock.beat() if self._lock is not None else "",
        )

    def _was_saved(self, sequence: int) -> None:
        """On the writing thread."""
        publisher, lease = self._publisher, self._lease
        if publisher is not None:
            publisher.changed()
        if lease is not None and self._new_keys:
            keys, self._new_keys = self._new_keys, set()
            lease.hold(keys)
        self._deliver(lambda: self.saved.emit(sequence))

    def _publish_to(self, copy: WorkingCopy) -> None:
        self._publisher = Publisher(copy, lambda problem: self._deliver(lambda: self.problem.emit(problem)))

    # -- saving

    def _recorded(self, recorded: Recorded) -> None:
        """Hand one change, with its part of the history, to the writer."""
        batch = self._changes.batch_of(recorded)
        if self._lease is not None:
            self._new_keys.update(take.key for take in batch.takes.values() if take is not None)
        if self._writer is not None:
            self._writer.add(batch)

    def state(self) -> Batch:
        """The whole project as it is in memory, without audio and clips."""
        return self._changes.state(self.id)

    @property
    def sequence(self) -> int:
        """Number of the last change; `saved` tells when it is in the file."""
        return self._writer.sequence if self._writer is not None else 0

    @property
    def is_saved(self) -> bool:
        return self._writer is None or self._writer.saved_sequence >= self._writer.sequence

    @property
    def is_far(self) -> bool:
        """Whether it lives on a network drive: closing then copies it there, which takes long."""
        return self._publisher is not None

    @property
    def trouble(self) -> Problem | None:
        """Why nothing can be saved at the moment, or None."""
        return self._writer.trouble if self._writer is not None else None

    def flush(self, timeout_s: float = 10.0) -> bool:
        """Wait until everything is in the file; False when it cannot be written, or not in time."""
        return self._writer is None or self._writer.flush(timeout_s)

    def flush_or_raise(self, timeout_s: float = 60.0) -> None:
        """Wait until everything is in the file. Raises ProjectError with the reason when that cannot be."""
        if not self.flush(timeout_s):
            trouble = self.trouble
            if trouble is not None:
                raise ProjectError(trouble.message, trouble.remedy)
            raise ProjectError(f"{self.path.name} takes too long to write.", "Save it on another drive.")

    def close(self) -> bool:
        """Save what is left and let the file go. False when something could not be saved; then it is in the rescue
        file."""
        if self._closed:
            return True
        self._closed = True
        self.takes.close()
        if self._altered and self._writer is not None:
            self._writer.call(store_sums.renew)  # it was told, and a copy was kept: now what is there counts
        saved = self._writer is None or self._writer.close()
        if self._lease is not None:
            self._lease.release()
        if self._publisher is not None:
            saved = self._publisher.close() and saved
        if self._session is not None:
            self._session.end()
        if self._lock is not None:
            self._lock.release()
        return saved

    def __enter__(self) -> ProjectStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- audio

    def begin_take(self, take: Take) -> TakeWriter:
        """Put a take that is being made into the project and the file; its audio follows through what is returned."""
        written_by = self._writing()
        making = replace(take, state="making", seconds=0.0)
        self.history.note(PutTake(making))
        writer = TakeWriter(
            making, written_by, self.history, lambda take_id: self.takes.open_writers.pop(take_id, None)
        )
        self.takes.open_writers[take.id] = writer
        return writer

    def read_take(self, take_id: str, start: int = 0, n: int | None = None) -> np.ndarray:
        """float32 `[n, 2]` at 48 kHz; shorter where the take ends. Any thread.

        Raises:
            TakeAudioError: its audio is damaged; the take is then marked incomplete.
        """
        try:
            return self.takes.read(take_id, start, n)
        except TakeAudioError:
            self._deliver(lambda: self._mark_damaged(take_id))
            raise

    def _mark_damaged(self, take_id: str) -> None:
        take = self.project.takes.get(take_id)
        if take is not None and take.state in ("done", "suspicious") and not self._closed:
            damaged = replace(take, state="incomplete", stop_reason="damaged")
            self.history.note(PutTake(damaged))

    def add_audio(self, segment: Segment) -> None:
        """Put a segment of a take into the file as it is; for recovery."""
        self._writing().add_segment(segment)

    def take_samples(self, take_id: str) -> int:
        """Length of a take's audio in samples. Any thread."""
        return self.takes.samples(take_id)

    # -- copies and pictures

    def save_as(self, target: Path, progress: Callable[[float], None] | None = None) -> None:
        """Copy the project to another file, replacing what is there, and go on in that one.

        May be called from a background task; the project can be worked on meanwhile. An untitled project's own file is
        removed.

        Args:
            progress: called with 0..1; may raise to cancel, which leaves everything as it was.

        Raises:
            ProjectLockedError: the target is open elsewhere.
            ProjectError: it cannot be written.
        """
        if self._writer is None:
            store_moves.save_copy(self, target, progress)
        else:
            store_moves.save_as(self, self._writer, target, progress)

    def compact(self, progress: Callable[[float], None] | None = None) -> Callable[[], store_moves.Compacted]:
        """Forget takes that no paragraph, no step of the history and no snapshot refers to.

        Returns a function that looks for them, forgets them (through `deliver`, on the thread of the project) and
        rewrites the file without them; it may run in a background task:
        `tasks.run(lambda task, rewrite=store.compact(): rewrite())`. It raises ProjectError when the file cannot be
        rewritten.
        """
        return store_moves.compact(self, self._writing(), progress)

    def on_its_thread(self, call: Callable[[], T]) -> T:
        """Run `call` where `deliver` puts calls, and wait for it. Not from the thread of the project itself, unless
        `deliver` calls at once.

        Raises:
            ProjectError: the project was closed before.
        """
        future: Future[T] = Future()

        def run() -> None:
            if self._closed:
                future.set_exception(ProjectError(f"{self.path.name} was closed.", "Open it and try again."))
                return
            try:
                future.set_result(call())
            except BaseException as error:
                future.set_exception(error)

        self._deliver(run)
        while True:
            done, _ = wait([future], timeout=_LOOK_S)
            if done:
                return future.result()
            if self._closed:  # nobody may be there any more to run it
                raise ProjectError(f"{self.path.name} was closed.", "Open it and try again.")

    def take_over(self, lock: Lock, path: Path, copy: WorkingCopy | None) -> None:
        """For `save_as`: the project lives at `path` now."""
        old, self.path = self.path, path
        self.file = copy.file if copy is not None else path
        publisher, self._publisher = self._publisher, None
        if publisher is not None and not publisher.close():
            _log.warning("%s keeps changes that did not reach the network", old)
        if copy is not None:
            self._publish_to(copy)
        if self._lock is not None:
            self._lock.release()
        self._lock = lock
        if self.is_untitled:
            old.unlink(missing_ok=True)
        self.is_untitled = False
        if self._session is not None:
            self._session.end()
        self._session = store_sessions.begin(self.paths, path)
        self._deliver(lambda: self.moved.emit(path))

    def hold_file(self) -> None:
        """For `compact`: another file has taken the place of the project's own."""
        if self._lock is not None:
            self._lock.hold_file(self.file)

    def begin_writing(self, connection: sqlite3.Connection) -> None:
        """For `save_copy`: a project that was read-only is written from now on."""
        self._writer = self._start_writer(connection, {})
        self.takes.written_by(self._writer)
        self.read_only = False

    def snapshots(self) -> list[Snapshot]:
        """Pictures of the script: `opened` is how it was when it was opened last, `daily` of the last days."""
        with contextlib.closing(connect(self.file)) as connection:
            return store_snapshots.snapshots(connection)

    def restore_snapshot(self, number: int) -> None:
        """Bring the script back as it was in a picture, as one step that can be undone. Raises FormatError."""
        with contextlib.closing(connect(self.file)) as connection:
            command = store_snapshots.restoring(connection, number, self.project)
        self.history.do(command)

    def _writing(self) -> Writer:
        if self._writer is None:
            raise ProjectError(f"{self.path.name} is open read-only.", "Save it under another name to change it.")
        return self._writer

    def lease_takes(self, cache: TakeCache) -> None:
        """Until the project is closed, none of its takes leaves the shared cache. May run in a background task."""
        # Known first: what is made from now on is held as it is saved.
        self._lease = lease = Lease(cache)
        lease.hold([take.key for take in list(self.project.takes.values())])
        if self._closed:
            lease.release()

    # -- what is to be made

    @property
    def asked(self) -> list[str]:
        """Ids of the blocks that were to be spoken when the project was left, in order; see `keep_asked`."""
        try:
            raw = checks.from_json_text(self._asked, "The lines to make", 16_000_000)
            return [checks.identifier(each, "A line") for each in checks.items(raw, "The lines to make", 200_000)]
        except FormatError:
            return []

    def keep_asked(self, block_ids: Sequence[str]) -> None:
        """Remember what is to be spoken, so that it can be gone on with after a restart. No edit, and not for undo."""
        text = json.dumps(list(block_ids))
        if text != self._asked:
            self._asked = text
            if self._writer is not None:
                self._writer.add(Batch(meta={_ASKED: text}))

    # -- clips

    def add_clip(self, data: bytes, name: str) -> str:
        """Keep a clip of a voice in the project, so that it travels with it; returns its SHA-256 (hex).

        Raises:
            ProjectError: it is larger than 64 MiB.
        """
        return store_clips.add(self._writer, data, name)

    def clip(self, sha256: str) -> bytes | None:
        """The bytes of a clip, or None when the project does not hold it or it was damaged."""
        return store_clips.read(self._writer, self.file, sha256)
