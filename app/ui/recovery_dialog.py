"""What the last runs left: projects without a name, work that could not be saved, takes that were being made."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from PySide6.QtCore import QCoreApplication, QLocale, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from app.services.recovery import Found, Recovery
from app.ui.studio import Studio
from app.ui.theme import theme
from app.ui.widgets.dialog import Dialog, card
from app.ui.widgets.empty_state import EmptyState
from app.ui.words import counted

ICONS = {"untitled": "file", "unsaved": "warning", "interrupted": "clock"}


class RecoveryDialog(Dialog):
    """Doing nothing means later.

    Signals:
        recovery_requested(Found): open this with everything that is there.
    """

    recovery_requested = Signal(object)

    def __init__(self, studio: Studio, parent: QWidget) -> None:
        translate = QCoreApplication.translate
        super().__init__(
            parent,
            translate("RecoveryDialog", "Recover a project"),
            translate("RecoveryDialog", "Everything is kept as it is written, also in projects without a name."),
            width=600,
        )
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._studio = studio
        self._recovery = Recovery(studio.paths)
        frame, inside = card(margins=4)
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("What can be recovered"))
        self.list.setMinimumHeight(240)
        inside.addWidget(self.list)
        self._empty = EmptyState(
            "check", self.tr("Nothing to recover"), self.tr("Every project that was written in has a name."), small=True
        )
        inside.addWidget(self._empty)
        self.body.addWidget(frame, 1)
        self.discard_button = self.add_button(self.tr("Put away"), left=True)
        self.discard_button.setToolTip(self.tr("Into a trash that is kept for 30 days."))
        self.discard_button.clicked.connect(self._discard)
        self.add_button(self.tr("Later")).clicked.connect(self.reject)
        self.open_button = self.add_button(self.tr("Recover"), primary=True)
        self.open_button.clicked.connect(self._recover)
        self.list.itemActivated.connect(lambda _: self._recover())
        self._fill()

    def _fill(self) -> None:
        """Look again, in the background: every project that is found is opened for it."""
        self._allow(False)
        self._studio.tasks.run(
            lambda _: self._recovery.find(),
            self._show,
            self._failed,
            title=self.tr("Looking for lost work"),
            owner=self,
        )

    def _show(self, all_found: list[Found]) -> None:
        here = self._studio.store.path if self._studio.store is not None else None
        self.list.clear()
        for found in all_found:
            if found.path == here:
                continue
            item = QListWidgetItem(theme().icon(ICONS[found.kind]), f"{found.title}\n{self._facts(found)}")
            item.setData(Qt.ItemDataRole.UserRole, found)
            item.setToolTip(str(found.path))
            self.list.addItem(item)
        there = bool(self.list.count())
        self._empty.setVisible(not there)
        self.list.setVisible(there)
        self._allow(there)
        if there:
            self.list.setCurrentRow(0)

    def _allow(self, allowed: bool) -> None:
        for button in (self.open_button, self.discard_button):
            button.setEnabled(allowed)

    def _facts(self, found: Found) -> str:
        kinds = {
            "untitled": self.tr("without a name"),
            "unsaved": self.tr("could not be saved"),
            "interrupted": self.tr("was being spoken"),
        }
        when = datetime.fromtimestamp(found.changed_at_s)
        parts = [
            kinds[found.kind],
            counted(found.words, self.tr("1 word"), self.tr("%1 words")),
            QLocale().toString(when, QLocale.FormatType.ShortFormat),
        ]
        if found.unfinished_takes:
            words = counted(found.unfinished_takes, self.tr("1 unfinished take"), self.tr("%1 unfinished takes"))
            parts.insert(1, words)
        if found.damaged:
            parts.insert(1, self.tr("damaged, will be repaired"))
        return " · ".join(parts)

    def _current(self) -> Found | None:
        item: Any = self.list.currentItem()
        return item.data(Qt.ItemDataRole.UserRole) if item is not None else None

    def _recover(self) -> None:
        found = self._current()
        if found is None or not self.open_button.isEnabled():
            return
        self.accept()
        self.recovery_requested.emit(found)

    def _discard(self) -> None:
        found = self._current()
        if found is None:
            return
        self._allow(False)
        self._studio.tasks.run(
            lambda _: self._recovery.discard(found),
            lambda _: self._fill(),
            self._failed,
            title=self.tr("Putting away"),
            owner=self,
        )

    def _failed(self, error: BaseException) -> None:
        """The list stays as it is."""
        self._studio.say("error", str(error))
        self._allow(bool(self.list.count()))
