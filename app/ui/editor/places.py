"""Where a person was in each project: caret and scroll position come back with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, QTimer

from app.ui.studio import Studio
from app.ui.throttle import Throttle
from app.ui.window_state import Place, WindowState

if TYPE_CHECKING:
    from app.ui.editor.script_editor import ScriptEditor

_LOOK_EVERY_MS = 200
_SETTLES_MS = 1500  # a window that is being shown is laid out several times
_PERSON = (QEvent.Type.KeyPress, QEvent.Type.Wheel, QEvent.Type.MouseButtonPress, QEvent.Type.InputMethod)


class Places(QObject):
    """Keeps the place in the open project, and goes there when a project is opened."""

    def __init__(self, studio: Studio, editor: ScriptEditor, state: WindowState) -> None:
        super().__init__(editor)
        self._studio, self._editor, self._state = studio, editor, state
        self._store: Any = studio.store
        self._place: Place | None = None
        self._wanted: Place | None = None
        self._look_soon = Throttle(self._look, _LOOK_EVERY_MS, self, at_once=False)
        self._settled = QTimer(self)
        self._settled.setSingleShot(True)
        self._settled.setInterval(_SETTLES_MS)
        self._settled.timeout.connect(self._arrive)
        editor.cursorPositionChanged.connect(self._look_soon)
        editor.verticalScrollBar().valueChanged.connect(self._look_soon)
        editor.verticalScrollBar().rangeChanged.connect(self._scroll)
        for each in (editor, editor.viewport(), editor.verticalScrollBar()):
            each.installEventFilter(self)
        studio.project_replaced.connect(self._replaced)
        self._replaced()

    def keep(self) -> None:
        """Note the place in the open project, for the next time."""
        if self._wanted is None:
            self._look()
        place = self._wanted or self._place
        if self._store is not None and place is not None:
            self._state.keep_place(str(self._store.path), place)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _PERSON:
            self._arrive()
        elif event.type() in (QEvent.Type.Resize, QEvent.Type.Show) and watched is self._editor:
            self._settled.start()
            QTimer.singleShot(0, self, self._scroll)
        return False

    def _look(self) -> None:
        editor, project = self._editor, self._studio.project
        if project is None or self._studio.store is not self._store or self._wanted is not None:
            return
        cursor, rows = editor.textCursor(), editor.rows.visible()
        if not rows:
            return
        top = editor.document().findBlockByNumber(rows[0][0])
        count = len(project.blocks)
        if max(cursor.blockNumber(), top.blockNumber()) < count:
            above_px = editor.document().documentLayout().blockBoundingRect(top).top()
            self._place = Place(
                project.blocks[cursor.blockNumber()].id,
                cursor.positionInBlock(),
                project.blocks[top.blockNumber()].id,
                round(editor.verticalScrollBar().value() - above_px),
            )

    def _replaced(self) -> None:
        """Another project is open: note where the person was in the one before, and go where they were in this."""
        if self._store is not None and self._store is not self._studio.store and self._place is not None:
            self._state.keep_place(str(self._store.path), self._place)
        self._store, self._place = self._studio.store, None
        self._wanted = self._state.place(str(self._store.path)) if self._store is not None else None
        project = self._studio.project
        if self._wanted is None or not project.has_block(self._wanted.block_id):
            self._wanted = None
            return
        block = self._editor.document().findBlockByNumber(project.index(self._wanted.block_id))
        cursor = self._editor.textCursor()
        cursor.setPosition(block.position() + min(self._wanted.offset, block.length() - 1))
        self._editor.setTextCursor(cursor)
        self._scroll()
        self._settled.start()

    def _scroll(self, *_: object) -> None:
        wanted, project = self._wanted, self._studio.project
        if wanted is not None and project is not None and project.has_block(wanted.top_id):
            block = self._editor.document().findBlockByNumber(project.index(wanted.top_id))
            top = self._editor.document().documentLayout().blockBoundingRect(block).top()
            self._editor.verticalScrollBar().setValue(round(top) + wanted.hidden_px)

    def _arrive(self) -> None:
        """From now on the person decides where they are."""
        self._settled.stop()
        self._wanted = None
