"""What the last runs left: projects without a name, work that could not be saved, takes that were being made."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QCoreApplication, QLocale, Signal
from PySide6.QtWidgets import QListWidgetItem, QWidget

from app.services.recovery import Found, Recovery
from app.ui.studio import Studio
from app.ui.theme import theme
from app.ui.widgets.empty_state import EmptyState
from app.ui.widgets.list_dialog import ListDialog
from app.ui.words import counted

ICONS = {"untitled": "file", "unsaved": "warning", "interrupted": "clock"}


class RecoveryDialog(ListDialog):
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
            list_height=240,
        )
        self._studio = studio
        self._recovery = Recovery(studio.paths)
        self.list.setAccessibleName(self.tr("What can be recovered"))
        sentence = self.tr("Every project that was written in has a name.")
        self.set_empty(EmptyState("check", self.tr("Nothing to recover"), sentence, small=True))
        self.discard_button = self.add_deed(self.tr("Put away"), left=True)
        self.discard_button.setToolTip(self.tr("Into a trash that is kept for 30 days."))
        self.discard_button.clicked.connect(self._discard)
        self.add_button(self.tr("Later")).clicked.connect(self.reject)
        self.open_button = self.add_deed(self.tr("Recover"), primary=True)
        self.open_button.clicked.connect(self._recover)
        self._look()

    def _look(self) -> None:
        """Look again, in the background: every project that is found is opened for it."""
        self.allow(False)
        self._studio.tasks.run(
            lambda _: self._recovery.find(),
            self._show,
            self._failed,
            title=self.tr("Looking for lost work"),
            owner=self,
        )

    def _show(self, all_found: list[Found]) -> None:
        here = self._studio.store.path if self._studio.store is not None else None
        self.show_rows([(self._item(found), found) for found in all_found if found.path != here])

    def _item(self, found: Found) -> QListWidgetItem:
        item = QListWidgetItem(theme().icon(ICONS[found.kind]), f"{found.title}\n{self._facts(found)}")
        item.setToolTip(str(found.path))
        return item

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

    def _recover(self) -> None:
        found = self.chosen()
        if found is None:
            return
        self.accept()
        self.recovery_requested.emit(found)

    def _discard(self) -> None:
        found = self.chosen()
        if found is None:
            return
        self.allow(False)
        self._studio.tasks.run(
            lambda _: self._recovery.discard(found),
            lambda _: self._look(),
            self._failed,
            title=self.tr("Putting away"),
            owner=self,
        )

    def _failed(self, error: BaseException) -> None:
        """The list stays as it is."""
        self._studio.say("error", str(error))
        self.allow(self.chosen() is not None)
