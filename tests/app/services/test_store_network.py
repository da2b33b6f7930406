"""A project on a network drive is worked on locally and reaches the network whole, or is kept until it can."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from app.model.commands import ReplaceText
from app.model.errors import ProjectError
from app.paths import Paths, paths_for
from app.services import store_network
from app.services.mounts import is_network
from app.services.recovery import Recovery
from app.services.store import ProjectStore


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return paths_for(tmp_path / "profile")


@pytest.fixture
def share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that counts as a network drive."""
    folder = tmp_path / "share"
    folder.mkdir()
    mounts = [SimpleNamespace(mountpoint="/", fstype="ext4"), SimpleNamespace(mountpoint=str(folder), fstype="nfs4")]
    monkeypatch.setattr(psutil, "disk_partitions", lambda all: mounts)
    return folder


def text_at(path: Path, paths: Paths) -> str:
    with ProjectStore.open(path, paths=paths, read_only=True) as store:
        return store.project.text()


def journal(store: ProjectStore) -> str:
    """How the file of a project is written."""
    return store._writer.call(lambda connection: connection.execute("PRAGMA journal_mode").fetchone()[0]).result()


def away(monkeypatch: pytest.MonkeyPatch, share: Path) -> None:
    real = shutil.copyfile

    def copy(source, target, **how):
        if str(target).startswith(str(share)):
            raise OSError(110, "Connection timed out")
        return real(source, target, **how)

    monkeypatch.setattr(store_network.shutil, "copyfile", copy)


def test_the_kind_of_a_drive_is_told_by_its_mount(share: Path, tmp_path: Path) -> None:
    assert is_network(share / "deep" / "a.mvs") and not is_network(tmp_path / "a.mvs")


def test_work_is_local_and_published_on_close(share: Path, paths: Paths) -> None:
    store = ProjectStore.create(share / "a.mvs", paths=paths)
    store.history.do(ReplaceText(0, "", "text"))
    assert store.flush() and store.path == share / "a.mvs" and not store.file.is_relative_to(share)
    assert journal(store) == "wal", "its file is on this machine"
    assert store.close()
    assert text_at(share / "a.mvs", paths) == "text"
    with ProjectStore.open(share / "a.mvs", paths=paths) as again:
        again.history.do(ReplaceText(4, "", " more"))
        assert sorted(each.name for each in share.iterdir()) == [".a.mvs.lock", "a.mvs"]
    assert text_at(share / "a.mvs", paths) == "text more" and [each.name for each in share.iterdir()] == ["a.mvs"]
    assert Recovery(paths).find() == []


def test_a_quiet_moment_publishes(share: Path, paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_network, "IDLE_S", 0.05)
    published = threading.Event()
    real = store_network.WorkingCopy.publish

    def publish(self, progress=None):
        result = real(self, progress)
        published.set()
        return result

    monkeypatch.setattr(store_network.WorkingCopy, "publish", publish)
    store = ProjectStore.create(share / "a.mvs", paths=paths)
    store.history.do(ReplaceText(0, "", "text"))
    assert published.wait(10)
    assert (share / "a.mvs").exists()
    store.close()


def test_a_network_that_is_away_is_told_and_nothing_is_lost(
    share: Path, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ProjectStore.create(share / "a.mvs", paths=paths) as store:
        store.history.do(ReplaceText(0, "", "first"))
    store = ProjectStore.open(share / "a.mvs", paths=paths)
    problems = []
    store.problem.connect(problems.append)
    store.history.do(ReplaceText(5, "", " second"))
    with monkeypatch.context() as patch:
        away(patch, share)
        assert not store.close()
    assert problems[-1].kind == "network" and "safe on this computer" in problems[-1].remedy
    assert text_at(share / "a.mvs", paths) == "first"
    (found,) = Recovery(paths).find()
    assert found.original == share / "a.mvs"
    with ProjectStore.open(share / "a.mvs", paths=paths) as again:
        assert again.project.text() == "first second" and "are here again" in again.notices[0]
    assert text_at(share / "a.mvs", paths) == "first second" and store_network.unpublished(paths) == []


def test_what_was_not_published_is_offered_when_the_network_stays_away(share: Path, paths: Paths, monkeypatch) -> None:
    store = ProjectStore.create(share / "a.mvs", paths=paths)
    store.history.do(ReplaceText(0, "", "only here"))
    with monkeypatch.context() as patch:
        away(patch, share)
        store.close()
    shutil.rmtree(share)
    (found,) = Recovery(paths).find()
    assert (found.kind, found.title, found.words) == ("unsaved", "a", 2)
    with Recovery(paths).recover(found) as again:
        assert again.is_untitled and again.project.text() == "only here"


@pytest.mark.parametrize("stem", ["a", "n" * 228])
def test_changes_by_somebody_else_are_never_overwritten(share: Path, paths: Paths, tmp_path: Path, stem: str) -> None:
    other = paths_for(tmp_path / "other")
    path = share / f"{stem}.mvs"
    with ProjectStore.create(path, paths=paths) as store:
        store.history.do(ReplaceText(0, "", "base"))
    store = ProjectStore.open(path, paths=paths)
    problems = []
    store.problem.connect(problems.append)
    store.history.do(ReplaceText(4, "", " mine"))
    (share / f".{path.name}.lock").unlink()  # a sync program brings the other's version in
    with ProjectStore.open(path, paths=other) as theirs:
        theirs.history.do(ReplaceText(4, "", " theirs"))
    store.close()
    (mine,) = [each for each in share.glob("*.mvs") if each != path]
    assert (text_at(path, paths), text_at(mine, paths)) == ("base theirs", "base mine")
    assert "somebody else" in problems[-1].message and "(conflict " in mine.name


@pytest.mark.parametrize("stem", ["a", "n" * 228])
def test_what_was_not_published_is_kept_when_somebody_else_changed_the_project(
    share: Path, paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stem: str
) -> None:
    path = share / f"{stem}.mvs"
    with ProjectStore.create(path, paths=paths) as store:
        store.history.do(ReplaceText(0, "", "base"))
    store = ProjectStore.open(path, paths=paths)
    store.history.do(ReplaceText(4, "", " mine"))
    with monkeypatch.context() as patch:
        away(patch, share)
        store.close()
    with ProjectStore.open(path, paths=paths_for(tmp_path / "other")) as theirs:
        theirs.history.do(ReplaceText(4, "", " theirs"))
    with ProjectStore.open(path, paths=paths) as again:
        assert again.project.text() == "base theirs" and "was changed elsewhere" in again.notices[0]
    (kept,) = paths.untitled.glob("*(not published *.mvs")
    assert text_at(kept, paths) == "base mine" and kept.stem in again.notices[0]


def test_save_as_to_the_network_is_there_when_it_returns(share: Path, paths: Paths, monkeypatch) -> None:
    with ProjectStore.untitled(paths) as store:
        store.history.do(ReplaceText(0, "", "text"))
        with monkeypatch.context() as patch:
            away(patch, share)
            with pytest.raises(ProjectError):
                store.save_as(share / "a.mvs")
        assert store.is_untitled and store.flush() and not (share / "a.mvs").exists()
        store.save_as(share / "a.mvs")
        assert text_at(share / "a.mvs", paths) == "text"
        store.history.do(ReplaceText(4, "", " on"))
    assert text_at(share / "a.mvs", paths) == "text on"


def test_a_profile_on_the_network_is_worked_in_without_shared_memory(share: Path) -> None:
    paths = paths_for(share / "profile")
    with ProjectStore.untitled(paths) as store:
        store.history.do(ReplaceText(0, "", "text"))
        assert store.flush()
        assert journal(store) == "truncate"
        store.history.do(ReplaceText(0, "", "more "))
    with ProjectStore.open(store.path, paths=paths) as again:
        assert again.project.text() == "more text"
