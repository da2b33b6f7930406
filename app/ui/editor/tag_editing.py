"""Pauses, lengths and pronunciations as a person edits them: with keys, in a popup, by dragging."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QToolTip

from app.model.command import Compound
from app.model.commands import ReplaceText
from app.ui.editor.pills import PausePopup, Pill, PillDrag
from app.ui.editor.styling import tags_of
from app.ui.messages import local
from engine.text.markup import LONGEST_LENGTH_S, LONGEST_PAUSE_S, Tag, format_length, format_pause, format_say

if TYPE_CHECKING:
    from app.ui.editor.script_editor import ScriptEditor


class TagEditing(QObject):
    """Every change is a command on the literal text; positions are those of the document."""

    def __init__(self, editor: ScriptEditor) -> None:
        super().__init__(editor)
        self._editor = editor
        self._caret = 0  # where it was last

    def drag(self, pill: Pill, x: int) -> PillDrag:
        """The mouse was pressed on a pill."""
        block_id = self._editor.project.blocks[pill.block_number].id
        start = pill.tag.start
        key = f"drag:{block_id}:{start}"
        return PillDrag(pill, x, lambda seconds: self.set_seconds(block_id, start, seconds, key))

    def delete_whole(self, event: QKeyEvent) -> bool:
        """Backspace behind a pill and Delete before one take the whole pill: it looks like one thing."""
        cursor = self._editor.textCursor()
        if cursor.hasSelection() or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        at = cursor.positionInBlock()
        for tag in tags_of(cursor.block().text()):
            behind = event.key() == Qt.Key.Key_Backspace and at == tag.end
            before = event.key() == Qt.Key.Key_Delete and at == tag.start
            if tag.kind != "broken" and (behind or before):
                self.replace(cursor.block().position() + tag.start, cursor.block().position() + tag.end, "")
                return True
        return False

    def select_whole(self) -> None:
        """The end of a selection is never inside a pill: it is taken whole or not at all."""
        cursor = self._editor.textCursor()
        before, self._caret = self._caret, cursor.position()
        block = self._editor.document().findBlock(cursor.position())
        at = cursor.position() - block.position()
        tag = next((tag for tag in tags_of(block.text()) if tag.start < at < tag.end and tag.kind != "broken"), None)
        if not cursor.hasSelection() or tag is None or self._editor.highlighter.is_open(block.blockNumber(), tag.start):
            return
        # Its first letter has all its room: behind that is the right half of the pill.
        forward = at == tag.start + 1 or (at != tag.end - 1 and cursor.position() > before)
        place = block.position() + (tag.end if forward else tag.start)
        cursor.setPosition(place, QTextCursor.MoveMode.KeepAnchor)
        self._editor.setTextCursor(cursor)

    def insert_pause(self, seconds: float = 0.5) -> None:
        """A pause at the caret; on a pause, edit it."""
        cursor = self._editor.textCursor()
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
        self.replace(end, end, f"{lead}{format_pause(seconds)}{trail}")

    def insert_pronunciation(self) -> None:
        """Wrap the selected word, or the word at the caret, into a tag that says how it is spoken."""
        cursor = self._editor.textCursor()
        if not cursor.hasSelection():
            cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        word = cursor.selectedText().replace("\u2029", " ").strip()
        if not word:
            self._editor.studio.say("info", self.tr("Select the word whose pronunciation you want to change."))
            return
        tag = format_say(word, word)
        start = cursor.selectionStart()
        self.replace(start, cursor.selectionEnd(), tag)
        cursor = self._editor.textCursor()
        cursor.setPosition(start + len(tag) - 1 - len(word))
        cursor.setPosition(start + len(tag) - 1, QTextCursor.MoveMode.KeepAnchor)
        self._editor.highlighter.open_tag(cursor.blockNumber(), start - cursor.block().position())
        self._editor.setTextCursor(cursor)

    def edit_tag(self, block_number: int, tag: Tag) -> PausePopup | None:
        """Open the popup that edits a pause or a length."""
        if tag.kind not in ("pause", "length"):
            block = self._editor.document().findBlockByNumber(block_number)
            cursor = self._editor.textCursor()
            cursor.setPosition(block.position() + tag.end - 1)
            self._editor.setTextCursor(cursor)
            return None
        block_id = self._editor.project.blocks[block_number].id
        start = tag.start
        kind = tag.kind
        title = self.tr("Pause") if kind == "pause" else self.tr("Length of this line")
        most = LONGEST_PAUSE_S if kind == "pause" else LONGEST_LENGTH_S
        popup = PausePopup(self._editor, tag.seconds or 0.0, most, title)
        key = f"tag:{block_id}:{start}"
        popup.seconds_changed.connect(lambda seconds: self.set_seconds(block_id, start, seconds, key))
        popup.removed.connect(lambda: self.set_seconds(block_id, start, None, key))
        popup.closed.connect(self._editor.setFocus)
        pill = next(
            (
                pill
                for pill in self._editor.painting.pills
                if pill.block_number == block_number and pill.tag.start == start
            ),
            None,
        )
        anchor = pill.rect.bottomLeft().toPoint() if pill else self._editor.cursorRect().bottomLeft()
        popup.open_at(self._editor.viewport().mapToGlobal(anchor + QPoint(0, 6)))
        return popup

    def set_seconds(self, block_id: str, start: int, seconds: float | None, merge_key: str) -> None:
        """Give the tag at `start` of a block another length, or take it out."""
        self._editor.long_steps.finish()  # a drag goes on, and a wheel turns, without a press
        if not self._editor.project.has_block(block_id):
            return
        block = self._editor.document().findBlockByNumber(self._editor.project.index(block_id))
        tag = next((tag for tag in tags_of(block.text()) if tag.start == start and tag.seconds is not None), None)
        if tag is None:
            return
        if seconds is None:
            text = ""
        else:
            text = format_pause(seconds) if tag.kind == "pause" else format_length(max(0.1, seconds))
        self.replace(block.position() + tag.start, block.position() + tag.end, text, merge_key)

    def replace(self, start: int, end: int, text: str, merge_key: str | None = None) -> None:
        """Replace document positions as one command."""
        first, last = self._editor.sync.to_points(start), self._editor.sync.to_points(end)
        removed = self._editor.project.text_between(first, last)
        at_end = self._editor.textCursor().position() == end
        self._editor.typing = merge_key is not None  # the caret that moves with it ends no merge
        command = ReplaceText(first, removed, text)
        # As a compound it merges by its key alone, not by the rules of typing.
        self._editor.studio.do(command if merge_key is None else Compound((command,), "Change tag"), merge_key)
        if at_end:
            caret = self._editor.textCursor()
            caret.setPosition(start + len(text.encode("utf-16-le")) // 2)
            self._editor.setTextCursor(caret)
        self._editor.typing = False
        self._editor.infos.everything_changed()

    def show_tool_tip(self, event: QEvent) -> None:

        cursor = self._editor.cursorForPosition(event.pos())
        inside = cursor.positionInBlock()
        tag = next((tag for tag in tags_of(cursor.block().text()) if tag.start <= inside <= tag.end), None)
        if tag is None:
            QToolTip.hideText()
            return
        words = local(tag.problem)
        if not words and tag.kind == "pause":
            words = self.tr("Pause of %1 s. Drag it sideways to change it, click it to type.").replace(
                "%1", f"{tag.seconds:g}"
            )
        elif not words and tag.kind == "length":
            words = self.tr("This line must last %1 s. Click to change it.").replace("%1", f"{tag.seconds:g}")
        elif not words:
            words = self.tr("“%1” is spoken “%2”.").replace("%1", tag.written).replace("%2", tag.spoken)
        QToolTip.showText(event.globalPos(), words, self._editor.viewport())
