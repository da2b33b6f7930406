"""The mouse on pills: a drag makes a pause longer, a click opens it, and the pill under the mouse is marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent

from app.ui.editor.pills import Pill, PillDrag, same_pill

if TYPE_CHECKING:
    from app.ui.editor.script_editor import ScriptEditor


class PillMouse:
    """The editor asks it before it does what it always does with the mouse."""

    def __init__(self, editor: ScriptEditor) -> None:
        self._editor = editor
        self._drag: PillDrag | None = None

    @property
    def drags(self) -> bool:
        return self._drag is not None

    def press(self, event: QMouseEvent) -> bool:
        """Whether a pill was taken hold of."""
        editor = self._editor
        left = event.button() == Qt.MouseButton.LeftButton
        pill = editor.painting.pill_at(event.position().toPoint()) if left else None
        if pill is None or event.modifiers() or editor.highlighter.is_open(pill.block_number, pill.tag.start):
            return False
        self._drag = editor.tags.drag(pill, int(event.position().x()))
        if editor.studio.history is not None:
            editor.studio.history.end_merge()
        editor.setFocus(Qt.FocusReason.MouseFocusReason)
        return True

    def drag_on(self, event: QMouseEvent) -> bool:
        """Whether a pill is being dragged."""
        if self._drag is None:
            return False
        if self._drag.pill.tag.kind == "pause":
            block = self._editor.document().findBlockByNumber(self._drag.pill.block_number)
            right_to_left = block.textDirection() == Qt.LayoutDirection.RightToLeft
            self._drag.move_to(int(event.position().x()), right_to_left)
        return True

    def look(self, event: QMouseEvent) -> Pill | None:
        """The pill under the mouse, marked from now on."""
        painting = self._editor.painting
        pill = painting.pill_at(event.position().toPoint())
        if (pill is None) != (painting.hot is None) or (pill and painting.hot and not same_pill(pill, painting.hot)):
            painting.hot = pill
            self._editor.repaint_soon()
        return pill

    def show_cursor(self, event: QMouseEvent, pill: Pill | None) -> None:
        shape = Qt.CursorShape.IBeamCursor
        if pill is not None and not event.buttons():
            shape = Qt.CursorShape.SizeHorCursor if pill.tag.kind == "pause" else Qt.CursorShape.PointingHandCursor
        self._editor.viewport().setCursor(shape)

    def release(self) -> bool:
        """Whether a pill was let go; one that was not dragged is opened."""
        drag, self._drag = self._drag, None
        if drag is None:
            return False
        if self._editor.studio.history is not None:
            self._editor.studio.history.end_merge()
        if not drag.moved:
            self._editor.tags.edit_tag(drag.pill.block_number, drag.pill.tag)
        self._editor.repaint_soon()
        return True
