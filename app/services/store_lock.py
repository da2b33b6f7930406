"""One writer for a project, on this machine and across machines."""

from __future__ import annotations

import contextlib
import getpass
import json
import logging
import os
import socket
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from app.model.errors import ProjectError

_log = logging.getLogger(__name__)

BEAT_S = 30.0  # how often a writer says that it lives
STALE_S = 120.0  # silence after which a writer on another machine is taken for gone


@dataclass(frozen=True)
class Holder:
    """Who has a project open for writing.

    Attributes:
        host, pid, user: for people, and to tell machines apart.
        since_s, beat_s: seconds since the epoch: when it was opened, when the holder last said that it lives.
    """

    host: str
    pid: int
    user: str
    since_s: float
    beat_s: float

    @staticmethod
    def me() -> Holder:
        now = time.time()
        try:
            user = getpass.getuser()
        except (OSError, KeyError, ImportError):
            user = ""
        return Holder(socket.gethostname(), os.getpid(), user, now, now)

    def to_text(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def from_text(text: str) -> Holder | None:
        """None for a text that is none of ours."""
        try:
            raw = json.loads(text[:4_000])
            return Holder(
                str(raw["host"])[:255],
                int(raw["pid"]),
                str(raw["user"])[:255],
                float(raw["since_s"]),
                float(raw["beat_s"]),
            )
        except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
            return None


class ProjectLockedError(ProjectError):
    """Somebody else has the project open for writing. `holder` tells who; it can be opened read-only, or forced."""

    def __init__(self, path: Path, holder: Holder | None) -> None:
        if holder is None:
            where = "in another window"
        elif holder.host == socket.gethostname():
            where = f"in another window of this computer (process {holder.pid})"
        else:
            where = f"by {holder.user or 'somebody'} on {holder.host}"
        super().__init__(
            f"{path.name} is open {where}.", "Close it there, or open it here read-only: then nothing can be lost."
        )
        self.path = path
        self.holder = holder


class Lock:
    """Holds a project for writing until `release`.

    On one machine an operating system lock on a file beside the project decides: it ends with its process, so it is
        never
    stale. Other machines are told apart by the holder written in that file and in the project itself, which counts as
    long as it says every half minute that it lives.

    Attributes:
        path: of the project.
        holder: this process.
        left_open: whether somebody before had it open and never closed it.
    """

    def __init__(self, path: Path, *, force: bool = False) -> None:
        """Take the lock.

        Args:
            force: take it from a holder on another machine (a person said that it is gone).

        Raises:
            ProjectLockedError.
        """
        self.path = path
        self.file = path.with_name(f".{path.name}.lock")
        self.holder = Holder.me()
        self._fd: int | None = None
        self._take()
        self.left_open = False
        try:
            self.check(self._read(), force)
        except ProjectLockedError:
            self._close()
            raise
        self.beat()

    def check(self, other: Holder | None, force: bool = False) -> None:
        """Look at a holder that was written down. Raises ProjectLockedError when it is another machine's and lives."""
        if other is None:
            return
        # On this machine the operating system has just said that nobody holds it, whatever is written.
        if not force and other.host != self.holder.host and abs(time.time() - other.beat_s) < STALE_S:
            raise ProjectLockedError(self.path, other)
        self.left_open = True

    def _take(self) -> None:
        for _ in range(20):
            try:
                fd = os.open(
                    self.file,
                    os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0),
                    0o600,
                )
            except OSError as error:
                # A folder that takes no new file: the row in the project alone must do.
                _log.info("No lock file beside %s: %s", self.path, error)
                return
            try:
                locked = _lock(fd)
            except OSError as error:
                _log.info("The file system of %s has no locks: %s", self.path, error)
                locked = True
            if not locked:
                holder = _holder_in(fd)
                os.close(fd)
                raise ProjectLockedError(self.path, holder)
            with contextlib.suppress(OSError):
                if os.path.samestat(os.fstat(fd), os.stat(self.file)):
                    self._fd = fd
                    return
            os.close(fd)  # its owner removed it between our open and our lock
        raise ProjectLockedError(self.path, None)

    def _read(self) -> Holder | None:
        return _holder_in(self._fd) if self._fd is not None else None

    def beat(self) -> str:
        """Say that this process still holds the project; returns the text for the project's own row."""
        self.holder = Holder(self.holder.host, self.holder.pid, self.holder.user, self.holder.since_s, time.time())
        text = self.holder.to_text()
        if self._fd is not None:
            with contextlib.suppress(OSError):
                os.lseek(self._fd, 0, os.SEEK_SET)
                os.ftruncate(self._fd, 0)
                os.write(self._fd, text.encode("utf-8"))
        return text

    def release(self) -> None:
        """Give the project free; calling it twice is harmless."""
        if self._fd is not None:
            if sys.platform == "win32":
                self._close()  # a file that is open cannot be removed there
            with contextlib.suppress(OSError):
                os.unlink(self.file)
            self._close()

    def _close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def _holder_in(fd: int) -> Holder | None:
    try:
        os.lseek(fd, 0, os.SEEK_SET)
        return Holder.from_text(os.read(fd, 4_000).decode("utf-8", "replace"))
    except OSError:
        return None


if sys.platform == "win32":
    import msvcrt

    def _lock(fd: int) -> bool:
        try:
            # A byte far behind the text, so that others can read who holds it.
            os.lseek(fd, 1 << 20, os.SEEK_SET)
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
            return True
        except PermissionError:
            return False

else:
    import fcntl

    def _lock(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            return False
