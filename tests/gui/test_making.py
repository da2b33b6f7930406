"""Making many lines as a person does: render all, watch the queue, read the report; and the record button."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from tones import ToneBackend

from app.model.commands import ReplaceText
from app.ui.status import Status
from app.ui.transport import Transport
from engine import Engine, ModelCard, SpeechError, StopReason

GOOD, ODD, BAD = "This one is good.", "This one runs away.", "This one breaks."


@pytest.fixture
def made(running: Any, qtbot: Any) -> Any:
    """(running, backend): three lines, of which one is suspicious and one fails, and a model that holds its breath."""
    backend = ToneBackend(ModelCard("Tones"))
    backend.ends[ODD] = StopReason.RUNAWAY
    backend.fails[BAD] = SpeechError("The model broke.", "Try another seed.")
    backend.gate.clear()
    engine = Engine(backend)
    engine.start()
    engine.ready(5)
    running.studio.history.do(ReplaceText(0, "", f"{GOOD}\n{ODD}\n{BAD}"))
    running.studio.set_engine(engine)
    qtbot.waitUntil(lambda: not running.studio.actions.why_not("render_stale"), timeout=5_000)
    yield running, backend
    backend.gate.set()
    engine.close()


def test_rendering_all_ends_with_a_report_of_what_is_good_suspicious_and_failed(made: Any, qtbot: Any) -> None:
    running, backend = made
    backend.gate.set()
    running.studio.actions.trigger("render_stale")
    qtbot.waitUntil(lambda: "spoken" in running.window.toast.text, timeout=20_000)
    report = running.window.toast.text
    assert "1 line spoken" in report and "1 suspicious" in report and "1 failed" in report
    states = [running.studio.block_state(block.id) for block in running.studio.project.blocks]
    assert states == ["ready", "suspicious", "failed"]
    running.studio.actions.trigger("next_suspicious")
    assert running.studio.current_block == running.studio.project.blocks[1].id


def test_the_queue_shows_what_waits_and_gives_it_up(made: Any, qtbot: Any) -> None:
    running, backend = made
    running.studio.actions.trigger("render_stale")
    status = running.window.findChild(Status)
    qtbot.mouseClick(status.open_queue, Qt.MouseButton.LeftButton)
    panel = status.queue
    qtbot.waitUntil(lambda: panel.list.count() == 3, timeout=5_000)
    panel.list.setCurrentRow(2)
    qtbot.keyClick(panel.list, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: panel.list.count() == 2, timeout=5_000)
    qtbot.mouseClick(panel.pause, Qt.MouseButton.LeftButton)
    assert running.studio.renderer.paused
    qtbot.mouseClick(panel.pause, Qt.MouseButton.LeftButton)
    assert not running.studio.renderer.paused
    qtbot.mouseClick(panel.cancel, Qt.MouseButton.LeftButton)
    backend.gate.set()
    qtbot.waitUntil(lambda: not running.studio.renderer.queue(), timeout=10_000)
    assert running.studio.project.blocks[2].chosen is None
    panel.hide()


def test_the_record_button_opens_the_recorder_and_says_when_there_is_no_microphone(
    running: Any, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing() -> Any:
        raise OSError("no PortAudio in this test")

    monkeypatch.setattr(running.studio.devices, "_load", nothing)
    monkeypatch.setattr(running.studio.devices, "_sd", None)
    recording = running.window.docks["voices"].content.recording
    running.window.docks["voices"].hide()
    button = running.window.findChild(Transport).record
    assert button.isEnabled() and button.accessibleName()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert recording.isVisible()
    qtbot.waitUntil(lambda: bool(recording.says.text()), timeout=5_000)
    assert "libportaudio2" in recording.says.text() or "microphone" in recording.says.text().lower()


def test_three_takes_of_many_lines_are_in_the_queue_with_progress_and_can_be_given_up(made: Any, qtbot: Any) -> None:
    running, backend = made
    running.window.script.editor.select_rows([0, 1, 2], 0)
    running.studio.actions.trigger("three_takes")
    status = running.window.findChild(Status)
    qtbot.waitUntil(lambda: "0 of 9 takes" in status.doing.text(), timeout=5_000)
    assert status.bar.isVisible()
    qtbot.mouseClick(status.open_queue, Qt.MouseButton.LeftButton)
    panel = status.queue
    qtbot.waitUntil(lambda: panel.list.count() == 3, timeout=5_000)
    assert "3 takes" in panel.list.item(1).data(Qt.ItemDataRole.AccessibleTextRole)
    panel.list.setCurrentRow(2)
    qtbot.keyClick(panel.list, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: panel.list.count() == 2, timeout=5_000)
    assert running.studio.renderer.figures().asked == 6
    backend.gate.set()
    qtbot.waitUntil(lambda: not running.studio.renderer.queue(), timeout=20_000)
    takes = [len(block.takes) for block in running.studio.project.blocks]
    assert takes == [3, 3, 0]
    assert "1 suspicious" in running.window.toast.text
    panel.hide()


def test_a_row_of_the_queue_shows_how_much_of_its_line_is_spoken(made: Any, qtbot: Any) -> None:
    from app.ui.status.queue_panel import _SHARE

    running, backend = made
    running.studio.history.do(ReplaceText(0, GOOD, "word " * 500))
    running.window.script.editor.select_rows([0], 0)
    running.studio.actions.trigger("again")
    panel = running.window.findChild(Status).queue
    panel.open_above(running.window.mapToGlobal(running.window.rect().bottomRight()))
    qtbot.waitUntil(lambda: running.studio.block_state(running.studio.project.blocks[0].id) == "speaking")
    live = running.studio.renderer.live(running.studio.project.blocks[0].id)
    backend.gate.set()
    qtbot.waitUntil(lambda: live.seconds > 0.2)
    backend.gate.clear()
    panel._show_progress()
    assert 0.0 < panel.list.item(0).data(_SHARE) < 1.0
    panel.hide()


def test_making_is_paused_and_resumed_by_an_action_that_shows_what_is_so(made: Any, qtbot: Any) -> None:
    running, backend = made
    action = running.studio.actions.action("pause_making")
    action.trigger()
    assert running.studio.renderer.paused and action.isChecked()
    running.studio.actions.trigger("render_stale")
    backend.gate.set()
    qtbot.wait(200)
    assert len(running.studio.renderer.queue()) == 3
    panel = running.window.findChild(Status).queue
    panel._pause()  # the button of the queue
    assert not running.studio.renderer.paused and not action.isChecked()
    qtbot.waitUntil(lambda: not running.studio.renderer.queue(), timeout=20_000)
