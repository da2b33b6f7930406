"""Calls something a little later, from one thread that waits for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Alarm:
    """One call however often it is set; what is set already is not put off.

    A timer with a thread of its own each time would hold up whoever sets it until that thread has come to run.
    """

    def __init__(self, deed: Callable[[], None]) -> None:
        """
        Args:
            deed: called on the alarm's own thread.
        """
        self._deed = deed
        self._wake = threading.Condition()
        self._at_s: float | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    def set(self, seconds: float) -> None:
        """Call in so many seconds, or sooner where that was wanted before."""
        with self._wake:
            if self._closed:
                return
            at_s = time.monotonic() + seconds
            if self._at_s is not None and self._at_s <= at_s:
                return
            self._at_s = at_s
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="alarm", daemon=True)
                self._thread.start()
            self._wake.notify()

    def close(self) -> None:
        """Nothing is called any more."""
        with self._wake:
            self._closed = True
            self._wake.notify()

    def _run(self) -> None:
        while True:
            with self._wake:
                while not self._closed and (self._at_s is None or self._at_s > time.monotonic()):
                    self._wake.wait(None if self._at_s is None else max(0.0, self._at_s - time.monotonic()))
                if self._closed:
                    return
                self._at_s = None
            self._deed()
