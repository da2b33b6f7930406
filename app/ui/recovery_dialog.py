"""Projects that were never given a name, and what a crash left behind."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from app.services.store import SUFFIX
from app.ui.studio import Studio
from app.ui.widgets.dialog import Dialog, card
from app.ui.widgets.empty_state import EmptyState


class RecoveryDialog(Dialog):
    """Lists the untitled projects of the profile, latest first.

    Signals:
        chosen(Path)
    """

    chosen = Signal(object)

    def __init__(self, studio: Studio, parent: QWidget) -> None:
        super().__init__(
            parent,
            QCoreApplication.translate("RecoveryDialog", "Recover a project"),
            QCoreApplication.translate(
                "RecoveryDialog",
                "Everything is kept as it is written, also in projects without a name. These are still here.",
            ),
        )
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        frame, inside = card(margins=4)
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Projects without a name"))
        self.list.setMinimumHeight(220)
        inside.addWidget(self.list)
        folder = studio.paths.untitled
        here = studio.store.path if studio.store is not None else None
        files = (
            sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime, reverse=True)
            if folder.is_dir()
            else []
        )
        for path in files:
            if path == here:
                continue
            status = path.stat()
            when = datetime.fromtimestamp(status.st_mtime).strftime("%Y-%m-%d %H:%M")
            item = QListWidgetItem(f"{when}     {status.st_size / 1e6:.1f} MB")
            item.setData(Qt.ItemDataRole.UserRole, path)
            item.setToolTip(str(path))
            self.list.addItem(item)
        empty = EmptyState(
            "check", self.tr("Nothing to recover"), self.tr("Every project that was written in has a name."), small=True
        )
        inside.addWidget(empty)
        empty.setVisible(not self.list.count())
        self.list.setVisible(bool(self.list.count()))
        self.body.addWidget(frame, 1)
        self.add_button(self.tr("Cancel")).clicked.connect(self.reject)
        self._open = self.add_button(self.tr("Open"), primary=True)
        self._open.clicked.connect(self._choose)
        self.list.itemActivated.connect(lambda _: self._choose())
        if self.list.count():
            self.list.setCurrentRow(0)
        self._open.setEnabled(bool(self.list.count()))

    def _choose(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            path: Path = item.data(Qt.ItemDataRole.UserRole)
            self.accept()
            self.chosen.emit(path)
