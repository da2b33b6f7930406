"""The page of models: use, download, pause, remove, open a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QMessageBox, QPushButton, QVBoxLayout, QWidget

from app.services.machine import Machine, fit_of, look_at_machine
from app.services.models import Models, Row
from app.ui.messages import local
from app.ui.models.download_dialog import DownloadDialog
from app.ui.models.hub_settings import HubSettings
from app.ui.models.model_row import ModelRow
from app.ui.studio import Studio
from app.ui.theme import GRID
from app.ui.widgets.dialog import note
from app.ui.widgets.fields import Choice as ValueChoice
from app.ui.widgets.fields import Section, Segments
from app.ui.widgets.scroll import Scrolled
from engine.errors import SpeechError

if TYPE_CHECKING:
    from app.ui.models.models_dialog import Choice


PRECISIONS = ("fp32", "bf16", "fp16", "int8", "fp8", "int4")  # as `engine.open_local` takes them


class ModelsPage(QWidget):
    """Cards of every model but servers.

    Attributes:
        rows: the cards by key.
    """

    def __init__(self, studio: Studio, models: Models, choice: Choice) -> None:
        super().__init__()
        self._studio, self._models, self._choice = studio, models, choice
        self._machine: Machine | None = None
        self._loading = False
        self.rows: dict[str, ModelRow] = {}
        self.asking: DownloadDialog | None = None
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(GRID)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, GRID, 0)
        column.setSpacing(GRID)
        self._cards = QVBoxLayout()
        self._cards.setSpacing(GRID)
        column.addLayout(self._cards)
        across = QHBoxLayout()
        self.add_folder = QPushButton(self.tr("Use a folder…"))
        self.add_folder.setToolTip(self.tr("A checkpoint that is on this machine already; nothing is copied."))
        self.add_folder.setAutoDefault(False)
        self.add_folder.clicked.connect(self._browse)
        across.addWidget(self.add_folder)
        across.addStretch(1)
        column.addLayout(across)
        section = Section("")
        self.device = Segments(
            self.tr("Device"),
            ((self.tr("The best there is"), "auto"), (self.tr("Processor"), "cpu"), (self.tr("Graphics card"), "cuda")),
        )
        self.device.show_value(choice.device)
        self.device.edited.connect(self._choose_device)
        section.add_row(self.tr("Device"), self.device)
        self.precision = ValueChoice(self.tr("Precision"))
        precisions: list[Any] = [(self.tr("The best there is"), "auto", None), *((p, p, None) for p in PRECISIONS)]
        self.precision.show_values(precisions, choice.precision)
        self.precision.setToolTip(
            self.tr("How the model computes: fewer bits take less memory and are a little coarser.")
        )
        self.precision.edited.connect(self._choose_precision)
        section.add_row(self.tr("Precision"), self.precision)
        column.addWidget(section)
        self.hub = HubSettings(models)
        column.addWidget(self.hub)
        column.addStretch(1)
        outer.addWidget(Scrolled(inside, self.tr("Models")), 1)
        self.message = note("", "error")
        self.message.hide()
        outer.addWidget(self.message)
        disconnects = [models.changed.connect(self.fill), models.progressed.connect(lambda _: self.fill())]
        self.destroyed.connect(lambda: [disconnect() for disconnect in disconnects])
        # Bound methods: Qt forgets them with the page, which lambdas would outlive.
        studio.engine_loading.connect(self._engine_loading)
        studio.engine_ready.connect(self._engine_came_or_went)
        studio.engine_failed.connect(self._failed)
        self.fill()

    def look(self) -> None:
        """The page is shown: find out what the machine can do, once."""
        if self._machine is None and self._studio.tasks is not None:
            self._studio.tasks.run(
                lambda _: look_at_machine(), self._know, title=self.tr("Looking at this machine"), owner=self
            )
        self.fill()

    def _know(self, machine: Machine) -> None:
        self._machine = machine
        self.fill()

    def fill(self) -> None:
        """Show every model as it is now; cards that stay are kept, so that the keyboard's place is."""
        rows = [row for row in self._models.rows() if row.kind != "server"]
        for key in set(self.rows) - {row.key for row in rows}:
            self.rows.pop(key).deleteLater()
        for at, row in enumerate(rows):
            if row.key not in self.rows:
                self.rows[row.key] = ModelRow(
                    {
                        "use": lambda row: self.use(row.key),
                        "download": self.download,
                        "pause": lambda row: self._models.pause(row.entry),
                        "remove": self._ask_to_remove,
                        "forget": lambda row: self._models.forget_folder(row.folder),
                    }
                )
                self._cards.insertWidget(at, self.rows[row.key])
            fit = fit_of(row.entry, self._machine) if row.entry is not None and self._machine is not None else None
            chosen = row.key == self._choice.key
            self.rows[row.key].show_row(row, chosen=chosen, loading=self._loading, fit=fit)

    def use(self, key: str) -> None:
        """Speak with this model from now on."""
        self._say("")
        self._loading = True
        self._choice.use(key)
        self.fill()

    def _choose_device(self, device: str) -> None:
        self._choice.choose_device(device)
        self.device.show_value(device)
        self.use(self._choice.key)

    def _choose_precision(self, precision: str) -> None:
        self._choice.choose_precision(precision)
        self.use(self._choice.key)

    def _browse(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, self.tr("Folder of a model"))
        if folder:
            self.open_folder(Path(folder))

    def open_folder(self, folder: Path) -> None:
        """Take a folder into the list."""
        try:
            self._models.add_folder(folder)
            self._say("")
        except SpeechError as error:
            self._say(str(error))

    def download(self, row: Row) -> None:
        """Fetch a model; where it goes is asked before it begins for the first time."""
        if row.state != "absent":
            self._models.download(row.entry)
            return
        self.asking = DownloadDialog(self._models, row.entry, self.window())
        self.asking.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.asking.start_requested.connect(lambda: self._models.download(row.entry))
        self.asking.open()

    def _ask_to_remove(self, row: Row) -> None:
        box = QMessageBox(
            QMessageBox.Icon.Question,
            self.tr("Remove a model"),
            self.tr("Delete “%1” from this machine? It can be downloaded again.").replace("%1", row.name),
            QMessageBox.StandardButton.Cancel,
            self,
        )
        delete = box.addButton(self.tr("Delete"), QMessageBox.ButtonRole.DestructiveRole)
        delete.clicked.connect(lambda: self.remove(row))
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    def remove(self, row: Row) -> None:
        """Delete a downloaded model; the starter speaks where it was the one in use."""
        if row.key == self._choice.key:
            self.use("starter")
        try:
            self._models.remove(row.entry)
        except SpeechError as error:
            self._say(str(error))

    def _engine_loading(self, _stage: str, _fraction: float) -> None:
        self._set_loading(True)

    def _engine_came_or_went(self) -> None:
        self._set_loading(self._studio.engine is None)

    def _set_loading(self, loading: bool) -> None:
        self._loading = loading
        self.fill()

    def _failed(self, message: str, remedy: str) -> None:
        self._loading = False
        self._say(f"{message} {remedy}".strip())
        self.fill()

    def _say(self, text: str) -> None:
        self.message.setText(local(text))
        self.message.setVisible(bool(text))
