"""The script: one continuous text in which every paragraph is a block."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import QEvent, QMimeData, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QMouseEvent, QPaintEvent, QPalette, QTextOption
from PySide6.QtWidgets import QTextEdit

from app.model.block import BlockKind
from app.model.command import Compound
from app.model.commands import ReplaceText
from app.ui.editor.block_info import BlockInfo
from app.ui.editor.gutter import WIDTH_PX, Gutter
from app.ui.editor.painting import Painting
from app.ui.editor.pill_mouse import PillMouse
from app.ui.editor.row_infos import RowInfos
from app.ui.editor.rows import Rows
from app.ui.editor.selecting import Selecting
from app.ui.editor.styling import ScriptHighlighter
from app.ui.editor.sync import DocumentSync
from app.ui.editor.tag_editing import TagEditing
from app.ui.editor.transfer import Transfer
from app.ui.editor.wrapping import Wrapping
from app.ui.long_steps import LongSteps
from app.ui.studio import Studio
from app.ui.theme import GRID, theme
from app.ui.throttle import Debounce

WIDEST_CHARS = 108
SOON_LAID_OUT = 1_000  # lines; more are laid out when the window has its new size, not at each step on the way there


class ScriptEditor(QTextEdit):
    """The text of the open project.

    Block n of the document is block n of the project. The truth is the project: see `DocumentSync`.

    Attributes:
        selected_rows: numbers of blocks selected in the gutter; empty when the caret or the text selection decides.
        infos, rows, selecting, painting, tags, transfer, mouse, sync, highlighter, wrapping: its parts.
        long_steps: replaces, pastes and turns back thousands of lines.
    Signals:
        menu_requested(QPoint): context menu wanted at this global position.
        length_requested(): the length of the selected block is to be edited.
    """

    menu_requested = Signal(QPoint)
    length_requested = Signal()

    def __init__(self, studio: Studio, parent: Any = None) -> None:
        super().__init__(parent)
        self.studio = studio
        self.rows = Rows(self)
        self.selecting = Selecting(self)
        self.mouse = PillMouse(self)
        self.painting = Painting(self)
        self.transfer = Transfer(self)
        self.tags = TagEditing(self)
        self.long_steps = LongSteps(studio, self)
        self._disconnects: list[Any] = []
        self.typing = False
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
        self.sync.edited.connect(self.selecting.written)
        self.sync.changed_elsewhere.connect(self._changed_elsewhere)
        self.sync.reloaded.connect(self._reloaded)

        self.gutter = Gutter(self)
        self.gutter.menu_requested.connect(self.menu_requested)
        self.gutter.length_clicked.connect(self.length_requested)
        self.setViewportMargins(WIDTH_PX, 0, 0, 0)
        self.infos = RowInfos(self)
        self.repaint_soon = self.infos.repaint_soon
        self._fit_column_soon = Debounce(self._fit_column, 60, self)
        self.verticalScrollBar().valueChanged.connect(lambda _: self.gutter.update())
        self.cursorPositionChanged.connect(self.selecting.caret_moved)
        self.selectionChanged.connect(self.selecting.selection_moved)
        self.document().documentLayout().documentSizeChanged.connect(self._heights_changed)
        studio.block_state_changed.connect(self.infos.block_changed)
        studio.playing_block_changed.connect(self._playing_changed)
        studio.current_block_changed.connect(self.selecting.follow_current)
        studio.project_replaced.connect(self._attach)
        studio.services_changed.connect(self.infos.everything_changed)
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
        self.infos.forget()
        self.selected_rows.clear()
        self.painting.matches = []
        self.sync.attach(project)
        self._disconnects = [
            project.block_changed.connect(self.infos.block_changed),
            project.blocks_changed.connect(lambda *_: self.infos.everything_changed()),
            project.takes_changed.connect(self.infos.block_changed),
            project.settings_changed.connect(self.infos.everything_changed),
            project.voices_changed.connect(self.infos.everything_changed),
        ]
        cursor = self.textCursor()
        cursor.setPosition(0)
        self.setTextCursor(cursor)
        self.selecting.tell()

    def info(self, block_id: str) -> BlockInfo:
        return self.infos.info(block_id)

    def _heights_changed(self, *_: object) -> None:
        self.rows.heights_changed()
        self.gutter.update()

    def _playing_changed(self, block_id: str) -> None:
        if block_id:
            self.infos.start_pulse()
            self.selecting.keep_in_sight(block_id)
        self.painting.word = ("", 0, 0)
        self.repaint_soon()

    def _reloaded(self) -> None:
        self.painting.word = ("", 0, 0)
        self.infos.forget()

    def _changed_elsewhere(self, position: int) -> None:
        self.selected_rows.clear()
        self._last_change = position
        self.selecting.tell()

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

    # Selection of blocks: see Selecting

    @property
    def selected_rows(self) -> set[int]:
        return self.selecting.rows

    def current_row(self) -> int:
        return self.selecting.current_row()

    def rows_of_selection(self) -> range:
        return self.selecting.rows_of_selection()

    def chosen_text(self) -> list[tuple[str, int, int]]:
        return self.selecting.chosen_text()

    def select_rows(self, rows: Iterable[int], caret_row: int | None = None) -> None:
        self.selecting.select_rows(rows, caret_row)

    def toggle_row(self, row: int) -> None:
        self.selecting.toggle_row(row)

    def select_block(self, block_id: str) -> None:
        self.selecting.select_block(block_id)

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
        self.infos.everything_changed()

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
        if not self.mouse.press(event):
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.mouse.drag_on(event):
            return
        pill = self.mouse.look(event)
        if event.buttons():
            super().mouseMoveEvent(event)
        self.mouse.show_cursor(event, pill)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if not self.mouse.release():
            super().mouseReleaseEvent(event)

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
