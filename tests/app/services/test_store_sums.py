"""What something else altered in a project is seen when it is opened; files from before there were sums open as ever."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from app.model.commands import PutTake, ReplaceText, SetBlockSettings, SetLexicon, SetProjectSettings, SetVoice
from app.model.errors import ProjectError
from app.model.take import Take
from app.model.voice import Voice
from app.paths import Paths, paths_for
from app.services import store_copy, store_opening, store_schema
from app.services.recovery import Recovery
from app.services.store import ProjectStore
from app.services.store_schema import PAGE_BYTES, SMALL_TABLES, VERSION, connect
from app.services.store_sums import SUMMED

LINES = [f"Paragraph {number}: a storm, 三月の雨, and {number * 37} birds" for number in range(60)]
SOUND = (np.random.default_rng(4).integers(-(2**18), 2**18, (30_000, 2)) / 2**23).astype(np.float32)


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return paths_for(tmp_path / "profile")


@pytest.fixture
def path(whole: bytes, tmp_path: Path) -> Path:
    file = tmp_path / "a.mvs"
    file.write_bytes(whole)
    return file


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("whole")
    paths = paths_for(folder / "profile")
    with ProjectStore.create(folder / "a.mvs", paths=paths) as store:
        store.history.do(ReplaceText(0, "", "\n".join(LINES)))
        store.history.do(SetVoice(Voice("v1", "Joe from Leeds")))
        store.history.do(SetLexicon((("Leeds", "leedz"),)))
        store.history.do(SetProjectSettings({"title": "The long storm", "author": "A. Writer"}))
        store.history.do(SetBlockSettings((store.project.blocks[5].id,), {"voice": "v1", "gain_db": -3.0}))
        writer = store.begin_take(Take(id="take0", block_id=store.project.blocks[5].id))
        writer.append(SOUND)
        writer.finish(Take(id="take0", block_id=writer.take.block_id, state="done", text=LINES[5]))
    with ProjectStore.open(folder / "a.mvs", paths=paths) as store:
        store.history.do(ReplaceText(0, "", "x"))  # makes the pictures of how it was
        store.history.undo()
    return (folder / "a.mvs").read_bytes()


def flip(path: Path, what: str, by: int = 1) -> None:
    """Flip a bit in the last letter of a text wherever it stands in the file (not in the packed pictures)."""
    data, wanted = path.read_bytes(), what.encode()
    assert wanted in data
    path.write_bytes(data.replace(wanted, wanted[:-1] + bytes([wanted[-1] ^ by])))


def content(store: ProjectStore) -> tuple:
    project = store.project
    blocks = [(block.id, block.text, block.settings, block.chosen) for block in project.blocks]
    return blocks, dict(project.takes), dict(project.voices), project.lexicon, project.settings


def test_an_altered_line_is_told_with_its_number_and_nothing_is_dropped(path: Path, paths: Paths) -> None:
    flip(path, LINES[17])
    flip(path, LINES[40][:20])
    altered = path.read_bytes()
    with ProjectStore.open(path, paths=paths) as store:
        texts = [block.text for block in store.project.blocks]
        assert [at for at, (now, then) in enumerate(zip(texts, LINES, strict=True)) if now != then] == [17, 40]
        (told,) = [notice for notice in store.notices if "altered" in notice]
        assert "18 “Paragraph 17" in told and "41 “Paragraph 4" in told and "read them over" in told
        store.notices_were_told()
    (kept,) = path.parent.glob("*(damaged*")
    assert kept.read_bytes()[100:] == altered[100:] and kept.name in store.notices[-1]
    with ProjectStore.open(path, paths=paths) as store:  # it was told; what is there is the text now
        assert [block.text for block in store.project.blocks] == texts
        assert not [notice for notice in store.notices if "altered" in notice]
    flip(path, LINES[17][:10])
    with ProjectStore.open(path, paths=paths) as store:
        assert "18 “" in " ".join(store.notices)
    assert len(list(path.parent.glob("*(damaged*"))) == 2


def test_a_person_who_did_not_see_it_is_told_again(path: Path, paths: Paths) -> None:
    """Not the recovery, which opens and closes projects by itself, nor a program that ends while it opens one."""
    flip(path, LINES[3])
    for _ in range(2):
        with ProjectStore.open(path, paths=paths) as store:  # by what has nobody to tell
            assert any("4 “Paragraph 3" in notice for notice in store.notices)
            store.history.do(ReplaceText(0, "", "x"))
    assert len(list(path.parent.glob("*(damaged*"))) == 1


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ('"The long storm', "settings"),
        ('[["Leeds","leedz', "lexicon"),
        ('"Joe from Leeds', "these voices"),
        ('"gain_db":-3', "read them over: 6 "),
        ('"stop_reason":"', "what is noted of takes"),
    ],
)
def test_all_that_belongs_to_a_project_is_watched(path: Path, paths: Paths, what: str, told: str) -> None:
    text = what.replace('":', '": ') if what.encode() not in path.read_bytes() else what
    assert text.encode() in path.read_bytes()
    flip(path, text)
    with ProjectStore.open(path, paths=paths) as store:
        assert told in " ".join(store.notices)
        assert [block.text for block in store.project.blocks] == LINES
    assert len(list(path.parent.glob("*(damaged*"))) == 1


def test_a_step_that_was_altered_is_never_taken_back(path: Path, paths: Paths) -> None:
    connection = sqlite3.connect(path)
    (first, command), *_ = connection.execute("SELECT number, command FROM steps ORDER BY number DESC LIMIT 1 OFFSET 2")
    connection.execute("UPDATE steps SET command = ? WHERE number = ?", (command.replace('"', '" ', 1), first))
    connection.commit()
    connection.close()
    with ProjectStore.open(path, paths=paths) as store:
        assert any("taken back" in notice for notice in store.notices)
        assert all(step.number > first for step in store.history.steps)
        before = content(store)
        store.history.do(ReplaceText(0, "", "new "))
        while store.history.can_undo:
            store.history.undo()
        assert store.project.text() == "\n".join(LINES)
    with ProjectStore.open(path, paths=paths) as store:  # none of the old ones is met among the new ones
        while store.history.can_redo:
            store.history.redo()
        assert store.project.text().removeprefix("new ") == "\n".join(LINES)
        assert not store.notices and before[2] == dict(store.project.voices)


def test_steps_are_not_taken_back_when_it_is_not_known_which_were_done(path: Path, paths: Paths) -> None:
    connection = sqlite3.connect(path)
    connection.execute("UPDATE meta SET value = '2' WHERE name = 'done'")
    connection.commit()
    connection.close()
    with ProjectStore.open(path, paths=paths) as store:
        assert not store.history.can_undo and not store.history.can_redo
        assert [block.text for block in store.project.blocks] == LINES


def pages_of(path: Path, tables: tuple[str, ...]) -> list[int]:
    connection = sqlite3.connect(path)
    try:
        marks = ", ".join("?" * len(tables))
        query = (
            "SELECT pageno FROM dbstat WHERE name IN "
            f"(SELECT name FROM sqlite_master WHERE tbl_name IN ({marks})) ORDER BY pageno"
        )
        return [number for (number,) in connection.execute(query, tables)]
    except sqlite3.OperationalError:
        pytest.skip("this SQLite cannot tell pages of tables")
    finally:
        connection.close()


def test_no_flipped_byte_of_the_script_goes_unseen(path: Path, whole: bytes, paths: Paths) -> None:
    """Whatever byte of whatever page: what is read is what was written, or it is told."""
    pages = pages_of(path, tuple(SUMMED))
    chance = random.Random(11)
    with ProjectStore.open(path, paths=paths, read_only=True) as store:
        right, steps = content(store), store.history.steps
    seen = 0
    for _ in range(400):
        data = bytearray(whole)
        at = (chance.choice(pages) - 1) * PAGE_BYTES + chance.randrange(PAGE_BYTES)
        data[at] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        try:
            with ProjectStore.open(path, paths=paths, read_only=True) as store:
                now = content(store), [(step.number, step.label, step.command) for step in store.history.steps]
                told = bool(store.notices)
        except ProjectError:
            seen += 1
            continue
        seen += told
        assert told or now == (right, [(step.number, step.label, step.command) for step in steps]), at
    assert seen > 40


# -- files from before there were sums


def make_older(path: Path) -> None:
    """Bring a file to version 1 of the schema."""
    connection = sqlite3.connect(path)
    for table in SUMMED:
        connection.execute(f"ALTER TABLE {table} DROP COLUMN crc")
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    assert store_schema.tables_are_ours(connection, 1)
    connection.close()


def updated(path: Path, kept: Path) -> list[str]:
    """What is told of a file that was brought up to date."""
    return [f"{path.name} was of an older version and is of this one now.", f"The file as it was is kept as {kept}."]


def test_a_file_without_sums_opens_without_complaint_and_has_them_then(path: Path, paths: Paths) -> None:
    with ProjectStore.open(path, paths=paths, read_only=True) as store:
        right = content(store)
        pictures = store.snapshots()
    make_older(path)
    before = path.read_bytes()
    with ProjectStore.open(path, paths=paths) as store:
        assert content(store) == right and store.history.can_undo
        told = store.notices
        assert store.snapshots() == pictures and {"opened", "daily"} == {each.kind for each in pictures}
        assert np.array_equal(store.read_take("take0"), SOUND)
        store.history.do(ReplaceText(0, LINES[0], ""))
        store.restore_snapshot(pictures[0].number)
        assert [block.text for block in store.project.blocks] == LINES
    (kept,) = path.parent.glob("*(version 1*")
    assert kept.read_bytes() == before and told == updated(path, kept)
    with ProjectStore.open(path, paths=paths) as store:
        assert store.notices == []  # it is told once
    flip(path, LINES[20])
    with ProjectStore.open(path, paths=paths) as store:
        assert "21 “Paragraph 20" in " ".join(store.notices)


def test_a_file_without_sums_may_have_a_name_as_long_as_names_are(path: Path, paths: Paths) -> None:
    make_older(path)
    before = path.read_bytes()
    path = path.rename(path.with_name("书" * 76 + ".mvs"))
    with ProjectStore.open(path, paths=paths) as store:
        assert [block.text for block in store.project.blocks] == LINES
        told = store.notices
    (kept,) = path.parent.glob("书*(version 1*.mvs")
    assert told == updated(path, kept) and kept.read_bytes() == before and store_copy.is_kept(kept)
    flip(path, LINES[20])
    with ProjectStore.open(path, paths=paths) as store:
        assert "21 “Paragraph 20" in " ".join(store.notices)
    assert list(path.parent.glob("书*(damaged *.mvs"))
    with ProjectStore.open(kept, paths=paths) as store:
        assert [block.text for block in store.project.blocks] == LINES


def test_a_file_without_sums_can_be_read_where_it_cannot_be_written(path: Path, paths: Paths, tmp_path: Path) -> None:
    make_older(path)
    before = path.read_bytes()
    with ProjectStore.open(path, paths=paths, read_only=True) as store:
        assert [block.text for block in store.project.blocks] == LINES and not store.notices
        assert path.read_bytes() == before
        store.save_as(tmp_path / "b.mvs")
        assert np.array_equal(store.read_take("take0"), SOUND)
    with ProjectStore.open(tmp_path / "b.mvs", paths=paths) as store:
        assert [block.text for block in store.project.blocks] == LINES and not store.notices
    assert path.read_bytes() == before


def test_an_untitled_project_without_sums_is_still_offered(path: Path, paths: Paths) -> None:
    make_older(path)
    paths.untitled.mkdir(parents=True)
    shutil.move(path, paths.untitled / "a.mvs")
    (found,) = Recovery(paths).find()
    assert found.kind == "untitled" and not found.damaged and found.words


@pytest.mark.parametrize("older", [True, False])
def test_the_copy_that_was_kept_of_an_untitled_project_is_not_offered_beside_it(
    path: Path, paths: Paths, older: bool
) -> None:
    if older:
        make_older(path)
    else:
        flip(path, LINES[3])
    paths.untitled.mkdir(parents=True)
    shutil.move(path, paths.untitled / "a.mvs")
    ProjectStore.open(paths.untitled / "a.mvs", paths=paths).close()
    (kept,) = paths.untitled.glob("a (*")
    assert [found.path.name for found in Recovery(paths).find()] == ["a.mvs"] and kept.exists()
    os.utime(kept, (0, 0))
    assert [found.path.name for found in Recovery(paths).find()] == ["a.mvs"] and not kept.exists()


@pytest.mark.parametrize("spoiled", ["the first page", "a page of text"])
def test_a_damaged_file_without_sums_is_repaired(path: Path, paths: Paths, spoiled: str) -> None:
    make_older(path)
    page = 1 if spoiled == "the first page" else pages_of(path, ("blocks",))[0]
    data = bytearray(path.read_bytes())
    start = (page - 1) * PAGE_BYTES + 100 * (page == 1)
    data[start : start + 3_000] = random.Random(1).randbytes(3_000)
    path.write_bytes(data)
    with ProjectStore.open(path, paths=paths) as store:
        assert store.notices and [block.text for block in store.project.blocks] == LINES
        assert np.array_equal(store.read_take("take0"), SOUND)
    with ProjectStore.open(path, paths=paths) as store:
        assert not store.notices
    with connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == VERSION


def test_an_altered_line_is_told_though_the_file_had_to_be_repaired(path: Path, paths: Paths) -> None:
    flip(path, LINES[30])
    data = bytearray(path.read_bytes())
    page = pages_of(path, ("voices",))[0]
    data[(page - 1) * PAGE_BYTES : (page - 1) * PAGE_BYTES + 200] = b"\xff" * 200
    path.write_bytes(data)
    with ProjectStore.open(path, paths=paths) as store:
        told = " ".join(store.notices)
        assert "31 “Paragraph 30" in told and "was damaged" in told


def test_what_was_not_gathered_yet_is_in_the_copy_of_an_older_file(path: Path, paths: Paths, tmp_path: Path) -> None:
    make_older(path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("UPDATE blocks SET text = 'written last' WHERE rowid = 1")
    connection.commit()
    killed = tmp_path / "killed.mvs"
    for suffix in ("", "-wal"):
        shutil.copyfile(f"{path}{suffix}", f"{killed}{suffix}")
    connection.close()
    with ProjectStore.open(killed, paths=paths) as store:
        assert store.project.blocks[0].text == "written last"
    (kept,) = tmp_path.glob("killed (version 1*")
    with ProjectStore.open(kept, paths=paths, read_only=True) as store:
        assert store.project.blocks[0].text == "written last"


class Stopped(BaseException):
    """The program ended here."""


class StoppingConnection:
    def __init__(self, connection: sqlite3.Connection, left: int, error: BaseException) -> None:
        self._connection, self._left, self._error = connection, left, error

    def execute(self, sql: str, *values):
        if sql.startswith(("ALTER", "UPDATE", "BEGIN", "COMMIT", "PRAGMA user_version =")):
            self._left -= 1
            if self._left < 0:
                raise self._error
        return self._connection.execute(sql, *values)

    def executemany(self, sql: str, values):
        for each in values:
            self.execute(sql, each)

    def __getattr__(self, name: str):
        return getattr(self._connection, name)


@pytest.mark.parametrize("error", [Stopped(), sqlite3.OperationalError("database or disk is full")])
def test_an_end_at_any_write_of_the_bringing_up_to_date_leaves_the_older_file_whole(
    path: Path, paths: Paths, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    make_older(path)
    before = path.read_bytes()
    for at in (0, 1, 2, 5, 6, 7, 30, 66, 67, 68, 69, 70, 71, 72):
        with monkeypatch.context() as patched:
            patched.setattr(
                store_opening,
                "connect",
                lambda *where, at=at, **how: StoppingConnection(connect(*where, **how), at, error),
            )
            try:
                ProjectStore.open(path, paths=paths).close()
                break
            except (Stopped, ProjectError):
                pass
        assert not list(path.parent.glob(".*.part"))
        with ProjectStore.open(path, paths=paths, read_only=True) as store:
            assert [block.text for block in store.project.blocks] == LINES and not store.notices
    for kept in path.parent.glob("*(version 1*"):
        assert kept.read_bytes() == before
    with ProjectStore.open(path, paths=paths) as store:
        assert [block.text for block in store.project.blocks] == LINES
    (kept,) = path.parent.glob("*(version 1*")
    assert store.notices in ([], updated(path, kept)) and kept.read_bytes() == before


def test_half_a_copy_is_never_taken_for_the_whole(path: Path, paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    make_older(path)
    before = path.read_bytes()

    def killed(source: Path, target: Path, tick: object = None) -> None:
        target.write_bytes(source.read_bytes()[:5_000])
        raise Stopped

    with monkeypatch.context() as patched:
        patched.setattr(store_copy, "copy_file", killed)
        patched.setattr(store_copy, "discard", lambda part: None)  # a process that is killed tidies nothing up
        with pytest.raises(Stopped):
            ProjectStore.open(path, paths=paths)
    with ProjectStore.open(path, paths=paths) as store:
        assert [block.text for block in store.project.blocks] == LINES
    (kept,) = path.parent.glob("*(version 1*")
    assert kept.read_bytes() == before and not list(path.parent.glob(".*.part"))


def test_every_row_that_is_written_has_its_sum(path: Path, paths: Paths, tmp_path: Path) -> None:
    with ProjectStore.open(path, paths=paths) as store:
        store.history.do(ReplaceText(3, "", "\nthree\n\ud7ff"))
        store.history.do(PutTake(Take(id="take1", block_id=store.project.blocks[0].id, state="failed")))
        store.keep_asked([store.project.blocks[0].id])
        store.compact()()
        store.save_as(tmp_path / "b.mvs")
    for file in (path, tmp_path / "b.mvs"):
        with connect(file) as connection:
            for table in SUMMED:
                assert connection.execute(f"SELECT count(*) FROM {table} WHERE crc IS NULL").fetchone()[0] == 0
        with ProjectStore.open(file, paths=paths) as store:
            assert not store.notices
    assert set(SUMMED) < set(SMALL_TABLES)
