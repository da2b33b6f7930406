"""The outline: follows the script, jumps, folds, moves chapters as one undoable step."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from tone_studio import ToneStudio

from app.model.commands import ReplaceText
from app.ui.outline.outline import Outline
from app.ui.outline.parts_tree import LENGTH_ROLE, PART_ROLE, SHARE_ROLE
from app.ui.theme import theme
from app.ui.words import in_minutes


@pytest.fixture
def outline(running: Any) -> Any:
    running.window.script.editor.insertPlainText("Before.\n# One\nA.\n## Inner\nB.\n# Two\nC.\n# Three\nD.")
    found = running.window.docks["outline"].content
    found.refresh()
    return found


def titles(outline: Any) -> list[str]:
    return [outline.tree.topLevelItem(row).text(0) for row in range(outline.tree.topLevelItemCount())]


def test_chapters_are_numbered_and_scenes_stand_below_them(outline: Any) -> None:
    assert titles(outline) == ["Beginning", "1  One", "2  Two", "3  Three"]
    assert outline.tree.topLevelItem(1).child(0).text(0) == "Inner"


def test_a_click_jumps_to_the_chapter(outline: Any, running: Any) -> None:
    rect = outline.tree.visualItemRect(outline.tree.topLevelItem(2))
    QTest.mouseClick(outline.tree.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, rect.center())
    assert running.window.script.editor.current_row() == 5
    assert running.window.focusWidget() is running.window.script.editor


def test_the_row_that_has_the_keyboard_is_framed(outline: Any, running: Any) -> None:
    tree = outline.tree
    running.window.docks["outline"].raise_()
    QApplication.processEvents()

    def framed() -> bool:
        image = tree.viewport().grab(tree.visualItemRect(tree.topLevelItem(2))).toImage()
        middle = image.height() // 2
        return any(image.pixelColor(x, middle) == theme().colour("focus") for x in range(8))

    tree.setCurrentItem(tree.topLevelItem(2))
    assert not framed()
    tree.setFocus(Qt.FocusReason.TabFocusReason)
    tree.setCurrentItem(tree.topLevelItem(2))
    assert tree.hasFocus() and framed()


def test_moving_a_chapter_takes_its_lines_along_and_can_be_undone(outline: Any, running: Any) -> None:
    before = running.studio.project.text()
    outline.move(3, 1)
    assert running.studio.project.text() == "Before.\n# Three\nD.\n# One\nA.\n## Inner\nB.\n# Two\nC."
    assert running.window.script.editor.document().toPlainText() == running.studio.project.text()
    assert titles(outline) == ["Beginning", "1  Three", "2  One", "3  Two"]
    running.studio.actions.trigger("undo")
    assert running.studio.project.text() == before


def test_nothing_can_be_moved_before_the_beginning(outline: Any, running: Any) -> None:
    before = running.studio.project.text()
    outline.move(2, 0)
    assert running.studio.project.text() == before


def test_folding_survives_an_edit(outline: Any, running: Any, qtbot: Any) -> None:
    outline.tree.topLevelItem(1).setExpanded(False)
    editor = running.window.script.editor
    editor.moveCursor(editor.textCursor().MoveOperation.End)
    qtbot.keyClicks(editor, " more")
    outline.refresh()
    assert not outline.tree.topLevelItem(1).isExpanded()


def test_the_chapter_of_the_caret_is_marked(outline: Any, running: Any) -> None:
    running.window.script.editor.select_block(running.studio.project.blocks[6].id)
    QApplication.processEvents()
    assert outline.tree.currentItem().text(0) == "2  Two"


def test_the_marked_chapter_shows_how_much_of_it_is_spoken(outline: Any, running: Any) -> None:
    def ring(row: int) -> int:
        """Different colours where the ring of a row is."""
        rect = outline.tree.visualItemRect(outline.tree.topLevelItem(row))
        picture = outline.tree.viewport().grab(rect).toImage()
        places = [(x, y) for x in range(rect.width() - 26, rect.width() - 9) for y in range(6, 24)]
        return len({picture.pixel(x, y) for x, y in places})

    running.window.script.editor.select_block(running.studio.project.blocks[6].id)
    QApplication.processEvents()
    assert outline.tree.currentItem().text(0) == "2  Two"
    assert ring(3) > 3 and ring(2) > 3


@pytest.fixture
def spoken(qapp: Any, qtbot: Any, tmp_path: Path) -> Iterator[Any]:
    """Makes a script and speaks the lines that have words: the studio and its outline."""
    made: list[ToneStudio] = []

    def speak(text: str) -> tuple[ToneStudio, Outline]:
        tones = ToneStudio(tmp_path, text)
        made.append(tones)
        outline = Outline(tones.studio)
        qtbot.addWidget(outline)
        tones.studio.renderer.render(tones.ids)
        done = {"ready", "wordless"}
        qtbot.waitUntil(lambda: {tones.studio.block_state(each) for each in tones.ids} <= done, timeout=5000)
        outline.refresh()
        return tones, outline

    yield speak
    for tones in made:
        tones.close()


def test_a_part_is_as_long_as_it_is_heard_with_its_pauses(spoken: Any) -> None:
    tones, outline = spoken("# One\nHello there. [pause 8s] And again.")
    heard_s = sum(tones.studio.renderer.states.length_s(block)[0] for block in tones.studio.project.blocks)
    assert heard_s > 8 and outline.tree.topLevelItem(0).data(0, LENGTH_ROLE) == in_minutes(round(heard_s))


def test_a_part_is_complete_without_its_lines_that_have_no_words(spoken: Any) -> None:
    _, outline = spoken("# One\nHello there.\n!!!???\n[pause 1s]")
    assert outline.tree.topLevelItem(0).data(0, SHARE_ROLE) == (2, 2)


def test_a_script_without_headings_says_how_to_make_one(running: Any) -> None:
    found = running.window.docks["outline"].content
    found.refresh()
    assert not found.tree.isVisible()


def test_the_chosen_chapter_stays_chosen_while_lines_change(outline: Any, running: Any, qtbot: Any) -> None:
    running.window.docks["outline"].raise_()
    tree = outline.tree
    tree.setFocus(Qt.FocusReason.TabFocusReason)
    project = running.studio.project
    for find in (lambda: tree.topLevelItem(2), lambda: tree.topLevelItem(1).child(0)):
        tree.setCurrentItem(find())
        title = find().text(0)
        running.studio.history.do(ReplaceText(project.characters, "", " And much more to say, " * 20))
        outline.refresh()
        assert tree.hasFocus() and tree.currentItem().text(0) == title
    QTest.keyClick(tree, Qt.Key.Key_Down)
    assert tree.currentItem().text(0) == "2  Two"


def test_deeds_on_a_chapter_are_of_the_lines_it_has_by_now(outline: Any, running: Any) -> None:
    tree, project = outline.tree, running.studio.project
    running.studio.history.do(ReplaceText(0, "", "First of all.\nAnd then.\n"))  # the tree follows later
    part = tree.topLevelItem(2).data(0, PART_ROLE)
    assert [project.block(each).text for each in outline.ids_of(part)] == ["# Two", "C."]
    rect = tree.visualItemRect(tree.topLevelItem(2))
    QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, rect.center())
    assert project.block(running.studio.current_block).text == "# Two"
    outline.move(3, 1)
    assert project.text() == "First of all.\nAnd then.\nBefore.\n# Three\nD.\n# One\nA.\n## Inner\nB.\n# Two\nC."


def test_lines_that_are_gone_are_not_remembered(outline: Any, running: Any, qtbot: Any) -> None:
    studio = running.studio
    waveform = running.window.docks["waveform"].content
    for _ in range(3):
        at = studio.project.characters
        studio.history.do(ReplaceText(at, "", "\nA line." * 150))
        qtbot.waitUntil(lambda: outline.tree.topLevelItem(3).data(0, PART_ROLE).end > 150)
        qtbot.waitUntil(lambda: not outline._slices.busy)
        studio.history.do(ReplaceText(at, studio.project.text_between(at, studio.project.characters), ""))
        qtbot.waitUntil(lambda: outline.tree.topLevelItem(3).data(0, PART_ROLE).end < 150)
    assert len(outline._figures) <= 2 * len(studio.project.blocks)
    assert len(waveform.item._shapes._touched) <= 100
