"""Paints a voice: colour, name, tags, the shape of its clip, star."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QMouseEvent, QPainter, QPolygonF
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.services.overview import Overview
from app.ui.theme import GRID, HALF, theme
from app.ui.voices.voice_model import REASON_ROLE, USED_ROLE, VOICE_ROLE
from app.ui.widgets.rows import paint_ground

_ROW_PX = 44
_ICON_PX = 16


class VoiceDelegate(QStyledItemDelegate):
    """Rows of 44 px. The star and the play sign are small buttons; `clicked(voice id, "star" | "play")` is called for
    them."""

    def __init__(
        self, shape_of: Callable[[str], Overview | None], clicked: Callable[[str, str], None], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._shape_of = shape_of
        self._clicked = clicked
        self.previewing = ""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(160, max(_ROW_PX, option.fontMetrics.height() * 2 + 10))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        voice = index.data(VOICE_ROLE)
        reason = index.data(REASON_ROLE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(option.rect).adjusted(2, 1, -2, -1)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        paint_ground(painter, option, area)
        painter.setOpacity(0.5 if reason else 1.0)
        colour = QColor(voice.colour)
        dot = self._dot(option.rect)
        if hovered or self.previewing == voice.id:
            theme().paint_icon(
                painter, QRectF(dot).adjusted(-2, -2, 2, 2), "stop" if self.previewing == voice.id else "play", colour
            )
        else:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawEllipse(QRectF(dot))
        left = dot.right() + GRID + 2
        star = self._star(option.rect)
        right = star.left() - HALF if voice.favourite or hovered else option.rect.right() - GRID
        shape = self._shape_of(voice.id)
        if shape is not None and right - left > 130:
            width = min(64, (right - left) // 3)
            self._paint_shape(
                painter, QRectF(right - width, option.rect.top() + 12, width, option.rect.height() - 24), shape, colour
            )
            right -= width + GRID
        small = theme().small_font(-1.0)
        line = option.fontMetrics.height()
        second = self._second_line(index, voice, reason)
        top = option.rect.center().y() - (line + (line - 1 if second else 0)) // 2
        font = QFont(option.font)
        font.setWeight(QFont.Weight.Medium)
        painter.setFont(font)
        painter.setPen(theme().colour("text"))
        name_area = QRect(left, top, right - left, line)
        painter.drawText(
            name_area,
            Qt.AlignmentFlag.AlignVCenter,
            option.fontMetrics.elidedText(voice.name, Qt.TextElideMode.ElideRight, name_area.width()),
        )
        if second:
            painter.setFont(small)
            painter.setPen(theme().colour("warning" if reason else "text_faint"))
            text_area = QRect(left, top + line, right - left, line)
            painter.drawText(
                text_area,
                Qt.AlignmentFlag.AlignVCenter,
                painter.fontMetrics().elidedText(second, Qt.TextElideMode.ElideRight, text_area.width()),
            )
        painter.setOpacity(1.0)
        if voice.favourite or hovered:
            theme().paint_icon(
                painter,
                QRectF(star),
                "star-filled" if voice.favourite else "star",
                "warning" if voice.favourite else "icon",
            )
        painter.restore()

    def editorEvent(
        self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: QModelIndex
    ) -> bool:
        if event.type() == QEvent.Type.MouseButtonRelease and isinstance(event, QMouseEvent):
            voice = index.data(VOICE_ROLE)
            at = event.position().toPoint()
            if self._star(option.rect).adjusted(-6, -6, 6, 6).contains(at):
                self._clicked(voice.id, "star")
                return True
            if self._dot(option.rect).adjusted(-8, -8, 6, 8).contains(at):
                self._clicked(voice.id, "play")
                return True
        return super().editorEvent(event, model, option, index)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: QModelIndex) -> QWidget:
        editor = QLineEdit(parent)
        editor.setAccessibleName(self.tr("Name of the voice"))
        editor.setMaxLength(120)
        return editor

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        left = self._dot(option.rect).right() + GRID
        height = editor.sizeHint().height()
        editor.setGeometry(left, option.rect.center().y() - height // 2, option.rect.right() - left - HALF, height)

    def _second_line(self, index: QModelIndex, voice, reason: str) -> str:
        if reason:
            return self.tr("needs another model")
        parts = list(voice.tags[:3])
        used = index.data(USED_ROLE)
        if used:
            parts.append(self.tr("1 line") if used == 1 else self.tr("%1 lines").replace("%1", str(used)))
        if not parts and voice.known:
            parts.append(self.tr("comes with the model"))
        return "  ·  ".join(parts)

    def _dot(self, row: QRect) -> QRect:
        return QRect(row.left() + GRID + 2, row.center().y() - 6, 13, 13)

    def _star(self, row: QRect) -> QRect:
        return QRect(row.right() - GRID - _ICON_PX, row.center().y() - _ICON_PX // 2, _ICON_PX, _ICON_PX)

    def _paint_shape(self, painter: QPainter, area: QRectF, shape: Overview, colour: QColor) -> None:
        bins, _ = shape.bins(shape.samples / max(1.0, area.width()))
        if not len(bins):
            return
        count = int(area.width())
        picks = [bins[min(len(bins) - 1, x * len(bins) // count)] for x in range(count)]
        loudest = max(1, max(max(-int(low), int(high)) for low, high in picks))
        middle, reach = area.center().y(), area.height() / 2 / loudest
        tops = [QPointF(area.left() + x, middle - int(high) * reach) for x, (_, high) in enumerate(picks)]
        bottoms = [QPointF(area.left() + x, middle - int(low) * reach) for x, (low, _) in enumerate(picks)]
        faint = QColor(colour)
        faint.setAlphaF(0.55)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(faint)
        painter.drawPolygon(QPolygonF(tops + bottoms[::-1]))
