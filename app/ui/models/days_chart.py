"""A bar a day: seconds of speech, with what failed or is suspicious in its colour; a line is the speed."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QToolTip, QWidget

from app.services.runs import Summary
from app.ui.models.words import duration
from app.ui.theme import theme


class DaysChart(QWidget):
    """Hover tells the figures of a day."""

    def __init__(self) -> None:
        super().__init__()
        self._days: list[tuple[str, Summary]] = []
        self.setFixedHeight(92)
        self.setAccessibleName(self.tr("Speech by day"))

    def show_days(self, days: list[tuple[str, Summary]]) -> None:
        self._days = days
        self.setAccessibleDescription("; ".join(self._words(day, summary) for day, summary in days[-7:]))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, 92)

    def _words(self, day: str, summary: Summary) -> str:
        words = self.tr("%1: %2 of speech, %3 spoken, %4 failed, %5 suspicious")
        for at, value in enumerate(
            (day, duration(summary.seconds), summary.runs, summary.failed, summary.suspicious), 1
        ):
            words = words.replace(f"%{at}", str(value))
        if summary.rtf is not None:
            words += self.tr(", %1 × real time").replace("%1", f"{summary.rtf:.2f}")
        return words

    def speed_points(self) -> list[QPointF]:
        """Where the line of the speed goes through: the medians of the days, the slowest at the top."""
        known = [(rect.center().x(), summary.rtf) for rect, _, summary in self._bars() if summary.rtf is not None]
        slowest = max((rtf for _, rtf in known), default=0.0) or 1.0
        room = self.height() - 28.0
        return [QPointF(x, 4.0 + room * (1.0 - rtf / slowest)) for x, rtf in known]

    def _bars(self) -> list[tuple[QRectF, str, Summary]]:
        if not self._days:
            return []
        most = max(summary.seconds for _, summary in self._days) or 1.0
        width = min(36.0, self.width() / len(self._days))
        room = self.height() - 20.0
        return [
            (
                QRectF(
                    at * width,
                    room - max(2.0, room * summary.seconds / most),
                    width,
                    max(2.0, room * summary.seconds / most),
                ),
                day,
                summary,
            )
            for at, (day, summary) in enumerate(self._days)
        ]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for rect, _, summary in self._bars():
            bar = rect.adjusted(1.5, 0, -1.5, 0)
            painter.setBrush(theme().colour("accent"))
            painter.drawRoundedRect(bar, 2, 2)
            top = bar.top()
            for colour, share in (("error", summary.failure_rate), ("warning", summary.suspicious_rate)):
                if share:
                    height = max(2.0, bar.height() * share)
                    painter.setBrush(theme().colour(colour))
                    painter.drawRoundedRect(QRectF(bar.left(), top, bar.width(), height), 2, 2)
                    top += height
        points = self.speed_points()
        painter.setPen(QPen(theme().colour("text"), 1.5))
        painter.setBrush(theme().colour("text"))
        painter.drawPolyline(QPolygonF(points))
        for point in points:
            painter.drawEllipse(point, 2.0, 2.0)
        painter.setPen(theme().colour("text_faint"))
        painter.setFont(theme().small_font(-1))
        floor = QRectF(0, self.height() - 18, self.width(), 18)
        if not self._days:
            painter.drawText(QRectF(self.rect()), Qt.AlignmentFlag.AlignCenter, self.tr("Nothing was spoken yet."))
            return
        painter.drawText(floor, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, self._days[0][0])
        if len(self._days) > 6:
            last = QRectF(0, self.height() - 18, self._bars()[-1][0].right(), 18)
            painter.drawText(last, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, self._days[-1][0])

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            for rect, day, summary in self._bars():
                if rect.left() <= event.pos().x() < rect.right():
                    QToolTip.showText(event.globalPos(), self._words(day, summary), self)
                    return True
        return super().event(event)
