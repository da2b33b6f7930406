"""The first minute with the starter: sample, Ctrl+Enter, speech; then another voice, again, pick a take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt

from app.services.playing import PlayState
from app.ui.dropping import voice_mime


@pytest.mark.timeout(180)
def test_from_the_first_start_to_a_chosen_take(
    open_studio_at: Callable[..., Any], qtbot: Any, drop_on: Callable[..., bool]
) -> None:
    running = open_studio_at()
    studio, editor = running.studio, running.window.script.editor
    running.loader.load()
    studio.actions.trigger("open_sample")
    qtbot.waitUntil(lambda: studio.engine is not None, timeout=90_000)

    heading = studio.project.blocks[0]
    editor.select_block(heading.id)
    qtbot.waitUntil(studio.actions.action("play_pause").isEnabled)
    qtbot.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: studio.player.state is PlayState.PLAYING, timeout=60_000)
    qtbot.waitUntil(lambda: studio.playing_block == heading.id, timeout=10_000)
    qtbot.keyClicks(editor, " ")  # a space typed while it plays is a space
    assert studio.player.state in (PlayState.PLAYING, PlayState.BUFFERING)
    assert studio.project.blocks[0].text.startswith(" ") and studio.history.can_undo
    studio.actions.trigger("undo")
    qtbot.keyClick(editor, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: studio.player.state is PlayState.STOPPED, timeout=5_000)

    line = studio.project.blocks[6]
    assert line.text == "## Your turn"
    voice = studio.library.find("Gon")
    rect = next(rect for number, rect in editor.rows.visible() if number == 6)
    assert drop_on(editor.viewport(), voice_mime(voice.id, voice.name), QPoint(60, int(rect.center().y())))
    editor.select_block(line.id)
    studio.actions.trigger("again")
    studio.actions.trigger("again")
    qtbot.waitUntil(
        lambda: len(studio.project.block(line.id).takes) >= 2 and not studio.renderer.queue(), timeout=90_000
    )
    takes = studio.project.block(line.id).takes
    newest = studio.project.block(line.id).chosen
    assert newest == takes[-1]
    assert all(studio.project.takes[each].seconds > 0.2 for each in takes[-2:])
    qtbot.waitUntil(studio.actions.action("previous_take").isEnabled)
    studio.actions.trigger("previous_take")
    assert studio.project.block(line.id).chosen == takes[-2]
    assert studio.project.takes[takes[-1]].seed != studio.project.takes[takes[-2]].seed
