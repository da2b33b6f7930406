"""A studio with a fresh profile, shown, without a model unless a test brings one."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QTranslator, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.main import Running, make_application
from app.paths import paths_for, resource


@pytest.fixture(scope="session")
def qapp() -> QApplication:
    return make_application()


@pytest.fixture
def open_studio_at(qtbot: Any, tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """Opens studios that are closed at the end of the test; the profile is the same each time."""
    opened: list[Running] = []

    def open_(project: Path | None = None, **settings: Any) -> Running:
        running = Running(paths_for(tmp_path / "profile"), project, load_model=False)
        running.window.resize(1280, 800)
        running.window.show()
        qtbot.waitExposed(running.window)
        running.window.activateWindow()
        running.window.script.editor.setFocus()
        QApplication.processEvents()
        opened.append(running)
        return running

    yield open_
    for running in opened:
        running.window.set_close_guard(lambda: True)
        running.window.close()
        running.close()
        running.window.deleteLater()
        running.studio.deleteLater()
    # The offscreen platform's clipboard outlives Python: it must not hold an object of ours at the end.
    QApplication.clipboard().setText("")
    QApplication.processEvents()
    # Without an event loop of its own Qt would keep the windows until the process ends.
    opened.clear()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()  # on this thread, as the studio does


@pytest.fixture
def running(open_studio_at: Callable[..., Running]) -> Running:
    return open_studio_at()


@pytest.fixture
def sample(running: Running, qtbot: Any) -> Running:
    """The sample project, opened as a person does."""
    running.studio.actions.trigger("open_sample")
    QApplication.processEvents()
    return running


def drop(target: QWidget, mime: QMimeData, at: QPoint) -> bool:
    """Drag over a widget and drop there; whether the drop was accepted."""
    actions, buttons, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(at, actions, mime, buttons, none)
    QApplication.sendEvent(target, enter)
    move = QDragMoveEvent(at, actions, mime, buttons, none)
    QApplication.sendEvent(target, move)
    event = QDropEvent(QPointF(at), actions, mime, buttons, none)
    QApplication.sendEvent(target, event)
    QApplication.processEvents()
    return event.isAccepted()


@pytest.fixture
def drop_on() -> Callable[[QWidget, QMimeData, QPoint], bool]:
    return drop


@pytest.fixture
def files_mime() -> Callable[..., QMimeData]:
    def make(*paths: Path) -> QMimeData:
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
        return mime

    return make


@pytest.fixture
def chinese(qapp: Any) -> Iterator[QTranslator]:
    translator = QTranslator()
    assert translator.load(str(resource("translations", "studio_zh_CN.qm")))
    qapp.installTranslator(translator)
    yield translator
    qapp.removeTranslator(translator)
