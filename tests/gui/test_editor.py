"""Writing in the script as a person does: keys, input methods, undo, copies, and what the project holds then."""

from __future__ import annotations

import random
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QTextCursor, QTextOption
from PySide6.QtWidgets import QApplication

from app.model.block import BlockKind
from app.model.commands import ReplaceText


def shown(running: Any) -> str:
    return running.window.script.editor.document().toPlainText()


def texts(running: Any) -> list[str]:
    return [block.text for block in running.studio.project.blocks]


def write(running: Any, text: str) -> None:
    running.studio.actions.trigger("select_all")
    running.window.script.editor.insertPlainText(text)


def caret(running: Any, row: int, offset: int) -> None:
    editor = running.window.script.editor
    block = editor.document().findBlockByNumber(row)
    cursor = editor.textCursor()
    cursor.setPosition(block.position() + offset)
    editor.setTextCursor(cursor)


def test_typed_text_is_in_the_project(running: Any, qtbot: Any) -> None:
    editor = running.window.script.editor
    qtbot.keyClicks(editor, "Once upon")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.keyClicks(editor, "a time")
    assert texts(running) == ["Once upon", "a time"]
    assert shown(running) == running.studio.project.text()


def test_shift_return_makes_a_paragraph_too(running: Any, qtbot: Any) -> None:
    editor = running.window.script.editor
    qtbot.keyClicks(editor, "one")
    qtbot.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(editor, "two")
    assert texts(running) == ["one", "two"]


def test_undo_everything_and_redo_everything(running: Any, qtbot: Any) -> None:
    editor = running.window.script.editor
    qtbot.keyClicks(editor, "Good morning.")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.keyClicks(editor, "Good night.")
    caret(running, 0, 4)
    qtbot.keyClick(editor, Qt.Key.Key_Backspace)
    qtbot.keyClick(editor, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    end = running.studio.project.text()
    for _ in range(len(running.studio.history.steps)):
        qtbot.keyClick(editor, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert shown(running) == running.studio.project.text()
    assert texts(running) == [""]
    for _ in range(len(running.studio.history.steps)):
        qtbot.keyClick(editor, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
        assert shown(running) == running.studio.project.text()
    assert running.studio.project.text() == end


def test_a_typed_word_is_one_step_of_undo(running: Any, qtbot: Any) -> None:
    editor = running.window.script.editor
    qtbot.keyClicks(editor, "studio")
    qtbot.keyClick(editor, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert texts(running) == [""]


def test_blocks_keep_their_identity_while_others_are_typed(running: Any, qtbot: Any) -> None:
    write(running, "first\nsecond\nthird")
    second = running.studio.project.blocks[1].id
    caret(running, 0, 5)
    qtbot.keyClick(running.window.script.editor, Qt.Key.Key_Return)
    qtbot.keyClicks(running.window.script.editor, "new")
    assert running.studio.project.block(second).text == "second"
    assert texts(running) == ["first", "new", "second", "third"]


def test_text_outside_the_basic_plane_keeps_document_and_project_equal(running: Any, qtbot: Any) -> None:
    write(running, "A 😀 face\nsecond 🎧 line\nlast")
    caret(running, 1, len("second 🎧".encode("utf-16-le")) // 2)
    qtbot.keyClicks(running.window.script.editor, "x")
    assert texts(running)[1] == "second 🎧x line"
    caret(running, 2, 4)
    qtbot.keyClick(running.window.script.editor, Qt.Key.Key_Backspace)
    assert texts(running)[2] == "las"
    while running.studio.history.can_undo:
        running.studio.actions.trigger("undo")
        assert shown(running) == running.studio.project.text()


def test_preedit_of_an_input_method_is_no_edit(running: Any) -> None:
    editor = running.window.script.editor
    before = len(running.studio.history.steps)
    QApplication.sendEvent(editor, QInputMethodEvent("ni hao", []))
    assert len(running.studio.history.steps) == before
    assert texts(running) == [""]
    commit = QInputMethodEvent("", [])
    commit.setCommitString("你好")
    QApplication.sendEvent(editor, commit)
    assert texts(running) == ["你好"]
    assert len(running.studio.history.steps) == before + 1


def test_cut_and_paste_carries_the_voice_of_a_paragraph(sample: Any, qtbot: Any) -> None:
    editor = sample.window.script.editor
    blocks = sample.studio.project.blocks
    row = next(at for at, block in enumerate(blocks) if block.text.startswith("You can make"))
    moved = blocks[row]
    start = editor.document().findBlockByNumber(row).position()
    cursor = editor.textCursor()
    cursor.setPosition(start)
    cursor.setPosition(start + len(moved.text) + 1, QTextCursor.MoveMode.KeepAnchor)
    editor.setTextCursor(cursor)
    qtbot.keyClick(editor, Qt.Key.Key_X, Qt.KeyboardModifier.ControlModifier)
    assert not sample.studio.project.has_block(moved.id)
    caret(sample, 2, 0)
    qtbot.keyClick(editor, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    pasted = sample.studio.project.block(moved.id)
    assert pasted.text == moved.text and pasted.settings.voice == moved.settings.voice
    assert shown(sample) == sample.studio.project.text()


def test_pasted_plain_text_becomes_paragraphs(running: Any, qtbot: Any) -> None:
    mime = QMimeData()
    mime.setText("one\r\ntwo\r\nthree")
    QGuiApplication.clipboard().setMimeData(mime)
    qtbot.keyClick(running.window.script.editor, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert texts(running) == ["one", "two", "three"]
    assert shown(running) == running.studio.project.text()


def test_pasting_rich_text_brings_its_words_only(running: Any) -> None:
    mime = QMimeData()
    mime.setHtml("<h1 style='color:red'>Big</h1>")
    mime.setText("Big")
    running.window.script.editor.insertFromMimeData(mime)
    assert texts(running) == ["Big"]


def test_line_kinds_are_given_by_keys(running: Any, qtbot: Any) -> None:
    write(running, "Arrival\nHe came.\nA remark")
    caret(running, 0, 2)
    qtbot.keyClick(running.window.script.editor, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    caret(running, 2, 2)
    qtbot.keyClick(running.window.script.editor, Qt.Key.Key_Slash, Qt.KeyboardModifier.ControlModifier)
    assert [block.kind for block in running.studio.project.blocks] == [
        BlockKind.CHAPTER,
        BlockKind.SPEECH,
        BlockKind.NOTE,
    ]
    assert texts(running) == ["# Arrival", "He came.", "// A remark"]
    caret(running, 0, 2)
    qtbot.keyClick(running.window.script.editor, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert texts(running)[0] == "Arrival"


@pytest.mark.parametrize("seed", range(6))
def test_random_editing_keeps_document_and_project_equal(running: Any, qtbot: Any, seed: int) -> None:
    chance = random.Random(seed)
    editor = running.window.script.editor
    for _ in range(60):
        cursor = editor.textCursor()
        length = running.studio.project.characters
        cursor.setPosition(editor.sync.to_units(chance.randint(0, length)))
        if chance.random() < 0.4:
            cursor.setPosition(editor.sync.to_units(chance.randint(0, length)), QTextCursor.MoveMode.KeepAnchor)
        editor.setTextCursor(cursor)
        deed = chance.randrange(6)
        if deed < 2:
            editor.insertPlainText(chance.choice(["a", "\n", "be\nce", "é 😀", "[pause 1.0s]", "# x", "\n\n"]))
        elif deed == 2:
            qtbot.keyClick(editor, chance.choice([Qt.Key.Key_Backspace, Qt.Key.Key_Delete]))
        elif deed == 3:
            qtbot.keyClick(editor, Qt.Key.Key_Return)
        else:
            running.studio.actions.trigger(chance.choice(["undo", "redo"]))
        assert shown(running) == running.studio.project.text()
        assert editor.document().blockCount() == len(running.studio.project.blocks)


def test_one_emoji_does_not_make_every_key_read_the_whole_script(running: Any, qtbot: Any, monkeypatch: Any) -> None:
    write(running, "\n".join(["A 😀 face", *(f"line {number}" for number in range(300)), "the 😀 end"]))
    project, editor = running.studio.project, running.window.script.editor
    whole = project.text()
    reads: list[int] = []
    read = type(editor.sync)._text
    monkeypatch.setattr(type(project), "text", lambda _: reads.append(len(whole)) or whole)
    monkeypatch.setattr(type(editor.sync), "_text", lambda it, at, long: reads.append(long) or read(it, at, long))
    editor.select_block(project.blocks[200].id)
    qtbot.keyClick(editor, Qt.Key.Key_X)
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.keyClick(editor, Qt.Key.Key_Backspace)
    running.studio.actions.trigger("undo")
    monkeypatch.undo()
    assert reads and max(reads) < 100
    assert shown(running) == project.text()


def test_arabic_lines_run_from_right_to_left_and_english_ones_do_not(running: Any) -> None:
    write(running, "مرحبا بكم في Moss Voice\nWelcome to Moss Voice")
    document = running.window.script.editor.document()
    assert document.findBlockByNumber(0).textDirection() == Qt.LayoutDirection.RightToLeft
    assert document.findBlockByNumber(1).textDirection() == Qt.LayoutDirection.LeftToRight


def test_five_thousand_blocks_open_and_take_keys(running: Any, qtbot: Any) -> None:
    text = "\n".join(f"This is the line with the number {number} of a very long book." for number in range(5000))
    write(running, text)
    assert len(running.studio.project.blocks) == 5000
    caret(running, 2500, 4)
    qtbot.keyClicks(running.window.script.editor, "xyz")
    assert texts(running)[2500].startswith("Thisxyz")
    assert shown(running) == running.studio.project.text()


def test_the_renderer_knows_which_line_is_being_written_and_when_the_caret_leaves_it(running: Any, qtbot: Any) -> None:
    editor, told = running.window.script.editor, []
    qtbot.keyClicks(editor, "ab")
    running.studio.renderer.write_in = told.append
    qtbot.keyClicks(editor, "c")
    first = running.studio.project.blocks[0].id
    assert told == [first]
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    second = running.studio.project.blocks[1].id
    assert told[-1] == second
    qtbot.keyClick(editor, Qt.Key.Key_Up)
    assert told[-1] == ""


def test_only_while_a_word_has_no_end_lines_are_broken_inside_words(running: Any, qtbot: Any) -> None:
    document = running.window.script.editor.document()
    modes = QTextOption.WrapMode
    running.studio.do(ReplaceText(0, "", "\n".join(["long words " * 1_000, "长" * 9_000, "x" * 3_999])))
    assert document.defaultTextOption().wrapMode() == modes.WrapAtWordBoundaryOrAnywhere
    caret(running, 2, 7)
    qtbot.keyClicks(running.window.script.editor, "x")
    assert document.defaultTextOption().wrapMode() == modes.WrapAnywhere
    assert document.defaultTextOption().textDirection() == Qt.LayoutDirection.LayoutDirectionAuto
    qtbot.keyClicks(running.window.script.editor, " ")
    assert document.defaultTextOption().wrapMode() == modes.WrapAtWordBoundaryOrAnywhere
    assert shown(running) == running.studio.project.text()
