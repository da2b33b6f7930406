"""The folder that downloads go to, shown and changed."""

from __future__ import annotations

import shutil
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QPushButton, QWidget

from app.services.models import Models
from app.ui.theme import HALF


class DownloadFolder(QWidget):
    """
    Signals:
        changed(): downloads go to another folder now.
    """

    changed = Signal()

    def __init__(self, models: Models) -> None:
        super().__init__()
        self._models = models
        self._path = QLineEdit()
        self._path.setReadOnly(True)
        self._path.setAccessibleName(self.tr("Folder for downloads"))
        browse = QPushButton(self.tr("Choose…"))
        browse.setAutoDefault(False)
        browse.setAccessibleName(self.tr("Choose a folder for downloads"))
        browse.clicked.connect(self._browse)
        self.setFocusProxy(browse)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(HALF)
        row.addWidget(self._path, 1)
        row.addWidget(browse)
        self._show()

    def choose(self, folder: Path) -> None:
        """Let downloads go there from now on."""
        self._models.move_root(folder)
        self._show()
        self.changed.emit()

    def free_bytes(self) -> int:
        """On its disk; also while the folder itself is still to be made."""
        root = self._models.root
        there = next((parent for parent in (root, *root.parents) if parent.exists()), None)
        return shutil.disk_usage(there).free if there is not None else 0

    def _show(self) -> None:
        self._path.setText(str(self._models.root))

    def _browse(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, self.tr("Folder for downloads"), str(self._models.root))
        if folder:
            self.choose(Path(folder))
