"""Thousands of lines are replaced and put back while the window lives on, and what a person does meanwhile counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.model.commands import ReplaceText

LINES = 3_000


@pytest.fixture
def book(running: Any, qtbot: Any) -> Any:
    text = "\n".join(f"Line {number} of many 🦊 lines." for number in range(LINES))
    running.studio.history.do(ReplaceText(0, "", text))
    running.studio.actions.trigger("replace")
    bar = running.window.script.find_bar
    bar.wanted.setText("many")
    bar.replacement.setText("a good 𝒃ook of")
    qtbot.waitUntil(lambda: len(bar._matches) == LINES)
    return running


def texts(running: Any) -> tuple[str, str]:
    return running.studio.project.text(), running.window.script.editor.toPlainText()


def test_a_book_is_replaced_in_slices_as_one_step(book: Any, qtbot: Any) -> None:
    studio, script = book.studio, book.window.script
    before, ids = studio.project.text(), [block.id for block in studio.project.blocks]
    after = before.replace("many", "a good 𝒃ook of")
    steps = len(studio.history.steps)
    assert script.find_bar.replace_all() == LINES
    qtbot.waitUntil(lambda: studio.project.text() != before)
    assert script.long_steps.busy and studio.project.text() != after
    qtbot.waitUntil(lambda: not script.long_steps.busy, timeout=20_000)
    assert texts(book) == (after, after) and [block.id for block in studio.project.blocks] == ids
    assert len(studio.history.steps) == steps + 1 and f"{LINES} replaced" in book.window.toast.text
    studio.actions.trigger("undo")
    assert script.long_steps.busy
    qtbot.waitUntil(lambda: not script.long_steps.busy, timeout=20_000)
    assert texts(book) == (before, before)
    for key in (Qt.Key.Key_Y, Qt.Key.Key_Z, Qt.Key.Key_Y):  # faster than it is done
        QTest.keyClick(script.editor, key, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: not script.long_steps.busy, timeout=20_000)
    assert texts(book) == (after, after) and [block.id for block in studio.project.blocks] == ids


def test_what_is_typed_meanwhile_is_in_its_place_and_is_a_step_of_its_own(book: Any, qtbot: Any) -> None:
    studio, script, editor = book.studio, book.window.script, book.window.script.editor
    before = studio.project.text()
    after = before.replace("many", "a good 𝒃ook of")
    row = LINES - 20
    editor.select_block(studio.project.blocks[row].id)
    editor.setFocus()
    script.find_bar.replace_all()
    assert script.long_steps.busy
    QTest.keyClick(editor, Qt.Key.Key_X)
    typed = after.replace(f"Line {row} ", f"xLine {row} ")
    assert not script.long_steps.busy and texts(book) == (typed, typed)
    studio.history.undo()
    assert texts(book) == (after, after)
    studio.history.undo()
    assert texts(book) == (before, before)


def test_a_paste_meanwhile_finds_the_text_as_it_will_be(book: Any, qtbot: Any) -> None:
    studio, script, editor = book.studio, book.window.script, book.window.script.editor
    after = studio.project.text().replace("many", "a good 𝒃ook of")
    editor.moveCursor(editor.textCursor().MoveOperation.End)
    editor.setFocus()
    QApplication.clipboard().setText("At the end.")
    script.find_bar.replace_all()
    assert script.long_steps.busy
    QTest.keyClick(editor, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert texts(book) == (after + "At the end.",) * 2


def test_a_book_is_pasted_in_slices_and_a_key_meanwhile_comes_behind_it(book: Any, qtbot: Any) -> None:
    studio, script, editor = book.studio, book.window.script, book.window.script.editor
    script.find_bar.close_bar()
    before = studio.project.text()
    editor.selectAll()
    editor.copy()
    editor.moveCursor(editor.textCursor().MoveOperation.End)
    editor.setFocus()
    editor.paste()
    assert script.long_steps.busy and len(studio.project.blocks) < 2 * LINES - 1
    QTest.keyClick(editor, Qt.Key.Key_X)
    assert texts(book) == (before + before + "x",) * 2
    assert len({block.id for block in studio.project.blocks}) == 2 * LINES - 1
    studio.history.undo()
    studio.actions.trigger("undo")
    qtbot.waitUntil(lambda: not script.long_steps.busy, timeout=20_000)
    assert texts(book) == (before, before)
    editor.selectAll()
    QTest.keyClick(editor, Qt.Key.Key_Delete)
    assert texts(book) == ("", "")
    studio.actions.trigger("undo")
    assert script.long_steps.busy
    qtbot.waitUntil(lambda: not script.long_steps.busy, timeout=20_000)
    assert texts(book) == (before, before)


def test_nothing_is_lost_where_another_project_is_opened_meanwhile(book: Any, qtbot: Any) -> None:
    studio, script = book.studio, book.window.script
    after = studio.project.text().replace("many", "a good 𝒃ook of")
    path = studio.store.path
    script.find_bar.replace_all()
    assert script.long_steps.busy
    book.session.new()
    qtbot.waitUntil(lambda: not script.long_steps.busy)
    assert studio.project.text() == "" == script.editor.toPlainText()
    assert book.session.open(path)
    assert texts(book) == (after, after)


def test_nothing_is_lost_where_the_studio_ends_meanwhile(
    book: Any, open_studio_at: Callable[..., Any], qtbot: Any
) -> None:
    after = book.studio.project.text().replace("many", "a good 𝒃ook of")
    path = book.studio.store.path
    book.window.script.find_bar.replace_all()
    assert book.window.script.long_steps.busy
    book.window.hide()
    book.close()
    again = open_studio_at()
    assert again.session.open(path)
    assert texts(again) == (after, after)


def test_a_pill_that_is_dragged_meanwhile_is_the_one_that_changes(book: Any, qtbot: Any) -> None:
    studio, script, editor = book.studio, book.window.script, book.window.script.editor
    studio.history.do(ReplaceText(studio.project.characters, "", "\nWait. [pause 1.0s] Go on."))
    qtbot.waitUntil(lambda: not script.find_bar._search_soon._timer.isActive())
    after = studio.project.text().replace("many", "a good 𝒃ook of")
    editor.moveCursor(editor.textCursor().MoveOperation.End)
    editor.viewport().repaint()
    view, at = editor.viewport(), editor.painting.pills[-1].rect.center().toPoint()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    told: list[str] = []
    studio.notice.connect(lambda level, _: told.append(level))
    script.find_bar.replace_all()
    qtbot.waitUntil(lambda: "𝒃ook" in studio.project.text())
    assert script.long_steps.busy
    for step in range(1, 5):
        QTest.mouseMove(view, at + QPoint(15 * step, 0))
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at + QPoint(60, 0))
    wanted = after.replace("[pause 1.0s]", "[pause 2.0s]")
    assert texts(book) == (wanted, wanted) and "error" not in told
