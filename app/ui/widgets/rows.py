"""What the rows of lists that paint themselves have in common."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from app.ui.theme import RADIUS, theme

_ROUND = RADIUS - 2


def paint_ground(painter: QPainter, option: QStyleOptionViewItem, area: QRectF, *, marked: bool | None = None) -> None:
    """Paint beneath a row that it is marked, that the mouse is over it, that it has the keyboard.

    Args:
        marked: None for what is selected in the view.
    """
    look = theme()
    if marked is None:
        marked = bool(option.state & QStyle.StateFlag.State_Selected)
    if marked or option.state & QStyle.StateFlag.State_MouseOver:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("accent_soft" if marked else "hover"))
        painter.drawRoundedRect(area, _ROUND, _ROUND)
    if option.state & QStyle.StateFlag.State_HasFocus:
        painter.setPen(look.colour("focus"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), _ROUND, _ROUND)
