"""A card whose sentences are never cut, and the room it scrolls in where the window is too low for it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy

# A card that is higher than both scrolls rather than make the window higher than the screen.
_LEAST_PX = 240
_REST_OF_THE_WINDOW_PX = 560


class WholeCard(QFrame):
    """Qt asks what wraps only for the height it would like, and squeezes it below that; this insists."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._insist()

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._insist()
        return done

    def _insist(self) -> None:
        layout = self.layout()
        if layout is not None and layout.hasHeightForWidth():
            needed = layout.totalHeightForWidth(self.width())
            if needed != self.minimumHeight():
                self.setMinimumHeight(needed)
            if layout.geometry() != self.contentsRect():  # it was placed before it was known to be higher
                layout.invalidate()
                layout.activate()


def least_height(card: QFrame) -> int:
    """What an open card is given at least, in pixels."""
    room = card.screen().availableGeometry().height() - _REST_OF_THE_WINDOW_PX
    return min(card.minimumHeight(), max(_LEAST_PX, room))


class CardRoom(QScrollArea):
    """As high as its card where there is room; shown and hidden with it."""

    def __init__(self, card: WholeCard) -> None:
        super().__init__()
        self._card = card
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        shown = not card.isHidden()
        self.setWidget(card)  # which shows it
        card.setVisible(shown)
        self.setVisible(shown)
        card.installEventFilter(self)

    def sizeHint(self) -> QSize:
        return QSize(self._card.sizeHint().width(), self._card.minimumHeight())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._card.minimumSizeHint().width(), least_height(self._card))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._card and event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self.setVisible(not self._card.isHidden())
        if watched is self._card and event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self.updateGeometry()
        return super().eventFilter(watched, event)
