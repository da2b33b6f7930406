"""Asks where a download is to go before it starts."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.services.models import Models
from app.ui.models.download_folder import DownloadFolder
from app.ui.models.words import size
from app.ui.widgets.dialog import Dialog, note
from app.ui.widgets.fields import Section
from app.ui.widgets.labels import show_words
from engine import CatalogueEntry
from engine.hub import SPARE_BYTES


class DownloadDialog(Dialog):
    """Size, licence, folder and free space of one model.

    Signals:
        start_requested(): the folder is chosen and has room.
    """

    start_requested = Signal()

    def __init__(self, models: Models, entry: CatalogueEntry, parent: QWidget) -> None:
        super().__init__(parent, entry.name, width=520)
        self._entry = entry
        words = self.tr("%1 will be fetched from %2. Licence: %3.")
        for at, value in enumerate((size(entry.size_bytes), models.hub.endpoint, entry.licence), 1):
            words = words.replace(f"%{at}", value)
        self.body.addWidget(note(words))
        section = Section("")
        self.folder = DownloadFolder(models)
        self.folder.changed.connect(self._show)
        section.add_row(self.tr("Folder"), self.folder)
        self.body.addWidget(section)
        self.space = note("", "small")
        self.body.addWidget(self.space)
        self.add_button(self.tr("Cancel")).clicked.connect(self.reject)
        self.start = self.add_button(self.tr("Download"), primary=True)
        self.start.clicked.connect(self._start)
        self._show()

    def _show(self) -> None:
        free = self.folder.free_bytes()
        fits = free >= self._entry.size_bytes + SPARE_BYTES
        words = (
            self.tr("%1 are free on that disk.") if fits else self.tr("Only %1 are free on that disk: choose another.")
        )
        show_words(self.space, words.replace("%1", size(free)), "small" if fits else "error")
        self.start.setEnabled(fits)

    def _start(self) -> None:
        self.start_requested.emit()
        self.accept()
