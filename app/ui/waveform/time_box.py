"""How mouse and wheel move about in time."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal

CLOSEST_S = 0.05


class TimeBox(pg.ViewBox):
    """Wheel zooms at the pointer, Shift+wheel or a sideways wheel moves, left drag selects, middle or right drag moves.

    Signals:
        clicked(seconds), double_clicked(seconds), dragged(start, end, finished), moved_by_hand().
    """

    clicked = Signal(float)
    double_clicked = Signal(float)
    dragged = Signal(float, float, bool)
    moved_by_hand = Signal()

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.setMouseEnabled(x=True, y=False)
        self.setYRange(-1, 1, padding=0)
        self.setDefaultPadding(0)
        self._end_s = 10.0

    def set_end(self, end_s: float) -> None:
        """The programme ends here; a little more can be seen."""
        self._end_s = max(10.0, end_s * 1.02)
        self.setLimits(xMin=0, xMax=self._end_s, minXRange=CLOSEST_S, maxXRange=self._end_s)

    def show_stretch(self, start_s: float, end_s: float) -> None:
        span = min(max(CLOSEST_S, end_s - start_s), self._end_s)
        start_s = min(max(0.0, start_s), self._end_s - span)
        self.setXRange(start_s, start_s + span, padding=0)

    def zoom(self, factor: float, about_s: float | None = None) -> None:
        """Factor above 1 shows more time."""
        (start_s, end_s), _ = self.viewRange()
        about_s = (start_s + end_s) / 2 if about_s is None else about_s
        self.show_stretch(about_s - (about_s - start_s) * factor, about_s + (end_s - about_s) * factor)
        self.moved_by_hand.emit()

    def move(self, share: float) -> None:
        """By a share of what is seen."""
        (start_s, end_s), _ = self.viewRange()
        by = (end_s - start_s) * share
        self.show_stretch(start_s + by, end_s + by)
        self.moved_by_hand.emit()

    def wheelEvent(self, event, axis=None) -> None:
        # A graphics scene tells a sideways wheel by the orientation.
        sideways = event.orientation() == Qt.Orientation.Horizontal or bool(
            event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        )
        steps = event.delta() / 120
        if sideways:
            self.move(-0.12 * steps)
        else:
            self.zoom(0.8**steps, self.mapSceneToView(event.scenePos()).x())
        event.accept()

    def mouseClickEvent(self, event) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            seconds = self.mapSceneToView(event.scenePos()).x()
            (self.double_clicked if event.double() else self.clicked).emit(max(0.0, seconds))
            event.accept()

    def mouseDragEvent(self, event, axis=None) -> None:
        event.accept()
        if event.button() == Qt.MouseButton.LeftButton:
            start_s = self.mapSceneToView(event.buttonDownScenePos()).x()
            end_s = self.mapSceneToView(event.scenePos()).x()
            self.dragged.emit(max(0.0, min(start_s, end_s)), max(start_s, end_s), event.isFinish())
        else:
            (start_s, end_s), _ = self.viewRange()
            by = self.mapSceneToView(event.lastScenePos()).x() - self.mapSceneToView(event.scenePos()).x()
            self.show_stretch(start_s + by, end_s + by)
            self.moved_by_hand.emit()
