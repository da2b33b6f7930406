"""The page of speech servers: a list, and what is known of the one that is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.services.model_sources import SERVER_PREFIX
from app.services.models import Models
from app.settings import Server
from app.ui.messages import local
from app.ui.models.server_form import ServerForm
from app.ui.studio import Studio
from app.ui.theme import GRID, theme
from app.ui.widgets.dialog import card, note
from app.ui.widgets.empty_state import EmptyState

if TYPE_CHECKING:
    from app.ui.models.models_dialog import Choice


class ServersPage(QWidget):
    """Add, change, test, use and remove servers.

    Attributes:
        list: of servers. form: of the one that is shown.
    """

    def __init__(self, studio: Studio, models: Models, choice: Choice) -> None:
        super().__init__()
        self._studio, self._models, self._choice = studio, models, choice
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(GRID)
        across = QHBoxLayout()
        across.setSpacing(GRID * 2)
        self._left = QWidget()
        left = QVBoxLayout(self._left)
        left.setContentsMargins(0, 0, 0, 0)
        left.setSpacing(GRID)
        frame, inside = card(margins=4)
        frame.setFixedWidth(190)
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Speech servers"))
        self.list.currentItemChanged.connect(self._show)
        inside.addWidget(self.list)
        left.addWidget(frame, 1)
        self.add = QPushButton(self.tr("Add a server"))
        self.add.setAutoDefault(False)
        self.add.clicked.connect(self.new)
        left.addWidget(self.add)
        across.addWidget(self._left)
        self._stack = QStackedWidget()
        self._stack.addWidget(
            EmptyState(
                "globe",
                self.tr("Speak through a server"),
                self.tr(
                    "A speech server (SGLang-Omni or vLLM-Omni) runs the large model on a machine that can carry it."
                ),
                ((self.tr("Add a server"), self.new, True),),
                small=True,
            )
        )
        self.form = ServerForm(studio, models)
        self.form.use_requested.connect(lambda server: self.use(server))
        self.form.remove_requested.connect(self.remove)
        self.form.saved.connect(self._saved)
        self._stack.addWidget(self.form)
        across.addWidget(self._stack, 1)
        outer.addLayout(across, 1)
        self.message = note("", "warning")
        outer.addWidget(self.message)
        self.message.hide()
        disconnect = models.changed.connect(self.fill)
        self.destroyed.connect(lambda: disconnect())
        studio.engine_ready.connect(self._engine_ready)
        studio.engine_failed.connect(self._engine_failed)
        self.fill()

    def look(self) -> None:
        """The page is shown."""
        self.fill()

    def fill(self) -> None:
        shown = self._current_id()
        servers = self._models.settings.servers
        self.list.blockSignals(True)
        self.list.clear()
        for server in servers:
            item = QListWidgetItem(theme().icon("globe"), server.name or server.address)
            item.setData(Qt.ItemDataRole.UserRole, server.id)
            item.setToolTip(server.address)
            item.setSizeHint(QSize(0, 32))
            self.list.addItem(item)
        self.list.blockSignals(False)
        self._left.setVisible(bool(servers))  # the empty state has a button of its own
        at = next((at for at, server in enumerate(servers) if server.id == shown), 0)
        if servers:
            self.list.setCurrentRow(at)
        elif not self.form.is_new:
            self._stack.setCurrentIndex(0)
        self.message.setText(local(self._models.keys.notice))
        self.message.setVisible(bool(self._models.keys.notice))
        self._mark()

    def _current_id(self) -> str:
        item = self.list.currentItem()
        return item.data(Qt.ItemDataRole.UserRole) if item is not None else ""

    def _show(self, item: QListWidgetItem | None, _: Any = None) -> None:
        server = next(
            (each for each in self._models.settings.servers if item and each.id == item.data(Qt.ItemDataRole.UserRole)),
            None,
        )
        if server is not None:
            self.form.show_server(server)
            self._stack.setCurrentIndex(1)
            self._mark()

    def new(self) -> None:
        """An empty form."""
        self.list.setCurrentRow(-1)
        self.form.show_server(Server("", kind="auto"))
        self._stack.setCurrentIndex(1)
        self.form.address.setFocus()

    def _saved(self, server: Server) -> None:
        for at in range(self.list.count()):
            if self.list.item(at).data(Qt.ItemDataRole.UserRole) == server.id:
                self.list.setCurrentRow(at)

    def use(self, server: Server) -> None:
        """Speak through this server from now on."""
        self._choice.use(SERVER_PREFIX + server.id)
        self._mark()

    def remove(self, server: Server) -> None:
        """Forget a server and its key; the starter speaks where it was the one in use."""
        if self._choice.key == SERVER_PREFIX + server.id:
            self._choice.use("starter")
        self._models.remove_server(server)

    def _engine_ready(self) -> None:
        if self._in_use and self._studio.engine is not None:
            self.form.tell("", "")
        self._mark()

    def _engine_failed(self, message: str, remedy: str) -> None:
        if self._in_use:
            self.form.tell(f"{message} {remedy}".strip(), "")
        self._mark()

    @property
    def _in_use(self) -> bool:
        return bool(self.form.server.id) and self._choice.key == SERVER_PREFIX + self.form.server.id

    def _mark(self) -> None:
        self.form.show_in_use(self._in_use)
