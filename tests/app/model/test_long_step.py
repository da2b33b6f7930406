"""A step of thousands of edits, done some at a time, is the same step as one done in one go."""

from __future__ import annotations

from typing import Any

import pytest

from app.model.block import Block
from app.model.command import Compound
from app.model.commands import PasteBlocks, ReplaceText
from app.model.errors import CommandError
from app.model.history import History
from app.model.identity import Incoming
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
        assert history.begin(ReplaceText(0, "", "?")) is None  # so little is done at once
        assert project.text() == "?" + after
    else:
        getattr(history, deed)()
        assert project.text() == after
    assert step.over


def pasted(project: Project, at: int) -> PasteBlocks:
    lines = tuple(Incoming(f"New {number}.", Block() if number % 2 else None) for number in range(COUNT))
    return PasteBlocks(at, project.text_between(at, at + 40), lines)


@pytest.mark.parametrize("at", [0, 30, 2000])
@pytest.mark.parametrize("kind", ["text", "paragraphs"])
def test_many_lines_put_in_are_the_same_however_they_are_put_in(history: History, kind: str, at: int) -> None:
    project = history.project
    if kind == "text":
        command = ReplaceText(at, project.text_between(at, at + 40), "\n".join(f"New {n}." for n in range(COUNT)))
    else:
        command = pasted(project, at)
    before = list(project.blocks)
    step = history.begin(command)
    step.advance(0.0001)
    assert not step.over
    step.finish()
    in_parts, steps = list(project.blocks), len(history.steps)
    while history.can_undo and list(project.blocks) != before:
        back = history.begin_undo()
        if back is not None:
            back.finish()
    assert list(project.blocks) == before and history.done == history.steps[-2].number
    history.do(command)
    in_one = list(project.blocks)
    assert [block.text for block in in_parts] == [block.text for block in in_one] and steps == len(history.steps)
    old = {block.id for block in before}
    assert [block.id for block in in_parts if block.id in old] == [block.id for block in in_one if block.id in old]


def test_a_script_that_was_cut_comes_back_in_parts(history: History) -> None:
    before = list(history.project.blocks)
    history.do(ReplaceText(0, history.project.text(), ""))
    back = history.begin_undo()
    assert back is not None
    back.advance(0.0)
    assert len(history.project.blocks) < COUNT
    back.finish()
    assert list(history.project.blocks) == before
    history.redo()
    assert history.project.text() == ""


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
