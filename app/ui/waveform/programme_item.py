"""Draws the programme: blocks as spans in the colours of their voices, and their sound."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QFontInfo, QFontMetricsF, QImage, QPainter, QPixmap
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.services.timeline import Timeline
from app.ui.theme import theme
from app.ui.waveform.columns import FEW_ROWS, Columns, Shapes, columns

STRIP_PX = 4.0
_LABEL_SHARE = 1.5  # room for the words on a span, of their size
_LARGEST_LABEL_PX = 16.0  # there is to be room for the sound
_NARROW_PX = 24
_PIXELS = QImage.Format.Format_ARGB32_Premultiplied
# Colours of the dashes around what is not heard as it stands, by its state.
_FRAMES = {"none": "border_strong", "queued": "border_strong", "failed": "error", "stale": "warning"}
_LOOK_ON_S = 0.004
_LOOK_AGAIN_MS, _SHOW_EVERY = 5, 8


@dataclass(frozen=True)
class _Span:
    """A block in the picture: pixels `left` to `right` - 1, also outside of it; `edge` colours its dashes, 0: none."""

    block_id: str
    left: int
    right: int
    rgb: int
    heard: bool
    edge: int


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
        self._drawn: tuple[list[str], bytes, bytes] | None = None  # the rows of the picture
        self._news: set[str] | None = set()  # blocks that look different since the last timeline; None: all may
        self.playing = ""
        self._looks_on = 0
        self._later = QTimer(self)
        self._later.setInterval(_LOOK_AGAIN_MS)
        self._later.timeout.connect(self._look_on)

    def set_timeline(self, timeline: Timeline | None) -> None:
        """Show this one as it is now; nothing is drawn anew where what is seen of it is the same."""
        self._timeline = timeline
        news, self._news = self._news, set()
        if self._drawn is None or self._drawn != self._seen() or news is None or not news.isdisjoint(self._drawn[0]):
            self.refresh()

    def _seen(self) -> tuple[list[str], bytes, bytes] | None:
        """Ids, starts and lengths of the rows in sight."""
        box, timeline = self.getViewBox(), self._timeline
        if box is None or timeline is None:
            return None
        (start_s, end_s), _ = box.viewRange()
        rows = timeline.rows_between(start_s, end_s)
        seen = slice(rows.start, rows.stop)
        return timeline.block_ids[seen], timeline.starts_s[seen].tobytes(), timeline.lengths_s[seen].tobytes()

    def set_playing(self, block_id: str) -> None:
        if block_id != self.playing:
            self.playing = block_id
            self.refresh()

    def forget(self, block_id: str | None = None) -> None:
        """A block looks or sounds different now; None is every block."""
        if block_id is None:
            self._looks.clear()
            self._shapes.forget()
            self._news = None
        else:
            self._looks.pop(block_id, None)
            if self._news is not None:
                self._news.add(block_id)
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
        # Told also when the same stretch is set again: whether it is another is seen at the painting.
        self.prepareGeometryChange()
        self.update()

    def paint(self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None) -> None:
        box = self.getViewBox()
        if box is None or self._timeline is None:
            return
        size = box.boundingRect().size()
        ratio = painter.device().devicePixelRatioF()
        key = (size.width(), size.height(), ratio, *box.viewRange()[0])
        if self._pixmap is None or self._drawn_for != key:
            self._drawn_for, self._drawn = key, self._seen()
            self._pixmap = self._draw(size.width(), size.height(), ratio)
            if self._shapes.unseen and not self._later.isActive():
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
        box, timeline = self.getViewBox(), self._timeline
        assert box is not None and timeline is not None
        (start_s, end_s), _ = box.viewRange()
        rows = timeline.rows_between(start_s, end_s)
        shown = columns(timeline, self._shapes, start_s, end_s, pixel_width)
        many = len(rows) > FEW_ROWS
        px_a_s = pixel_width / (end_s - start_s)
        spans = [] if many else self._spans(rows, start_s, px_a_s, pixel_width, ratio)
        # Composed as numbers and given to Qt once: hundreds of rectangles one by one cost more than all the sound.
        pixels = np.zeros((pixel_height, pixel_width), np.uint32)
        if many:
            pixels[: round(STRIP_PX * ratio) + 1] = shown.rgb
        else:
            _fill_spans(pixels, spans, ratio)
        _fill_sound(pixels, shown, (STRIP_PX + (0 if many else _LABEL_SHARE * _label_font_px())) * ratio, ratio)
        image = QImage(pixels.data, pixel_width, pixel_height, 4 * pixel_width, _PIXELS)
        pixmap = QPixmap.fromImage(image.copy())  # the numbers end with this call
        if spans:
            painter = QPainter(pixmap)
            self._write_words(painter, spans, ratio)
            painter.end()
        pixmap.setDevicePixelRatio(ratio)
        return pixmap

    def _look_on(self) -> None:
        """A slice at a time: what is seen so far is shown every now and then, the rest follows."""
        self._shapes.look_on(_LOOK_ON_S)
        self._looks_on += 1
        if not self._shapes.unseen:
            self._later.stop()
        if not self._shapes.unseen or self._looks_on % _SHOW_EVERY == 0:
            self.refresh()

    def _look(self, block_id: str) -> tuple[str, str]:
        if block_id not in self._looks:
            self._looks[block_id] = self._look_of(block_id)
        return self._looks[block_id]

    def _spans(self, rows: range, start_s: float, px_a_s: float, width: int, ratio: float) -> list[_Span]:
        timeline = self._timeline
        assert timeline is not None
        spans = []
        for number in rows:
            one = timeline.at(number)
            left = round((one.start_s - start_s) * px_a_s)
            right = max(left + 1, round((one.start_s + one.length_s - start_s) * px_a_s))
            if right > 0 and left < width:
                framed = right - left >= _NARROW_PX * ratio and self._look(one.block_id)[1] in _FRAMES
                edge = theme().colour(_FRAMES[self._look(one.block_id)[1]]).rgba() if framed else 0
                rgb = self._shapes.rgb_of(one.block_id)
                spans.append(_Span(one.block_id, left, right, rgb, one.block_id == self.playing, edge))
        return spans

    def _write_words(self, painter: QPainter, spans: list[_Span], ratio: float) -> None:
        font = theme().small_font(-1.5)
        label_px = _label_font_px()
        font.setPixelSize(max(1, round(label_px * ratio)))
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        for span in spans:
            left, right = max(0, span.left), min(painter.device().width(), span.right)
            room = right - left - 10 * ratio
            if span.right - span.left < _NARROW_PX * ratio or room <= 30 * ratio:
                continue
            words = self._look(span.block_id)[0]
            if words:
                painter.setPen(theme().colour("text" if span.heard else "text_soft"))
                place = QRectF(left + 5 * ratio, STRIP_PX * ratio, room, _LABEL_SHARE * label_px * ratio)
                painter.drawText(
                    place, Qt.AlignmentFlag.AlignVCenter, metrics.elidedText(words, Qt.TextElideMode.ElideRight, room)
                )


def _label_font_px() -> float:
    """Of the words on spans: they follow the font of the window."""
    return min(_LARGEST_LABEL_PX, max(10.5, 0.93 * QFontInfo(theme().small_font(-1.5)).pixelSize()))


def _fill_spans(pixels: np.ndarray, spans: list[_Span], ratio: float) -> None:
    """Uint32 `[height, width]`: a tint for each, a strip in its colour along the top, dashes around some."""
    height, width = pixels.shape
    strip, edge = round(STRIP_PX * ratio), max(1, round(ratio))
    dash, period = round(4 * ratio), round(6 * ratio)
    down = np.arange(height) % period < dash
    across = np.arange(width + period) % period < dash
    for span in spans:
        left, right = max(0, span.left), min(width, span.right)
        pixels[:, left:right] = _thinned(span.rgb, 0.20 if span.heard else 0.09)
        if span.edge:
            at = (left - span.left) % period
            pixels[height - edge :, left:right][:, across[at : at + right - left]] = span.edge
            for begins in (span.left, span.right - edge):
                pixels[down, max(0, begins) : max(0, begins + edge)] = span.edge
        pixels[:strip, left:right] = span.rgb


def _fill_sound(pixels: np.ndarray, shown: Columns, top: float, ratio: float) -> None:
    """One upright stroke a column, below `top`."""
    height = len(pixels)
    middle, reach = (top + height) / 2, (height - top) / 2 - 2 * ratio
    tops = np.floor(middle - np.clip(shown.high * 1.6, 0, 1) * reach).astype(np.int16)
    bottoms = np.ceil(middle - np.clip(shown.low * 1.6, -1, 0) * reach).astype(np.int16)
    y = np.arange(height, dtype=np.int16)[:, None]
    heard = (shown.high > shown.low) & (shown.rgb != 0)
    np.copyto(pixels, shown.rgb, where=(y >= tops) & (y <= bottoms) & heard)


@lru_cache(maxsize=256)
def _thinned(rgb: int, opacity: float) -> int:
    """A colour that lets through what is behind it, as premultiplied numbers."""
    alpha = round(255 * opacity)
    red, green, blue = (round((rgb >> shift & 255) * alpha / 255) for shift in (16, 8, 0))
    return alpha << 24 | red << 16 | green << 8 | blue
