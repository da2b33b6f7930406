"""The script's region: find bar above, the text, and what to do first when there is none."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import QFrame, QMenu, QVBoxLayout, QWidget

from app.model.block import BlockKind
from app.model.commands import SetBlockSettings
from app.ui.editor.find_bar import FindBar
from app.ui.editor.script_editor import ScriptEditor
from app.ui.editor.word_highlight import WordHighlight
from app.ui.studio import Studio
from app.ui.theme import theme
from app.ui.transport.playback import playback_of
from app.ui.voice_menu import fill_voice_menu
from app.ui.widgets.empty_state import EmptyState


class ScriptPanel(QFrame):
    """Editor, find bar and empty state; binds the actions that work on the script.

    Attributes:
        editor: the text.
        long_steps: replaces and turns back thousands of lines.
        find_bar: hidden until it is asked for.
    """

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self.setObjectName("scriptFrame")
        self.setMinimumWidth(480)
        self.editor = ScriptEditor(studio)
        self.long_steps = self.editor.long_steps
        self.find_bar = FindBar(studio, self.editor)
        self.find_bar.hide()
        self.setFocusProxy(self.editor)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        column.addWidget(self.find_bar)
        column.addWidget(self.editor, 1)
        self._empty = EmptyState(
            "note",
            self.tr("Write, paste, or drop a text"),
            self.tr(
                "Every paragraph becomes a line that a voice can speak. Ctrl+Enter speaks from the caret; "
                "# begins a chapter, // a note that is never spoken."
            ),
            (
                (self.tr("Open the sample"), lambda: studio.actions.trigger("open_sample"), True),
                (self.tr("Import a text…"), lambda: studio.actions.trigger("import_script"), False),
            ),
        )
        self._empty.setParent(self.editor)
        self.editor.installEventFilter(self)
        self.editor.document().contentsChanged.connect(self._show_or_hide_empty)
        self.editor.sync.reloaded.connect(self._show_or_hide_empty)
        self.editor.menu_requested.connect(self._open_menu)
        self.setAccessibleName(self.tr("Script"))
        self._show_or_hide_empty()
        self._bind()
        self._words = WordHighlight(studio, self.editor, playback_of(studio))

    def set_font_size(self, points: float, family: str = "") -> None:
        font: QFont = theme().script_font(family, points)
        self.editor.set_script_font(font)

    def _bind(self) -> None:
        actions, editor = self._studio.actions, self.editor
        actions.bind("cut", lambda: self._clipboard("cut"))
        actions.bind("copy", lambda: self._clipboard("copy"))
        actions.bind("paste", lambda: self._clipboard("paste"))
        actions.bind("select_all", lambda: self._clipboard("selectAll"))
        actions.bind("insert_pause", self._insert_pause)
        actions.bind("insert_pronunciation", editor.tags.insert_pronunciation)
        actions.bind("make_speech", lambda: editor.make_kind(BlockKind.SPEECH))
        actions.bind("make_chapter", lambda: editor.make_kind(BlockKind.CHAPTER))
        actions.bind("make_scene", lambda: editor.make_kind(BlockKind.SCENE))
        actions.bind("make_note", lambda: editor.make_kind(BlockKind.NOTE))
        actions.bind("find", lambda: self.find_bar.open(replace=False))
        actions.bind("replace", lambda: self.find_bar.open(replace=True))
        actions.bind("find_next", self.find_bar.next)
        actions.bind("find_previous", self.find_bar.previous)

    def _insert_pause(self) -> None:
        self.editor.setFocus()
        self.editor.tags.insert_pause()

    def _clipboard(self, deed: str) -> None:
        """Cut, copy and paste go to the field that has the keyboard, else to the script."""
        focus = self.window().focusWidget()
        target: QWidget = focus if focus is not None and hasattr(focus, deed) else self.editor
        getattr(target, deed)()

    def _show_or_hide_empty(self) -> None:
        self._empty.setVisible(self.editor.document().characterCount() <= 1 and self._studio.project is not None)
        self._place_empty()

    def _place_empty(self) -> None:
        viewport = self.editor.viewport().geometry()
        top = viewport.top() + 56
        self._empty.setGeometry(viewport.left(), top, viewport.width(), max(0, viewport.height() - 56))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.editor and event.type() in (QEvent.Type.Resize, QEvent.Type.Show):
            self._place_empty()
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.find_bar.isVisible():
            self.find_bar.close_bar()
            return
        super().keyPressEvent(event)

    def _open_menu(self, at: QPoint) -> None:
        actions = self._studio.actions
        menu = QMenu(self)
        if self.editor.textCursor().hasSelection():
            for name in ("cut", "copy"):
                menu.addAction(actions.action(name))
        menu.addAction(actions.action("paste"))
        menu.addSeparator()
        voices = menu.addMenu(theme().icon("voice"), self.tr("Voice"))
        fill_voice_menu(
            voices, self._studio, lambda voice_id: self._studio.give_voice(self._studio.selection, voice_id)
        )
        for name in ("insert_pause", "insert_pronunciation", "insert_length"):
            menu.addAction(actions.action(name))
        menu.addSeparator()
        for name in ("play_selection", "again", "three_takes", "again_sentences", "lock"):
            menu.addAction(actions.action(name))
        menu.addSeparator()
        for name in ("make_speech", "make_chapter", "make_scene", "make_note"):
            menu.addAction(actions.action(name))
        blocks = [self._studio.project.block(each) for each in self._studio.selection]
        headings = [block for block in blocks if block.kind in (BlockKind.CHAPTER, BlockKind.SCENE)]
        if headings:
            menu.addSeparator()
            spoken = menu.addAction(self.tr("Speak this heading"))
            spoken.setCheckable(True)
            default = self._studio.project.settings.headings_spoken
            spoken.setChecked(
                all(default if each.settings.spoken is None else each.settings.spoken for each in headings)
            )
            ids = tuple(block.id for block in headings)
            spoken.toggled.connect(lambda on: self._studio.do(SetBlockSettings(ids, {"spoken": on})))
        menu.exec(at)
        menu.deleteLater()
