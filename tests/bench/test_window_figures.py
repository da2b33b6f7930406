"""Figures of the window and the editor: printed, not judged, since machines differ."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.main import Running, make_application
from app.model.commands import ReplaceText
from app.paths import paths_for

pytestmark = pytest.mark.bench


@pytest.fixture(scope="session")
def qapp() -> QApplication:
    return make_application()


def book() -> str:
    """5,000 blocks, 50,000 words, chapters and pauses in between."""
    lines = []
    for number in range(5000):
        if number % 100 == 0:
            lines.append(f"# Chapter {number // 100 + 1}")
        else:
            lines.append(f"This is line {number} of a long book, ten words [pause 0.5s] more.")
    return "\n".join(lines)


def tell(name: str, seconds: list[float]) -> None:
    ordered = sorted(seconds)
    middle, worst = ordered[len(ordered) // 2] * 1e3, ordered[-1] * 1e3
    print(f"\n{name}: median {middle:.1f} ms, worst {worst:.1f} ms of {len(ordered)}")


def test_time_until_the_window_is_shown(tmp_path: Path) -> None:
    code = (
        "import time; t = time.perf_counter(); from pathlib import Path;"
        "from app.main import make_application, open_studio; from app.paths import paths_for;"
        f"app = make_application(); r = open_studio(paths_for(Path({str(tmp_path)!r})), load_model=False);"
        "r.window.show(); app.processEvents(); print(time.perf_counter() - t); r.close()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    tell("window shown, Python started", [float(done.stdout.split()[-1])])


def test_a_book_opens_and_takes_keys(qapp: QApplication, tmp_path: Path, qtbot: Any) -> None:
    running = Running(paths_for(tmp_path), None, load_model=False)
    window, editor = running.window, running.window.script.editor
    window.resize(1440, 900)
    window.show()
    qtbot.waitExposed(window)
    editor.setFocus()
    running.studio.do(ReplaceText(0, "", book()))
    running.studio.store.flush()
    path = running.studio.store.path
    running.session.new()
    begun = time.perf_counter()
    assert running.session.open(path)
    QApplication.processEvents()
    tell("5,000 blocks opened", [time.perf_counter() - begun])
    assert len(running.studio.project.blocks) == 5000
    for name, row in (("beginning", 1), ("middle", 2501), ("end", 4999)):
        editor.select_block(running.studio.project.blocks[row].id)
        qtbot.wait(300)
        times = []
        for _ in range(40):
            begun = time.perf_counter()
            QTest.keyClick(editor, Qt.Key.Key_X)
            QApplication.processEvents()
            times.append(time.perf_counter() - begun)
        tell(f"keystroke at the {name}", times)
    times = []
    for value in range(0, editor.verticalScrollBar().maximum(), 4000):
        begun = time.perf_counter()
        editor.verticalScrollBar().setValue(value)
        editor.viewport().repaint()
        editor.gutter.repaint()
        times.append(time.perf_counter() - begun)
    tell("scroll and repaint", times)
    running.close()
    window.close()
    # A window that stays would draw its 5,000 blocks anew at the start of each later test.
    window.deleteLater()
    running.studio.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
