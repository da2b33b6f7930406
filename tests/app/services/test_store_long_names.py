"""A name that leaves no room for the files beside a project is told before anything is made, and costs nothing."""

from __future__ import annotations

import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from app.cli import main
from app.model.commands import ReplaceText
from app.model.errors import ProjectError
from app.paths import Paths, paths_for
from app.services.store import ProjectStore
from app.services.store_names import NameTooLongError
from app.services.store_sums import SUMMED


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return paths_for(tmp_path / "profile")


@pytest.fixture
def named(tmp_path: Path) -> Callable[[int], Path]:
    folder = tmp_path / "projects"
    folder.mkdir()
    return lambda length: folder / ("n" * (length - 4) + ".mvs")


@pytest.fixture
def book(tmp_path: Path, paths: Paths) -> Path:
    with ProjectStore.create(tmp_path / "book.mvs", paths=paths) as store:
        store.history.do(ReplaceText(0, "", "text"))
    return store.path


def text_of(path: Path, paths: Paths) -> str:
    with ProjectStore.open(path, paths=paths) as store:
        return store.project.text()


@pytest.mark.parametrize("length", [233, 240, 247, 250, 255, 256, 400])
def test_a_new_project_with_too_long_a_name_is_refused_and_leaves_nothing(
    named: Callable[[int], Path], paths: Paths, length: int
) -> None:
    folder = named(9).parent
    for path in (named(length), folder / "new folder" / named(length).name):
        with pytest.raises(NameTooLongError, match="is too long for this disk. Choose a shorter one."):
            ProjectStore.create(path, paths=paths)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("length", [233, 250, 300])
def test_saving_under_too_long_a_name_changes_nothing(
    named: Callable[[int], Path], book: Path, paths: Paths, length: int, read_only: bool
) -> None:
    with ProjectStore.open(book, paths=paths, read_only=read_only) as store:
        store.history.do(ReplaceText(0, "", "more "))
        with pytest.raises(NameTooLongError, match="is too long for this disk. Choose a shorter one."):
            store.save_as(named(length))
        assert store.path == book and store.project.text() == "more text"
        store.save_as(named(232))
    assert text_of(named(232), paths) == "more text" and list(named(9).parent.iterdir()) == [named(232)]


def test_the_longest_name_that_can_be_is_worked_with_like_any_other(named: Callable[[int], Path], paths: Paths) -> None:
    with ProjectStore.create(named(232), paths=paths) as store:
        store.history.do(ReplaceText(0, "", "text"))
        store.compact()()
    assert text_of(named(232), paths) == "text"


def test_a_file_with_too_long_a_name_opens_once_it_has_a_shorter_one(
    named: Callable[[int], Path], book: Path, paths: Paths
) -> None:
    path = Path(shutil.copyfile(book, named(250)))
    with pytest.raises(NameTooLongError, match="shorter name, then open it again"):
        ProjectStore.open(path, paths=paths)
    assert list(path.parent.iterdir()) == [path] and path.read_bytes() == book.read_bytes()
    assert text_of(path.rename(named(100)), paths) == "text"


def test_what_needs_a_second_file_is_told_for_a_name_that_only_opens(
    named: Callable[[int], Path], book: Path, paths: Paths
) -> None:
    path = Path(shutil.copyfile(book, named(245)))
    with ProjectStore.open(path, paths=paths) as store:
        with pytest.raises(NameTooLongError, match="Save the project under a shorter name"):
            store.compact()()
        store.history.do(ReplaceText(0, "", "more "))
    assert text_of(path, paths) == "more text" and list(path.parent.iterdir()) == [path]


def test_an_older_file_with_too_long_a_name_for_its_copy_is_told_so_and_not_of_a_full_disk(
    named: Callable[[int], Path], book: Path, paths: Paths
) -> None:
    path = Path(shutil.copyfile(book, named(245)))
    with closing(sqlite3.connect(path)) as connection:
        for table in SUMMED:
            connection.execute(f"ALTER TABLE {table} DROP COLUMN crc")
        connection.execute("PRAGMA user_version = 1")
        connection.commit()
    before = path.read_bytes()
    with pytest.raises(NameTooLongError, match="shorter name, then open it again"):
        ProjectStore.open(path, paths=paths)
    assert list(path.parent.iterdir()) == [path] and path.read_bytes() == before
    assert text_of(path.rename(named(100)), paths) == "text"


@pytest.mark.skipif(sys.platform == "win32", reason="SQLite limits a path elsewhere")
def test_a_path_that_is_too_long_for_a_project_is_told(tmp_path: Path, book: Path, paths: Paths) -> None:
    folder = tmp_path
    while len(str(folder)) < 440:
        folder /= "f" * 40
    with pytest.raises(NameTooLongError, match="folder whose path is shorter"):
        ProjectStore.create(folder / f"{'n' * 50}.mvs", paths=paths)
    assert not (tmp_path / ("f" * 40)).exists()
    folder.mkdir(parents=True)
    path = Path(shutil.copyfile(book, folder / f"{'n' * (505 - len(str(folder)))}.mvs"))
    with pytest.raises(NameTooLongError, match="folder whose path is shorter"):
        ProjectStore.open(path, paths=paths)
    with pytest.raises(NameTooLongError), ProjectStore.open(book, paths=paths) as store:
        store.save_as(path)
    assert list(folder.iterdir()) == [path] and text_of(book, paths) == "text"


def test_another_reason_is_not_taken_for_a_long_name(named: Callable[[int], Path], book: Path, paths: Paths) -> None:
    path = Path(shutil.copyfile(book, named(245)))
    path.write_bytes(b"no project")
    with pytest.raises(ProjectError) as caught:
        ProjectStore.open(path, paths=paths)
    assert not isinstance(caught.value, NameTooLongError)


def test_commands_tell_it(named: Callable[[int], Path], tmp_path: Path, book: Path, capsys) -> None:
    script = tmp_path / "script.txt"
    script.write_text("Hello.", encoding="utf-8")
    profile = ["--profile", str(tmp_path / "profile")]
    assert main([*profile, "new", str(named(240)), "--script", str(script)]) == 3
    said = capsys.readouterr().err
    assert "is too long for this disk.\nChoose a shorter one." in said and "database" not in said
    path = shutil.copyfile(book, named(250))
    assert main([*profile, "render", str(path), "-o", str(tmp_path / "a.wav")]) == 3
    assert "Give the file a shorter name, then open it again." in capsys.readouterr().err
    assert main([*profile, str(named(300))]) == 3
    assert "There is no project" in capsys.readouterr().err
