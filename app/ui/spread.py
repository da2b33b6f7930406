"""Many small facts told a few at a time, so that five thousand lines that change at once never hold up typing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer

AT_ONCE = 40
_SLICE_S = 0.008


class Spread(QObject):
    """Passes names on: the first of a round of the event loop at once, the rest a slice at a time, in order, each once.

    Attributes:
        waiting: names that were not told yet.
    """

    def __init__(self, tell: Callable[[str], Any], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tell = tell
        self._told = 0
        self.waiting: dict[str, None] = {}
        # With a pause between slices, so that what a person does comes in between.
        self._timer = QTimer(self)
        self._timer.setInterval(4)
        self._timer.timeout.connect(self._slice)

    def __call__(self, name: str) -> None:
        if not self._timer.isActive():
            self._told = 0
            self._timer.start()
        if self._told < AT_ONCE and not self.waiting:
            self._told += 1
            self._tell(name)
        else:
            self.waiting[name] = None

    def forget(self) -> None:
        """What waits interests nobody any more."""
        self.waiting.clear()

    def _slice(self) -> None:
        self._told = 0
        if not self.waiting:
            self._timer.stop()
            return
        ends_at_s = time.perf_counter() + _SLICE_S
        while self.waiting and time.perf_counter() < ends_at_s:
            name = next(iter(self.waiting))
            del self.waiting[name]
            self._tell(name)
