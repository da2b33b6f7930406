"""Waits for the network as long as somebody wants its answer, and no longer."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from engine.hub_access import DownloadStopped

T = TypeVar("T")
ASKING = "asking a hub"  # what threads are called that wait for a network
_LOOK_S = 0.05  # between looks whether the answer is still wanted


class Patience:
    """Of one run of a download, until it is stopped. Any thread."""

    def __init__(self) -> None:
        self._is_over = threading.Event()

    def end(self) -> None:
        """From now on whoever waits or checks gets DownloadStopped."""
        self._is_over.set()

    def check(self) -> None:
        if self._is_over.is_set():
            raise DownloadStopped("The download was stopped.", "It goes on from there when it is started again.")

    def rest(self, seconds: float) -> None:
        """Let a while go by."""
        self._is_over.wait(seconds)
        self.check()

    def outlast(self, work: Callable[[], T]) -> T:
        """What `work` gives or raises. It runs on a thread of its own, which is left behind when patience ends: a
        network that does not answer lets nobody wait. What it does then must be harmless.

        Raises:
            DownloadStopped
        """
        self.check()
        outcome: list[Any] = []
        is_done = threading.Event()
        context = contextvars.copy_context()

        def run() -> None:
            try:
                outcome.extend((context.run(work), None))
            except BaseException as error:
                outcome.extend((None, error))
            is_done.set()

        threading.Thread(target=run, name=ASKING, daemon=True).start()
        while not is_done.wait(_LOOK_S):
            self.check()
        value, error = outcome
        if error is not None:
            raise error
        return value
