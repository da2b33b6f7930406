"""A file that one process at a time holds, and in which it says who it is."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from pathlib import Path

_LONGEST = 8_000


class HeldError(Exception):
    """Another process, or another part of this one, holds it. `text` is what it wrote."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class LockFile:
    """Held from `take` until `release`, and never longer than its process lives.

    Attributes:
        file: where it is.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._fd: int | None = None
        self._mutex = threading.Lock()  # a number that was given back may be another file's

    def take(self) -> None:
        """Take it, and leave what its last holder wrote.

        Raises:
            HeldError.
            OSError: it cannot be made here.
        """
        for _ in range(20):
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
            fd = os.open(self.file, flags, 0o600)
            try:
                locked = _lock(fd)
            except OSError:
                locked = True  # a file system without locks: what is written in it must do
            if not locked:
                text = _text_in(fd)
                os.close(fd)
                raise HeldError(text)
            with contextlib.suppress(OSError):
                if os.path.samestat(os.fstat(fd), os.stat(self.file)):
                    self._fd = fd
                    return
            os.close(fd)  # its owner removed it between our open and our lock
        raise HeldError("")

    def read(self) -> str:
        return _text_in(self._fd) if self._fd is not None else ""

    def write(self, text: str) -> None:
        """Say who holds it; a disk that does not take it changes nothing."""
        with self._mutex, contextlib.suppress(OSError):
            if self._fd is not None:
                os.lseek(self._fd, 0, os.SEEK_SET)
                os.ftruncate(self._fd, 0)
                os.write(self._fd, text.encode("utf-8", "surrogateescape"))

    def release(self) -> None:
        """Give it free and remove it; calling it twice is harmless."""
        if self._fd is not None:
            if sys.platform == "win32":
                self.leave()  # a file that is open cannot be removed there
            with contextlib.suppress(OSError):
                os.unlink(self.file)
            self.leave()

    def leave(self) -> None:
        """Give it free; what is written in it stays."""
        with self._mutex:
            if self._fd is not None:
                os.close(self._fd)
                self._fd = None


def _text_in(fd: int) -> str:
    try:
        os.lseek(fd, 0, os.SEEK_SET)
        return os.read(fd, _LONGEST).decode("utf-8", "surrogateescape")
    except OSError:
        return ""


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
