"""Thousands of lines asked for, given up and drawn: everything is told, and the window is never held up for long."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from tones import ToneBackend

from app.model.commands import ReplaceText
from app.ui.spread import AT_ONCE, Spread
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
    qtbot.waitUntil(lambda: f"{LINES} lines" in many.window.toast.text, timeout=10_000)
    assert len(renderer.queue()) == LINES and max(asked) <= 100
    assert renderer.figures().asked == LINES and renderer.figures().finished == 0


def test_giving_up_while_lines_are_still_asked_for_leaves_nothing_waiting(many: Any, qtbot: Any) -> None:
    told: set[str] = set()
    many.studio.block_state_changed.connect(told.add)
    many.studio.actions.trigger("render_stale")
    qtbot.waitUntil(lambda: not many.studio.actions.why_not("cancel_making"))
    assert len(many.studio.renderer.queue()) < LINES
    many.studio.actions.trigger("cancel_making")
    qtbot.wait(300)
    waiting = [state for _, state in many.studio.renderer.queue() if state == "queued"]
    assert len(waiting) <= 2 and all(many.studio.block_state(each) != "queued" or each in told for each in told)


def test_a_far_out_drawing_fills_a_slice_at_a_time_and_keeps_what_was_known(many: Any, qtbot: Any) -> None:
    seen: list[str] = []
    timeline = many.window.docks["waveform"].content.item._timeline
    shapes = Shapes(lambda block_id: None, lambda block_id: seen.append(block_id) or "#123456")
    while True:
        _, colours = shapes.table(timeline)
        if not shapes.unseen:
            break
    assert set(colours) == {"#123456"} and sorted(seen) == sorted(timeline.block_ids)
    shapes.forget()
    table, colours = shapes.table(timeline)
    assert set(colours) == {"#123456"} and table.dtype == np.int8  # old until it was looked at again, never blank
