"""The one connection that writes a project file: opened again after trouble, switched to another file, put to rest."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from app.services import store_audio
from app.services.store_audio import Segment
from app.services.store_problem import FileGoneError
from app.services.store_rows import Batch, write_batch
from app.services.store_schema import begin_writing, connect, end_writing
from app.services.store_snapshots import day_of, keep_before_changes

_log = logging.getLogger(__name__)
now_s = time.time


def open_to_write(path: Path) -> sqlite3.Connection:
    """A writing connection to a file that is there, which is left closed on failure. Raises sqlite3.Error."""
    connection = connect(path, write=True)
    try:
        begin_writing(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


class WrittenFile:
    """A project file on the writing thread.

    Attributes:
        path: the file.
        connection: the writing one; None after trouble with the file, until it is opened again.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.connection: sqlite3.Connection | None = connection
        self._identity = _identity(path)
        self._pictured_at_s: float | None = None

    def open(self) -> sqlite3.Connection:
        """The connection. Raises sqlite3.Error, OSError, FileGoneError: another file, or none, is at the path now."""
        if self._identity is not None and _identity(self.path) != self._identity:
            raise FileGoneError(f"{self.path} is gone")
        if self.connection is None:
            self.connection = open_to_write(self.path)
        return self.connection

    def commit(self, batch: Batch, segments: list[Segment]) -> None:
        """Write all of it or nothing. When this returns, it survives a power cut. Raises sqlite3.Error, OSError."""
        connection = self.open()
        if "changed_at_s" in batch.meta:
            self._keep_picture(connection)
        with _transaction(connection):
            write_batch(connection, batch)
            for segment in segments:
                store_audio.insert(connection, segment)

    def _keep_picture(self, connection: sqlite3.Connection) -> None:
        """Before the first change of a day, also when the project stays open over night."""
        now, last = now_s(), self._pictured_at_s
        if last is None or day_of(last) != day_of(now):
            keep_before_changes(connection, now, just_opened=last is None)
            self._pictured_at_s = now

    def let_go(self) -> None:
        """Close the connection without more ado, after trouble."""
        if self.connection is not None:
            try:
                self.connection.close()
            except sqlite3.Error as error:
                _log.warning("A project file did not close well: %s", error)
            self.connection = None

    def switch(self, path: Path, settle: Callable[[], None]) -> None:
        """Put the file to rest, call `settle`, and write to the file that is at `path` then.

        When `settle` raises, the old one is opened again by the next writing; so is a new one that has taken its place
        and cannot be opened at once.

        Raises:
            sqlite3.OperationalError: somebody else reads the file, so it cannot be put to rest.
        """
        if self.connection is not None:
            if path == self.path:
                end_writing(self.connection)  # a log that stayed behind would be read as part of the new file
            else:
                self._rest()
            self.let_go()
        settle()
        if path == self.path:
            self._identity = _identity(path)
            with contextlib.suppress(sqlite3.Error, OSError):
                self.open()
            return
        self.connection, self.path, self._identity = open_to_write(path), path, _identity(path)

    def gather(self) -> None:
        """Bring the write-ahead log into the file itself, so that copies of it are whole."""
        try:
            if self.connection is not None:
                self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:
            _log.info("Checkpoint of %s put off: %s", self.path, error)

    def close(self, *, sign_off: bool) -> None:
        """Put it to rest for good.

        Args:
            sign_off: say in it that nobody has it open any more.
        """
        if self.connection is None:
            return
        if sign_off:
            try:
                self.connection.execute("DELETE FROM meta WHERE name = 'lock'")
            except sqlite3.Error as error:
                _log.info("%s still names its holder: %s", self.path, error)
        self._rest()
        self.let_go()

    def _rest(self) -> None:
        try:
            assert self.connection is not None
            end_writing(self.connection)
        except sqlite3.Error as error:
            _log.info("%s keeps its write-ahead log: %s", self.path, error)


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells a file from another one that took its place."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
