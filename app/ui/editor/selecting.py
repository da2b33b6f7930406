"""Which lines are selected: by the caret, by the marked text, or in the gutter; and what the others are told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtGui import QTextBlock

from app.ui.editor.styling import tags_of

if TYPE_CHECKING:
    from app.ui.editor.script_editor import ScriptEditor


class Selecting:
    """Tells the studio about the selection, and follows what is chosen elsewhere.

    Attributes:
        rows: numbers of blocks selected in the gutter; empty when the caret or the text selection decides.
    """

    def __init__(self, editor: ScriptEditor) -> None:
        self._editor = editor
        self.rows: set[int] = set()
        self._telling = False
        self._written = ""  # id of the block that was typed in since the caret went there

    def written(self) -> None:
        """A person changed the text where the caret is."""
        self.rows.clear()
        if self.current_row() < len(self._editor.project.blocks):
            self._tell_written(self._editor.project.blocks[self.current_row()].id)

    def _tell_written(self, block_id: str) -> None:
        self._written = block_id
        if self._editor.studio.renderer is not None:
            self._editor.studio.renderer.write_in(block_id)

    def current_row(self) -> int:
        return self._editor.textCursor().blockNumber()

    def rows_of_selection(self) -> range:
        """Block numbers that the caret or the text selection touches."""
        cursor = self._editor.textCursor()
        first = self._editor.document().findBlock(cursor.selectionStart()).blockNumber()
        end = self._editor.document().findBlock(cursor.selectionEnd())
        last = end.blockNumber()
        if last > first and cursor.selectionEnd() == end.position():
            last -= 1
        return range(first, last + 1)

    def chosen_text(self) -> list[tuple[str, int, int]]:
        """(block id, start, end) of the text selection in every block that it touches, in code points of the block's
        text; without one the caret's place."""
        cursor, found, to_points = self._editor.textCursor(), [], self._editor.sync.to_points
        first, last = to_points(cursor.selectionStart()), to_points(cursor.selectionEnd())
        for row in self.rows_of_selection():
            block = self._editor.project.blocks[row]
            begins = to_points(self._editor.document().findBlockByNumber(row).position())
            start, end = max(0, first - begins), min(len(block.text), last - begins)
            words = block.text[start:end]
            # White space at the ends of a selection belongs to nobody's sentence.
            if words.strip():
                start, end = start + len(words) - len(words.lstrip()), start + len(words.rstrip())
            found.append((block.id, min(start, len(block.text)), end))
        return found

    def select_rows(self, rows: Iterable[int], caret_row: int | None = None) -> None:
        """Select blocks as the gutter does; the caret goes to the beginning of `caret_row`."""
        wanted = set(rows)
        if caret_row is not None:
            block = self._editor.document().findBlockByNumber(caret_row)
            cursor = self._editor.textCursor()
            cursor.setPosition(block.position())
            self._editor.setTextCursor(cursor)
        self.rows = wanted
        self._editor.repaint_soon()
        self.tell()

    def toggle_row(self, row: int) -> None:
        rows = set(self.rows) or set(self.rows_of_selection())
        rows ^= {row}
        self.select_rows(rows, row if row in rows else None)

    def select_block(self, block_id: str) -> None:
        """Put the caret at the beginning of a block and show it."""
        if self._editor.project is None or not self._editor.project.has_block(block_id):
            return
        block = self._editor.document().findBlockByNumber(self._editor.project.index(block_id))
        cursor = self._editor.textCursor()
        cursor.setPosition(block.position())
        self._editor.setTextCursor(cursor)
        self.rows.clear()
        self.scroll_to(block, 0.25)
        self.tell()

    def scroll_to(self, block: QTextBlock, share: float) -> None:
        """Scroll so that the block begins at this share of the height, unless it is well in sight."""
        rect = self._editor.document().documentLayout().blockBoundingRect(block)
        top = rect.top() - self._editor.verticalScrollBar().value()
        height = self._editor.viewport().height()
        if top < height * 0.08 or top + min(rect.height(), height * 0.5) > height * 0.9:
            self._editor.verticalScrollBar().setValue(int(rect.top() - height * share))

    def keep_in_sight(self, block_id: str) -> None:
        """Follow playback, unless the person is writing somewhere else."""
        if self._editor.project is None or not self._editor.project.has_block(block_id):
            return
        if self._editor.hasFocus() and self._editor.textCursor().hasSelection():
            return
        self.scroll_to(self._editor.document().findBlockByNumber(self._editor.project.index(block_id)), 0.3)

    def caret_moved(self) -> None:
        if self._editor.sync.busy:
            return
        if self.rows:
            self.rows.clear()
            self._editor.repaint_soon()
        if self._editor.studio.history is not None and not self._editor.typing:
            self._editor.studio.history.end_merge()
        self._open_tag_at_caret()
        self._editor.tags.select_whole()
        self.tell()

    def selection_moved(self) -> None:
        if not self._editor.sync.busy and not self.rows:
            self.tell()

    def _open_tag_at_caret(self) -> None:
        cursor = self._editor.textCursor()
        inside = cursor.positionInBlock()
        number = cursor.blockNumber()
        tag = next((tag for tag in tags_of(cursor.block().text()) if tag.start < inside < tag.end), None)
        # Within an open tag its letters are being selected.
        within = tag is not None and self._editor.highlighter.is_open(number, tag.start)
        closed = cursor.hasSelection() and not within
        if tag is not None and tag.kind != "broken" and not closed and not self._editor.mouse.drags:
            self._editor.highlighter.open_tag(number, tag.start)
        else:
            self._editor.highlighter.open_tag(-1, -1)

    def tell(self) -> None:
        if self._editor.project is None:
            return
        count = len(self._editor.project.blocks)
        rows = sorted(self.rows) if self.rows else list(self.rows_of_selection())
        blocks = self._editor.project.blocks
        if len(rows) > 1 and rows == list(range(rows[0], rows[-1] + 1)):
            chosen = [block.id for block in blocks[rows[0] : min(rows[-1] + 1, count)]]
        else:
            chosen = [blocks[row].id for row in rows if row < count]
        current = blocks[min(self.current_row(), count - 1)].id
        if self._written and current != self._written:
            self._tell_written("")
        self._telling = True
        self._editor.studio.set_selection(chosen, current)
        self._telling = False

    def follow_current(self, block_id: str) -> None:
        """Another region chose a block: the caret goes there."""
        if not self._telling and block_id:
            self.select_block(block_id)
