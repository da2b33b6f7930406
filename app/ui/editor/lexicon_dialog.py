"""Pronunciations of the project: how a word is written, and how it is to be spoken."""

from __future__ import annotations

import re
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QLabel, QTableWidget, QTableWidgetItem, QWidget

from app.model.content_commands import SetLexicon
from app.ui.studio import Studio
from app.ui.theme import GRID
from app.ui.widgets.dialog import Dialog, card
from app.ui.widgets.empty_state import EmptyState
from app.ui.widgets.search_field import SearchField


class LexiconDialog(Dialog):
    """Every change is a step of the history at once; only lines with the word become stale."""

    def __init__(self, studio: Studio, parent: QWidget) -> None:
        super().__init__(
            parent,
            QCoreApplication.translate("LexiconDialog", "Pronunciations"),
            QCoreApplication.translate(
                "LexiconDialog",
                "Whole words of this project, and what the voice reads instead. "
                "Only lines with such a word have to be spoken again.",
            ),
            width=600,
        )
        self._studio = studio
        self._filling = False
        self.search = SearchField(self.tr("Search pronunciations"))
        self.search.textChanged.connect(self._filter)
        self.body.addWidget(self.search)
        frame, inside = card(margins=1)
        self.table = QTableWidget(0, 3)
        self.table.setAccessibleName(self.tr("Pronunciations"))
        self.table.setHorizontalHeaderLabels([self.tr("Written"), self.tr("Spoken"), self.tr("In lines")])
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        self.table.setMinimumHeight(240)
        self.table.setTabKeyNavigation(True)
        self.table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        header = self.table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.ResizeToContents)
        self.table.itemChanged.connect(self._changed)
        inside.addWidget(self.table)
        self._empty = EmptyState(
            "book",
            self.tr("No pronunciations yet"),
            self.tr("Add a name the voice gets wrong, and write it as it sounds: Leif, layf."),
            small=True,
        )
        inside.addWidget(self._empty)
        self.body.addWidget(frame, 1)
        row = QHBoxLayout()
        row.setSpacing(GRID)
        self._hint = QLabel()
        self._hint.setProperty("role", "small")
        row.addWidget(self._hint, 1)
        self.body.addLayout(row)
        add = self.add_button(self.tr("Add"), left=True)
        add.clicked.connect(lambda: self.add_word(""))
        self.remove = self.add_button(self.tr("Remove"), left=True)
        self.remove.clicked.connect(self._remove)
        self.remove.setEnabled(False)
        self.table.itemSelectionChanged.connect(lambda: self.remove.setEnabled(bool(self.table.selectedIndexes())))
        close = self.add_button(self.tr("Close"), primary=True)
        close.clicked.connect(self.accept)
        self._disconnect = studio.project.settings_changed.connect(self._fill)
        self._project = studio.project
        studio.project_replaced.connect(self.reject)
        self.finished.connect(lambda _: self._disconnect())
        self._fill()
        self.resize(600, 520)

    def add_word(self, word: str) -> None:
        """A new entry, ready to be typed."""
        self.search.clear()
        self._empty.hide()
        self.table.show()
        row = self.table.rowCount()
        self._filling = True
        self.table.insertRow(row)
        self._put(row, word, "")
        self._filling = False
        item = self.table.item(row, 1 if word else 0)
        self.table.setCurrentItem(item)
        self.table.editItem(item)

    def _fill(self) -> None:
        if self._filling:
            return
        self._filling = True
        entries = self._project.lexicon
        self.table.setRowCount(len(entries))
        for row, (written, spoken) in enumerate(entries):
            self._put(row, written, spoken)
        self._filling = False
        self._empty.setVisible(not entries)
        self.table.setVisible(bool(entries))
        self._filter(self.search.text())

    def _put(self, row: int, written: str, spoken: str) -> None:
        self.table.setItem(row, 0, _Cell(written, self.tr("No word yet")))
        self.table.setItem(row, 1, _Cell(spoken, self.tr("No pronunciation yet")))
        count = _Cell(str(self._lines_with(written)) if written else "", self.tr("In no line"))
        count.setFlags(Qt.ItemFlag.ItemIsEnabled)
        count.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
        self.table.setItem(row, 2, count)

    def _lines_with(self, written: str) -> int:
        pattern = re.compile(rf"(?<!\w){re.escape(written)}(?!\w)", re.IGNORECASE)
        return sum(bool(pattern.search(block.text)) for block in self._project.blocks)

    def _changed(self) -> None:
        if self._filling:
            return
        entries: list[tuple[str, str]] = []
        half = False
        for row in range(self.table.rowCount()):
            written, spoken = self.table.item(row, 0).text().strip(), self.table.item(row, 1).text().strip()
            if written and spoken:
                entries.append((written, spoken))
            elif written or spoken:
                half = True
        self._hint.setText(self.tr("Both columns are needed before an entry counts.") if half else "")
        if tuple(entries) != tuple(self._project.lexicon):
            self._filling = True
            self._studio.do(SetLexicon(tuple(entries)))
            for row in range(self.table.rowCount()):
                written = self.table.item(row, 0).text().strip()
                self.table.item(row, 2).setText(str(self._lines_with(written)) if written else "")
            self._filling = False

    def _remove(self) -> None:
        rows = sorted({index.row() for index in self.table.selectedIndexes()}, reverse=True)
        self._filling = True
        for row in rows:
            self.table.removeRow(row)
        self._filling = False
        self._changed()
        self._fill()

    def _filter(self, wanted: str) -> None:
        for row in range(self.table.rowCount()):
            texts = (self.table.item(row, 0).text(), self.table.item(row, 1).text())
            self.table.setRowHidden(
                row, bool(wanted) and not any(wanted.casefold() in text.casefold() for text in texts)
            )


class _Cell(QTableWidgetItem):
    """A cell that a screen reader can name while it is empty."""

    def __init__(self, text: str, empty: str) -> None:
        super().__init__(text)
        self._empty = empty

    def data(self, role: int) -> Any:
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.text() or self._empty
        return super().data(role)
