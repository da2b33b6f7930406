"""A file that cannot be written costs no work: it is told at once, kept meanwhile, and saved when that is possible
again."""

from __future__ import annotations

import importlib.util
import os
import random
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from app.model.commands import ReplaceText, SetBlockSettings
from app.model.errors import ProjectError
from app.model.take import Take
from app.paths import Paths, paths_for
from app.services import (
    store_copy,
    store_file,
    store_lag,
    store_moves,
    store_opening,
    store_repair,
    store_schema,
    store_writer,
)
from app.services.store import ProjectStore
from app.services.store_problem import Problem

ERRORS = {
    "full": ("SQLITE_FULL", "database or disk is full"),
    "permission": ("SQLITE_READONLY", "attempt to write a readonly database"),
    "lost": ("SQLITE_IOERR_WRITE", "disk I/O error"),
    "busy": ("SQLITE_BUSY", "database is locked"),
}


class Disk:
    """Decides which statements of the writing connection fail."""

    def __init__(self) -> None:
        self.kind = ""
        self.fail_from = -1
        self.failures = 0
        self.count = 0
        self.slow_s = 0.0

    def broken(self, kind: str) -> None:
        self.kind, self.fail_from, self.failures = kind, self.count, 1 << 30

    def mended(self) -> None:
        self.fail_from = -1

    def check(self) -> None:
        self.count += 1
        time.sleep(self.slow_s)
        if 0 <= self.fail_from < self.count and self.failures > 0:
            self.failures -= 1
            name, message = ERRORS[self.kind]
            error = sqlite3.OperationalError(message)
            error.sqlite_errorname = name
            raise error


class FaultyConnection:
    def __init__(self, connection: sqlite3.Connection, disk: Disk) -> None:
        self._connection, self._disk = connection, disk

    def execute(self, sql: str, *values):
        if not sql.startswith(("ROLLBACK", "SELECT", "PRAGMA")):
            self._disk.check()
        return self._connection.execute(sql, *values)

    def __getattr__(self, name: str):
        return getattr(self._connection, name)


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return paths_for(tmp_path / "profile")


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    disk = Disk()
    monkeypatch.setattr(store_writer, "RETRY_S", (0.02, 0.02))
    monkeypatch.setattr(
        store_file, "connect", lambda path, **how: FaultyConnection(store_schema.connect(path, **how), disk)
    )
    return disk


class Told:
    """What the problem signal said, and a way to wait for it."""

    def __init__(self, store: ProjectStore) -> None:
        self.problems: list[Problem | None] = []
        self._event = threading.Condition()
        store.problem.connect(self._hear)

    def _hear(self, problem: Problem | None) -> None:
        with self._event:
            self.problems.append(problem)
            self._event.notify_all()

    def wait_for(self, wanted) -> None:
        with self._event:
            assert self._event.wait_for(lambda: bool(self.problems) and wanted(self.problems[-1]), 10)


def create(path: Path, paths: Paths, disk: Disk) -> ProjectStore:
    store = ProjectStore.create(path, paths=paths)
    assert store._writer.file.connection._disk is disk
    store.flush()
    return store


def noise(count: int) -> np.ndarray:
    return (np.random.default_rng(3).integers(-(2**20), 2**20, (count, 2)) / 2**23).astype(np.float32)


@pytest.mark.parametrize("kind", sorted(ERRORS))
def test_trouble_is_told_work_goes_on_and_is_saved_when_it_ends(
    tmp_path: Path, paths: Paths, disk: Disk, kind: str
) -> None:
    store = create(tmp_path / "a.mvs", paths, disk)
    told = Told(store)
    disk.broken(kind)
    store.history.do(ReplaceText(0, "", "first"))
    told.wait_for(lambda problem: problem is not None and problem.kind == kind)
    problem = told.problems[0]
    assert "a.mvs" in problem.message and problem.remedy and problem.rescued is not None and problem.rescued.exists()
    assert store.trouble is not None and not store.flush(5)
    writer = store.begin_take(Take(block_id=store.project.blocks[0].id))
    writer.append(noise(300_000))
    take = writer.finish(Take(id=writer.take.id, block_id=writer.take.block_id, state="done"))
    store.history.do(ReplaceText(5, "", " second"))
    store.history.undo()
    assert np.array_equal(store.read_take(take.id), noise(300_000))
    disk.mended()
    told.wait_for(lambda problem: problem is None)
    assert store.flush() and store.trouble is None
    assert not problem.rescued.exists()
    store.close()
    with ProjectStore.open(store.path, paths=paths) as again:
        assert again.project.text() == "first" and again.history.can_redo
        assert np.array_equal(again.read_take(take.id), noise(300_000))


@pytest.mark.parametrize("kind", sorted(ERRORS))
def test_an_error_at_any_write_loses_nothing(tmp_path: Path, paths: Paths, disk: Disk, kind: str) -> None:
    for at in range(0, 24, 3):
        store = create(tmp_path / f"{at}.mvs", paths, disk)
        disk.kind, disk.fail_from, disk.failures = kind, disk.count + at, 2
        store.history.do(ReplaceText(0, "", "one\ntwo\nthree"))
        store.flush(2)
        writer = store.begin_take(Take(block_id=store.project.blocks[1].id))
        writer.append(noise(100_000))
        writer.finish(Take(id=writer.take.id, block_id=writer.take.block_id, state="done"))
        store.history.do(SetBlockSettings((store.project.blocks[2].id,), {"locked": True}))
        store.history.do(ReplaceText(3, "\n", " "))
        for _ in range(4):
            store.flush(5)
        disk.mended()
        assert store.flush(5) and store.close()
        with ProjectStore.open(store.path, paths=paths) as again:
            assert (
                tuple(again.project.blocks) == tuple(store.project.blocks)
                and again.project.takes == store.project.takes
            )
            assert np.array_equal(again.read_take(writer.take.id), noise(100_000))
            again.history.undo()
            assert again.project.text() == "one\ntwo\nthree"


def test_a_failed_save_is_told_once_and_not_at_every_try(tmp_path: Path, paths: Paths, disk: Disk) -> None:
    store = create(tmp_path / "a.mvs", paths, disk)
    told = Told(store)
    disk.broken("full")
    for _ in range(5):
        store.history.do(ReplaceText(0, "", "x"))
        store.flush(1)
    assert len(told.problems) == 1
    disk.mended()
    store.close()


def test_save_as_works_while_the_old_file_does_not(tmp_path: Path, paths: Paths, disk: Disk) -> None:
    store = create(tmp_path / "a.mvs", paths, disk)
    writer = store.begin_take(Take(block_id=store.project.blocks[0].id))
    writer.append(noise(200_000))
    take = writer.finish(Take(id=writer.take.id, block_id=writer.take.block_id, state="done"))
    store.flush()
    told = Told(store)
    disk.broken("lost")
    store.history.do(ReplaceText(0, "", "only in memory"))
    told.wait_for(lambda problem: problem is not None)
    disk.mended()
    store._writer._retry_at_s = 1e12  # the old drive stays away
    store.save_as(tmp_path / "b.mvs")
    assert store.flush() and store.trouble is None and store.path.name == "b.mvs"
    store.close()
    with ProjectStore.open(tmp_path / "b.mvs", paths=paths) as again:
        assert again.project.text() == "only in memory" and np.array_equal(again.read_take(take.id), noise(200_000))


def test_a_file_that_was_taken_away_is_trouble_and_not_silence(tmp_path: Path, paths: Paths, monkeypatch) -> None:
    monkeypatch.setattr(store_writer, "RETRY_S", (0.02,))
    store = ProjectStore.create(tmp_path / "a.mvs", paths=paths)
    store.history.do(ReplaceText(0, "", "kept"))
    assert store.flush()
    told = Told(store)
    away = tmp_path / "elsewhere"
    away.mkdir()
    for each in list(tmp_path.glob("a.mvs*")):
        each.rename(away / each.name)
    store.history.do(ReplaceText(4, "", " on"))
    told.wait_for(lambda problem: problem is not None and problem.kind == "lost")
    for each in list(away.iterdir()):
        each.rename(tmp_path / each.name)
    told.wait_for(lambda problem: problem is None)
    store.close()
    with ProjectStore.open(tmp_path / "a.mvs", paths=paths) as again:
        assert again.project.text() == "kept on"


def test_audio_that_cannot_be_saved_is_bounded_in_memory(tmp_path: Path, paths: Paths, disk: Disk, monkeypatch) -> None:
    monkeypatch.setattr(store_writer, "MAX_WAITING_BYTES", 2_000_000)
    store = create(tmp_path / "a.mvs", paths, disk)
    told = Told(store)
    writer = store.begin_take(Take(block_id=store.project.blocks[0].id))
    store.flush()
    disk.broken("full")
    store.history.do(ReplaceText(0, "", "x"))
    told.wait_for(lambda problem: problem is not None)
    with pytest.raises(MemoryError):
        for _ in range(20):
            writer.append(noise(96_000))
    disk.mended()
    assert store.close()


def test_a_project_in_a_folder_that_cannot_be_written_is_refused_with_words(tmp_path: Path, paths: Paths) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(ProjectError) as error:
        ProjectStore.create(blocked / "a.mvs", paths=paths)
    assert error.value.remedy


def test_a_slow_disk_never_holds_up_the_typing(tmp_path: Path, paths: Paths, disk: Disk) -> None:
    store = create(tmp_path / "a.mvs", paths, disk)
    committing, go = threading.Event(), threading.Event()
    real = store._writer.file.commit

    def slow(batch, segments) -> None:
        committing.set()
        assert go.wait(30)
        real(batch, segments)

    store._writer.file.commit = slow
    store.history.do(ReplaceText(0, "", "a"))
    assert committing.wait(10)
    writer = store.begin_take(Take(block_id=store.project.blocks[0].id))
    for number in range(100):
        store.history.do(ReplaceText(number, "", "b"))
        writer.append(noise(3_840))
    assert not store.flush(0) and np.array_equal(store.read_take(writer.take.id, 0, 3_840), noise(3_840))
    go.set()
    assert store.close()
    with ProjectStore.open(store.path, paths=paths) as again:
        assert again.project.text() == "b" * 100 + "a"


def test_saving_that_lags_is_told_and_so_is_its_end(
    tmp_path: Path, paths: Paths, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_lag, "LAG_S", 0.2)
    store = create(tmp_path / "a.mvs", paths, disk)
    told, go = Told(store), threading.Event()
    real = store._writer.file.commit
    store._writer.file.commit = lambda batch, segments: go.wait(30) and real(batch, segments)
    store.history.do(ReplaceText(0, "", "a"))
    told.wait_for(lambda problem: problem is not None and problem.kind == "slow")
    assert "a.mvs" in told.problems[0].message and store.trouble is None
    store.history.do(ReplaceText(1, "", "b"))
    go.set()
    told.wait_for(lambda problem: problem is None)
    assert store.flush() and [problem is None for problem in told.problems] == [False, True]
    store.close()
    with ProjectStore.open(store.path, paths=paths) as again:
        assert again.project.text() == "ab"


def test_audio_that_is_saved_too_slowly_is_told_and_bounded_in_memory(
    tmp_path: Path, paths: Paths, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_lag, "LAG_S", 0.2)
    monkeypatch.setattr(store_writer, "MAX_WAITING_BYTES", 2_000_000)
    store = create(tmp_path / "a.mvs", paths, disk)
    writer = store.begin_take(Take(block_id=store.project.blocks[0].id))
    assert store.flush()
    told, go = Told(store), threading.Event()
    real = store._writer.file.commit
    store._writer.file.commit = lambda batch, segments: go.wait(30) and real(batch, segments)
    with pytest.raises(MemoryError):
        for _ in range(20):
            writer.append(noise(96_000))
    told.wait_for(lambda problem: problem is not None and problem.kind == "slow")
    go.set()
    assert store.flush() and store.close()


def test_trouble_after_a_lag_is_told_as_what_it_is(
    tmp_path: Path, paths: Paths, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_lag, "LAG_S", 0.2)
    store = create(tmp_path / "a.mvs", paths, disk)
    told, go = Told(store), threading.Event()
    real = store._writer.file.commit
    store._writer.file.commit = lambda batch, segments: go.wait(30) and real(batch, segments)
    store.history.do(ReplaceText(0, "", "a"))
    told.wait_for(lambda problem: problem is not None and problem.kind == "slow")
    disk.broken("lost")  # the drive answers at last, and says that it is gone
    go.set()
    told.wait_for(lambda problem: problem is not None and problem.kind == "lost")
    disk.mended()
    told.wait_for(lambda problem: problem is None)
    assert [problem.kind if problem else "" for problem in told.problems] == ["slow", "lost", ""]
    store.close()


def load_rounds():
    """The deeds of the crash test: typing, cutting, pasting, moving, importing, undoing."""
    path = Path(__file__).parents[1] / "crash" / "rounds.py"
    spec = importlib.util.spec_from_file_location("rounds", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("kind", [*sorted(ERRORS), "slow"])
def test_the_deeds_of_the_crash_test_survive_a_disk_that_fails_again_and_again(
    tmp_path: Path, paths: Paths, disk: Disk, kind: str
) -> None:
    rounds, chance = load_rounds(), random.Random(kind)
    store = create(tmp_path / "a.mvs", paths, disk)
    told = Told(store)
    writers = []
    for number in range(240):
        if number % 20 == 0 and kind == "slow":
            disk.slow_s = chance.choice([0.0, 0.002, 0.01])
        elif number % 20 == 0:
            disk.kind, disk.fail_from, disk.failures = kind, disk.count + chance.randrange(4), chance.randrange(1, 5)
        rounds.edit(store, chance)
        if number % 15 == 3:
            writers.append(store.begin_take(Take(block_id=chance.choice(store.project.blocks).id)))
            writers[-1].append(rounds.noise(writers[-1].take.id, 0, chance.randrange(1, 150_000)))
        if number % 15 == 9:
            writer = writers.pop()
            writer.finish(Take(id=writer.take.id, block_id=writer.take.block_id, state="done"))
        if number % 40 == 20:
            store.flush(0.05)
    disk.mended()
    disk.slow_s = 0.0
    assert store.flush(20) or store.flush(20)  # a write that failed just before may end the first wait
    if kind != "slow":
        assert any(problem is not None and problem.kind == kind for problem in told.problems)
        told.wait_for(lambda problem: problem is None)
    before, steps = rounds.digest(store.project), len(store.history.steps)
    assert store.close()
    with ProjectStore.open(store.path, paths=paths) as again:
        assert rounds.digest(again.project) == before and len(again.history.steps) == steps
        for take in again.project.takes.values():
            if take.state == "done":
                count = again.take_samples(take.id)
                assert count and np.array_equal(again.read_take(take.id), rounds.noise(take.id, 0, count))


def test_a_clip_is_there_at_once_on_a_slow_disk_and_on_a_full_one(tmp_path: Path, paths: Paths, disk: Disk) -> None:
    store = create(tmp_path / "a.mvs", paths, disk)
    committing, go = threading.Event(), threading.Event()
    real = store._writer.file.commit
    store._writer.file.commit = lambda batch, segments: (committing.set(), go.wait(8), real(batch, segments))
    first = store.add_clip(b"first", "first.wav")
    assert committing.wait(10)
    second = store.add_clip(b"second", "second.wav")
    assert (store.clip(first), store.clip(second)) == (b"first", b"second") and not go.is_set()
    assert not store.flush(0)  # nothing was waited for
    disk.broken("full")
    go.set()
    told = Told(store)
    told.wait_for(lambda problem: problem is not None)
    assert (store.clip(first), store.clip(second)) == (b"first", b"second")
    disk.mended()
    assert store.close()
    with ProjectStore.open(store.path, paths=paths) as again:
        assert (again.clip(first), again.clip(second)) == (b"first", b"second")


@pytest.fixture
def small_disk(tmp_path: Path):
    """A real file system of two megabytes, where this process may make one."""
    folder = tmp_path / "small"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], capture_output=True, check=False)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="mounts as Linux does")
def test_a_disk_that_is_really_full_is_survived(small_disk: Path, paths: Paths, monkeypatch) -> None:
    monkeypatch.setattr(store_writer, "RETRY_S", (0.05,))
    store = ProjectStore.create(small_disk / "a.mvs", paths=paths)
    told = Told(store)
    store.history.do(ReplaceText(0, "", "before"))
    assert store.flush()
    filler = small_disk / "filler"
    filler.write_bytes(bytes(900_000))
    writer = store.begin_take(Take(block_id=store.project.blocks[0].id))
    writer.append(noise(400_000))
    told.wait_for(lambda problem: problem is not None and problem.kind == "full")
    store.history.do(ReplaceText(0, "", "and "))
    with pytest.raises(ProjectError):
        store.flush_or_raise(1)
    assert told.problems[0].rescued is not None
    store.save_as(small_disk.parent / "roomy.mvs")
    writer.finish(Take(id=writer.take.id, block_id=writer.take.block_id, state="done"))
    assert store.flush()
    store.close()
    with ProjectStore.open(small_disk.parent / "roomy.mvs", paths=paths) as again:
        assert again.project.text() == "and before" and np.array_equal(again.read_take(writer.take.id), noise(400_000))
    with ProjectStore.open(small_disk / "a.mvs", paths=paths, read_only=True) as old:
        assert old.project.text() == "before"


@pytest.mark.skipif(sys.platform == "win32", reason="limits of the size of files are of POSIX")
def test_a_real_limit_of_the_file_size_is_survived(tmp_path: Path) -> None:
    """The kernel refuses to let the file grow; then it may again."""
    program = textwrap.dedent(
        """
        import resource, signal, sys, threading
        from pathlib import Path
        import numpy as np
        from app.model.commands import ReplaceText
        from app.model.take import Take
        from app.paths import paths_for
        from app.services import store_writer
        from app.services.store import ProjectStore

        store_writer.RETRY_S = (0.05,)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        folder = Path(sys.argv[1])
        store = ProjectStore.create(folder / "a.mvs", paths=paths_for(folder / "profile"))
        store.flush()
        told, back = threading.Event(), threading.Event()
        store.problem.connect(lambda problem: told.set() if problem else back.set())
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
        audio = (np.random.default_rng(1).integers(-2**22, 2**22, (400_000, 2)) / 2**23).astype(np.float32)
        writer = store.begin_take(Take(block_id=store.project.blocks[0].id))
        writer.append(audio)
        assert told.wait(20), "not told"
        store.history.do(ReplaceText(0, "", "typed meanwhile"))
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        writer.finish(Take(id=writer.take.id, block_id=writer.take.block_id, state="done"))
        assert back.wait(20), "not back"
        assert store.close()
        again = ProjectStore.open(store.path, paths=paths_for(folder / "profile"))
        assert again.project.text() == "typed meanwhile"
        assert np.array_equal(again.read_take(writer.take.id), audio)
        again.close()
        print("survived")
        """
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, env=environment, timeout=120
    )
    assert done.stdout.strip() == "survived", done.stderr


class FailingConnection:
    """One whose n-th statement fails, wherever that is."""

    left = 0

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def execute(self, sql: str, *values):
        FailingConnection.left -= 1
        if FailingConnection.left == 0:
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorname = "SQLITE_FULL"
            raise error
        return self._connection.execute(sql, *values)

    def executemany(self, sql: str, values):
        for each in values:
            self.execute(sql, each)

    def backup(self, target, **how):
        return self._connection.backup(getattr(target, "_connection", target), **how)

    def __getattr__(self, name: str):
        return getattr(self._connection, name)


def _prepared(path: Path, paths: Paths, spoil: bool) -> ProjectStore:
    store = ProjectStore.create(path, paths=paths)
    store.history.do(ReplaceText(0, "", "\n".join(f"line {number}" for number in range(20))))
    writer = store.begin_take(Take(id="t0", block_id=store.project.blocks[0].id))
    writer.append(noise(250_000))
    writer.finish(Take(id="t0", block_id=writer.take.block_id, state="done"))
    assert store.flush()
    if spoil:
        store.close()
        data = bytearray(path.read_bytes())
        data[100:600] = b"\xff" * 500
        path.write_bytes(data)
    return store


@pytest.mark.parametrize("deed", ["compact", "save as", "repair", "save a read-only one"])
def test_an_error_at_any_statement_of_a_large_deed_costs_nothing(
    tmp_path: Path, paths: Paths, monkeypatch: pytest.MonkeyPatch, deed: str
) -> None:
    for module in (store_copy, store_file, store_moves, store_opening, store_repair):
        monkeypatch.setattr(
            module, "connect", lambda *where, **how: FailingConnection(store_schema.connect(*where, **how))
        )
    monkeypatch.setattr(store_writer, "RETRY_S", (0.02, 0.02))
    at, told = 1, 0
    while True:
        folder = tmp_path / f"{at}"
        folder.mkdir()
        path = folder / "a.mvs"
        FailingConnection.left = 0
        store = _prepared(path, paths, deed == "repair")
        if deed == "save a read-only one":
            store.close()
            store = ProjectStore.open(path, paths=paths, read_only=True)
        FailingConnection.left = at
        try:
            if deed == "compact":
                store.compact()()
            elif deed == "repair":
                store = ProjectStore.open(path, paths=paths)
            else:
                store.save_as(folder / "b.mvs")
        except ProjectError:
            told += 1
        finished, FailingConnection.left = FailingConnection.left > 0, 0
        if deed == "repair" and store.path == path and not store.notices:
            store = ProjectStore.open(path, paths=paths)
        store.history.do(ReplaceText(0, "", "new "))
        assert store.flush() and store.close(), at
        with ProjectStore.open(store.path, paths=paths) as again:
            assert len(again.project.blocks) == 20, at
            assert store.read_only or again.project.text().startswith("new "), at
            assert np.array_equal(again.read_take("t0"), noise(250_000)), at
        assert not [each for each in folder.iterdir() if each.name.startswith(".")], at
        if finished:
            break
        at += 1 if at < 10 else 8
    assert told > 3


@pytest.mark.parametrize("deed", ["create", "save as", "save a read-only one"])
def test_a_connection_that_cannot_begin_to_write_is_closed(
    tmp_path: Path, paths: Paths, monkeypatch: pytest.MonkeyPatch, deed: str
) -> None:
    class Refusing(FailingConnection):
        def execute(self, sql: str, *values):
            if sql.startswith("PRAGMA synchronous"):
                raise sqlite3.OperationalError("disk I/O error")
            return super().execute(sql, *values)

    FailingConnection.left, made = 0, []

    def connect(*where, **how) -> Refusing:
        made.append(store_schema.connect(*where, **how))
        return Refusing(made[-1])

    ProjectStore.create(tmp_path / "a.mvs", paths=paths).close()
    with ProjectStore.open(tmp_path / "a.mvs", paths=paths, read_only=deed == "save a read-only one") as store:
        with monkeypatch.context() as patched, pytest.raises(ProjectError):
            for module in (store_file, store_moves, store_opening):
                patched.setattr(module, "connect", connect)
            if deed == "create":
                ProjectStore.create(tmp_path / "b.mvs", paths=paths)
            else:
                store.save_as(tmp_path / "b.mvs")
    assert made
    for connection in made:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")
