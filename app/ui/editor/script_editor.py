"""The script: one continuous text in which every paragraph is a block."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import QEvent, QMimeData, QPoint, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QTextBlock,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QTextEdit

from app.model.block import BlockKind
from app.model.clipboard import MIME_TYPE, copied, pasting
from app.model.command import Compound
from app.model.commands import ReplaceText
from app.model.errors import ProjectError
from app.ui.dropping import dropped_voice, local_files
from app.ui.editor.block_info import BlockInfo, info_of, voice_of
from app.ui.editor.gutter import WIDTH_PX, Gutter
from app.ui.editor.pills import PausePopup, Pill, PillDrag, paint_pill, pills_of
from app.ui.editor.styling import ScriptHighlighter, tags_of
from app.ui.editor.sync import BLOCK_GAP_PX, DocumentSync
from app.ui.studio import Studio
from app.ui.theme import GRID, theme
from app.ui.throttle import Throttle
from engine.text.markup import LONGEST_LENGTH_S, LONGEST_PAUSE_S, Tag, format_length, format_pause, format_say

log = logging.getLogger(__name__)

PULSE_MS = 120
ROW_PAD_PX = BLOCK_GAP_PX - 1
WIDEST_CHARS = 108


class ScriptEditor(QTextEdit):
    """The text of the open project.

    Block n of the document is block n of the project. The truth is the project: see `DocumentSync`.

    Attributes:
        selected_rows: numbers of blocks selected in the gutter; empty when the caret or the text selection decides.
    Signals:
        text_edited(): a person changed the text.
        menu_requested(QPoint): context menu wanted at this global position.
        length_requested(): the length of the selected block is to be edited.
    """

    text_edited = Signal()
    menu_requested = Signal(QPoint)
    length_requested = Signal()

    def __init__(self, studio: Studio, parent: Any = None) -> None:
        super().__init__(parent)
        self.studio = studio
        self.selected_rows: set[int] = set()
        self.pulse = 0.0
        self._word: tuple[str, int, int] = ("", 0, 0)
        self._matches: list[tuple[int, int]] = []
        self._current_match = -1
        self._pills: list[Pill] = []
        self._hot: Pill | None = None
        self._drag: PillDrag | None = None
        self._drop_rows: set[int] = set()
        self._infos: dict[str, BlockInfo] = {}
        self._disconnects: list[Any] = []
        self._telling = False
        self._rows: list[tuple[int, QRectF]] = []
        self._rows_key: tuple[int, ...] = ()
        self._first_row = 0
        self._layouts = 0  # grows when heights may be new though the text is not
        self._dirty: set[str] = set()
        self._typing = False
        self._last_change: int | None = None

        self.setObjectName("script")
        self.setAccessibleName(self.tr("Script"))
        self.setAcceptRichText(False)
        self.setFrameShape(QTextEdit.Shape.NoFrame)
        self.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabChangesFocus(False)
        self.document().setDocumentMargin(GRID * 2)
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        self.setCursorWidth(2)
        option = QTextOption()
        option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDefaultTextOption(option)

        font = theme().script_font()
        self.setFont(font)
        self.document().setDefaultFont(font)
        self._highlighter = ScriptHighlighter(self.document(), font)
        self.sync = DocumentSync(self.document(), studio.do, self)
        self.sync.edited.connect(self._text_was_edited)
        self.sync.changed_elsewhere.connect(self._changed_elsewhere)
        self.sync.reloaded.connect(self._reloaded)

        self.gutter = Gutter(self)
        self.gutter.menu_requested.connect(self.menu_requested)
        self.gutter.length_clicked.connect(self.length_requested)
        self.setViewportMargins(WIDTH_PX, 0, 0, 0)
        self._repaint = Throttle(self._repaint_now, parent=self)
        self._repaint_blocks = Throttle(self._repaint_dirty, parent=self)
        self._pulse_timer = QTimer(self)
        self._pulse_timer.setInterval(PULSE_MS)
        self._pulse_timer.timeout.connect(self._beat)
        self.verticalScrollBar().valueChanged.connect(lambda _: self.gutter.update())
        self.cursorPositionChanged.connect(self._caret_moved)
        self.selectionChanged.connect(self._selection_moved)
        self.document().documentLayout().documentSizeChanged.connect(self._heights_changed)
        studio.block_state_changed.connect(self._block_changed)
        studio.playing_block_changed.connect(self._playing_changed)
        studio.current_block_changed.connect(self._follow_current)
        studio.project_replaced.connect(self._attach)
        studio.services_changed.connect(self._everything_changed)
        theme().changed.connect(self.restyle)
        self._pinch_palette()
        if studio.project is not None:
            self._attach()

    # The project

    @property
    def project(self) -> Any:
        return self.studio.project

    def _attach(self) -> None:
        for disconnect in self._disconnects:
            disconnect()
        project = self.project
        self._infos.clear()
        self.selected_rows.clear()
        self._matches = []
        self.sync.attach(project)
        self._disconnects = [
            project.block_changed.connect(self._block_changed),
            project.blocks_changed.connect(lambda *_: self._everything_changed()),
            project.takes_changed.connect(self._block_changed),
            project.settings_changed.connect(self._everything_changed),
            project.voices_changed.connect(self._everything_changed),
        ]
        cursor = self.textCursor()
        cursor.setPosition(0)
        self.setTextCursor(cursor)
        self._tell_selection()

    def info(self, block_id: str) -> BlockInfo:
        """What the gutter shows of a block, kept until the block changes."""
        if block_id not in self._infos:
            self._infos[block_id] = info_of(self.studio, self.project.block(block_id))
        return self._infos[block_id]

    def _heights_changed(self, *_: object) -> None:
        self._layouts += 1
        self.gutter.update()

    def _block_changed(self, block_id: str) -> None:
        self._infos.pop(block_id, None)
        self._dirty.add(block_id)
        self._repaint_blocks()

    def _repaint_dirty(self) -> None:
        dirty, self._dirty = self._dirty, set()
        blocks = self.project.blocks
        for number, rect in self.visible_rows():
            if number < len(blocks) and blocks[number].id in dirty:
                self.gutter.update(0, int(rect.top()) - 1, self.gutter.width(), int(rect.height()) + 2)
                if self.info(blocks[number].id).state == "speaking" and not self._pulse_timer.isActive():
                    self._pulse_timer.start()

    def _everything_changed(self) -> None:
        self._infos.clear()
        self._repaint()

    def _playing_changed(self, block_id: str) -> None:
        if block_id:
            self._pulse_timer.start()
            self.keep_in_sight(block_id)
        self._word = ("", 0, 0)
        self._repaint()

    def _beat(self) -> None:
        self.pulse += 0.7
        self.gutter.update()
        if not self.studio.playing_block and not any(info.state == "speaking" for info in self._infos.values()):
            self._pulse_timer.stop()

    def _repaint_now(self) -> None:
        self.viewport().update()
        self.gutter.update()
        if not self._pulse_timer.isActive() and any(info.state == "speaking" for info in self._infos.values()):
            self._pulse_timer.start()

    def _reloaded(self) -> None:
        self._word = ("", 0, 0)
        self._infos.clear()

    def _text_was_edited(self) -> None:
        self.selected_rows.clear()
        self.text_edited.emit()

    def _changed_elsewhere(self, position: int) -> None:
        self.selected_rows.clear()
        self._last_change = position
        self._tell_selection()

    def caret_to_last_change(self) -> None:
        """After undo and redo the caret stands where the change was."""
        if self._last_change is not None:
            cursor = self.textCursor()
            cursor.setPosition(min(self._last_change, self.document().characterCount() - 1))
            self.setTextCursor(cursor)
            self.ensureCursorVisible()
            self._last_change = None

    # Selection of blocks

    def current_row(self) -> int:
        return self.textCursor().blockNumber()

    def rows_of_selection(self) -> range:
        """Block numbers that the caret or the text selection touches."""
        cursor = self.textCursor()
        first = self.document().findBlock(cursor.selectionStart()).blockNumber()
        end = self.document().findBlock(cursor.selectionEnd())
        last = end.blockNumber()
        if last > first and cursor.selectionEnd() == end.position():
            last -= 1
        return range(first, last + 1)

    def select_rows(self, rows: Iterable[int], caret_row: int | None = None) -> None:
        """Select blocks as the gutter does; the caret goes to the beginning of `caret_row`."""
        wanted = set(rows)
        if caret_row is not None:
            block = self.document().findBlockByNumber(caret_row)
            cursor = self.textCursor()
            cursor.setPosition(block.position())
            self.setTextCursor(cursor)
        self.selected_rows = wanted
        self._repaint()
        self._tell_selection()

    def toggle_row(self, row: int) -> None:
        rows = set(self.selected_rows) or set(self.rows_of_selection())
        rows ^= {row}
        self.select_rows(rows, row if row in rows else None)

    def select_block(self, block_id: str) -> None:
        """Put the caret at the beginning of a block and show it."""
        if self.project is None or not self.project.has_block(block_id):
            return
        block = self.document().findBlockByNumber(self.project.index(block_id))
        cursor = self.textCursor()
        cursor.setPosition(block.position())
        self.setTextCursor(cursor)
        self.selected_rows.clear()
        self.scroll_to(block, 0.25)
        self._tell_selection()

    def scroll_to(self, block: QTextBlock, share: float) -> None:
        """Scroll so that the block begins at this share of the height, unless it is well in sight."""
        rect = self.document().documentLayout().blockBoundingRect(block)
        top = rect.top() - self.verticalScrollBar().value()
        height = self.viewport().height()
        if top < height * 0.08 or top + min(rect.height(), height * 0.5) > height * 0.9:
            self.verticalScrollBar().setValue(int(rect.top() - height * share))

    def keep_in_sight(self, block_id: str) -> None:
        """Follow playback, unless the person is writing somewhere else."""
        if self.project is None or not self.project.has_block(block_id):
            return
        if self.hasFocus() and self.textCursor().hasSelection():
            return
        self.scroll_to(self.document().findBlockByNumber(self.project.index(block_id)), 0.3)

    def _caret_moved(self) -> None:
        if self.sync.busy:
            return
        if self.selected_rows:
            self.selected_rows.clear()
            self._repaint()
        if self.studio.history is not None and not self._typing:
            self.studio.history.end_merge()
        self._open_tag_at_caret()
        self._tell_selection()

    def _selection_moved(self) -> None:
        if not self.sync.busy and not self.selected_rows:
            self._tell_selection()

    def _open_tag_at_caret(self) -> None:
        cursor = self.textCursor()
        inside = cursor.positionInBlock()
        number = cursor.blockNumber()
        tag = next((tag for tag in tags_of(cursor.block().text()) if tag.start < inside < tag.end), None)
        if tag is not None and tag.kind != "broken" and not cursor.hasSelection() and self._drag is None:
            self._highlighter.open_tag(number, tag.start)
        else:
            self._highlighter.open_tag(-1, -1)

    def _tell_selection(self) -> None:
        if self.project is None:
            return
        count = len(self.project.blocks)
        rows = sorted(self.selected_rows) if self.selected_rows else list(self.rows_of_selection())
        blocks = self.project.blocks
        if len(rows) > 1 and rows == list(range(rows[0], rows[-1] + 1)):
            chosen = [block.id for block in blocks[rows[0] : min(rows[-1] + 1, count)]]
        else:
            chosen = [blocks[row].id for row in rows if row < count]
        current = blocks[min(self.current_row(), count - 1)].id
        self._telling = True
        self.studio.set_selection(chosen, current)
        self._telling = False

    def _follow_current(self, block_id: str) -> None:
        """Another region chose a block: the caret goes there."""
        if not self._telling and block_id:
            self.select_block(block_id)

    # Geometry

    def visible_rows(self) -> list[tuple[int, QRectF]]:
        """(block number, rectangle in viewport pixels) of the blocks in sight; kept until something moved."""
        offset, view = self.verticalScrollBar().value(), self.viewport().size()
        key = (offset, view.width(), view.height(), self.document().revision(), self._layouts)
        if key != self._rows_key:
            self._rows_key = key
            self._rows = self._find_rows(offset, view.height())
        return self._rows

    def _find_rows(self, offset: int, height: int) -> list[tuple[int, QRectF]]:
        layout = self.document().documentLayout()
        block = self._first_block(offset, height)
        count = len(self.project.blocks) if self.project is not None else 0
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
        """A block at or just above the top of the viewport: from the one before it is a step or two, seldom a search."""
        layout = self.document().documentLayout()
        block = self.document().findBlockByNumber(self._first_row)
        if not block.isValid() or abs(layout.blockBoundingRect(block).top() - offset) > 3 * height:
            block = self.cursorForPosition(QPoint(0, 0)).block()
        while block.previous().isValid() and layout.blockBoundingRect(block).top() > offset - BLOCK_GAP_PX:
            block = block.previous()
        while block.next().isValid() and layout.blockBoundingRect(block.next()).bottom() < offset - BLOCK_GAP_PX:
            block = block.next()
        self._first_row = block.blockNumber()
        return block

    def row_at(self, y: int, nearest: bool = False) -> int:
        """Number of the block at this height of the viewport, or -1."""
        last = -1
        for number, rect in self.visible_rows():
            if rect.top() - 2 <= y < rect.bottom() + 2:
                return number
            if y >= rect.bottom():
                last = number
        return last if nearest else -1

    def first_line_middle(self, number: int) -> float:
        """How far below the top of a row the middle of its first line of letters lies."""
        line = self.document().findBlockByNumber(number).layout().lineAt(0)
        return ROW_PAD_PX + line.y() + line.ascent() * 0.64 if line.isValid() else 20.0

    def resizeEvent(self, event: QEvent) -> None:
        super().resizeEvent(event)
        self._place_gutter()
        # Long lines are hard to read: on a wide screen the text keeps to a column.
        self.setLineWrapColumnOrWidth(
            min(self.viewport().width(), int(self.fontMetrics().averageCharWidth() * WIDEST_CHARS))
        )

    def _place_gutter(self) -> None:
        inside = self.contentsRect()
        self.gutter.setGeometry(QRect(inside.left(), inside.top(), WIDTH_PX, inside.height()))

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        self._paint_behind(event.rect())
        super().paintEvent(event)
        self._paint_pills(event.rect())

    def _paint_behind(self, area: QRect) -> None:
        if self.project is None:
            return
        painter = QPainter(self.viewport())
        look = theme()
        for number, rect in self.visible_rows():
            if rect.bottom() < area.top() or rect.top() > area.bottom():
                continue
            block_id = self.project.blocks[number].id
            row = QRectF(0, rect.top(), self.viewport().width(), rect.height())
            colour = self.row_colour(number)
            if colour != "base":
                painter.fillRect(row, look.colour(colour))
            if block_id == self._word[0]:
                self._paint_span(painter, number, self._word[1], self._word[2], "word")
        self._paint_matches(painter, area)

    def row_colour(self, number: int) -> str:
        if number in self._drop_rows:
            return "accent_soft"
        if self.project.blocks[number].id == self.studio.playing_block:
            return "playing"
        return "block_selected" if number in self.selected_rows else "base"

    def _paint_matches(self, painter: QPainter, area: QRect) -> None:
        if not self._matches:
            return
        first = self.cursorForPosition(QPoint(0, area.top())).block().position()
        last_block = self.cursorForPosition(QPoint(self.viewport().width(), area.bottom())).block()
        last = last_block.position() + last_block.length()
        for at, (start, end) in enumerate(self._matches):
            if end < first or start > last:
                continue
            block = self.document().findBlock(start)
            colour = "accent_line" if at == self._current_match else "accent_soft"
            self._paint_span(painter, block.blockNumber(), start - block.position(), end - block.position(), colour)

    def _paint_span(self, painter: QPainter, number: int, start: int, end: int, colour: str) -> None:
        block = self.document().findBlockByNumber(number)
        layout = block.layout()
        origin = self.document().documentLayout().blockBoundingRect(block).topLeft()
        origin -= QPoint(0, self.verticalScrollBar().value()).toPointF()
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

    def _paint_pills(self, area: QRect) -> None:
        self._pills = []
        if self.project is None:
            return
        near = QRectF(area).adjusted(-2, -2, 2, 2)
        painter = QPainter(self.viewport())
        offset = self.verticalScrollBar().value()
        layout = self.document().documentLayout()
        cursor = self.textCursor()
        for number, _ in self.visible_rows():
            block = self.document().findBlockByNumber(number)
            text = block.text()
            if "[" not in text and "<" not in text and text.isascii():
                continue
            origin = layout.blockBoundingRect(block).topLeft()
            for pill in pills_of(block, (origin.x(), origin.y() - offset)):
                self._pills.append(pill)
                if self._highlighter.is_open(number, pill.tag.start) or not any(
                    rect.intersects(near) for rect in pill.rects
                ):
                    continue
                start, end = block.position() + pill.tag.start, block.position() + pill.tag.end
                selected = cursor.hasSelection() and cursor.selectionStart() < end and cursor.selectionEnd() > start
                hot = self._hot is not None and self._same(self._hot, pill)
                paint_pill(painter, pill, "selection" if selected else self.row_colour(number), hot=hot)

    def restyle(self) -> None:
        """Colours or sizes changed."""
        font = self.font()
        self.document().setDefaultFont(font)
        self._highlighter.set_font(font)
        self._highlighter.rehighlight()
        self._pinch_palette()
        self._everything_changed()

    def set_script_font(self, font: QFont) -> None:
        self.setFont(font)
        self.restyle()

    def _pinch_palette(self) -> None:
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Highlight, theme().colour("selection"))
        palette.setColor(QPalette.ColorRole.HighlightedText, theme().colour("on_selection"))
        # Behind the text rows are painted by us: the viewport's own colour must be the same.
        palette.setColor(QPalette.ColorRole.Base, theme().colour("base"))
        self.setPalette(palette)

    def show_word(self, block_id: str, start: int, end: int) -> None:
        """Highlight characters `start`..`end` (UTF-16) of a block: the word being heard, estimated."""
        if (block_id, start, end) != self._word:
            self._word = (block_id, start, end)
            self._repaint()

    def show_matches(self, matches: list[tuple[int, int]], current: int) -> None:
        """Highlight what was found; document positions."""
        self._matches, self._current_match = matches, current
        self._repaint()

    # Keys

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            actions = self.studio.actions
            if actions is not None and actions.claims(event):
                event.ignore()
                return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.selected_rows:
            self.select_rows(())
            return
        if (
            event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            and event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        ):
            # A line end inside a paragraph does not exist here: it is a new paragraph.
            event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier, "\r")
        if self._delete_tag(event):
            return
        self._typing = True
        self.sync.merge_key = "typing"
        try:
            super().keyPressEvent(event)
        finally:
            self._typing = False
            self.sync.merge_key = None
        moving = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End)
        if event.key() in moving and self.studio.history is not None:
            self.studio.history.end_merge()

    def inputMethodEvent(self, event: QEvent) -> None:
        self._typing = True
        self.sync.merge_key = "typing"
        try:
            super().inputMethodEvent(event)
        finally:
            self._typing = False
            self.sync.merge_key = None

    def _delete_tag(self, event: QKeyEvent) -> bool:
        """Backspace behind a pill and Delete before one take the whole pill: it looks like one thing."""
        cursor = self.textCursor()
        if cursor.hasSelection() or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        at = cursor.positionInBlock()
        for tag in tags_of(cursor.block().text()):
            behind = event.key() == Qt.Key.Key_Backspace and at == tag.end
            before = event.key() == Qt.Key.Key_Delete and at == tag.start
            if tag.kind != "broken" and (behind or before):
                self._replace(cursor.block().position() + tag.start, cursor.block().position() + tag.end, "")
                return True
        return False

    # Tags

    def insert_pause(self, seconds: float = 0.5) -> None:
        """A pause at the caret; on a pause, edit it."""
        cursor = self.textCursor()
        at = cursor.positionInBlock()
        block = cursor.block()
        for tag in tags_of(block.text()):
            if tag.kind == "pause" and tag.start <= at <= tag.end and not cursor.hasSelection():
                self.edit_tag(block.blockNumber(), tag)
                return
        end = cursor.selectionEnd()
        text = block.text()
        here = end - block.position()
        before = text[here - 1 : here]
        after = text[here : here + 1]
        lead = "" if not before or before.isspace() else " "
        trail = "" if after.isspace() else " " if after else ""
        self._replace(end, end, f"{lead}{format_pause(seconds)}{trail}")

    def insert_pronunciation(self) -> None:
        """Wrap the selected word, or the word at the caret, into a tag that says how it is spoken."""
        cursor = self.textCursor()
        if not cursor.hasSelection():
            cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        word = cursor.selectedText().replace("\u2029", " ").strip()
        if not word:
            self.studio.say("info", self.tr("Select the word whose pronunciation you want to change."))
            return
        tag = format_say(word, word)
        start = cursor.selectionStart()
        self._replace(start, cursor.selectionEnd(), tag)
        cursor = self.textCursor()
        cursor.setPosition(start + len(tag) - 1 - len(word))
        cursor.setPosition(start + len(tag) - 1, QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self._highlighter.open_tag(cursor.blockNumber(), start - cursor.block().position())

    def edit_tag(self, block_number: int, tag: Tag) -> PausePopup | None:
        """Open the popup that edits a pause or a length."""
        if tag.kind not in ("pause", "length"):
            block = self.document().findBlockByNumber(block_number)
            cursor = self.textCursor()
            cursor.setPosition(block.position() + tag.end - 1)
            self.setTextCursor(cursor)
            return None
        block_id = self.project.blocks[block_number].id
        start = tag.start
        kind = tag.kind
        title = self.tr("Pause") if kind == "pause" else self.tr("Length of this line")
        most = LONGEST_PAUSE_S if kind == "pause" else LONGEST_LENGTH_S
        popup = PausePopup(self, tag.seconds or 0.0, most, title)
        key = f"tag:{block_id}:{start}"
        popup.seconds_changed.connect(lambda seconds: self._set_tag(block_id, start, seconds, key))
        popup.removed.connect(lambda: self._set_tag(block_id, start, None, key))
        popup.closed.connect(self.setFocus)
        pill = next(
            (pill for pill in self._pills if pill.block_number == block_number and pill.tag.start == start), None
        )
        anchor = pill.rects[0].bottomLeft().toPoint() if pill else self.cursorRect().bottomLeft()
        popup.open_at(self.viewport().mapToGlobal(anchor + QPoint(0, 6)))
        return popup

    def _set_tag(self, block_id: str, start: int, seconds: float | None, merge_key: str) -> None:
        """Give the tag at `start` of a block another length, or take it out."""
        if not self.project.has_block(block_id):
            return
        block = self.document().findBlockByNumber(self.project.index(block_id))
        tag = next((tag for tag in tags_of(block.text()) if tag.start == start and tag.seconds is not None), None)
        if tag is None:
            return
        if seconds is None:
            text = ""
        else:
            text = format_pause(seconds) if tag.kind == "pause" else format_length(max(0.1, seconds))
        self._replace(block.position() + tag.start, block.position() + tag.end, text, merge_key)

    def _replace(self, start: int, end: int, text: str, merge_key: str | None = None) -> None:
        """Replace document positions as one command."""
        first, last = self.sync.to_points(start), self.sync.to_points(end)
        removed = self.project.text_between(first, last)
        at_end = self.textCursor().position() == end
        self._typing = merge_key is not None  # the caret that moves with it ends no merge
        command = ReplaceText(first, removed, text)
        # As a compound it merges by its key alone, not by the rules of typing.
        self.studio.do(command if merge_key is None else Compound((command,), "Change tag"), merge_key)
        if at_end:
            caret = self.textCursor()
            caret.setPosition(start + len(text.encode("utf-16-le")) // 2)
            self.setTextCursor(caret)
        self._typing = False
        self._everything_changed()

    def make_kind(self, kind: BlockKind) -> None:
        """Turn the selected blocks into headings, notes or speech by the mark their text begins with."""
        marks = {BlockKind.CHAPTER: "# ", BlockKind.SCENE: "## ", BlockKind.NOTE: "// ", BlockKind.SPEECH: ""}
        ids = self.studio.selection
        commands: list[ReplaceText] = []
        for block_id in reversed(ids):
            block = self.project.block(block_id)
            bare = block.text.lstrip("#/").lstrip() if block.kind is not BlockKind.SPEECH else block.text
            old = block.text[: len(block.text) - len(bare)]
            if old != marks[kind]:
                commands.append(ReplaceText(self.project.start_of(self.project.index(block_id)), old, marks[kind]))
        self._do_together(commands, self.tr("Change kind of line"))

    def _do_together(self, commands: list[Any], words: str) -> None:
        if len(commands) == 1:
            self.studio.do(commands[0])
        elif commands:
            self.studio.do(Compound(tuple(commands), words))

    # Mouse

    def pill_at(self, point: QPoint) -> Pill | None:
        return next((pill for pill in self._pills if pill.holds(point)), None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        pill = self.pill_at(event.position().toPoint()) if event.button() == Qt.MouseButton.LeftButton else None
        open_already = pill is not None and self._highlighter.is_open(pill.block_number, pill.tag.start)
        if pill is not None and not open_already and not event.modifiers():
            block_id = self.project.blocks[pill.block_number].id
            key = f"drag:{block_id}:{pill.tag.start}"
            start = pill.tag.start
            self._drag = PillDrag(
                pill, int(event.position().x()), lambda seconds: self._set_tag(block_id, start, seconds, key)
            )
            if self.studio.history is not None:
                self.studio.history.end_merge()
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag is not None:
            if self._drag.pill.tag.kind == "pause":
                block = self.document().findBlockByNumber(self._drag.pill.block_number)
                right_to_left = block.textDirection() == Qt.LayoutDirection.RightToLeft
                self._drag.move_to(int(event.position().x()), right_to_left)
            return
        pill = self.pill_at(event.position().toPoint())
        if (pill is None) != (self._hot is None) or (pill and self._hot and not self._same(pill, self._hot)):
            self._hot = pill
            self._repaint()
        if event.buttons():
            super().mouseMoveEvent(event)
        shape = Qt.CursorShape.IBeamCursor
        if pill is not None and not event.buttons():
            shape = Qt.CursorShape.SizeHorCursor if pill.tag.kind == "pause" else Qt.CursorShape.PointingHandCursor
        self.viewport().setCursor(shape)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._drag is None:
            super().mouseReleaseEvent(event)
            return
        drag, self._drag = self._drag, None
        if self.studio.history is not None:
            self.studio.history.end_merge()
        if not drag.moved:
            self.edit_tag(drag.pill.block_number, drag.pill.tag)
        self._repaint()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.pill_at(event.position().toPoint()) is None:
            super().mouseDoubleClickEvent(event)

    @staticmethod
    def _same(one: Pill, other: Pill) -> bool:
        return (one.block_number, one.tag.start) == (other.block_number, other.tag.start)

    def contextMenuEvent(self, event: QEvent) -> None:
        self.menu_requested.emit(event.globalPos())

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            self._tool_tip(event)
            return True
        if event.type() == QEvent.Type.Leave and self._hot is not None:
            self._hot = None
            self._repaint()
        return super().viewportEvent(event)

    def _tool_tip(self, event: QEvent) -> None:
        from PySide6.QtWidgets import QToolTip  # late: nothing else here shows one

        cursor = self.cursorForPosition(event.pos())
        inside = cursor.positionInBlock()
        tag = next((tag for tag in tags_of(cursor.block().text()) if tag.start <= inside <= tag.end), None)
        if tag is None:
            QToolTip.hideText()
            return
        words = tag.problem
        if not words and tag.kind == "pause":
            words = self.tr("Pause of %1 s. Drag it sideways to change it, click it to type.").replace(
                "%1", f"{tag.seconds:g}"
            )
        elif not words and tag.kind == "length":
            words = self.tr("This line must last %1 s. Click to change it.").replace("%1", f"{tag.seconds:g}")
        elif not words:
            words = self.tr("“%1” is spoken “%2”.").replace("%1", tag.written).replace("%2", tag.spoken)
        QToolTip.showText(event.globalPos(), words, self.viewport())

    # Clipboard

    def createMimeDataFromSelection(self) -> QMimeData:
        cursor = self.textCursor()
        start, end = self.sync.to_points(cursor.selectionStart()), self.sync.to_points(cursor.selectionEnd())
        mime = QMimeData()
        mime.setText(self.project.text_between(start, end))
        mime.setData(MIME_TYPE, copied(self.project, start, end))
        return mime

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() or source.hasFormat(MIME_TYPE) or source.hasUrls()

    def insertFromMimeData(self, source: QMimeData) -> None:
        if source.hasUrls() and not source.hasFormat(MIME_TYPE):
            files = local_files(source)
            if files and self.studio.drop_files(files):
                return
        cursor = self.textCursor()
        start, end = self.sync.to_points(cursor.selectionStart()), self.sync.to_points(cursor.selectionEnd())
        command: Any = None
        if source.hasFormat(MIME_TYPE):
            try:
                command = pasting(bytes(source.data(MIME_TYPE).data()), self.project, start, end - start)
            except ProjectError as error:
                log.info("clipping not understood, its plain text is pasted: %s", error)
        if command is None:
            command = ReplaceText(start, self.project.text_between(start, end), source.text())
        self.studio.do(command)
        self.caret_to_last_change()
        self._everything_changed()

    # Drag and drop

    def dragEnterEvent(self, event: QEvent) -> None:
        if dropped_voice(event.mimeData()) is not None or event.mimeData().hasUrls():
            event.acceptProposedAction()
        else:
            super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QEvent) -> None:
        if not self.drag_over(event, event.position().toPoint()):
            super().dragMoveEvent(event)

    def dragLeaveEvent(self, event: QEvent) -> None:
        self._drop_rows = set()
        self._repaint()
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QEvent) -> None:
        if not self.drop_at(event, event.position().toPoint()):
            super().dropEvent(event)

    def drag_over(self, event: QEvent, point: QPoint) -> bool:
        """Show which blocks a dragged voice would be given to. Whether the drag is ours."""
        if dropped_voice(event.mimeData()) is not None:
            rows = self._rows_for_drop(point)
            if rows != self._drop_rows:
                self._drop_rows = rows
                self._repaint()
            event.acceptProposedAction()
            return True
        if event.mimeData().hasUrls():
            event.acceptProposedAction()
            return True
        return False

    def drop_at(self, event: QEvent, point: QPoint) -> bool:
        """Take a voice or files that were dropped. Whether the drop was ours."""
        rows, self._drop_rows = self._rows_for_drop(point), set()
        self._repaint()
        voice_id = dropped_voice(event.mimeData())
        if voice_id is not None:
            ids = [self.project.blocks[row].id for row in sorted(rows)]
            if ids:
                self.studio.give_voice(ids, voice_id)
            event.acceptProposedAction()
            return True
        files = local_files(event.mimeData())
        if files:
            self.studio.drop_files(files)
            event.acceptProposedAction()
            return True
        return False

    def _rows_for_drop(self, point: QPoint) -> set[int]:
        row = self.row_at(point.y(), nearest=True)
        if row < 0:
            return set()
        selected = self.selected_rows or (set(self.rows_of_selection()) if self.textCursor().hasSelection() else set())
        return set(selected) if row in selected else {row}

    def voice_name(self, block_id: str) -> str:
        return voice_of(self.studio, self.project.block(block_id))[0]
