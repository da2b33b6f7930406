"""Moves what has come of a download to another folder, also between disks, and loses nothing when it ends early."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

READ_BYTES = 4 << 20


def carry_over(source: Path, target: Path, check: Callable[[], None], tell: Callable[[int, int, str], None]) -> None:
    """Move every file of a folder, one by one; a file that is only half there has not its name. What is in both stays.

    Args:
        check: asked often; raises to end the move.
        tell: (bytes that were gone through, all bytes, name of the file).
    """
    paths = [path for path in sorted(source.rglob("*")) if path.is_file() and not path.is_symlink()]
    total, done = sum(path.stat().st_size for path in paths), 0
    for path in paths:
        size, there = path.stat().st_size, target / path.relative_to(source)
        if not there.exists():
            there.parent.mkdir(parents=True, exist_ok=True)
            check()
            _move(path, there, check, lambda more, name=path.name, before=done: tell(before + more, total, name))
        done += size


def _move(source: Path, target: Path, check: Callable[[], None], came: Callable[[int], None]) -> None:
    try:
        os.rename(source, target)
        return
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
    half = target.with_name(f"{target.name}.moving")
    try:
        with source.open("rb") as old, half.open("wb") as new:
            while chunk := old.read(READ_BYTES):
                new.write(chunk)
                check()
                came(new.tell())
            os.fsync(new.fileno())  # the source goes next
        os.replace(half, target)
    except BaseException:
        half.unlink(missing_ok=True)
        raise
    source.unlink()
