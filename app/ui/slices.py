"""Long deeds of the window's thread, done a slice at a time, so that what a person does comes in between."""

from __future__ import annotations

import time
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer

_SLICE_S = 0.004


class Slices(QObject):
    """One deed at a time: a generator that yields often. What is short is done before `start` returns.

    A deed that is started while another runs takes its place, so a view only ever shows the newest answer.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._deed: Iterator[None] | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(2)
        self._timer.timeout.connect(self._slice)

    @property
    def busy(self) -> bool:
        return self._deed is not None

    def start(self, deed: Iterator[None]) -> None:
        """Do this from now on; the first slice at once."""
        self._deed = deed
        self._slice()
        if self._deed is not None:
            self._timer.start()

    def cancel(self) -> None:
        self._deed = None
        self._timer.stop()

    def _slice(self) -> None:
        deed, ends_at_s = self._deed, time.perf_counter() + _SLICE_S
        while deed is not None and time.perf_counter() < ends_at_s:
            try:
                next(deed)
            except StopIteration:
                if self._deed is deed:
                    self.cancel()
                return
            except BaseException:
                self.cancel()
                raise
            if self._deed is not deed:
                return  # another was started by it
