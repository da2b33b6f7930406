"""What was still to be made when the project was left: kept with it, and offered when it is opened again."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.ui.studio import Studio
from app.ui.theme import HALF
from app.ui.throttle import Throttle
from app.ui.widgets.dock import small_button
from app.ui.words import counted

_KEEP_EVERY_MS = 1000


class Unfinished(QWidget):
    """Lives in the status line; hidden when nothing is offered.

    Attributes:
        offered: ids of the blocks. resume, dismiss: the buttons.

    Signals:
        render_requested(list of block ids): the person wants them to be made.
    """

    render_requested = Signal(list)

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self.offered: list[str] = []
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(HALF)
        self.resume = QPushButton()
        self.resume.clicked.connect(self._resume)
        self.dismiss = small_button("close", self.tr("Do not make them"))
        self.dismiss.clicked.connect(self._dismiss)
        row.addWidget(self.resume)
        row.addWidget(self.dismiss)
        self._keep_soon = Throttle(self._keep, _KEEP_EVERY_MS, self)
        self._disconnect: Callable[[], None] = lambda: None
        studio.project_replaced.connect(self._offer)
        studio.engine_ready.connect(self._show)
        studio.services_changed.connect(self._attach)
        self._attach()
        self._offer()

    def _attach(self) -> None:
        self._disconnect()
        renderer = self._studio.renderer
        self._disconnect = renderer.queue_changed.connect(self._keep_soon) if renderer is not None else lambda: None

    def _offer(self) -> None:
        """Another project: look what it has left."""
        self._keep_soon.cancel()
        renderer, store = self._studio.renderer, self._studio.store
        self.offered = []
        if renderer is not None and store is not None and not store.read_only:
            project = store.project
            here = [project.block(each) for each in store.asked if project.has_block(each)]
            self.offered = [block.id for block in here if renderer.states.needs_speaking(block)]
        self._show()

    def _show(self) -> None:
        count = len(self.offered)
        self.resume.setText(counted(count, self.tr("Resume rendering 1 line"), self.tr("Resume rendering %1 lines")))
        self.resume.setEnabled(self._studio.engine is not None)
        self.resume.setToolTip(
            self.tr("They were not finished when the project was left.")
            if self.resume.isEnabled()
            else self.tr("The model is still loading. Try again in a moment.")
        )
        self.setVisible(bool(count))

    def _resume(self) -> None:
        wanted, self.offered = self.offered, []
        self._show()
        self.render_requested.emit(wanted)

    def _dismiss(self) -> None:
        self.offered = []
        self._show()
        self._keep()

    def _keep(self) -> None:
        """Into the project: what is being made, and what is still offered."""
        renderer, store = self._studio.renderer, self._studio.store
        # While another project is being opened the renderer drops its work: that must not count as finished.
        if renderer is None or store is None or renderer.store is not store:
            return
        asked = renderer.asked_ids()
        if self.offered:
            under_way = set(asked)
            asked += [each for each in self.offered if each not in under_way]
        store.keep_asked(asked)
