"""Speaking selected sentences again from the window: by key, by menu, and what is said where nothing would stay."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from tones import ToneBackend

from app.model.commands import ReplaceText
from engine import Engine, ModelCard

TEXT = "She said 😀 hello. [pause 1.0s] Nobody answered. [pause 0.5s] It was late."


@pytest.fixture
def spoken(running: Any, qtbot: Any) -> Iterator[Any]:
    """A studio with a line of three pieces that is spoken, and a model of tones."""
    engine = Engine(ToneBackend(ModelCard("Tones")))
    engine.start()
    engine.ready(5)
    running.studio.history.do(ReplaceText(0, "", f"{TEXT}\nAnother line."))
    running.studio.set_engine(engine)
    running.studio.renderer.render([block.id for block in running.studio.project.blocks])
    qtbot.waitUntil(lambda: not running.studio.renderer.queue(), timeout=20_000)
    yield running
    engine.close()


def select(running: Any, start: int, end: int) -> None:
    editor = running.window.script.editor
    cursor = editor.textCursor()
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    editor.setTextCursor(cursor)


def settle(running: Any, qtbot: Any) -> None:
    qtbot.waitUntil(lambda: not running.studio.actions.why_not("again_sentences"), timeout=5_000)
    running.studio.actions.trigger("again_sentences")
    qtbot.waitUntil(lambda: not running.studio.renderer.queue(), timeout=20_000)


def test_the_selected_sentence_becomes_a_new_take_that_undo_takes_back(spoken: Any, qtbot: Any) -> None:
    project = spoken.studio.project
    block = project.blocks[0]
    before = project.takes[block.chosen]
    # The document counts the picture as two, the project as one.
    at = TEXT.index("Nobody") + 1
    select(spoken, at, at + len("Nobody answered."))
    assert spoken.window.script.editor.chosen_text() == [(block.id, at - 1, at - 1 + len("Nobody answered."))]
    settle(spoken, qtbot)
    after = project.takes[project.blocks[0].chosen]
    assert after.id != before.id and len(project.blocks[0].takes) == 2 and len(project.blocks[1].takes) == 1
    read = spoken.studio.store.read_take
    for number, same in enumerate((True, False, True)):
        old, new = before.pieces[number], after.pieces[number]
        one = read(before.id, old.start_sample, old.n_samples)
        two = read(after.id, new.start_sample, new.n_samples)
        assert (len(one) == len(two) and bool((one == two).all())) is same
    spoken.studio.actions.trigger("undo")
    assert project.blocks[0].chosen == before.id and project.text().startswith("She said")


def test_without_a_selection_the_sentence_with_the_caret_is_meant(spoken: Any, qtbot: Any) -> None:
    select(spoken, 3, 3)
    settle(spoken, qtbot)
    project = spoken.studio.project
    assert len(project.blocks[0].takes) == 2
    assert project.takes[project.blocks[0].takes[0]].pieces[1].n_samples


def test_a_line_of_one_sentence_is_spoken_again_as_a_whole_and_this_is_said(spoken: Any, qtbot: Any) -> None:
    select(spoken, len(TEXT) + 3, len(TEXT) + 5)
    settle(spoken, qtbot)
    assert len(spoken.studio.project.blocks[1].takes) == 2
    assert "as a whole" in spoken.window.toast.text


def test_a_button_beside_the_takes_speaks_the_selected_sentence_again(spoken: Any, qtbot: Any) -> None:
    project, takes = spoken.studio.project, spoken.window.docks["inspector"].content.takes
    at = TEXT.index("Nobody") + 1
    select(spoken, at, at + len("Nobody answered."))
    qtbot.waitUntil(lambda: takes.sentences.isVisible() and takes.sentences.isEnabled(), timeout=5_000)
    qtbot.mouseClick(takes.sentences, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not spoken.studio.renderer.queue(), timeout=20_000)
    assert len(project.blocks[0].takes) == 2 and len(project.blocks[1].takes) == 1
    kept = [each.n_samples for each in project.takes[project.blocks[0].chosen].pieces]
    assert kept[0] == project.takes[project.blocks[0].takes[0]].pieces[0].n_samples
    select(spoken, 0, len(TEXT) + 5)  # of several lines no takes are shown
    qtbot.waitUntil(lambda: not takes.sentences.isVisible(), timeout=5_000)
