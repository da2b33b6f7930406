"""Where the sound goes: follow the system, or one device."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QMenu, QToolButton

from app.ui.studio import Studio
from app.ui.theme import theme


class OutputButton(QToolButton):
    """Opens the list of outputs. Listing may take some tenths of a second, so it happens on a thread of its own."""

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self.setAccessibleName(self.tr("Output"))
        self.setIconSize(QSize(18, 18))
        self.setFixedSize(QSize(32, 32))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setMenu(QMenu(self))
        self.menu().aboutToShow.connect(self._open)
        theme().changed.connect(self._tint)
        studio.services_changed.connect(self._apply)
        self._tint()
        self._apply()

    def _tint(self) -> None:
        self.setIcon(theme().icon("volume"))

    def _apply(self) -> None:
        """What was chosen the last time is chosen again."""
        player, name = self._studio.player, getattr(self._studio.settings, "output_device", "")
        if player is not None and (player.devices.wanted_output or "") != name:
            player.choose_output(name or None)
        self.setToolTip(self.tr("Output: %1").replace("%1", name or self.tr("follows the system")))

    def _open(self) -> None:
        self.menu().clear()
        self.menu().addAction(self.tr("Looking for outputs…")).setEnabled(False)
        player, post = self._studio.player, self._studio.bridge.post
        if player is None:
            return

        def work() -> None:
            player.devices.refresh()
            names = [device.name for device in player.devices.outputs()]
            problem = player.devices.no_sound
            post(lambda: self.fill(names, problem))

        threading.Thread(target=work, name="list outputs", daemon=True).start()

    def fill(self, names: Sequence[str], problem: str) -> None:
        """Show these outputs."""
        menu, wanted = self.menu(), self._studio.player.devices.wanted_output
        menu.clear()
        if problem:
            menu.addAction(problem.split(":")[0]).setEnabled(False)
        follow = menu.addAction(self.tr("Follow the system"))
        follow.setCheckable(True)
        follow.setChecked(wanted is None)
        follow.triggered.connect(lambda: self.choose(None))
        menu.addSeparator()
        for name in dict.fromkeys(names):
            entry = menu.addAction(name.replace("&", "&&"))
            entry.setCheckable(True)
            entry.setChecked(name == wanted)
            entry.triggered.connect(lambda _=False, name=name: self.choose(name))
        if wanted is not None and wanted not in names:
            away = menu.addAction(self.tr("%1 (not there now)").replace("%1", wanted.replace("&", "&&")))
            away.setCheckable(True)
            away.setChecked(True)
            away.triggered.connect(lambda: self.choose(wanted))
        menu.adjustSize()

    def choose(self, name: str | None) -> None:
        """Play there from now on, also the next time."""
        self._studio.settings.output_device = name or ""
        self._apply()
