"""Where downloads come from and where they go."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox, QLineEdit, QVBoxLayout, QWidget

from app.services.models import Models
from app.ui.messages import local
from app.ui.models.download_folder import DownloadFolder
from app.ui.models.words import size
from app.ui.widgets.dialog import note
from app.ui.widgets.fields import Section


class HubSettings(QWidget):
    """A folded section: folder, mirror, proxy, offline. Each takes effect with the next download."""

    def __init__(self, models: Models) -> None:
        super().__init__()
        self._models = models
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        section = Section(self.tr("Downloads"), foldable=True, open_=False)
        self.section = section
        self.folder = DownloadFolder(models)
        self.folder.changed.connect(self._show)
        section.add_row(self.tr("Folder"), self.folder)
        self.space = note("", "faint")
        section.add_wide(self.space)
        own = models.settings.models
        self.mirror = self._line(own.mirror, self.tr("Mirror of the hub"), self.tr("HF_ENDPOINT, else the hub itself"))
        self.mirror.editingFinished.connect(lambda: self._change(mirror=self.mirror.text().strip()))
        section.add_row(self.tr("Mirror"), self.mirror)
        self.proxy = self._line(own.proxy, self.tr("Proxy"), self.tr("As the system has it"))
        self.proxy.editingFinished.connect(lambda: self._change(proxy=self.proxy.text().strip()))
        section.add_row(self.tr("Proxy"), self.proxy)
        self.offline = QCheckBox(self.tr("Stay offline: download nothing"))
        self.offline.setChecked(own.offline)
        self.offline.toggled.connect(lambda on: self._change(offline=on))
        section.add_wide(self.offline)
        column.addWidget(section)
        self._show()

    @staticmethod
    def _line(text: str, name: str, placeholder: str) -> QLineEdit:
        line = QLineEdit(text)
        line.setAccessibleName(name)
        line.setPlaceholderText(placeholder)
        return line

    def _change(self, **changes: object) -> None:
        try:
            self._models.settings.change("models", **changes)
        except OSError as error:
            self.space.setText(self.tr("The setting could not be kept: %1").replace("%1", local(str(error))))

    def _show(self) -> None:
        words = self.tr(
            "%1 free there. Models that are downloaded already stay where they are; "
            "what has come of an unfinished download moves when it goes on."
        )
        self.space.setText(words.replace("%1", size(self.folder.free_bytes())))
