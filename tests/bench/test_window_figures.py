"""Figures of the window and the editor: printed, not judged, since machines differ."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
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


class Times:
    """Times of a deed, and what of them this thread computed: the rest is other work on the machine."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._taken: list[tuple[float, float]] = []

    @contextmanager
    def one(self) -> Iterator[None]:
        began = time.perf_counter(), time.thread_time()
        yield
        self.add(time.perf_counter() - began[0], time.thread_time() - began[1])

    def add(self, wall_s: float, own_s: float) -> None:
        self._taken.append((wall_s, own_s))

    def tell(self) -> None:
        figures = []
        for words, at in (("", 0), ("computing ", 1)):
            ordered = sorted(1e3 * each[at] for each in self._taken)
            figures.append(f"{words}median {ordered[len(ordered) // 2]:.1f} ms, worst {ordered[-1]:.1f} ms")
        print(f"\n{self._name}: {'; '.join(figures)}; of {len(self._taken)}")


def test_time_until_the_window_is_shown(tmp_path: Path) -> None:
    code = (
        "import time; t = time.perf_counter(), time.process_time(); from pathlib import Path;"
        "from app.main import make_application, open_studio; from app.paths import paths_for;"
        f"app = make_application(); r = open_studio(paths_for(Path({str(tmp_path)!r})), load_model=False);"
        "r.window.show(); app.processEvents();"
        "print(time.perf_counter() - t[0], time.process_time() - t[1]); r.close()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    times = Times("window shown, Python started")
    wall_s, own_s = map(float, done.stdout.split()[-2:])
    times.add(wall_s, own_s)
    times.tell()


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
    times = Times("5,000 blocks opened")
    with times.one():
        assert running.session.open(path)
        QApplication.processEvents()
    times.tell()
    assert len(running.studio.project.blocks) == 5000
    for name, row in (("beginning", 1), ("middle", 2501), ("end", 4999)):
        editor.select_block(running.studio.project.blocks[row].id)
        qtbot.wait(300)
        times = Times(f"keystroke at the {name}")
        for _ in range(40):
            with times.one():
                QTest.keyClick(editor, Qt.Key.Key_X)
                QApplication.processEvents()
        times.tell()
    times = Times("scroll and repaint")
    for value in range(0, editor.verticalScrollBar().maximum(), 4000):
        with times.one():
            editor.verticalScrollBar().setValue(value)
            editor.viewport().repaint()
            editor.gutter.repaint()
    times.tell()
    running.close()
    window.close()
    # A window that stays would draw its 5,000 blocks anew at the start of each later test.
    window.deleteLater()
    running.studio.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
