"""The shell: what is there at the first start, what is remembered, and how everything is reached by keys."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from PySide6.QtCore import QEvent, QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QAccessible, QHelpEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDockWidget,
    QLabel,
    QLineEdit,
    QToolTip,
    QWidget,
)

from app.action import CONDITIONS
from app.actions import ACTIONS
from app.menus import MENUS
from app.model.content_commands import SetVoice
from app.services.playing import PlayState
from app.ui.palette import match_score
from app.ui.status.status import Status
from app.ui.theme import theme
from app.ui.transport.transport import Transport
from app.ui.widgets.empty_state import EmptyState


def test_the_first_start_shows_what_to_do_and_the_sample_is_one_click_away(running: Any, qtbot: Any) -> None:
    panel = running.window.script
    buttons = [each for each in panel._empty.findChildren(QAbstractButton) if each.isVisible()]
    assert buttons, "an empty script must say what to do"
    qtbot.mouseClick(buttons[0], Qt.MouseButton.LeftButton)
    assert running.studio.project.blocks[0].text.startswith("# Welcome")
    assert not panel._empty.isVisible()
    assert len(running.studio.project.voices) == 2


def test_showing_the_window_imports_no_model_library(tmp_path: Path) -> None:
    code = (
        "import sys; from app.main import make_application, open_studio; from app.paths import paths_for; from pathlib import Path;"
        f"app = make_application(); r = open_studio(paths_for(Path({str(tmp_path)!r})), load_model=False);"
        "r.window.show(); app.processEvents(); heavy = {'torch', 'transformers'} & set(sys.modules); r.close(); print(sorted(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip().endswith("[]")


def test_every_action_stands_in_a_menu_or_submenu_once_and_has_known_needs() -> None:
    listed = [each for _, ids in MENUS for each in ids if each[0] not in "-@"]
    assert len(listed) == len(set(listed))
    beside = {"theme_dark", "theme_light", "theme_system", "previous_region"}
    assert {action.id for action in ACTIONS} == set(listed) | beside
    assert all(need in CONDITIONS for action in ACTIONS for need in action.needs)


def test_no_two_actions_have_the_same_key() -> None:
    keys = [key for action in ACTIONS for key in action.keys]
    assert len(keys) == len(set(keys))


def test_every_action_does_something(running: Any) -> None:
    unbound = [action.id for action in ACTIONS if action.id not in running.studio.actions._handlers]
    assert unbound == []


def test_an_impossible_action_says_why(running: Any) -> None:
    actions = running.studio.actions
    assert not actions.action("again").isEnabled()
    assert actions.why_not("again") in actions.action("again").toolTip()


def test_the_palette_finds_and_runs_an_action(running: Any, qtbot: Any) -> None:
    palette = running.window.open_palette()
    qtbot.keyClicks(palette.field, "sampl")
    assert palette.names()[0] == "Open the sample project"
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert running.studio.project.blocks[0].text.startswith("# Welcome")


@pytest.mark.parametrize(
    ("typed", "first", "absent"),
    [
        ("spee", "Speech", ["Previous take", "Speak again"]),
        ("speak", "Speak again", ["Pause making"]),
        ("voice", "Record a voice", ["Previous take"]),
        ("sp ag", "Speak again", ["Export"]),
        ("spag", "Speak again", ["Export"]),
        ("take", "Next take", ["Loop"]),
        ("edit fi", "Find", ["Full screen"]),
    ],
)
def test_the_palette_ranks_beginnings_first_and_drops_scattered_letters(
    sample: Any, qtbot: Any, typed: str, first: str, absent: list[str]
) -> None:
    qtbot.waitUntil(sample.studio.actions.action("export").isEnabled)
    palette = sample.window.open_palette()
    qtbot.keyClicks(palette.field, typed)
    names = palette.names()
    assert first in names[:3] and not set(absent) & set(names)
    palette.close()


def test_beginnings_rank_before_insides_and_insides_before_initials() -> None:
    names = ["Speech", "Make speech", "Bespeech", "Some people eat early cake heaps"]
    scores = [match_score("speech", name) for name in names]
    assert scores == sorted(scores, key=lambda each: -each if each is not None else 0)
    assert None not in scores and match_score("spee", "Previous take: speed") is not None
    assert match_score("spee", "Scope of the present tense") is None


def test_the_palette_opens_with_its_key_while_writing(running: Any, qtbot: Any) -> None:
    qtbot.keyClick(running.window.script.editor, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    popup = QApplication.activePopupWidget()
    assert popup is not None and popup.accessibleName() == "Command palette"
    popup.close()


def test_a_changed_key_works_and_is_remembered(open_studio_at: Callable[..., Any], qtbot: Any) -> None:
    first = open_studio_at()
    first.studio.actions.set_keys("insert_pause", ["Ctrl+Alt+G"])
    first.window.save_state()
    first.window.set_close_guard(lambda: True)
    first.window.close()
    first.close()
    second = open_studio_at()
    qtbot.keyClick(
        second.window.script.editor, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    )
    assert "[pause" in second.studio.project.text()


def test_closed_docks_and_the_theme_are_remembered(open_studio_at: Callable[..., Any]) -> None:
    first = open_studio_at()
    first.window.docks["outline"].close()
    first.studio.actions.trigger("theme_light")
    first.window.close()
    first.close()
    second = open_studio_at()
    assert not second.window.docks["outline"].isVisible()
    assert second.window.docks["inspector"].isVisible()
    assert theme().name == "light"
    second.studio.actions.trigger("reset_layout")
    assert second.window.docks["outline"].isVisible()


def test_a_damaged_settings_file_costs_only_the_arrangement(open_studio_at: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "profile").mkdir()
    settings = '{"version": 1, "general": {"theme": 7, "recent": [1]}, "window": {"docks": "%%%", "geometry": "x"}}'
    (tmp_path / "profile" / "settings.json").write_text(settings, "utf-8")
    running = open_studio_at()
    assert running.window.docks["inspector"].isVisible()


def test_what_was_written_is_there_at_the_next_start(open_studio_at: Callable[..., Any], qtbot: Any) -> None:
    first = open_studio_at()
    qtbot.keyClicks(first.window.script.editor, "Keep me")
    first.window.close()
    first.close()
    second = open_studio_at()
    assert second.studio.project.text() == "Keep me"
    assert second.window.script.editor.document().toPlainText() == "Keep me"
    assert second.studio.history.can_undo


def test_space_writes_a_space_in_the_script_and_plays_elsewhere(running: Any, qtbot: Any) -> None:
    played: list[bool] = []
    running.studio.actions.bind("play_pause", lambda: played.append(True))
    qtbot.keyClicks(running.window.script.editor, "a b")
    assert running.studio.project.text() == "a b" and not played
    qtbot.wait(80)
    tree = running.window.docks["voices"].content.findChild(QAbstractItemView)
    tree.setFocus()
    qtbot.keyClick(tree, Qt.Key.Key_Space)
    assert played == [True]


def test_ctrl_return_plays_from_the_script_and_from_a_field(sample: Any, qtbot: Any) -> None:
    played: list[bool] = []
    sample.studio.actions.bind("play_pause", lambda: played.append(True))
    qtbot.wait(80)
    qtbot.keyClick(sample.window.script.editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    sample.studio.actions.trigger("find")
    qtbot.keyClick(sample.window.script.find_bar.wanted, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert len(played) == 2
    assert "\n\n" not in sample.studio.project.text()


def test_f6_goes_round_the_regions(sample: Any, qtbot: Any) -> None:
    qtbot.waitUntil(lambda: sample.window.docks["inspector"].content.speaker.voice.isVisible())
    seen = set()
    for _ in range(6):
        sample.studio.actions.trigger("next_region")
        focus = sample.window.focusWidget()
        seen.add(next((name for name, dock in sample.window.docks.items() if dock.isAncestorOf(focus)), "middle"))
    assert {"voices", "inspector", "middle"} <= seen


def test_a_dropped_text_file_is_shown_before_it_is_imported(
    running: Any, qtbot: Any, tmp_path: Path, drop_on: Any, files_mime: Any
) -> None:
    text = tmp_path / "tale.txt"
    text.write_text("Once upon a time.\n\nThere was a studio.", "utf-8")
    assert drop_on(running.window, files_mime(text), QPoint(300, 300))
    from app.ui.editor.import_dialog import ImportDialog

    dialog = running.window.findChild(ImportDialog)
    qtbot.waitUntil(lambda: dialog.accept_button.isEnabled(), timeout=5000)
    assert running.studio.project.text() == ""
    qtbot.mouseClick(dialog.accept_button, Qt.MouseButton.LeftButton)
    assert [block.text for block in running.studio.project.blocks] == ["Once upon a time.", "There was a studio."]
    running.studio.actions.trigger("undo")
    assert running.studio.project.text() == ""


def test_dropped_sound_is_handed_to_the_voices(running: Any, drop_on: Any, files_mime: Any, tmp_path: Path) -> None:
    got: list[Any] = []
    running.studio.audio_dropped.disconnect()
    running.studio.audio_dropped.connect(got.append)
    clips = [tmp_path / "a.wav", tmp_path / "b.MP3", tmp_path / "film.avi"]
    for clip in clips:
        clip.write_bytes(b"")
    drop_on(running.window.script.editor.viewport(), files_mime(*clips), QPoint(60, 60))
    drop_on(running.window, files_mime(*clips), QPoint(5, 5))
    assert got == [clips, clips]


def test_a_clip_that_the_model_cannot_clone_offers_the_models_that_can(
    running: Any, drop_on: Any, files_mime: Any, tmp_path: Path, qtbot: Any
) -> None:
    clip = tmp_path / "Ana.wav"
    soundfile.write(clip, np.random.default_rng(1).normal(0.0, 0.05, 96_000), 48_000)
    toast = running.window.toast
    assert not toast.help.isVisible()
    drop_on(running.window, files_mime(clip), QPoint(5, 5))
    qtbot.waitUntil(lambda: "cannot clone" in toast.text, timeout=10_000)
    assert toast.help.isVisible() and toast.help.text() == "Models"
    assert (
        toast.geometry().right()
        <= running.window.script.mapTo(running.window, QPoint(0, 0)).x() + running.window.script.width()
    )
    qtbot.mouseClick(toast.help, Qt.MouseButton.LeftButton)
    assert running.work.open_models().isVisible() and not toast.isVisible()
    running.work.open_models().close()
    running.studio.say("info", "Something else.")
    assert toast.isVisible() and not toast.help.isVisible()


def test_something_else_dropped_is_refused_in_words(running: Any, drop_on: Any) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile("/nowhere/table.xlsx")])
    drop_on(running.window, mime, QPoint(5, 5))
    assert "neither sound nor text" in running.window.toast.text


def test_a_name_that_looks_like_markup_is_told_as_it_is(running: Any) -> None:
    running.studio.say("warning", "<b>Ana</b>.wav is no sound.")
    label = next(each for each in running.window.toast.findChildren(QLabel) if "Ana" in each.text())
    assert label.textFormat() == Qt.TextFormat.PlainText


def test_a_failed_save_is_told_and_so_is_its_end(running: Any) -> None:
    from app.services.store_problem import problem

    running.studio.store.problem.emit(problem("full", running.studio.store.path))
    QApplication.processEvents()
    assert "disk is full" in running.window.toast.text
    running.studio.store.problem.emit(None)
    QApplication.processEvents()
    assert "works again" in running.window.toast.text


def test_every_control_has_an_accessible_name(sample: Any) -> None:
    kinds = (QAbstractButton, QLineEdit, QComboBox, QAbstractSpinBox, QAbstractItemView)
    nameless = []
    for widget in sample.window.findChildren(QWidget):
        if not isinstance(widget, kinds) or not widget.isVisible() or widget.objectName().startswith("qt_"):
            continue
        interface = QAccessible.queryAccessibleInterface(widget)
        name = interface.text(QAccessible.Text.Name) if interface is not None else ""
        if not name and not isinstance(widget.parent(), QAbstractSpinBox | QComboBox | QLineEdit):
            nameless.append((type(widget).__name__, widget.parent().metaObject().className()))
    assert nameless == []


def test_a_narrow_window_shortens_names_and_hides_nothing(sample: Any, qtbot: Any) -> None:
    bar = sample.window.toolbar
    voice = sample.studio.project.voice_of(sample.studio.project.block(sample.studio.current_block))
    sample.studio.do(SetVoice(replace(voice, name="A very long name of a voice from far away")))
    for width in (1400, 1024, sample.window.minimumSizeHint().width()):
        sample.window.resize(width, 700)
        qtbot.waitUntil(lambda: "A very long name" in bar.voice.accessibleName())
        qtbot.wait(80)
        for widget in (bar.voice, bar.language, bar.model, bar._export):
            assert widget.isVisible() and bar.rect().contains(widget.mapTo(bar, widget.rect().bottomRight()))
    sample.window.resize(1400, 700)
    qtbot.waitUntil(lambda: bar.voice.text().startswith("A very long"))
    assert bar.language.text() == "English"


def test_what_an_empty_region_says_is_never_cut_off(running: Any, qtbot: Any) -> None:
    running.window.resize(1024, 640)
    qtbot.wait(80)
    for empty in running.window.findChildren(EmptyState):
        if not empty.isVisible():
            continue
        for label in empty.findChildren(QLabel):
            assert label.height() >= label.heightForWidth(label.width())
            assert empty.rect().contains(label.geometry())


def test_the_theme_changes_every_icon_and_colour_at_once(sample: Any) -> None:
    sample.studio.actions.trigger("theme_dark")
    dark = sample.window.grab().toImage()
    sample.studio.actions.trigger("theme_light")
    light = sample.window.grab().toImage()
    corner = QPoint(3, 3)
    assert dark.pixelColor(corner).lightness() < 60 and light.pixelColor(corner).lightness() > 200


def test_a_message_stays_over_the_script_when_the_parts_of_the_window_move(sample: Any, qtbot: Any) -> None:
    window, script = sample.window, sample.window.script

    def middle_of(widget: QWidget) -> int:
        return widget.mapTo(window, QPoint(widget.width() // 2, 0)).x()

    sample.studio.say("error", "Something is wrong.")
    assert abs(middle_of(window.toast) - middle_of(script)) <= 1
    before = middle_of(script)
    for dock in window.findChildren(QDockWidget):
        if dock.isVisible() and dock.mapTo(window, QPoint(0, 0)).x() < before and dock.width() < script.width():
            dock.hide()
    qtbot.waitUntil(lambda: middle_of(script) < before - 50)
    qtbot.waitUntil(lambda: abs(middle_of(window.toast) - middle_of(script)) <= 1)


def test_an_action_under_the_mouse_leaves_the_figures_of_the_status_line_in_sight(sample: Any, qtbot: Any) -> None:
    ttfa = sample.window.findChild(Status).figures["ttfa"]
    for menu in (action.menu() for action in sample.window.menuBar().actions()):
        menu.popup(sample.window.mapToGlobal(QPoint(10, 40)))
        for action in menu.actions():
            menu.setActiveAction(action)
            QApplication.processEvents()
            assert ttfa.isVisible() and not sample.window.statusBar().currentMessage()
        menu.close()


def test_an_entry_of_a_menu_says_more_and_why_it_is_not_possible(running: Any, qtbot: Any) -> None:
    menus = [action.menu() for action in running.window.menuBar().actions()]
    tips = {action.objectName(): menu.tip_for(action) for menu in menus for action in menu.actions()}
    assert tips["undo"] == "<i>There is nothing to undo.</i>"
    assert tips["export"].startswith("Write the programme") and "Write something first" in tips["export"]
    assert tips["quit"] == "" and tips[""] == ""
    edit = menus[1]
    edit.popup(running.window.mapToGlobal(QPoint(10, 40)))
    at = edit.actionGeometry(running.studio.actions.action("undo")).center()
    QApplication.sendEvent(edit, QHelpEvent(QEvent.Type.ToolTip, at, edit.mapToGlobal(at)))
    assert "nothing to undo" in QToolTip.text()
    edit.close()


def test_stop_is_possible_only_while_something_is_played(sample: Any, qtbot: Any) -> None:
    actions = sample.studio.actions
    stop, play = actions.action("stop"), actions.action("play_pause")
    qtbot.waitUntil(play.isEnabled)
    assert not stop.isEnabled() and actions.why_not("stop") == "Nothing is being played."
    play.trigger()
    assert stop.isEnabled()  # at once, not a moment later
    play.trigger()
    assert sample.studio.player.state is PlayState.PAUSED and stop.isEnabled()
    stop.trigger()
    assert not stop.isEnabled() and play.isEnabled()


def test_stop_that_was_pressed_by_key_leaves_the_keyboard_to_play(sample: Any, qtbot: Any) -> None:
    transport = sample.window.toolbar.findChild(Transport)
    qtbot.waitUntil(transport.play.isEnabled)
    transport.play.click()
    transport.stop.setFocus()
    qtbot.keyClick(transport.stop, Qt.Key.Key_Space)
    assert not transport.stop.isEnabled() and sample.window.focusWidget() is transport.play


def test_what_moves_through_the_script_needs_a_script(running: Any, qtbot: Any) -> None:
    actions = running.studio.actions
    qtbot.waitUntil(lambda: running.studio.player is not None)
    moving = ("play_pause", "play_from_start", "previous_block", "next_block")
    assert not [name for name in (*moving, "stop", "play_selection") if actions.action(name).isEnabled()]
    qtbot.keyClicks(running.window.script.editor, "Hello.")
    qtbot.waitUntil(lambda: all(actions.action(name).isEnabled() for name in moving))
    assert not actions.action("stop").isEnabled()
