"""The place in the voices dock that says where clips go."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout

from app.ui.theme import GRID, theme


class DropHint(QFrame):
    """Where clips can be dropped; a click asks for files."""

    def __init__(self, words: str, second: str, clicked: Callable[[], None]) -> None:
        super().__init__()
        self._words = words
        self._clicked = clicked
        self.setObjectName("dropHint")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(f"{words} {second}")
        column = QVBoxLayout(self)
        column.setContentsMargins(GRID, GRID, GRID, GRID)
        column.setSpacing(0)
        self._label = QLabel(words)
        self._second = QLabel(second)
        self._label.setProperty("role", "small")
        self._second.setProperty("role", "faint")
        for label in (self._label, self._second):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            label.setWordWrap(True)
            column.addWidget(label)
        theme().changed.connect(self._tint)
        self._hot = False
        self._tint()

    def set_hot(self, hot: bool) -> None:
        self._hot = hot
        self._tint()

    def set_busy(self, busy: bool) -> None:
        self._label.setText(self.tr("Looking at the clips…") if busy else self._words)

    def _tint(self) -> None:
        edge, ground = ("accent", "accent_soft") if self._hot else ("border_strong", "base")
        self.setStyleSheet(
            f"#dropHint {{ border: 1px dashed {theme().colour(edge).name()}; border-radius: 8px;"
            f" background: {theme().colour(ground).name()}; }}"
            f" #dropHint:focus {{ border: 1px solid {theme().colour('focus').name()}; }}"
        )

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.rect().contains(event.position().toPoint()):
            self._clicked()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._clicked()
        else:
            super().keyPressEvent(event)
