"""A line as long as a book: where it is broken, and that a key in it costs what Qt needs for it and little more."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextOption
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.model.commands import ReplaceText
from app.services import kept_tags
from app.ui.editor import block_info
from engine import find_tags
from engine.text.duration import estimate_frames

ANYWHERE, AT_WORDS = QTextOption.WrapMode.WrapAnywhere, QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere


def test_lines_are_broken_anywhere_once_two_halves_of_a_word_become_one_without_end(running: Any) -> None:
    editor, do = running.window.script.editor, running.studio.do
    mode = lambda: editor.document().defaultTextOption().wrapMode()  # noqa: E731
    do(ReplaceText(0, "", "Words before. " * 500 + "x" * 3000 + " " + "y" * 3000 + " words behind." * 500))
    assert mode() is AT_WORDS
    at = 14 * 500 + 3000
    do(ReplaceText(at, " ", ""))
    assert mode() is ANYWHERE
    do(ReplaceText(at, "", " "))
    assert mode() is AT_WORDS
    do(ReplaceText(0, "", "z" * 5000 + "\n"))
    assert mode() is ANYWHERE


def test_a_key_in_a_line_as_long_as_a_book_looks_at_its_part_alone(running: Any, monkeypatch: Any, qtbot: Any) -> None:
    editor = running.window.script.editor
    text = "".join(f"Sentence {number} of a line without an end. " for number in range(6000))
    running.studio.do(ReplaceText(0, "", text))
    cursor = editor.textCursor()
    cursor.setPosition(len(text) // 2)
    editor.setTextCursor(cursor)
    qtbot.wait(300)
    QTest.keyClick(editor, Qt.Key.Key_X)
    qtbot.wait(300)
    looked: list[int] = []
    monkeypatch.setattr(kept_tags, "find_tags", lambda part: looked.append(len(part)) or find_tags(part))
    monkeypatch.setattr(
        block_info,
        "estimate_frames",
        lambda part, language: looked.append(len(part)) or estimate_frames(part, language),
    )
    places: list[Any] = []
    monkeypatch.setattr(editor, "cursorForPosition", lambda point: places.append(point))
    block_info._kept_long_estimate_s.cache_clear()
    QTest.keyClick(editor, Qt.Key.Key_X)
    QApplication.processEvents()
    editor.viewport().grab()
    assert 0 < sum(looked) <= 8 * kept_tags.LONG_TEXT and not places
    whole_s = estimate_frames(running.studio.project.blocks[0].text, None) * 0.08
    shown = editor.info(running.studio.project.blocks[0].id).length
    assert abs(float(shown.strip("~ s")) - whole_s) < 0.001 * whole_s
