"""Opens and makes project files: locks, checks, repairs, and reads everything but the audio."""

from __future__ import annotations

import errno
import hashlib
import os
import sqlite3
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.model.errors import ProjectError
from app.model.take import Take
from app.paths import Paths
from app.services import store_audio, store_copy, store_names, store_network, store_repair, store_rows
from app.services.store_copy import Tick
from app.services.store_draft import Draft
from app.services.store_file import open_to_write
from app.services.store_lock import Holder, Lock
from app.services.store_network import WorkingCopy
from app.services.store_rows import Rows
from app.services.store_same_file import written_as
from app.services.store_schema import (
    VERSION,
    DamagedProjectError,
    begin_writing,
    bounded,
    check_header,
    check_identity,
    check_schema,
    connect,
    migrate,
)

SUFFIX = ".mvs"
_FAULTS_KEPT = "faults_kept"  # in the small table: which faults, and the name of the file before them
_READ_LIMIT_S = 60.0
_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_FORMAT", "SQLITE_TOOBIG", "SQLITE_MISMATCH", "SQLITE_ERROR")


@dataclass
class Opened:
    """A project file that is open.

    Attributes:
        path: as the person knows it.
        rows: everything but the audio.
        connection: the writing one; None when it is read-only.
        lock: held while it is written.
        copy: the local copy of a project on a network drive.
        is_untitled: it lives in the profile and has no name of the person's.
        interrupted: takes that were being made when the program ended; incomplete now, and not written yet.
        notices: for the person.
    """

    path: Path
    rows: Rows
    connection: sqlite3.Connection | None
    lock: Lock | None
    copy: WorkingCopy | None = None
    is_untitled: bool = False
    interrupted: dict[str, Take | None] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)


class OpeningTakesLongError(ProjectError):
    """It was to be opened at once, and that cannot be: the file is damaged, far away, or to be copied first."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path.name} takes a while to open.", "Open it in the background.")


class NoRoomToUpdateError(ProjectError):
    """The file is of an older version, and there is no room to keep it and bring it up to date; it can be read."""

    def __init__(self, path: Path, why: object) -> None:
        super().__init__(
            f"{path.name} is of an older version, and there is no room for a copy of it ({why}).",
            "Free some space, or open it read-only.",
        )


def create_file(path: Path, paths: Paths, *, is_untitled: bool = False, draft: Draft | None = None) -> Opened:
    """A new project file, empty or with what a draft holds.

    Raises:
        ProjectError: it exists or cannot be made.
    """
    path = path.absolute()
    store_names.check_name(path)
    try:
        there = path.exists()
    except OSError as error:  # a folder that may not be looked into
        raise _not_written(path, error) from error
    if there:
        raise _there(path)
    lock: Lock | None = None
    part: Path | None = None
    copy = None if is_untitled else store_network.copy_for(paths, path)
    rows, first = (draft or Draft()).first()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = Lock(path)
        if os.path.lexists(path):  # it was made since by somebody who had the lock then
            raise _there(path)
        if copy is not None:
            copy.begin()
        file = copy.file if copy is not None else path
        store_copy.remove_parts(file)
        # Under its name there is never less than a whole project, whenever the program ends.
        part = store_copy.part_of(file)
        store_copy.rebuild_to(None, part, lambda _: True, lambda _: None, first)
        store_copy.settle(part, file)
        lock.hold_file(file)
        connection = open_to_write(file)
    except BaseException as error:
        if lock is not None:
            lock.release()
        if part is not None:
            store_copy.discard(part)
        if isinstance(error, (OSError, sqlite3.Error)):
            raise _not_written(path, error) from error
        raise
    return Opened(path, rows, connection, lock, copy, is_untitled)


def _there(path: Path) -> ProjectError:
    return ProjectError(f"{path.name} exists already.", "Choose another name, or open it.")


def _not_written(path: Path, error: Exception) -> ProjectError:
    why = error.strerror if isinstance(error, OSError) and error.strerror else error
    return ProjectError(f"{path} cannot be written ({why}).", "Choose another folder or another name.")


def path_of(path: Path) -> Path:
    """Where a project is, wherever a link to it stands: one project has one lock."""
    path = path.absolute()
    return Path(os.path.realpath(path)) if os.path.islink(path) else path


def open_file(
    path: Path,
    paths: Paths,
    *,
    read_only: bool = False,
    force: bool = False,
    at_once: bool = False,
    progress: Tick | None = None,
) -> Opened:
    """Open a project file. See `ProjectStore.open`."""
    path = path_of(path)
    copy = None if read_only else store_network.copy_for(paths, path)
    if at_once and copy is not None:
        raise OpeningTakesLongError(path)
    how = _How(force, at_once, progress)
    try:
        is_file = path.is_file()
    except OSError as error:
        store_names.explain(path, error, "Choose another project.")
        raise ProjectError(f"{path.name} cannot be opened ({error.strerror}).", "Choose another project.") from error
    if not is_file and (copy is None or copy.is_published):
        raise ProjectError(f"There is no file {path}.", "Choose another project.")
    notices: list[str] = []
    if not read_only and path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        read_only, copy = True, None
        notices.append(f"{path.name} can only be read here. Save it under another name to keep changes.")
    lock = None if read_only else Lock(path, force=force)
    if lock is None and (other := written_as(path)) is not None:
        path = other  # its log stands beside that name
    file = path
    try:
        if copy is not None:
            notices += [notice] if (notice := copy.fetch(progress)) else []
            file = copy.file
        if lock is not None:
            lock.hold_file(file)
            store_copy.remove_parts(file)  # nobody else is at work on one
        try:
            connection, rows = read(file, lock, how)
        except DamagedProjectError as error:
            if lock is None:
                remedy = "Open it for writing: what is whole is read, and a copy is kept."
                raise DamagedProjectError(error.message, remedy) from error
            if at_once:
                raise OpeningTakesLongError(path) from error
            notices += store_repair.repair(file, progress).notices
            lock.hold_file(file)
            connection, rows = read(file, lock, how)
    except BaseException as error:
        if lock is not None:
            lock.release()
        if isinstance(error, (sqlite3.Error, OSError)):
            store_names.explain(path, error, "Give the file a shorter name, then open it again.")
            raise ProjectError(
                f"{path.name} cannot be opened ({error}).", "Try again, or open a copy of it."
            ) from error
        raise
    interrupted = end_takes(rows, connection)
    if read_only:
        connection.close()
    is_untitled = path.parent == paths.untitled.absolute()
    notices += how.notices + rows.doubts.notices + rows.faults
    return Opened(path, rows, None if read_only else connection, lock, copy, is_untitled, interrupted, notices)


@dataclass(frozen=True)
class _How:
    """How a file is opened; see `ProjectStore.open`. `notices` gathers what was done to it."""

    force: bool = False
    at_once: bool = False
    progress: Tick | None = None
    notices: list[str] = field(default_factory=list)

    def keep_copy(self, path: Path, kept: Path) -> None:
        """Keep the file under another name before it is changed."""
        if self.at_once:
            raise OpeningTakesLongError(path)
        if not kept.exists():
            # Under its name there is never half a copy, which the next opening would take for the whole.
            part = store_copy.part_of(path)
            try:
                store_copy.copy_file(path, part, self.progress)
                with part.open("rb+") as file:
                    os.fsync(file.fileno())
                os.replace(part, kept)
            finally:
                store_copy.discard(part)


def read(path: Path, lock: Lock | None, how: _How) -> tuple[sqlite3.Connection, Rows]:
    """Open and check a project.

    Args:
        lock: held on it; None opens read-only.

    Returns:
        The connection (writing with a lock), and everything but the audio.

    Raises:
        DamagedProjectError: it must be repaired.
        ProjectError, OSError, sqlite3.Error: it cannot be opened.
    """
    check_header(path)
    try:
        connection = _connect(path, write=lock is not None)
    except sqlite3.DatabaseError as error:
        raise _damaged_or_not(path, error) from error
    except UnicodeDecodeError as error:  # SQLite quotes what it found
        raise DamagedProjectError(f"{path.name} is damaged.") from error
    try:
        version = check_identity(connection, path)
        check_schema(connection, path, version=version)  # first: nothing that a file brings along may run
        if version < VERSION and lock is not None:
            _bring_up_to_date(path, connection, version, how)
        if lock is not None:
            begin_writing(connection, path)
        with bounded(connection, _READ_LIMIT_S):
            rows = store_rows.read_rows(connection)
        if lock is not None and "lock" in rows.meta:
            lock.check(Holder.from_text(rows.meta["lock"]), how.force)
        if (rows.faults or rows.doubts.mark) and lock is not None:
            _keep_faulty(path, connection, rows, how)
            store_rows.forget_lost_steps(connection, rows)
        return connection, rows
    except sqlite3.DatabaseError as error:
        connection.close()
        raise _damaged_or_not(path, error) from error
    except UnicodeDecodeError as error:
        connection.close()
        raise DamagedProjectError(f"{path.name} is damaged.") from error
    except BaseException:
        connection.close()
        raise


def _bring_up_to_date(path: Path, connection: sqlite3.Connection, version: int, how: _How) -> None:
    """Keep a file of an older version as it is, and bring it to this one."""
    # What the program that wrote it left beside the file belongs into the copy too.
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    kept = store_copy.named_beside(path, f"version {version}, {time.strftime('%Y-%m-%d')}")
    try:
        how.keep_copy(path, kept)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise
        raise NoRoomToUpdateError(path, error.strerror) from error
    try:
        with bounded(connection, _READ_LIMIT_S):
            migrate(connection, version)
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorname", "") != "SQLITE_FULL":
            raise
        raise NoRoomToUpdateError(path, error) from error
    check_schema(connection, path)
    how.notices.append(f"{path.name} was of an older version and is of this one now.")
    how.notices.append(f"The file as it was is kept as {kept}.")


def _keep_faulty(path: Path, connection: sqlite3.Connection, rows: Rows, how: _How) -> None:
    """Values could not be read, or were altered: before anything is written over them, the file is kept, once."""
    faults = f"{rows.fault_count} {hashlib.sha256(''.join(rows.faults).encode()).hexdigest()}"
    known, _, name = rows.meta.get(_FAULTS_KEPT, "").partition("\n")
    known, _, mark = known.partition("/")
    if known != faults or str(rows.doubts.mark) not in ("0", mark):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        kept = store_copy.kept_name(path)
        how.keep_copy(path, kept)
        name = kept.name
        rows.meta[_FAULTS_KEPT] = f"{faults}/{rows.doubts.mark}\n{name}"
        store_rows.write_meta(connection, _FAULTS_KEPT, rows.meta[_FAULTS_KEPT])
    rows.faults.append(f"The file as it was is kept as {name}.")


def read_rows_of(path: Path) -> Rows:
    """Everything of a project but its audio, from a file that nobody writes. Raises as `read`."""
    connection, rows = read(path, None, _How())
    connection.close()
    return rows


def _connect(path: Path, *, write: bool) -> sqlite3.Connection:
    connection = connect(path, write=write)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        return connection
    except sqlite3.OperationalError:
        connection.close()
        if write or path.with_name(path.name + "-wal").exists():
            raise
    # A read-only medium, where SQLite may not even make its shared index.
    return connect(path, immutable=True)


def _damaged_or_not(path: Path, error: sqlite3.DatabaseError) -> Exception:
    name = str(getattr(error, "sqlite_errorname", "") or "SQLITE_CORRUPT")
    return DamagedProjectError(f"{path.name} is damaged ({error}).") if name.startswith(_DAMAGE) else error


def end_takes(rows: Rows, connection: sqlite3.Connection) -> dict[str, Take | None]:
    """Takes that were being made when the program ended are incomplete: what is in the file counts. Returns them by
    id."""
    ended: dict[str, Take | None] = {}
    for at, take in enumerate(rows.takes):
        if take.state == "making":
            samples = store_audio.stored_samples(connection, take.id)
            take = replace(take, state="incomplete", stop_reason="interrupted", seconds=samples / store_audio.RATE)
            rows.takes[at] = ended[take.id] = take
    return ended
