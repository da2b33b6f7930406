"""The script: one continuous text in which every paragraph is a block."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import QEvent, QMimeData, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QPalette,
    QTextBlock,
    QTextOption,
)
from PySide6.QtWidgets import QTextEdit

from app.model.block import BlockKind
from app.model.command import Compound
from app.model.commands import ReplaceText
from app.ui.editor.block_info import BlockInfo, info_of
from app.ui.editor.gutter import WIDTH_PX, Gutter
from app.ui.editor.painting import Painting
from app.ui.editor.pills import PillDrag, same_pill
from app.ui.editor.rows import Rows
from app.ui.editor.styling import ScriptHighlighter, tags_of
from app.ui.editor.sync import DocumentSync
from app.ui.editor.tag_editing import TagEditing
from app.ui.editor.transfer import Transfer
from app.ui.editor.wrapping import Wrapping
from app.ui.studio import Studio
from app.ui.theme import GRID, theme
from app.ui.throttle import Debounce, Throttle

log = logging.getLogger(__name__)

PULSE_MS = 120
WIDEST_CHARS = 108
SOON_LAID_OUT = 1_000  # lines; more are laid out when the window has its new size, not at each step on the way there


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
        self._drag: PillDrag | None = None
        self.rows = Rows(self)
        self.painting = Painting(self)
        self.transfer = Transfer(self)
        self.tags = TagEditing(self)
        self._infos: dict[str, BlockInfo] = {}
        self._disconnects: list[Any] = []
        self._telling = False
        self._dirty: set[str] = set()
        self.typing = False
        self._written_in = ""  # id of the block that was typed in since the caret went there
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
        self.document().setDefaultTextOption(option)
        self.wrapping = Wrapping(self.document())

        font = theme().script_font()
        self.setFont(font)
        self.document().setDefaultFont(font)
        self.highlighter = ScriptHighlighter(self.document(), font, self._rows_in_sight)
        self.sync = DocumentSync(self.document(), studio.do, self)
        self.sync.edited.connect(self._text_was_edited)
        self.sync.changed_elsewhere.connect(self._changed_elsewhere)
        self.sync.reloaded.connect(self._reloaded)

        self.gutter = Gutter(self)
        self.gutter.menu_requested.connect(self.menu_requested)
        self.gutter.length_clicked.connect(self.length_requested)
        self.setViewportMargins(WIDTH_PX, 0, 0, 0)
        self.repaint_soon = Throttle(self._repaint_now, parent=self)
        self._repaint_blocks = Throttle(self._repaint_dirty, parent=self)
        self._fit_column_soon = Debounce(self._fit_column, 60, self)
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
        studio.services_changed.connect(self.everything_changed)
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
        self.painting.matches = []
        self.sync.attach(project)
        self._disconnects = [
            project.block_changed.connect(self._block_changed),
            project.blocks_changed.connect(lambda *_: self.everything_changed()),
            project.takes_changed.connect(self._block_changed),
            project.settings_changed.connect(self.everything_changed),
            project.voices_changed.connect(self.everything_changed),
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
        self.rows.heights_changed()
        self.gutter.update()

    def _block_changed(self, block_id: str) -> None:
        self._infos.pop(block_id, None)
        self._dirty.add(block_id)
        self._repaint_blocks()

    def _repaint_dirty(self) -> None:
        dirty, self._dirty = self._dirty, set()
        blocks = self.project.blocks
        for number, rect in self.rows.visible():
            if number < len(blocks) and blocks[number].id in dirty:
                self.gutter.update(0, int(rect.top()) - 1, self.gutter.width(), int(rect.height()) + 2)
                if self.info(blocks[number].id).state == "speaking" and not self._pulse_timer.isActive():
                    self._pulse_timer.start()

    def everything_changed(self) -> None:
        self._infos.clear()
        self.repaint_soon()

    def _playing_changed(self, block_id: str) -> None:
        if block_id:
            self._pulse_timer.start()
            self.keep_in_sight(block_id)
        self.painting.word = ("", 0, 0)
        self.repaint_soon()

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
        self.painting.word = ("", 0, 0)
        self._infos.clear()

    def _text_was_edited(self) -> None:
        self.selected_rows.clear()
        if self.current_row() < len(self.project.blocks):
            self._write_in(self.project.blocks[self.current_row()].id)
        self.text_edited.emit()

    def _write_in(self, block_id: str) -> None:
        self._written_in = block_id
        if self.studio.renderer is not None:
            self.studio.renderer.write_in(block_id)

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

    def _rows_in_sight(self) -> range:
        rows = self.rows.visible()
        return range(rows[0][0], rows[-1][0] + 1) if rows else range(0)

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

    def chosen_text(self) -> list[tuple[str, int, int]]:
        """(block id, start, end) of the text selection in every block that it touches, in code points of the block's
        text; without one the caret's place."""
        cursor, found = self.textCursor(), []
        first, last = self.sync.to_points(cursor.selectionStart()), self.sync.to_points(cursor.selectionEnd())
        for row in self.rows_of_selection():
            block = self.project.blocks[row]
            begins = self.sync.to_points(self.document().findBlockByNumber(row).position())
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
            block = self.document().findBlockByNumber(caret_row)
            cursor = self.textCursor()
            cursor.setPosition(block.position())
            self.setTextCursor(cursor)
        self.selected_rows = wanted
        self.repaint_soon()
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
            self.repaint_soon()
        if self.studio.history is not None and not self.typing:
            self.studio.history.end_merge()
        self._open_tag_at_caret()
        self.tags.select_whole()
        self._tell_selection()

    def _selection_moved(self) -> None:
        if not self.sync.busy and not self.selected_rows:
            self._tell_selection()

    def _open_tag_at_caret(self) -> None:
        cursor = self.textCursor()
        inside = cursor.positionInBlock()
        number = cursor.blockNumber()
        tag = next((tag for tag in tags_of(cursor.block().text()) if tag.start < inside < tag.end), None)
        within = tag is not None and self.highlighter.is_open(number, tag.start)  # its letters are being selected
        closed = cursor.hasSelection() and not within
        if tag is not None and tag.kind != "broken" and not closed and self._drag is None:
            self.highlighter.open_tag(number, tag.start)
        else:
            self.highlighter.open_tag(-1, -1)

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
        if self._written_in and current != self._written_in:
            self._write_in("")
        self._telling = True
        self.studio.set_selection(chosen, current)
        self._telling = False

    def _follow_current(self, block_id: str) -> None:
        """Another region chose a block: the caret goes there."""
        if not self._telling and block_id:
            self.select_block(block_id)

    # Geometry

    def resizeEvent(self, event: QEvent) -> None:
        super().resizeEvent(event)
        self._place_gutter()
        if self.document().blockCount() < SOON_LAID_OUT or not self.isVisible():
            self._fit_column()
        else:
            self._fit_column_soon()

    def _fit_column(self) -> None:
        """Long lines are hard to read: on a wide screen the text keeps to a column."""
        width = min(self.viewport().width(), int(self.fontMetrics().averageCharWidth() * WIDEST_CHARS))
        if width != self.lineWrapColumnOrWidth():
            # Also the same one would lay out the whole script anew.
            self.setLineWrapColumnOrWidth(width)

    def _place_gutter(self) -> None:
        inside = self.contentsRect()
        self.gutter.setGeometry(QRect(inside.left(), inside.top(), WIDTH_PX, inside.height()))

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        self.painting.behind(event.rect())
        super().paintEvent(event)
        self.painting.in_front(event.rect())

    def restyle(self) -> None:
        """Colours or sizes changed."""
        font = self.font()
        if font != self.document().defaultFont():
            # Also the same one would lay out the whole script anew.
            self.document().setDefaultFont(font)
            self._fit_column()
        self.highlighter.set_font(font)
        self.highlighter.rehighlight()
        self._pinch_palette()
        self.everything_changed()

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
        if (block_id, start, end) != self.painting.word:
            self.painting.word = (block_id, start, end)
            self.repaint_soon()

    def show_matches(self, matches: list[tuple[int, int]], current: int) -> None:
        """Highlight what was found; document positions."""
        self.painting.matches, self.painting.current_match = matches, current
        self.repaint_soon()

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
        if self.tags.delete_whole(event):
            return
        self.typing = True
        self.sync.merge_key = "typing"
        try:
            super().keyPressEvent(event)
        finally:
            self.typing = False
            self.sync.merge_key = None
        moving = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End)
        if event.key() in moving and self.studio.history is not None:
            self.studio.history.end_merge()

    def inputMethodEvent(self, event: QEvent) -> None:
        self.typing = True
        self.sync.merge_key = "typing"
        try:
            super().inputMethodEvent(event)
        finally:
            self.typing = False
            self.sync.merge_key = None

    # Tags

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

    def mousePressEvent(self, event: QMouseEvent) -> None:
        pill = (
            self.painting.pill_at(event.position().toPoint()) if event.button() == Qt.MouseButton.LeftButton else None
        )
        open_already = pill is not None and self.highlighter.is_open(pill.block_number, pill.tag.start)
        if pill is not None and not open_already and not event.modifiers():
            self._drag = self.tags.drag(pill, int(event.position().x()))
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
        pill = self.painting.pill_at(event.position().toPoint())
        if (pill is None) != (self.painting.hot is None) or (
            pill and self.painting.hot and not same_pill(pill, self.painting.hot)
        ):
            self.painting.hot = pill
            self.repaint_soon()
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
            self.tags.edit_tag(drag.pill.block_number, drag.pill.tag)
        self.repaint_soon()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.painting.pill_at(event.position().toPoint()) is None:
            super().mouseDoubleClickEvent(event)

    def contextMenuEvent(self, event: QEvent) -> None:
        self.menu_requested.emit(event.globalPos())

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            self.tags.show_tool_tip(event)
            return True
        if event.type() == QEvent.Type.Leave and self.painting.hot is not None:
            self.painting.hot = None
            self.repaint_soon()
        return super().viewportEvent(event)

    # Clipboard and dragging: see Transfer

    def createMimeDataFromSelection(self) -> QMimeData:
        return self.transfer.copied()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return self.transfer.can_paste(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        self.transfer.paste(source)

    def dragEnterEvent(self, event: QEvent) -> None:
        if not self.transfer.enter(event):
            super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QEvent) -> None:
        if not self.transfer.over(event, event.position().toPoint()):
            super().dragMoveEvent(event)

    def dragLeaveEvent(self, event: QEvent) -> None:
        self.transfer.leave()
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QEvent) -> None:
        if not self.transfer.drop(event, event.position().toPoint()):
            super().dropEvent(event)
