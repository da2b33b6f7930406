"""Scrolled pages, named for who cannot see them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QWidget


def scrolled(page: QWidget, name: str) -> QScrollArea:
    """`page` in an area that scrolls it up and down.

    Args:
        name: what a screen reader calls it; the keyboard reaches it to scroll with the arrows.
    """
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setAccessibleName(name)
    area.setWidget(page)
    return area
