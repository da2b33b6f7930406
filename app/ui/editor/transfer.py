"""What goes in and out of the script by clipboard and by dragging: paragraphs with their identity, voices, files."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QMimeData, QPoint

from app.model.clipboard import MIME_TYPE, copied, pasting
from app.model.commands import ReplaceText
from app.model.errors import ProjectError
from app.ui.dropping import dropped_voice, local_files

if TYPE_CHECKING:
    from app.ui.editor.script_editor import ScriptEditor

log = logging.getLogger(__name__)


class Transfer:
    """The editor hands its events on; each method tells whether it was ours."""

    def __init__(self, editor: ScriptEditor) -> None:
        self._editor = editor

    def _selection(self) -> tuple[int, int]:
        """Code points."""
        cursor, sync = self._editor.textCursor(), self._editor.sync
        return sync.to_points(cursor.selectionStart()), sync.to_points(cursor.selectionEnd())

    def copied(self) -> QMimeData:
        """The selection as plain text, and as paragraphs that keep who they are."""
        start, end = self._selection()
        mime = QMimeData()
        mime.setText(self._editor.project.text_between(start, end))
        mime.setData(MIME_TYPE, copied(self._editor.project, start, end))
        return mime

    @staticmethod
    def can_paste(source: QMimeData) -> bool:
        return source.hasText() or source.hasFormat(MIME_TYPE) or source.hasUrls()

    def paste(self, source: QMimeData) -> None:
        """Over the selection, as one step."""
        editor = self._editor
        if source.hasUrls() and not source.hasFormat(MIME_TYPE):
            files = local_files(source)
            if files and editor.studio.drop_files(files):
                return
        editor.long_steps.finish()
        start, end = self._selection()
        command: Any = None
        if source.hasFormat(MIME_TYPE):
            try:
                command = pasting(bytes(source.data(MIME_TYPE).data()), editor.project, start, end - start)
            except ProjectError as error:
                log.info("clipping not understood, its plain text is pasted: %s", error)
        if command is None:
            command = ReplaceText(start, editor.project.text_between(start, end), source.text())

        def show() -> None:
            editor.caret_to_last_change()
            editor.infos.everything_changed()

        editor.long_steps.do(command, show)

    def enter(self, event: QEvent) -> bool:
        ours = dropped_voice(event.mimeData()) is not None or event.mimeData().hasUrls()
        if ours:
            event.acceptProposedAction()
        return ours

    def over(self, event: QEvent, point: QPoint) -> bool:
        """Show which blocks a dragged voice would be given to."""
        if dropped_voice(event.mimeData()) is None and not event.mimeData().hasUrls():
            return False
        rows = self._rows_at(point) if dropped_voice(event.mimeData()) is not None else set()
        if rows != self._editor.painting.drop_rows:
            self._editor.painting.drop_rows = rows
            self._editor.repaint_soon()
        event.acceptProposedAction()
        return True

    def leave(self) -> None:
        self._editor.painting.drop_rows = set()
        self._editor.repaint_soon()

    def drop(self, event: QEvent, point: QPoint) -> bool:
        """Take a voice or files that were dropped."""
        editor = self._editor
        rows = self._rows_at(point)
        self.leave()
        voice_id = dropped_voice(event.mimeData())
        files = local_files(event.mimeData())
        if voice_id is not None:
            ids = [editor.project.blocks[row].id for row in sorted(rows)]
            if ids:
                editor.studio.give_voice(ids, voice_id)
        elif files:
            editor.studio.drop_files(files)
        else:
            return False
        event.acceptProposedAction()
        return True

    def _rows_at(self, point: QPoint) -> set[int]:
        """The block under the mouse, or all that are selected if it is one of them."""
        editor = self._editor
        row = editor.rows.row_at(point.y(), nearest=True)
        if row < 0:
            return set()
        with_text = editor.textCursor().hasSelection()
        selected = editor.selected_rows or (set(editor.rows_of_selection()) if with_text else set())
        return set(selected) if row in selected else {row}
