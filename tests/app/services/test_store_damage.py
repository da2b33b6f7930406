"""A damaged or hostile project file costs what is damaged, and neither time, memory nor anything else."""

from __future__ import annotations

import random
import resource
import sqlite3
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.model.commands import ReplaceText, SetBlockSettings, SetVoice
from app.model.errors import ProjectError
from app.model.take import Take
from app.model.voice import Voice
from app.paths import Paths, paths_for
from app.services import store_rows
from app.services.store import ProjectStore
from app.services.store_audio import TakeAudioError
from app.services.store_schema import PAGE_BYTES, TABLES, DamagedProjectError, NotAProjectError

LINES = [
    f"# Chapter {number}" if number % 20 == 0 else f"Paragraph {number} " + "with some words " * 12
    for number in range(200)
]


def noise(seed: int, count: int = 100_000) -> np.ndarray:
    return (np.random.default_rng(seed).integers(-(2**18), 2**18, (count, 2)) / 2**23).astype(np.float32)


def build(path: Path, paths: Paths) -> list[str]:
    """A project of 200 paragraphs, a voice and four takes; returns the ids of the takes."""
    with ProjectStore.create(path, paths=paths) as store:
        store.history.do(ReplaceText(0, "", "\n".join(LINES)))
        store.history.do(SetVoice(Voice("v1", "Joe")))
        store.history.do(SetBlockSettings(tuple(block.id for block in store.project.blocks[:50]), {"voice": "v1"}))
        takes = []
        for seed in range(4):
            writer = store.begin_take(Take(id=f"take{seed}", block_id=store.project.blocks[seed].id))
            writer.append(noise(seed))
            takes.append(writer.finish(Take(id=f"take{seed}", block_id=writer.take.block_id, state="done")).id)
    with ProjectStore.open(path, paths=paths) as store:
        store.history.do(ReplaceText(0, "", " "))  # makes the pictures of how it was
        store.history.undo()
    return takes


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("whole")
    build(folder / "a.mvs", paths_for(folder / "profile"))
    return (folder / "a.mvs").read_bytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.mvs"


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return paths_for(tmp_path / "profile")


def pages_of(data: bytes, table: str, folder: Path) -> list[int]:
    """Numbers of the leaf and overflow pages of a table."""
    file = folder / "look.mvs"
    file.write_bytes(data)
    connection = sqlite3.connect(file)
    try:
        connection.execute("SELECT 1 FROM dbstat LIMIT 1")
    except sqlite3.OperationalError:
        pytest.skip("this SQLite cannot tell pages of tables")
    rows = connection.execute(
        "SELECT pageno FROM dbstat WHERE name = ? AND pagetype != 'internal'", (table,)
    ).fetchall()
    connection.close()
    file.unlink()
    return [number for (number,) in rows]


def spoil(data: bytes, page: int, seed: int = 1) -> bytes:
    start = (page - 1) * PAGE_BYTES
    return data[:start] + random.Random(seed).randbytes(PAGE_BYTES) + data[start + PAGE_BYTES :]


def test_damaged_audio_costs_its_take_alone(whole: bytes, path: Path, paths: Paths, tmp_path: Path) -> None:
    marker = whole.find(b"fLaC")
    spoiled = whole[: marker + 20_000] + b"\0" * 20_000 + whole[marker + 40_000 :]
    path.write_bytes(spoiled)
    with ProjectStore.open(path, paths=paths) as store:
        assert [block.text for block in store.project.blocks] == LINES
        bad = []
        for seed in range(4):
            try:
                assert np.array_equal(store.read_take(f"take{seed}"), noise(seed))
            except TakeAudioError as error:
                bad.append(error.take_id)
        assert len(bad) == 1
        assert (
            store.project.takes[bad[0]].state == "incomplete" and store.project.takes[bad[0]].stop_reason == "damaged"
        )
        assert sum(take.state == "done" for take in store.project.takes.values()) == 3


def test_a_damaged_first_page_costs_no_text_and_no_audio(whole: bytes, path: Path, paths: Paths) -> None:
    for bad_bytes in (100, PAGE_BYTES):
        header = whole[:16] if bad_bytes == PAGE_BYTES else b""
        spoiled = (
            header
            + random.Random(5).randbytes(68 - len(header))
            + whole[68:72]
            + b"\xff" * (bad_bytes - 72)
            + whole[bad_bytes:]
        )
        path.write_bytes(spoiled)
        with ProjectStore.open(path, paths=paths) as store:
            assert [block.text for block in store.project.blocks] == LINES
            assert store.notices and "kept as" in store.notices[0]
            for seed in range(4):
                assert np.array_equal(store.read_take(f"take{seed}"), noise(seed))
        kept = [each for each in path.parent.iterdir() if "damaged" in each.name]
        assert len(kept) == 1 and kept[0].read_bytes() == spoiled
        kept[0].unlink()


@pytest.mark.parametrize("emptied", [512, 4_096, PAGE_BYTES])
def test_a_beginning_of_zeros_costs_no_text(whole: bytes, path: Path, paths: Paths, emptied: int) -> None:
    path.write_bytes(bytes(emptied) + whole[emptied:])
    with ProjectStore.open(path, paths=paths) as store:
        assert [block.text for block in store.project.blocks] == LINES and len(store.project.takes) == 4
        assert "was damaged" in store.notices[0]
    path.write_bytes(bytes(200_000))
    with pytest.raises(NotAProjectError):
        ProjectStore.open(path, paths=paths)


def test_a_damaged_page_of_text_comes_back_from_the_last_picture(
    whole: bytes, path: Path, paths: Paths, tmp_path: Path
) -> None:
    page = pages_of(whole, "blocks", tmp_path)[2]
    path.write_bytes(spoil(whole, page))
    with ProjectStore.open(path, paths=paths) as store:
        assert [block.text for block in store.project.blocks] == LINES
        assert "brought back" in " ".join(store.notices)
        assert store.project.blocks[3].settings.voice == "v1" and not store.history.can_undo
        assert all(np.array_equal(store.read_take(f"take{seed}"), noise(seed)) for seed in range(4))
        store.history.do(ReplaceText(0, "", "on "))
    with ProjectStore.open(path, paths=paths) as again:
        assert again.project.text().startswith("on #") and again.notices == []


def test_a_damaged_list_of_steps_costs_undo_alone(whole: bytes, path: Path, paths: Paths, tmp_path: Path) -> None:
    spoiled = whole
    for page in pages_of(whole, "steps", tmp_path):
        spoiled = spoil(spoiled, page)
    path.write_bytes(spoiled)
    with ProjectStore.open(path, paths=paths) as store:
        assert [block.text for block in store.project.blocks] == LINES and len(store.project.takes) == 4


def test_read_only_opening_changes_nothing_of_a_damaged_file(
    whole: bytes, path: Path, paths: Paths, tmp_path: Path
) -> None:
    spoiled = spoil(whole, pages_of(whole, "blocks", tmp_path)[1])
    path.write_bytes(spoiled)
    with pytest.raises(DamagedProjectError) as error:
        ProjectStore.open(path, paths=paths, read_only=True)
    assert "copy is kept" in error.value.remedy and path.read_bytes() == spoiled


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 10**6), kind=st.sampled_from(["page", "bytes", "cut", "swap", "zero"]), count=st.integers(1, 6)
)
def test_any_damage_ends_in_a_project_or_in_words(
    tmp_path: Path, whole: bytes, seed: int, kind: str, count: int
) -> None:
    chance = random.Random(seed)
    data = bytearray(whole)
    pages = len(data) // PAGE_BYTES
    for _ in range(count):
        page, other = chance.randrange(pages), chance.randrange(pages)
        start, from_ = page * PAGE_BYTES, other * PAGE_BYTES
        if kind == "page":
            data[start : start + PAGE_BYTES] = chance.randbytes(PAGE_BYTES)
        elif kind == "bytes":
            for _ in range(20):
                data[start + chance.randrange(PAGE_BYTES)] = chance.randrange(256)
        elif kind == "cut":
            del data[len(data) - chance.randrange(1, len(data) // 3) :]
        elif kind == "swap":
            data[start : start + PAGE_BYTES], data[from_ : from_ + PAGE_BYTES] = (
                data[from_ : from_ + PAGE_BYTES],
                data[start : start + PAGE_BYTES],
            )
        else:
            data[start : start + PAGE_BYTES] = bytes(PAGE_BYTES)
        pages = max(1, len(data) // PAGE_BYTES)
    folder = tmp_path / f"{seed} {kind} {count}"
    folder.mkdir(exist_ok=True)
    path = folder / "a.mvs"
    path.write_bytes(data)
    begin = time.process_time()
    try:
        with ProjectStore.open(path, paths=paths_for(tmp_path / "profile")) as store:
            store.project.text()
            for take in list(store.project.takes.values()):
                try:
                    audio = store.read_take(take.id)
                    assert len(audio) == 0 or np.array_equal(audio, noise(int(take.id[-1]))[: len(audio)])
                except TakeAudioError as error:
                    assert error.remedy
            while store.history.can_undo:
                try:
                    store.history.undo()
                except ProjectError:
                    pass
            store.history.do(ReplaceText(0, "", "still works"))
            assert store.flush()
    except ProjectError as error:
        assert error.message
        assert any(each.read_bytes() == bytes(data) for each in folder.iterdir() if each.is_file())
    assert time.process_time() - begin < 60


def altered(whole: bytes, path: Path, *statements: str) -> None:
    path.write_bytes(whole)
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE blocks SET settings = '{' WHERE rowid = 7",
        "UPDATE blocks SET settings = '{\"gain_db\": 1e999}' WHERE rowid = 7",
        "UPDATE blocks SET settings = '" + "[" * 50_000 + "' WHERE rowid = 7",
        "UPDATE blocks SET chosen = 7 WHERE rowid = 7",
        "UPDATE blocks SET chosen = 'no such take' WHERE rowid = 7",
        "UPDATE blocks SET rank = 'first' WHERE rowid = 7",
        "UPDATE blocks SET id = '../../etc' WHERE rowid = 7",
        "UPDATE blocks SET text = zeroblob(100000000) WHERE rowid = 7",
        "UPDATE blocks SET text = CAST(x'ff80fe' AS TEXT) WHERE rowid = 7",
        "UPDATE takes SET body = x'00ff' WHERE rowid = 1",
        "UPDATE takes SET body = '{}' WHERE rowid = 1",
        "UPDATE takes SET body = replace(body, '\"seconds\":', '\"seconds\":-') WHERE rowid = 1",
        'UPDATE voices SET body = \'{"id":"v1","references":[{"file":"../../x","sha256":"0"}]}\'',
        "UPDATE meta SET value = 'x' WHERE name = 'done'",
        "INSERT OR REPLACE INTO meta (name, value) VALUES ('settings', '{\"seed\": \"x\"}')",
        "INSERT OR REPLACE INTO meta (name, value) VALUES ('lexicon', '[[1,2,3]]')",
        'UPDATE steps SET command = \'{"type":"replace_blocks","first":-1,"count":9999999,"blocks":[]}\'',
        "UPDATE segments SET start = -5 WHERE number = 1",
        "UPDATE segments SET samples = 999999999999 WHERE number = 1",
        "UPDATE segments SET flac = zeroblob(100000000) WHERE number = 1",
        "UPDATE segments SET samples = 'many' WHERE number = 1",
        "UPDATE snapshots SET body = x'789c'",
        "UPDATE snapshots SET made_at_s = 'yesterday'",
        "DELETE FROM meta",
        "DELETE FROM blocks",
    ],
)
def test_a_wrong_value_costs_itself_alone(whole: bytes, path: Path, paths: Paths, statement: str) -> None:
    altered(whole, path, statement)
    with ProjectStore.open(path, paths=paths) as store:
        texts = [block.text for block in store.project.blocks]
        if "DELETE FROM blocks" not in statement:
            assert sum(text in LINES for text in texts) >= len(LINES) - 1
        for take in store.project.takes.values():
            try:
                store.read_take(take.id)
            except TakeAudioError:
                pass
        while store.history.can_undo:
            try:
                store.history.undo()
            except ProjectError:
                break
        for snapshot in store.snapshots():
            store.restore_snapshot(snapshot.number)
        store.history.do(ReplaceText(0, "", "x"))
        assert store.flush()


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER evil AFTER INSERT ON blocks BEGIN DELETE FROM takes; END",
        "CREATE VIEW more AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
        "CREATE TABLE extra (x)",
        "CREATE INDEX slow ON blocks (text)",
    ],
)
def test_what_a_file_brings_along_never_runs(whole: bytes, path: Path, paths: Paths, statement: str) -> None:
    altered(whole, path, statement)
    with ProjectStore.open(path, paths=paths) as store:
        assert [block.text for block in store.project.blocks] == LINES
        store.history.do(ReplaceText(0, "", "new\n"))
        assert store.flush() and len(store.project.takes) == 4
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(*) FROM sqlite_master WHERE sql IS NOT NULL").fetchone()[0] == len(TABLES)
    connection.close()


def test_a_view_in_place_of_a_table_is_never_asked(path: Path, paths: Paths, whole: bytes) -> None:
    altered(
        whole,
        path,
        "DROP TABLE blocks",
        "CREATE VIEW blocks AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
        "SELECT x AS id, x AS rank, 'a' AS text, '{}' AS settings, NULL AS chosen FROM c",
    )
    begin = time.process_time()
    with ProjectStore.open(path, paths=paths) as store:
        assert [block.text for block in store.project.blocks] == LINES  # from the picture of how it was
        assert all(np.array_equal(store.read_take(f"take{seed}"), noise(seed)) for seed in range(4))
    assert time.process_time() - begin < 30


@pytest.mark.skipif(sys.platform == "win32", reason="counts memory as POSIX does")
def test_a_project_with_absurd_sizes_stays_within_memory(whole: bytes, path: Path, paths: Paths, monkeypatch) -> None:
    monkeypatch.setattr(store_rows, "MAX_BLOCKS", 3_000)
    altered(
        whole,
        path,
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 4000) "
        "INSERT INTO blocks SELECT 'n' || x, x, 'text', '{}', NULL, NULL FROM c",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 30) "
        "INSERT INTO takes SELECT 'n' || x, 'b', 'done', printf('%.*c', 10000000, '['), NULL FROM c",
    )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with ProjectStore.open(path, paths=paths) as store:
        assert len(store.project.blocks) == 3_000
        assert any("left out" in notice for notice in store.notices)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1_500_000


def test_a_file_with_a_wrong_value_is_kept_once_not_at_every_opening(whole: bytes, path: Path, paths: Paths) -> None:
    altered(whole, path, "UPDATE takes SET body = '{}' WHERE id = 'take0'")

    def opened() -> list[str]:
        with ProjectStore.open(path, paths=paths) as store:
            store.history.do(ReplaceText(0, "", "x"))
            assert store.flush()
            store.notices_were_told()
            return store.notices

    first, again, later = opened(), opened(), opened()
    (kept,) = path.parent.glob("*(damaged*")
    assert later == again and set(again) < set(first) and kept.name in first[-1] == again[-1]
    connection = sqlite3.connect(path)
    connection.execute("UPDATE takes SET body = '{}' WHERE id = 'take1'")
    connection.commit()
    connection.close()
    kept = kept.rename(path.with_name("kept.mvs"))
    opened()
    (other,) = path.parent.glob("*(damaged*")  # of what was damaged since
    assert other.read_bytes() != kept.read_bytes()


def test_a_paragraph_without_a_place_keeps_its_text(whole: bytes, path: Path, paths: Paths) -> None:
    altered(whole, path, "UPDATE blocks SET rank = 'first' WHERE rowid % 2 = 0")
    for _ in range(2):
        with ProjectStore.open(path, paths=paths) as store:
            assert sorted(block.text for block in store.project.blocks) == sorted(LINES)
            store.history.do(SetBlockSettings((store.project.blocks[0].id,), {"locked": True}))
            assert store.flush()


def test_names_of_tables_that_are_no_text_cost_nothing(whole: bytes, path: Path, paths: Paths) -> None:
    assert whole.count(b"CREATE TABLE takes") == 1
    path.write_bytes(whole.replace(b"CREATE TABLE takes", b"CRE\xe0TE TABLE takes"))
    with ProjectStore.open(path, paths=paths) as store:
        assert [block.text for block in store.project.blocks] == LINES and len(store.project.takes) == 4


@pytest.mark.parametrize("how", ["cut off", "zeros", "one block of noise", "one bit"])
def test_a_log_that_a_power_cut_left_unfinished_leads_to_a_state_that_was(
    tmp_path: Path, paths: Paths, how: str
) -> None:
    chance = random.Random(how)
    states = []
    with ProjectStore.create(tmp_path / "a.mvs", paths=paths) as store:
        for number in range(25):
            store.history.do(ReplaceText(0, "", f"line {number} of it all, and some words\n" * 3))
            assert store.flush()
            states.append(store.project.text())
        data, log = ((tmp_path / f"a.mvs{suffix}").read_bytes() for suffix in ("", "-wal"))
    assert len(log) > 50_000
    for number in range(12):
        at, left = chance.randrange(len(log)), bytearray(log)
        if how == "cut off":
            left = left[:at]
        elif how == "zeros":
            left[at:] = bytes(len(left) - at)
        elif how == "one bit":
            left[at] ^= 1 << chance.randrange(8)
        else:
            left[at // 512 * 512 : at // 512 * 512 + 512] = chance.randbytes(512)
        file = tmp_path / f"{number}.mvs"
        file.write_bytes(data)
        file.with_name(f"{file.name}-wal").write_bytes(left)
        with ProjectStore.open(file, paths=paths) as store:
            assert store.project.text() in ["", *states] and not store.notices
            while store.history.can_undo:
                store.history.undo()
            store.history.do(ReplaceText(0, "", "on it goes"))
            assert store.flush()
        with ProjectStore.open(file, paths=paths) as store:
            assert store.project.text().startswith("on it goes") and not store.notices
