"""Blocks as a person handles them: selected beside the text, given voices by dropping, told to screen readers."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.ui.dropping import voice_mime


def row_point(editor: Any, row: int) -> QPoint:
    rect = next(rect for number, rect in editor.rows.visible() if number == row)
    return QPoint(40, int(rect.center().y()))


def click(editor: Any, row: int, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.mouseClick(editor.gutter, Qt.MouseButton.LeftButton, modifier, row_point(editor, row))


def ids(sample: Any, *rows: int) -> tuple[str, ...]:
    return tuple(sample.studio.project.blocks[row].id for row in rows)


def test_gutter_clicks_select_one_a_range_and_single_more(sample: Any) -> None:
    editor = sample.window.script.editor
    click(editor, 2)
    assert sample.studio.selection == ids(sample, 2)
    click(editor, 4, Qt.KeyboardModifier.ShiftModifier)
    assert sample.studio.selection == ids(sample, 2, 3, 4)
    click(editor, 7, Qt.KeyboardModifier.ControlModifier)
    assert sample.studio.selection == ids(sample, 2, 3, 4, 7)
    click(editor, 3, Qt.KeyboardModifier.ControlModifier)
    assert sample.studio.selection == ids(sample, 2, 4, 7)


def test_a_text_selection_selects_its_blocks_and_the_caret_its_own(sample: Any) -> None:
    editor = sample.window.script.editor
    document = editor.document()
    cursor = editor.textCursor()
    cursor.setPosition(document.findBlockByNumber(2).position() + 4)
    cursor.setPosition(document.findBlockByNumber(4).position() + 2, QTextCursor.MoveMode.KeepAnchor)
    editor.setTextCursor(cursor)
    assert sample.studio.selection == ids(sample, 2, 3, 4)
    cursor.clearSelection()
    editor.setTextCursor(cursor)
    assert sample.studio.selection == ids(sample, 4)
    assert sample.studio.current_block == ids(sample, 4)[0]


def test_a_selection_that_ends_at_the_start_of_a_line_leaves_that_line_out(sample: Any) -> None:
    editor = sample.window.script.editor
    document = editor.document()
    cursor = editor.textCursor()
    cursor.setPosition(document.findBlockByNumber(2).position())
    cursor.setPosition(document.findBlockByNumber(3).position(), QTextCursor.MoveMode.KeepAnchor)
    editor.setTextCursor(cursor)
    assert sample.studio.selection == ids(sample, 2)


def test_typing_ends_a_selection_made_in_the_gutter(sample: Any, qtbot: Any) -> None:
    editor = sample.window.script.editor
    click(editor, 2)
    click(editor, 5, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(editor, "x")
    assert len(sample.studio.selection) == 1


def other_voice(sample: Any, name: str = "Kumo") -> Any:
    return sample.studio.library.find(name)


def test_a_voice_dropped_on_a_line_speaks_that_line_only(sample: Any, drop_on: Any) -> None:
    editor = sample.window.script.editor
    voice = other_voice(sample)
    drop_on(editor.viewport(), voice_mime(voice.id, voice.name), row_point(editor, 3))
    blocks = sample.studio.project.blocks
    assert [block.settings.voice == voice.id for block in blocks].count(True) == 1
    assert blocks[3].settings.voice == voice.id
    assert voice.id in sample.studio.project.voices
    sample.studio.actions.trigger("undo")
    assert sample.studio.project.blocks[3].settings.voice != voice.id
    assert voice.id not in sample.studio.project.voices


def test_a_voice_dropped_on_the_gutter_of_a_selection_speaks_all_of_it(sample: Any, drop_on: Any) -> None:
    editor = sample.window.script.editor
    voice = other_voice(sample)
    click(editor, 2)
    click(editor, 4, Qt.KeyboardModifier.ShiftModifier)
    drop_on(editor.gutter, voice_mime(voice.id, voice.name), row_point(editor, 3))
    assert [sample.studio.project.blocks[row].settings.voice for row in (2, 3, 4)] == [voice.id] * 3
    assert sample.studio.project.blocks[5].settings.voice != voice.id


def test_a_voice_that_is_gone_is_told_and_changes_nothing(sample: Any, drop_on: Any) -> None:
    editor = sample.window.script.editor
    before = [block.settings for block in sample.studio.project.blocks]
    drop_on(editor.viewport(), voice_mime("0" * 32, "Nobody"), row_point(editor, 3))
    assert [block.settings for block in sample.studio.project.blocks] == before
    assert "not there" in sample.window.toast.text


def test_the_gutter_tells_screen_readers_what_its_rows_show(sample: Any) -> None:
    editor = sample.window.script.editor
    interface = QAccessible.queryAccessibleInterface(editor.gutter)
    assert interface.role() == QAccessible.Role.List
    assert interface.childCount() == len(sample.studio.project.blocks)
    row = interface.child(2)
    assert row.role() == QAccessible.Role.ListItem
    assert row.text(QAccessible.Text.Name).startswith("3. Joe")
    note = interface.child(1)
    assert "not spoken" in note.text(QAccessible.Text.Name)


def test_a_line_without_words_does_not_wait_to_be_spoken(running: Any) -> None:
    editor = running.window.script.editor
    editor.insertPlainText("Hello.\n!!!???\n[pause 2s]\n你好")
    QApplication.processEvents()
    states = [editor.infos.info(block.id).state for block in running.studio.project.blocks]
    assert states == ["none", "wordless", "wordless", "none"]

    def dots(row: int) -> int:
        """Colours in the middle of where the state of a row is."""
        middle = row_point(editor, row)
        picture = editor.gutter.grab().toImage()
        ratio = picture.devicePixelRatio()
        across = range(int((editor.gutter.width() - 28) * ratio), int((editor.gutter.width() - 6) * ratio))
        return len({picture.pixel(x, int((middle.y() + y) * ratio)) for x in across for y in range(-3, 4)})

    assert dots(3) > 1 and dots(1) == dots(2) == 1


def test_the_playing_line_is_marked_and_brought_into_sight(sample: Any) -> None:
    editor = sample.window.script.editor
    editor.insertPlainText("\n".join(f"Line {number}." for number in range(200)))
    last = sample.studio.project.blocks[-1].id
    editor.verticalScrollBar().setValue(0)
    sample.studio.set_playing_block(last)
    QApplication.processEvents()
    rows = [number for number, _ in editor.rows.visible()]
    assert sample.studio.project.index(last) in rows


def test_another_region_that_chooses_a_block_moves_the_caret(sample: Any) -> None:
    block = sample.studio.project.blocks[7]
    sample.studio.set_selection((block.id,), block.id)
    assert sample.window.script.editor.current_row() == 7
