"""Whole copies of a project file: Save As, and compacting without what nothing refers to."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from app.model.block import new_id
from app.services.store_rows import Batch, write_batch
from app.services.store_schema import SMALL_TABLES, check_identity, check_schema, connect, create_schema

Tick = Callable[[float], None]
_BACKUP_PAGES = 256  # 2 MiB between two looks at what else is to be written
_ROWS = 8
_PIECE_BYTES = 4 * 1024 * 1024
_LONGEST_NAME_BYTES = 247  # 255, less what SQLite puts behind the name of a file that it opens


def part_of(target: Path) -> Path:
    """The temporary name under which a file is made."""
    return target.with_name(f".{target.name}.{new_id()[:8]}.part")


def named_beside(path: Path, note: str) -> Path:
    """`NAME (note).mvs` beside a file, with as much of its name as there is room for."""
    end = f" ({note}){path.suffix}"
    room = _LONGEST_NAME_BYTES - len(end.encode())
    stem = path.stem.encode("utf-8", "surrogateescape")
    return path.with_name((path.stem if len(stem) <= room else stem[:room].decode("utf-8", "ignore")) + end)


def kept_name(path: Path) -> Path:
    """A free name beside a damaged file, for the copy of it that is kept."""
    stamp = time.strftime("%Y-%m-%d %H.%M.%S")
    for number in range(1, 1000):
        more = "" if number == 1 else f" {number}"
        kept = named_beside(path, f"damaged {stamp}{more}")
        if not kept.exists():
            break
    return kept


def is_kept(path: Path) -> bool:
    """Whether a file is a copy that was kept before another one was repaired or brought up to date."""
    return re.search(r" \((damaged|version) [^()]*\)\Z", path.stem) is not None


def remove_parts(path: Path) -> None:
    """Remove temporary files of a copy that did not come to its end. For who holds the lock on `path`."""
    for part in path.parent.glob(f".{glob_escape(path.name)}.????????.part*"):
        part.unlink(missing_ok=True)


def discard(part: Path) -> None:
    """Remove a temporary file, where there is one and where that can be: why it was not finished is the news."""
    with contextlib.suppress(OSError):
        part.unlink(missing_ok=True)


def glob_escape(name: str) -> str:
    return re.sub(r"([*?[])", r"[\1]", name)


def copy_file(source: Path, target: Path, tick: Tick | None = None) -> None:
    """Copy a file that nobody writes. `tick(fraction)` may raise to cancel; then, and after an error, nothing is left.

    Raises: OSError.
    """
    total = max(1, source.stat().st_size)
    done = 0
    try:
        with source.open("rb") as reading, target.open("wb") as writing:
            while piece := reading.read(_PIECE_BYTES):
                writing.write(piece)
                done += len(piece)
                if tick is not None:
                    tick(min(1.0, done / total))
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def copy_to(connection: sqlite3.Connection, part: Path, tick: Tick) -> None:
    """Copy page by page. `tick(fraction)` comes between the pages; it may write to `connection`, and may raise to
    cancel."""
    destination = connect(part, write=True, create=True)
    try:

        def progress(_status: int, remaining: int, total: int) -> None:
            if remaining:  # after the last page nothing written would reach the copy
                tick(1.0 - remaining / max(1, total))

        connection.backup(destination, pages=_BACKUP_PAGES, progress=progress, sleep=0.0)
        destination.execute("PRAGMA journal_mode = DELETE")
    finally:
        destination.close()


def rebuild_to(
    connection: sqlite3.Connection | None,
    part: Path,
    keep: Callable[[str], bool],
    tick: Tick,
    state: Batch | None = None,
    *,
    in_need: bool = False,
) -> None:
    """Copy row by row into a fresh file, leaving out the audio of takes that are not kept, and what is damaged.

    Args:
        in_need: leave out, too, what cannot be read just now: the drive of the source does not answer.
        connection: the source; None when it cannot be read at all.
        state: the project as it is in memory, written instead of the source's small tables.
        tick: as for `copy_to`. Audio that is written meanwhile is copied too.
    """
    destination = connect(part, write=True, create=True)
    try:
        # The file counts only after its sync and renaming.
        destination.execute("PRAGMA synchronous = OFF")
        create_schema(destination)
        destination.execute("PRAGMA journal_mode = MEMORY")
        if connection is not None:
            _copy_segments(connection, destination, keep, tick, in_need)
        destination.execute("BEGIN")
        if state is not None:
            write_batch(destination, state)
        for table in SMALL_TABLES:
            if connection is not None and (state is None or table in ("clips", "snapshots")):
                for row in _rows(connection, table, all_or_nothing=state is None):
                    marks = ", ".join("?" * len(row))
                    destination.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", row)
        destination.execute("COMMIT")
    finally:
        destination.close()


def _rows(connection: sqlite3.Connection, table: str, *, all_or_nothing: bool) -> Iterator[tuple[Any, ...]]:
    """The rows of a table, up to one that cannot be read."""
    try:
        rows = connection.execute(f"SELECT * FROM {table}")
        while (row := rows.fetchone()) is not None:
            yield row
    except sqlite3.DatabaseError:
        if all_or_nothing:
            raise


def _copy_segments(
    connection: sqlite3.Connection,
    destination: sqlite3.Connection,
    keep: Callable[[str], bool],
    tick: Tick,
    in_need: bool,
) -> None:
    at = -1
    while True:
        try:
            last = connection.execute("SELECT max(number) FROM segments").fetchone()[0]
            numbers = connection.execute(
                "SELECT number, take FROM segments WHERE number > ? ORDER BY number LIMIT ?", (at, _ROWS)
            ).fetchall()
        except sqlite3.DatabaseError as error:
            if not (in_need or _is_damage(error)):
                raise
            return  # the rest of the list is damaged; its takes are marked when they are read
        if not numbers:
            return
        destination.execute("BEGIN")
        for number, take in numbers:
            at = number
            if not keep(take):
                continue
            try:
                row = connection.execute(
                    "SELECT take, start, samples, crc, flac FROM segments WHERE number = ?", (number,)
                ).fetchone()
            except sqlite3.DatabaseError as error:
                if not (in_need or _is_damage(error)):
                    raise
                continue  # one damaged segment; its take is marked when it is read
            with contextlib.suppress(sqlite3.IntegrityError):  # a value of the wrong type
                destination.execute("INSERT OR IGNORE INTO segments VALUES (NULL, ?, ?, ?, ?, ?)", row)
        destination.execute("COMMIT")
        tick(min(0.99, at / max(1, last or 1)))


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    return str(getattr(error, "sqlite_errorname", "") or "SQLITE_CORRUPT").startswith(
        ("SQLITE_CORRUPT", "SQLITE_NOTADB")
    )


def settle(part: Path, target: Path) -> None:
    """Look a finished copy over, make it durable and give it its name. Raises ProjectError, sqlite3.Error, OSError."""
    connection = connect(part)
    try:
        check_identity(connection, part)
        check_schema(connection, part, time_limit_s=5.0)
    finally:
        connection.close()
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    # A write-ahead log left by a file of this name would be read as part of the new one.
    for suffix in ("-wal", "-shm", "-journal"):
        target.with_name(target.name + suffix).unlink(missing_ok=True)
    os.replace(part, target)
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Make a renaming durable, where the system has a way to."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:
        pass  # some network file systems cannot; the renaming itself is atomic all the same
    finally:
        os.close(descriptor)


_IDENTIFIER = re.compile(r'"([0-9A-Za-z_-]{1,64})"')


def identifiers_in(texts: list[str]) -> set[str]:
    """Every identifier that stands in some JSON texts."""
    found: set[str] = set()
    for text in texts:
        found.update(_IDENTIFIER.findall(text))
    return found
