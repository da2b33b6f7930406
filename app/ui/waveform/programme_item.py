"""Draws the programme: blocks as spans in the colours of their voices, and their sound."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.services.timeline import Timeline
from app.ui.theme import theme
from app.ui.waveform.columns import FEW_ROWS, Shapes, columns

STRIP_PX = 4.0
LABEL_PX = 16.0


class ProgrammeItem(pg.GraphicsObject):
    """Fills its view box. What it shows is drawn once into a pixmap and only copied until something changes.

    Attributes:
        playing: id of the block that is heard.
    """

    def __init__(self, shapes: Shapes, look_of: Callable[[str], tuple[str, str, str]]) -> None:
        """
        Args:
            look_of: block id to (colour "#rrggbb", words shown on the span, state).
        """
        super().__init__()
        self._shapes = shapes
        self._look_of = look_of
        self._timeline: Timeline | None = None
        self._pixmap: QPixmap | None = None
        self._drawn_for: object = None
        self.playing = ""
        self.unknown: list[str] = []  # visible blocks whose shape is not known

    def set_timeline(self, timeline: Timeline | None) -> None:
        self._timeline = timeline
        self.refresh()

    def set_playing(self, block_id: str) -> None:
        if block_id != self.playing:
            self.playing = block_id
            self.refresh()

    def refresh(self) -> None:
        """What is shown changed."""
        self._pixmap = None
        self.update()

    def boundingRect(self) -> QRectF:
        box = self.getViewBox()
        return box.viewRect() if box is not None else QRectF()

    def viewRangeChanged(self) -> None:
        self.prepareGeometryChange()
        self._pixmap = None
        self.update()

    def paint(self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None) -> None:
        box = self.getViewBox()
        if box is None or self._timeline is None:
            return
        size = box.boundingRect().size()
        ratio = painter.device().devicePixelRatioF()
        key = (size.width(), size.height(), ratio)
        if self._pixmap is None or self._drawn_for != key:
            self._drawn_for = key
            self._pixmap = self._draw(size.width(), size.height(), ratio)
        painter.save()
        painter.resetTransform()
        corner = box.mapToScene(box.boundingRect().topLeft())
        view = box.scene().views()[0]
        at = view.mapFromScene(corner)
        painter.scale(1.0, 1.0)
        painter.drawPixmap(at, self._pixmap)
        painter.restore()

    def _draw(self, width: float, height: float, ratio: float) -> QPixmap:
        pixel_width, pixel_height = max(1, round(width * ratio)), max(1, round(height * ratio))
        pixmap = QPixmap(pixel_width, pixel_height)
        pixmap.fill(Qt.GlobalColor.transparent)
        box, timeline = self.getViewBox(), self._timeline
        assert box is not None and timeline is not None
        (start_s, end_s), _ = box.viewRange()
        rows = timeline.rows_between(start_s, end_s)
        painter = QPainter(pixmap)
        shown = columns(timeline, self._shapes, start_s, end_s, pixel_width)
        looks = {number: self._look_of(timeline.block_ids[number]) for number in np.unique(shown.row) if number >= 0}
        px_a_s = pixel_width / (end_s - start_s)
        if len(rows) <= FEW_ROWS:
            self._draw_spans(painter, rows, looks, start_s, px_a_s, pixel_height, ratio)
        self._draw_sound(painter, shown.low, shown.high, shown.row, looks, pixel_height, ratio, len(rows) > FEW_ROWS)
        painter.end()
        pixmap.setDevicePixelRatio(ratio)
        self.unknown = [
            timeline.block_ids[number] for number in rows if self._shapes.of(timeline.block_ids[number]) is None
        ][:2000]
        return pixmap

    def _draw_spans(self, painter: QPainter, rows: range, looks: dict, start_s: float, px_a_s: float, height: int, ratio: float) -> None:
        timeline = self._timeline
        assert timeline is not None
        font = theme().small_font(-1.5)
        font.setPixelSize(max(1, round(10.5 * ratio)))
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number in rows:
            one = timeline.at(number)
            if number not in looks:
                continue
            colour_name, words, state = looks[number]
            left, right = (one.start_s - start_s) * px_a_s, (one.start_s + one.length_s - start_s) * px_a_s
            area = QRectF(left, 0, max(1.0, right - left), height)
            colour = QColor(colour_name)
            tint = QColor(colour)
            heard = one.block_id == self.playing
            tint.setAlphaF(0.20 if heard else 0.09)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(tint)
            painter.drawRoundedRect(area, 3 * ratio, 3 * ratio)
            if state in ("none", "queued", "failed", "stale"):
                edge = QColor(theme().colour({"failed": "error", "stale": "warning"}.get(state, "border_strong")))
                pen = QPen(edge, ratio, Qt.PenStyle.DashLine)
                painter.setPen(pen)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                inset = 0.5 * ratio
                painter.drawRoundedRect(area.adjusted(inset, inset, -inset, -inset), 3 * ratio, 3 * ratio)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawRoundedRect(QRectF(area.left(), 0, area.width(), STRIP_PX * ratio), 1.5 * ratio, 1.5 * ratio)
            seen = area.intersected(QRectF(0, 0, painter.device().width(), height))
            room = seen.width() - 10 * ratio
            if room > 30 * ratio and words:
                painter.setPen(theme().colour("text" if heard else "text_soft"))
                place = QRectF(seen.left() + 5 * ratio, STRIP_PX * ratio, room, LABEL_PX * ratio)
                painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, metrics.elidedText(words, Qt.TextElideMode.ElideRight, room))

    def _draw_sound(
        self, painter: QPainter, low: np.ndarray, high: np.ndarray, row: np.ndarray, looks: dict, height: int, ratio: float, many: bool
    ) -> None:  # fmt: skip
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        top = (STRIP_PX + (0 if many else LABEL_PX)) * ratio
        middle, reach = (top + height) / 2, (height - top) / 2 - 2 * ratio
        tops = np.floor(middle - np.clip(high * 1.6, 0, 1) * reach)
        bottoms = np.ceil(middle - np.clip(low * 1.6, -1, 0) * reach)
        sounding = (high > low) & (row >= 0)
        colours: dict[str, list[int]] = {}
        for number, look in looks.items():
            colours.setdefault(look[0], []).append(number)
        for colour, numbers in colours.items():
            mine = np.isin(row, numbers) if len(colours) > 1 else row >= 0
            painter.setPen(QPen(QColor(colour), 1))
            at = np.flatnonzero(mine & sounding)
            lines = [QLineF(x, y0, x, y1) for x, y0, y1 in zip(at.tolist(), tops[at].tolist(), bottoms[at].tolist(), strict=True)]
            painter.drawLines(lines)
            if many:
                strip = np.flatnonzero(mine)
                painter.drawLines([QLineF(x, 0, x, STRIP_PX * ratio) for x in strip.tolist()])
