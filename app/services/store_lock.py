"""One writer for a project, on this machine and across machines."""

from __future__ import annotations

import getpass
import json
import logging
import os
import socket
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from app.model.errors import ProjectError
from app.services.store_lock_file import HeldError, LockFile
from app.services.store_same_file import SameFile

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
    """Somebody else has the project open for writing. `holder` tells who; it can be opened read-only, or forced.
    `other` is the name by which he opened it, where it is another one."""

    def __init__(self, path: Path, holder: Holder | None, other: Path | None = None) -> None:
        if holder is None:
            where = "in another window"
        elif holder.host == socket.gethostname():
            where = f"in another window of this computer (process {holder.pid})"
        else:
            where = f"by {holder.user or 'somebody'} on {holder.host}"
        if other is not None:
            where += f", as {other}, which is the same file"
        super().__init__(
            f"{path.name} is open {where}.", "Close it there, or open it here read-only: then nothing can be lost."
        )
        self.path = path
        self.holder = holder
        self.other = other


class Lock:
    """Holds a project for writing until `release`.

    On one machine an operating system lock on a file beside the project decides: it ends with its process, so it is
    never stale. Other machines are told apart by the holder written in that file and in the project itself, which
    counts as long as it says every half minute that it lives. Other names of the same file: see `hold_file`.

    Attributes:
        path: of the project.
        holder: this process.
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
        self._lock = LockFile(self.file)
        self._same_file = SameFile()
        try:
            self._lock.take()
        except HeldError as error:
            raise ProjectLockedError(path, Holder.from_text(error.text)) from error
        except OSError as error:
            # A folder that takes no new file: the row in the project alone must do.
            _log.info("No lock file beside %s: %s", path, error)
        try:
            self.check(Holder.from_text(self._lock.read()), force)
        except ProjectLockedError:
            self._lock.leave()
            raise
        self.beat()

    def check(self, other: Holder | None, force: bool = False) -> None:
        """Look at a holder that was written down. Raises ProjectLockedError when it is another machine's and lives."""
        if other is None:
            return
        # On this machine the operating system has just said that nobody holds it, whatever is written.
        if not force and other.host != self.holder.host and abs(time.time() - other.beat_s) < STALE_S:
            raise ProjectLockedError(self.path, other)

    def hold_file(self, file: Path) -> None:
        """Hold the very file that is written now, whatever other names it has.

        To be called again when another file has taken its place.

        Raises:
            ProjectLockedError: somebody writes it by another name.
            ProjectError: changes that were made by another name have not come into it yet.
        """
        found = self._same_file.take(file, self.holder.to_text())
        if found is None:
            return
        if not found.lives:
            raise ProjectError(
                f"{self.path.name} is another name of {found.path}, where changes wait since the program ended.",
                f"Open it as {found.path}.",
            )
        other = found.path if found.path != file else None
        raise ProjectLockedError(self.path, Holder.from_text(found.holder), other)

    def beat(self) -> str:
        """Say that this process still holds the project; returns the text for the project's own row."""
        self.holder = Holder(self.holder.host, self.holder.pid, self.holder.user, self.holder.since_s, time.time())
        text = self.holder.to_text()
        self._lock.write(text)
        self._same_file.write(text)
        return text

    def release(self) -> None:
        """Give the project free; calling it twice is harmless."""
        self._same_file.release()
        self._lock.release()


def is_open(path: Path) -> bool:
    """Whether somebody has a project open for writing."""
    try:
        lock = Lock(path)
    except ProjectLockedError:
        return True
    try:
        lock.hold_file(path)
    except ProjectLockedError:
        return True
    except ProjectError:
        return False
    finally:
        lock.release()
    return False
