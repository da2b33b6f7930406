"""Leaving and coming back: the caret and the scroll position return, and a signal ends the program cleanly."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication

from app.main import Running
from app.model.commands import ReplaceText
from app.paths import paths_for
from app.services.store import ProjectStore
from app.services.store_lock import ProjectLockedError
from app.ui.window_state import Place


def settle(qtbot: Any) -> None:
    for _ in range(5):
        QApplication.processEvents()
    qtbot.wait(250)


def close(running: Running) -> None:
    running.window.set_close_guard(lambda: True)
    running.window.close()
    running.close()


def top_line(running: Running) -> str:
    return running.window.script.editor.cursorForPosition(QPoint(300, 0)).block().text()


def test_caret_and_scroll_position_come_back_after_a_restart(
    open_studio_at: Callable[..., Running], qtbot: Any
) -> None:
    running = open_studio_at()
    lines = [f"Line {number} 😀 of a long script." for number in range(400)]
    running.studio.history.do(ReplaceText(0, "", "\n".join(lines)))
    editor = running.window.script.editor
    editor.select_block(running.studio.project.blocks[203].id)
    cursor = editor.textCursor()
    cursor.setPosition(cursor.position() + 11)
    editor.setTextCursor(cursor)
    editor.verticalScrollBar().setValue(editor.verticalScrollBar().value() + 37)
    settle(qtbot)
    place, scroll, top = editor.textCursor().position(), editor.verticalScrollBar().value(), top_line(running)
    close(running)
    again = open_studio_at()
    settle(qtbot)
    editor = again.window.script.editor
    assert editor.textCursor().position() == place
    assert abs(editor.verticalScrollBar().value() - scroll) <= 2 and top_line(again) == top
    assert again.studio.current_block == again.studio.project.blocks[203].id
    qtbot.keyClick(editor, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot)
    assert editor.verticalScrollBar().value() < 40  # and then the person goes where they like


def test_each_project_has_a_place_of_its_own(running: Running, qtbot: Any, tmp_path: Path) -> None:
    running.studio.history.do(ReplaceText(0, "", "\n".join(f"Line {number}." for number in range(100))))
    first = running.studio.store.path
    running.window.script.editor.select_block(running.studio.project.blocks[60].id)
    settle(qtbot)
    running.studio.actions.trigger("new_project")
    running.studio.history.do(ReplaceText(0, "", "Another script."))
    settle(qtbot)
    assert running.window.script.editor.textCursor().blockNumber() == 0
    running.session.open(first)
    settle(qtbot)
    assert running.window.script.editor.textCursor().blockNumber() == 60


def test_a_project_that_waits_to_be_saved_is_saved_when_the_program_ends(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All threads are busy with something else, so its turn does not come before the end."""
    with ProjectStore.create(tmp_path / "far.mvs", paths=running.studio.paths) as store:
        path = store.path
    assert running.session.open(path)

    def busy(task: Any) -> None:
        end_s = time.monotonic() + 20
        while not task.is_cancelled and time.monotonic() < end_s:
            time.sleep(0.01)
        time.sleep(0.3)

    for _ in range(3):
        running.studio.tasks.run(busy)
    monkeypatch.setattr(ProjectStore, "is_far", property(lambda _: True))
    running.session.new()
    with pytest.raises(ProjectLockedError):
        ProjectStore.open(path, paths=paths_for(tmp_path / "other"))
    close(running)
    with ProjectStore.open(path, paths=paths_for(tmp_path / "other")) as again:
        assert not again.read_only


def test_a_project_that_fails_when_it_is_left_can_be_opened_again(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    with ProjectStore.create(tmp_path / "far.mvs", paths=running.studio.paths) as store:
        path = store.path
    assert running.session.open(path)
    close_ = ProjectStore.close

    def fail(store: ProjectStore) -> bool:
        close_(store)
        raise OSError("the network is gone")

    with monkeypatch.context() as patched:
        patched.setattr(ProjectStore, "is_far", property(lambda _: True))
        patched.setattr(ProjectStore, "close", fail)
        running.session.new()
        qtbot.waitUntil(lambda: "far.mvs could not be saved in it" in running.window.toast.text, timeout=10_000)
    assert running.session.open(path)


def test_a_place_that_is_gone_or_cannot_be_read_is_the_beginning(running: Running, qtbot: Any) -> None:
    state = running.window.state
    state.keep_place("here", Place("gone", 5, "gone", 0))
    assert state.place("here") == Place("gone", 5, "gone", 0)
    state.shared.change("window", value={**state.shared.window, "places": '{"here": [1], "there": 5}'})
    assert state.place("here") is None and state.place("there") is None and state.place("nowhere") is None
    state.shared.change("window", value={**state.shared.window, "places": "no JSON"})
    assert state.place("here") is None
    state.keep_place("here", Place("a", 1, "b", 2))
    assert state.place("here") == Place("a", 1, "b", 2)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_program_with_everything_saved_and_the_project_free(tmp_path: Path, number: int) -> None:
    """The whole program in a process of its own, with a dialog open that waits for an answer."""
    script = tmp_path / "run.py"
    script.write_text(
        "import sys\n"
        "from PySide6.QtCore import QTimer\n"
        "from PySide6.QtWidgets import QMessageBox\n"
        "import app.main as main\n"
        "from app.model.commands import ReplaceText\n"
        "open_studio = main.open_studio\n"
        "def opened(*given, **more):\n"
        "    running = open_studio(*given, load_model=False)\n"
        "    def write():\n"
        "        running.studio.history.do(ReplaceText(0, '', 'Written just before the end.'))\n"
        "        print(running.studio.store.path, flush=True)\n"
        "        QMessageBox(running.window).exec()\n"
        "    QTimer.singleShot(300, write)\n"
        "    return running\n"
        "main.open_studio = opened\n"
        "sys.exit(main.main(['--profile', sys.argv[1]]))\n",
        "utf-8",
    )
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "profile")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
    ) as process:  # fmt: skip
        assert process.stdout is not None and process.stderr is not None
        path = Path(process.stdout.readline().strip())
        time.sleep(0.1)
        process.send_signal(number)
        try:
            assert process.wait(30) == 0, process.stderr.read()
        finally:
            process.kill()
    with sqlite3.connect(path) as connection:
        assert "Written just before the end." in [row[0] for row in connection.execute("SELECT text FROM blocks")]
    assert not [each for each in path.parent.iterdir() if each.name.startswith(path.name) and each != path]
