"""Whatever is closed gives the keyboard back to where it was, or to the script."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QToolButton


def has_keyboard(running: Any, widget: Any) -> bool:
    QApplication.processEvents()
    return running.window.focusWidget() is widget


@pytest.mark.parametrize("region", ["voices", "outline", "inspector", "waveform"])
def test_a_closed_dock_gives_the_keyboard_to_the_script(sample: Any, qtbot: Any, region: str) -> None:
    window = sample.window
    dock = window.docks[region]
    close = next(each for each in dock.findChildren(QToolButton) if each.accessibleName().startswith("Close"))
    close.setFocus()
    assert has_keyboard(sample, close)
    qtbot.keyClick(close, Qt.Key.Key_Space)
    assert not dock.isVisible() and has_keyboard(sample, window.script.editor)


def test_a_dock_that_is_closed_by_its_key_leaves_the_keyboard_where_it_is(sample: Any) -> None:
    window = sample.window
    name = window.docks["inspector"].content.length.mode.buttons["natural"]
    name.setFocus()
    window.docks["voices"].toggleViewAction().trigger()
    assert not window.docks["voices"].isVisible() and has_keyboard(sample, name)


def test_a_closed_message_gives_the_keyboard_to_the_script(sample: Any, qtbot: Any) -> None:
    toast = sample.window.toast
    sample.studio.say("error", "The disk is full.")
    toast._close.setFocus()
    qtbot.keyClick(toast._close, Qt.Key.Key_Space)
    assert not toast.isVisible() and has_keyboard(sample, sample.window.script.editor)


def test_the_palette_leaves_the_keyboard_where_it_was(sample: Any, qtbot: Any) -> None:
    voices = sample.window.docks["voices"].content.list
    voices.setFocus()
    palette = sample.window.open_palette()
    qtbot.keyClick(palette.field, Qt.Key.Key_Escape)
    assert has_keyboard(sample, voices)
    palette = sample.window.open_palette()
    qtbot.keyClicks(palette.field, "light")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert has_keyboard(sample, voices)


@pytest.mark.parametrize("deed", ["find", "replace"])
def test_the_find_bar_gives_the_keyboard_to_the_script(sample: Any, qtbot: Any, deed: str) -> None:
    sample.window.docks["voices"].content.list.setFocus()
    sample.studio.actions.trigger(deed)
    qtbot.keyClick(sample.window.script.find_bar.wanted, Qt.Key.Key_Escape)
    assert has_keyboard(sample, sample.window.script.editor)


@pytest.mark.parametrize("deed", ["preferences", "lexicon", "export", "models", "about"])
def test_a_closed_dialog_leaves_the_keyboard_where_it_was(sample: Any, qtbot: Any, deed: str) -> None:
    voices = sample.window.docks["voices"].content.list
    voices.setFocus()
    qtbot.waitUntil(sample.studio.actions.action(deed).isEnabled)
    sample.studio.actions.trigger(deed)
    qtbot.waitUntil(lambda: QApplication.activeWindow() not in (None, sample.window))
    dialog = QApplication.activeWindow()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert has_keyboard(sample, voices)
