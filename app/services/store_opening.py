"""Reads a project file whole, or says that it is damaged."""

from __future__ import annotations

import shutil
import sqlite3
import time
from dataclasses import replace
from pathlib import Path

from app.model.errors import ProjectError
from app.model.take import Take
from app.services import store_audio, store_rows
from app.services.store_lock import Holder, Lock
from app.services.store_rows import Rows
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

_READ_LIMIT_S = 60.0
_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_FORMAT", "SQLITE_TOOBIG", "SQLITE_MISMATCH", "SQLITE_ERROR")


def read(path: Path, lock: Lock | None, force: bool) -> tuple[sqlite3.Connection, Rows]:
    """Open and check a project.

    Args:
        lock: held on it; None opens read-only.
        force: as for `Lock`.

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
    try:
        version = check_identity(connection, path)
        if version < VERSION and lock is not None:
            kept = path.with_name(f"{path.stem} (version {version}, {time.strftime('%Y-%m-%d')}){path.suffix}")
            if not kept.exists():
                shutil.copyfile(path, kept)
            migrate(connection, version)
        elif version < VERSION:
            raise ProjectError(f"{path.name} is of an older version.", "Open it for writing once, to bring it up to date.")
        check_schema(connection, path)
        if lock is not None:
            begin_writing(connection)
        with bounded(connection, _READ_LIMIT_S):
            rows = store_rows.read_rows(connection)
        if lock is not None and "lock" in rows.meta:
            lock.check(Holder.from_text(rows.meta["lock"]), force)
        if rows.faults and lock is not None:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            _keep_before_loss(path, rows)
        return connection, rows
    except sqlite3.DatabaseError as error:
        connection.close()
        raise _damaged_or_not(path, error) from error
    except BaseException:
        connection.close()
        raise


def read_rows_of(path: Path) -> Rows:
    """Everything of a project but its audio, from a file that nobody writes. Raises as `read`."""
    connection, rows = read(path, None, False)
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


def _keep_before_loss(path: Path, rows: Rows) -> None:
    """Single values could not be read: before anything is written over them, keep the file as it is."""
    kept = path.with_name(f"{path.stem} (damaged {time.strftime('%Y-%m-%d %H.%M.%S')}){path.suffix}")
    shutil.copyfile(path, kept)
    rows.faults.append(f"The file as it was is kept as {kept.name}.")


def end_takes(rows: Rows, connection: sqlite3.Connection) -> dict[str, Take | None]:
    """Takes that were being made when the program ended are incomplete: what is in the file counts. Returns them by id."""
    ended: dict[str, Take | None] = {}
    for at, take in enumerate(rows.takes):
        if take.state == "making":
            samples = store_audio.stored_samples(connection, take.id)
            take = replace(take, state="incomplete", stop_reason="interrupted", seconds=samples / store_audio.RATE)
            rows.takes[at] = ended[take.id] = take
    return ended
