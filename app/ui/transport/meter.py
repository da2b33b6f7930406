"""Peak meter of both channels with true peak and short-term loudness."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.services.meters import SILENCE_DB, Levels
from app.ui.theme import GRID, theme

LOWEST_DB = -48.0
_WARM_DB, _HOT_DB = -12.0, -1.0


class MeterView(QWidget):
    """Two bars from -48 to 0 dBFS; beside them LUFS of the last 3 s, and in the tool tip the highest true peak."""

    def __init__(self) -> None:
        super().__init__()
        self._levels = Levels()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.update)
        self.show_levels(Levels(), False)

    def sizeHint(self) -> QSize:
        return QSize(120 + QFontMetrics(theme().figures_font(-1.0)).horizontalAdvance("−00.0 LUFS") + GRID, 28)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def show_levels(self, levels: Levels, playing: bool) -> None:
        shown = levels if playing else Levels(true_peak_db=self._levels.true_peak_db, short_term_lufs=None)
        if shown == self._levels and self.accessibleName():
            return
        self._levels = shown
        true_peak = "–" if shown.true_peak_db <= SILENCE_DB else f"{shown.true_peak_db:.1f} dBTP"
        self.setToolTip(self.tr("Level. Highest true peak since play: %1").replace("%1", true_peak))
        self.setAccessibleName(self.tr("Level"))
        self.setAccessibleDescription(
            self.tr("True peak %1, short-term loudness %2").replace("%1", true_peak).replace("%2", self._lufs())
        )
        self.update()

    def _lufs(self) -> str:
        lufs = self._levels.short_term_lufs
        return "– LUFS" if lufs is None or lufs < -70 else f"{lufs:.1f} LUFS".replace("-", "−")

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        width, height = 120.0, 5.0
        top = self.height() / 2 - height - 1
        for channel, level_db in enumerate(self._levels.peak_db):
            bar = QRectF(0, top + channel * (height + 2), width, height)
            painter.setBrush(theme().colour("pressed"))
            painter.drawRoundedRect(bar, 2.5, 2.5)
            share = max(0.0, min(1.0, (level_db - LOWEST_DB) / -LOWEST_DB))
            if share > 0:
                painter.save()
                painter.setClipRect(QRectF(bar.left(), bar.top(), share * width, height))
                for start_db, end_db, colour in (
                    (LOWEST_DB, _WARM_DB, "accent"), (_WARM_DB, _HOT_DB, "warning"), (_HOT_DB, 0.0, "error")
                ):  # fmt: skip
                    left = (start_db - LOWEST_DB) / -LOWEST_DB * width
                    right = (end_db - LOWEST_DB) / -LOWEST_DB * width
                    painter.setClipRect(
                        QRectF(left, bar.top(), right - left, height).intersected(
                            QRectF(0, bar.top(), share * width, height)
                        )
                    )
                    painter.setBrush(theme().colour(colour))
                    painter.drawRoundedRect(bar, 2.5, 2.5)
                painter.restore()
        painter.setFont(theme().figures_font(-1.0))
        hot = self._levels.true_peak_db > -1.0
        painter.setPen(theme().colour("error" if hot else "text_soft"))
        painter.drawText(
            QRectF(width + GRID, 0, self.width() - width - GRID, self.height()),
            Qt.AlignmentFlag.AlignVCenter,
            self._lufs(),
        )
