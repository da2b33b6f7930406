"""Which projects are open in living processes, and which were open when one died."""

from __future__ import annotations

import json
import logging
import os
from dataclasses import dataclass
from pathlib import Path

import psutil

from app.model.block import new_id
from app.paths import Paths

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Session:
    """A note that a process has a project open.

    Attributes:
        file: the note itself.
        path: the project.
        pid, started_s: the process; its start tells it from a later one with the same number.
    """

    file: Path
    path: Path
    pid: int
    started_s: float

    @property
    def lives(self) -> bool:
        return is_alive(self.pid, self.started_s)

    def end(self) -> None:
        self.file.unlink(missing_ok=True)


def folder_of(paths: Paths) -> Path:
    return paths.profile / "sessions"


def begin(paths: Paths, path: Path) -> Session | None:
    """Note that this process has a project open; None where the profile cannot be written, which keeps nothing from
    working."""
    session = Session(folder_of(paths) / f"{new_id()}.json", path, os.getpid(), started_s(os.getpid()))
    try:
        session.file.parent.mkdir(parents=True, exist_ok=True)
        raw = {"path": str(path), "pid": session.pid, "started_s": session.started_s}
        session.file.write_text(json.dumps(raw), "utf-8")
    except OSError as error:
        _log.warning("Open projects cannot be noted: %s", error)
        return None
    return session


def sessions(paths: Paths) -> list[Session]:
    """All notes; unreadable ones are removed."""
    found = []
    for file in sorted(folder_of(paths).glob("*.json")):
        try:
            raw = json.loads(file.read_text("utf-8")[:10_000])
            found.append(Session(file, Path(str(raw["path"])), int(raw["pid"]), float(raw["started_s"])))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            file.unlink(missing_ok=True)
    return found


def is_alive(pid: int, started: float) -> bool:
    """Whether the process that was started then still runs."""
    return pid > 0 and abs(started_s(pid) - started) < 2.0


def started_s(pid: int) -> float:
    """When a process was started, in seconds since the epoch; 0 when there is none."""
    try:
        return float(psutil.Process(pid).create_time())
    except (psutil.Error, ValueError, OverflowError):
        return 0.0
