"""Projects on network drives: worked on in a local copy, which is published when nothing was changed for a while and on
close."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

from app.model.errors import ProjectError
from app.paths import Paths
from app.services import store_copy
from app.services.mounts import is_network
from app.services.store_problem import Problem, problem
from app.services.store_schema import connect

_log = logging.getLogger(__name__)

IDLE_S = 10.0
RETRY_S = 30.0
_PATIENCE = 20.0  # a copy that takes long is made less often: at most a twentieth of the time goes into copying


class WorkingCopy:
    """The local copy of a project on a network drive.

    Attributes:
        original: where the person keeps the project.
        file: the local copy, which is the project's file while it is open.
    """

    def __init__(self, paths: Paths, original: Path) -> None:
        self.original = original
        name = hashlib.sha256(str(original).encode("utf-8", "surrogatepass")).hexdigest()[:24]
        self._folder = paths.profile / "network" / name
        self.file = self._folder / original.name
        self._note = self._folder / "copy.json"

    def fetch(self, progress: Callable[[float], None] | None = None) -> str:
        """Make the local copy current; returns what the person should know, or "".

        What was not published by the last run is kept: it is gone on with, or, if the original was changed since,
        put beside the untitled projects.

        Args:
            progress: called with 0..1; may raise to cancel.

        Raises:
            OSError: the original cannot be read, or there is no room.
        """
        note = self._read_note()
        if note.get("dirty") and self.file.exists():
            if not self.original.exists() or note.get("base") == self._stamp():
                return f"Changes to {self.original.name} that had not reached the network are here again."
            untitled = self._folder.parent.parent / "untitled" / self.original.name
            kept = store_copy.named_beside(untitled, f"not published {time.strftime('%Y-%m-%d %H.%M.%S')}")
            kept.parent.mkdir(parents=True, exist_ok=True)
            self._move(kept)
            self._copy_here(progress)
            return (
                f"{self.original.name} was changed elsewhere. Your changes that had not reached the network were kept "
                f"as {kept.stem}."
            )
        self._copy_here(progress)
        return ""

    def _move(self, kept: Path) -> None:
        for suffix in ("-wal", ""):
            source = self.file.with_name(self.file.name + suffix)
            if source.exists():
                os.replace(source, kept.with_name(kept.name + suffix))

    def _copy_here(self, progress: Callable[[float], None] | None) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        part = store_copy.part_of(self.file)
        try:
            store_copy.copy_file(self.original, part, progress)
            for suffix in ("-wal", "-shm", "-journal"):
                self.file.with_name(self.file.name + suffix).unlink(missing_ok=True)
            log = self.original.with_name(self.original.name + "-wal")
            if log.exists():  # somebody worked on it in place and did not come to the end
                shutil.copyfile(log, self.file.with_name(self.file.name + "-wal"))
            os.replace(part, self.file)
        finally:
            part.unlink(missing_ok=True)
        self._write_note(dirty=False)

    def begin(self) -> None:
        """A project that is new: there is no original yet."""
        self._folder.mkdir(parents=True, exist_ok=True)
        for suffix in ("", "-wal", "-shm", "-journal"):
            self.file.with_name(self.file.name + suffix).unlink(missing_ok=True)
        self._write_note(dirty=True)

    def mark_changed(self) -> None:
        """The local copy holds more than the original from now on."""
        note = self._read_note()
        if not note.get("dirty"):
            self._write_note(dirty=True, base=note.get("base"))

    def publish(self, progress: Callable[[float], None] | None = None) -> Path | None:
        """Copy the project to the network; the original is whole at every instant.

        Returns:
            Where it was put instead when the original had been changed by somebody else; else None.

        Raises:
            OSError, sqlite3.Error: the network does not take it.
        """
        note = self._read_note()
        part = store_copy.part_of(self.original)
        whole = store_copy.part_of(self.file)
        try:
            with contextlib.closing(connect(self.file)) as source:
                store_copy.copy_to(source, whole, progress or (lambda fraction: None))
            shutil.copyfile(whole, part)
            stamp = self._stamp()
            elsewhere = None
            if stamp is not None and note.get("base") is not None and stamp != note["base"]:
                elsewhere = store_copy.named_beside(self.original, f"conflict {time.strftime('%Y-%m-%d %H.%M.%S')}")
            store_copy.settle(part, elsewhere or self.original)
        finally:
            part.unlink(missing_ok=True)
            whole.unlink(missing_ok=True)
        if elsewhere is None:
            self._write_note(dirty=False)
        return elsewhere

    @property
    def is_published(self) -> bool:
        return not self._read_note().get("dirty")

    def remove(self) -> None:
        """The local copy is not needed any more."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _stamp(self) -> list[int] | None:
        try:
            found = self.original.stat()
        except OSError:
            return None
        return [found.st_mtime_ns, found.st_size]

    def _read_note(self) -> dict[str, object]:
        try:
            raw = json.loads(self._note.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return raw if isinstance(raw, dict) else {}

    def _write_note(self, *, dirty: bool, base: object = None) -> None:
        raw = {"original": str(self.original), "dirty": dirty, "base": base if dirty else self._stamp()}
        part = self._note.with_suffix(".part")
        part.write_text(json.dumps(raw), "utf-8")
        os.replace(part, self._note)


def copy_for(paths: Paths, path: Path) -> WorkingCopy | None:
    """The working copy for a project, or None where it can be worked on in place.

    In a profile that is on the network itself nothing would be won: SQLite then works there with a plain journal.
    """
    return WorkingCopy(paths, path) if is_network(path) and not is_network(paths.profile) else None


def unpublished(paths: Paths) -> list[tuple[Path, Path]]:
    """(local copy, original) of every project whose last changes never reached the network."""
    found = []
    for note in sorted((paths.profile / "network").glob("*/copy.json")):
        try:
            raw = json.loads(note.read_text("utf-8"))
            copy = WorkingCopy(paths, Path(str(raw["original"])))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue
        if raw.get("dirty") and copy.file.exists():
            found.append((copy.file, copy.original))
    return found


class Publisher:
    """Publishes a working copy in the background once nothing was changed for a while.

    Attributes:
        copy: what is published.
    """

    def __init__(self, copy: WorkingCopy, on_problem: Callable[[Problem | None], None]) -> None:
        self.copy = copy
        self._on_problem = on_problem
        self._condition = threading.Condition()
        self._due_s: float | None = None
        self._took_s = 0.0
        self._closing = False
        self._troubled = False
        self._publishing = threading.Lock()
        self._thread = threading.Thread(target=self._run, name=f"publish {copy.original.name}", daemon=True)
        self._thread.start()

    def changed(self) -> None:
        """Something was saved in the local copy."""
        self.copy.mark_changed()
        with self._condition:
            self._due_s = time.monotonic() + max(IDLE_S, self._took_s * _PATIENCE)
            self._condition.notify_all()

    def close(self) -> bool:
        """Publish what is left, after the local copy was closed. False when the network does not take it; nothing is
        lost."""
        with self._condition:
            self._closing = True
            self._condition.notify_all()
        self._thread.join()
        return self.copy.is_published or self._publish()

    def _run(self) -> None:
        while True:
            with self._condition:
                while not self._closing:
                    left = None if self._due_s is None else self._due_s - time.monotonic()
                    if left is not None and left <= 0:
                        break
                    self._condition.wait(left)
                if self._closing:
                    return
                self._due_s = None
            if not self._publish():
                with self._condition:
                    self._due_s = time.monotonic() + RETRY_S

    def _publish(self) -> bool:
        begin = time.monotonic()
        with self._publishing:
            try:
                elsewhere = self.copy.publish()
            except (OSError, sqlite3.Error, ProjectError) as error:
                _log.warning("%s could not be published: %s", self.copy.original, error)
                self._troubled = True
                self._on_problem(problem("network", self.copy.original, self.copy.file))
                return False
        self._took_s = time.monotonic() - begin
        if elsewhere is not None:
            told = problem("network", self.copy.original, elsewhere)
            message = f"{self.copy.original.name} was changed by somebody else."
            self._on_problem(
                Problem("network", message, f"Your version was put beside it as {elsewhere.name}.", told.rescued)
            )
            return True
        if self._troubled:
            self._troubled = False
            self._on_problem(None)
        return True
