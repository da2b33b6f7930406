"""Sums over the rows of a project file: a row that something else altered is seen when the file is opened."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

# Clips are named by their own hash, and pictures of the script hold a sum of their own.
SUMMED: dict[str, tuple[str, ...]] = {
    "meta": ("name", "value"),
    "blocks": ("id", "rank", "text", "settings", "chosen"),
    "takes": ("id", "block_id", "state", "body"),
    "voices": ("id", "body"),
    "steps": ("number", "label", "command"),
}
_KINDS = {type(None): b"\0n", int: b"\0i", float: b"\0f", str: b"\0s", bytes: b"\0b"}
_MOST_LISTED = 20
_SHOWN = 40  # characters of a line


def sum_of(values: Iterable[object]) -> int:
    """CRC-32 of the values of a row as SQLite gives them; the kind of each counts too."""
    crc = 0
    for value in values:
        crc = zlib.crc32(_KINDS[type(value)], crc)
        crc = zlib.crc32(value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass"), crc)
    return crc


def has_sums(connection: sqlite3.Connection) -> bool:
    """Whether the file is of a version whose rows have sums."""
    return any(name == "crc" for _, name, *_ in connection.execute("PRAGMA table_info(blocks)"))


def add_sums(connection: sqlite3.Connection) -> None:
    """Turn version 1 into 2: what is there is taken as it is."""
    for table in SUMMED:
        connection.execute(f"ALTER TABLE {table} ADD COLUMN crc INTEGER")
    renew(connection)


def renew(connection: sqlite3.Connection, *, missing_only: bool = False) -> None:
    """Give every row the sum of what it holds now.

    Args:
        missing_only: only rows without a sum; a wrong one stays, and tells.
    """
    for table in SUMMED:
        wanted = [
            (now, rowid)
            for rowid, then, now in _sums(connection, table)
            if (then is None if missing_only else then != now)
        ]
        connection.executemany(f"UPDATE {table} SET crc = ? WHERE rowid = ?", wanted)


def altered(connection: sqlite3.Connection, table: str) -> set[int]:
    """The rowids of the rows whose sum is wrong."""
    return {rowid for rowid, then, now in _sums(connection, table) if then is not None and then != now}


def _sums(connection: sqlite3.Connection, table: str) -> Iterable[tuple[int, object, int]]:
    """(rowid, sum that was written, sum of what is there) of every row."""
    for rowid, then, *values in connection.execute(f"SELECT rowid, crc, {', '.join(SUMMED[table])} FROM {table}"):
        yield rowid, then, sum_of(values)


@dataclass
class Doubts:
    """Rows whose sum is wrong: something but the studio wrote over a part of the file.

    Attributes:
        lines: (number of the line from 1, its text) of paragraphs.
        takes: how many.
        voices: names.
        about: names of other things.
        mark: tells this damage from another one; 0 where there is none.
    """

    lines: list[tuple[int, str]] = field(default_factory=list)
    takes: int = 0
    voices: list[str] = field(default_factory=list)
    about: list[str] = field(default_factory=list)
    mark: int = 0

    def found(self, values: Sequence[object], crc: object) -> bool:
        """Whether the sum of a row is wrong; remembered in the mark alone."""
        now = sum_of(values)
        if crc == now:
            return False
        self.mark = zlib.crc32(f"{now} {crc}".encode(), self.mark) or 1
        return True

    @property
    def notices(self) -> list[str]:
        """For the person."""
        told = []
        if self.lines:
            listed = ", ".join(f"{number} “{_shortened(text)}”" for number, text in self.lines[:_MOST_LISTED])
            more = len(self.lines) - _MOST_LISTED
            listed += f" and {more} more" if more > 0 else ""
            told.append(f"Damage to the file may have altered these lines; read them over: {listed}.")
        if self.voices:
            names = ", ".join(sorted(set(self.voices))[:_MOST_LISTED])
            told.append(f"Damage to the file may have altered these voices; look at their cards: {names}.")
        if self.takes:
            told.append(f"Damage to the file may have altered what is noted of takes ({self.takes}); listen to them.")
        if "lexicon" in self.about:
            told.append("Damage to the file may have altered the lexicon; read it over.")
        if set(self.about) - {"lexicon"}:
            told.append("Damage to the file may have altered the settings or the lexicon of the project; look at them.")
        return told


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
