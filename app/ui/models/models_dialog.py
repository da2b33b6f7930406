"""Models and servers: what can speak here, how to get it, how this machine does, and what was spoken."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QCoreApplication, QSize
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget

from app.services.model_choice import STARTER
from app.ui.engine_loader import EngineLoader
from app.ui.models.doctor_page import DoctorPage
from app.ui.models.models_page import ModelsPage
from app.ui.models.runs_page import RunsPage
from app.ui.models.servers_page import ServersPage
from app.ui.studio import Studio
from app.ui.theme import GRID
from app.ui.widgets.dialog import Dialog
from app.ui.widgets.page_list import PageList

PAGES = ("models", "servers", "machine", "runs")


class ModelsDialog(Dialog):
    """Four pages beside a list of them; downloads go on when it is closed.

    Attributes:
        models_page, servers_page, doctor_page, runs_page: the pages.
    """

    def __init__(self, studio: Studio, loader: EngineLoader, state: Any, parent: QWidget) -> None:
        super().__init__(parent, QCoreApplication.translate("ModelsDialog", "Models and servers"), width=860)
        self.models = studio.models
        self.choice = Choice(studio, loader, state)
        row = QHBoxLayout()
        row.setSpacing(GRID * 2)
        self.pages = PageList()
        self._stack = QStackedWidget()
        self.models_page = ModelsPage(studio, self.models, self.choice)
        self.servers_page = ServersPage(studio, self.models, self.choice)
        self.doctor_page = DoctorPage(studio)
        self.runs_page = RunsPage(studio, self.models.settings)
        for name, icon, page in (
            (self.tr("Models"), "chip", self.models_page),
            (self.tr("Servers"), "globe", self.servers_page),
            (self.tr("This machine"), "check", self.doctor_page),
            (self.tr("What was spoken"), "clock", self.runs_page),
        ):
            self.pages.add_page(name, icon)
            self._stack.addWidget(page)
        self.pages.currentRowChanged.connect(self._show)
        row.addWidget(self.pages)
        row.addWidget(self._stack, 1)
        self.body.addLayout(row, 1)
        self.add_button(self.tr("Close"), primary=True).clicked.connect(self.accept)
        self.resize(900, 640)
        self.show_page("models")

    def show_page(self, page: str) -> None:
        self.pages.setCurrentRow(PAGES.index(page))
        self.pages.setFocus()

    def _show(self, index: int) -> None:
        self._stack.setCurrentIndex(index)
        self._stack.currentWidget().look()

    def sizeHint(self) -> QSize:
        return QSize(900, 640)


class Choice:
    """Changes the model that speaks, behind the open window.

    Attributes:
        key: of the model that was chosen.
    """

    def __init__(self, studio: Studio, loader: EngineLoader, state: Any) -> None:
        self._studio, self._loader, self._state = studio, loader, state

    @property
    def key(self) -> str:
        return self._state.model or STARTER

    @property
    def device(self) -> str:
        return self._state.device

    def choose_device(self, device: str) -> None:
        self._state.device = device

    def use(self, key: str) -> None:
        """Load this model and speak with it from now on; the one before is closed, the window stays."""
        self._state.model = "" if key == STARTER else key
        try:
            self._state.save()
        except OSError as error:
            self._studio.say("warning", f"{error}")
        self._loader.read_card(self._state.model or None)
        self._loader.load(self._state.model or None, device=self._state.device)
