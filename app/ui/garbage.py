"""Collects garbage on the window's thread alone, a little at a time."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

EVERY_MS = 500
FREEZES = 3


class GarbageCollector(QObject):
    """Takes over from the interpreter's own collector while a window is open.

    The interpreter collects in whichever thread happens to allocate. A cycle that holds a widget would then be torn
    down outside of the window's thread, which Qt answers with a crash, and a full collection would hold up everybody at
    any moment.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._freezes = FREEZES
        self._timer = QTimer(self)
        self._timer.setInterval(EVERY_MS)
        self._timer.timeout.connect(self.collect_some)
        self._timer.start()

    def collect_some(self) -> None:
        """The oldest generation whose threshold has been passed, as the interpreter would choose."""
        counts, thresholds = gc.get_count(), gc.get_threshold()
        for generation in (2, 1, 0):
            if counts[generation] > thresholds[generation]:
                gc.collect(generation)
                if generation == 2 and self._freezes > 0:
                    # What survives the first full looks are modules of Qt and of the model: later ones need not see
                    # them again.
                    self._freezes -= 1
                    gc.freeze()
                return
