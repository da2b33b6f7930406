"""One line for the person at the bottom of the window; it never takes the keyboard."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from app.ui.theme import GRID, theme
from app.ui.widgets.dock import small_button
from app.ui.widgets.putting_away import put_away

LEVELS = {
    "info": ("info", "info"),
    "done": ("check", "done"),
    "warning": ("warning", "warning"),
    "error": ("error", "error"),
}
SHOWN_MS = {"info": 4000, "done": 3500, "warning": 8000, "error": 0}


class _Glyph(QWidget):
    level = "info"

    def sizeHint(self) -> QSize:
        return QSize(20, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        icon, colour = LEVELS[self.level]
        theme().paint_icon(QPainter(self), QRectF(0, (self.height() - 20) / 2, 20, 20), icon, colour)


class Toast(QFrame):
    """Errors stay until they are closed; the rest goes by itself.

    Attributes:
        help: a button that does what was offered.
    """

    def __init__(self, window: QWidget, over: QWidget) -> None:
        """`over` is the part of the window whose lower edge it floats above, and which has the keyboard after it."""
        super().__init__(window)
        self._over = over
        self.setProperty("role", "toast")
        row = QHBoxLayout(self)
        row.setContentsMargins(GRID + 4, GRID, GRID, GRID)
        row.setSpacing(GRID)
        self._glyph = _Glyph()
        self._text = QLabel()
        self._text.setTextFormat(Qt.TextFormat.PlainText)  # names of files and voices are shown as they are
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._close = small_button("close", self.tr("Close this message"))
        self._close.clicked.connect(self._leave)
        row.addWidget(self._glyph)
        row.addWidget(self._text, 1)
        self.help = QPushButton()
        self.help.setAutoDefault(False)
        self.help.clicked.connect(self._take_offer)
        self._deed: Callable[[], object] = lambda: None
        row.addWidget(self.help)
        row.addWidget(self._close)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._leave)
        self._window = window
        for each in (window, over):
            each.installEventFilter(self)
        self.hide()

    def say(self, level: str, text: str) -> None:
        self._glyph.level = level if level in LEVELS else "info"
        self._text.setText(text)
        self.setAccessibleName(text)
        self.help.hide()
        self._place()
        self.show()
        self.raise_()
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))
        self._timer.stop()
        if SHOWN_MS[self._glyph.level]:
            self._timer.start(SHOWN_MS[self._glyph.level] + 25 * len(text))

    def offer(self, words: str, deed: Callable[[], object]) -> None:
        """Put a button beside what was said last. It takes the keyboard no more than the line does."""
        self.help.setText(words)
        self._deed = deed
        self.help.show()
        self._place()

    def _take_offer(self) -> None:
        self._leave()
        self._deed()

    @property
    def text(self) -> str:
        return self._text.text() if self.isVisible() else ""

    def _leave(self) -> None:
        put_away(self, self._over)

    def _place(self) -> None:
        beside = 100 + (self.help.sizeHint().width() + GRID if self.help.isVisibleTo(self) else 0)
        natural = self._text.fontMetrics().horizontalAdvance(self._text.text()) + beside + 10
        width = max(240, min(natural, 460 + beside, self._over.width() - 4 * GRID))
        self._text.setFixedWidth(width - beside)
        self.adjustSize()
        corner = self._over.mapTo(self._window, QPoint(0, 0))
        left = corner.x() + (self._over.width() - self.width()) // 2
        self.move(left, corner.y() + self._over.height() - self.height() - 2 * GRID)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        moved = event.type() in (QEvent.Type.Resize, QEvent.Type.Move)
        # At the start it speaks before the parts of the window have their places, and docks are moved later.
        if moved and watched in (self._window, self._over) and self.isVisibleTo(self._window):
            self._place()
        return False
