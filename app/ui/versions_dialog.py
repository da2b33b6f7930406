"""The script as it was: when the project was opened, and on the last days. Going back is an edit like any other."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QCoreApplication, QLocale
from PySide6.QtWidgets import QListWidgetItem, QWidget

from app.model.errors import ProjectError
from app.services.store import ProjectStore
from app.services.store_snapshots import Snapshot
from app.ui.studio import Studio
from app.ui.theme import theme
from app.ui.widgets.empty_state import EmptyState
from app.ui.widgets.list_dialog import ListDialog
from app.ui.words import counted


class VersionsDialog(ListDialog):
    """Lists the pictures that the project keeps of its script; takes of its lines come back with it."""

    def __init__(self, studio: Studio, parent: QWidget) -> None:
        translate = QCoreApplication.translate
        super().__init__(
            parent,
            translate("VersionsDialog", "Earlier versions"),
            translate("VersionsDialog", "The script as it was. Undo brings back what you have now."),
            width=520,
            list_height=220,
        )
        self._studio = studio
        self._store: ProjectStore = studio.store
        self.list.setAccessibleName(self.tr("Earlier versions"))
        sentence = self.tr("One is kept when a project with text is opened and changed.")
        self.set_empty(EmptyState("clock", self.tr("No earlier version yet"), sentence, small=True))
        self.add_button(self.tr("Close")).clicked.connect(self.reject)
        self.restore_button = self.add_deed(self.tr("Bring back"), primary=True)
        self.restore_button.clicked.connect(self._restore)
        studio.tasks.run(
            lambda _: self._store.snapshots(),
            self._show,
            self._failed,
            title=self.tr("Looking for earlier versions"),
            owner=self,
        )

    def _show(self, snapshots: list[Snapshot]) -> None:
        icon = theme().icon("clock")
        self.show_rows([(QListWidgetItem(icon, self._words(each)), each.number) for each in snapshots])

    def _words(self, snapshot: Snapshot) -> str:
        when = QLocale().toString(datetime.fromtimestamp(snapshot.made_at_s), QLocale.FormatType.ShortFormat)
        opened = snapshot.kind == "opened"
        kind = self.tr("as it was when it was opened last") if opened else self.tr("as it was on that day")
        return f"{when}\n{kind} · " + counted(snapshot.words, self.tr("1 word"), self.tr("%1 words"))

    def _restore(self) -> None:
        number = self.chosen()
        if number is None:
            return
        if self._store is not self._studio.store:  # another project was opened meanwhile
            self.reject()
            return
        try:
            self._store.restore_snapshot(number)
        except ProjectError as error:
            self._failed(error)
            return
        self._studio.say("done", self.tr("The script is as it was. Undo brings back what you had."))
        self.accept()

    def _failed(self, error: BaseException) -> None:
        self._studio.say("error", str(error))
