"""Temporary names of files that are being exported, until all of them get their own at once."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

from app.services.store_sessions import is_alive, started_s

_NAME_BYTES = 120  # of the name that it will have: the whole must stay within what file systems take
_WRITER = re.compile(r"\.([0-9a-f]{6})-(\d{1,10})-(\d{1,12})-[0-9a-f]{8}\.moss-part\Z")


def part_path(target: Path) -> Path:
    """Where a file is written until it is complete: the same folder, so that putting it in place is one rename.

    No two exports share one, also not to the same target: each then puts a whole file in place, the later one last.
    """
    name = target.name.encode("utf-8", "surrogateescape")[:_NAME_BYTES].decode("utf-8", "ignore")
    started = round(started_s(os.getpid()))
    return target.with_name(f".{name}.{_machine()}-{os.getpid()}-{started}-{secrets.token_hex(4)}.moss-part")


def put_in_place(pairs: Sequence[tuple[Path, Path]], tell: Callable[[Path], None]) -> None:
    """Give finished files, (part, target) each, their names: all of them, or none, and then what was there stays.

    Args:
        tell: called with each target before its turn.

    Raises:
        OSError.
    """
    new: list[Path] = []  # where nothing was
    before: list[tuple[Path, Path]] = []  # target, and what was there under another name
    try:
        for part, target in pairs:
            tell(target)
            there = os.path.lexists(target)
            if there and (other := _second_name(target)) is not None:
                before.append((target, other))
            os.replace(part, target)
            if not there:
                new.append(target)
    except BaseException:
        for target in new:
            with contextlib.suppress(OSError):
                target.unlink()
        for target, other in before:
            with contextlib.suppress(OSError):
                os.replace(other, target)
        raise
    finally:
        for _, other in before:
            with contextlib.suppress(OSError):
                other.unlink()


def _second_name(path: Path) -> Path | None:
    """Another name of a file; None where there is none, or the file system has no second names."""
    other = part_path(path)
    try:
        os.link(path, other)
    except (OSError, NotImplementedError):
        return None
    return other


def remove_dead_parts(folder: Path) -> None:
    """Remove what exports left in a folder whose process died on this machine."""
    with contextlib.suppress(OSError):
        for part in list(folder.glob(".*.moss-part")):
            written_by = _WRITER.search(part.name)
            if written_by is None:
                continue
            machine, pid, started = written_by.groups()
            if machine == _machine() and not is_alive(int(pid), float(started)):
                part.unlink(missing_ok=True)


def _machine() -> str:
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:6]
