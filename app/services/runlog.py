"""What was spoken on this machine: figures of every synthesis; text and sound only on wish."""

from __future__ import annotations

import csv
import hashlib
import hmac
import json
import logging
import queue
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from app.services.runs import SUSPICIOUS, Run, Summary
from engine import Priority, SpeechRequest, StopReason

if TYPE_CHECKING:
    from engine import SpeechResult

_log = logging.getLogger(__name__)

VERSION = 1
MOST_RUNS = 200_000
_SCHEMA = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS runs (
  id INTEGER PRIMARY KEY, at_s REAL NOT NULL, text_hash TEXT NOT NULL, characters INTEGER NOT NULL, text TEXT,
  voice TEXT NOT NULL, model TEXT NOT NULL, language TEXT NOT NULL, settings TEXT NOT NULL, seed INTEGER NOT NULL,
  seconds REAL NOT NULL, frames INTEGER NOT NULL, ttfa_ms REAL, rtf REAL, waited_ms REAL, stop_reason TEXT NOT NULL,
  warnings TEXT NOT NULL, error TEXT NOT NULL, take TEXT NOT NULL, audio TEXT);
CREATE INDEX IF NOT EXISTS runs_at ON runs (at_s);
"""


class RunLog:
    """The log of a profile. `add` returns at once; one thread writes. A log that cannot be written never stops speech.

    Attributes:
        path: the file. keeps: asked for each run: (text, sound) to be kept.
    """

    def __init__(self, path: Path, keeps: Callable[[], tuple[bool, bool]] = lambda: (False, False)) -> None:
        self.path = path
        self.keeps = keeps
        self._queue: queue.SimpleQueue[Callable[[sqlite3.Connection], None] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._salt: bytes | None = None
        self._closed = False

    @property
    def audio_folder(self) -> Path:
        return self.path.with_name("runlog audio")

    # -- writing ------------------------------------------------------------------------------------------------

    def add(
        self, request: SpeechRequest, model: str, result: SpeechResult | None, error: Exception | None, audio: Any
    ) -> None:
        """Note how a request ended. Any thread; returns at once.

        Args:
            audio: float32 arrays `[n, 2]` to keep, or None.
        """
        at_s, (keep_text, keep_audio) = time.time(), self.keeps()

        def write(connection: sqlite3.Connection) -> None:
            run = self._run(request, model, result, error, at_s, keep_text)
            if keep_audio and audio:
                run = Run(**(asdict(run) | {"audio": self._write_audio(audio, at_s)}))
            names = [each.name for each in fields(Run) if each.name != "id"]
            marks = ",".join("?" * len(names))
            connection.execute(
                f"INSERT INTO runs ({','.join(names)}) VALUES ({marks})", [getattr(run, name) for name in names]
            )
            connection.execute("DELETE FROM runs WHERE id <= (SELECT max(id) FROM runs) - ?", (MOST_RUNS,))

        self._do(write)

    def _run(
        self,
        request: SpeechRequest,
        model: str,
        result: SpeechResult | None,
        error: Exception | None,
        at_s: float,
        keep_text: bool,
    ) -> Run:
        sampling = None if request.sampling is None else asdict(request.sampling)
        settings = {"sampling": sampling, "tokens": request.tokens, "instruction": bool(request.instruction)}
        settings["priority"] = Priority(request.priority).name.lower()
        sounded = result is not None and result.seconds > 0
        return Run(
            at_s=at_s,
            text_hash=self._hash(request.text),
            characters=len(request.text),
            text=request.text if keep_text else None,
            voice=self._voice(request),
            model=model,
            language=request.language or "",
            settings=json.dumps(settings),
            seed=result.seed if result is not None else request.seed,
            seconds=result.seconds if result is not None else 0.0,
            frames=result.frames if result is not None else 0,
            ttfa_ms=result.ttfa_ms if result is not None else None,
            rtf=result.rtf if result is not None and sounded else None,
            waited_ms=result.waited_ms if result is not None else None,
            stop_reason=result.stop_reason.value if result is not None else StopReason.FAILED.value,
            warnings=json.dumps([warning.code for warning in result.warnings] if result is not None else []),
            error=type(error).__name__ if error is not None else "",
            take=request.label,
        )

    def _voice(self, request: SpeechRequest) -> str:
        if not request.references:
            return ""
        clip = request.references[0]
        return self._hash(f"{clip.path} {clip.start_s} {clip.end_s}" if clip.path is not None else "samples")

    def _hash(self, text: str) -> str:
        """Equal for equal texts of this profile; a short text cannot be found by trying, as the key is the profile's
        own."""
        assert self._salt is not None
        return hmac.new(self._salt, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:16]

    def _write_audio(self, audio: list[np.ndarray], at_s: float) -> str | None:
        import soundfile

        name = f"{time.strftime('%Y-%m-%d %H.%M.%S', time.localtime(at_s))} {secrets.token_hex(3)}.flac"
        try:
            self.audio_folder.mkdir(parents=True, exist_ok=True)
            soundfile.write(self.audio_folder / name, np.concatenate(audio), 48_000, subtype="PCM_24")
        except (OSError, RuntimeError) as error:
            _log.warning("sound of the run log was not kept: %s", error)
            return None
        return name

    def _do(self, work: Callable[[sqlite3.Connection], None]) -> None:
        with self._lock:
            if self._closed:
                return
            if self._thread is None:
                self._thread = threading.Thread(target=self._write, name="run log", daemon=True)
                self._thread.start()
        self._queue.put(work)

    def _write(self) -> None:
        try:
            connection = self._open()
        except (OSError, sqlite3.Error) as error:
            _log.warning("the run log cannot be written: %s", error)
            connection = None
        while (work := self._queue.get()) is not None:
            if connection is None:
                continue
            try:
                with connection:
                    work(connection)
            except Exception as error:  # also a text or a number that no database takes
                _log.warning("the run log was not written: %s", error)
        if connection is not None:
            connection.close()

    def _open(self) -> sqlite3.Connection:
        """The file, made where it is missing; one that is damaged or of another version is kept aside."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            return self._prepare()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            aside = self.path.with_name(
                f"{self.path.stem} (damaged {time.strftime('%Y-%m-%d %H.%M.%S')}){self.path.suffix}"
            )
            self.path.replace(aside)
            _log.warning("the run log was damaged and is kept as %s", aside.name)
            return self._prepare()

    def _prepare(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=10)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.executescript(_SCHEMA)
            known = dict(connection.execute("SELECT name, value FROM about"))
            if int(known.get("version", VERSION)) != VERSION:
                raise sqlite3.DatabaseError(f"version {known['version']}")
            with connection:
                connection.execute("INSERT OR IGNORE INTO about VALUES ('version', ?)", (str(VERSION),))
                connection.execute("INSERT OR IGNORE INTO about VALUES ('salt', ?)", (secrets.token_hex(16),))
            salt = connection.execute("SELECT value FROM about WHERE name = 'salt'").fetchone()[0]
            self._salt = bytes.fromhex(salt)
        except BaseException:
            connection.close()
            raise
        return connection

    def flush(self, timeout_s: float = 10.0) -> bool:
        """Wait until everything added before is in the file."""
        with self._lock:
            if self._thread is None or self._closed:
                return True
        done = threading.Event()
        self._queue.put(lambda connection: done.set())
        return done.wait(timeout_s)

    def close(self) -> None:
        with self._lock:
            thread, self._closed = self._thread, True
        if thread is not None:
            self._queue.put(None)
            thread.join(5.0)

    # -- reading ------------------------------------------------------------------------------------------------

    def _read(self) -> sqlite3.Connection | None:
        if not self.path.is_file():
            return None
        return sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro", uri=True, timeout=10)

    def runs(self, most: int | None = 500, since_s: float = 0.0, before_id: int | None = None) -> list[Run]:
        """Newest first; empty where the log cannot be read.

        Args:
            before_id: only runs that were noted before this one: the next page is asked for with the last one's id.
        """
        names = [each.name for each in fields(Run)]
        question = f"SELECT {','.join(names)} FROM runs WHERE at_s >= ? AND id < ? ORDER BY id DESC LIMIT ?"
        rows = self._ask(question, since_s, 2**63 - 1 if before_id is None else before_id, -1 if most is None else most)
        return [Run(**dict(zip(names, row, strict=True))) for row in rows]

    def summary(self, since_s: float = 0.0) -> Summary:
        """Figures since a moment."""
        return _summed(self._ask(_FIGURES, since_s))

    def days(self, since_s: float = 0.0) -> list[tuple[str, Summary]]:
        """(YYYY-MM-DD of local time, figures) of days with runs, oldest first."""
        by_day: dict[str, list[tuple[Any, ...]]] = {}
        for row in self._ask(_FIGURES, since_s):
            by_day.setdefault(time.strftime("%Y-%m-%d", time.localtime(row[0])), []).append(row)
        return [(day, _summed(rows)) for day, rows in sorted(by_day.items())]

    def _ask(self, question: str, *values: Any) -> list[tuple[Any, ...]]:
        try:
            connection = self._read()
            if connection is None:
                return []
            with closing(connection):
                return connection.execute(question, values).fetchall()
        except sqlite3.Error as error:
            _log.warning("the run log cannot be read: %s", error)
            return []

    def export(self, target: Path) -> int:
        """Write every run to a .csv or .json file; how many. Raises OSError."""
        self.flush()
        names = [each.name for each in fields(Run)]
        runs = self._ask(f"SELECT {','.join(names)} FROM runs ORDER BY id")
        part = target.with_name(target.name + ".part")
        with part.open("w", encoding="utf-8", newline="") as file:
            if target.suffix.lower() == ".json":
                file.write(json.dumps([dict(zip(names, run, strict=True)) for run in runs], ensure_ascii=False))
            else:
                writer = csv.writer(file)
                writer.writerow(names)
                writer.writerows([_plain(value) for value in run] for run in runs)
        part.replace(target)
        return len(runs)

    def clear(self) -> None:
        """Forget everything, sound too. Raises nothing; what cannot be deleted is logged."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM runs")

        self._do(work)
        self.flush()
        for path in self.audio_folder.glob("*.flac"):
            try:
                path.unlink()
            except OSError as error:
                _log.warning("%s could not be deleted: %s", path.name, error)
        self._do(lambda connection: _vacuum(connection))
        self.flush()


_FIGURES = "SELECT at_s, stop_reason, seconds, rtf, ttfa_ms FROM runs WHERE at_s >= ?"


def _summed(rows: list[tuple[Any, ...]]) -> Summary:
    reasons = [row[1] for row in rows]
    return Summary(
        runs=len(rows),
        done=reasons.count(StopReason.STOP.value),
        suspicious=sum(reason in SUSPICIOUS for reason in reasons),
        failed=reasons.count(StopReason.FAILED.value),
        cancelled=reasons.count(StopReason.CANCELLED.value),
        seconds=sum(row[2] for row in rows),
        rtf=_median([row[3] for row in rows if row[3] is not None]),
        ttfa_ms=_median([row[4] for row in rows if row[4] is not None]),
    )


def _median(values: list[float]) -> float | None:
    return float(np.median(values)) if values else None


def _plain(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" else value


def _vacuum(connection: sqlite3.Connection) -> None:
    connection.commit()
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # what was forgotten is not to wait there for the next start
