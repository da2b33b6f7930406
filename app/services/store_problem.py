"""What keeps a project from being saved, in words for the person and a name for the program."""

from __future__ import annotations

import shutil
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["full", "permission", "lost", "busy", "damaged", "memory", "network", "slow", "other"]


@dataclass(frozen=True)
class Problem:
    """Why changes are not in the file yet. Work goes on in memory, and saving is tried again by itself.

    Attributes:
        kind: stable name.
        message: what happened.
        remedy: what the person can do.
        rescued: where the unsaved work is kept meanwhile, or None when it is in memory alone.
    """

    kind: Kind
    message: str
    remedy: str
    rescued: Path | None = None


class FileGoneError(OSError):
    """The project's file is no longer where it was opened."""


_TEXTS: dict[Kind, tuple[str, str]] = {
    "full": (
        "The disk is full: changes to {name} cannot be saved.",
        "Free some space; saving goes on by itself. Or save the project to another disk.",
    ),
    "permission": (
        "{name} can no longer be written.",
        "Allow writing to the file and its folder; saving goes on by itself. Or save the project elsewhere.",
    ),
    "lost": (
        "The drive with {name} does not answer.",
        "Connect the drive again; saving goes on by itself. Or save the project elsewhere.",
    ),
    "busy": (
        "Another program keeps {name} from being saved.",
        "Close the program that uses the file; saving goes on by itself.",
    ),
    "damaged": (
        "{name} was damaged by something else while it was open.",
        "Save the project under another name now; what you did since is kept.",
    ),
    "memory": (
        "Too much audio waits to be saved; no more is made until {name} can be written again.",
        "Free some space or save the project to another disk.",
    ),
    "network": (
        "{name} could not be copied to the network.",
        "Your work is safe on this computer and is copied as soon as the network answers.",
    ),
    "slow": (
        "Saving {name} takes long: its drive is slow to answer.",
        "Go on, but leave the drive connected until it is saved. If it stays so, save the project to another disk.",
    ),
    "other": ("Changes to {name} cannot be saved ({detail}).", "Save the project under another name."),
}


def problem_of(error: BaseException, path: Path, rescued: Path | None = None) -> Problem:
    """The problem behind an error of SQLite or the file system."""
    kind = _kind(error)
    if kind in ("lost", "other") and _is_full(path):
        kind = "full"  # some file systems report a full disk as an error of the drive
    return problem(kind, path, rescued, detail=str(error)[:200])


def _is_full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < 1024 * 1024
    except OSError:
        return False


def problem(kind: Kind, path: Path, rescued: Path | None = None, detail: str = "") -> Problem:
    message, remedy = _TEXTS[kind]
    return Problem(kind, message.format(name=path.name, detail=detail), remedy, rescued)


def _kind(error: BaseException) -> Kind:
    if isinstance(error, FileGoneError):
        return "lost"
    if isinstance(error, PermissionError):
        return "permission"
    if isinstance(error, OSError):
        return "full" if error.errno in (27, 28, 122) else "lost"  # EFBIG, ENOSPC, EDQUOT
    if isinstance(error, sqlite3.Error):
        name = str(getattr(error, "sqlite_errorname", "") or "")
        for start, kind in _NAMES:
            if name.startswith(start):
                return kind
    return "other"


_NAMES: tuple[tuple[str, Kind], ...] = (
    ("SQLITE_FULL", "full"),
    ("SQLITE_READONLY_DBMOVED", "lost"),
    ("SQLITE_READONLY", "permission"),
    ("SQLITE_PERM", "permission"),
    ("SQLITE_AUTH", "permission"),
    ("SQLITE_CANTOPEN", "lost"),
    ("SQLITE_IOERR", "lost"),
    ("SQLITE_BUSY", "busy"),
    ("SQLITE_LOCKED", "busy"),
    ("SQLITE_CORRUPT", "damaged"),
    ("SQLITE_NOTADB", "damaged"),
)
