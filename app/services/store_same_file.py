"""One writer for a file that has several names: a hard link is told by the file itself, wherever it stands."""

from __future__ import annotations

import json
import os
import stat
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from app.services.store_lock_file import HeldError, LockFile

_LOOKS, _LOOK_S = 50, 0.02


@dataclass(frozen=True)
class Elsewhere:
    """Who writes a file by another name.

    Attributes:
        path: that name.
        holder: what he says of himself.
        lives: he still does; if not, his log waits beside that name.
    """

    path: Path
    holder: str
    lives: bool


class SameFile:
    """Holds a file by its number on its disk, for this account on this machine.

    A project at rest is one file, but while it is written its log stands beside the name it was opened by; a writer by
    another name would not know of it. Where a file has no number, or there is no place to note it, nothing is held.
    """

    def __init__(self) -> None:
        self._file: LockFile | None = None
        self._path: Path | None = None

    def take(self, path: Path, holder: str) -> Elsewhere | None:
        """Hold the file at `path` from now on, and no other; returns who writes it under another name.

        A log that somebody who is gone left beside another name counts too.
        """
        self.release()
        where = _place_of(path)
        if where is None:
            return None
        lock = LockFile(where)
        for _ in range(_LOOKS):
            try:
                lock.take()
                break
            except HeldError as error:
                text = error.text
            except OSError:
                return None
            if text:
                return _elsewhere(text, path, lives=True)
            time.sleep(_LOOK_S)  # he has it, and has not said yet by which name
        else:
            return Elsewhere(path, "", lives=True)
        left = _elsewhere(lock.read(), path, lives=False)
        if left is not None and left.path != path and _has_log(left.path):
            lock.leave()
            return left
        self._file, self._path = lock, path
        self.write(holder)
        return None

    def write(self, holder: str) -> None:
        """Say who holds it, and by which name."""
        if self._file is not None:
            self._file.write(json.dumps({"path": str(self._path), "holder": holder}))

    def release(self) -> None:
        """Let it go; calling it twice is harmless."""
        if self._file is not None:
            self._file.release()
            self._file = None


def written_as(path: Path) -> Path | None:
    """The other name under which somebody writes this file; None where nobody does."""
    where = _place_of(path)
    try:
        text = where.read_text("utf-8", "surrogateescape") if where is not None else ""
    except OSError:
        return None
    found = _elsewhere(text, path, lives=True)
    return found.path if found is not None and found.path != path and _has_log(found.path) else None


def _place_of(path: Path) -> Path | None:
    """Where it is noted who holds a file; None where that cannot be told."""
    try:
        found = path.stat()
        if not found.st_ino:
            return None  # a file system without numbers
        account = os.getuid() if hasattr(os, "getuid") else None
        folder = Path(tempfile.gettempdir()) / f"moss-voice-studio{'' if account is None else f'-{account}'}"
        folder.mkdir(mode=0o700, exist_ok=True)
        there = folder.lstat()
        # Anybody may make a folder of this name first; one of somebody else's would let him lock our projects.
        if not stat.S_ISDIR(there.st_mode) or (account is not None and there.st_uid != account):
            return None
    except OSError:
        return None
    return folder / f"{found.st_dev:x}-{found.st_ino:x}.lock"


def _elsewhere(text: str, path: Path, *, lives: bool) -> Elsewhere | None:
    """What a note says, unless it is of a file that is not there any more."""
    try:
        raw = json.loads(text)
        other, holder = Path(str(raw["path"])), str(raw["holder"])
        # A number is given to another file once its own is gone.
        if not os.path.samefile(other, path):
            return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return Elsewhere(other, holder, lives)


def _has_log(path: Path) -> bool:
    try:
        return path.with_name(path.name + "-wal").stat().st_size > 0
    except OSError:
        return False
