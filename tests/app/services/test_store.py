"""A project is in its file a moment after each change, and comes back from it as it was."""

from __future__ import annotations

import contextlib
import errno
import os
import queue
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.model.commands import (
    MoveBlocks,
    PutTake,
    ReplaceText,
    SetBlockSettings,
    SetLexicon,
    SetProjectSettings,
    SetVoice,
)
from app.model.errors import ProjectError
from app.model.take import PieceAudio, Take
from app.model.voice import Voice, VoiceClip
from app.paths import Paths, paths_for
from app.services import store_audio, store_copy, store_file, store_opening, store_schema
from app.services.store import ProjectStore
from app.services.store_lock import Holder, ProjectLockedError
from app.services.store_schema import NewerProjectError, NotAProjectError, connect


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return paths_for(tmp_path / "profile")


@pytest.fixture
def store(tmp_path: Path, paths: Paths):
    opened = ProjectStore.create(tmp_path / "book.mvs", paths=paths)
    yield opened
    opened.close()


def noise(count: int, seed: int = 0) -> np.ndarray:
    whole = np.random.default_rng(seed).integers(-(2**20), 2**20, (count, 2))
    return (whole / 2**23).astype(np.float32)


def speak(store: ProjectStore, block_id: str, audio: np.ndarray, **fields) -> Take:
    writer = store.begin_take(Take(block_id=block_id))
    for start in range(0, len(audio), 3_840):
        writer.append(audio[start : start + 3_840])
    return writer.finish(Take(id=writer.take.id, block_id=block_id, state="done", **fields))


def state(store: ProjectStore) -> tuple:
    project = store.project
    return tuple(project.blocks), project.takes, project.voices, project.lexicon, project.settings


def test_a_new_project_is_whole_from_its_first_moment(tmp_path: Path, paths: Paths) -> None:
    with ProjectStore.create(tmp_path / "new.mvs", paths=paths) as made:
        copied = tmp_path / "as it was.mvs"
        copied.write_bytes(made.path.read_bytes())  # what a killed process leaves
        with ProjectStore.open(copied, paths=paths) as found:
            assert found.id == made.id
            assert tuple(found.project.blocks) == tuple(made.project.blocks)
            assert found.notices == []


def test_what_an_interrupted_copy_left_is_removed_at_the_next_opening(store: ProjectStore, paths: Paths) -> None:
    store.close()
    left = [store.path.with_name(f".{store.path.name}.0a1b2c3d.part{suffix}") for suffix in ("", "-journal")]
    other = store.path.with_name(".other.mvs.0a1b2c3d.part")
    for each in (*left, other):
        each.write_bytes(b"half")
    with ProjectStore.open(store.path, paths=paths):
        assert not any(each.exists() for each in left)
    assert other.exists()


def test_takes_of_a_line_keep_their_order_when_the_first_begun_ends_last(store: ProjectStore, paths: Paths) -> None:
    block_id = store.project.blocks[0].id
    first = store.begin_take(Take(id="first", block_id=block_id, created_at_s=1.0))
    second = store.begin_take(Take(id="second", block_id=block_id, created_at_s=2.0))
    second.finish(Take(id="second", block_id=block_id, state="done", created_at_s=3.0))
    first.finish(Take(id="first", block_id=block_id, state="done", created_at_s=4.0))
    before = state(store)
    assert store.project.blocks[0].takes == ("second", "first")
    store.close()
    with ProjectStore.open(store.path, paths=paths) as again:
        assert state(again) == before


def test_everything_comes_back_after_a_restart(store: ProjectStore, paths: Paths) -> None:
    history = store.history
    history.do(ReplaceText(0, "", "# One\nHello there.\n\n// note\nBye."))
    ids = [block.id for block in store.project.blocks]
    sha = store.add_clip(b"RIFF", "joe.wav")
    history.do(SetVoice(Voice("v1", "Joe", references=(VoiceClip("joe.wav", sha, "hi"),), consent={"own": True})))
    history.do(SetBlockSettings((ids[1], ids[4]), {"voice": "v1", "length": "fit", "target_s": 4.0, "locked": True}))
    history.do(SetLexicon((("LV", "Level"),)))
    history.do(SetProjectSettings({"seed": 9, "pauses": {"paragraph_s": 1.0}}))
    history.do(MoveBlocks(1, 1, 3))
    audio = noise(200_000)
    take = speak(store, ids[1], audio, key="a" * 64, text="Hello there.", pieces=(PieceAudio(0, 200_000, 0),))
    before = state(store)
    assert store.close()
    with ProjectStore.open(store.path, paths=paths) as again:
        assert state(again) == before and again.notices == []
        assert again.project.block(ids[1]).chosen == take.id and take.seconds == 200_000 / 48_000
        assert np.array_equal(again.read_take(take.id), audio)
        assert again.clip(sha) == b"RIFF" and again.clip("0" * 64) is None
        assert again.project.take_with_key("a" * 64) == take
    assert [each.name for each in store.path.parent.glob("*book*")] == ["book.mvs"]


def test_undo_goes_on_after_a_restart(store: ProjectStore, paths: Paths) -> None:
    texts = [""]
    for word in ("one", "\ntwo", "\nthree"):
        store.history.do(ReplaceText(store.project.characters, "", word))
        texts.append(store.project.text())
    store.history.undo()
    store.close()
    with ProjectStore.open(store.path, paths=paths) as again:
        assert again.project.text() == texts[2] and again.history.can_redo
        again.history.redo()
        assert again.project.text() == texts[3]
        for text in reversed(texts[:3]):
            again.history.undo()
            assert again.project.text() == text
        assert not again.history.can_undo


def test_changes_are_committed_without_being_asked(store: ProjectStore) -> None:
    saved = threading.Event()
    store.flush()
    wanted = store.sequence + 1
    store.saved.connect(lambda sequence: saved.set() if sequence >= wanted else None)
    store.history.do(ReplaceText(0, "", "typed"))
    assert store.sequence == wanted and saved.wait(10)
    with connect(store.path) as other:
        assert other.execute("SELECT text FROM blocks").fetchone()[0] == "typed"
    other.close()


def test_typing_writes_one_block_and_not_the_script(store: ProjectStore) -> None:
    store.history.do(ReplaceText(0, "", "\n".join(["line"] * 300)))
    store.flush()
    written = []
    real = store._writer.file.commit
    store._writer.file.commit = lambda batch, segments: (written.append(batch), real(batch, segments))
    store.history.do(ReplaceText(700, "", "x"))
    store.history.do(ReplaceText(700, "", "\n"))
    store.flush()
    assert sum(len(batch.blocks) for batch in written) <= 3


def test_a_saved_change_is_synced_to_the_disk(store: ProjectStore) -> None:
    """What a commit means is set on the writing connection: a synced write-ahead log."""

    def ask(connection: sqlite3.Connection) -> list:
        return [
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "trusted_schema")
        ]

    assert store._writer.call(ask).result() == ["wal", 2, 0]


@settings(max_examples=15, deadline=None)
@given(
    chunks=st.lists(st.integers(1, 150_000), max_size=6), start=st.integers(0, 400_000), count=st.integers(0, 300_000)
)
def test_any_part_of_a_take_reads_the_same_while_and_after_it_is_made(tmp_path_factory, chunks, start, count) -> None:
    folder = tmp_path_factory.mktemp("takes")
    audio = noise(sum(chunks))
    with ProjectStore.create(folder / "a.mvs", paths=paths_for(folder)) as store:
        writer = store.begin_take(Take(block_id=store.project.blocks[0].id))
        at = 0
        for chunk in chunks:
            writer.append(audio[at : at + chunk])
            at += chunk
            assert np.array_equal(store.read_take(writer.take.id, start, count), audio[:at][start : start + count])
        writer.finish(Take(id=writer.take.id, block_id=writer.take.block_id, state="done"))
        assert np.array_equal(store.read_take(writer.take.id, start, count), audio[start : start + count])
        assert store.flush()
        assert np.array_equal(store.read_take(writer.take.id, start, count), audio[start : start + count])
        assert np.array_equal(store.read_take(writer.take.id), audio) and store.take_samples(writer.take.id) == len(
            audio
        )


def test_audio_is_kept_to_the_last_bit_of_its_grid() -> None:
    edges = np.array([[-1.0, 1.0 - 2**-23], [2**-23, -(2**-23)], [0.0, 1.0]], np.float32)
    kept = store_audio.decode("t", store_audio.encode(edges), 3)
    assert np.array_equal(kept[:2], edges[:2]) and kept[2, 1] == np.float32(1.0 - 2**-23)


def test_a_take_is_written_while_it_is_made(store: ProjectStore) -> None:
    segments = []
    store.audio_saved.connect(lambda take_id, samples: segments.append(samples))
    writer = store.begin_take(Take(block_id=store.project.blocks[0].id))
    writer.append(noise(500_000))
    assert store.flush()
    assert segments == [96_000, 192_000, 288_000, 384_000, 480_000]


def test_a_take_that_was_being_made_is_incomplete_after_a_restart(store: ProjectStore, paths: Paths) -> None:
    audio = noise(250_000)
    writer = store.begin_take(Take(block_id=store.project.blocks[0].id))
    writer.append(audio)
    store.close()
    for _ in range(2):
        with ProjectStore.open(store.path, paths=paths) as again:
            take = again.project.takes[writer.take.id]
            assert take.state == "incomplete" and take.seconds == 4.0
            assert np.array_equal(again.read_take(take.id), audio[:192_000])


def test_reading_from_the_middle_of_a_long_project_touches_few_rows(store: ProjectStore) -> None:
    block_id = store.project.blocks[0].id
    flac = store_audio.encode(noise(96_000))

    def fill(connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN")
        for number in range(2_000):
            connection.execute(
                "INSERT INTO segments (take, start, samples, crc, flac) VALUES ('long', ?, 96000, ?, ?)",
                (number * 96_000, __import__("zlib").crc32(flac), flac if number == 1_000 else b"not read"),
            )
        connection.execute("COMMIT")

    store._writer.call(fill).result()
    store.history.note(PutTake(Take(id="long", block_id=block_id, state="done", seconds=4_000)))
    assert len(store.read_take("long", 96_000_000 + 10, 500)) == 500
    with connect(store.path) as reader:
        plan = reader.execute(
            "EXPLAIN QUERY PLAN SELECT start FROM segments "
            "WHERE take = 'long' AND start <= 5 ORDER BY start DESC LIMIT 1"
        ).fetchall()
        assert "SEARCH" in plan[0][3] and "COVERING INDEX segments_by_take" in plan[0][3] and len(plan) == 1
    reader.close()
    assert store.take_samples("long") == 2_000 * 96_000


def test_an_untitled_project_is_a_real_file_from_the_first_key(paths: Paths) -> None:
    with ProjectStore.untitled(paths) as store:
        store.history.do(ReplaceText(0, "", "k"))
        assert store.is_untitled and store.path.parent == paths.untitled and store.flush()
    with ProjectStore.open(store.path, paths=paths) as again:
        assert again.is_untitled and again.project.text() == "k"


def test_save_as_goes_on_in_the_new_file(paths: Paths, tmp_path: Path) -> None:
    store = ProjectStore.untitled(paths)
    first, moved, fractions = store.path, [], []
    store.moved.connect(moved.append)
    store.history.do(ReplaceText(0, "", "before"))
    audio = noise(300_000)
    take = speak(store, store.project.blocks[0].id, audio)
    target = tmp_path / "named.mvs"
    target.write_bytes(b"an old file")
    (tmp_path / "named.mvs-wal").write_bytes(b"an old log")
    store.save_as(target, fractions.append)
    assert moved == [target] and store.path == target and not store.is_untitled and not first.exists()
    assert fractions == sorted(fractions) and all(0 <= each <= 1 for each in fractions)
    store.history.do(ReplaceText(6, "", " after"))
    assert np.array_equal(store.read_take(take.id), audio)
    store.close()
    with ProjectStore.open(target, paths=paths) as again:
        assert again.project.text() == "before after" and np.array_equal(again.read_take(take.id), audio)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["named.mvs", "profile"]


def test_edits_go_on_while_a_copy_is_made_and_are_in_it(store: ProjectStore, tmp_path: Path, paths: Paths) -> None:
    for seed in range(8):
        speak(store, store.project.blocks[0].id, noise(480_000, seed))
    store.flush()
    original = store.path

    def type_on(fraction: float) -> None:
        store.history.do(ReplaceText(store.project.characters, "", "x"))
        time.sleep(0.12)

    store.save_as(tmp_path / "copy.mvs", type_on)
    typed = store.project.text()
    assert len(typed) > 2
    store.close()
    with ProjectStore.open(tmp_path / "copy.mvs", paths=paths) as again:
        assert again.project.text() == typed
        copy_id = again.id
    with ProjectStore.open(original, paths=paths) as old:
        assert old.id != copy_id


def test_a_cancelled_copy_leaves_everything_as_it_was(store: ProjectStore, tmp_path: Path) -> None:
    speak(store, store.project.blocks[0].id, noise(960_000))
    store.flush()

    def cancel(fraction: float) -> None:
        raise KeyError("cancelled")

    with pytest.raises(KeyError):
        store.save_as(tmp_path / "copy.mvs", cancel)
    assert store.path.name == "book.mvs" and sorted(each.name for each in tmp_path.glob("*copy*")) == []
    store.history.do(ReplaceText(0, "", "on"))
    assert store.flush()
    with ProjectStore.create(tmp_path / "copy.mvs", paths=paths_for(tmp_path / "profile")):
        pass


def test_compacting_drops_only_what_nothing_refers_to(store: ProjectStore, paths: Paths) -> None:
    history = store.history
    history.do(ReplaceText(0, "", "keep\nundone\ngone"))
    keep, undone, gone = (block.id for block in store.project.blocks)
    takes = {
        name: speak(store, block_id, noise(480_000, seed))
        for seed, (name, block_id) in enumerate([("keep", keep), ("undone", undone), ("gone", gone)])
    }
    history.do(ReplaceText(11, "\ngone", ""))
    history.clear()
    history.do(ReplaceText(4, "\nundone", ""))
    result = store.compact()()
    assert result.bytes_after < result.bytes_before * 0.75
    assert set(store.project.takes) == {takes["keep"].id, takes["undone"].id}
    history.undo()
    assert store.project.block(undone).takes == (takes["undone"].id,)
    assert np.array_equal(store.read_take(takes["undone"].id), noise(480_000, 1))
    assert len(store.read_take(takes["gone"].id)) == 0
    store.close()
    with ProjectStore.open(store.path, paths=paths) as again:
        assert again.project.text() == "keep\nundone" and np.array_equal(
            again.read_take(takes["keep"].id), noise(480_000)
        )


def test_compacting_does_not_hold_up_the_thread_of_the_project(store: ProjectStore) -> None:
    free = threading.Event()
    busy = store._writer.call(lambda _: free.wait(10))
    rewrite = store.compact()
    free.set()
    assert busy.result() and rewrite().bytes_after


def test_what_is_removed_while_compacting_looks_around_can_be_brought_back(tmp_path: Path, paths: Paths) -> None:
    calls: queue.SimpleQueue = queue.SimpleQueue()
    with ProjectStore.create(tmp_path / "book.mvs", paths=paths, deliver=calls.put) as store:
        store.history.do(ReplaceText(0, "", "stays\ngoes\ndead"))
        stays, goes, dead = (block.id for block in store.project.blocks)
        takes = [speak(store, block_id, noise(96_000, seed)).id for seed, block_id in enumerate((stays, goes, dead))]
        store.history.do(ReplaceText(10, "\ndead", ""))
        store.history.clear()
        with ThreadPoolExecutor(1) as background:
            compacted = background.submit(store.compact())
            store.history.do(ReplaceText(5, "\ngoes", ""))  # before the compacting thread is heard
            while not compacted.done():
                with contextlib.suppress(queue.Empty):
                    calls.get(timeout=0.05)()
            compacted.result()
        assert set(store.project.takes) == set(takes[:2])
        store.history.undo()
        assert store.project.block(goes).takes == (takes[1],)
        assert np.array_equal(store.read_take(takes[1]), noise(96_000, 1)) and not len(store.read_take(takes[2]))


def test_compacting_a_project_that_is_closed_meanwhile_ends_with_words(tmp_path: Path, paths: Paths) -> None:
    store = ProjectStore.create(tmp_path / "book.mvs", paths=paths, deliver=lambda call: None)  # nobody hears any more
    with ThreadPoolExecutor(1) as background:
        compacted = background.submit(store.compact())
        store.close()
        with pytest.raises(ProjectError, match="closed"):
            compacted.result(10)


def test_a_second_writer_is_kept_out_and_may_read(store: ProjectStore, paths: Paths) -> None:
    store.history.do(ReplaceText(0, "", "text"))
    store.flush()
    with pytest.raises(ProjectLockedError) as error:
        ProjectStore.open(store.path, paths=paths)
    assert error.value.holder.pid == os.getpid() and "read-only" in error.value.remedy
    with ProjectStore.open(store.path, paths=paths, read_only=True) as reader:
        assert reader.project.text() == "text" and reader.read_only
        reader.history.do(ReplaceText(0, "", "only in memory "))
        assert reader.flush()
        with pytest.raises(ProjectError):
            reader.begin_take(Take(block_id=reader.project.blocks[0].id))
    store.close()
    with ProjectStore.open(store.path, paths=paths) as again:
        assert again.project.text() == "text"


def test_a_project_that_stays_open_over_days_keeps_a_picture_of_each(
    store: ProjectStore, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.history.do(ReplaceText(0, "", "first"))
    store.close()
    begin_s = time.time()
    with ProjectStore.open(store.path, paths=paths) as again:
        for day, word in enumerate(("second", "third", "fourth"), 1):
            monkeypatch.setattr(store_file, "now_s", lambda day=day: begin_s + day * 86_400)
            for each in (" " + word, "!"):
                again.history.do(ReplaceText(again.project.characters, "", each))
                assert again.flush()
        texts = {}
        for picture in again.snapshots():
            again.restore_snapshot(picture.number)
            texts.setdefault(picture.kind, []).append(again.project.text())
        assert texts["opened"] == ["first"]
        assert texts["daily"] == ["first second! third!", "first second!", "first"]


@pytest.mark.parametrize(("age_s", "force", "opens"), [(10, False, False), (10, True, True), (600, False, True)])
def test_a_holder_on_another_machine_counts_while_it_lives(store, paths, age_s, force, opens) -> None:
    store.close()
    beside = store.path.with_name(f".{store.path.name}.lock")
    now = time.time() - age_s
    beside.write_text(Holder("another-machine", 7, "ana", now, now).to_text())
    if opens:
        ProjectStore.open(store.path, paths=paths, force=force).close()
        assert not beside.exists()
    else:
        with pytest.raises(ProjectLockedError, match="ana on another-machine"):
            ProjectStore.open(store.path, paths=paths, force=force)


def test_a_lock_file_left_by_a_dead_process_is_no_lock(store: ProjectStore, paths: Paths) -> None:
    store.close()
    store.path.with_name(f".{store.path.name}.lock").write_text(Holder.me().to_text())
    ProjectStore.open(store.path, paths=paths).close()


def test_what_is_no_project_is_told_apart(tmp_path: Path, paths: Paths) -> None:
    text, other, newer = tmp_path / "a.mvs", tmp_path / "b.mvs", tmp_path / "c.mvs"
    text.write_text("hello " * 1000)
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE x (y)")
    ProjectStore.create(newer, paths=paths).close()
    with sqlite3.connect(newer) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = newer.read_bytes()
    for path, kind in ((text, NotAProjectError), (other, NotAProjectError), (newer, NewerProjectError)):
        with pytest.raises(kind):
            ProjectStore.open(path, paths=paths)
    assert newer.read_bytes() == before
    with pytest.raises(ProjectError):
        ProjectStore.open(tmp_path / "none.mvs", paths=paths)
    with pytest.raises(ProjectError):
        ProjectStore.create(text, paths=paths)


def test_the_script_as_it_was_when_opened_can_be_brought_back(store: ProjectStore, paths: Paths) -> None:
    store.history.do(ReplaceText(0, "", "first\nsecond"))
    ids = [block.id for block in store.project.blocks]
    take = speak(store, ids[0], noise(1000))
    store.close()
    with ProjectStore.open(store.path, paths=paths) as again:
        assert again.snapshots() == []
        again.history.do(ReplaceText(0, "first\nsecond", "ruined"))
        again.history.do(SetProjectSettings({"seed": 5}))
        again.flush()
        kinds = {each.kind: each for each in again.snapshots()}
        assert set(kinds) == {"opened", "daily"} and kinds["opened"].words == 2
        again.restore_snapshot(kinds["opened"].number)
        assert again.project.text() == "first\nsecond" and [block.id for block in again.project.blocks] == ids
        assert again.project.block(ids[0]).chosen == take.id and again.project.settings.seed == 1234
        again.history.undo()
        assert again.project.text() == "ruined" and again.project.settings.seed == 5


def test_a_read_only_medium_opens(store: ProjectStore, paths: Paths) -> None:
    store.history.do(ReplaceText(0, "", "text"))
    store.close()
    store.path.chmod(0o400)
    store.path.parent.chmod(0o500)
    try:
        with ProjectStore.open(store.path, paths=paths, read_only=True) as reader:
            assert reader.project.text() == "text"
    finally:
        store.path.parent.chmod(0o700)


def test_a_read_only_project_is_saved_elsewhere_with_what_was_changed_in_memory(
    store, paths: Paths, tmp_path: Path
) -> None:
    store.history.do(ReplaceText(0, "", "text"))
    sha = store.add_clip(b"RIFF", "joe.wav")
    take = speak(store, store.project.blocks[0].id, noise(120_000))
    store.flush()
    with ProjectStore.open(store.path, paths=paths, read_only=True) as reader:
        reader.history.do(ReplaceText(4, "", " changed\nin memory"))
        reader.save_as(tmp_path / "copy.mvs")
        assert not reader.read_only and reader.path.name == "copy.mvs" and reader.id != store.id
        reader.history.do(ReplaceText(0, "", "on "))
        assert reader.flush() and np.array_equal(reader.read_take(take.id), noise(120_000))
    store.close()
    with ProjectStore.open(tmp_path / "copy.mvs", paths=paths) as again:
        assert again.project.text() == "on text changed\nin memory" and again.clip(sha) == b"RIFF"
        assert np.array_equal(again.read_take(take.id), noise(120_000))
        again.history.undo()
        again.history.undo()
        assert again.project.text() == "text"


def test_a_file_that_may_only_be_read_opens_read_only_and_says_so(store, paths: Paths, monkeypatch) -> None:
    store.history.do(ReplaceText(0, "", "text"))
    store.close()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with ProjectStore.open(store.path, paths=paths) as reader:
        assert reader.read_only and "can only be read" in reader.notices[0] and reader.project.text() == "text"


def test_an_older_file_is_brought_up_to_date_and_kept(store, paths: Paths, monkeypatch) -> None:
    """With a version after this one made up, today's file is the older one."""
    now = store_schema.VERSION
    store.history.do(ReplaceText(0, "", "text"))
    store.close()
    before = store.path.read_bytes()

    def to_next(connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE blocks SET text = text || ' migrated'")

    monkeypatch.setattr(store_schema, "VERSION", now + 1)
    monkeypatch.setattr(store_opening, "VERSION", now + 1)
    monkeypatch.setitem(store_schema.TABLES_OF, now + 1, store_schema.TABLES)
    monkeypatch.setitem(store_schema.MIGRATIONS, now, to_next)
    with ProjectStore.open(store.path, paths=paths, read_only=True) as reader:
        assert reader.project.text() == "text" and not reader.notices
    assert store.path.read_bytes() == before
    with ProjectStore.open(store.path, paths=paths) as again:
        assert again.project.text() == "text migrated"
    (kept,) = store.path.parent.glob(f"*version {now}*")
    assert kept.read_bytes() == before


def test_paragraphs_keep_their_order_however_often_one_place_is_used(store, paths: Paths) -> None:
    store.history.do(ReplaceText(0, "", "first\nlast"))
    for number in range(150):
        place = 6 if number % 3 else store.project.start_of(len(store.project.blocks) // 2)
        store.history.do(ReplaceText(place, "", f"{number}\n"))
    for first, to in ((0, 50), (140, 0), (75, 76)):
        store.history.do(MoveBlocks(first, 3, to))
    before = [block.id for block in store.project.blocks]
    store.close()
    with ProjectStore.open(store.path, paths=paths) as again:
        assert [block.id for block in again.project.blocks] == before


def test_a_name_that_no_disk_takes_is_told(tmp_path: Path) -> None:
    long = tmp_path / ("é" * 200 + ".mvs")
    with pytest.raises(ProjectError, match="too long"):
        ProjectStore.create(long, paths=paths_for(tmp_path / "profile"))
    with pytest.raises(ProjectError, match="too long"):
        ProjectStore.open(long, paths=paths_for(tmp_path / "profile"))


def test_a_project_cannot_be_made_where_nothing_can_be_written(tmp_path: Path, monkeypatch) -> None:
    def refuse(self: Path, missing_ok: bool = False) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    def no_file(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("unable to open database file")

    monkeypatch.setattr(store_copy, "rebuild_to", no_file)
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(ProjectError, match="cannot be written"):
        ProjectStore.create(tmp_path / "a.mvs", paths=paths_for(tmp_path / "profile"))


def test_a_link_to_a_project_is_that_project(store: ProjectStore, paths: Paths, tmp_path: Path) -> None:
    link = tmp_path / "link.mvs"
    try:
        link.symlink_to(store.path)
    except OSError:
        pytest.skip("this system makes no links")
    with pytest.raises(ProjectLockedError):
        ProjectStore.open(link, paths=paths)
    store.history.do(ReplaceText(0, "", "written"))
    store.flush()
    store.close()
    with ProjectStore.open(link, paths=paths) as again:
        assert again.path == store.path and again.project.text() == "written"
        again.compact()()
    assert link.is_symlink()
    loop = tmp_path / "loop.mvs"
    loop.symlink_to(loop)
    with pytest.raises(ProjectError):
        ProjectStore.open(loop, paths=paths)


@pytest.mark.parametrize("read_only", [False, True])
def test_saving_where_nothing_can_be_written_is_told_in_words(
    read_only: bool, store: ProjectStore, paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ProjectError, match="too long"):
        store.save_as(tmp_path / ("é" * 200 + ".mvs"))
    store.flush()
    unlink = Path.unlink

    def refuse(self: Path, missing_ok: bool = False) -> None:
        if self.suffix == ".part":
            raise OSError(errno.EROFS, "Read-only file system")
        unlink(self, missing_ok)

    def no_copy(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "unlink", refuse)
    for name in ("copy_to", "rebuild_to"):
        monkeypatch.setattr(store_copy, name, no_copy)
    opened = ProjectStore.open(store.path, paths=paths, read_only=True) if read_only else contextlib.nullcontext(store)
    with opened as it:
        with pytest.raises(ProjectError, match="cannot be saved"):
            it.save_as(tmp_path / "other.mvs")
        assert it.path == store.path
