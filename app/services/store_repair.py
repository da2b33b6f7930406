"""Gets out of a damaged project file what is whole, after a copy of it was kept."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.model.errors import FormatError
from app.services import store_copy, store_snapshots, store_sums
from app.services.store_audio import MAX_SEGMENT_SAMPLES
from app.services.store_copy import Tick
from app.services.store_schema import (
    APPLICATION_ID,
    SMALL_TABLES,
    TABLES_OF,
    DamagedProjectError,
    bounded,
    connect,
    create_schema,
    tables_are_ours,
)

TIME_LIMIT_S = 300.0
_MAX_FAULTS = 5_000
_COLUMNS = {
    **store_sums.SUMMED,
    "clips": ("sha256", "name", "bytes"),
    "snapshots": ("number", "kind", "made_at_s", "body"),
    "segments": ("take", "start", "samples", "crc", "flac"),
}


@dataclass
class Repair:
    """What came of it.

    Attributes:
        copy: the damaged file under another name.
        lost: tables of which something could not be read.
        damaged_takes: ids of takes that lost audio.
        from_snapshot: paragraphs that were taken from a snapshot.
    """

    copy: Path
    lost: set[str] = field(default_factory=set)
    damaged_takes: set[str] = field(default_factory=set)
    from_snapshot: int = 0

    @property
    def notices(self) -> list[str]:
        """For the person."""
        told = [f"The file was damaged. What is whole was read; the damaged file was kept as {self.copy.name}."]
        if "blocks" in self.lost:
            told.append(
                "Some paragraphs could not be read."
                + (f" From an earlier day {self.from_snapshot} could be brought back." if self.from_snapshot else "")
            )
        if self.damaged_takes:
            count = len(self.damaged_takes)
            one = "One take lost audio and is marked; make it again."
            many = f"{count} takes lost audio and are marked; make them again."
            told.append(one if count == 1 else many)
        if "voices" in self.lost or "clips" in self.lost:
            told.append("Some voices could not be read; give them again from the library.")
        if "steps" in self.lost:
            told.append("Earlier steps can no longer be taken back.")
        return told


def repair(path: Path, progress: Tick | None = None) -> Repair:
    """Rebuild a damaged project at its own path. The caller holds its lock.

    Time and memory are bounded whatever the file holds.

    Args:
        progress: called with 0..1; may raise to cancel, which leaves the file as it was.

    Raises:
        DamagedProjectError: nothing of a project can be read; the file is as it was.
        OSError: there is no room for the copy.
    """
    end_s = time.monotonic() + TIME_LIMIT_S
    kept = _keep_copy(path)
    result = Repair(kept)
    part = store_copy.part_of(path)
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            source = _readable(path, Path(folder), result, progress)
            try:
                with bounded(source, TIME_LIMIT_S):
                    found = _salvage(source, part, result, end_s, _Share(path, progress))
            finally:
                source.close()
        if not found:
            raise DamagedProjectError(f"Nothing can be read from {path.name}.", "Open a copy of it from another day.")
        store_copy.settle(part, path)
    except BaseException as error:
        store_copy.discard(part)
        store_copy.discard(kept)
        if isinstance(error, sqlite3.Error):
            raise DamagedProjectError(
                f"{path.name} cannot be repaired ({error}).", "Open a copy of it from another day."
            ) from error
        raise
    return result


def _keep_copy(path: Path) -> Path:
    kept = store_copy.kept_name(path)
    for suffix in ("", "-wal"):
        source = path.with_name(path.name + suffix)
        if source.exists():
            target = kept.with_name(kept.name + suffix)
            try:
                os.link(source, target)  # the repaired file takes the name, not the place, so both stay
            except OSError:
                shutil.copyfile(source, target)
    return kept


class _Share:
    """Tells how much of a file's audio was gone through."""

    def __init__(self, path: Path, progress: Tick | None) -> None:
        self._progress = progress
        self._bytes = max(1, path.stat().st_size)
        self._done = 0

    def read(self, count: int) -> None:
        self._done += count
        if self._progress is not None:
            self._progress(min(0.99, self._done / self._bytes))


def _readable(path: Path, folder: Path, result: Repair, progress: Tick | None) -> sqlite3.Connection:
    """A connection to the file, or to a copy with a fresh first page when its own does not hold our tables."""
    try:
        connection = connect(path)  # read-only: the copy that is kept shares its place on the disk
        is_ours = connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
        if is_ours and any(tables_are_ours(connection, version) for version in TABLES_OF):
            return connection
        connection.close()
    except (sqlite3.DatabaseError, UnicodeDecodeError):  # SQLite quotes what it found in its messages
        pass
    copy = folder / "copy.mvs"
    store_copy.copy_file(path, copy, progress)
    if (log := path.with_name(path.name + "-wal")).exists():
        shutil.copyfile(log, copy.with_name(copy.name + "-wal"))
    _renew_first_page(copy, folder / "fresh.mvs")
    result.lost.add("the first page")
    connection = connect(copy, write=True)
    try:
        if not tables_are_ours(connection):
            raise DamagedProjectError(f"Nothing can be read from {path.name}.", "Open a copy of it from another day.")
    except sqlite3.DatabaseError as error:
        connection.close()
        raise DamagedProjectError(
            f"{path.name} cannot be read ({error}).", "Open a copy of it from another day."
        ) from error
    except DamagedProjectError:
        connection.close()
        raise
    return connection


def _renew_first_page(copy: Path, fresh: Path) -> None:
    """The first page lists the tables and where they begin. That is the same in every project, so a new one fits."""
    connection = connect(fresh, write=True, create=True)
    create_schema(connection)
    page_bytes = connection.execute("PRAGMA page_size").fetchone()[0]
    connection.close()
    page = bytearray(fresh.read_bytes()[:page_bytes])
    page[28:32] = (copy.stat().st_size // page_bytes).to_bytes(4, "big")  # number of pages
    page[92:96] = page[24:28]  # the number counts for this change counter
    with copy.open("r+b") as file:
        file.write(page)


def _salvage(source: sqlite3.Connection, part: Path, result: Repair, end_s: float, share: _Share) -> bool:
    """Copy every readable row. Whether anything of a project was found."""
    destination = connect(part, write=True, create=True)
    try:
        destination.execute("PRAGMA synchronous = OFF")
        create_schema(destination)
        destination.execute("PRAGMA journal_mode = MEMORY")
        destination.execute("BEGIN")
        counts = {table: _copy_table(source, destination, table, result, end_s, share) for table in SMALL_TABLES}
        if "blocks" in result.lost:
            result.from_snapshot = _fill_from_snapshot(destination)
            result.lost.add("steps")
        if "steps" in result.lost or "the first page" in result.lost:
            # Steps fit exactly the script they were made on; with a hole in either they fit nothing.
            destination.execute("DELETE FROM steps")
            result.lost.add("steps")
        _copy_table(source, destination, "segments", result, end_s, share)
        _mark_takes(destination, result)
        store_sums.renew(destination, missing_only=True)
        destination.execute("COMMIT")
        return counts["blocks"] > 0 or result.from_snapshot > 0 or counts["takes"] > 0 or counts["meta"] > 0
    finally:
        destination.close()


def _copy_table(
    source: sqlite3.Connection,
    destination: sqlite3.Connection,
    table: str,
    result: Repair,
    end_s: float,
    share: _Share,
) -> int:
    columns = _COLUMNS[table]
    if table in store_sums.SUMMED and store_sums.has_sums(source):
        columns += ("crc",)  # as it is: a wrong one tells what was altered
    marks = ", ".join("?" * len(columns))
    insert = f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({marks})"
    copied = 0
    for row in salvaged(source, table, columns, end_s):
        if row is None:
            result.lost.add(table)
            continue
        share.read(sum(len(value) for value in row if isinstance(value, bytes)))
        if table == "segments" and not _is_whole(row):
            if isinstance(row[0], str):
                result.damaged_takes.add(row[0][:64])
            continue
        try:
            destination.execute(insert, row)
            copied += 1
        except (sqlite3.IntegrityError, sqlite3.DataError):  # a value that the table does not take
            result.lost.add(table)
    return copied


def _is_whole(row: tuple[Any, ...]) -> bool:
    take, start, samples, crc, flac = row
    if not (isinstance(take, str) and isinstance(start, int) and isinstance(samples, int) and isinstance(flac, bytes)):
        return False
    return start >= 0 and 0 < samples <= MAX_SEGMENT_SAMPLES and zlib.crc32(flac) == crc


def salvaged(
    connection: sqlite3.Connection, table: str, columns: tuple[str, ...], end_s: float
) -> Iterator[tuple[Any, ...] | None]:
    """The rows of a table in order of rowid; None stands for a stretch that cannot be read.

    After an error the next readable rowid is looked for at doubling distances and then narrowed down, so that a broken
    page costs its own rows.
    """
    names = ", ".join(columns)
    at, faults = -(1 << 62), 0
    while faults < _MAX_FAULTS and time.monotonic() < end_s:
        try:
            cursor = connection.execute(f"SELECT rowid, {names} FROM {table} WHERE rowid > ? ORDER BY rowid", (at,))
            for row in cursor:
                if not isinstance(row[0], int) or row[0] <= at:
                    raise sqlite3.DatabaseError("rows out of order")
                at = row[0]
                yield row[1:]
                if time.monotonic() > end_s:
                    break
            else:
                return
        except sqlite3.DatabaseError:
            faults += 1
            yield None
            following = _next_readable(connection, table, at)
            if following is None:
                return
            at = following
    yield None


def _next_readable(connection: sqlite3.Connection, table: str, at: int) -> int | None:
    """The smallest rowid behind `at` from which on reading works, minus one; None when there is none."""

    def works(offset: int) -> bool:
        try:
            row = connection.execute(
                f"SELECT rowid FROM {table} WHERE rowid > ? ORDER BY rowid LIMIT 1", (at + offset,)
            ).fetchone()
            return row is None or row[0] > at + offset
        except sqlite3.DatabaseError:
            return False

    if at < 0:
        at = -1  # our own rows count from one
    low, high = 0, 1
    while not works(high):
        low, high = high, high * 2
        if high > 1 << 50:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        if works(middle):
            high = middle
        else:
            low = middle
    return at + high


def _fill_from_snapshot(destination: sqlite3.Connection) -> int:
    """Put paragraphs that are gone back where the latest readable snapshot has them; returns how many."""
    there = dict(destination.execute("SELECT id, rank FROM blocks"))
    altered = store_sums.altered(destination, "blocks")
    for snapshot in store_snapshots.snapshots(destination):
        try:
            rows = store_snapshots.blocks_of(destination, snapshot.number)
        except FormatError:
            continue
        # Everything is numbered anew: known paragraphs keep their order, missing ones follow their old neighbour.
        order = sorted(there, key=lambda block_id: there[block_id])
        place = {block_id: at for at, block_id in enumerate(order)}
        before, missing = -1, []
        for block_id, text, settings, chosen in rows:
            if block_id in place:
                before = place[block_id]
            else:
                missing.append((before, block_id, text, settings, chosen))
        merged: list[str] = []
        for at in range(-1, len(order)):
            if at >= 0:
                merged.append(order[at])
            merged += [block_id for before_it, block_id, *_ in missing if before_it == at]
        for _, block_id, text, settings, chosen in missing:
            destination.execute("INSERT INTO blocks VALUES (?, 0, ?, ?, ?, NULL)", (block_id, text, settings, chosen))
        destination.executemany(
            "UPDATE blocks SET rank = ? WHERE id = ?",
            [(number << 24, block_id) for number, block_id in enumerate(merged, 1)],
        )
        rowids = [rowid for (rowid,) in destination.execute("SELECT rowid FROM blocks") if rowid not in altered]
        destination.executemany("UPDATE blocks SET crc = NULL WHERE rowid = ?", [(rowid,) for rowid in rowids])
        return len(missing)
    return 0


def _mark_takes(destination: sqlite3.Connection, result: Repair) -> None:
    """A take with a hole in its audio is incomplete, whatever it says."""
    lengths: dict[str, int] = {}
    for take, start, samples in destination.execute("SELECT take, start, samples FROM segments ORDER BY take, start"):
        if start == lengths.get(take, 0):
            lengths[take] = start + samples
        else:
            result.damaged_takes.add(take)
    for take_id, body in destination.execute("SELECT id, body FROM takes").fetchall():
        try:
            raw = json.loads(body)
            seconds = lengths.get(take_id, 0) / 48_000
            whole = abs(float(raw["seconds"]) - seconds) < 0.001 and take_id not in result.damaged_takes
        except (ValueError, KeyError, TypeError, RecursionError):
            continue  # found unreadable on opening
        if whole or raw.get("state") == "making":
            continue
        result.damaged_takes.add(take_id)
        raw |= {"state": "incomplete", "stop_reason": "damaged", "seconds": seconds}
        destination.execute(
            "UPDATE takes SET state = 'incomplete', body = ?, crc = NULL WHERE id = ?", (json.dumps(raw), take_id)
        )
    result.damaged_takes &= {take_id for (take_id,) in destination.execute("SELECT id FROM takes")}
