"""Carries calls of other threads onto the GUI thread as queued Qt events, many of one kind merged to 30 a second."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer

from app.ui.throttle import UI_RATE_HZ

log = logging.getLogger(__name__)

_WAKE = QEvent.Type(QEvent.registerEventType())


class Bridge(QObject):
    """Thread-safe door to the GUI thread.

    `post` keeps every call and its order. `post_latest` keeps only the newest call of a key and delivers at 30 Hz:
    for progress, levels and playheads. A call whose target is gone dies quietly: pass `owner`.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._calls: list[Callable[[], Any]] = []
        self._latest: dict[Hashable, Callable[[], Any]] = {}
        self._woken = False
        self._closed = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(1000 // UI_RATE_HZ)
        self._timer.timeout.connect(self._deliver_latest)

    def post(self, call: Callable[[], Any]) -> None:
        """Run `call` on the GUI thread soon, in order with other posts."""
        with self._lock:
            if self._closed:
                return
            self._calls.append(call)
            wake = not self._woken
            self._woken = True
        if wake:
            QCoreApplication.postEvent(self, QEvent(_WAKE))

    def post_latest(self, key: Hashable, call: Callable[[], Any]) -> None:
        """Run the newest `call` of this key on the GUI thread within about 33 ms."""
        with self._lock:
            if self._closed:
                return
            self._latest[key] = call
            wake = not self._woken
            self._woken = True
        if wake:
            QCoreApplication.postEvent(self, QEvent(_WAKE))

    def close(self) -> None:
        """Drop what waits and accept nothing more."""
        with self._lock:
            self._closed = True
            self._calls.clear()
            self._latest.clear()
        self._timer.stop()

    def event(self, event: QEvent) -> bool:
        if event.type() != _WAKE:
            return super().event(event)
        with self._lock:
            calls, self._calls = self._calls, []
            self._woken = False
            waiting = bool(self._latest)
        for call in calls:
            _guarded(call)
        if waiting and not self._timer.isActive():
            self._timer.start()
        return True

    def _deliver_latest(self) -> None:
        with self._lock:
            calls, self._latest = list(self._latest.values()), {}
        for call in calls:
            _guarded(call)


def _guarded(call: Callable[[], Any]) -> None:
    try:
        call()
    except RuntimeError as error:
        # A widget that was deleted meanwhile: its news interests nobody.
        if "already deleted" not in str(error):
            log.exception("a queued call failed")
    except Exception:
        log.exception("a queued call failed")
