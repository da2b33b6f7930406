"""Sees when what should long be in a file is not: a slow disk raises no error, and is told all the same."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

LAG_S = 4.0  # in good order it is a quarter of a second


class LagWatch:
    """A thread that watches the age of the oldest work that waits.

    Attributes:
        late: whether it was told that saving lags.
    """

    def __init__(
        self, changed: threading.Condition, waiting_since_s: Callable[[], float | None], tell: Callable[[bool], None]
    ) -> None:
        """
        Args:
            changed: guards the state, and is notified whenever something begins to wait or was written.
            waiting_since_s: called with it held: monotonic time of the oldest work, None when there is none.
            tell: called without it, with True when saving lags and with False when it does no longer.
        """
        self.late = False
        self._changed = changed
        self._waiting_since_s = waiting_since_s
        self._tell = tell
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="saving lags", daemon=True)
        self._thread.start()

    def end(self) -> None:
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._ended:
                    since_s, now = self._waiting_since_s(), time.monotonic()
                    late = since_s is not None and now >= since_s + LAG_S
                    if late != self.late:
                        break
                    self._changed.wait(None if since_s is None or late else since_s + LAG_S - now)
                if self._ended:
                    return
                self.late = late
            self._tell(late)
