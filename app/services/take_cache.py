"""Takes by content, shared by all projects: what was spoken once is found again, also after a restart and elsewhere."""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from app.model import checks
from app.model.block import new_id
from app.model.errors import FormatError
from app.model.take import Take
from app.services.store_sessions import is_alive, started_s

_log = logging.getLogger(__name__)

MOST_BYTES = 2 << 30
_RATE = 48_000
_BLOCK = _RATE
_FULL_SCALE = 2.0**23
_OLD_PART_S = 86_400.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS takes (key TEXT PRIMARY KEY, bytes INTEGER NOT NULL, used_at_s REAL NOT NULL);
CREATE INDEX IF NOT EXISTS takes_by_use ON takes (used_at_s);
CREATE TABLE IF NOT EXISTS owners (owner TEXT PRIMARY KEY, pid INTEGER NOT NULL, started_s REAL NOT NULL);
CREATE TABLE IF NOT EXISTS leases (key TEXT NOT NULL, owner TEXT NOT NULL, PRIMARY KEY (key, owner)) WITHOUT ROWID;
"""


class Lease:
    """Keys that an open project uses: none of them leaves the cache. It ends with `release`, or with the process.

    Any thread. A cache that cannot be written holds nothing, and keeps nothing from working.
    """

    def __init__(self, cache: TakeCache) -> None:
        self.owner = new_id()
        self._cache = cache
        self._process = (self.owner, os.getpid(), started_s(os.getpid()))
        self._released = False
        self._coming: set[str] = set()

    def soon(self, keys: Iterable[str]) -> None:
        """These are in a project now, and are to be held once it is saved."""
        self._coming.update(keys)

    def hold_coming(self) -> None:
        """Hold what `soon` was told of. On the writing thread of the project."""
        if self._coming:
            keys, self._coming = self._coming, set()
            self.hold(keys)

    def hold(self, keys: Iterable[str]) -> None:
        """Hold these too; after `release` nothing."""
        wanted = [(key, self.owner) for key in keys if key]

        def note(index: sqlite3.Connection) -> None:
            if not self._released:
                index.execute("INSERT OR IGNORE INTO owners VALUES (?, ?, ?)", self._process)
                index.executemany("INSERT OR IGNORE INTO leases VALUES (?, ?)", wanted)

        self._run(note)

    def release(self) -> None:
        self._released = True

        def forget(index: sqlite3.Connection) -> None:
            index.execute("DELETE FROM leases WHERE owner = ?", (self.owner,))
            index.execute("DELETE FROM owners WHERE owner = ?", (self.owner,))

        self._run(forget)

    def _run(self, deed: Callable[[sqlite3.Connection], None]) -> None:
        try:
            with self._cache.index() as index:
                deed(index)
        except (OSError, sqlite3.Error) as error:
            _log.info("Takes in the cache cannot be held: %s", error)


class TakeCache:
    """A folder of takes, named by their keys, with a limit of size; the least recently used go first.

    Several processes may use it at once, from any thread. The folder may be deleted at any time: projects hold their
        takes
    themselves. The files describe themselves, so a lost index is made again from them.

    Attributes:
        folder: where the files are.
        most_bytes: the cache is kept below it.
    """

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES) -> None:
        self.folder = folder
        self.most_bytes = most_bytes
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None

    # -- finding and keeping

    def find(self, key: str) -> Take | None:
        """The complete take of this content, with ids of no project, or None; its audio is read with `blocks`.

        A damaged one is removed.
        """
        path = self._path(key)
        if path is None or not path.is_file():
            return None
        try:
            found = _describe(path, key)
        except (FormatError, soundfile.SoundFileError, RuntimeError, OSError) as error:
            _log.info("A cached take was damaged: %s", error)
            self._remove(key)
            return None
        self._used(key, path)
        return found

    def blocks(self, key: str) -> Iterator[np.ndarray]:
        """Its audio, float32 `[n, 2]` at 48 kHz, a second at a time. Raises OSError when it is gone or damaged."""
        path = self._path(key)
        try:
            with soundfile.SoundFile(path) as file:
                for whole in file.blocks(_BLOCK, dtype="int32", always_2d=True):
                    yield ((whole >> 8) / np.float32(_FULL_SCALE)).astype(np.float32)
        except (soundfile.SoundFileError, RuntimeError, TypeError) as error:
            raise OSError(f"A cached take cannot be read: {error}") from error

    def keep(self, take: Take, chunks: Iterable[np.ndarray]) -> bool:
        """Keep a complete take.

        Args:
            take: its key names it; only `done` takes with a key are kept.
            chunks: its audio, float32 `[n, 2]` on the 24-bit grid, in order.

        Returns:
            Whether it is in the cache now. A cache that cannot be written keeps nothing from working.
        """
        path = self._path(take.key)
        if path is None or take.state != "done":
            return False
        part = None
        try:
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                descriptor, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
                part = Path(name)
                os.close(descriptor)
                _write(part, take, chunks)
                os.replace(part, path)
            self._used(take.key, path)
            self.shrink()
        except (OSError, sqlite3.Error, soundfile.SoundFileError, RuntimeError) as error:
            _log.warning("A take could not be cached: %s", error)
            if part is not None:
                part.unlink(missing_ok=True)
        return path.exists()

    def _used(self, key: str, path: Path) -> None:
        """Note that a take was used just now; an index that cannot be written costs its order alone."""
        try:
            with self.index() as index:
                index.execute("INSERT OR REPLACE INTO takes VALUES (?, ?, ?)", (key, path.stat().st_size, time.time()))
        except (OSError, sqlite3.Error) as error:
            _log.info("The index of the takes cannot be written: %s", error)

    # -- size

    @property
    def size_bytes(self) -> int:
        with self.index() as index:
            return int(index.execute("SELECT coalesce(sum(bytes), 0) FROM takes").fetchone()[0])

    def shrink(self, most_bytes: int | None = None) -> int:
        """Remove the least recently used takes until the cache is below its limit; returns how many went.

        What a living project uses stays, also above the limit.
        """
        limit = self.most_bytes if most_bytes is None else most_bytes
        removed = 0
        with self.index() as index:
            size = int(index.execute("SELECT coalesce(sum(bytes), 0) FROM takes").fetchone()[0])
            if size <= limit:
                return 0
            self._forget_dead_owners(index)
            for key, count in index.execute(
                "SELECT key, bytes FROM takes WHERE key NOT IN (SELECT key FROM leases) ORDER BY used_at_s"
            ).fetchall():
                if size <= limit:
                    break
                size -= count
                self._remove(key)
                removed += 1
        return removed

    def clear(self) -> int:
        """Remove everything that no open project uses; returns how many takes went."""
        return self.shrink(0)

    def tidy(self) -> None:
        """Bring index and files together, and remove what was left by a crash; for a quiet moment."""
        with self.index() as index:
            self._forget_dead_owners(index)
            known = {key for (key,) in index.execute("SELECT key FROM takes")}
            there = {}
            for file in self.folder.glob("*/*"):
                if file.suffix == ".flac" and self._path(file.stem) == file:
                    there[file.stem] = file.stat()
                elif file.suffix == ".part" and time.time() - file.stat().st_mtime > _OLD_PART_S:
                    file.unlink(missing_ok=True)
            for key in known - set(there):
                index.execute("DELETE FROM takes WHERE key = ?", (key,))
            for key in set(there) - known:
                index.execute(
                    "INSERT OR IGNORE INTO takes VALUES (?, ?, ?)", (key, there[key].st_size, there[key].st_mtime)
                )
        self.shrink()

    @staticmethod
    def _forget_dead_owners(index: sqlite3.Connection) -> None:
        for owner, pid, started in index.execute("SELECT owner, pid, started_s FROM owners").fetchall():
            if not is_alive(pid, started):
                index.execute("DELETE FROM leases WHERE owner = ?", (owner,))
                index.execute("DELETE FROM owners WHERE owner = ?", (owner,))

    # -- the index

    @contextlib.contextmanager
    def index(self) -> Iterator[sqlite3.Connection]:
        """One transaction of the index; a broken index is made again from the files."""
        with self._lock:
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            path = self.folder / "index.sqlite"
            try:
                self._connection = _connect(path)
            except sqlite3.DatabaseError as error:
                _log.warning("The index of the takes is made again: %s", error)
                for suffix in ("", "-wal", "-shm"):
                    path.with_name(path.name + suffix).unlink(missing_ok=True)
                self._connection = _connect(path)
                self.tidy()
        return self._connection

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _path(self, key: str) -> Path | None:
        """The file of a key; None for what is no key, so that no name leads out of the folder."""
        try:
            return self.folder / checks.sha256(key, "key")[:2] / f"{key}.flac"
        except FormatError:
            return None

    def _remove(self, key: str) -> None:
        path = self._path(key)
        if path is not None:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        with self._lock, contextlib.suppress(OSError, sqlite3.Error):
            self._open().execute("DELETE FROM takes WHERE key = ?", (key,))


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10.0)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(
            "PRAGMA synchronous = NORMAL"
        )  # the index can be made again; the takes themselves are synced
        connection.executescript(_SCHEMA)
        if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise sqlite3.DatabaseError("damaged")
    except BaseException:
        connection.close()
        raise
    return connection


def _write(part: Path, take: Take, chunks: Iterable[np.ndarray]) -> None:
    described = replace(take, id="cached", block_id="cached")
    samples = 0
    with soundfile.SoundFile(part, "w", _RATE, 2, "PCM_24", format="FLAC") as file:
        file.comment = checks.to_json_text(described.to_json())
        for chunk in chunks:
            scaled = np.clip(np.rint(chunk.astype(np.float64) * _FULL_SCALE), -_FULL_SCALE, _FULL_SCALE - 1)
            file.write(scaled.astype(np.int32) << 8)
            samples += len(chunk)
    if samples != round(take.seconds * _RATE):
        raise OSError("the audio is not as long as its take says")
    with part.open("rb+") as written:
        os.fsync(written.fileno())


def _describe(path: Path, key: str) -> Take:
    with soundfile.SoundFile(path) as file:
        raw: Any = checks.from_json_text(file.comment, "A cached take", 16_000_000)
        take = Take.from_json(raw)
        if take.key != key or take.state != "done" or file.samplerate != _RATE or file.channels != 2:
            raise FormatError("A cached take is another one.")
        if file.frames != round(take.seconds * _RATE):
            raise FormatError("A cached take is cut short.")
    return take
