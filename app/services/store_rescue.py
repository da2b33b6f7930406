"""Where work goes while a project's own file cannot be written: a file in the profile, found again at the next
start."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from app.model.block import new_id
from app.model.errors import ProjectError
from app.services import store_audio
from app.services.store_audio import Segment
from app.services.store_lock import Lock
from app.services.store_rows import Batch, write_batch
from app.services.store_schema import connect, create_schema

_log = logging.getLogger(__name__)


class RescueFile:
    """A project file with the whole script, and the audio that waits; made when it is first needed.

    Used by the writing thread alone.

    Attributes:
        path: where it is, or will be.
    """

    def __init__(self, folder: Path, original: Callable[[], Path]) -> None:
        self.path = folder / f"{time.strftime('%Y-%m-%d %H.%M.%S')} {new_id()[:6]}.mvs"
        self._original = original
        self._connection: sqlite3.Connection | None = None
        self._lock: Lock | None = None
        self._written: set[tuple[str, int]] = set()

    def write(self, state: Callable[[], Batch], batch: Batch, segments: list[Segment]) -> bool:
        """Put changes and audio in. False when this cannot be written either.

        Args:
            state: the whole project as it is in memory, for the first time.
            batch: what changed since the last call.
            segments: all audio that waits; what is in the file already is passed over.
        """
        try:
            first = self._connection is None
            connection = self._open()
            fresh = [each for each in segments if (each.take_id, each.start) not in self._written]
            connection.execute("BEGIN IMMEDIATE")
            try:
                if first:
                    write_batch(connection, state())
                    meta = {"rescue_of": str(self._original()), "rescued_at_s": str(time.time())}
                    write_batch(connection, Batch(meta=meta))
                write_batch(connection, batch)
                for segment in fresh:
                    store_audio.insert(connection, segment)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        except (sqlite3.Error, OSError, MemoryError, ProjectError) as error:
            _log.warning("The rescue file cannot be written either: %s", error)
            if first:
                self.discard()  # a rescue without its beginning is none
            return False
        self._written.update((each.take_id, each.start) for each in fresh)
        return True

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = Lock(self.path)  # a rescue of a living process is not offered to another one
            self._connection = connect(self.path, write=True, create=True)
            create_schema(self._connection)
        return self._connection

    def close(self) -> None:
        """Let the file go; it stays."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def discard(self) -> None:
        """The work is in its own file again."""
        self.close()
        self._written.clear()
        for suffix in ("", "-journal", "-wal", "-shm"):
            try:
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
            except OSError as error:
                _log.warning("A rescue file stays: %s", error)
