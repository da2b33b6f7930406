"""Find and replace: matches are shown, patterns work, only lines that change are touched."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.model.commands import ReplaceText
from app.ui.editor.find_bar import MOST_MATCHES


@pytest.fixture
def bar(running: Any, qtbot: Any) -> Any:
    running.window.script.editor.insertPlainText("Dana came.\nNobody else.\nAnd dana left with Danae.\nDana, 😀 Dana!")
    running.studio.actions.trigger("replace")
    return running.window.script.find_bar


def find(bar: Any, qtbot: Any, wanted: str) -> None:
    bar.wanted.clear()
    qtbot.keyClicks(bar.wanted, wanted)
    bar._search()


def texts(running: Any) -> list[str]:
    return [block.text for block in running.studio.project.blocks]


def test_matches_are_counted_while_typing(bar: Any, qtbot: Any) -> None:
    find(bar, qtbot, "dana")
    assert bar.count.text().startswith("5")


def test_case_and_whole_words_narrow_the_search(bar: Any, qtbot: Any) -> None:
    find(bar, qtbot, "Dana")
    qtbot.mouseClick(bar.case, Qt.MouseButton.LeftButton)
    assert bar.count.text().startswith("4")
    qtbot.mouseClick(bar.words, Qt.MouseButton.LeftButton)
    assert bar.count.text().startswith("3")


def test_replacing_all_touches_only_lines_with_a_match_and_is_one_step(bar: Any, running: Any, qtbot: Any) -> None:
    touched: list[str] = []
    running.studio.project.block_changed.connect(touched.append)
    ids = [block.id for block in running.studio.project.blocks]
    find(bar, qtbot, "Dana")
    bar.words.setChecked(True)
    qtbot.keyClicks(bar.replacement, "Dayna")
    qtbot.mouseClick(bar.all, Qt.MouseButton.LeftButton)
    assert texts(running) == ["Dayna came.", "Nobody else.", "And Dayna left with Danae.", "Dayna, 😀 Dayna!"]
    assert set(touched) == {ids[0], ids[2], ids[3]}
    assert [block.id for block in running.studio.project.blocks] == ids
    assert running.window.script.editor.document().toPlainText() == running.studio.project.text()
    running.studio.actions.trigger("undo")
    assert texts(running)[0] == "Dana came."


def test_patterns_with_groups_replace(bar: Any, running: Any, qtbot: Any) -> None:
    bar.pattern.setChecked(True)
    find(bar, qtbot, r"^(\w+) (came|else)")
    qtbot.keyClicks(bar.replacement, r"\2 \1")
    bar.replace_all()
    assert texts(running)[:2] == ["came Dana.", "else Nobody."]


def test_a_broken_pattern_is_told_and_finds_nothing(bar: Any, qtbot: Any) -> None:
    bar.pattern.setChecked(True)
    find(bar, qtbot, "(")
    assert "valid" in bar.count.text()
    assert not bar.all.isEnabled()


def test_steps_go_round_and_select_the_match(bar: Any, running: Any, qtbot: Any) -> None:
    editor = running.window.script.editor
    find(bar, qtbot, "Dana")
    seen = []
    for _ in range(6):
        qtbot.keyClick(bar.wanted, Qt.Key.Key_Return)
        assert editor.textCursor().selectedText().lower() == "dana"
        seen.append(editor.textCursor().selectionStart())
    assert len(set(seen)) == 5 and seen[5] == seen[0]


def test_replacing_one_goes_on_to_the_next(bar: Any, running: Any, qtbot: Any) -> None:
    editor = running.window.script.editor
    cursor = editor.textCursor()
    cursor.setPosition(0)
    editor.setTextCursor(cursor)
    find(bar, qtbot, "Dana")
    qtbot.keyClicks(bar.replacement, "D")
    qtbot.keyClick(bar.replacement, Qt.Key.Key_Return)
    qtbot.keyClick(bar.replacement, Qt.Key.Key_Return)
    assert texts(running)[0] == "D came."
    assert texts(running)[2] == "And dana left with Danae."
    assert editor.textCursor().selectedText() == "dana"


def test_escape_closes_and_gives_the_keyboard_back(bar: Any, running: Any, qtbot: Any) -> None:
    qtbot.keyClick(bar.wanted, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert running.window.focusWidget() is running.window.script.editor


def test_many_replacements_are_laid_out_once_and_undone_once(running: Any, qtbot: Any) -> None:
    editor, studio = running.window.script.editor, running.studio
    text = "\n".join(f"The brown 🦊 {number} [pause 1s] is brown." for number in range(40))
    studio.do(ReplaceText(0, "", text))
    studio.actions.trigger("replace")
    bar = running.window.script.find_bar
    find(bar, qtbot, "brown")
    bar.replacement.setText("𝒓ed")
    told: list[int] = []
    editor.document().contentsChange.connect(lambda *_: told.append(1))
    assert bar.replace_all() == 80
    assert len(told) == 1
    assert editor.toPlainText() == studio.project.text() == text.replace("brown", "𝒓ed")
    studio.history.undo()
    assert len(told) == 2
    assert editor.toPlainText() == studio.project.text() == text
    editor.setFocus()
    qtbot.keyClicks(editor, "ok ")
    assert editor.toPlainText() == studio.project.text() != text


def test_tab_goes_from_what_is_looked_for_to_what_it_becomes(bar: Any, qtbot: Any) -> None:
    find(bar, qtbot, "Dana")
    bar.wanted.setFocus()
    qtbot.keyClick(bar.wanted, Qt.Key.Key_Tab)
    assert bar.focusWidget() is bar.replacement
    qtbot.keyClick(bar.replacement, Qt.Key.Key_Tab)
    assert bar.focusWidget() is bar.one


def test_what_is_replaced_is_of_the_text_and_the_words_as_they_are(running: Any, qtbot: Any) -> None:
    running.studio.history.do(ReplaceText(0, "", "one two three\nand two\nthe end two"))
    running.studio.actions.trigger("replace")
    bar, editor = running.window.script.find_bar, running.window.script.editor
    find(bar, qtbot, "two")
    qtbot.keyClicks(bar.replacement, "2")
    editor.moveCursor(editor.textCursor().MoveOperation.Start)
    editor.setFocus()
    qtbot.keyClicks(editor, "xx")
    bar.wanted.setText("three")
    qtbot.mouseClick(bar.all, Qt.MouseButton.LeftButton)  # before anything was looked for again
    assert texts(running) == ["xxone two 2", "and two", "the end two"]
    find(bar, qtbot, "two")
    editor.setFocus()
    qtbot.keyClicks(editor, "yy")
    qtbot.mouseClick(bar.all, Qt.MouseButton.LeftButton)
    assert texts(running) == ["xxyyone 2 2", "and 2", "the end 2"]
    bar.wanted.setText("end")
    qtbot.keyClick(bar.wanted, Qt.Key.Key_Return)
    assert editor.textCursor().selectedText() == "end"


def test_all_is_replaced_also_of_more_than_is_marked(running: Any, qtbot: Any) -> None:
    running.studio.history.do(ReplaceText(0, "", "\n".join(["e " * 100] * (MOST_MATCHES // 100 + 50))))
    running.studio.actions.trigger("replace")
    bar = running.window.script.find_bar
    find(bar, qtbot, "e")
    assert bar.count.text().startswith(f"{MOST_MATCHES}+")
    qtbot.keyClicks(bar.replacement, "a")
    bar.replace_all()
    qtbot.waitUntil(lambda: not running.window.script.long_steps.busy, timeout=20_000)
    assert "e" not in running.studio.project.text()
    assert str(MOST_MATCHES + 5_000) in running.window.toast.text


def test_the_next_match_is_looked_for_in_the_text_as_it_is(bar: Any, running: Any, qtbot: Any) -> None:
    editor = running.window.script.editor
    find(bar, qtbot, "left")
    bar.close_bar()
    running.studio.actions.trigger("find_next")
    assert editor.textCursor().selectedText() == "left" and editor.painting.matches
    editor.moveCursor(editor.textCursor().MoveOperation.Start)
    qtbot.keyClicks(editor, "Now ")
    assert not editor.painting.matches
    running.studio.actions.trigger("find_next")
    assert editor.textCursor().selectedText() == "left"
