"""Thousands of lines asked for, given up and drawn: everything is told, and the window is never held up for long."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QApplication
from tones import ToneBackend

from app.model.commands import ReplaceText
from app.ui.spread import AT_ONCE, Spread
from app.ui.status.queue_panel import QueuePanel
from app.ui.waveform.columns import Shapes
from engine import Engine, ModelCard

LINES = 1_500


@pytest.fixture
def many(running: Any, qtbot: Any) -> Any:
    """A studio with many lines and a model that has not said anything yet."""
    backend = ToneBackend(ModelCard("Tones"))
    backend.gate.clear()
    engine = Engine(backend)
    engine.start()
    engine.ready(5)
    running.studio.history.do(ReplaceText(0, "", "\n".join(f"Line {number} of many." for number in range(LINES))))
    running.studio.set_engine(engine)
    QApplication.processEvents()
    yield running
    backend.gate.set()
    running.studio.renderer.cancel()
    engine.close()


def test_of_many_facts_the_first_are_told_at_once_and_the_rest_in_order_and_once(qapp: Any, qtbot: Any) -> None:
    told: list[str] = []
    spread = Spread(told.append)
    names = [str(number) for number in range(500)]
    for name in (*names, "499"):
        spread(name)
    assert told == names[:AT_ONCE]
    qtbot.waitUntil(lambda: told == names)
    spread("again")
    assert told[-1] == "again" or "again" in spread.waiting
    qtbot.waitUntil(lambda: told[-1] == "again")


def test_rendering_all_asks_for_a_few_lines_at_a_time_and_then_says_how_many(many: Any, qtbot: Any) -> None:
    renderer, asked = many.studio.renderer, []
    render = renderer.render
    renderer.render = lambda ids: asked.append(len(ids)) or render(ids)
    many.studio.actions.trigger("render_stale")
    assert 0 < len(renderer.queue()) < LINES
    qtbot.waitUntil(lambda: f"{LINES:,} lines" in many.window.toast.text, timeout=10_000)
    assert len(renderer.queue()) == LINES and max(asked) <= 100
    assert renderer.figures().asked == LINES and renderer.figures().finished == 0


def test_giving_up_while_lines_are_still_asked_for_leaves_nothing_waiting(many: Any, qtbot: Any) -> None:
    told: set[str] = set()
    asked: list[int] = []

    def give_up() -> None:
        if not many.studio.actions.why_not("cancel_making") and not asked:
            asked.append(len(many.studio.renderer.queue()))
            many.studio.actions.trigger("cancel_making")

    many.studio.block_state_changed.connect(told.add)
    # Between two slices, however busy the machine is.
    many.studio.block_state_changed.connect(lambda _: QTimer.singleShot(0, give_up))
    many.studio.actions.trigger("render_stale")
    qtbot.waitUntil(lambda: bool(asked))
    assert asked[0] < LINES
    qtbot.wait(300)
    waiting = {each for each, state in many.studio.renderer.queue() if state == "queued"}
    assert len(waiting) <= 2 and {each for each in told if many.studio.block_state(each) == "queued"} <= waiting


def test_a_far_out_drawing_fills_a_slice_at_a_time_and_keeps_what_was_known(many: Any, qtbot: Any) -> None:
    seen: list[str] = []
    timeline = many.window.docks["waveform"].content.item._timeline
    # Looking takes a moment, as it does at thousands of takes.
    shapes = Shapes(lambda block_id: time.sleep(1e-4), lambda block_id: seen.append(block_id) or "#123456")
    _, colours = shapes.table(timeline)
    assert shapes.unseen and len(set(colours.tolist())) == 2  # a part of it, at the beginning
    while shapes.unseen:
        shapes.look_on(0.001)
    assert set(shapes.table(timeline)[1].tolist()) == {0xFF123456} and sorted(seen) == sorted(timeline.block_ids)
    shapes.forget()
    table, colours = shapes.table(timeline)
    assert shapes.unseen and set(colours.tolist()) == {0xFF123456}  # old until it was looked at again, never blank
    assert table.dtype == np.int8


def colours_of(editor: Any, row: int) -> set[str]:
    """Of the letters of a line that have a look of their own."""
    formats = editor.document().findBlockByNumber(row).layout().formats()
    return {each.format.foreground().color().name() for each in formats}


def test_a_new_theme_colours_the_lines_in_sight_at_once_and_the_rest_bit_by_bit(many: Any, qtbot: Any) -> None:
    editor = many.window.script.editor
    many.studio.history.do(ReplaceText(0, many.studio.project.text(), "\n".join(["// a note"] * LINES)))
    qtbot.waitUntil(lambda: not editor.highlighter.busy)
    dark = colours_of(editor, 0)
    assert dark == colours_of(editor, LINES - 1) and dark
    many.window.set_theme("light")
    assert colours_of(editor, 0) != dark and colours_of(editor, LINES - 1) == dark
    qtbot.waitUntil(lambda: not editor.highlighter.busy)
    assert all(colours_of(editor, row) == colours_of(editor, 0) for row in range(0, LINES, 100))
    many.window.set_theme("dark")


def test_a_line_typed_in_while_others_wait_for_their_look_is_right_and_none_is_left_out(many: Any, qtbot: Any) -> None:
    editor, project = many.window.script.editor, many.studio.project
    many.studio.history.do(ReplaceText(0, project.text(), "\n".join(["// a note"] * LINES)))
    many.studio.history.do(ReplaceText(0, "", "# A chapter\n\n"))  # the numbers of all that wait are others now
    many.studio.history.do(ReplaceText(project.characters, "", "\n// the last"))
    assert editor.highlighter.busy and colours_of(editor, 0) and colours_of(editor, LINES + 2)
    qtbot.waitUntil(lambda: not editor.highlighter.busy)
    assert [row for row in range(LINES + 3) if row != 1 and not colours_of(editor, row)] == []


def test_a_whole_book_is_selected_and_its_facts_come_bit_by_bit(many: Any, qtbot: Any) -> None:
    inspector = many.window.docks["inspector"].content
    asked: list[str] = []
    state = many.studio.block_state
    many.studio.block_state = lambda block_id: asked.append(block_id) or state(block_id)
    many.studio.actions.trigger("select_all")
    qtbot.waitUntil(lambda: inspector.heading.title.text() == f"{LINES} lines", timeout=10_000)
    assert len(set(asked)) == LINES
    slices, steps = inspector._slices, []
    slices.start(step for step in iter(lambda: steps.append(1), 0))  # a deed without an end
    assert slices.busy
    inspector.refresh()
    done = len(steps)
    qtbot.waitUntil(lambda: not slices.busy, timeout=10_000)
    assert len(steps) == done  # the newer one took its place


def test_of_a_long_queue_only_rows_that_changed_are_made_anew_and_moving_keeps_the_rest_behind(
    many: Any, qtbot: Any
) -> None:
    renderer, panel = many.studio.renderer, many.window.findChild(QueuePanel)
    renderer.render([block.id for block in many.studio.project.blocks])
    qtbot.waitUntil(lambda: renderer.queue()[0][1] == "speaking")  # from then on its row stays as it is
    panel.open_above(QPoint(400, 400))
    shown = panel.list.count()
    order = [block_id for block_id, _ in renderer.queue()]
    assert 0 < shown < LINES
    changed: list[int] = []
    panel.list.model().dataChanged.connect(lambda first, last, *_: changed.append(first.row()))
    renderer.cancel(order[10:12])
    panel._show_rows()
    ids = [panel.list.item(row).data(Qt.ItemDataRole.UserRole) for row in range(shown)]
    assert ids == order[:10] + order[12 : shown + 2]
    assert set(changed) <= {shown - 2, shown - 1}
    panel.list.setCurrentRow(5)
    panel.step(1)
    after = [block_id for block_id, _ in renderer.queue()]
    assert after[:8] == [*order[:5], order[6], order[5], order[7]] and after[shown:] == order[shown + 2 :]
    panel.hide()


def test_a_book_is_laid_out_once_for_a_new_size_and_not_at_all_for_another_height(many: Any, qtbot: Any) -> None:
    editor, widths = many.window.script.editor, []
    # The scroll bar that so many lines bring takes its part of the width a moment later.
    qtbot.waitUntil(lambda: editor.lineWrapColumnOrWidth() == editor.viewport().width())
    fit = editor.setLineWrapColumnOrWidth
    editor.setLineWrapColumnOrWidth = lambda width: widths.append(width) or fit(width)
    many.studio.actions.trigger("find")
    qtbot.wait(150)
    assert many.window.script.find_bar.isVisible() and widths == []
    for width in (700, 650, 600):
        editor.resize(width, editor.height())
    assert widths == []
    qtbot.waitUntil(lambda: bool(widths))
    assert widths == [editor.viewport().width()] == [editor.lineWrapColumnOrWidth()]
