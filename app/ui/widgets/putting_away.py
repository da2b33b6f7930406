"""Hides a part of the window without losing the keyboard with it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def holds_keyboard(part: QWidget) -> bool:
    """Whether something in `part` has the keyboard, or will when its window is the active one."""
    focus = part.window().focusWidget()
    return focus is not None and (focus is part or part.isAncestorOf(focus))


def put_away(part: QWidget, place: QWidget) -> None:
    """Hide `part`; `place` gets the keyboard when it was inside: Qt gives it to whatever comes next."""
    inside = holds_keyboard(part)
    part.hide()
    if inside:
        place.setFocus(Qt.FocusReason.OtherFocusReason)
