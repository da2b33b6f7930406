"""Large dialogs open with the work of what is seen first; the rest follows by itself."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel
from tones import ToneBackend

from app.model.commands import ReplaceText
from app.ui.preferences.preferences_dialog import PAGES
from app.ui.widgets.fields import Choice
from app.ui.widgets.lazy_stack import LazyStack
from engine import Engine, ModelCard


def stack_of(made: list[int], count: int = 3) -> LazyStack:
    stack = LazyStack()
    for number in range(count):
        stack.add(lambda number=number: made.append(number) or QLabel(f"Page {number}"))
    return stack


def test_only_the_page_that_is_shown_is_made_and_the_others_follow_in_their_places(qapp: Any, qtbot: Any) -> None:
    made: list[int] = []
    stack = stack_of(made)
    qtbot.addWidget(stack)
    assert stack.show_page(1).text() == "Page 1" and made == [1]
    stack.show()
    qtbot.waitUntil(lambda: len(made) == 3)
    assert made == [1, 0, 2] and stack.currentWidget().text() == "Page 1"
    qtbot.wait(100)
    assert [stack.widget(number).text() for number in range(stack.count())] == ["Page 0", "Page 1", "Page 2"]
    assert len(made) == 3


def test_a_page_that_is_asked_for_is_the_one_that_is_shown_later(qapp: Any, qtbot: Any) -> None:
    made: list[int] = []
    stack = stack_of(made)
    qtbot.addWidget(stack)
    stack.show_page(0)
    page = stack.page(2)
    assert stack.currentIndex() == 0 and stack.show_page(2) is page and made == [0, 2]


def test_the_preferences_open_with_one_page_and_have_all_a_moment_later(running: Any, qtbot: Any) -> None:
    dialog = running.work.open_preferences("project")
    stack = dialog.findChild(LazyStack)
    assert stack.currentIndex() == PAGES.index("project") == dialog.pages.currentRow()
    assert sum(bool(stack.widget(number).children()) for number in range(len(PAGES))) == 1
    qtbot.waitUntil(lambda: all(stack.widget(number).children() for number in range(len(PAGES))))
    for number, page in enumerate(PAGES):
        dialog.show_page(page)
        assert stack.currentIndex() == number and stack.currentWidget().accessibleName()
    dialog.close()


def test_sound_that_cannot_be_asked_for_is_told_on_its_page(running: Any, qtbot: Any, monkeypatch: Any) -> None:
    def broken() -> Any:
        raise RuntimeError("the sound server is away")

    monkeypatch.setattr(running.studio.devices, "inputs", broken)
    dialog = running.work.open_preferences("sound")
    field = next(each for each in dialog.findChildren(Choice) if each.accessibleName() == "Output")
    qtbot.waitUntil(lambda: field.count() == 1)
    assert any("sound server is away" in each.text() for each in dialog.findChildren(QLabel) if each.isVisible())
    dialog.close()


def test_a_dialog_that_is_closed_before_its_devices_are_known_leaves_no_trace(
    running: Any, qtbot: Any, monkeypatch: Any
) -> None:
    gate = threading.Event()
    monkeypatch.setattr(running.studio.devices, "outputs", lambda: gate.wait(10) and ())
    running.work.open_preferences("sound").close()
    qtbot.wait(50)
    gate.set()
    qtbot.waitUntil(lambda: not running.studio.tasks.running)
    qtbot.wait(50)  # an error in what is delivered would fail this test


@pytest.fixture
def long_script(running: Any) -> Any:
    engine = Engine(ToneBackend(ModelCard("Tones")))
    engine.start()
    engine.ready(5)
    running.studio.history.do(ReplaceText(0, "", "\n".join(f"Line {number} of many." for number in range(700))))
    running.studio.set_engine(engine)
    yield running
    engine.close()


def test_what_an_export_begins_with_is_counted_bit_by_bit_and_then_told(long_script: Any, qtbot: Any) -> None:
    states = long_script.studio.renderer.states
    needs = states.needs_speaking
    # Looking takes a moment, as it does at thousands of takes.
    states.needs_speaking = lambda block: time.sleep(1e-4) or needs(block)
    dialog = long_script.work.open_export(None)
    assert dialog._slices.busy and dialog.choices.missing.text() == ""
    qtbot.waitUntil(lambda: "700 lines are spoken first." in dialog.choices.missing.text())
    dialog.set_blocks([block.id for block in long_script.studio.project.blocks[:3]])
    assert "3 lines are spoken first." in dialog.choices.missing.text()  # of a few it is there at once
    dialog.set_blocks(None)
    long_script.studio.history.do(ReplaceText(0, long_script.studio.project.text(), "No more."))
    qtbot.waitUntil(lambda: not dialog._slices.busy)
    dialog.close()
