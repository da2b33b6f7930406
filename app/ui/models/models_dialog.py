"""Models and servers: what can speak here, how to get it, how this machine does, and what was spoken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QSize
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.services.model_choice import STARTER
from app.ui.engine_loader import EngineLoader
from app.ui.models.models_page import ModelsPage
from app.ui.studio import Studio
from app.ui.theme import GRID
from app.ui.widgets.dialog import Dialog
from app.ui.widgets.lazy_stack import LazyStack
from app.ui.widgets.page_list import PageList

if TYPE_CHECKING:
    from app.ui.models.doctor_page import DoctorPage
    from app.ui.models.runs_page import RunsPage
    from app.ui.models.servers_page import ServersPage

PAGES = ("models", "servers", "machine", "runs")


class ModelsDialog(Dialog):
    """Four pages beside a list of them; downloads go on when it is closed.

    Attributes:
        models_page, servers_page, doctor_page, runs_page: the pages.
    """

    def __init__(self, studio: Studio, loader: EngineLoader, state: Any, parent: QWidget) -> None:
        super().__init__(parent, QCoreApplication.translate("ModelsDialog", "Models and servers"), width=860)
        self._studio, self.models = studio, studio.models
        self.choice = Choice(studio, loader, state)
        row = QHBoxLayout()
        row.setSpacing(GRID * 2)
        self.pages = PageList()
        self._stack = LazyStack()
        for name, icon, make in (
            (self.tr("Models"), "chip", lambda: ModelsPage(studio, self.models, self.choice)),
            (self.tr("Servers"), "globe", self._make_servers),
            (self.tr("This machine"), "check", self._make_doctor),
            (self.tr("What was spoken"), "clock", self._make_runs),
        ):
            self.pages.add_page(name, icon)
            self._stack.add(make)
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

    # What a page needs is read with it

    def _make_servers(self) -> ServersPage:
        from app.ui.models.servers_page import ServersPage

        return ServersPage(self._studio, self.models, self.choice)

    def _make_doctor(self) -> DoctorPage:
        from app.ui.models.doctor_page import DoctorPage

        return DoctorPage(self._studio)

    def _make_runs(self) -> RunsPage:
        from app.ui.models.runs_page import RunsPage

        return RunsPage(self._studio, self.models.settings)

    @property
    def models_page(self) -> ModelsPage:
        return self._page("models")

    @property
    def servers_page(self) -> ServersPage:
        return self._page("servers")

    @property
    def doctor_page(self) -> DoctorPage:
        return self._page("machine")

    @property
    def runs_page(self) -> RunsPage:
        return self._page("runs")

    def _page(self, name: str) -> Any:
        return self._stack.page(PAGES.index(name))

    def _show(self, index: int) -> None:
        self._stack.show_page(index).look()

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

    @property
    def precision(self) -> str:
        return self._state.precision

    def choose_device(self, device: str) -> None:
        self._state.device = device

    def choose_precision(self, precision: str) -> None:
        self._state.precision = precision

    def use(self, key: str) -> None:
        """Load this model and speak with it from now on; the one before is closed, the window stays."""
        self._state.model = "" if key == STARTER else key
        try:
            self._state.save()
        except OSError as error:
            self._studio.say("warning", f"{error}")
        self._loader.read_card(self._state.model or None)
        self._loader.load(self._state.model or None, device=self._state.device, precision=self._state.precision)
