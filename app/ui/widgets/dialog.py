"""A dialog in the studio's look: heading, body, buttons; it never blocks the window behind it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.ui.theme import GRID
from app.ui.widgets.fields import rule


class Dialog(QDialog):
    """Fill `body`, add buttons with `add_button`. Escape closes.

    Attributes:
        body: column of the content.
    """

    def __init__(self, parent: QWidget, title: str, sentence: str = "", *, width: int = 560) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setModal(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(GRID * 3, GRID * 3, GRID * 3, GRID * 2)
        column.setSpacing(GRID * 2)
        head = QVBoxLayout()
        head.setSpacing(GRID // 2)
        self.heading = QLabel(title)
        self.heading.setTextFormat(Qt.TextFormat.PlainText)
        self.heading.setProperty("role", "title")
        head.addWidget(self.heading)
        self.sentence = QLabel(sentence)
        self.sentence.setProperty("role", "soft")
        self.sentence.setWordWrap(True)
        self.sentence.setVisible(bool(sentence))
        head.addWidget(self.sentence)
        column.addLayout(head)
        self.body = QVBoxLayout()
        self.body.setSpacing(GRID + 4)
        column.addLayout(self.body, 1)
        column.addWidget(rule())
        self._row = QHBoxLayout()
        self._row.setSpacing(GRID)
        self._row.addStretch(1)
        column.addLayout(self._row)
        self.resize(width, self.sizeHint().height())

    def add_button(self, text: str, *, primary: bool = False, left: bool = False) -> QPushButton:
        button = QPushButton(text)
        button.setAutoDefault(False)
        if primary:
            button.setProperty("kind", "primary")
            button.setAutoDefault(True)
            button.setDefault(True)
        if left:
            self._row.insertWidget(self._row.count() - 1 if self._row.count() == 1 else 0, button)
        else:
            self._row.addWidget(button)
        return button

    def showEvent(self, event: QShowEvent) -> None:
        self.grow()
        super().showEvent(event)

    def grow(self) -> None:
        """Be as high as what is in it needs; wrapped sentences are as high as the width makes them."""
        needed = (
            self.layout().totalHeightForWidth(self.width())
            if self.layout().hasHeightForWidth()
            else self.sizeHint().height()
        )
        self.resize(self.width(), max(self.height(), needed))

    def set_sentence(self, text: str) -> None:
        self.sentence.setText(text)
        self.sentence.setVisible(bool(text))


def card(*, margins: int = GRID * 2) -> tuple[QFrame, QVBoxLayout]:
    """A framed group of rows."""
    frame = QFrame()
    frame.setProperty("role", "card")
    column = QVBoxLayout(frame)
    column.setContentsMargins(margins, margins, margins, margins)
    column.setSpacing(GRID)
    return frame, column


def note(text: str, role: str = "soft") -> QLabel:
    """A sentence that wraps."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)  # what people and files say is never markup
    label.setProperty("role", role)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
