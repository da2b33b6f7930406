"""The list of the pages of a dialog, at its left."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QListWidget, QListWidgetItem

from app.ui.theme import theme

_NARROWEST_PX = 156
_ROW_PX = 34
_AROUND_PX = 64  # icon and air


class PageList(QListWidget):
    """As wide as its longest name, at any size of text."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Pages"))
        self.setSpacing(1)
        self.setFixedWidth(_NARROWEST_PX)

    def add_page(self, name: str, icon: str) -> None:
        metrics = self.fontMetrics()
        item = QListWidgetItem(theme().icon(icon), name)
        item.setSizeHint(QSize(0, max(_ROW_PX, metrics.height() + 14)))
        self.addItem(item)
        self.setFixedWidth(max(self.minimumWidth(), metrics.horizontalAdvance(name) + _AROUND_PX))
