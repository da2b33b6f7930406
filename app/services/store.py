"""An open project and its file: what is changed is in the file a moment later."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import numpy as np

from app.model.block import new_id
from app.model.commands import PutTake
from app.model.errors import ProjectError
from app.model.history import History, Recorded
from app.model.signal import Signal
from app.model.take import Take
from app.paths import Paths, paths_for
from app.services import store_clips, store_moves, store_opening, store_snapshots, store_sums
from app.services.store_asked import Asked
from app.services.store_audio import Segment, TakeAudioError
from app.services.store_changes import Changes
from app.services.store_draft import Draft
from app.services.store_home import Home
from app.services.store_lock import Lock
from app.services.store_network import WorkingCopy
from app.services.store_opening import SUFFIX, Opened
from app.services.store_problem import Problem
from app.services.store_rescue import RescueFile
from app.services.store_rows import Batch
from app.services.store_schema import connect
from app.services.store_snapshots import Snapshot
from app.services.store_takes import TakeReader, TakeWriter
from app.services.store_thread import Deliver, at_once, call_and_wait
from app.services.store_writer import Writer
from app.services.take_cache import Lease, TakeCache

__all__ = ["SUFFIX", "Deliver", "ProjectStore"]

T = TypeVar("T")


class ProjectStore:
    """A project and the file it lives in.

    Made by `open`, `create` or `untitled`, ended by `close`. Everything but `read_take` and `TakeWriter.append` belongs
    on one thread, that of the project.

    Attributes:
        path, file, is_untitled: see `Home`.
        paths: the profile it belongs to.
        project, history: what is worked on; the store listens to the history and writes.
        read_only: nothing is written; edits live in memory alone.
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
        self.paths = paths
        self.read_only = opened.connection is None
        self.notices = list(opened.notices)
        self.interrupted_takes = tuple(opened.interrupted)
        self.id = rows.project_id
        self.changed_at_s = rows.changed_at_s
        self._asked = Asked(rows.meta)
        self._deliver = deliver or at_once
        self._home = Home(opened, paths, lambda problem: self._deliver(lambda: self.problem.emit(problem)))
        self._closed = False
        self._was_altered = bool(rows.doubts.mark)
        self._told = False
        self._lease: Lease | None = None
        self.project = rows.project()
        self.history = History(self.project, steps=rows.steps, done=rows.done)
        self._changes = Changes(self.project, self.history, rows)
        self._writer: Writer | None = None
        if opened.connection is not None:
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
            beat=self._home.beat,
        )

    def _was_saved(self, sequence: int) -> None:
        """On the writing thread."""
        self._home.saved()
        if self._lease is not None:
            self._lease.hold_coming()
        self._deliver(lambda: self.saved.emit(sequence))

    @property
    def path(self) -> Path:
        return self._home.path

    @property
    def file(self) -> Path:
        return self._home.file

    @property
    def is_untitled(self) -> bool:
        return self._home.is_untitled

    # -- saving

    def _recorded(self, recorded: Recorded) -> None:
        """Hand one change, with its part of the history, to the writer."""
        batch = self._changes.batch_of(recorded)
        if self._lease is not None:
            self._lease.soon(take.key for take in batch.takes.values() if take is not None)
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
    def is_far(self) -> bool:
        """Whether it lives on a network drive: closing then copies it there, which takes long."""
        return self._home.is_far

    @property
    def trouble(self) -> Problem | None:
        """Why nothing can be saved at the moment, or None."""
        return self._writer.trouble if self._writer is not None else None

    def flush(self, timeout_s: float = 10.0) -> bool:
        """Wait until everything is in the file; False when it cannot be written, or not in time."""
        return self._writer is None or self._writer.flush(timeout_s)

    def flush_or_raise(self, timeout_s: float = 60.0) -> None:
        """Wait until everything is in the file. Raises ProjectError with the reason when that cannot be."""
        if self._writer is not None:
            self._writer.flush_or_raise(timeout_s)

    def close(self) -> bool:
        """Save what is left and let the file go. False when something could not be saved; then it is in the rescue
        file."""
        if self._closed:
            return True
        self._closed = True
        self.takes.close()
        if self._was_altered and self._told and self._writer is not None:
            self._writer.call(store_sums.renew)  # a copy was kept, too: now what is there counts
        saved = self._writer is None or self._writer.close()
        if self._lease is not None:
            self._lease.release()
        return self._home.leave() and saved

    def notices_were_told(self) -> None:
        """A person has seen `notices`: what something else altered in the file need not be told again."""
        self._told = True

    def __enter__(self) -> ProjectStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- audio

    def begin_take(self, take: Take) -> TakeWriter:
        """Put a take that is being made into the project and the file; its audio follows through what is returned."""
        return self.takes.begin(take, self._writing(), self.history)

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
        return call_and_wait(self._deliver, call, lambda: self._closed, self.path.name)

    def take_over(self, lock: Lock, path: Path, copy: WorkingCopy | None) -> None:
        """For `save_as`: the project lives at `path` now."""
        self._home.move(lock, path, copy)
        self._deliver(lambda: self.moved.emit(path))

    def hold_file(self) -> None:
        """For `compact`: another file has taken the place of the project's own."""
        self._home.hold_file()

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
        return self._asked.block_ids

    def keep_asked(self, block_ids: Sequence[str]) -> None:
        """Remember what is to be spoken, so that it can be gone on with after a restart. No edit, and not for undo."""
        batch = self._asked.keep(block_ids)
        if batch and self._writer is not None:
            self._writer.add(batch)

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
