"""The tree of the outline: how chapters and scenes look, and how chapters are dragged."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QDropEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from app.model.outline import Chapter, Scene
from app.ui.theme import theme
from app.ui.widgets.rows import paint_ground
from app.ui.words import in_minutes

PART_ROLE = Qt.ItemDataRole.UserRole
LENGTH_ROLE = Qt.ItemDataRole.UserRole + 1
SHARE_ROLE = Qt.ItemDataRole.UserRole + 2


class PartsTree(QTreeWidget):
    """Chapters can be dragged among chapters; the model is changed by a command, never by the view.

    Signals:
        moved(row of a chapter, row where it is to stand): a person dragged it there.
    """

    moved = Signal(int, int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setHeaderHidden(True)
        self.setIndentation(16)
        self.setUniformRowHeights(True)
        self.setItemDelegate(_PartRow(self))
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setExpandsOnDoubleClick(False)
        self.setMouseTracking(True)

    @property
    def dragging(self) -> bool:
        return self.state() == QAbstractItemView.State.DraggingState

    def dropEvent(self, event: QDropEvent) -> None:
        source_item = self.currentItem()
        source = self.indexOfTopLevelItem(source_item) if source_item is not None else -1
        target_item = self.itemAt(event.position().toPoint())
        if target_item is not None and target_item.parent() is not None:
            target_item = target_item.parent()
        target = self.indexOfTopLevelItem(target_item) if target_item is not None else self.topLevelItemCount() - 1
        below = self.dropIndicatorPosition() == QAbstractItemView.DropIndicatorPosition.BelowItem
        if target_item is not None:
            if below and target < source:
                target += 1
            elif (
                not below
                and target > source
                and self.dropIndicatorPosition() == QAbstractItemView.DropIndicatorPosition.AboveItem
            ):
                target -= 1
        event.setDropAction(Qt.DropAction.IgnoreAction)
        event.accept()
        if source >= 0:
            self.moved.emit(source, target)


def part_item(title: str, part: Chapter | Scene, figures: tuple[float, int, int]) -> QTreeWidgetItem:
    """Args: figures: seconds, spoken blocks that are ready, spoken blocks."""
    seconds, ready, total = figures
    item = QTreeWidgetItem([title])
    item.setData(0, PART_ROLE, part)
    item.setData(0, LENGTH_ROLE, in_minutes(seconds))
    item.setData(0, SHARE_ROLE, (ready, total))
    item.setToolTip(0, title)
    item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{title}, {in_minutes(seconds)}, {ready}/{total}")
    return item


class _PartRow(QStyledItemDelegate):
    """Title, length, and a ring that fills as lines are spoken."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(80, 30)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        look = theme()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(option.rect)
        paint_ground(painter, option, rect.adjusted(0, 1, -2, -1))
        ready, total = index.data(SHARE_ROLE)
        right = rect.right() - 10
        mark = QRectF(right - 14, rect.center().y() - 7, 14, 14)
        if total and ready == total:
            look.paint_icon(painter, mark, "check", "done")
        elif total:
            pen = QPen(look.colour("border_strong"), 2)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            ring = mark.adjusted(2, 2, -2, -2)
            painter.drawEllipse(ring)
            if ready:
                pen.setColor(look.colour("accent"))
                painter.setPen(pen)
                painter.drawArc(ring, 90 * 16, -int(360 * 16 * ready / total))
        right = mark.left() - 8
        painter.setFont(look.figures_font(-1))
        painter.setPen(look.colour("text_faint"))
        length = index.data(LENGTH_ROLE)
        width = painter.fontMetrics().horizontalAdvance(length)
        painter.drawText(QRectF(right - width, rect.top(), width, rect.height()), Qt.AlignmentFlag.AlignVCenter, length)
        right -= width + 8
        top_level = not index.parent().isValid()
        font = option.font
        font.setWeight(font.Weight.DemiBold if top_level else font.Weight.Normal)
        painter.setFont(font)
        painter.setPen(look.colour("text" if top_level else "text_soft"))
        title = painter.fontMetrics().elidedText(
            index.data(), Qt.TextElideMode.ElideRight, int(right - rect.left() - 6)
        )
        painter.drawText(
            QRectF(rect.left() + 6, rect.top(), right - rect.left() - 6, rect.height()),
            Qt.AlignmentFlag.AlignVCenter,
            title,
        )
        painter.restore()
