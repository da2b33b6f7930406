"""Find and replace over the script, also by pattern; only lines that change have to be spoken again."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QLineEdit, QPushButton

from app.model.command import Compound
from app.model.commands import ReplaceText
from app.ui.editor.script_editor import ScriptEditor
from app.ui.messages import local
from app.ui.studio import Studio
from app.ui.theme import GRID, HALF
from app.ui.throttle import Debounce
from app.ui.widgets.dock import small_button
from app.ui.widgets.search_field import SearchField

MOST_MATCHES = 20_000  # that are marked and can be gone through; all are replaced


class FindBar(QFrame):
    """Searches while typing. A pattern is applied line by line, so that ^ and $ are the ends of a paragraph."""

    def __init__(self, studio: Studio, editor: ScriptEditor) -> None:
        super().__init__()
        self._studio = studio
        self._editor = editor
        self._matches: list[tuple[int, int, int, re.Match[str]]] = []  # row, start, end (document units), match
        self.setProperty("role", "bar")
        grid = QGridLayout(self)
        grid.setContentsMargins(GRID + HALF, GRID, GRID, GRID)
        grid.setHorizontalSpacing(GRID)
        grid.setVerticalSpacing(GRID)
        self.wanted = SearchField(self.tr("Find in the script"))
        self.replacement = QLineEdit()
        self.replacement.setPlaceholderText(self.tr("Replace by"))
        self.replacement.setAccessibleName(self.tr("Replace by"))
        self.case = small_button("case", self.tr("Match case"), checkable=True)
        self.words = small_button("whole-word", self.tr("Whole words"), checkable=True)
        self.pattern = small_button("regex", self.tr("Regular expression"), checkable=True)
        self.count = QLabel()
        self.count.setProperty("role", "small")
        self.count.setMinimumWidth(110)
        up = small_button("chevron-up", self.tr("Previous match"))
        down = small_button("chevron-down", self.tr("Next match"))
        shut = small_button("close", self.tr("Close"))
        self.one = QPushButton(self.tr("Replace"))
        self.all = QPushButton(self.tr("Replace all"))
        switches = QHBoxLayout()
        switches.setSpacing(2)
        for button in (self.case, self.words, self.pattern):
            switches.addWidget(button)
            button.toggled.connect(self._search)
        steps = QHBoxLayout()
        steps.setSpacing(2)
        for each in (up, down):
            steps.addWidget(each)
        grid.addWidget(self.wanted, 0, 0)
        grid.addLayout(switches, 0, 1)
        grid.addWidget(self.count, 0, 2)
        grid.addLayout(steps, 0, 3)
        grid.addWidget(shut, 0, 4)
        grid.addWidget(self.replacement, 1, 0)
        buttons = QHBoxLayout()
        buttons.setSpacing(GRID)
        buttons.addWidget(self.one)
        buttons.addWidget(self.all)
        buttons.addStretch(1)
        grid.addLayout(buttons, 1, 1, 1, 4)
        grid.setColumnStretch(0, 1)
        self._search_soon = Debounce(self._search, 60, self)
        self.wanted.textChanged.connect(self._search_soon)
        for changed in (editor.sync.edited, editor.sync.changed_elsewhere, editor.sync.reloaded):
            changed.connect(self._text_changed)
        up.clicked.connect(self.previous)
        down.clicked.connect(self.next)
        shut.clicked.connect(self.close_bar)
        self.one.clicked.connect(self.replace_one)
        self.all.clicked.connect(self.replace_all)
        for field in (self.wanted, self.replacement):
            field.installEventFilter(self)
        # From what is looked for to what it becomes and what does it; the switches after that.
        for one, next_one in itertools.pairwise((self.wanted, self.replacement, self.one, self.all, self.case)):
            self.setTabOrder(one, next_one)

    def open(self, *, replace: bool) -> None:
        """Show with what is selected in the script as the text to find."""
        for widget in (self.replacement, self.one, self.all):
            widget.setVisible(replace)
        selected = self._editor.textCursor().selectedText()
        if selected and "\u2029" not in selected:
            self.wanted.setText(re.escape(selected) if self.pattern.isChecked() else selected)
        self.show()
        self.wanted.setFocus()
        self.wanted.selectAll()
        self._search()

    def close_bar(self) -> None:
        self.hide()
        self._matches = []
        self._editor.show_matches([], -1)
        self._editor.setFocus()

    def next(self) -> None:
        self._step(1)

    def previous(self) -> None:
        self._step(-1)

    def replace_one(self) -> None:
        """Replace the match that is selected and go to the next; select the next when none is."""
        self._be_current()
        at = self._current()
        if at < 0:
            self.next()
            return
        row, start, end, match = self._matches[at]
        text = self._expanded(match)
        if text is None:
            return
        block = self._studio.project.blocks[row]
        base = self._studio.project.start_of(row)
        self._studio.do(ReplaceText(base + match.start(), block.text[match.start() : match.end()], text))
        self._search()
        cursor = self._editor.textCursor()
        cursor.setPosition(start + len(text.encode("utf-16-le")) // 2)
        self._editor.setTextCursor(cursor)
        self.next()

    def replace_all(self) -> int:
        """Replace every match as one step; lines without a match are not touched. How many are replaced: of thousands
        some at a time, from now on."""
        self._be_current()
        if not self._matches:
            return 0
        commands: list[ReplaceText] = []
        replaced = 0
        plain = None if self.pattern.isChecked() else self.replacement.text()
        project = self._studio.project
        for row, text, matches in self._found():
            parts: list[str] = []
            at = 0
            for match in matches:
                new = plain if plain is not None else self._expanded(match)
                if new is None:
                    return 0
                parts += [text[at : match.start()], new]
                at = match.end()
                replaced += 1
            new_text = "".join(parts) + text[at:]
            if new_text != text:
                commands.append(ReplaceText(project.start_of(row), text, new_text))
        commands.reverse()  # so that none moves the place of another

        def tell() -> None:
            self._search()
            lines = self.tr("%1 replaced in 1 line.") if len(commands) == 1 else self.tr("%1 replaced in %2 lines.")
            self._studio.say("done", lines.replace("%1", str(replaced)).replace("%2", str(len(commands))))

        # Where they are is another place with every slice.
        self._editor.show_matches([], -1)
        if len(commands) > 1:
            self._editor.long_steps.do(Compound(tuple(commands), "Replace all"), tell)
        else:
            if commands:
                self._studio.do(commands[0])
            tell()
        return replaced

    # Inside

    def _expression(self) -> re.Pattern[str] | None:
        wanted = self.wanted.text()
        if not wanted:
            return None
        source = wanted if self.pattern.isChecked() else re.escape(wanted)
        if self.words.isChecked():
            source = rf"(?<!\w)(?:{source})(?!\w)"
        return re.compile(source, 0 if self.case.isChecked() else re.IGNORECASE)

    def _expanded(self, match: re.Match[str]) -> str | None:
        if not self.pattern.isChecked():
            return self.replacement.text()
        try:
            return match.expand(self.replacement.text())
        except (re.error, IndexError) as error:
            self._studio.say(
                "error", self.tr("The replacement is not a valid pattern: %1").replace("%1", local(str(error)))
            )
            return None

    def _text_changed(self, *_: object) -> None:
        if self.isVisible():
            self._search_soon()
        elif self._matches:
            # Found by the key for the next match: where they are now is looked for with the next key.
            self._matches = []
            self._editor.show_matches([], -1)

    def _be_current(self) -> None:
        """What was found is of the text and the words as they are now."""
        self._editor.long_steps.finish()
        self._search_soon.flush()

    def _search(self, *_: object) -> None:
        self._search_soon.cancel()
        self._matches = []
        problem = ""
        try:
            self._collect()
        except re.error as error:
            problem = self.tr("Not a valid pattern: %1").replace("%1", local(str(error)))
        self.wanted.setProperty("invalid", bool(problem))
        self.wanted.style().polish(self.wanted)
        self._tell(problem)

    def _found(self) -> Iterator[tuple[int, str, list[re.Match[str]]]]:
        """(row, text, matches) of every line that has any. Raises re.error."""
        expression = self._expression()
        if expression is None or self._studio.project is None:
            return
        for row, block in enumerate(self._studio.project.blocks):
            matches = [match for match in expression.finditer(block.text) if match.start() != match.end()]
            if matches:
                yield row, block.text, matches

    def _collect(self) -> None:
        document = self._editor.document()
        for row, text, matches in self._found():
            position, wide = document.findBlockByNumber(row).position(), not text.isascii() and max(text) > "\uffff"
            for match in matches:
                start, end = match.start(), match.end()
                if wide:
                    start = len(text[:start].encode("utf-16-le")) // 2
                    end = len(text[: match.end()].encode("utf-16-le")) // 2
                self._matches.append((row, position + start, position + end, match))
            if len(self._matches) >= MOST_MATCHES:
                break

    def _tell(self, problem: str = "") -> None:
        current = self._current()
        count = f"{len(self._matches)}{'+' if len(self._matches) >= MOST_MATCHES else ''}"
        if problem:
            self.count.setText(problem)
        elif not self.wanted.text():
            self.count.setText("")
        elif not self._matches:
            self.count.setText(self.tr("Nothing found"))
        elif current < 0:
            self.count.setText(self.tr("%1 found").replace("%1", count))
        else:
            self.count.setText(self.tr("%1 of %2").replace("%1", str(current + 1)).replace("%2", count))
        for button in (self.one, self.all):
            button.setEnabled(bool(self._matches))
        self._editor.show_matches([(start, end) for _, start, end, _ in self._matches], current)

    def _current(self) -> int:
        cursor = self._editor.textCursor()
        chosen = (cursor.selectionStart(), cursor.selectionEnd())
        return next((at for at, each in enumerate(self._matches) if (each[1], each[2]) == chosen), -1)

    def _step(self, direction: int) -> None:
        self._be_current()
        if not self.isVisible() and not self.wanted.text():
            self.open(replace=False)
            return
        if not self._matches:
            self._search()
        if not self._matches:
            return
        at = self._current()
        if at >= 0:
            at = (at + direction) % len(self._matches)
        else:
            caret = self._editor.textCursor().position()
            after = [index for index, each in enumerate(self._matches) if each[1] >= caret]
            before = [index for index, each in enumerate(self._matches) if each[2] <= caret]
            at = (after[0] if after else 0) if direction > 0 else (before[-1] if before else len(self._matches) - 1)
        _, start, end, _ = self._matches[at]
        cursor = self._editor.textCursor()
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        self._editor.setTextCursor(cursor)
        self._editor.selecting.scroll_to(self._editor.document().findBlock(start), 0.35)
        self._tell()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if (
                event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
                and not event.modifiers() & Qt.KeyboardModifier.ControlModifier
            ):
                back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                if watched is self.replacement and not back:
                    self.replace_one()
                else:
                    self._step(-1 if back else 1)
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.close_bar()
                return True
        return False
