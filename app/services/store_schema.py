"""The form of a project file (`.mvs`): its tables, their version, and how it is opened without trusting it."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from app.model.errors import ProjectError
from app.services.mounts import is_network
from app.services.store_sums import SUMMED, add_sums

APPLICATION_ID = 0x4D565331  # "MVS1"
VERSION = 2
PAGE_BYTES = 8_192
LONGEST_VALUE = 256 * 1024 * 1024

# Text and its order are small tables of their own: damage to gigabytes of audio beside them does not touch them.
TABLES = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL, crc INTEGER)",
    "CREATE TABLE blocks (id TEXT PRIMARY KEY, rank INTEGER NOT NULL, text TEXT NOT NULL, settings TEXT NOT NULL, "
    "chosen TEXT, crc INTEGER)",
    "CREATE TABLE takes (id TEXT PRIMARY KEY, block_id TEXT NOT NULL, state TEXT NOT NULL, body TEXT NOT NULL, "
    "crc INTEGER)",
    "CREATE TABLE voices (id TEXT PRIMARY KEY, body TEXT NOT NULL, crc INTEGER)",
    "CREATE TABLE clips (sha256 TEXT PRIMARY KEY, name TEXT NOT NULL, bytes BLOB NOT NULL)",
    "CREATE TABLE steps (number INTEGER PRIMARY KEY, label TEXT NOT NULL, command TEXT NOT NULL, crc INTEGER)",
    "CREATE TABLE snapshots (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, made_at_s REAL NOT NULL, "
    "body BLOB NOT NULL)",
    "CREATE TABLE segments (number INTEGER PRIMARY KEY, take TEXT NOT NULL, start INTEGER NOT NULL, "
    "samples INTEGER NOT NULL, crc INTEGER NOT NULL, flac BLOB NOT NULL)",
    # Covers what finding and measuring a take needs, so that no audio page is read for it.
    "CREATE UNIQUE INDEX segments_by_take ON segments (take, start, samples)",
)
# `crc` is the sum of its row (store_sums); version 1 had none.
TABLES_OF = {
    1: tuple(each.replace(", crc INTEGER)", ")") if each.split()[2] in SUMMED else each for each in TABLES),
    2: TABLES,
}
SMALL_TABLES = ("meta", "blocks", "takes", "voices", "clips", "steps", "snapshots")

# What turns version n into n + 1, by n. Each runs inside one transaction, after a copy of the file was kept.
MIGRATIONS: dict[int, Callable[[sqlite3.Connection], None]] = {1: add_sums}


class NotAProjectError(ProjectError):
    """The file is something else."""


class NewerProjectError(ProjectError):
    """The file was written by a later version of the studio."""


class DamagedProjectError(ProjectError):
    """The file cannot be read as it stands; `store_repair` gets out what is whole."""


def connect(path: Path, *, write: bool = False, create: bool = False, immutable: bool = False) -> sqlite3.Connection:
    """A connection that runs nothing the file brings along and reads no page without looking at its bounds.

    Args:
        create: make the file if it is missing.
        immutable: nobody else writes it and its folder cannot be written (a read-only medium).

    Raises:
        sqlite3.Error: the file cannot be opened.
    """
    mode = "rwc" if create else "rw" if write else "ro"
    uri = f"{path.absolute().as_uri()}?mode={mode}" + ("&immutable=1" if immutable else "")
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=5.0)
    try:
        harden(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def harden(connection: sqlite3.Connection) -> None:
    """See `connect`."""
    # A file may hold triggers, views and functions in its schema; none of them may run.
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA mmap_size = 0")  # a lost drive is then an error and not a SIGBUS
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, 100_000)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 1)  # compacting needs one
    connection.setlimit(sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1)
    if hasattr(connection, "setconfig"):  # Python 3.12 and later
        for name, value in (("DEFENSIVE", True), ("ENABLE_TRIGGER", False), ("ENABLE_VIEW", False)):
            connection.setconfig(getattr(sqlite3, f"SQLITE_DBCONFIG_{name}"), value)
    # Bytes that are no UTF-8 are damage of one value, not of the whole query.
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")


def begin_writing(connection: sqlite3.Connection, path: Path) -> None:
    """Set how the writing connection commits: when COMMIT returns, the change survives a power cut.

    The write-ahead log lets the player read while takes are written, and needs one sync a commit with synchronous=FULL.
    It needs memory that processes share, which a network drive does not have: there a plain journal is used.
    """
    connection.execute(f"PRAGMA journal_mode = {'TRUNCATE' if is_network(path) else 'WAL'}")
    connection.execute("PRAGMA synchronous = FULL")
    # On a Mac only these reach the platters; elsewhere they change nothing.
    connection.execute("PRAGMA fullfsync = ON")
    connection.execute("PRAGMA checkpoint_fullfsync = ON")
    connection.execute("PRAGMA wal_autocheckpoint = 2000")
    connection.execute("PRAGMA journal_size_limit = 67108864")


def end_writing(connection: sqlite3.Connection) -> None:
    """Bring everything back into the one file, so that at rest a project is exactly one file on any medium."""
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("PRAGMA journal_mode = DELETE")


def create_schema(connection: sqlite3.Connection) -> None:
    """Make the tables of an empty file."""
    connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
    connection.execute("BEGIN IMMEDIATE")
    for statement in TABLES:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def check_header(path: Path) -> None:
    """A look at the first bytes, before SQLite sees the file.

    Raises:
        NotAProjectError: it is something else.
        DamagedProjectError: it was a project.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        header = file.read(100)
        # A block that a power cut left empty takes the whole beginning with it, and nothing behind it.
        emptied = bool(header) and not any(header) and any(file.read(8 * PAGE_BYTES))
    ours = emptied or header[68:72] == APPLICATION_ID.to_bytes(4, "big")
    if header[:16] != b"SQLite format 3\x00":
        if ours:
            raise DamagedProjectError(f"The beginning of {path.name} is damaged.")
        raise NotAProjectError(f"{path.name} is not a project of Moss Voice Studio.", "Open a file that ends in .mvs.")


def check_identity(connection: sqlite3.Connection, path: Path) -> int:
    """The version of a project file's schema.

    Raises:
        NotAProjectError, NewerProjectError, DamagedProjectError.
    """
    try:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise DamagedProjectError(f"{path.name} is damaged ({error}).") from error
    if application != APPLICATION_ID:
        raise NotAProjectError(f"{path.name} is not a project of Moss Voice Studio.", "Open a file that ends in .mvs.")
    if version > VERSION:
        raise NewerProjectError(
            f"{path.name} was made by a later version of Moss Voice Studio (file {version}, this one reads {VERSION}).",
            "Update the studio to open it. The file was not changed.",
        )
    if version < 1:
        raise DamagedProjectError(f"{path.name} has no valid version.")
    return version


def check_schema(
    connection: sqlite3.Connection, path: Path, time_limit_s: float = 0.5, *, version: int | None = None
) -> None:
    """Nothing but our own tables, and the small ones without a broken page.

    The audio is not walked through: it may be gigabytes, and a broken segment marks its take when it is met. The
    indices are: a paragraph that one of them misses would be written a second time.

    Args:
        version: that its tables are of.

    Raises:
        DamagedProjectError.
    """
    try:
        with bounded(connection, time_limit_s) as expired:
            if not tables_are_ours(connection, version):
                raise DamagedProjectError(f"{path.name} does not hold the tables of a project.")
            for table in SMALL_TABLES:
                rows = connection.execute(f"PRAGMA integrity_check({table})").fetchmany(1)
                if rows and rows[0][0] != "ok":
                    raise DamagedProjectError(f"{path.name} is damaged: {str(rows[0][0])[:200]}")
    except sqlite3.DatabaseError as error:
        if expired():
            return  # a large healthy file on a slow disk; what is broken shows itself on reading
        raise DamagedProjectError(f"{path.name} is damaged ({error}).") from error


def tables_are_ours(connection: sqlite3.Connection, version: int | None = None) -> bool:
    """Whether the file holds exactly our tables (of a version): nothing more that could run, and nothing less."""
    query = "SELECT substr(sql, 1, 2000) FROM sqlite_master WHERE sql IS NOT NULL LIMIT 100"
    found = {_plain(sql) for (sql,) in connection.execute(query) if isinstance(sql, str)}
    return found == {_plain(statement) for statement in TABLES_OF[version or VERSION]}


class bounded:
    """Stops a connection's statements after a time: `with bounded(connection, 1.0) as expired`."""

    def __init__(self, connection: sqlite3.Connection, seconds: float) -> None:
        self._connection = connection
        self._end_s = time.monotonic() + seconds

    def __enter__(self) -> Callable[[], bool]:
        self._connection.set_progress_handler(self._expired, 10_000)
        return self._expired

    def __exit__(self, *_: object) -> None:
        self._connection.set_progress_handler(None, 0)

    def _expired(self) -> bool:
        return time.monotonic() > self._end_s


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring a file of an older version to this one, in one transaction."""
    if version == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in range(version, VERSION):
            MIGRATIONS[step](connection)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _plain(sql: str) -> str:
    return re.sub(r"\s+", " ", sql).strip()
