"""What a region shows when there is nothing in it: what it is for, and what to do first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.ui.theme import GRID, theme

_WIDEST_PX = 420


class _Picture(QWidget):
    def __init__(self, icon: str, size_px: int) -> None:
        super().__init__()
        self._icon = icon
        self._size_px = size_px
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

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
        self._picture = _Picture(icon, 20 if small else 32)
        column.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignHCenter)
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
        if not small:
            words.setMaximumWidth(_WIDEST_PX)
        across = QHBoxLayout()
        across.addStretch(1)
        across.addWidget(words, 100)
        across.addStretch(1)
        column.addLayout(across)
        self._labels = (title, words)
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
                row.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
            row.addStretch(1)
            column.addLayout(row)
        column.addStretch(2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a low place the words come first: no picture is better than half of one."""
        super().resizeEvent(event)
        inside = self.contentsRect().adjusted(GRID * 2, GRID * 2, -GRID * 2, -GRID * 2)
        words = sum(label.heightForWidth(min(inside.width(), label.maximumWidth())) + GRID for label in self._labels)
        self._picture.setVisible(self._picture.sizeHint().height() + words <= inside.height())
