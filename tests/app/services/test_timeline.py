"""The timeline looks only at what an edit can have moved, and then tells the same as one made from nothing."""

from __future__ import annotations

from types import SimpleNamespace

from hypothesis import given, settings
from hypothesis import strategies as st

from app.model.commands import MoveBlocks, ReplaceText, SetBlockSettings, SetProjectSettings
from app.model.history import History
from app.model.project import Project
from app.services.block_states import BlockStates
from app.services.timeline import Timeline
from engine import FULL_SIZE_CARD

LINES = ["Words.", "", "# A chapter", "## A scene", "// a note", "[pause 1s]", "[pause 2s] More words. [pause 0.3s]"]


class Shown:
    """A project and a timeline that follows it as the window does."""

    def __init__(self) -> None:
        self.project = Project()
        self.history = History(self.project)
        self.states = BlockStates()
        self.states.store, self.states.card = SimpleNamespace(project=self.project), FULL_SIZE_CARD
        self.timeline = Timeline(self.states, lambda _: 0.0)
        self.looked_at: list[str] = []
        lasts_s = self.states.lasts_s
        self.states.lasts_s = lambda block, length_s: self.looked_at.append(block.id) or lasts_s(block, length_s)
        self.project.block_changed.connect(self.timeline.touch)
        self.project.blocks_changed.connect(lambda *_: self.timeline.follow())
        self.project.settings_changed.connect(self.timeline.invalidate)

    def rows(self) -> list[tuple[object, ...]]:
        return told(self.timeline)


def told(timeline: Timeline) -> list[tuple[object, ...]]:
    return [(each, round(timeline.row(each).start_s, 6), timeline.row(each)) for each in timeline.ids]


EDITS = st.lists(
    st.tuples(
        st.sampled_from(["text", "move", "fit", "heading", "undo", "look"]),
        st.integers(0, 30),
        st.integers(0, 30),
        st.lists(st.sampled_from(LINES), max_size=4),
    ),
    max_size=12,
)


@settings(max_examples=150, deadline=None)
@given(EDITS)
def test_after_any_edits_it_tells_what_one_made_anew_tells(edits: list) -> None:
    shown = Shown()
    project, history = shown.project, shown.history
    history.do(ReplaceText(0, "", "\n".join(LINES * 2)))
    for kind, one, other, lines in edits:
        count = len(project.blocks)
        block = project.blocks[one % count]
        if kind == "text":
            first, last = sorted((one * 3 % (project.characters + 1), other * 5 % (project.characters + 1)))
            history.do(ReplaceText(first, project.text_between(first, last), "\n".join(lines)))
        elif kind == "move":
            history.do(MoveBlocks(one % count, 1, other % count))
        elif kind == "fit":
            history.do(SetBlockSettings((block.id,), {"length": "fit", "target_s": 1.0 + other}))
        elif kind == "heading":
            history.do(SetProjectSettings({"headings_spoken": other % 2 == 0}))
        elif kind == "undo":
            history.undo()
        else:
            assert shown.rows() == told(Timeline(shown.states, lambda _: 0.0))
    assert shown.rows() == told(Timeline(shown.states, lambda _: 0.0))
    assert shown.timeline.total_s == Timeline(shown.states, lambda _: 0.0).total_s


def test_a_new_line_in_a_book_is_looked_at_and_the_thousands_around_it_are_not() -> None:
    shown = Shown()
    shown.history.do(ReplaceText(0, "", "\n".join(f"Line {number}." for number in range(3000))))
    assert shown.timeline.total_s > 0 and len(set(shown.looked_at)) == 3000
    shown.looked_at.clear()
    ids = shown.timeline.block_ids
    shown.history.do(ReplaceText(shown.project.start_of(1500), "", "A new one.\n"))
    new = shown.project.blocks[1500].id
    assert shown.timeline.row(new).number == 1500 and len(shown.looked_at) < 20
    assert shown.timeline.block_ids is not ids  # so that who keeps something for each row begins anew
    shown.looked_at.clear()
    shown.history.do(ReplaceText(shown.project.start_of(7), "Line 7.", "// no more"))
    assert shown.timeline.row(shown.project.blocks[7].id) is None and len(shown.looked_at) < 20


def test_a_line_told_of_before_the_step_that_moved_it_is_found() -> None:
    shown = Shown()
    shown.history.do(ReplaceText(0, "", "One.\nTwo.\nThree."))
    assert len(shown.timeline.ids) == 3
    last = shown.project.blocks[2].id
    told_early = []
    shown.project.text_replaced.connect(lambda *_: (shown.timeline.touch(last), told_early.append(shown.rows())))
    shown.history.do(ReplaceText(0, "", "Before.\n"))
    assert [row[0] for row in told_early[-1]] == [block.id for block in shown.project.blocks] == shown.timeline.ids
