"""A paragraph stays itself: who keeps the id on splits, joins, cuts and pastes."""

from __future__ import annotations

import pytest

from app.model.block import Block, BlockKind, BlockSettings, kind_of
from app.model.clipboard import copied, pasting
from app.model.commands import MoveBlocks, ReplaceText, SetBlockSettings
from app.model.errors import CommandError, FormatError
from app.model.history import History
from app.model.project import Project


def project_of(*texts: str) -> Project:
    return Project([Block(id=f"b{index}", text=text) for index, text in enumerate(texts)])


def ids(project: Project) -> list[str]:
    return [block.id if block.id.startswith("b") and len(block.id) < 4 else "new" for block in project.blocks]


def type_at(project: Project, position: int, removed: str, inserted: str) -> None:
    History(project).do(ReplaceText(position, removed, inserted))


@pytest.mark.parametrize(
    ("texts", "edit", "wanted"),
    [
        (["long part|short"], (9, "|", "\n"), ["b0", "new"]),
        (["ab|longer part"], (2, "|", "\n"), ["new", "b0"]),
        (["same|same"], (4, "|", "\n"), ["b0", "new"]),
        (["text"], (0, "", "\n"), ["new", "b0"]),
        (["text"], (4, "", "\n"), ["b0", "new"]),
        ([""], (0, "", "\n"), ["b0", "new"]),
        (["longer", "short"], (6, "\n", ""), ["b0"]),
        (["ab", "longer"], (2, "\n", ""), ["b1"]),
        (["same", "also"], (4, "\n", " "), ["b0"]),
        (["", "text"], (0, "\n", ""), ["b1"]),
        (["one", "two", "three"], (1, "ne\ntwo\nth", "X"), ["b2"]),
        (["one", "two", "three"], (0, "one\ntwo\nthree", "ONE\nTWO\nTHREE"), ["b0", "b1", "b2"]),
        (["one", "two", "three", "four"], (0, "one\ntwo\nthree\nfour", "1\nthree\n4"), ["b0", "b2", "b3"]),
        (["a", "b", "c"], (0, "a\nb\nc", "a\nnew\nb\nc"), ["b0", "new", "b1", "b2"]),
        (["Dana a", "b", "Dana c"], (0, "Dana a\nb\nDana c", "Dayna a\nb\nDayna c"), ["b0", "b1", "b2"]),
    ],
)
def test_the_part_with_more_of_the_old_text_keeps_the_id(texts, edit, wanted) -> None:
    project = project_of(*texts)
    before = project.text()
    type_at(project, *edit)
    position, removed, inserted = edit
    assert project.text() == before[:position] + inserted + before[position + len(removed) :]
    assert ids(project) == wanted


def test_a_new_part_keeps_the_speaker_but_not_length_seed_and_lock() -> None:
    project = project_of("long part here")
    history = History(project)
    history.do(SetBlockSettings(("b0",), {"voice": "v", "length": "fit", "target_s": 4.0, "seed": 3, "locked": True}))
    history.do(ReplaceText(10, "", "\n"))
    assert project.blocks[0].settings == BlockSettings("v", length="fit", target_s=4.0, seed=3, locked=True)
    assert project.blocks[1].settings == BlockSettings("v")


def test_cut_and_paste_of_a_paragraph_carries_id_and_settings() -> None:
    project = project_of("one", "two", "three")
    history = History(project)
    history.do(SetBlockSettings(("b1",), {"voice": "v", "locked": True}))
    clipping = copied(project, 4, 8)
    history.do(ReplaceText(4, "two\n", ""))
    assert ids(project) == ["b0", "b2"]
    history.do(pasting(clipping, project, 0))
    assert project.text() == "two\none\nthree"
    assert ids(project) == ["b1", "b0", "b2"]
    assert project.block("b1").settings == BlockSettings("v", locked=True)


def test_pasting_an_id_that_lives_makes_a_new_paragraph_with_the_same_settings() -> None:
    project = project_of("one", "two")
    history = History(project)
    history.do(SetBlockSettings(("b0",), {"voice": "v"}))
    clipping = copied(project, 0, 4)
    history.do(pasting(clipping, project, 4))
    history.do(pasting(clipping, project, 4))
    assert project.text() == "one\none\none\ntwo"
    assert [block.settings.voice for block in project.blocks] == ["v", "v", "v", None]
    assert len({block.id for block in project.blocks}) == 4


def test_pasting_into_the_middle_of_a_line_keeps_that_line() -> None:
    project = project_of("hello world", "x")
    clipping = copied(project_of("in"), 0, 2)
    History(project).do(pasting(clipping, project, 5))
    assert project.text() == "helloin world\nx"
    assert ids(project) == ["b0", "b1"]


@pytest.mark.parametrize(
    "data", [b"", b"[]", b'{"version":2,"lines":[]}', b'{"version":1,"lines":[{"text":3}]}', b"\xff"]
)
def test_a_clipping_that_is_none_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError):
        pasting(data, project_of("a"), 0)


def test_moving_keeps_every_paragraph() -> None:
    project = project_of("a", "b", "c", "d")
    history = History(project)
    history.do(MoveBlocks(0, 2, 2))
    assert ids(project) == ["b2", "b3", "b0", "b1"]
    history.undo()
    assert ids(project) == ["b0", "b1", "b2", "b3"]


def test_an_edit_that_does_not_fit_changes_nothing() -> None:
    project = project_of("abc")
    history = History(project)
    for bad in (ReplaceText(0, "x", "y"), ReplaceText(9, "", "y"), MoveBlocks(0, 2, 0), SetBlockSettings(("no",), {})):
        with pytest.raises(CommandError):
            history.do(bad)
    with pytest.raises(CommandError):
        history.do(SetBlockSettings(("b0",), {"gain_db": "loud"}))
    assert project.text() == "abc" and not history.can_undo


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("# One", "chapter"),
        ("## Two", "scene"),
        ("// note", "note"),
        ("//", "note"),
        ("#x", "speech"),
        (" ", "empty"),
        ("a", "speech"),
    ],
)
def test_a_line_tells_its_kind(text: str, kind: str) -> None:
    assert kind_of(text) is BlockKind(kind)


def test_line_ends_of_other_systems_become_paragraphs() -> None:
    project = Project()
    type_at(project, 0, "", "a\r\nb\rc\u2029d\ud800")
    assert [block.text for block in project.blocks] == ["a", "b", "c", "d\ufffd"]
