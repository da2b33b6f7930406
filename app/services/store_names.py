"""Whether a disk takes the name of a project: files with longer names stand beside it while it is worked on."""

from __future__ import annotations

import errno
import os
import sqlite3
import sys
from pathlib import Path

from app.model.errors import ProjectError
from app.services.store_copy import part_of

_LONGEST_PATH_BYTES = 512  # of any file that SQLite opens, and of its journal; not on Windows
_LONGEST_WINDOWS_NAME = 255  # UTF-16 units


class NameTooLongError(ProjectError):
    """The disk, or SQLite, does not take the name or the path of a project."""


def check_name(path: Path, remedy: str = "Choose a shorter one.") -> None:
    """Nothing is made or changed.

    Args:
        remedy: for a name; one for a path is known.

    Raises:
        NameTooLongError.
    """
    longest = f"{part_of(path).name}-journal"
    folder = next((each for each in path.absolute().parents if os.path.lexists(each)), path.parent)
    if not _fits(folder, longest):
        raise NameTooLongError(f"The name {path.name} is too long for this disk.", remedy)
    if sys.platform != "win32":
        room = _LONGEST_PATH_BYTES - len(os.fsencode(longest)) - 1
        if len(os.fsencode(os.path.realpath(path.parent))) > room:
            raise NameTooLongError(
                f"The path {path} is too long for a project.", "Put it into a folder whose path is shorter."
            )


def explain(path: Path, error: BaseException, remedy: str) -> None:
    """Raises NameTooLongError where that is why a file could not be opened or made; see `check_name`."""
    refused = isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorname", "SQLITE_CANTOPEN").startswith(
        "SQLITE_CANTOPEN"
    )
    if refused or (isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG):
        check_name(path, remedy)


def _fits(folder: Path, name: str) -> bool:
    """Whether there could be a file of this name; only the disk knows how it counts."""
    if sys.platform == "win32":
        return len(name.encode("utf-16-le", "surrogatepass")) // 2 <= _LONGEST_WINDOWS_NAME
    try:
        os.lstat(folder / name)
    except OSError as error:
        return error.errno != errno.ENAMETOOLONG
    return True
