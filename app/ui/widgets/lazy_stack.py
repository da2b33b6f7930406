"""Pages of a dialog that are made when they are wanted, so that a dialog opens with the work of one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

_BETWEEN_MS = 60


class LazyStack(QStackedWidget):
    """A page is made when it is shown or asked for. The others follow once the stack is seen, one at a time: so the
    next page is there at once, and the dialog is as wide as the widest of them needs."""

    def __init__(self) -> None:
        super().__init__()
        self._makers: dict[int, Callable[[], QWidget]] = {}
        self._timer = QTimer(self)
        self._timer.setInterval(_BETWEEN_MS)
        self._timer.timeout.connect(self._make_next)

    def add(self, make: Callable[[], QWidget]) -> None:
        """A page more, behind the others."""
        self._makers[self.addWidget(QWidget())] = make

    def page(self, index: int) -> QWidget:
        """The page of this index, made now if it is not there."""
        make = self._makers.pop(index, None)
        if make is not None:
            before, shown = self.widget(index), self.currentIndex() == index
            self.insertWidget(index, make())
            self.removeWidget(before)
            before.deleteLater()
            if shown:
                self.setCurrentIndex(index)
        return self.widget(index)

    def show_page(self, index: int) -> QWidget:
        page = self.page(index)
        self.setCurrentIndex(index)
        return page

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()

    def _make_next(self) -> None:
        if self._makers and self.isVisible():
            self.page(min(self._makers))
        else:
            self._timer.stop()
