"""Scrolled pages, named for who cannot see them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QScrollArea, QStyle, QWidget


class Scrolled(QScrollArea):
    """Scrolls a page up and down; never narrower than the page can be, so that large text is not cut off."""

    def __init__(self, page: QWidget, name: str) -> None:
        """
        Args:
            name: what a screen reader calls it; the keyboard reaches it to scroll with the arrows.
        """
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(name)
        self.setWidget(page)
        page.installEventFilter(self)

    def minimumSizeHint(self) -> QSize:
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent, None, self)
        narrowest = self.widget().minimumSizeHint().width() + bar + 2 * self.frameWidth()
        return QSize(narrowest, super().minimumSizeHint().height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)
