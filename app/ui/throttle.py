"""The one place where repaints and signals are rate-limited."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QObject, QTimer
from shiboken6 import isValid

UI_RATE_HZ = 30


class Throttle(QObject):
    """Calls a function at most once per interval: the first call at once, later ones merged into one trailing call.

    Lives on the GUI thread; for calls from other threads see `app.ui.bridge`.
    """

    def __init__(
        self,
        call: Callable[[], None],
        interval_ms: int = 1000 // UI_RATE_HZ,
        parent: QObject | None = None,
        *,
        at_once: bool = True,
    ) -> None:
        """
        Args:
            at_once: False lets the first call wait for the interval, too: what only follows the text must not add to
                the key that changed it.
        """
        super().__init__(parent)
        self._call = call
        self._at_once = at_once
        self._interval_ms = interval_ms
        self._since_last = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._fire)

    def __call__(self, *_: object) -> None:
        # A signal that outlives its window still calls; news for what is gone dies quietly.
        if not isValid(self) or self._timer.isActive():
            return
        elapsed_ms = self._since_last.elapsed() if self._since_last.isValid() else self._interval_ms
        if not self._at_once:
            self._timer.start(self._interval_ms)
        elif elapsed_ms >= self._interval_ms:
            self._fire()
        else:
            self._timer.start(int(self._interval_ms - elapsed_ms))

    def flush(self) -> None:
        """Make the pending call now, if there is one."""
        if self._timer.isActive():
            self._timer.stop()
            self._fire()

    def cancel(self) -> None:
        self._timer.stop()

    def _fire(self) -> None:
        self._since_last.restart()
        self._call()


class Debounce(QObject):
    """Calls a function once nothing has asked for it during `quiet_ms`."""

    def __init__(self, call: Callable[[], None], quiet_ms: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(quiet_ms)
        self._call = call
        self._timer.timeout.connect(call)

    def __call__(self, *_: object) -> None:
        if isValid(self):
            self._timer.start()

    def flush(self) -> None:
        """Make the pending call now, if there is one."""
        if self._timer.isActive():
            self._timer.stop()
            self._call()

    def cancel(self) -> None:
        self._timer.stop()
