"""A project with several names has one writer: hard links are told by the file itself."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from app.model.commands import ReplaceText
from app.model.errors import ProjectError
from app.paths import Paths, paths_for
from app.services import store_same_file
from app.services.recovery import Recovery
from app.services.store import ProjectStore
from app.services.store_lock import ProjectLockedError


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    return paths_for(tmp_path / "profile")


@pytest.fixture
def link(tmp_path: Path, paths: Paths) -> Path:
    """A second name, in another folder, of the project `a.mvs`."""
    with ProjectStore.create(tmp_path / "a.mvs", paths=paths) as store:
        store.history.do(ReplaceText(0, "", "first"))
    (tmp_path / "other").mkdir()
    link = tmp_path / "other" / "b.mvs"
    try:
        link.hardlink_to(tmp_path / "a.mvs")
    except (OSError, NotImplementedError):
        pytest.skip("this file system makes no hard links")
    return link


def test_a_second_writer_by_another_name_is_kept_out_and_told_the_first(
    link: Path, tmp_path: Path, paths: Paths
) -> None:
    with ProjectStore.open(tmp_path / "a.mvs", paths=paths) as store:
        with pytest.raises(ProjectLockedError) as refused:
            ProjectStore.open(link, paths=paths)
        assert str(tmp_path / "a.mvs") in refused.value.message and refused.value.other == tmp_path / "a.mvs"
        assert not list(link.parent.glob(".*"))
        store.history.do(ReplaceText(5, "", " second"))
        assert store.flush()
        with ProjectStore.open(link, paths=paths, read_only=True) as reader:
            assert reader.project.text() == "first second"  # which only the log beside the first name has
    with ProjectStore.open(link, paths=paths) as store:
        assert store.project.text() == "first second"
        with pytest.raises(ProjectLockedError):
            ProjectStore.open(tmp_path / "a.mvs", paths=paths)
    assert not list((tmp_path / "tmp").rglob("*.lock"))


PROGRAM = """
import sys, tempfile
from pathlib import Path
tempfile.tempdir = sys.argv[2]
from app.model.commands import ReplaceText
from app.paths import paths_for
from app.services.store import ProjectStore
store = ProjectStore.open(Path(sys.argv[1]), paths=paths_for(Path(sys.argv[2]) / "profile"))
store.history.do(ReplaceText(0, "", "written elsewhere, "))
assert store.flush()
print("open", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def open_elsewhere(path: Path, folder: Path):
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    program = [sys.executable, "-c", PROGRAM, str(path), str(folder)]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        try:
            assert process.stdout.readline().strip() == b"open"
            yield process
        finally:
            process.kill()


def test_another_process_with_another_profile_is_kept_out_too(link: Path, tmp_path: Path, paths: Paths) -> None:
    with open_elsewhere(link, tmp_path / "tmp") as process:
        with pytest.raises(ProjectLockedError, match=f"process {process.pid}.*{link}"):
            ProjectStore.open(tmp_path / "a.mvs", paths=paths)


RACE = """
import os, random, sys, tempfile, time
from pathlib import Path
tempfile.tempdir = sys.argv[2]
from app.model.commands import ReplaceText
from app.paths import paths_for
from app.services.store import ProjectStore
from app.services.store_lock import ProjectLockedError
names = [Path(each) for each in sys.argv[3:]]
who, log = sys.argv[1], os.open(Path(sys.argv[2]) / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
chance, written = random.Random(who), 0
while written < 15:
    try:
        with ProjectStore.open(chance.choice(names), paths=paths_for(Path(sys.argv[2]) / who)) as store:
            assert not store.notices, store.notices
            store.history.do(ReplaceText(len(store.project.text()), "", f"\\n{who} {written}"))
            assert store.flush()
            os.write(log, f"{who} {written}\\n".encode())
            written += 1
    except ProjectLockedError:
        time.sleep(chance.random() * 0.003)
"""


def test_writers_that_race_by_several_names_lose_nothing_of_each_other(
    link: Path, tmp_path: Path, paths: Paths
) -> None:
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    names = [str(tmp_path / "a.mvs"), str(link)]
    programs = [[sys.executable, "-c", RACE, f"w{number}", str(tmp_path / "tmp"), *names] for number in range(4)]
    racing = [subprocess.Popen(program, env=environment, stderr=subprocess.PIPE) for program in programs]
    for process in racing:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said.decode()[-2_000:]
    acknowledged = (tmp_path / "tmp" / "log").read_text().splitlines()
    with ProjectStore.open(link, paths=paths) as store:
        assert store.project.text().splitlines()[1:] == acknowledged and len(acknowledged) == 60


def test_what_a_killed_writer_left_beside_another_name_is_not_written_over(
    link: Path, tmp_path: Path, paths: Paths
) -> None:
    with open_elsewhere(link, tmp_path / "tmp"):
        pass
    for _ in range(2):
        with pytest.raises(ProjectError, match="changes wait") as refused:
            ProjectStore.open(tmp_path / "a.mvs", paths=paths)
        assert str(link) in refused.value.remedy and not isinstance(refused.value, ProjectLockedError)
    with ProjectStore.open(link, paths=paths) as store:
        assert store.project.text() == "written elsewhere, first"
    with ProjectStore.open(tmp_path / "a.mvs", paths=paths) as store:
        assert store.project.text() == "written elsewhere, first"


def test_a_file_that_took_the_place_of_another_is_held_and_the_old_one_is_free(
    link: Path, tmp_path: Path, paths: Paths
) -> None:
    with ProjectStore.open(tmp_path / "a.mvs", paths=paths) as store:
        store.compact()()  # an atomic replacement: the link is another file now
        with ProjectStore.open(link, paths=paths) as other:
            assert other.project.text() == "first"
        again = tmp_path / "again.mvs"
        again.hardlink_to(tmp_path / "a.mvs")
        with pytest.raises(ProjectLockedError):
            ProjectStore.open(again, paths=paths)
        store.save_as(tmp_path / "c.mvs")
        third = tmp_path / "third.mvs"
        third.hardlink_to(tmp_path / "c.mvs")
        with pytest.raises(ProjectLockedError, match="c.mvs"):
            ProjectStore.open(third, paths=paths)
        with ProjectStore.open(again, paths=paths) as other:
            assert other.project.text() == "first"


def test_saving_over_another_name_of_itself_makes_it_a_file_of_its_own(
    link: Path, tmp_path: Path, paths: Paths
) -> None:
    with ProjectStore.open(tmp_path / "a.mvs", paths=paths) as store:
        store.save_as(link)
        store.history.do(ReplaceText(0, "", "the copy, "))
    with ProjectStore.open(tmp_path / "a.mvs", paths=paths) as store:
        assert store.project.text() == "first"
    with ProjectStore.open(link, paths=paths) as store:
        assert store.project.text() == "the copy, first"


def test_a_number_that_another_file_has_now_keeps_nobody_out(link: Path, tmp_path: Path, paths: Paths) -> None:
    with ProjectStore.open(tmp_path / "a.mvs", paths=paths):
        os.replace(tmp_path / "a.mvs", tmp_path / "away.mvs")
        with ProjectStore.open(link, paths=paths) as other:  # by its first name nobody writes it any more
            assert other.project.text() == "first"
        os.replace(tmp_path / "away.mvs", tmp_path / "a.mvs")


def test_work_that_is_open_by_another_name_is_not_offered_for_recovery(tmp_path: Path, paths: Paths) -> None:
    with ProjectStore.untitled(paths) as store:
        store.history.do(ReplaceText(0, "", "in the making"))
        assert store.flush()
        second = paths.untitled / "second.mvs"
        second.hardlink_to(store.path)
        assert Recovery(paths).find() == []
        second.unlink()


@pytest.mark.parametrize("why", ["no numbers", "no place", "somebody else's place"])
def test_where_a_file_cannot_be_told_it_opens_all_the_same(
    link: Path, tmp_path: Path, paths: Paths, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    if why == "no numbers":
        monkeypatch.setattr(store_same_file, "_place_of", lambda path: None)
    elif why == "no place":
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    elif hasattr(os, "getuid"):
        account = os.getuid()
        monkeypatch.setattr(os, "getuid", lambda: account + 1)
    with ProjectStore.open(tmp_path / "a.mvs", paths=paths) as store:
        store.history.do(ReplaceText(0, "", "x"))
        assert store.flush()
    assert not list((tmp_path / "tmp").rglob("*.lock"))


@pytest.mark.skipif(not hasattr(os, "fchmod"), reason="folders that cannot be written are POSIX's")
def test_a_folder_that_takes_no_lock_file_is_guarded_all_the_same(
    link: Path, tmp_path: Path, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    link.parent.chmod(0o500)
    try:
        with ProjectStore.open(tmp_path / "a.mvs", paths=paths) as store:
            store.history.do(ReplaceText(0, "", "new, "))
            assert store.flush()
            with contextlib.suppress(ProjectLockedError), ProjectStore.open(link, paths=paths) as reader:
                assert reader.read_only and reader.project.text() == "new, first"
    finally:
        link.parent.chmod(0o700)
