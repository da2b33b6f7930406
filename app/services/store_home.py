"""Where an open project lives: its file, the lock on it, the copy of one on a network drive, and the note that it is
open."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from app.paths import Paths
from app.services import store_sessions
from app.services.store_lock import Lock
from app.services.store_network import Publisher, WorkingCopy
from app.services.store_opening import Opened
from app.services.store_problem import Problem
from app.services.store_sessions import Session

_log = logging.getLogger(__name__)


class Home:
    """Holds all of it until `leave`.

    Attributes:
        path: the file, as the person knows it.
        file: what is written: the same, or the local copy of a file on a network drive.
        is_untitled: it lives in the profile and was never saved by the person.
    """

    def __init__(self, opened: Opened, paths: Paths, on_problem: Callable[[Problem | None], None]) -> None:
        """
        Args:
            on_problem: told when the network does not take the project; on another thread.
        """
        self.path = opened.path
        self.file = opened.copy.file if opened.copy is not None else opened.path
        self.is_untitled = opened.is_untitled
        self._paths = paths
        self._on_problem = on_problem
        self._lock = opened.lock
        self._publisher = self._publisher_of(opened.copy)
        self._session: Session | None = None
        if opened.connection is not None:
            self._session = store_sessions.begin(paths, self.path)

    def _publisher_of(self, copy: WorkingCopy | None) -> Publisher | None:
        return Publisher(copy, self._on_problem) if copy is not None else None

    @property
    def is_far(self) -> bool:
        """Whether it is on a network drive."""
        return self._publisher is not None

    def saved(self) -> None:
        """Something was written; on the writing thread."""
        if self._publisher is not None:
            self._publisher.changed()

    def beat(self) -> str:
        """Say that it is still held; returns the text for the project's own row."""
        return self._lock.beat() if self._lock is not None else ""

    def hold_file(self) -> None:
        """Another file has taken the place of the project's own."""
        if self._lock is not None:
            self._lock.hold_file(self.file)

    def move(self, lock: Lock, path: Path, copy: WorkingCopy | None) -> None:
        """The project lives at `path` now; the file of an untitled one is removed."""
        old, self.path = self.path, path
        self.file = copy.file if copy is not None else path
        publisher, self._publisher = self._publisher, None
        if publisher is not None and not publisher.close():
            _log.warning("%s keeps changes that did not reach the network", old)
        self._publisher = self._publisher_of(copy)
        if self._lock is not None:
            self._lock.release()
        self._lock = lock
        if self.is_untitled:
            old.unlink(missing_ok=True)
        self.is_untitled = False
        if self._session is not None:
            self._session.end()
        self._session = store_sessions.begin(self._paths, path)

    def leave(self) -> bool:
        """Let it go, after the last was written. False when the network did not take it."""
        published = self._publisher is None or self._publisher.close()
        if self._session is not None:
            self._session.end()
        if self._lock is not None:
            self._lock.release()
        return published
