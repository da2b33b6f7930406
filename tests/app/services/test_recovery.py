"""After a crash the next start offers everything that is not safely in a named file, and does with it what is
decided."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from app.model.commands import ReplaceText
from app.model.errors import ProjectError
from app.paths import Paths, paths_for
from app.services.recovery import Recovery
from app.services.store import ProjectStore

DIE = """
import os, sqlite3, sys, threading
from pathlib import Path
import numpy as np
from app.model.commands import ReplaceText
from app.model.take import Take
from app.paths import paths_for
from app.services import store_writer
from app.services.store import ProjectStore

folder, paths = Path(sys.argv[1]), paths_for(Path(sys.argv[1]) / "profile")
def noise(count):
    return (np.random.default_rng(3).integers(-2**20, 2**20, (count, 2)) / 2**23).astype(np.float32)
"""

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills as POSIX does")


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return paths_for(tmp_path / "profile")


def noise(count: int) -> np.ndarray:
    return (np.random.default_rng(3).integers(-(2**20), 2**20, (count, 2)) / 2**23).astype(np.float32)


def die(folder: Path, program: str) -> None:
    """Run a program that ends by killing itself."""
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    whole = DIE + textwrap.dedent(program) + "\nos.kill(os.getpid(), 9)\n"
    done = subprocess.run(
        [sys.executable, "-c", whole, str(folder)], capture_output=True, text=True, env=environment, timeout=60
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


def test_a_clean_end_leaves_nothing_to_recover(tmp_path: Path, paths: Paths) -> None:
    with ProjectStore.create(tmp_path / "a.mvs", paths=paths) as store:
        store.history.do(ReplaceText(0, "", "text"))
    ProjectStore.untitled(paths).close()
    assert Recovery(paths).find() == [] and list(paths.untitled.iterdir()) == []


def test_an_untitled_project_is_offered_and_recovered(tmp_path: Path, paths: Paths) -> None:
    die(tmp_path, """
        store = ProjectStore.untitled(paths)
        store.history.do(ReplaceText(0, "", "My first words here"))
        store.flush()
    """)  # fmt: skip
    (found,) = Recovery(paths).find()
    assert (found.kind, found.title, found.words) == ("untitled", "My first words here", 4)
    assert abs(found.changed_at_s - time.time()) < 600
    with Recovery(paths).recover(found) as store:
        assert store.project.text() == "My first words here" and store.is_untitled
        assert Recovery(paths).find() == []  # it is open
    assert len(Recovery(paths).find()) == 1  # "later": still without a name


def test_unfinished_takes_are_offered_and_kept_as_incomplete_ones(tmp_path: Path, paths: Paths) -> None:
    die(tmp_path, """
        store = ProjectStore.create(folder / "book.mvs", paths=paths)
        writer = store.begin_take(Take(id="t1", block_id=store.project.blocks[0].id))
        writer.append(noise(250_000))
        store.flush()
    """)  # fmt: skip
    (found,) = Recovery(paths).find()
    assert (found.kind, found.title, found.unfinished_takes, found.seconds) == ("interrupted", "book", 1, 4.0)
    with Recovery(paths).recover(found) as store:
        assert store.project.takes["t1"].state == "incomplete" and np.array_equal(
            store.read_take("t1"), noise(250_000)[:192_000]
        )
    assert Recovery(paths).find() == []


def test_unfinished_takes_can_be_discarded(tmp_path: Path, paths: Paths) -> None:
    die(tmp_path, """
        store = ProjectStore.create(folder / "book.mvs", paths=paths)
        store.history.do(ReplaceText(0, "", "kept"))
        writer = store.begin_take(Take(id="t1", block_id=store.project.blocks[0].id))
        writer.append(noise(250_000))
        store.flush()
    """)  # fmt: skip
    (found,) = Recovery(paths).find()
    Recovery(paths).discard(found)
    assert Recovery(paths).find() == []
    with ProjectStore.open(tmp_path / "book.mvs", paths=paths) as store:
        assert store.project.takes == {} and store.project.text() == "kept"


def test_a_discarded_untitled_project_goes_to_the_trash(tmp_path: Path, paths: Paths) -> None:
    with ProjectStore.untitled(paths) as store:
        store.history.do(ReplaceText(0, "", "text"))
    (found,) = Recovery(paths).find()
    Recovery(paths).discard(found)
    assert Recovery(paths).find() == []
    trashed = paths.profile / "trash" / found.path.name
    assert trashed.exists()
    os.utime(trashed, (0, 0))
    Recovery(paths).find()
    assert not trashed.exists()


UNSAVED = """
    store_writer.RETRY_S = (60.0,)
    store = ProjectStore.create(folder / "book.mvs", paths=paths)
    store.history.do(ReplaceText(0, "", "saved"))
    block = store.project.blocks[0].id
    writer = store.begin_take(Take(id="old", block_id=block))
    writer.append(noise(100_000))
    writer.finish(Take(id="old", block_id=block, state="done"))
    store.flush()
    told = threading.Event()
    store.problem.connect(lambda problem: told.set())
    def fail(batch, segments):
        error = sqlite3.OperationalError("disk full"); error.sqlite_errorname = "SQLITE_FULL"
        raise error
    store._writer.file.commit = fail
    store.history.do(ReplaceText(5, "", " and more"))
    assert told.wait(20)
    writer = store.begin_take(Take(id="new", block_id=block))
    writer.append(noise(200_000))
    writer.finish(Take(id="new", block_id=block, state="done"))
    store.history.do(ReplaceText(14, "", " still"))
    import time; time.sleep(1.0)
"""


def test_work_that_could_not_be_saved_goes_into_its_project(tmp_path: Path, paths: Paths) -> None:
    die(tmp_path, UNSAVED)
    (found,) = Recovery(paths).find()
    assert (found.kind, found.title, found.original) == ("unsaved", "book", tmp_path / "book.mvs")
    with Recovery(paths).recover(found) as store:
        assert store.path == tmp_path / "book.mvs" and store.project.text() == "saved and more still"
        assert np.array_equal(store.read_take("new"), noise(200_000)) and np.array_equal(
            store.read_take("old"), noise(100_000)
        )
        assert store.project.blocks[0].chosen == "new"
        store.history.undo()
        assert store.project.text() == "saved"
    assert Recovery(paths).find() == []


def test_unsaved_work_whose_project_is_away_becomes_a_project_of_its_own(tmp_path: Path, paths: Paths) -> None:
    die(tmp_path, UNSAVED)
    (tmp_path / "book.mvs").rename(tmp_path / "book.elsewhere")
    (found,) = [each for each in Recovery(paths).find() if each.kind == "unsaved"]
    with Recovery(paths).recover(found) as store:
        assert store.is_untitled and store.project.text() == "saved and more still"
        assert np.array_equal(store.read_take("new"), noise(200_000))
        assert store.project.takes["old"].state == "incomplete" and store.project.takes["old"].stop_reason == "missing"


def test_unsaved_work_never_overwrites_what_was_changed_since(tmp_path: Path, paths: Paths) -> None:
    die(tmp_path, UNSAVED)
    with ProjectStore.open(tmp_path / "book.mvs", paths=paths) as store:
        store.history.do(ReplaceText(0, "", "changed since: "))
    (found,) = [each for each in Recovery(paths).find() if each.kind == "unsaved"]
    with Recovery(paths).recover(found) as store:
        assert store.path != tmp_path / "book.mvs" and store.project.text() == "saved and more still"
    with ProjectStore.open(tmp_path / "book.mvs", paths=paths) as store:
        assert store.project.text() == "changed since: saved"


def test_a_damaged_untitled_project_is_offered_and_repaired(tmp_path: Path, paths: Paths) -> None:
    with ProjectStore.untitled(paths) as store:
        store.history.do(ReplaceText(0, "", "\n".join(["words " * 30] * 200)))
    data = bytearray(store.path.read_bytes())
    data[100:4_000] = bytes(3_900)
    store.path.write_bytes(data)
    (found,) = Recovery(paths).find()
    assert found.damaged
    with Recovery(paths).recover(found) as store:
        assert len(store.project.blocks) == 200 and "kept as" in store.notices[0]


def test_what_is_open_cannot_be_discarded(tmp_path: Path, paths: Paths) -> None:
    with ProjectStore.untitled(paths) as store:
        store.history.do(ReplaceText(0, "", "text"))
    (found,) = Recovery(paths).find()
    with ProjectStore.open(found.path, paths=paths), pytest.raises(ProjectError):
        Recovery(paths).discard(found)
    assert found.path.exists()


def test_notes_of_sessions_that_are_no_notes_are_removed(paths: Paths) -> None:
    folder = paths.profile / "sessions"
    folder.mkdir(parents=True)
    for name, data in (("a.json", b"{"), ("b.json", b"[1]"), ("c.json", b'{"path": "/x", "pid": "x", "started_s": 1}')):
        (folder / name).write_bytes(data)
    assert Recovery(paths).find() == [] and list(folder.iterdir()) == []
