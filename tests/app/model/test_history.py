"""Undo takes back what a person did, in steps of a size that a person expects."""

from __future__ import annotations

import pytest

from app.model import checks
from app.model.block import Block
from app.model.commands import ChooseTake, PutTake, ReplaceText, SetBlockSettings, SetLexicon, SetProjectSettings
from app.model.errors import CommandError
from app.model.history import LIMIT, History, Step
from app.model.project import Project
from app.model.take import Take


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def history(clock: Clock) -> History:
    return History(Project([Block(id="b0")]), now_s=clock)


def type_text(history: History, clock: Clock, text: str, each_s: float = 0.3) -> None:
    for character in text:
        history.do(ReplaceText(history.project.characters, "", character), "typing")
        clock.now += each_s


def test_a_history_of_large_lexicons_stays_small(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.model.history.MAX_WEIGHT", 100_000)
    for number in range(40):
        history.do(SetLexicon(tuple((f"word {number} {each}", "spoken as it is") for each in range(500))))
    assert 1 <= len(history.steps) < 10
    history.undo()
    assert history.project.lexicon[0][0] == "word 38 0"


def test_typing_is_taken_back_word_by_word(history: History, clock: Clock) -> None:
    type_text(history, clock, "first second third")
    seen = []
    while history.can_undo:
        history.undo()
        seen.append(history.project.text())
    assert seen == ["first second ", "first ", ""]


def test_what_is_typed_within_a_second_is_one_step(history: History, clock: Clock) -> None:
    type_text(history, clock, "a b c d", 0.1)
    history.undo()
    assert history.project.text() == ""


def test_backspace_merges_and_undo_brings_all_back(history: History, clock: Clock) -> None:
    history.do(ReplaceText(0, "", "hello"))
    for length in (5, 4, 3):
        history.do(ReplaceText(length - 1, "hello"[length - 1], ""), "deleting")
    assert history.project.text() == "he" and len(history.steps) == 2
    history.undo()
    assert history.project.text() == "hello"
    history.redo()
    assert history.project.text() == "he"


def test_moving_the_caret_begins_a_new_step(history: History, clock: Clock) -> None:
    type_text(history, clock, "ab")
    history.end_merge()
    type_text(history, clock, "cd")
    history.undo()
    assert history.project.text() == "ab"


def test_a_dragged_slider_is_one_step(history: History, clock: Clock) -> None:
    for gain in (1.0, 2.0, 3.0):
        history.do(SetBlockSettings(("b0",), {"gain_db": gain}), "gain")
        clock.now += 0.2
    clock.now += 5
    history.do(SetBlockSettings(("b0",), {"gain_db": 4.0}), "gain")
    history.undo()
    assert history.project.block("b0").settings.gain_db == 3.0
    history.undo()
    assert history.project.block("b0").settings.gain_db == 0.0 and not history.can_undo


def test_a_take_that_arrives_between_edits_stays_when_they_are_taken_back(history: History) -> None:
    project = history.project
    history.do(ReplaceText(0, "", "one two"))
    history.note(PutTake(Take(id="t1", block_id="b0", state="done", created_at_s=1.0), choose=True))
    history.do(ReplaceText(3, " ", "\n"))
    history.note(PutTake(Take(id="t2", block_id="b0", state="done", created_at_s=2.0), choose=True))
    history.undo()
    assert project.block("b0").takes == ("t1", "t2") and project.block("b0").chosen == "t1"
    history.undo()
    assert project.text() == "" and set(project.takes) == {"t1", "t2"}


def test_a_choice_of_take_can_be_taken_back(history: History) -> None:
    for name in ("t1", "t2"):
        history.note(PutTake(Take(id=name, block_id="b0", state="done"), choose=True))
    history.do(ChooseTake("b0", "t1"))
    history.undo()
    assert history.project.block("b0").chosen == "t2"


def test_only_the_last_thousand_steps_are_kept(history: History) -> None:
    forgotten: list[int] = []
    history.recorded.connect(lambda recorded: forgotten.extend(recorded.forgotten))
    for number in range(LIMIT + 5):
        history.do(SetProjectSettings({"seed": number}))
    assert len(history.steps) == LIMIT and forgotten == [1, 2, 3, 4, 5]
    for _ in range(LIMIT):
        history.undo()
    assert history.project.settings.seed == 4 and not history.can_undo


def test_steps_that_hold_very_much_are_fewer(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.model.history.MAX_WEIGHT", 50_000)
    for _ in range(10):
        text = history.project.text()
        history.do(ReplaceText(0, text, "x" * 9_000 + "\n" + "y" * 9_000))
        history.do(ReplaceText(0, history.project.text(), "z"))
    assert 1 < len(history.steps) < 8
    while history.can_undo:
        history.undo()
    assert len(history.project.text()) in (1, 18_001)


def test_undo_keeps_the_take_that_was_made_meanwhile(history: History) -> None:
    history.do(ReplaceText(0, "", "one"))
    history.do(ReplaceText(3, "", "\ntwo"))
    history.note(PutTake(Take(id="t0", block_id="b0", key="k", text="one", state="done", seconds=1.0), choose=True))
    history.undo()
    assert [(block.text, block.chosen) for block in history.project.blocks] == [("one", "t0")]
    history.redo()
    assert history.project.blocks[0].chosen == "t0"


def test_a_new_edit_forgets_what_was_undone(history: History) -> None:
    history.do(ReplaceText(0, "", "a"))
    history.undo()
    history.do(ReplaceText(0, "", "b"))
    assert not history.can_redo and history.project.text() == "b"


def test_every_change_is_recorded_once_and_whole(history: History) -> None:
    records = []
    history.recorded.connect(records.append)
    history.do(ReplaceText(0, "", "one\ntwo"))
    history.undo()
    history.redo()
    history.note(PutTake(Take(id="t", block_id="b0")))
    assert [record.done for record in records] == [1, 0, 1, 1]
    assert all(record.touched.blocks for record in records)
    assert len(records[1].touched.removed_blocks) == 1


def test_a_listener_that_edits_is_an_error_and_not_a_loop(history: History) -> None:
    errors = []

    def edit(_block_id: str) -> None:
        try:
            history.do(ReplaceText(0, "", "again"))
        except RuntimeError as error:
            errors.append(error)

    history.project.block_changed.connect(edit)
    history.do(ReplaceText(0, "", "a"))
    assert len(errors) == 1 and history.project.text() == "a"


@pytest.mark.parametrize(
    "bad",
    [
        "{",
        "[]",
        '{"type":"eval"}',
        '{"type":"replace_text","position":99,"removed":"","inserted":""}',
        '{"type":"replace_blocks","first":0,"count":1,"blocks":[]}',
        '{"type":"replace_blocks","first":0,"count":1,"blocks":[{"id":"../x","text":""}]}',
        '{"type":"compound","commands":' + "[" * 5000 + "]" * 5000 + "}",
        '{"type":"compound","commands":[{"type":"compound","commands":["x"]}]}',
    ],
)
def test_a_history_that_does_not_fit_is_forgotten_and_the_script_stays(bad: str) -> None:
    project = Project([Block(id="b0", text="kept")])
    history = History(project, steps=[Step(1, "Edit", bad)])
    with pytest.raises(CommandError):
        history.undo()
    assert project.text() == "kept" and not history.can_undo


def test_typing_costs_what_it_touches_in_a_long_script() -> None:
    """Structural: an edit in the middle of 5,000 paragraphs reads a bounded number of them."""
    project = Project([Block(text="ten words " * 10) for _ in range(5_000)])
    history = History(project)
    told: list[tuple] = []
    project.blocks_changed.connect(lambda *args: told.append(args))
    position = project.start_of(2_500) + 5
    history.do(ReplaceText(position, "", "x"))
    history.do(ReplaceText(position, "", "\n"))
    assert len(told) == 1 and len(told[0][1]) == 1 and len(told[0][2]) == 2
    assert max(len(chunk.blocks) for chunk in project._blocks._chunks) <= 128


def test_a_script_never_grows_beyond_what_its_file_can_give_back() -> None:
    history = History(Project())
    history.do(ReplaceText(0, "", "a\n" * (checks.MAX_BLOCKS - 1)))
    before = history.project.characters
    with pytest.raises(CommandError, match="200,000 paragraphs"):
        history.do(ReplaceText(0, "", "b\n"))
    history.do(ReplaceText(0, "", "b" * (checks.MAX_TEXT - 1)))
    with pytest.raises(CommandError, match="one paragraph"):
        history.do(ReplaceText(0, "", "c"))
    with pytest.raises(CommandError, match="one paragraph"):
        history.do(ReplaceText(checks.MAX_TEXT, "\n", ""))
    history.undo()
    assert history.project.characters == before
