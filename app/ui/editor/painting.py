"""What is painted behind and over the text of the script: rows, matches, the word being heard, pills."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QPainter

from app.ui.editor.pills import Pill, paint_pill, pills_of, same_pill
from app.ui.theme import theme

if TYPE_CHECKING:
    from app.ui.editor.script_editor import ScriptEditor


class Painting:
    """Holds what is to be marked; the editor calls it around its own painting.

    Attributes:
        word: (block id, start, end) of the word being heard, UTF-16; block id "" for none.
        matches, current_match: what was found, document positions.
        pills: those in sight, from the last painting.
        hot: the pill under the mouse.
        drop_rows: rows that a dragged voice would be given to.
    """

    def __init__(self, editor: ScriptEditor) -> None:
        self._editor = editor
        self.word: tuple[str, int, int] = ("", 0, 0)
        self.matches: list[tuple[int, int]] = []
        self.current_match = -1
        self.pills: list[Pill] = []
        self._painted = -1  # revision of the text that `pills` are of
        self.hot: Pill | None = None
        self.drop_rows: set[int] = set()

    def pill_at(self, point: QPoint) -> Pill | None:
        if self._painted != self._editor.document().revision():
            self.pills = []  # of lines that are elsewhere by now, or gone
            self._editor.viewport().repaint()
        return next((pill for pill in self.pills if pill.holds(point)), None)

    def behind(self, area: QRect) -> None:
        if self._editor.project is None:
            return
        painter = QPainter(self._editor.viewport())
        look = theme()
        for number, rect in self._editor.rows.visible():
            if rect.bottom() < area.top() or rect.top() > area.bottom():
                continue
            block_id = self._editor.project.blocks[number].id
            row = QRectF(0, rect.top(), self._editor.viewport().width(), rect.height())
            colour = self.row_colour(number)
            if colour != "base":
                painter.fillRect(row, look.colour(colour))
            if block_id == self.word[0]:
                self._span(painter, number, self.word[1], self.word[2], "word")
        self._matches(painter, area)

    def row_colour(self, number: int) -> str:
        if number in self.drop_rows:
            return "accent_soft"
        if self._editor.project.blocks[number].id == self._editor.studio.playing_block:
            return "playing"
        return "block_selected" if number in self._editor.selected_rows else "base"

    def _matches(self, painter: QPainter, area: QRect) -> None:
        if not self.matches:
            return
        first = self._editor.cursorForPosition(QPoint(0, area.top())).block().position()
        last_block = self._editor.cursorForPosition(QPoint(self._editor.viewport().width(), area.bottom())).block()
        last = last_block.position() + last_block.length()
        for at, (start, end) in enumerate(self.matches):
            if end < first or start > last:
                continue
            block = self._editor.document().findBlock(start)
            colour = "accent_line" if at == self.current_match else "accent_soft"
            self._span(painter, block.blockNumber(), start - block.position(), end - block.position(), colour)

    def _span(self, painter: QPainter, number: int, start: int, end: int, colour: str) -> None:
        block = self._editor.document().findBlockByNumber(number)
        layout = block.layout()
        origin = self._editor.document().documentLayout().blockBoundingRect(block).topLeft()
        origin -= QPoint(0, self._editor.verticalScrollBar().value()).toPointF()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().colour(colour))
        at = start
        while at < end:
            line = layout.lineForTextPosition(at)
            if not line.isValid():
                break
            stop = min(end, line.textStart() + line.textLength())
            x1, x2 = line.cursorToX(at)[0], line.cursorToX(stop)[0]
            top = origin.y() + line.y() + max(0.0, line.height() - line.ascent() - line.descent()) * 0.5
            rect = QRectF(origin.x() + min(x1, x2) - 1, top, abs(x2 - x1) + 2, line.ascent() + line.descent())
            painter.drawRoundedRect(rect, 3, 3)
            if stop <= at:
                break
            at = stop

    def in_front(self, area: QRect) -> None:
        self.pills = []
        self._painted = self._editor.document().revision()
        if self._editor.project is None:
            return
        near = QRectF(area).adjusted(-2, -2, 2, 2)
        painter = QPainter(self._editor.viewport())
        offset = self._editor.verticalScrollBar().value()
        layout = self._editor.document().documentLayout()
        cursor = self._editor.textCursor()
        for number, _ in self._editor.rows.visible():
            block = self._editor.document().findBlockByNumber(number)
            text = block.text()
            if "[" not in text and "<" not in text and text.isascii():
                continue
            origin = layout.blockBoundingRect(block).topLeft()
            for pill in pills_of(block, (origin.x(), origin.y() - offset)):
                self.pills.append(pill)
                if self._editor.highlighter.is_open(number, pill.tag.start) or not pill.rect.intersects(near):
                    continue
                start, end = block.position() + pill.tag.start, block.position() + pill.tag.end
                selected = cursor.hasSelection() and cursor.selectionStart() < end and cursor.selectionEnd() > start
                hot = self.hot is not None and same_pill(self.hot, pill)
                paint_pill(painter, pill, "selection" if selected else self.row_colour(number), hot=hot)
