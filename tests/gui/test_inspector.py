"""The inspector: one line, several lines, what differs, what the model cannot do, and takes."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.model.content_commands import PutTake
from app.model.take import Take


@pytest.fixture
def inspector(sample: Any) -> Any:
    return sample.window.docks["inspector"].content


def select(sample: Any, *rows: int) -> list[str]:
    sample.window.script.editor.select_rows(rows, rows[0])
    sample.window.docks["inspector"].content.refresh()
    return [sample.studio.project.blocks[row].id for row in rows]


def choose(field: Any, text: str) -> None:
    index = next(at for at in range(field.count()) if field.itemText(at) == text)
    field.setCurrentIndex(index)
    field.activated.emit(index)


def block(sample: Any, row: int) -> Any:
    return sample.studio.project.blocks[row]


def test_what_differs_between_lines_is_shown_as_several_values(sample: Any, inspector: Any) -> None:
    select(sample, 2, 4)
    assert inspector.speaker.voice.currentIndex() == -1
    assert inspector.speaker.voice.placeholderText() == "Several values"
    select(sample, 2, 3)
    assert inspector.speaker.voice.currentText() == "Joe"


def test_a_voice_chosen_for_several_lines_is_one_step(sample: Any, inspector: Any) -> None:
    select(sample, 2, 4)
    choose(inspector.speaker.voice, "Nezumi")
    voice = sample.studio.library.find("Nezumi")
    assert block(sample, 2).settings.voice == block(sample, 4).settings.voice == voice.id
    sample.studio.actions.trigger("undo")
    assert block(sample, 2).settings.voice != voice.id


def test_a_voice_is_made_louder_in_all_of_its_lines_as_one_step(sample: Any, inspector: Any) -> None:
    select(sample, 2)
    project = sample.studio.project
    voices = {each.id: project.voice_of(each) for each in project.blocks}
    spoken = [each for each in project.blocks if voices[each.id] == voices[block(sample, 2).id]]
    other = next(each for each in project.blocks if voices[each.id] != voices[spoken[0].id])
    settings = project.settings
    before = {each.id: settings.gain_db(each) for each in (*spoken, other)}
    inspector.speaker.gain.setValue(1.0)
    inspector.speaker.gain.setValue(2.5)
    settings = sample.studio.project.settings
    assert len(spoken) > 1 and all(settings.gain_db(each) == before[each.id] + 2.5 for each in spoken)
    assert settings.gain_db(other) == before[other.id]
    sample.studio.actions.trigger("undo")
    assert sample.studio.project.settings.voice_gains_db == {}
    inspector.refresh()
    assert inspector.speaker.gain.value() == 0.0


def test_numbers_are_set_for_all_selected_lines_and_taken_back_to_the_models(sample: Any, inspector: Any) -> None:
    select(sample, 2, 3)
    field = inspector.sampling.numbers["temperature"]
    assert "0.6" in field.text()
    inspector.sampling.set_open(True)
    field.setValue(0.9)
    assert block(sample, 2).settings.temperature == block(sample, 3).settings.temperature == 0.9
    field.setValue(field.minimum())
    assert block(sample, 2).settings.temperature is None


def test_stepping_up_from_the_models_value_starts_there(sample: Any, inspector: Any) -> None:
    select(sample, 2)
    inspector.sampling.numbers["temperature"].stepBy(1)
    assert block(sample, 2).settings.temperature == pytest.approx(0.65)


def test_what_the_starter_cannot_do_is_greyed_with_the_reason(sample: Any, inspector: Any) -> None:
    select(sample, 2)
    assert not inspector.direction.instruction.isEnabled()
    assert "Starter" in inspector.direction.note.text()
    assert not inspector.length.mode.buttons["target"].isEnabled()
    assert "Starter" in inspector.length.note.text()
    assert inspector.length.mode.buttons["fit"].isEnabled()


def test_a_target_length_that_the_text_cannot_keep_is_warned_of(sample: Any, inspector: Any, qtbot: Any) -> None:
    select(sample, 3)
    qtbot.mouseClick(inspector.length.mode.buttons["fit"], Qt.MouseButton.LeftButton)
    inspector.refresh()
    inspector.length.seconds.setValue(1.0)
    inspector.refresh()
    assert block(sample, 3).settings.length == "fit" and block(sample, 3).settings.target_s == 1.0
    assert "too much" in inspector.length.note.text()
    info = sample.window.script.editor.info(block(sample, 3).id)
    assert info.warning and info.wanted and info.length == "1.0 s"
    inspector.length.seconds.setValue(5.0)
    inspector.refresh()
    assert "too much" not in inspector.length.note.text()


def test_the_key_for_the_length_leads_to_the_number(sample: Any, inspector: Any, qtbot: Any) -> None:
    editor = sample.window.script.editor
    editor.select_block(block(sample, 3).id)
    qtbot.keyClick(editor, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert sample.window.focusWidget() is inspector.length.seconds
    assert block(sample, 3).settings.length == "fit"


def test_locking_by_key_locks_the_selected_lines(sample: Any, inspector: Any) -> None:
    select(sample, 2, 3)
    sample.studio.actions.trigger("lock")
    assert block(sample, 2).settings.locked and block(sample, 3).settings.locked
    select(sample, 2, 4)
    assert inspector.heading.lock.checkState() == Qt.CheckState.PartiallyChecked


def give_takes(sample: Any, row: int) -> list[Take]:
    target = block(sample, row)
    takes = [
        Take(block_id=target.id, text=target.text, seed=1234 + at, state=state, seconds=3.0 + at, warnings=warnings)  # type: ignore[arg-type]
        for at, (state, warnings) in enumerate((("done", ()), ("suspicious", ("Words may be missing.",)), ("done", ())))
    ]
    for take in takes:
        sample.studio.history.note(PutTake(take, choose=True))
    return takes


def test_takes_are_listed_and_a_click_chooses_one(sample: Any, inspector: Any) -> None:
    takes = give_takes(sample, 2)
    select(sample, 2)
    view = inspector.takes.list
    assert view.model().rowCount() == 3
    rect = view.visualRect(view.model().index(0, 0))
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, rect.center())
    assert block(sample, 2).chosen == takes[0].id


def test_why_a_take_is_suspicious_is_said(sample: Any, inspector: Any, qtbot: Any) -> None:
    takes = give_takes(sample, 2)
    select(sample, 2)
    qtbot.waitUntil(sample.studio.actions.action("previous_take").isEnabled)
    sample.studio.actions.trigger("previous_take")
    inspector.refresh()
    assert block(sample, 2).chosen == takes[1].id
    assert "Words may be missing" in inspector.takes._why.text()


def test_comparing_goes_back_and_forth_between_two_takes(sample: Any) -> None:
    takes = give_takes(sample, 2)
    select(sample, 2)
    chosen = []
    for _ in range(4):
        sample.work._compare()
        chosen.append(block(sample, 2).chosen)
    assert chosen == [takes[1].id, takes[2].id, takes[1].id, takes[2].id]


def test_a_deleted_take_comes_back_with_undo(sample: Any, inspector: Any) -> None:
    takes = give_takes(sample, 2)
    select(sample, 2)
    sample.work._delete_take()
    assert takes[2].id not in block(sample, 2).takes
    sample.studio.history.undo()
    assert takes[2].id in block(sample, 2).takes and block(sample, 2).chosen == takes[2].id


def test_several_lines_show_no_takes_but_say_why(sample: Any, inspector: Any) -> None:
    give_takes(sample, 2)
    select(sample, 2, 3)
    assert not inspector.takes.list.isVisible()
    assert "one line" in inspector.takes._words.text()
