"""A step of thousands of edits, done some at a time, is the same step as one done in one go."""

from __future__ import annotations

from typing import Any

import pytest

from app.model.command import Compound
from app.model.commands import ReplaceText
from app.model.errors import CommandError
from app.model.history import History
from app.model.project import Project

COUNT = 300


@pytest.fixture
def history() -> History:
    made = History(Project())
    made.do(ReplaceText(0, "", "\n".join(f"Line {number} of many." for number in range(COUNT))))
    return made


def replacing(project: Project, old: str = "many", new: str = "a book") -> Compound:
    edits = [
        ReplaceText(project.start_of(row) + block.text.index(old), old, new) for row, block in enumerate(project.blocks)
    ]
    return Compound(tuple(reversed(edits)), "Replace all")


def test_it_is_one_step_with_the_same_paragraphs_and_is_told_of_once(history: History) -> None:
    project, told = history.project, []
    before, ids = project.text(), [block.id for block in project.blocks]
    history.recorded.connect(told.append)
    step, parts = history.begin(replacing(project)), 0
    while not step.over:
        assert not told
        step.advance(0.0005)
        parts += 1
    assert parts > 1 and project.text() == before.replace("many", "a book")
    assert [block.id for block in project.blocks] == ids
    assert len(told) == 1 and set(told[0].touched.blocks) == set(ids) and len(history.steps) == 2
    back = history.begin_undo()
    back.advance(0.0005)
    assert not back.over
    back.finish()
    assert project.text() == before and [block.id for block in project.blocks] == ids and len(told) == 2
    history.redo()
    assert project.text() == before.replace("many", "a book") and len(told) == 3


@pytest.mark.parametrize("deed", ["do", "note", "undo", "redo", "clear", "begin"])
def test_what_comes_meanwhile_finds_all_of_it_done(history: History, deed: str) -> None:
    project = history.project
    before = project.text()
    after = before.replace("many", "a book")
    step = history.begin(replacing(project))
    step.advance(0.0)
    assert not step.over
    if deed in ("do", "note"):
        getattr(history, deed)(ReplaceText(0, "", "!"))
        assert project.text() == "!" + after
    elif deed == "undo":
        history.undo()
        assert project.text() == before
    elif deed == "begin":
        history.begin(Compound((ReplaceText(0, "", "?"),), "Edit")).finish()
        assert project.text() == "?" + after
    else:
        getattr(history, deed)()
        assert project.text() == after
    assert step.over


def test_where_one_edit_does_not_fit_nothing_was_changed(history: History) -> None:
    project, told = history.project, []
    before = project.text()
    history.recorded.connect(told.append)
    edits = replacing(project).commands
    step = history.begin(Compound((*edits, ReplaceText(0, "not there", "")), "Replace all"))
    with pytest.raises(CommandError):
        step.finish()
    assert step.over and project.text() == before and len(history.steps) == 1
    history.do(ReplaceText(0, "", "On. "))
    assert project.text() == "On. " + before


def test_an_editor_is_told_of_each_part_as_many_edits(history: History) -> None:
    told: list[Any] = []
    history.project.many_edits.connect(told.append)
    step = history.begin(replacing(history.project))
    while not step.over:
        step.advance(0.0005)
    assert told == [True, False] * (len(told) // 2) and len(told) > 2
