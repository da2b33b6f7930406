"""How fast the review is: 0.5 to 2 times, with kept pitch."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QToolButton

from app.ui.studio import Studio

SPEEDS = (0.5, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0)


class SpeedButton(QToolButton):
    """Shows the speed, opens the choice; the wheel steps through it. The choice is kept."""

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self._speed = 1.0
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        menu = QMenu(self)
        self._entries = {}
        for speed in SPEEDS:
            entry = menu.addAction(words(speed))
            entry.setCheckable(True)
            entry.triggered.connect(lambda _=False, speed=speed: self.choose(speed))
            self._entries[speed] = entry
        self.setMenu(menu)
        studio.services_changed.connect(self._apply)
        self.choose(min(SPEEDS, key=lambda speed: abs(speed - studio.settings.review_speed)))

    @property
    def speed(self) -> float:
        return self._speed

    def choose(self, speed: float) -> None:
        self._speed = speed
        self._studio.settings.review_speed = speed
        self.setText(words(speed))
        self.setAccessibleName(self.tr("Review speed: %1").replace("%1", words(speed)))
        self.setToolTip(self.tr("Review speed, with the pitch kept. Export is not changed."))
        for each, entry in self._entries.items():
            entry.setChecked(each == speed)
        self._apply()

    def _apply(self) -> None:
        if self._studio.player is not None:
            self._studio.player.set_speed(self._speed)

    def wheelEvent(self, event) -> None:
        at = SPEEDS.index(self._speed) + (1 if event.angleDelta().y() > 0 else -1)
        self.choose(SPEEDS[min(len(SPEEDS) - 1, max(0, at))])
        event.accept()


def words(speed: float) -> str:
    return f"{speed:g}×"
