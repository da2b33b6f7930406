"""What a region shows when there is nothing in it: what it is for, and what to do first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.ui.theme import GRID, theme


class _Picture(QWidget):
    def __init__(self, icon: str, size_px: int) -> None:
        super().__init__()
        self._icon = icon
        self._size_px = size_px
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def sizeHint(self) -> QSize:
        return QSize(self._size_px * 2, self._size_px * 2)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        side = float(self._size_px)
        circle = QRectF(self.width() / 2 - side, self.height() / 2 - side, side * 2, side * 2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().colour("accent_soft"))
        painter.drawEllipse(circle)
        inner = QRectF(circle.center().x() - side / 2, circle.center().y() - side / 2, side, side)
        theme().paint_icon(painter, inner, self._icon, "accent")


class EmptyState(QWidget):
    """A picture, a heading, a sentence, and at most three buttons.

    Args:
        deeds: (text, what it does, whether it is the first thing to do).
    """

    def __init__(
        self,
        icon: str,
        heading: str,
        sentence: str,
        deeds: Sequence[tuple[str, Callable[[], object], bool]] = (),
        *,
        small: bool = False,
    ) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(GRID * 2, GRID * 2, GRID * 2, GRID * 2)
        column.setSpacing(GRID)
        column.addStretch(1)
        column.addWidget(_Picture(icon, 20 if small else 32), 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(0 if small else GRID)
        title = QLabel(heading)
        title.setProperty("role", "heading" if small else "title")
        title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        title.setWordWrap(True)
        column.addWidget(title)
        words = QLabel(sentence)
        words.setProperty("role", "soft")
        words.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        words.setWordWrap(True)
        if small:
            column.addWidget(words)
        else:
            words.setFixedWidth(420)
            column.addWidget(words, 0, Qt.AlignmentFlag.AlignHCenter)
        self.setAccessibleName(heading)
        self.setAccessibleDescription(sentence)
        if deeds:
            column.addSpacing(GRID)
            row: QHBoxLayout | QVBoxLayout = QVBoxLayout() if small else QHBoxLayout()
            row.setSpacing(GRID)
            row.addStretch(1)
            for text, deed, primary in deeds:
                button = QPushButton(text)
                if primary:
                    button.setProperty("kind", "primary")
                button.clicked.connect(lambda _=False, deed=deed: deed())
                row.addWidget(button)
            row.addStretch(1)
            column.addLayout(row)
        column.addStretch(2)
