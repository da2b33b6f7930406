"""Keeps document and project equal: what is typed becomes a command, what a command changes the least edit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QTextBlockFormat, QTextCursor, QTextDocument

from app.model.checks import clean_text
from app.model.commands import ReplaceText

LINE_HEIGHT_PERCENT = 132
BLOCK_GAP_PX = 7


class DocumentSync(QObject):
    """The project is the truth. Its positions are code points, the document's are UTF-16 units.

    Signals:
        edited(): a person changed the text.
        changed_elsewhere(position): undo, redo or another command changed the text; `position` (UTF-16) is its end.
        reloaded(): the whole document was replaced.
    """

    edited = Signal()
    changed_elsewhere = Signal(int)
    reloaded = Signal()

    def __init__(self, document: QTextDocument, do: Callable[..., None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._do = do
        self._project: Any = None
        self._disconnect: Callable[[], object] = lambda: None
        self._many: QTextCursor | None = None  # open while a step of many edits comes
        self._many_ended_at: int | None = None
        self._from_document = False
        self._from_project = False
        self.merge_key: str | None = None  # set while a key is typed
        self._wide = False  # whether some character takes two UTF-16 units
        self._units = 0  # length of what the document showed when both were equal last
        document.setUndoRedoEnabled(False)
        document.contentsChange.connect(self._on_document)

    @property
    def busy(self) -> bool:
        """A command is changing the document right now."""
        return self._from_project

    def attach(self, project: Any) -> None:
        """Show this project."""
        self._disconnect()
        self._project = project
        listening = (
            project.text_replaced.connect(self._on_project),
            project.many_edits.connect(self._on_many_edits),
        )
        self._disconnect = lambda: [each() for each in listening]
        self.reload()

    def reload(self) -> None:
        text = self._project.text()
        self._wide = _is_wide(text)
        self._from_project = True
        try:
            self._document.clear()
            cursor = QTextCursor(self._document)
            cursor.setBlockFormat(block_format())
            cursor.insertText(text)
        finally:
            self._from_project = False
        self._units = self._length()
        self.reloaded.emit()

    def to_units(self, position: int) -> int:
        """UTF-16 position of a code point position of the script."""
        if not self._wide:
            return position
        number, offset = self._project.at_position(position)
        # A paragraph of the document is a paragraph of the project, so only its own text has to be looked at.
        block = self._document.findBlockByNumber(number)
        return block.position() + len(_utf16(block.text()[:offset])) // 2

    def to_points(self, units: int) -> int:
        """Code point position of a UTF-16 position of the script."""
        if not self._wide:
            return units
        block = self._document.findBlock(min(units, self._length()))
        inside = _utf16(block.text())[: max(0, units - block.position()) * 2]
        return int(self._project.start_of(block.blockNumber())) + _points(inside)

    # From the document

    def _on_document(self, position: int, removed: int, added: int) -> None:
        if self._from_project or self._project is None:
            return
        new_length = self._length()
        if self._wide:
            self._on_wide_document(position, removed, new_length)
            return
        old_length = self._project.characters
        # The document counts its invisible last line end; the lengths of the whole texts say what really came and went.
        removed = max(0, min(removed, old_length - position))
        added = new_length - old_length + removed
        if added < 0:
            removed, added = removed - added, 0
        old = self._project.text_between(position, position + removed)
        new = self._text(position, added)
        self._replace(position, old, new)

    def _on_wide_document(self, position: int, removed: int, new_length: int) -> None:
        """As below, within the paragraphs that were touched: before and behind them both texts are the same."""
        project, document = self._project, self._document
        removed = max(0, min(removed, self._units - position))
        tail_units = self._units - position - removed
        tail_units = min(tail_units, new_length - position) if new_length > position else 0
        first, last = document.findBlock(position), document.findBlock(new_length - tail_units)
        start_units, end_units = first.position(), last.position() + last.length() - 1
        old_last = len(project.blocks) - (document.blockCount() - last.blockNumber())
        start = project.start_of(first.blockNumber())
        old = project.text_between(start, project.start_of(old_last) + len(project.blocks[old_last].text))
        new = self._text(start_units, end_units - start_units)
        old_units, new_units = _utf16(old), _utf16(new)
        lead_bytes = (position - start_units) * 2
        tail_bytes = (tail_units - (new_length - end_units)) * 2
        lead = min(_points(old_units[:lead_bytes]), _points(new_units[:lead_bytes]))
        tail = _points(new_units[len(new_units) - tail_bytes :])
        self._replace(start + lead, old[lead : len(old) - tail], new[lead : len(new) - tail])

    def _replace(self, position: int, old: str, new: str) -> None:
        old, new, lead = _trim(old, new)
        if old == new:
            self._units = self._length()
            return
        position += lead
        clean = clean_text(new)
        self._wide = self._wide or _is_wide(clean)
        expected = self._units + (len(_utf16(clean)) - len(_utf16(old))) // 2
        characters = self._project.characters + len(clean) - len(old)
        self._from_document = True
        try:
            self._do(ReplaceText(position, old, clean), self.merge_key)
        finally:
            self._from_document = False
        refused = self._project.characters != characters or (
            self._project.text_between(position, position + len(clean)) != clean
        )
        if clean != new or refused or self._length() != expected:
            self._mend()
        self._units = self._length()
        self.edited.emit()

    def _length(self) -> int:
        """UTF-16 units that the document shows; it counts an invisible last line end."""
        return self._document.characterCount() - 1

    def _text(self, position: int, length: int) -> str:
        cursor = QTextCursor(self._document)
        cursor.setPosition(position)
        cursor.setPosition(position + length, QTextCursor.MoveMode.KeepAnchor)
        return cursor.selectedText().replace("\u2029", "\n").replace("\u2028", "\n")

    def _mend(self) -> None:
        """The project took the text otherwise than it was typed (a refused edit, control characters): show its own."""
        shown = self._text(0, self._length())
        old, new, lead = _trim(shown, self._project.text())
        if old != new:
            self._edit(len(_utf16(shown[:lead])) // 2, len(_utf16(old)) // 2, new)

    # From the project

    def _on_project(self, position: int, removed: int, inserted: str) -> None:
        if self._from_document:
            return
        if self._wide or _is_wide(inserted):
            # What stands before the edit is the same in both, so the paragraph and the place in it are found there.
            self._wide = True
            units = self.to_units(position)
            # At most two units a character; a half pair at the end of what is looked at is behind what is removed.
            shown = self._text(units, min(removed * 2, self._length() - units))
            self._edit(units, len(_utf16(shown[:removed])) // 2, inserted)
        else:
            self._edit(position, removed, inserted)

    def _on_many_edits(self, begins: bool) -> None:
        if begins and self._many is None:
            self._many, self._many_ended_at = QTextCursor(self._document), None
            self._many.beginEditBlock()
        elif not begins and self._many is not None:
            many, self._many = self._many, None
            self._from_project = True
            try:
                many.endEditBlock()
            finally:
                self._from_project = False
            if self._many_ended_at is not None:
                self.changed_elsewhere.emit(self._many_ended_at)

    def _edit(self, units: int, removed_units: int, inserted: str) -> None:
        self._from_project = True
        try:
            cursor = QTextCursor(self._document)
            cursor.beginEditBlock()
            cursor.setPosition(units)
            cursor.setPosition(units + removed_units, QTextCursor.MoveMode.KeepAnchor)
            cursor.insertText(inserted)
            end = cursor.position()
            cursor.endEditBlock()
        finally:
            self._from_project = False
        self._units = self._length()
        if self._many is not None:
            self._many_ended_at = end
        else:
            self.changed_elsewhere.emit(end)


def block_format() -> QTextBlockFormat:
    """Air between the lines and the paragraphs of the script."""
    form = QTextBlockFormat()
    form.setLineHeight(LINE_HEIGHT_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    form.setTopMargin(BLOCK_GAP_PX)
    form.setBottomMargin(BLOCK_GAP_PX)
    return form


def _is_wide(text: str) -> bool:
    return not text.isascii() and max(text) > "\uffff"


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def _points(units: bytes) -> int:
    """Whole characters in UTF-16; half of a pair at either end is none."""
    return len(units.decode("utf-16-le", "ignore"))


def _trim(old: str, new: str) -> tuple[str, str, int]:
    """Both texts without what they begin and end with in common, and how much was cut at the beginning."""
    limit = min(len(old), len(new))
    lead = 0
    if old[:limit] == new[:limit]:
        lead = limit
    else:
        while old[lead] == new[lead]:
            lead += 1
    tail = 0
    while tail < limit - lead and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return old[lead : len(old) - tail], new[lead : len(new) - tail], lead
