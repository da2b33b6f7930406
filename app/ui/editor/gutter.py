"""The gutter beside the script: one row a block with who speaks, how long, and its state."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleInterface,
    QColor,
    QContextMenuEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from app.model.block import BlockKind
from app.ui.editor.block_info import STATES, BlockInfo
from app.ui.theme import GRID, HALF, theme

if TYPE_CHECKING:
    from app.ui.editor.script_editor import ScriptEditor

WIDTH_PX = 168
BAR_PX = 4


class Gutter(QWidget):
    """Painted from the project at every repaint; it holds no state of blocks.

    Signals:
        menu_requested(QPoint): a context menu at this global position, after the block under it was selected.
        length_clicked(): edit the length of the selected block.
    """

    menu_requested = Signal(QPoint)
    length_clicked = Signal()

    def __init__(self, editor: ScriptEditor) -> None:
        super().__init__(editor)
        self._editor = editor
        self._anchor = -1
        self.setMouseTracking(True)
        self.setAcceptDrops(True)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.setObjectName("gutter")
        self.setAccessibleName(self.tr("Lines of the script"))
        self.setAccessibleDescription(self.tr("Voice, length and state of every line"))

    def sizeHint(self) -> QSize:
        return QSize(WIDTH_PX, 0)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        look = theme()
        painter.fillRect(event.rect(), look.colour("base"))
        right = self.width() - 1
        painter.setPen(look.colour("border"))
        painter.drawLine(right, event.rect().top(), right, event.rect().bottom())
        if self._editor.project is None:
            return
        playing = self._editor.studio.playing_block
        for number, rect in self._editor.rows.visible():
            if rect.bottom() < event.rect().top() or rect.top() > event.rect().bottom():
                continue
            block = self._editor.project.blocks[number]
            info = self._editor.info(block.id)
            row = QRectF(0, rect.top(), right, rect.height())
            colour = self._editor.painting.row_colour(number)
            if colour != "base":
                painter.fillRect(row, look.colour(colour))
            self._paint_row(painter, number, row, info, block.id == playing)

    def _paint_row(self, painter: QPainter, number: int, row: QRectF, info: BlockInfo, playing: bool) -> None:
        selected = number in self._editor.selected_rows
        look = theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        bar = QRectF(0, row.top() + 3, BAR_PX, max(6.0, row.height() - 6))
        if info.spoken:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(info.colour) if info.colour else look.colour("border_strong"))
            painter.drawRoundedRect(bar, 2, 2)
        if selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour("accent"))
            painter.drawRoundedRect(QRectF(self.width() - 4, row.top() + 3, 2, max(6.0, row.height() - 6)), 1, 1)
        middle = row.top() + self._editor.rows.first_line_middle(number)
        line = QRectF(BAR_PX + GRID, middle - 10, self.width() - BAR_PX - 2 * GRID, 20)
        if not info.spoken:
            self._paint_unspoken(painter, line, info)
            return
        state_icon, state_colour, _ = STATES[info.state]
        glyph = QRectF(line.right() - 16, line.center().y() - 8, 16, 16)
        if info.state == "speaking":
            self._paint_speaking(painter, glyph)
        elif state_icon:
            look.paint_icon(painter, glyph, state_icon, state_colour)
        elif info.state == "none":
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.alpha("text_faint", 0.55))
            painter.drawEllipse(glyph.center(), 2, 2)
        painter.setFont(look.figures_font(-1))
        length_width = painter.fontMetrics().horizontalAdvance("~000 s") + 2
        length = QRectF(glyph.left() - HALF - length_width, line.top(), length_width, line.height())
        painter.setPen(look.colour("warning" if info.warning else "accent" if info.wanted else "text_faint"))
        painter.drawText(length, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, info.length)
        if info.warning:
            width = painter.fontMetrics().horizontalAdvance(info.length)
            badge = QRectF(length.right() - width - 16, line.center().y() - 7, 14, 14)
            look.paint_icon(painter, badge, "warning", "warning")
            length.setLeft(badge.left())
        elif info.wanted:
            width = painter.fontMetrics().horizontalAdvance(info.length)
            badge = QRectF(length.right() - width - 16, line.center().y() - 7, 14, 14)
            look.paint_icon(painter, badge, "fit", "accent")
            length.setLeft(badge.left())
        painter.setFont(look.small_font(-0.5))
        painter.setPen(look.colour("accent" if playing else "text" if selected else "text_soft"))
        name = QRectF(line.left(), line.top(), max(0.0, length.left() - line.left() - HALF), line.height())
        shown = painter.fontMetrics().elidedText(info.voice, Qt.TextElideMode.ElideRight, int(name.width()))
        painter.drawText(name, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)

    def _paint_unspoken(self, painter: QPainter, line: QRectF, info: BlockInfo) -> None:
        icons = {BlockKind.CHAPTER: "chapter", BlockKind.SCENE: "chapter", BlockKind.NOTE: "note"}
        if info.kind not in icons:
            return
        look = theme()
        glyph = QRectF(line.right() - 16, line.center().y() - 8, 16, 16)
        look.paint_icon(painter, glyph, icons[info.kind], "text_faint")
        painter.setFont(look.small_font(-1))
        painter.setPen(look.colour("text_faint"))
        words = self.tr("note") if info.kind is BlockKind.NOTE else self.tr("silent")
        painter.drawText(
            line.adjusted(0, 0, -20, 0), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words
        )

    def _paint_speaking(self, painter: QPainter, glyph: QRectF) -> None:
        """Five bars that rise and fall with the time, so that life is seen without a timer of its own."""
        phase = self._editor.infos.pulse
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().colour("accent"))
        for bar in range(4):
            height = 4 + 8 * abs(math.sin(phase + bar * 0.9))
            painter.drawRoundedRect(
                QRectF(glyph.left() + 1 + bar * 4, glyph.center().y() - height / 2, 2, height), 1, 1
            )

    # Mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        number = self._editor.rows.row_at(event.position().toPoint().y())
        if number < 0:
            return
        if event.button() == Qt.MouseButton.LeftButton:
            modifiers = event.modifiers()
            if modifiers & Qt.KeyboardModifier.ShiftModifier and self._anchor >= 0:
                self._editor.select_rows(range(min(self._anchor, number), max(self._anchor, number) + 1), number)
            elif modifiers & Qt.KeyboardModifier.ControlModifier:
                self._anchor = number
                self._editor.toggle_row(number)
            else:
                self._anchor = number
                self._editor.select_rows([number], number)
        elif event.button() == Qt.MouseButton.RightButton and number not in self._editor.selected_rows:
            self._anchor = number
            self._editor.select_rows([number], number)
        self._editor.setFocus(Qt.FocusReason.MouseFocusReason)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and self._anchor >= 0:
            number = self._editor.rows.row_at(event.position().toPoint().y(), nearest=True)
            if number >= 0 and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self._editor.select_rows(range(min(self._anchor, number), max(self._anchor, number) + 1), number)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.length_clicked.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_requested.emit(event.globalPos())

    def wheelEvent(self, event: QEvent) -> None:
        self._editor.wheelEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            number = self._editor.rows.row_at(event.pos().y())
            if number >= 0 and self._editor.project is not None:
                block = self._editor.project.blocks[number]
                QToolTip.showText(event.globalPos(), self._editor.info(block.id).sentence(), self)
            return True
        return super().event(event)

    def dragEnterEvent(self, event: QEvent) -> None:
        self._editor.dragEnterEvent(event)

    def dragMoveEvent(self, event: QEvent) -> None:
        self._editor.transfer.over(event, event.position().toPoint())

    def dragLeaveEvent(self, event: QEvent) -> None:
        self._editor.dragLeaveEvent(event)

    def dropEvent(self, event: QEvent) -> None:
        self._editor.transfer.drop(event, event.position().toPoint())


class GutterAccessible(QAccessibleInterface):
    """The gutter as a list for screen readers: one item a line of the script, named by all that its row shows."""

    def __init__(self, gutter: Gutter) -> None:
        super().__init__()
        self._gutter = gutter
        self._rows: dict[int, RowAccessible] = {}

    def isValid(self) -> bool:
        return True

    def object(self) -> Gutter:
        return self._gutter

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.List

    def rect(self) -> QRect:
        return QRect(self._gutter.mapToGlobal(QPoint(0, 0)), self._gutter.size())

    def text(self, kind: QAccessible.Text) -> str:
        if kind == QAccessible.Text.Name:
            return self._gutter.accessibleName()
        if kind == QAccessible.Text.Description:
            return self._gutter.accessibleDescription()
        return ""

    def setText(self, kind: QAccessible.Text, text: str) -> None:
        """Names come from the project alone."""

    def state(self) -> QAccessible.State:
        return QAccessible.State()

    def parent(self) -> QAccessibleInterface | None:
        return QAccessible.queryAccessibleInterface(self._gutter.parentWidget())

    def childCount(self) -> int:
        project = self._gutter._editor.project
        return len(project.blocks) if project is not None else 0

    def child(self, index: int) -> QAccessibleInterface | None:
        if not 0 <= index < self.childCount():
            return None
        if index not in self._rows:
            self._rows[index] = RowAccessible(self, index)
            QAccessible.registerAccessibleInterface(self._rows[index])
        return self._rows[index]

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:
        number = self._gutter._editor.rows.row_at(self._gutter.mapFromGlobal(QPoint(x, y)).y())
        return self.child(number)

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return child.index if isinstance(child, RowAccessible) else -1


class RowAccessible(QAccessibleInterface):
    """One row of the gutter."""

    def __init__(self, gutter: GutterAccessible, index: int) -> None:
        super().__init__()
        self._list = gutter
        self.index = index

    def isValid(self) -> bool:
        return self.index < self._list.childCount()

    def object(self) -> None:
        return None

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.ListItem

    def rect(self) -> QRect:
        gutter = self._list.object()
        for number, rect in gutter._editor.rows.visible():
            if number == self.index:
                return QRect(gutter.mapToGlobal(QPoint(0, int(rect.top()))), QSize(gutter.width(), int(rect.height())))
        return QRect()

    def text(self, kind: QAccessible.Text) -> str:
        editor = self._list.object()._editor
        if kind != QAccessible.Text.Name or not self.isValid():
            return ""
        block = editor.project.blocks[self.index]
        return f"{self.index + 1}. {editor.info(block.id).sentence()}"

    def setText(self, kind: QAccessible.Text, text: str) -> None:
        """Names come from the project alone."""

    def state(self) -> QAccessible.State:
        state = QAccessible.State()
        state.selectable = True
        state.selected = self.index in self._list.object()._editor.selected_rows
        return state

    def parent(self) -> QAccessibleInterface:
        return self._list

    def childCount(self) -> int:
        return 0

    def child(self, index: int) -> None:
        return None

    def childAt(self, x: int, y: int) -> None:
        return None

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return -1


def accessible_factory(key: str, target: object) -> QAccessibleInterface | None:
    """For `QAccessible.installFactory`."""
    return GutterAccessible(target) if isinstance(target, Gutter) else None
