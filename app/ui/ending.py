"""The system asks the program to end: it does so as if the person had closed the window, and asks nothing."""

from __future__ import annotations

import contextlib
import logging
import signal
import socket
from collections.abc import Callable

from PySide6.QtCore import QObject, QSocketNotifier

log = logging.getLogger(__name__)

_SIGNALS = ("SIGTERM", "SIGHUP", "SIGINT")


class Ending(QObject):
    """Listens for the signals that end a program; `end` runs on the thread of the window.

    Python notices a signal only while it runs code, and the event loop runs none while nothing happens: so a signal
    also wakes it through a pair of sockets.
    """

    def __init__(self, end: Callable[[], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._end = end
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._wakeup_before = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        self._before = {
            number: signal.signal(number, self._hear)
            for name in _SIGNALS
            if (number := getattr(signal, name, None)) is not None
        }
        self._heard = 0
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._woken)

    def close(self) -> None:
        """Signals do again what they did before."""
        self._notifier.setEnabled(False)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup_before)
        self._reader.close()
        self._writer.close()

    def _hear(self, number: int, _frame: object) -> None:
        self._heard = number

    def _woken(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._reader.recv(64)
        if self._heard:
            log.info("ending on signal %d", self._heard)
            self._heard = 0
            self._end()
