"""A dialog that lists what was found and does something with the chosen row, or says that there is nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QPushButton, QWidget

from app.ui.widgets.dialog import Dialog, card
from app.ui.widgets.empty_state import EmptyState


class ListDialog(Dialog):
    """Is gone when it is closed. Until `show_rows` it says neither that there is something nor that there is not.

    Attributes:
        list: the rows.
    """

    def __init__(self, parent: QWidget, title: str, sentence: str, *, width: int, list_height: int) -> None:
        """Args: width, list_height: pixels."""
        super().__init__(parent, title, sentence, width=width)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._deeds: list[QPushButton] = []
        self._empty: EmptyState | None = None
        frame, self._inside = card(margins=4)
        self.list = QListWidget()
        self.list.setMinimumHeight(list_height)
        self._inside.addWidget(self.list)
        self.body.addWidget(frame, 1)

    def set_empty(self, empty: EmptyState) -> None:
        """What is shown in the place of no rows."""
        self._empty = empty
        empty.hide()
        self._inside.addWidget(empty)

    def add_deed(self, text: str, *, primary: bool = False, left: bool = False) -> QPushButton:
        """A button that does something with the chosen row: greyed while there is none. A row's double click and Enter
        are the primary one."""
        button = self.add_button(text, primary=primary, left=left)
        self._deeds.append(button)
        if primary:
            self.list.itemActivated.connect(lambda _: button.click())
        button.setEnabled(False)
        return button

    def show_rows(self, rows: Sequence[tuple[QListWidgetItem, Any]]) -> None:
        """Show these rows alone, each with what it stands for (see `chosen`); the first is chosen."""
        self.list.clear()
        for item, stands_for in rows:
            item.setData(Qt.ItemDataRole.UserRole, stands_for)
            self.list.addItem(item)
        self.list.setVisible(bool(rows))
        if self._empty is not None:
            self._empty.setVisible(not rows)
        self.list.setCurrentRow(0)
        self.allow(bool(rows))

    def chosen(self) -> Any:
        """What the chosen row stands for; None where no row is chosen."""
        item = self.list.currentItem()
        return item.data(Qt.ItemDataRole.UserRole) if item is not None else None

    def allow(self, allowed: bool) -> None:
        """Whether the deeds are possible now."""
        for button in self._deeds:
            button.setEnabled(allowed)
