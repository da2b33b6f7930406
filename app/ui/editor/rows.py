"""Where the blocks of the script are on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRectF
from PySide6.QtGui import QTextBlock

from app.ui.editor.sync import BLOCK_GAP_PX

if TYPE_CHECKING:
    from app.ui.editor.script_editor import ScriptEditor

ROW_PAD_PX = BLOCK_GAP_PX - 1


class Rows:
    """Asked at every repaint, so what was found is kept until something moved."""

    def __init__(self, editor: ScriptEditor) -> None:
        self._editor = editor
        self._rows: list[tuple[int, QRectF]] = []
        self._rows_key: tuple[int, ...] = ()
        self._first_row = 0
        self._layouts = 0  # grows when heights may be new though the text is not

    def heights_changed(self) -> None:
        self._layouts += 1

    def visible(self) -> list[tuple[int, QRectF]]:
        """(block number, rectangle in viewport pixels) of the blocks in sight; kept until something moved."""
        offset, view = self._editor.verticalScrollBar().value(), self._editor.viewport().size()
        key = (offset, view.width(), view.height(), self._editor.document().revision(), self._layouts)
        if key != self._rows_key:
            self._rows_key = key
            self._rows = self._find_rows(offset, view.height())
        return self._rows

    def _find_rows(self, offset: int, height: int) -> list[tuple[int, QRectF]]:
        layout = self._editor.document().documentLayout()
        block = self._first_block(offset, height)
        count = len(self._editor.project.blocks) if self._editor.project is not None else 0
        rows: list[tuple[int, QRectF]] = []
        while block.isValid() and block.blockNumber() < count:
            rect = layout.blockBoundingRect(block)
            top = rect.top() - offset
            if top > height + BLOCK_GAP_PX:
                break
            if top + rect.height() >= -BLOCK_GAP_PX:
                # A row reaches to the middle of the gap to the next.
                row = QRectF(rect.left(), top - ROW_PAD_PX, rect.width(), rect.height() + 2 * ROW_PAD_PX)
                rows.append((block.blockNumber(), row))
            block = block.next()
        return rows

    def _first_block(self, offset: int, height: int) -> QTextBlock:
        """A block at or just above the top of the viewport: a step or two from the last, seldom a search."""
        layout = self._editor.document().documentLayout()
        block = self._editor.document().findBlockByNumber(self._first_row)
        rect = layout.blockBoundingRect(block)
        # Of a paragraph of many pages the top may be far away though it is the one in sight.
        if not block.isValid() or rect.top() - offset > 3 * height or offset - rect.bottom() > 3 * height:
            block = self._editor.cursorForPosition(QPoint(0, 0)).block()
        while block.previous().isValid() and layout.blockBoundingRect(block).top() > offset - BLOCK_GAP_PX:
            block = block.previous()
        while block.next().isValid() and layout.blockBoundingRect(block.next()).bottom() < offset - BLOCK_GAP_PX:
            block = block.next()
        self._first_row = block.blockNumber()
        return block

    def row_at(self, y: int, nearest: bool = False) -> int:
        """Number of the block at this height of the viewport, or -1."""
        last = -1
        for number, rect in self.visible():
            if rect.top() - 2 <= y < rect.bottom() + 2:
                return number
            if y >= rect.bottom():
                last = number
        return last if nearest else -1

    def first_line_middle(self, number: int) -> float:
        """How far below the top of a row the middle of its first line of letters lies."""
        line = self._editor.document().findBlockByNumber(number).layout().lineAt(0)
        return ROW_PAD_PX + line.y() + line.ascent() * 0.64 if line.isValid() else 20.0
