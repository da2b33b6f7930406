"""Projects on disk as a person meets them: named, opened again, recent, recovered, exported."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QCheckBox, QFileDialog, QLabel, QMessageBox, QPushButton

from app.model.commands import PutTake, ReplaceText
from app.model.take import PieceAudio, Take
from app.paths import paths_for
from app.services import store_copy, store_repair
from app.services.speaking import Habits
from app.services.store import ProjectStore
from app.services.store_sums import SUMMED
from app.ui.recovery_dialog import RecoveryDialog
from app.ui.versions_dialog import VersionsDialog
from app.ui.widgets.empty_state import EmptyState
from app.ui.widgets.fields import OptionalNumber, Segments
from app.ui.widgets.progress_dialog import ProgressDialog
from engine import FULL_SIZE_CARD, plan_speech


def answer_with(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(path), ""))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_, **__: (str(path), ""))


def test_saving_an_untitled_project_gives_it_a_name_and_a_place_among_the_recent(
    sample: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    answer_with(monkeypatch, tmp_path / "My book")
    sample.studio.actions.trigger("save_project")
    qtbot.waitUntil(lambda: "Saved" in sample.window.toast.text, timeout=10_000)
    assert sample.studio.store.path == tmp_path / "My book.mvs"
    assert "My book" in sample.window.windowTitle()
    sample.window.recent_menu.aboutToShow.emit()
    assert [entry.text() for entry in sample.window.recent_menu.actions()] == ["My book"]


def test_a_project_opened_again_is_as_it_was_left(
    open_studio_at: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    first = open_studio_at()
    first.studio.actions.trigger("open_sample")
    answer_with(monkeypatch, tmp_path / "kept.mvs")
    first.studio.actions.trigger("save_as")
    qtbot.waitUntil(lambda: "Saved" in first.window.toast.text, timeout=10_000)
    first.window.script.editor.select_block(first.studio.project.blocks[3].id)
    qtbot.keyClicks(first.window.script.editor, "X")
    text = first.studio.project.text()
    first.window.close()
    first.close()
    second = open_studio_at(tmp_path / "kept.mvs")
    assert second.studio.project.text() == text
    assert second.window.script.editor.document().toPlainText() == text
    second.studio.actions.trigger("undo")
    assert second.studio.project.text() != text


def test_opening_something_that_is_no_project_says_so_and_keeps_the_present_one(
    sample: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = tmp_path / "bad.mvs"
    bad.write_bytes(b"this is no project")
    answer_with(monkeypatch, bad)
    before = sample.studio.store
    sample.studio.actions.trigger("open_project")
    assert sample.studio.store is before
    assert sample.window.toast.text


def test_a_project_that_is_open_elsewhere_can_be_read_meanwhile(running: Any, tmp_path: Path, qtbot: Any) -> None:
    other = ProjectStore.create(tmp_path / "shared.mvs", paths=paths_for(tmp_path / "other"))
    other.history.do(ReplaceText(0, "", "Written elsewhere."))
    other.flush()
    assert not running.session.open(tmp_path / "shared.mvs")
    box = running.window.findChild(QMessageBox)
    assert "shared.mvs is open" in box.text()
    box.buttons()[0].click()
    assert running.studio.store.read_only and running.studio.project.text() == "Written elsewhere."
    assert "read only" in running.window.windowTitle()
    other.close()


def make_older(path: Path) -> None:
    """Bring a project's file to version 1."""
    with closing(sqlite3.connect(path)) as connection:
        for table in SUMMED:
            connection.execute(f"ALTER TABLE {table} DROP COLUMN crc")
        connection.execute("PRAGMA user_version = 1")
        connection.commit()


def test_the_copy_that_is_kept_of_an_older_project_is_told_with_its_path(
    chinese: Any, running: Any, tmp_path: Path, qtbot: Any
) -> None:
    path = tmp_path / "old.mvs"
    ProjectStore.create(path, paths=running.studio.paths).close()
    make_older(path)
    running.session.open(path)
    qtbot.waitUntil(lambda: "旧版本" in running.window.toast.text, timeout=10_000)
    (kept,) = tmp_path.glob("old (version 1*")
    assert running.window.toast.text == f"old.mvs 原为旧版本的文件，现已更新到此版本。原文件已保留为 {kept}。"


def test_a_name_that_is_too_long_for_a_project_is_told_and_the_project_goes_on(
    chinese: Any, sample: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    before = sample.studio.store.path
    answer_with(monkeypatch, tmp_path / ("n" * 236))
    sample.studio.actions.trigger("save_as")
    qtbot.waitUntil(lambda: "太长" in sample.window.toast.text, timeout=10_000)
    assert "请选择短一些的" in sample.window.toast.text and sample.studio.store.path == before


@pytest.mark.parametrize("preferred", ["exact", "natural"])
def test_a_new_project_follows_the_preference_for_pauses(running: Any, preferred: str) -> None:
    running.window.state.pauses_mode = preferred
    assert running.session.new() and running.studio.project.settings.pauses_mode == preferred


def test_a_project_of_an_older_version_can_be_read_where_there_is_no_room_for_its_copy(
    running: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    path = tmp_path / "old.mvs"
    with ProjectStore.create(path, paths=running.studio.paths) as store:
        store.history.do(ReplaceText(0, "", "Written long ago."))
    make_older(path)
    before = path.read_bytes()

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(store_copy, "copy_file", full)
    running.session.open(path)
    qtbot.waitUntil(lambda: running.window.findChild(QMessageBox) is not None)
    box = running.window.findChild(QMessageBox)
    assert "old.mvs is of an older version" in box.text()
    box.buttons()[0].click()
    assert running.studio.store.read_only and running.studio.project.text() == "Written long ago."
    assert path.read_bytes() == before


def test_changes_of_a_project_that_can_only_be_read_are_not_lost_unasked(
    running: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    with ProjectStore.create(tmp_path / "kept.mvs", paths=running.studio.paths) as store:
        store.history.do(ReplaceText(0, "", "As it was."))
    assert running.session.open(tmp_path / "kept.mvs", read_only=True)
    asked: list[str] = []
    answers = [QMessageBox.StandardButton.Cancel, QMessageBox.StandardButton.Cancel, QMessageBox.StandardButton.Discard]
    monkeypatch.setattr(QMessageBox, "warning", lambda *given: asked.append(given[2]) or answers[len(asked) - 1])
    qtbot.keyClicks(running.window.script.editor, "More. ")
    assert not running.window.close() and running.window.isVisible()
    running.studio.actions.trigger("open_sample")
    assert running.studio.project.text() == "More. As it was." and len(asked) == 2
    running.studio.actions.trigger("new_project")
    assert running.studio.project.text() == "" and len(asked) == 3 and "kept.mvs" in asked[0]


def test_a_second_window_leaves_the_last_project_the_last(
    open_studio_at: Callable[..., Any], tmp_path: Path, qtbot: Any
) -> None:
    first = open_studio_at()
    first.studio.actions.trigger("open_sample")
    first.window.save_state()
    second = open_studio_at()
    assert second.studio.project.text() == "" and "another window" in second.window.toast.text
    first.window.close()
    first.close()
    empty = second.studio.store.path
    second.window.close()
    second.close()
    assert not empty.exists()
    third = open_studio_at()
    assert third.studio.project.text().startswith("# Welcome")
    third.studio.actions.trigger("new_project")
    qtbot.keyClicks(third.window.script.editor, "New.")
    third.window.close()
    third.close()
    assert open_studio_at().studio.project.text() == "New."


def test_an_untitled_project_can_be_recovered(sample: Any, qtbot: Any) -> None:
    left = sample.studio.store.path
    sample.studio.actions.trigger("new_project")
    assert sample.studio.project.text() == ""
    sample.studio.actions.trigger("recover")
    dialog = sample.window.findChild(RecoveryDialog)
    qtbot.waitUntil(dialog.open_button.isEnabled, timeout=5_000)
    assert "Welcome" in dialog.list.item(0).text()
    qtbot.mouseClick(dialog.open_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: sample.studio.store.path == left, timeout=5_000)
    assert sample.studio.project.text().startswith("# Welcome")


def test_a_start_after_a_crash_offers_what_was_left(
    open_studio_at: Callable[..., Any], tmp_path: Path, qtbot: Any
) -> None:
    paths = paths_for(tmp_path / "profile")
    store = ProjectStore.untitled(paths)
    store.history.do(ReplaceText(0, "", "Left behind."))
    store.close()
    note = paths.profile / "sessions" / "dead.json"
    note.write_text(json.dumps({"path": str(store.path), "pid": os.getpid(), "started_s": 1.0}), "utf-8")
    running = open_studio_at()
    running.after_show()
    qtbot.waitUntil(lambda: running.window.findChild(RecoveryDialog) is not None, timeout=5_000)
    dialog = running.window.findChild(RecoveryDialog)
    qtbot.waitUntil(dialog.open_button.isEnabled, timeout=5_000)
    assert dialog.isVisible() and "Left behind." in dialog.list.item(0).text()
    dialog.reject()
    again = open_studio_at()  # later means later: it is not asked at every start
    again.after_show()
    qtbot.waitUntil(lambda: not again.studio.tasks.running, timeout=5_000)
    assert again.window.findChild(RecoveryDialog) is None


def test_the_script_comes_back_as_it_was_when_it_was_opened(running: Any, tmp_path: Path, qtbot: Any) -> None:
    with ProjectStore.create(tmp_path / "book.mvs", paths=running.studio.paths) as store:
        store.history.do(ReplaceText(0, "", "As it was.\nSecond."))
    assert running.session.open(store.path)
    qtbot.keyClicks(running.window.script.editor, "Spoiled ")
    assert running.studio.store.flush()
    running.studio.actions.trigger("earlier_versions")
    dialog = running.window.findChild(VersionsDialog)
    qtbot.waitUntil(dialog.restore_button.isEnabled, timeout=5_000)
    assert "4 words" in dialog.list.item(0).text()
    qtbot.mouseClick(dialog.restore_button, Qt.MouseButton.LeftButton)
    assert running.studio.project.text() == "As it was.\nSecond."
    assert running.window.script.editor.document().toPlainText() == "As it was.\nSecond."
    running.studio.actions.trigger("undo")
    assert running.studio.project.text().startswith("Spoiled ")


def test_a_new_project_has_no_earlier_version(running: Any, qtbot: Any) -> None:
    running.studio.actions.trigger("earlier_versions")
    dialog = running.window.findChild(VersionsDialog)
    nothing = dialog.findChild(EmptyState)
    assert not nothing.isVisible(), "it says so before it has looked"
    qtbot.waitUntil(nothing.isVisible, timeout=5_000)
    assert not dialog.restore_button.isEnabled() and not dialog.list.isVisible()


def test_the_list_of_lost_work_does_not_say_that_there_is_none_before_it_has_looked(sample: Any, qtbot: Any) -> None:
    sample.studio.actions.trigger("recover")
    dialog = sample.window.findChild(RecoveryDialog)
    nothing = dialog.findChild(EmptyState)
    assert dialog.isVisible() and not nothing.isVisible() and not dialog.open_button.isEnabled()
    qtbot.waitUntil(nothing.isVisible, timeout=5_000)
    assert not dialog.list.isVisible() and not dialog.open_button.isEnabled()


def test_a_project_on_a_slow_disk_is_left_at_once_and_saved_beside_the_window(
    running: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    with ProjectStore.create(tmp_path / "slow.mvs", paths=running.studio.paths) as store:
        path = store.path
    assert running.session.open(path)
    file, go = running.studio.store._writer.file, threading.Event()
    commit = file.commit
    monkeypatch.setattr(file, "commit", lambda batch, segments: go.wait(20) and commit(batch, segments))
    qtbot.keyClicks(running.window.script.editor, "Last words.")
    running.studio.actions.trigger("new_project")
    assert running.studio.store.path != path and running.studio.project.text() == "" and not go.is_set()
    assert not running.session.open(path) and "still being saved" in running.window.toast.text
    go.set()
    qtbot.waitUntil(lambda: running.session.open(path), timeout=10_000)
    assert running.studio.project.text() == "Last words."


def test_a_project_whose_last_changes_could_not_be_saved_says_where_they_are(
    running: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    with ProjectStore.create(tmp_path / "full.mvs", paths=running.studio.paths) as store:
        path = store.path
    assert running.session.open(path)

    def full(batch: Any, segments: Any) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(running.studio.store._writer.file, "commit", full)
    qtbot.keyClicks(running.window.script.editor, "Last words.")
    running.studio.actions.trigger("new_project")
    qtbot.waitUntil(lambda: "full.mvs could not be saved in it" in running.window.toast.text, timeout=10_000)
    running.studio.actions.trigger("recover")
    dialog = running.window.findChild(RecoveryDialog)
    qtbot.waitUntil(dialog.open_button.isEnabled, timeout=5_000)
    qtbot.mouseClick(dialog.open_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: running.studio.store.path == path, timeout=5_000)
    assert running.studio.project.text() == "Last words."


@pytest.mark.parametrize(("rescued", "said"), [(True, "offered at the next start"), (False, "lose the last changes")])
def test_quitting_while_nothing_can_be_saved_says_what_becomes_of_the_last_changes(
    running: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any, rescued: bool, said: str
) -> None:
    with ProjectStore.create(tmp_path / "full.mvs", paths=running.studio.paths) as store:
        path = store.path
    assert running.session.open(path)
    writer, asked = running.studio.store._writer, []

    def full(batch: Any, segments: Any) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(writer.file, "commit", full)
    if not rescued:
        monkeypatch.setattr(writer._rescue, "write", lambda *_: False)
    monkeypatch.setattr(
        QMessageBox, "warning", lambda *given: asked.append(given[2]) or QMessageBox.StandardButton.Cancel
    )
    qtbot.keyClicks(running.window.script.editor, "Last words.")
    assert not running.window.close() and running.window.isVisible()
    assert "The disk is full" in asked[0] and said in asked[0]


def damage(path: Path) -> None:
    """Spoil the beginning of a project that nobody has open."""
    with path.open("r+b") as file:
        file.write(b"\xff" * 60)


def test_a_damaged_project_is_repaired_in_the_background(
    running: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    with ProjectStore.create(tmp_path / "hurt.mvs", paths=running.studio.paths) as store:
        store.history.do(ReplaceText(0, "", "As it was."))
    damage(store.path)
    threads: list[threading.Thread] = []
    repair, go = store_repair.repair, threading.Event()

    def watched(path: Path, progress: Callable[[float], None]) -> Any:
        threads.append(threading.current_thread())
        assert go.wait(10)
        return repair(path, progress)

    monkeypatch.setattr(store_repair, "repair", watched)
    running.session.open(store.path)
    qtbot.waitUntil(lambda: bool(threads), timeout=5_000)
    qtbot.keyClicks(running.window.script.editor, "Typed meanwhile.")
    assert running.studio.project.text() == "Typed meanwhile." and running.studio.store.path != store.path
    dialog = running.window.findChild(ProgressDialog)
    qtbot.waitUntil(dialog.isVisible, timeout=5_000)
    before = running.studio.store.path
    go.set()
    qtbot.waitUntil(lambda: running.studio.store.path == store.path, timeout=5_000)
    assert running.studio.project.text() == "As it was." and "was kept as hurt (damaged" in running.window.toast.text
    assert threads[0] is not threading.main_thread() and before.exists()


def test_repairing_can_be_cancelled_and_leaves_the_file_as_it_was(
    running: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    with ProjectStore.create(tmp_path / "hurt.mvs", paths=running.studio.paths) as store:
        store.history.do(ReplaceText(0, "", "As it was."))
    damage(store.path)
    spoiled, reached = store.path.read_bytes(), threading.Event()
    salvage = store_repair._salvage

    def slow(source: Any, part: Path, result: Any, end_s: float, share: Any) -> bool:
        while True:
            reached.set()
            share.read(1)
            time.sleep(0.01)

    monkeypatch.setattr(store_repair, "_salvage", slow)
    running.session.open(store.path)
    qtbot.waitUntil(lambda: reached.is_set() and running.window.findChild(ProgressDialog).isVisible(), timeout=5_000)
    running.window.findChild(ProgressDialog).reject()
    qtbot.waitUntil(lambda: not running.studio.tasks.running, timeout=5_000)
    qtbot.waitUntil(lambda: running.window.findChild(ProgressDialog) is None, timeout=5_000)
    assert [each.name for each in tmp_path.glob("*hurt*")] == ["hurt.mvs"] and store.path.read_bytes() == spoiled
    monkeypatch.setattr(store_repair, "_salvage", salvage)
    running.session.open(store.path)
    qtbot.waitUntil(lambda: running.studio.project.text() == "As it was.", timeout=5_000)


def test_what_is_put_away_is_not_offered_again(sample: Any, qtbot: Any) -> None:
    sample.studio.actions.trigger("new_project")
    sample.studio.actions.trigger("recover")
    dialog = sample.window.findChild(RecoveryDialog)
    qtbot.waitUntil(lambda: dialog.list.count() == 1, timeout=5_000)
    qtbot.mouseClick(dialog.discard_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.list.count() == 0, timeout=5_000)
    assert not dialog.open_button.isEnabled()
    dialog.reject()


def test_an_untitled_project_that_nobody_wrote_in_leaves_no_file(running: Any) -> None:
    left = running.studio.store.path
    running.studio.actions.trigger("new_project")
    assert not left.exists()


def speak(running: Any, seconds: float = 0.5) -> None:
    """Give every block a finished take of a quiet tone, as the renderer would."""
    from app.services.programme import is_spoken

    studio = running.studio
    for block in list(studio.project.blocks):
        if not is_spoken(studio.project, block):
            continue
        samples = np.full((int(48_000 * seconds), 2), 0.1, np.float32)
        piece = (PieceAudio(0, len(samples), 0),)
        take = Take(block_id=block.id, text=block.text, state="making", pieces=piece)
        writer = studio.store.begin_take(take)
        writer.append(samples)
        writer.finish(Take(id=take.id, block_id=block.id, text=block.text, state="done", seconds=seconds, pieces=piece))


def test_exporting_shows_what_was_written(running: Any, tmp_path: Path, qtbot: Any) -> None:
    running.window.script.editor.insertPlainText("Good morning.\nGood night.")
    speak(running)
    dialog = running.work.open_export(None)
    dialog.choices.kind.buttons["flac"].click()
    dialog.choices.place.setText(str(tmp_path / "programme.flac"))
    qtbot.mouseClick(dialog._go, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog._task is None, timeout=20_000)
    assert (tmp_path / "programme.flac").stat().st_size > 1000, dialog._outcome.text()
    assert "programme.flac" in dialog._outcome.text()
    dialog.close()


def test_an_export_names_the_lines_that_should_be_listened_to(running: Any, tmp_path: Path, qtbot: Any) -> None:
    running.window.script.editor.insertPlainText("Good morning.\nGood night \u4f60\u597d.")
    speak(running)
    dialog = running.work.open_export(None)
    dialog.choices.place.setText(str(tmp_path / "programme.wav"))
    qtbot.mouseClick(dialog._go, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog._task is None, timeout=20_000)
    told = dialog._outcome.text()
    assert "Listen to 1 line" in told and "line 2" in told and "cannot read" in told and "Good morning" not in told
    dialog.close()


def test_exporting_over_a_file_says_so_before(running: Any, tmp_path: Path) -> None:
    running.window.script.editor.insertPlainText("Good morning.")
    (tmp_path / "kept.wav").write_bytes(b"something else")
    dialog = running.work.open_export(None)
    dialog.choices.place.setText(str(tmp_path / "new.wav"))
    assert dialog.choices.replaced.isHidden()
    dialog.choices.place.setText(str(tmp_path / "kept"))
    assert "kept.wav" in dialog.choices.replaced.text() and not dialog.choices.replaced.isHidden()
    dialog.close()


def test_what_people_wrote_is_shown_as_they_wrote_it(running: Any, tmp_path: Path, qtbot: Any) -> None:
    running.window.script.editor.insertPlainText("<b>not bold</b> is said")
    dialog = running.work.open_export(None)
    dialog.choices.place.setText(str(tmp_path / "none.wav"))
    qtbot.mouseClick(dialog._go, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog._task is None, timeout=20_000)
    assert "&lt;b&gt;not bold" in dialog._outcome.text()
    dialog.close()


def test_an_export_of_lines_without_a_take_names_them_and_writes_nothing(
    running: Any, tmp_path: Path, qtbot: Any
) -> None:
    running.window.script.editor.insertPlainText("Not spoken yet.")
    dialog = running.work.open_export(None)
    dialog.choices.place.setText(str(tmp_path / "none.wav"))
    qtbot.mouseClick(dialog._go, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog._task is None, timeout=20_000)
    assert "Not spoken yet." in dialog._outcome.text()
    assert not list(tmp_path.glob("none*"))
    dialog.close()


def test_the_choices_of_an_export_are_remembered_with_the_project(running: Any, qtbot: Any, tmp_path: Path) -> None:
    running.window.script.editor.insertPlainText("A line.")
    dialog = running.work.open_export(None)
    dialog.choices.kind.buttons["mp3"].click()
    dialog.choices.split.buttons["chapter"].click()
    dialog.choices.keep()
    dialog.close()
    qtbot.wait(20)
    again = running.work.open_export(None)
    assert again.choices.kind.buttons["mp3"].isChecked() and again.choices.split.buttons["chapter"].isChecked()
    asked = again.choices.request(None)
    assert asked.split == "chapter" and asked.audio.kind == "mp3"
    again.close()


def test_everything_that_a_file_can_be_is_chosen_in_the_window(running: Any, tmp_path: Path, qtbot: Any) -> None:
    running.window.script.editor.insertPlainText("# One\nGood morning.\n# Two\nGood night.")
    speak(running)
    cover = tmp_path / "cover.png"
    QImage(8, 8, QImage.Format.Format_RGB32).save(str(cover))
    dialog = running.work.open_export(None)
    choices, more = dialog.choices, dialog.choices.more
    assert not more.names.isEnabled() and not more.cover.isEnabled()  # one WAV file has neither
    choices.kind.buttons["mp3"].click()
    choices.split.buttons["chapter"].click()
    choices.loudness.setCurrentIndex(choices.loudness.findData("acx"))
    more.channels.buttons[1].click()
    more.names.setText("{number:03} {chapter} read")
    more.cover.setText(str(cover))
    more.cues.click()
    more.synthetic.click()
    choices.place.setText(str(tmp_path / "out"))
    qtbot.mouseClick(dialog._go, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog._task is None, timeout=30_000)
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == [
        "001 One read.json", "001 One read.mp3", "002 Two read.json", "002 Two read.mp3",
    ], dialog._outcome.text()  # fmt: skip
    with av.open(str(tmp_path / "out" / "001 One read.mp3")) as file:
        audio = file.streams.audio[0]
        assert (audio.rate, audio.channels, len(file.streams.video)) == (44_100, 1, 1)
        assert not any("synthetic" in value.lower() for value in file.metadata.values())
    dialog.close()
    qtbot.wait(20)
    more = running.work.open_export(None).choices.more
    assert more.channel_count == 1 and more.cues.isChecked() and not more.synthetic.isChecked()
    assert more.template == "{number:03} {chapter} read" and more.cover_file == cover


def test_pronunciations_are_edited_and_can_be_undone(sample: Any, qtbot: Any) -> None:
    dialog = sample.work.open_lexicon("studio")
    dialog.table.item(0, 1).setText("stoo-dee-oh")
    assert sample.studio.project.lexicon == (("studio", "stoo-dee-oh"),)
    assert dialog.table.item(0, 2).text() == "2"
    sample.studio.actions.trigger("undo")
    assert sample.studio.project.lexicon == ()
    dialog.close()


def test_a_key_that_is_taken_moves_only_when_it_is_pressed_again(running: Any) -> None:
    dialog = running.work.open_preferences("shortcuts")
    from app.ui.preferences.shortcuts_page import ID_ROLE, ShortcutsPage

    page = dialog.findChild(ShortcutsPage)
    tree = page.tree
    for row in range(tree.topLevelItemCount()):
        group = tree.topLevelItem(row)
        for child in range(group.childCount()):
            if group.child(child).data(0, ID_ROLE) == "lexicon":
                tree.setCurrentItem(group.child(child))
    page.keys.setKeySequence("Ctrl+P")
    page._set()
    assert "Pause" in page.message.text()
    assert running.studio.actions.keys("insert_pause") == ["Ctrl+P"]
    page._set()
    assert running.studio.actions.keys("lexicon") == ["Ctrl+P"]
    assert running.studio.actions.keys("insert_pause") == []
    dialog.close()


def test_project_settings_in_the_preferences_are_edits(sample: Any) -> None:
    dialog = sample.work.open_preferences("project")
    dialog._set_pause("paragraph_s", 1.25)
    assert sample.studio.project.settings.pauses.paragraph_s == 1.25
    sample.studio.actions.trigger("undo")
    assert sample.studio.project.settings.pauses.paragraph_s == 0.45
    dialog.close()


def leased_keys(running: Any) -> set[str]:
    with closing(sqlite3.connect(running.studio.paths.take_cache / "index.sqlite")) as index:
        return {key for (key,) in index.execute("SELECT key FROM leases")}


def test_takes_of_the_open_project_are_held_in_the_shared_cache_until_another_is_opened(
    open_studio_at: Callable[..., Any], tmp_path: Path, qtbot: Any
) -> None:
    first = open_studio_at()
    key = "a" * 64
    with ProjectStore.create(tmp_path / "held.mvs", paths=first.studio.paths) as store:
        block_id = store.project.blocks[0].id
        store.history.note(PutTake(Take(block_id=block_id, key=key, state="done")))
        store.flush_or_raise()
    first.session.open(tmp_path / "held.mvs")
    qtbot.waitUntil(lambda: leased_keys(first) == {key}, timeout=5_000)
    first.studio.actions.trigger("new_project")
    qtbot.waitUntil(lambda: leased_keys(first) == set(), timeout=5_000)


def test_tidying_the_text_promises_only_what_it_does(running: Any) -> None:
    written = "Dr. Who paid 5 kg on 3/4 -- at last!!"
    pieces = plan_speech(written, FULL_SIZE_CARD, normalise=True).pieces
    assert [piece.text for piece in pieces] == ["Dr. Who paid 5 kg on 3/4. at last!"]
    dialog = running.work.open_preferences("speech")
    box = next(box for box in dialog.findChildren(QCheckBox) if box.text() == "Tidy the text before speaking")
    words = " ".join(label.text() for label in box.parentWidget().findChildren(QLabel)).lower()
    assert "dashes" in words and "repeated marks" in words
    assert "number" not in box.text() + words and "abbreviation" not in box.text() + words
    box.click()
    assert running.studio.project.settings.normalise
    dialog.accept()


def test_how_lines_are_made_is_set_in_the_preferences_and_counts_at_once_and_after_a_restart(
    open_studio_at: Callable[..., Any], qtbot: Any
) -> None:
    first = open_studio_at()
    first.studio.set_card(replace(first.studio.card, continuation=True))
    dialog = first.work.open_preferences("speech")
    boxes = {box.text(): box for box in dialog.findChildren(QCheckBox)}
    qtbot.mouseClick(next(box for words, box in boxes.items() if "goes on" in words), Qt.MouseButton.LeftButton)
    longest = next(each for each in dialog.findChildren(OptionalNumber) if each.accessibleName() == "Longest piece")
    longest.setValue(10)
    seeds = next(each for each in dialog.findChildren(Segments) if "new" in each.buttons)
    qtbot.mouseClick(seeds.buttons["new"], Qt.MouseButton.LeftButton)
    wanted = Habits(continuation=False, longest_piece_s=10.0, fresh_seeds=True)
    qtbot.waitUntil(lambda: first.studio.renderer.states.habits == wanted, timeout=2_000)
    first.window.close()
    first.close()
    assert open_studio_at().studio.renderer.states.habits == wanted


def test_a_piece_may_be_longer_than_usual_where_the_model_allows_it(running: Any) -> None:
    def longest() -> OptionalNumber:
        dialog = running.work.open_preferences("speech")
        return next(each for each in dialog.findChildren(OptionalNumber) if each.accessibleName() == "Longest piece")

    assert longest().maximum() == 15.0 and "15 s" in longest().text()
    running.work.open_preferences("speech").close()
    running.studio.set_card(FULL_SIZE_CARD)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert longest().maximum() == 600.0 and "60 s" in longest().text()
    longest().setValue(300)
    assert running.window.state.longest_piece_s == 300.0
    running.work.open_preferences("speech").close()


def test_compacting_works_in_the_background_and_says_what_it_brought(sample: Any, qtbot: Any) -> None:
    store, threads = sample.studio.store, []
    compact = store.compact

    def watched(progress: Callable[[float], None]) -> Callable[[], Any]:
        rewrite = compact(progress)
        return lambda: (threads.append(threading.current_thread()), rewrite())[1]

    store.compact = watched
    text = sample.studio.project.text()
    sample.studio.actions.trigger("compact")
    qtbot.waitUntil(lambda: "takes" in sample.window.toast.text, timeout=10_000)
    assert threads and threads[0] is not threading.main_thread()
    assert sample.studio.project.text() == text and store.flush()


def test_saving_to_a_slow_disk_leaves_the_window_free(
    running: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    with ProjectStore.create(tmp_path / "named.mvs", paths=running.studio.paths) as store:
        path = store.path
    assert running.session.open(path)
    store, go = running.studio.store, threading.Event()
    flush = store.flush
    monkeypatch.setattr(store, "flush", lambda timeout_s=10.0: go.wait(5) and flush(timeout_s))
    running.studio.actions.trigger("save_project")
    qtbot.keyClicks(running.window.script.editor, "Typed meanwhile.")
    assert not go.is_set() and running.studio.project.text() == "Typed meanwhile."
    go.set()
    qtbot.waitUntil(lambda: "All changes are in named.mvs" in running.window.toast.text, timeout=5_000)


def test_saving_as_can_be_cancelled_and_leaves_everything_as_it_was(
    sample: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    store, reached = sample.studio.store, threading.Event()

    def slow(path: Path, progress: Callable[[float], None]) -> None:
        while True:
            reached.set()
            progress(0.5)
            time.sleep(0.01)

    monkeypatch.setattr(store, "save_as", slow)
    answer_with(monkeypatch, tmp_path / "new.mvs")
    before = store.path
    sample.studio.actions.trigger("save_as")
    qtbot.waitUntil(lambda: reached.is_set() and sample.window.findChild(ProgressDialog).isVisible(), timeout=5_000)
    dialog = sample.window.findChild(ProgressDialog)
    cancel = next(button for button in dialog.findChildren(QPushButton) if button.text() == "Cancel")
    qtbot.mouseClick(cancel, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not dialog.isVisible(), timeout=2_000)
    assert sample.studio.store.path == before and not (tmp_path / "new.mvs").exists()
