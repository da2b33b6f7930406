"""A dock with the studio's own title bar."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDockWidget, QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from app.ui.theme import GRID, HALF, theme
from app.ui.widgets.putting_away import holds_keyboard


class Dock(QDockWidget):
    """Holds one region of the window; a region may offer buttons for the title bar as `title_buttons()`."""

    def __init__(
        self, dock_id: str, title: str, content: QWidget, parent: QWidget, *, back_to: QWidget, bare: bool = False
    ) -> None:
        """`back_to` has the keyboard when the dock was closed."""
        super().__init__(title, parent)
        self._back_to = back_to
        self.setObjectName(f"dock_{dock_id}")
        self.setAccessibleName(title)
        self.content = content
        frame = QFrame()
        frame.setObjectName("region")
        frame.setProperty("titled", not bare)
        column = QVBoxLayout(frame)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._bar = _TitleBar(self, title, content)
        if bare:
            self.setTitleBarWidget(QWidget())
        else:
            self.setTitleBarWidget(self._bar)
        column.addWidget(content)
        self.setWidget(frame)

    def setVisible(self, on: bool) -> None:
        inside = not on and holds_keyboard(self)
        super().setVisible(on)
        if inside:
            self._back_to.setFocus(Qt.FocusReason.OtherFocusReason)


class _TitleBar(QWidget):
    def __init__(self, dock: QDockWidget, title: str, content: QWidget) -> None:
        super().__init__(dock)
        self.setObjectName("dockTitle")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(self)
        row.setContentsMargins(GRID + HALF, HALF, HALF, HALF)
        row.setSpacing(2)
        self._label = QLabel(title)
        self._label.setObjectName("dockTitleText")
        row.addWidget(self._label)
        row.addStretch(1)
        for button in getattr(content, "title_buttons", list)():
            row.addWidget(button)
        self._close = small_button("close", self.tr("Close %1").replace("%1", title))
        self._close.clicked.connect(dock.hide)
        row.addWidget(self._close)
        dock.windowTitleChanged.connect(self._label.setText)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, self._height())

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self._height())

    def _height(self) -> int:
        return max(34, super().sizeHint().height())  # letters may be set larger, and Chinese ones are higher


class _Tinted(QToolButton):
    """A flat button whose icon follows the theme."""

    def __init__(self, icon: str, colour: str) -> None:
        super().__init__()
        self._icon, self._colour = icon, colour
        self._tint()
        theme().changed.connect(self._tint)

    def _tint(self) -> None:
        self.setIcon(theme().icon(self._icon, self._colour))


class IconButton(QPushButton):
    """A push button whose icon follows the theme."""

    def __init__(self, icon: str, text: str, colour: str = "icon") -> None:
        super().__init__(text)
        self._icon, self._colour = icon, colour
        self._tint()
        theme().changed.connect(self._tint)

    def _tint(self) -> None:
        self.setIcon(theme().icon(self._icon, self._colour))


def small_button(icon: str, name: str, *, size: int = 16, checkable: bool = False, colour: str = "icon") -> QToolButton:
    """A flat icon button with an accessible name that is also its tool tip."""
    button = _Tinted(icon, colour)
    button.setIconSize(QSize(size, size))
    button.setAccessibleName(name)
    button.setToolTip(name)
    button.setCheckable(checkable)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button
