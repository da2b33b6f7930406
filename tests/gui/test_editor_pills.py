"""Pauses as pills: inserted with a key, dragged longer, edited in their popup, removed as one thing."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QTextLine
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.model.commands import ReplaceText
from app.ui.editor.pills import PausePopup, pills_of
from app.ui.editor.styling import pill_width


@pytest.fixture
def editor(running: Any, qtbot: Any) -> Any:
    found = running.window.script.editor
    found.insertPlainText("Wait here. [pause 1.0s] Go on.")
    found.moveCursor(found.textCursor().MoveOperation.Start)
    found.viewport().repaint()
    return found


def centre(editor: Any) -> QPoint:
    editor.viewport().repaint()
    return editor.painting.pills[0].rect.center().toPoint()


def press_and_move(editor: Any, start: QPoint, distance: int) -> None:
    view = editor.viewport()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start)
    for step in range(1, 5):
        QTest.mouseMove(view, start + QPoint(distance * step // 4, 0))
        QApplication.processEvents()
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start + QPoint(distance, 0))


def test_the_pause_key_inserts_a_pause_between_spaces(running: Any, qtbot: Any) -> None:
    editor = running.window.script.editor
    qtbot.keyClicks(editor, "One")
    qtbot.keyClick(editor, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(editor, " two")
    assert running.studio.project.text() == "One [pause 0.5s] two"


def test_dragging_a_pill_makes_the_pause_longer_in_one_step(editor: Any, running: Any) -> None:
    press_and_move(editor, centre(editor), 60)
    assert running.studio.project.text() == "Wait here. [pause 2.0s] Go on."
    running.studio.actions.trigger("undo")
    assert running.studio.project.text() == "Wait here. [pause 1.0s] Go on."


def test_dragging_to_the_left_never_goes_below_a_tenth(editor: Any, running: Any) -> None:
    press_and_move(editor, centre(editor), -400)
    assert "[pause 0.1s]" in running.studio.project.text()


def test_a_click_opens_the_popup_and_typing_changes_the_pause(editor: Any, running: Any, qtbot: Any) -> None:
    QTest.mouseClick(editor.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, centre(editor))
    popup = editor.findChild(PausePopup)
    assert popup is not None
    qtbot.keyClicks(popup.spin, "2.5")
    qtbot.keyClick(popup.spin, Qt.Key.Key_Return)
    assert running.studio.project.text() == "Wait here. [pause 2.5s] Go on."


def test_the_pause_key_on_a_pause_edits_it_instead(editor: Any, running: Any, qtbot: Any) -> None:
    cursor = editor.textCursor()
    cursor.setPosition(15)
    editor.setTextCursor(cursor)
    qtbot.keyClick(editor, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    popup = editor.findChild(PausePopup)
    assert popup is not None and popup.spin.value() == 1.0
    popup.close()
    assert running.studio.project.text().count("[pause") == 1


def test_backspace_behind_a_pill_removes_it_whole(editor: Any, running: Any, qtbot: Any) -> None:
    cursor = editor.textCursor()
    cursor.setPosition(len("Wait here. [pause 1.0s]"))
    editor.setTextCursor(cursor)
    qtbot.keyClick(editor, Qt.Key.Key_Backspace)
    assert running.studio.project.text() == "Wait here.  Go on."


def test_the_text_under_a_pill_is_the_literal_tag(editor: Any, running: Any) -> None:
    running.studio.actions.trigger("select_all")
    running.studio.actions.trigger("copy")
    assert QApplication.clipboard().text() == "Wait here. [pause 1.0s] Go on."


def test_a_pill_is_seen_and_gives_way_to_its_letters_when_the_caret_is_inside(editor: Any) -> None:
    at = centre(editor)
    with_pill = editor.viewport().grab().toImage()
    cursor = editor.textCursor()
    cursor.setPosition(15)
    editor.setTextCursor(cursor)
    QApplication.processEvents()
    opened = editor.viewport().grab().toImage()
    area = [(at.x() + dx, at.y() + dy) for dx in range(-30, 31, 2) for dy in range(-9, 10, 2)]
    assert any(with_pill.pixel(*each) != opened.pixel(*each) for each in area)


def test_a_pronunciation_is_wrapped_around_the_word_at_the_caret(running: Any, qtbot: Any) -> None:
    editor = running.window.script.editor
    qtbot.keyClicks(editor, "Leif came")
    cursor = editor.textCursor()
    cursor.setPosition(2)
    editor.setTextCursor(cursor)
    running.studio.actions.trigger("insert_pronunciation")
    assert running.studio.project.text() == "[Leif=>Leif] came"
    qtbot.keyClicks(editor, "layf")
    assert running.studio.project.text() == "[Leif=>layf] came"


def test_a_pill_is_never_broken_at_the_end_of_a_line(running: Any) -> None:
    editor = running.window.script.editor
    filled = "Words that fill the line " * 3
    lines = [f"{filled}{'x' * number} [pause 1.5s] and more [Leif E=>layf e]" for number in range(40)]
    running.studio.history.do(ReplaceText(0, "", "\n".join(lines)))
    QApplication.processEvents()
    wraps = set()
    for number in range(len(lines)):
        block = editor.document().findBlockByNumber(number)
        for pill in pills_of(block, (0.0, 0.0)):
            first = block.layout().lineForTextPosition(pill.tag.start)
            last = block.layout().lineForTextPosition(pill.tag.end - 1)
            assert first.lineNumber() == last.lineNumber()
            assert abs(pill.rect.width() - pill_width(pill.tag)) < 3
            assert pill.rect.right() <= editor.viewport().width()
            wraps.add(first.lineNumber())
    assert len(wraps) > 1


@pytest.mark.parametrize("key", [Qt.Key.Key_Right, Qt.Key.Key_Left])
def test_selecting_with_the_keyboard_takes_a_pill_whole(editor: Any, qtbot: Any, key: Qt.Key) -> None:
    start, end = len("Wait here. "), len("Wait here. [pause 1.0s]")
    cursor = editor.textCursor()
    cursor.setPosition(start if key == Qt.Key.Key_Right else end)
    editor.setTextCursor(cursor)
    qtbot.keyClick(editor, key, Qt.KeyboardModifier.ShiftModifier)
    assert editor.textCursor().selectedText() == "[pause 1.0s]"


def test_a_mouse_selection_that_ends_on_a_pill_takes_it_whole_or_not_at_all(editor: Any, running: Any) -> None:
    view, at = editor.viewport(), centre(editor)
    start = editor.cursorRect().center()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start)
    seen = set()
    for x in range(at.x() - 60, at.x() + 31, 2):
        move = QMouseEvent(
            QEvent.Type.MouseMove, QPointF(x, at.y()), QPointF(x, at.y()), Qt.MouseButton.NoButton,
            Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier,
        )  # fmt: skip
        QApplication.sendEvent(view, move)
        seen.add(editor.textCursor().selectedText())
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at + QPoint(30, 0))
    assert "Wait here. [pause 1.0s]" in seen and not any("[" in each and "]" not in each for each in seen)


def test_letters_of_a_tag_that_is_open_can_be_selected(editor: Any, qtbot: Any) -> None:
    cursor = editor.textCursor()
    cursor.setPosition(len("Wait here. [pause "))
    editor.setTextCursor(cursor)
    qtbot.keyClick(editor, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert editor.textCursor().selectedText() == "1"


@pytest.mark.parametrize(
    "text", ["שלום עולם Moss 4B [pause 0.5s] טוב.", "مرحبا Moss [pause 2s] 4B نعم.", "Hello [pause 1s] there."]
)
def test_a_pill_covers_no_words_also_where_lines_run_both_ways(running: Any, qtbot: Any, text: str) -> None:
    editor = running.window.script.editor
    running.studio.do(ReplaceText(0, "", text + "\nlast"))
    QTest.keyClick(editor, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    block = editor.document().firstBlock()
    qtbot.waitUntil(lambda: block.layout().lineCount() == 1)
    (pill,) = pills_of(block, (0.0, 0.0))
    assert pill.rect.width() == pytest.approx(pill_width(pill.tag), abs=2.0)
    line = block.layout().lineAt(0)
    for at, letter in enumerate(block.text()):
        if letter.isalnum() and not pill.tag.start <= at < pill.tag.end:
            edges = line.cursorToX(at)[0], line.cursorToX(at, QTextLine.Edge.Trailing)[0]
            assert max(edges) <= pill.rect.left() + 1 or min(edges) >= pill.rect.right() - 1, letter


def test_a_pill_of_a_text_that_changed_since_it_was_painted_is_not_taken_for_another(running: Any, qtbot: Any) -> None:
    studio, editor = running.studio, running.window.script.editor
    studio.history.do(ReplaceText(0, "", "\n".join(f"[pause {number}.0s] Line." for number in range(1, 8))))
    editor.viewport().repaint()
    last, third = (editor.painting.pills[at].rect.center().toPoint() for at in (-1, 2))
    studio.history.do(ReplaceText(0, studio.project.text_between(0, studio.project.start_of(1)), ""))
    press = (editor.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    QTest.mouseClick(*press, last)  # nothing is there any more
    assert QApplication.activePopupWidget() is None
    studio.history.do(ReplaceText(0, studio.project.text_between(0, studio.project.start_of(1)), ""))
    QTest.mousePress(*press, third)
    QTest.mouseMove(editor.viewport(), third + QPoint(6, 0))
    QTest.mouseRelease(*press, third + QPoint(6, 0))
    assert "[pause 5.1s]" in studio.project.text()  # the one that stands there now
