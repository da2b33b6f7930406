"""What the last run left: untitled projects, work that could not be saved, and takes that were being made."""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from app.model.block import new_id
from app.model.commands import (
    Command,
    Compound,
    DropTake,
    PutTake,
    ReplaceBlocks,
    SetLexicon,
    SetProjectSettings,
    SetVoice,
)
from app.model.errors import ProjectError
from app.model.project import Project
from app.paths import Paths
from app.services import store_audio, store_copy, store_network, store_opening, store_sessions
from app.services.store import SUFFIX, Deliver, ProjectStore
from app.services.store_audio import Segment
from app.services.store_lock import Lock, is_open
from app.services.store_rows import Rows
from app.services.store_schema import connect

_log = logging.getLogger(__name__)

Kind = Literal["untitled", "unsaved", "interrupted"]
TRASH_DAYS = 30
# Two that look at once would take each other for somebody who has the projects open.
_FINDING = threading.Lock()


@dataclass(frozen=True)
class Found:
    """Something that can be recovered.

    Attributes:
        kind: `untitled`: a project that was never given a name; `unsaved`: work on a project whose file could not be
            written; `interrupted`: a project with takes that were being made.
        path: the file with it.
        original: the project that `unsaved` work belongs to.
        title: for people: the title, the first words, or the file's name.
        words: of the script.
        unfinished_takes: how many takes were being made.
        seconds: of audio in them.
        changed_at_s: seconds since the epoch.
        damaged: the file has to be repaired; recovering does that and keeps a copy.
    """

    kind: Kind
    path: Path
    original: Path | None
    title: str
    words: int
    unfinished_takes: int
    seconds: float
    changed_at_s: float
    damaged: bool = False


class Recovery:
    """Finds what the last run left and does with it what the person decides. Doing nothing with something means
    "later"."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths

    def crashed(self) -> bool:
        """Whether a run ended without closing its projects, and nobody looked since."""
        return any(not session.lives for session in store_sessions.sessions(self._paths))

    def find(self) -> list[Found]:
        """Everything that can be recovered, the latest first. What a living process works on is not in it.

        Opens every file for it; for a background task.
        """
        with _FINDING:
            return self._find()

    def _find(self) -> list[Found]:
        found: list[Found] = []
        for path in sorted(self._paths.untitled.glob(f"*{SUFFIX}")):
            each = self._look("untitled", path) if not store_copy.is_kept(path) else None
            if each is not None and (each.words or each.unfinished_takes or each.seconds or each.damaged):
                found.append(each)
            elif each is not None:
                _remove(path)  # nothing was ever written into it
        for path in sorted((self._paths.profile / "rescue").glob(f"*{SUFFIX}")):
            each = self._look("unsaved", path) if not store_copy.is_kept(path) else None
            if each is not None:
                found.append(each)
        open_now = {session.path for session in store_sessions.sessions(self._paths) if session.lives}
        for path, original in store_network.unpublished(self._paths):
            each = self._look("unsaved", path) if original not in open_now else None
            if each is not None:
                found.append(replace(each, original=original, title=original.stem))
        seen = {each.path for each in found}
        for session in store_sessions.sessions(self._paths):
            if session.lives:
                continue
            each = (
                self._look("interrupted", session.path) if session.path not in seen and session.path.is_file() else None
            )
            if each is not None and each.unfinished_takes:
                seen.add(each.path)
                found.append(each)
            elif session.path.is_file() or not _is_away(session.path):
                session.end()  # nothing is open and nothing is missing
        self._empty_trash()
        return sorted(found, key=lambda each: -each.changed_at_s)

    def recover(
        self, found: Found, *, deliver: Deliver | None = None, progress: Callable[[float], None] | None = None
    ) -> ProjectStore:
        """Open it with everything that is there.

        Unsaved work goes into its project as one step that can be undone. Where that project is away, was changed since
        or is open elsewhere, the work becomes an untitled project of its own. Takes that were being made become
        incomplete ones.

        Args:
            progress: called with 0..1 while a damaged file is repaired or one is copied; may raise to cancel.

        Raises:
            ProjectError: it cannot be opened; nothing was changed.
        """
        if found.kind != "unsaved":
            store = ProjectStore.open(found.path, paths=self._paths, deliver=deliver, progress=progress)
            self._end_sessions(found.path)
            return store
        if (found.path, found.original) in store_network.unpublished(self._paths):
            return self._recover_unpublished(found, deliver, progress)
        with contextlib.closing(_open(found.path)) as connection:
            rows = store_opening.read_rows_of(found.path)
            merged = self._into_original(found, rows, connection, deliver, progress)
        if merged is not None:
            _remove(found.path)
            self._end_sessions(found.path)
            return merged
        store = self._as_untitled(found, deliver)
        _mark_missing_audio(store)
        return store

    def discard(self, found: Found) -> None:
        """Put it away. Files go to a trash in the profile for 30 days; of an interrupted project only the unfinished
        takes go.

        Raises:
            ProjectError: it is open elsewhere.
        """
        if found.kind == "interrupted":
            with ProjectStore.open(found.path, paths=self._paths) as store:
                for take_id in store.interrupted_takes:
                    store.history.note(DropTake(take_id))
                store.flush_or_raise()
            self._end_sessions(found.path)
            return
        Lock(found.path).release()
        trash = self._paths.profile / "trash"
        trash.mkdir(parents=True, exist_ok=True)
        for suffix in ("-wal", ""):
            path = found.path.with_name(found.path.name + suffix)
            if path.exists():
                os.replace(path, trash / path.name)
        os.utime(trash / found.path.name)
        self._end_sessions(found.path)

    def _recover_unpublished(
        self, found: Found, deliver: Deliver | None, progress: Callable[[float], None] | None
    ) -> ProjectStore:
        """A local copy goes on as what it is where its network is there, else as a project of its own."""
        assert found.original is not None
        if not found.original.parent.exists():
            return self._as_untitled(found, deliver)
        store = ProjectStore.open(found.original, paths=self._paths, deliver=deliver, progress=progress)
        self._end_sessions(found.original)
        return store

    def _as_untitled(self, found: Found, deliver: Deliver | None) -> ProjectStore:
        home = self._paths.untitled / found.path.name
        if home.exists():
            home = home.with_name(f"{home.stem} {new_id()[:6]}{SUFFIX}")
        home.parent.mkdir(parents=True, exist_ok=True)
        for suffix in ("-wal", ""):
            path = found.path.with_name(found.path.name + suffix)
            if path.exists():
                os.replace(path, home.with_name(home.name + suffix))
        return ProjectStore.open(home, paths=self._paths, deliver=deliver)

    # -- inside

    def _look(self, kind: Kind, path: Path) -> Found | None:
        """What is in a file, or None when somebody has it open or it cannot be reached."""
        try:
            if is_open(path):
                return None
            changed_at_s = path.stat().st_mtime
            rows = store_opening.read_rows_of(path)
        except OSError:
            return None
        except (ProjectError, sqlite3.Error) as error:
            _log.info("%s has to be repaired: %s", path, error)
            return Found(kind, path, None, path.stem, 0, 0, 0.0, changed_at_s, damaged=True)
        unfinished = [take for take in rows.takes if take.state == "making"]
        seconds = 0.0
        with contextlib.closing(connect(path)) as connection:
            for take in unfinished:
                seconds += store_audio.stored_samples(connection, take.id) / store_audio.RATE
        texts = [block.text for block, _ in rows.blocks if block.text.strip()]
        original = rows.meta.get("rescue_of")
        title = rows.settings.title or (Path(original).stem if original else "")
        if not title and kind == "interrupted":
            title = path.stem
        return Found(
            kind,
            path,
            Path(original) if original and kind == "unsaved" else None,
            title or (texts[0][:60] if texts else path.stem),
            sum(len(text.split()) for text in texts),
            len(unfinished),
            seconds,
            _seconds(rows.meta.get("changed_at_s")) or changed_at_s,
        )

    def _into_original(
        self,
        found: Found,
        rows: Rows,
        connection: sqlite3.Connection,
        deliver: Deliver | None,
        progress: Callable[[float], None] | None,
    ) -> ProjectStore | None:
        """Lay unsaved work over its project; None where that does not fit any more."""
        if found.original is None or not found.original.is_file():
            return None
        try:
            store = ProjectStore.open(found.original, paths=self._paths, deliver=deliver, progress=progress)
        except ProjectError as error:
            _log.info("%s cannot take its unsaved work: %s", found.original, error)
            return None
        same = store.id == rows.meta.get("project") and store.changed_at_s <= _seconds(rows.meta.get("rescued_at_s"))
        if not same:
            store.close()
            return None
        for take, start, samples, flac in connection.execute(
            "SELECT take, start, samples, flac FROM segments ORDER BY number"
        ):
            store.add_audio(Segment(take, start, samples, None, flac))
        store.history.do(_laying_over(rows, store.project))
        store.flush_or_raise()
        return store

    def _end_sessions(self, path: Path) -> None:
        for session in store_sessions.sessions(self._paths):
            if session.path == path and not session.lives:
                session.end()

    def _empty_trash(self) -> None:
        old = time.time() - TRASH_DAYS * 86_400
        kept = [*self._paths.untitled.glob(f"*{SUFFIX}"), *(self._paths.profile / "rescue").glob(f"*{SUFFIX}")]
        for file in [*(self._paths.profile / "trash").glob("*"), *filter(store_copy.is_kept, kept)]:
            with contextlib.suppress(OSError):
                if file.stat().st_mtime < old:
                    file.unlink()


def _laying_over(rows: Rows, project: Project) -> Command:
    ended = [
        replace(each, state="incomplete", stop_reason="interrupted") if each.state == "making" else each
        for each in rows.takes
    ]
    commands: list[Command] = [PutTake(take) for take in ended if project.takes.get(take.id) != take]
    commands += [SetVoice(voice) for voice in rows.voices if project.voices.get(voice.id) != voice]
    commands.append(ReplaceBlocks(0, len(project.blocks), tuple(block for block, _ in rows.blocks)))
    commands += [SetLexicon(rows.lexicon), SetProjectSettings(rows.settings.to_json())]
    return Compound(tuple(commands), "Recover")


def _mark_missing_audio(store: ProjectStore) -> None:
    """Takes whose audio stayed in a file that is away are incomplete here."""
    for take in list(store.project.takes.values()):
        seconds = store.take_samples(take.id) / store_audio.RATE
        if seconds < take.seconds - 0.001:
            store.history.note(PutTake(replace(take, state="incomplete", stop_reason="missing", seconds=seconds)))


def _open(path: Path) -> sqlite3.Connection:
    try:
        return connect(path)
    except sqlite3.Error as error:
        raise ProjectError(f"{path.name} cannot be read ({error}).", "Try again later.") from error


def _seconds(text: str | None) -> float:
    try:
        return float(text or 0.0)
    except ValueError:
        return 0.0


def _is_away(path: Path) -> bool:
    """Whether a file is missing because its whole drive or folder is."""
    return not path.parent.exists()


def _remove(path: Path) -> None:
    for suffix in ("-wal", "-shm", "-journal", ""):
        with contextlib.suppress(OSError):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
