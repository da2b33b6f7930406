"""Asks where a download is to go before it starts."""

from __future__ import annotations

import shutil
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QLineEdit, QPushButton, QWidget

from app.services.models import Models
from app.ui.models.words import size
from app.ui.widgets.dialog import Dialog, note
from app.ui.widgets.fields import Section
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
        self._models, self._entry = models, entry
        words = self.tr("%1 will be fetched from %2. Licence: %3.")
        for at, value in enumerate((size(entry.size_bytes), models.hub.endpoint, entry.licence), 1):
            words = words.replace(f"%{at}", value)
        self.body.addWidget(note(words))
        section = Section("")
        self.folder = QLineEdit()
        self.folder.setReadOnly(True)
        self.folder.setAccessibleName(self.tr("Folder for downloads"))
        browse = QPushButton(self.tr("Choose…"))
        browse.setAutoDefault(False)
        browse.setAccessibleName(self.tr("Choose a folder for downloads"))
        browse.clicked.connect(self._browse)
        section.add_row(self.tr("Folder"), self.folder, browse)
        self.body.addWidget(section)
        self.space = note("", "small")
        self.body.addWidget(self.space)
        self.add_button(self.tr("Cancel")).clicked.connect(self.reject)
        self.start = self.add_button(self.tr("Download"), primary=True)
        self.start.clicked.connect(self._start)
        self._show()

    def _browse(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, self.tr("Folder for downloads"), str(self._models.root))
        if folder:
            self.choose(Path(folder))

    def choose(self, folder: Path) -> None:
        """Let downloads go there from now on."""
        self._models.move_root(folder)
        self._show()

    def _show(self) -> None:
        root = self._models.root
        self.folder.setText(str(root))
        there = next((parent for parent in (root, *root.parents) if parent.exists()), None)
        free = shutil.disk_usage(there).free if there is not None else 0
        fits = free >= self._entry.size_bytes + SPARE_BYTES
        words = (
            self.tr("%1 are free on that disk.") if fits else self.tr("Only %1 are free on that disk: choose another.")
        )
        self.space.setText(words.replace("%1", size(free)))
        self.space.setProperty("role", "small" if fits else "error")
        self.space.style().polish(self.space)
        self.start.setEnabled(fits)

    def _start(self) -> None:
        self.start_requested.emit()
        self.accept()
