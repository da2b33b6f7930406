"""The waveform of a clip with two handles for the part that counts."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.services.overview import Overview
from app.ui.theme import theme
from app.ui.transport.transport import clock

_HANDLE_PX = 10
_SHORTEST_S = 0.5


class ClipView(QWidget):
    """Drag the handles; with the keyboard, Left and Right move the start, with Shift the end, by a tenth of a second.

    Signals:
        range_changed(start, end, finished): seconds.
    """

    range_changed = Signal(float, float, bool)

    def __init__(self) -> None:
        super().__init__()
        self._shape: Overview | None = None
        self._rate = 48_000
        self._colour = QColor("#8a948f")
        self.start_s = self.end_s = self._total_s = 0.0
        self._held = ""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumHeight(56)
        self.setAccessibleName(self.tr("Part of the clip that counts"))
        theme().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(220, 64)

    def show_clip(
        self, shape: Overview | None, rate: int, start_s: float | None, end_s: float | None, colour: str
    ) -> None:
        """`shape` covers the whole clip at `rate`."""
        self._shape, self._rate, self._colour = shape, rate, QColor(colour)
        self._total_s = shape.samples / rate if shape is not None else 0.0
        self.start_s = start_s or 0.0
        self.end_s = self._total_s if end_s is None else min(end_s, self._total_s)
        self._tell_screen_reader()
        self.update()

    @property
    def whole(self) -> bool:
        """The whole clip counts."""
        return self.start_s <= 0.0 and self.end_s >= self._total_s - 1e-6

    def set_range(self, start_s: float, end_s: float, *, finished: bool) -> None:
        start_s = min(max(0.0, start_s), max(0.0, self._total_s - _SHORTEST_S))
        end_s = min(self._total_s, max(end_s, start_s + _SHORTEST_S))
        if (start_s, end_s) != (self.start_s, self.end_s) or finished:
            self.start_s, self.end_s = start_s, end_s
            self._tell_screen_reader()
            self.update()
            self.range_changed.emit(start_s, end_s, finished)

    def _tell_screen_reader(self) -> None:
        words = self.tr("from %1 to %2").replace("%1", clock(self.start_s, hundredths=True))
        self.setAccessibleDescription(words.replace("%2", clock(self.end_s, hundredths=True)))

    def _x(self, seconds: float) -> float:
        return seconds / self._total_s * self.width() if self._total_s else 0.0

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme().colour("focus" if self.hasFocus() else "border"), 1))
        painter.setBrush(theme().colour("base"))
        painter.drawRoundedRect(area, 6, 6)
        if self._shape is None or not self._total_s:
            painter.setPen(theme().colour("text_faint"))
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, self.tr("Reading the clip…"))
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        bins, width = self._shape.bins(self._shape.samples / max(1, self.width()))
        loudest = max(1, int(abs(bins.astype(int)).max())) if len(bins) else 1
        middle, reach = self.height() / 2, (self.height() - 8) / 2 / loudest
        inside, outside = QPen(self._colour), QPen(theme().colour("border_strong"))
        lines: dict[bool, list[QLineF]] = {True: [], False: []}
        for x in range(2, self.width() - 2):
            if not len(bins):
                break
            low, high = bins[min(len(bins) - 1, int(x / self.width() * self._shape.samples / width))]
            counts = self._x(self.start_s) <= x <= self._x(self.end_s)
            lines[counts].append(QLineF(x, middle - int(high) * reach, x, middle - int(low) * reach + 1))
        for counts, pen in ((False, outside), (True, inside)):
            painter.setPen(pen)
            painter.drawLines(lines[counts])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for seconds, grip in ((self.start_s, 1), (self.end_s, -1)):
            x = min(max(self._x(seconds), 1.0), self.width() - 1.0)
            painter.setPen(QPen(theme().colour("accent"), 2))
            painter.drawLine(QPointF(x, 2), QPointF(x, self.height() - 2))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme().colour("accent"))
            painter.drawRoundedRect(QRectF(x if grip > 0 else x - 6, self.height() / 2 - 9, 6, 18), 2, 2)

    def _handle_at(self, x: float) -> str:
        to_start, to_end = abs(x - self._x(self.start_s)), abs(x - self._x(self.end_s))
        if min(to_start, to_end) > _HANDLE_PX:
            return ""
        return "start" if to_start < to_end else "end"

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._held = self._handle_at(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if not self._held:
            self.setCursor(Qt.CursorShape.SizeHorCursor if self._handle_at(x) else Qt.CursorShape.ArrowCursor)
        elif self.width():
            self._drag(x / self.width() * self._total_s, finished=False)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._held:
            self._drag(event.position().x() / max(1, self.width()) * self._total_s, finished=True)
            self._held = ""

    def _drag(self, seconds: float, *, finished: bool) -> None:
        if self._held == "start":
            self.set_range(min(seconds, self.end_s - _SHORTEST_S), self.end_s, finished=finished)
        else:
            self.set_range(self.start_s, seconds, finished=finished)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step_s = {Qt.Key.Key_Left: -0.1, Qt.Key.Key_Right: 0.1}.get(Qt.Key(event.key()))
        if step_s is None:
            super().keyPressEvent(event)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.set_range(self.start_s, self.end_s + step_s, finished=True)
        else:
            self.set_range(min(self.start_s + step_s, self.end_s - _SHORTEST_S), self.end_s, finished=True)
