"""Where sound goes to and comes from is chosen in the preferences, kept, and used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.services.devices import Device
from app.ui.widgets.fields import Choice


def a_machine(running: Any, monkeypatch: Any) -> Any:
    devices = running.studio.devices
    outputs = (Device(0, "Speakers", "Test", 2, 0, 48_000), Device(1, "Headphones", "Test", 2, 0, 48_000))
    monkeypatch.setattr(devices, "outputs", lambda: outputs)
    monkeypatch.setattr(devices, "inputs", lambda: (Device(2, "Desk microphone", "Test", 0, 1, 48_000),))
    return devices


def choice(dialog: Any, name: str) -> Any:
    return next(each for each in dialog.findChildren(Choice) if each.accessibleName() == name)


def pick(field: Any, text: str) -> None:
    index = field.findText(text)
    assert index >= 0
    field.setCurrentIndex(index)
    field.activated.emit(index)


def test_a_chosen_microphone_is_used_and_remembered(
    open_studio_at: Callable[..., Any], monkeypatch: Any, qtbot: Any
) -> None:
    running = open_studio_at()
    qtbot.waitUntil(lambda: running.studio.devices is not None)
    devices = a_machine(running, monkeypatch)
    dialog = running.work.open_preferences("sound")
    qtbot.waitUntil(lambda: choice(dialog, "Microphone").count() > 1)
    pick(choice(dialog, "Microphone"), "Desk microphone")
    assert devices.wanted_input == "Desk microphone" and devices.wanted_output is None
    dialog.close()
    running.window.save_state()
    again = open_studio_at()
    qtbot.waitUntil(lambda: again.studio.devices is not None)
    assert again.studio.devices.wanted_input == "Desk microphone"


def test_an_output_and_a_microphone_that_went_away_are_shown_as_missing(
    running: Any, monkeypatch: Any, qtbot: Any
) -> None:
    a_machine(running, monkeypatch)
    running.window.state.input_device = "Borrowed microphone"
    dialog = running.work.open_preferences("sound")
    field = choice(dialog, "Microphone")
    qtbot.waitUntil(lambda: field.count() > 1)
    assert field.currentIndex() == -1 and "Missing" in field.placeholderText()
    pick(field, "As the system")
    assert running.window.state.input_device == "" and running.studio.devices.wanted_input is None
    pick(choice(dialog, "Output"), "Headphones")
    assert running.studio.player.devices.wanted_output == "Headphones"
    dialog.close()
