"""Draws the programme: blocks as spans in the colours of their voices, and their sound."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QImage, QPainter, QPixmap
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.services.timeline import Timeline
from app.ui.theme import theme
from app.ui.waveform.columns import FEW_ROWS, Shapes, columns

STRIP_PX = 4.0
LABEL_PX = 16.0
_NARROW_PX = 24


class ProgrammeItem(pg.GraphicsObject):
    """Fills its view box. What it shows is drawn once into a pixmap and only copied until something changes.

    Attributes:
        playing: id of the block that is heard.
    """

    def __init__(self, shapes: Shapes, look_of: Callable[[str], tuple[str, str]]) -> None:
        """
        Args:
            look_of: block id to (words shown on the span, state).
        """
        super().__init__()
        self._shapes = shapes
        self._look_of = look_of
        self._looks: dict[str, tuple[str, str]] = {}
        self._timeline: Timeline | None = None
        self._pixmap: QPixmap | None = None
        self._drawn_for: object = None
        self.playing = ""
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(5)
        self._later.timeout.connect(self.refresh)

    def set_timeline(self, timeline: Timeline | None) -> None:
        self._timeline = timeline
        self.refresh()

    def set_playing(self, block_id: str) -> None:
        if block_id != self.playing:
            self.playing = block_id
            self.refresh()

    def forget(self, block_id: str | None = None) -> None:
        """A block looks or sounds different now; None is every block."""
        if block_id is None:
            self._looks.clear()
            self._shapes.forget()
        else:
            self._looks.pop(block_id, None)
            self._shapes.touch(block_id)

    def unknown(self, most: int) -> list[str]:
        """Some of the visible blocks whose shape is not known, or is of other pauses than are heard now."""
        box, timeline = self.getViewBox(), self._timeline
        found: list[str] = []
        if box is None or timeline is None:
            return found
        (start_s, end_s), _ = box.viewRange()
        for number in timeline.rows_between(start_s, end_s):
            if not self._shapes.is_measured(timeline.block_ids[number]):
                found.append(timeline.block_ids[number])
                if len(found) == most:
                    break
        return found

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
            if self._shapes.unseen:
                # A slice at a time: what is drawn so far is shown, the rest follows.
                self._later.start()
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
        many = len(rows) > FEW_ROWS
        colours = self._shapes.colours(timeline, rows, many)
        px_a_s = pixel_width / (end_s - start_s)
        if not many:
            self._draw_spans(painter, rows, colours, start_s, px_a_s, pixel_height, ratio)
        self._draw_sound(painter, shown.low, shown.high, shown.row, colours, pixel_height, ratio, many)
        painter.end()
        pixmap.setDevicePixelRatio(ratio)
        return pixmap

    def _look(self, block_id: str) -> tuple[str, str]:
        if block_id not in self._looks:
            self._looks[block_id] = self._look_of(block_id)
        return self._looks[block_id]

    def _draw_spans(
        self, painter: QPainter, rows: range, colours: Mapping[int, str], start_s: float, px_a_s: float, height:
            int, ratio: float
    ) -> None:  # fmt: skip
        timeline = self._timeline
        assert timeline is not None
        font = theme().small_font(-1.5)
        font.setPixelSize(max(1, round(10.5 * ratio)))
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for number in rows:
            one = timeline.at(number)
            left, right = (one.start_s - start_s) * px_a_s, (one.start_s + one.length_s - start_s) * px_a_s
            area = QRectF(left, 0, max(1.0, right - left), height)
            colour = QColor(colours[number])
            tint = QColor(colour)
            heard = one.block_id == self.playing
            tint.setAlphaF(0.20 if heard else 0.09)
            if area.width() < _NARROW_PX * ratio:
                painter.fillRect(area, tint)
                painter.fillRect(QRectF(left, 0, area.width(), STRIP_PX * ratio), colour)
                continue
            words, state = self._look(one.block_id)
            # Plain rectangles: smoothed corners of many wide spans would cost more than all the sound.
            painter.fillRect(area, tint)
            if state in ("none", "queued", "failed", "stale"):
                edge = theme().colour({"failed": "error", "stale": "warning"}.get(state, "border_strong"))
                _draw_dashed(painter, area, edge.rgba(), ratio)
            painter.fillRect(QRectF(area.left(), 0, area.width(), STRIP_PX * ratio), colour)
            seen = area.intersected(QRectF(0, 0, painter.device().width(), height))
            room = seen.width() - 10 * ratio
            if room > 30 * ratio and words:
                painter.setPen(theme().colour("text" if heard else "text_soft"))
                place = QRectF(seen.left() + 5 * ratio, STRIP_PX * ratio, room, LABEL_PX * ratio)
                painter.drawText(
                    place, Qt.AlignmentFlag.AlignVCenter, metrics.elidedText(words, Qt.TextElideMode.ElideRight, room)
                )

    def _draw_sound(
        self, painter: QPainter, low: np.ndarray, high: np.ndarray, row: np.ndarray, colours: Mapping[int, str],
            height: int,
        ratio: float, many: bool,
    ) -> None:  # fmt: skip
        """One upright stroke a column, all filled at once: thousands of lines given to Qt one by one cost more."""
        top = (STRIP_PX + (0 if many else LABEL_PX)) * ratio
        middle, reach = (top + height) / 2, (height - top) / 2 - 2 * ratio
        tops = np.floor(middle - np.clip(high * 1.6, 0, 1) * reach)
        bottoms = np.ceil(middle - np.clip(low * 1.6, -1, 0) * reach)
        seen = np.flatnonzero(row >= 0)
        if not len(seen):
            return
        numbers, place = np.unique(row[seen], return_inverse=True)
        names = [colours[number] for number in numbers.tolist()]
        rgb = {name: QColor(name).rgb() for name in set(names)}
        colour = np.zeros(len(row), np.uint32)
        colour[seen] = np.array([rgb[name] for name in names], np.uint32)[place]
        y = np.arange(height)[:, None]
        filled = (y >= tops) & (y <= bottoms) & (high > low)
        if many:
            filled |= y <= STRIP_PX * ratio
        pixels = np.ascontiguousarray(np.where(filled, colour, np.uint32(0)))
        image = QImage(pixels.data, len(row), height, 4 * len(row), QImage.Format.Format_ARGB32_Premultiplied)
        painter.drawImage(0, 0, image)


def _draw_dashed(painter: QPainter, area: QRectF, rgba: int, ratio: float) -> None:
    """A dashed frame of four filled strips: a pen with dashes takes many times as long for a hundred of them."""
    across, down = _dashes(rgba, ratio)
    edge = max(1.0, round(ratio))
    painter.setBrushOrigin(area.topLeft())
    for strip in (
        QRectF(area.left(), area.top(), area.width(), edge),
        QRectF(area.left(), area.bottom() - edge, area.width(), edge),
    ):
        painter.fillRect(strip, across)
    for left in (area.left(), area.right() - edge):
        painter.fillRect(QRectF(left, area.top(), edge, area.height()), down)
    painter.setBrushOrigin(0, 0)


@lru_cache(maxsize=16)
def _dashes(rgba: int, ratio: float) -> tuple[QBrush, QBrush]:
    """Brushes of dashes across and down; there are as many as colours."""
    dash, period = round(4 * ratio), round(6 * ratio)
    made = []
    for width, height in ((period, 1), (1, period)):
        tile = QPixmap(width, height)
        tile.fill(Qt.GlobalColor.transparent)
        painter = QPainter(tile)
        painter.fillRect(0, 0, dash if width > 1 else 1, dash if height > 1 else 1, QColor.fromRgba(rgba))
        painter.end()
        made.append(QBrush(tile))
    return made[0], made[1]
