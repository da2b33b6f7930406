"""Playing as a person does: keys and buttons, with a backend that speaks tones and no sound device."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from tone_studio import ToneStudio

from app.model.commands import ReplaceText, SetBlockSettings
from app.services.playing import PlayState
from app.ui.editor.panel import ScriptPanel
from app.ui.status import Status
from app.ui.transport import Transport
from app.ui.transport.transport import clock

TEXT = "One two three four five.\nSix seven eight nine ten.\n// never spoken\nEleven twelve thirteen fourteen."


@pytest.fixture
def tones(qapp, tmp_path):
    made = ToneStudio(tmp_path, TEXT)
    yield made
    made.close()


@pytest.fixture
def transport(tones, qtbot):
    widget = Transport(tones.studio)
    qtbot.addWidget(widget)
    widget.show()
    return widget


def state(tones):
    return tones.studio.player.state


def press(qtbot, button):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_play_speaks_from_the_caret_and_shows_where_it_is(tones, transport, qtbot):
    heard = []
    tones.studio.playing_block_changed.connect(heard.append)
    second = tones.ids[1]
    tones.studio.set_selection((second,), second)
    press(qtbot, transport.play)
    qtbot.waitUntil(lambda: tones.studio.playing_block == second, timeout=5000)
    qtbot.waitUntil(lambda: state(tones) is PlayState.STOPPED, timeout=15000)
    assert heard == [second, tones.ids[3], ""]
    assert tones.studio.block_state(tones.ids[0]) == "none"
    assert tones.studio.block_state(second) == "ready"


def test_the_play_button_pauses_and_goes_on_where_it_was(tones, transport, qtbot):
    press(qtbot, transport.play)
    qtbot.waitUntil(lambda: transport.playback.position_s() > 0.4, timeout=5000)
    assert transport.play.accessibleName() == "Pause"
    press(qtbot, transport.play)
    qtbot.waitUntil(lambda: state(tones) is PlayState.PAUSED, timeout=2000)
    paused_at = transport.playback.position_s()
    qtbot.wait(300)
    assert transport.playback.position_s() == paused_at
    assert transport.play.accessibleName() == "Play"
    press(qtbot, transport.play)
    qtbot.waitUntil(lambda: transport.playback.position_s() > paused_at + 0.1, timeout=3000)


def test_after_a_pause_another_caret_starts_there(tones, transport, qtbot):
    press(qtbot, transport.play)
    qtbot.waitUntil(lambda: transport.playback.position_s() > 0.2, timeout=5000)
    press(qtbot, transport.play)
    qtbot.waitUntil(lambda: state(tones) is PlayState.PAUSED, timeout=2000)
    tones.studio.set_selection((tones.ids[3],), tones.ids[3])
    press(qtbot, transport.play)
    qtbot.waitUntil(lambda: tones.studio.playing_block == tones.ids[3], timeout=5000)


def test_stop_ends_hearing_at_once(tones, transport, qtbot):
    press(qtbot, transport.play)
    qtbot.waitUntil(lambda: bool(tones.studio.playing_block), timeout=5000)
    press(qtbot, transport.stop)
    assert state(tones) is PlayState.STOPPED and tones.studio.playing_block == ""
    qtbot.waitUntil(lambda: tones.studio.renderer.listener is None, timeout=2000)


def test_next_and_previous_go_by_lines_and_pass_over_notes(tones, transport, qtbot):
    press(qtbot, transport.play)
    qtbot.waitUntil(lambda: tones.studio.playing_block == tones.ids[0], timeout=5000)
    press(qtbot, transport.next)
    qtbot.waitUntil(lambda: tones.studio.playing_block == tones.ids[1], timeout=5000)
    press(qtbot, transport.next)
    qtbot.waitUntil(lambda: tones.studio.playing_block == tones.ids[3], timeout=5000)
    press(qtbot, transport.previous)
    qtbot.waitUntil(lambda: tones.studio.playing_block == tones.ids[1], timeout=5000)


def test_a_selection_is_played_alone(tones, transport, qtbot):
    heard = []
    tones.studio.playing_block_changed.connect(heard.append)
    tones.studio.set_selection((tones.ids[1],), tones.ids[1])
    tones.studio.actions.trigger("play_selection")
    qtbot.waitUntil(lambda: heard[-1:] == [""], timeout=10000)
    assert heard == [tones.ids[1], ""]


def test_a_looped_selection_comes_again(tones, transport, qtbot):
    press(qtbot, transport.loop)
    assert tones.studio.actions.action("loop").isChecked()
    tones.studio.set_selection((tones.ids[3],), tones.ids[3])
    positions = []
    transport.playback.ticked.connect(lambda _: positions.append(transport.playback.position_s()))
    tones.studio.actions.trigger("play_selection")
    qtbot.waitUntil(lambda: any(after < before - 0.3 for before, after in zip(positions, positions[1:])), timeout=10000)
    assert state(tones) is PlayState.PLAYING


def test_seeking_while_playing_goes_on_from_there(tones, transport, qtbot):
    tones.studio.renderer.render(tones.ids)
    qtbot.waitUntil(lambda: not tones.studio.renderer.queue(), timeout=10000)
    press(qtbot, transport.play)
    qtbot.waitUntil(lambda: bool(tones.studio.playing_block), timeout=5000)
    row = transport.playback.timeline.row(tones.ids[3])
    transport.playback.seek(row.start_s + 0.3)
    qtbot.waitUntil(lambda: tones.studio.playing_block == tones.ids[3], timeout=5000)
    assert transport.playback.position_s() >= row.start_s + 0.3


def test_seeking_while_nothing_plays_starts_there_next(tones, transport, qtbot):
    tones.studio.renderer.render(tones.ids)
    qtbot.waitUntil(lambda: not tones.studio.renderer.queue(), timeout=10000)
    row = transport.playback.timeline.row(tones.ids[1])
    transport.playback.seek(row.start_s + 0.4)
    assert transport.playback.position_s() == pytest.approx(row.start_s + 0.4, abs=0.01)
    assert tones.studio.current_block == tones.ids[1]
    press(qtbot, transport.play)
    qtbot.waitUntil(lambda: tones.studio.playing_block == tones.ids[1], timeout=5000)
    assert transport.playback.position_s() >= row.start_s + 0.39


def test_the_length_of_the_programme_is_estimated_until_it_was_spoken(tones, transport, qtbot):
    assert "~" in transport.time.length.text()
    tones.studio.renderer.render(tones.ids)
    qtbot.waitUntil(lambda: not tones.studio.renderer.queue(), timeout=10000)
    qtbot.waitUntil(lambda: "~" not in transport.time.length.text(), timeout=2000)
    # Three lines of 10, 10 and 8 frames of tone, and two pauses between paragraphs.
    assert transport.playback.timeline.total_s == pytest.approx(28 * 0.08 + 2 * 0.45, abs=0.02)


def test_the_time_shown_is_the_time_heard_over_all_lines(tones, transport, qtbot):
    press(qtbot, transport.play)
    qtbot.waitUntil(lambda: tones.studio.playing_block == tones.ids[3], timeout=10000)
    row = transport.playback.timeline.row(tones.ids[3])
    assert row.start_s - 0.05 <= transport.playback.position_s() <= row.start_s + row.length_s


def test_writing_while_it_plays_goes_on_and_the_new_text_is_heard(tones, transport, qtbot):
    tones.studio.renderer.render(tones.ids[:1])
    qtbot.waitUntil(lambda: tones.studio.block_state(tones.ids[0]) == "ready", timeout=5000)
    tones.backend.gate.clear()  # the second line takes its time
    press(qtbot, transport.play)
    qtbot.waitUntil(lambda: bool(tones.studio.playing_block), timeout=5000)
    tones.studio.do(ReplaceText(tones.studio.project.start_of(3), "Eleven", "Fifteen"))
    tones.backend.gate.set()
    qtbot.waitUntil(lambda: state(tones) is PlayState.STOPPED, timeout=15000)
    assert any(text.startswith("Fifteen") for text in tones.backend.spoken)
    assert tones.studio.block_state(tones.ids[3]) == "ready"


def test_the_speed_is_chosen_by_wheel_and_menu(tones, transport, qtbot):
    transport.speed.choose(1.5)
    assert tones.studio.player.snapshot().speed == 1.5
    assert "1.5" in transport.speed.text()


def test_the_speed_is_as_it_was_chosen_last(tones, transport, qtbot):
    transport.speed.choose(1.25)
    again = Transport(tones.studio)
    qtbot.addWidget(again)
    assert again.speed.speed == 1.25 and tones.studio.player.snapshot().speed == 1.25
    tones.studio.settings.review_speed = 1.27  # as no entry says
    other = Transport(tones.studio)
    qtbot.addWidget(other)
    assert other.speed.speed == 1.25


def test_every_control_has_a_name(tones, transport):
    for button in (
        transport.play,
        transport.stop,
        transport.previous,
        transport.next,
        transport.loop,
        transport.record,
        transport.speed,
        transport.meter,
    ):
        assert QAccessible.queryAccessibleInterface(button).text(QAccessible.Text.Name)


def test_the_status_line_tells_how_it_goes(tones, qtbot):
    status = Status(tones.studio)
    qtbot.addWidget(status)
    status.show()
    assert status.doing.text() == "Ready"
    tones.backend.gate.clear()
    tones.studio.renderer.render(tones.ids)
    qtbot.waitUntil(lambda: "0 of 3" in status.doing.text(), timeout=3000)
    assert status.bar.isVisible()
    tones.backend.gate.set()
    qtbot.waitUntil(lambda: status.doing.text() == "Ready", timeout=10000)
    assert "ms" in status.figures["ttfa"].text() and "–" not in status.figures["rtf"].text()
    tones.studio.engine_loading.emit("Reading weights", 0.25)
    assert "Reading weights" in status.doing.text() and status.bar.value() == 250
    tones.studio.engine_failed.emit("The model is damaged.", "Install it again.")
    assert "damaged" in status.doing.text()


def test_a_locked_line_is_never_made_again_by_playing(tones, transport, qtbot):
    tones.studio.renderer.render(tones.ids[:1])
    qtbot.waitUntil(lambda: not tones.studio.renderer.queue(), timeout=5000)
    tones.studio.do(SetBlockSettings((tones.ids[0],), {"locked": True}))
    tones.studio.do(ReplaceText(0, "One", "Ten"))
    spoken = len(tones.backend.spoken)
    tones.studio.set_selection((tones.ids[0],), tones.ids[0])
    tones.studio.actions.trigger("play_selection")
    qtbot.waitUntil(lambda: tones.studio.playing_block == tones.ids[0], timeout=5000)
    qtbot.waitUntil(lambda: state(tones) is PlayState.STOPPED, timeout=10000)
    assert len(tones.backend.spoken) == spoken


@pytest.mark.parametrize(
    ("seconds", "shown"), [(12.48, "00:12.48"), (0, "00:00.00"), (3723.5, "1:02:03.50"), (59.999, "00:59.99")]
)
def test_times_are_written_for_people(seconds, shown):
    assert clock(seconds, hundredths=True) == shown


def test_whole_seconds_are_rounded():
    assert clock(220.6) == "03:41"


def test_the_output_is_chosen_kept_and_shown_while_it_is_away(tones, transport, qtbot):
    transport.output.fill(["Speakers", "Headphones"], "")
    entries = {action.text(): action for action in transport.output.menu().actions() if action.text()}
    assert entries["Follow the system"].isChecked()
    entries["Headphones"].trigger()
    assert tones.studio.player.devices.wanted_output == "Headphones"
    assert tones.studio.settings.output_device == "Headphones" and "Headphones" in transport.output.toolTip()
    transport.output.fill(["Speakers"], "")
    shown = [action.text() for action in transport.output.menu().actions() if action.isChecked()]
    assert shown == ["Headphones (not there now)"]
    transport.output.choose(None)
    assert tones.studio.player.devices.wanted_output is None


def test_opening_the_outputs_lists_them_without_holding_up_the_window(tones, transport, qtbot):
    transport.output.menu().aboutToShow.emit()
    assert "Looking" in transport.output.menu().actions()[0].text()
    qtbot.waitUntil(lambda: "Sound is off" in transport.output.menu().actions()[0].text(), timeout=3000)


def test_the_queue_is_reordered_paused_and_emptied(tones, qtbot):
    status = Status(tones.studio)
    qtbot.addWidget(status)
    status.show()
    tones.backend.gate.clear()
    tones.studio.renderer.render(tones.ids)
    qtbot.waitUntil(lambda: tones.studio.block_state(tones.ids[0]) == "speaking", timeout=3000)
    qtbot.mouseClick(status.open_queue, Qt.MouseButton.LeftButton)
    panel = status.queue
    assert panel.isVisible() and panel.list.count() == 3 and "3" in panel.title.text()
    waiting = [block_id for block_id, state in tones.studio.renderer.queue() if state == "queued"]
    panel.list.setCurrentRow(2)
    qtbot.keyClick(panel.list, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert panel.list.item(1).data(Qt.ItemDataRole.UserRole) == waiting[-1]
    qtbot.mouseClick(panel.pause, Qt.MouseButton.LeftButton)
    assert tones.studio.renderer.paused and panel.pause.text() == "Resume"
    panel.list.clearSelection()
    panel.list.setCurrentRow(2)
    qtbot.keyClick(panel.list, Qt.Key.Key_Delete)
    qtbot.mouseClick(panel.pause, Qt.MouseButton.LeftButton)
    tones.backend.gate.set()
    qtbot.waitUntil(lambda: not tones.studio.renderer.queue(), timeout=10000)
    assert [tones.studio.block_state(tones.ids[n]) for n in (0, 1, 3)].count("ready") == 2
    assert panel.list.count() == 0 or panel.title.text()
    panel.hide()


def test_playing_starts_at_the_word_under_the_caret_where_a_take_exists(tones, transport, qtbot):
    panel = ScriptPanel(tones.studio)
    qtbot.addWidget(panel)
    playback, first = transport.playback, tones.ids[0]
    starts = []
    listen = tones.studio.player.play
    tones.studio.player.play = lambda source, **how: (starts.append(playback_start(tones)), listen(source, **how))

    def play_at(position):
        cursor = panel.editor.textCursor()
        cursor.setPosition(position)
        panel.editor.setTextCursor(cursor)
        playback.play_pause()
        qtbot.waitUntil(lambda: state(tones) is not PlayState.BUFFERING, timeout=5000)
        playback.stop()
        return starts[-1]

    inside = TEXT.index("three") + 2
    assert play_at(inside) == 0  # nothing is spoken yet
    tones.studio.renderer.render([first])
    qtbot.waitUntil(lambda: tones.studio.block_state(first) == "ready", timeout=5000)
    third = play_at(inside) / 48_000
    length_s = tones.studio.renderer.states.length_s(tones.studio.project.block(first))[0]
    assert 0.3 * length_s < third < 0.6 * length_s
    assert play_at(TEXT.index("five") + 1) / 48_000 > third
    assert play_at(1) == 0
    assert play_at(TEXT.index("\n")) == 0  # behind the last word: the whole line
    tones.studio.do(ReplaceText(0, "One", "Uno"))
    assert play_at(inside) == 0  # it will be spoken anew


def playback_start(tones):
    return tones.studio.renderer.listener._wanted.offset_samples
