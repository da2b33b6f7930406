"""Steps of thousands of edits, done a slice at a time while the window lives on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication

from app.model.command import Command
from app.model.errors import ProjectError
from app.model.long_step import LongStep
from app.ui.slices import Slices

if TYPE_CHECKING:
    from app.ui.studio import Studio

log = logging.getLogger(__name__)

_SLICE_S = 0.006
_REST_MS = 10
# What a person can change the script by, directly or through whatever it opens.
_DEEDS = {
    QEvent.Type.KeyPress,
    QEvent.Type.ShortcutOverride,
    QEvent.Type.InputMethod,
    QEvent.Type.MouseButtonPress,
    QEvent.Type.MouseButtonDblClick,
    QEvent.Type.ContextMenu,
    QEvent.Type.Drop,
    QEvent.Type.Close,
}


class LongSteps(QObject):
    """One at a time. A person's key or click first has the rest done: so it finds the text as it will be, nothing is
    lost, and nothing comes in between the edits of one step."""

    def __init__(self, studio: Studio, parent: QObject) -> None:
        super().__init__(parent)
        self._studio = studio
        self._slices = Slices(self)
        self._step: LongStep | None = None
        self._then: Callable[[], None] | None = None

    @property
    def busy(self) -> bool:
        return self._step is not None

    def do(self, command: Command, then: Callable[[], None]) -> None:
        """As `Studio.do`; `then` is called when all is done."""
        self.finish()
        if self._studio.history is None:
            return
        try:
            step = self._studio.history.begin(command)
        except ProjectError as error:
            log.warning("an edit was refused: %s", error)
            self._studio.say("error", str(error))
            step = None
        if step is None:
            then()
        else:
            self._start(step, then)

    def turn(self, deed: str, then: Callable[[], None]) -> None:
        """`deed`: undo or redo."""
        self.finish()
        history = self._studio.history
        if history is None:
            return
        step = history.begin_undo() if deed == "undo" else history.begin_redo()
        if step is None:
            then()
        else:
            self._start(step, then)

    def finish(self) -> None:
        """Do all that is left now."""
        if self._step is not None:
            self._advance(float("inf"))
            self._slices.cancel()

    def _start(self, step: LongStep, then: Callable[[], None]) -> None:
        self._step, self._then = step, then
        QApplication.instance().installEventFilter(self)
        # Not in the turn of who asked for it: to find all that is to be done took its time.
        QTimer.singleShot(_REST_MS, self, self._begin)

    def _begin(self) -> None:
        if self._step is not None and not self._slices.busy:
            self._slices.start(self._doing())

    def _doing(self) -> Iterator[None]:
        while self._step is not None:
            self._advance(_SLICE_S)
            yield

    def _advance(self, seconds: float) -> None:
        step = self._step
        assert step is not None
        try:
            if not step.over:  # else somebody else's edit had the rest done
                step.advance(seconds)
        except ProjectError as error:
            log.warning("a long edit was refused: %s", error)
            self._studio.say("error", str(error))
        if step.over:
            then, self._step, self._then = self._then, None, None
            QApplication.instance().removeEventFilter(self)
            if then is not None:
                then()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _DEEDS:
            self.finish()
        return False
