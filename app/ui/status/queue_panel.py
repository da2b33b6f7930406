"""What is being spoken and what waits: order, cancel, pause."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.editor.block_info import voice_of
from app.ui.studio import Studio
from app.ui.theme import GRID, HALF, theme
from app.ui.throttle import Throttle
from app.ui.voice_menu import voice_dot
from app.ui.widgets.dock import small_button

_ID = Qt.ItemDataRole.UserRole
_SHOWN = 300


class QueuePanel(QFrame):
    """Pops up over the status line. Waiting lines are dragged into another order, or moved with Alt+Up and Alt+Down;
    Delete
    takes them out.

    Attributes:
        list: one row a line. pause, cancel: for everything.
    """

    def __init__(self, studio: Studio, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._studio = studio
        self.setProperty("role", "card")
        self.setAccessibleName(self.tr("Lines that are being made"))
        column = QVBoxLayout(self)
        column.setContentsMargins(GRID + HALF, GRID, GRID, GRID)
        column.setSpacing(GRID)
        top = QHBoxLayout()
        self.title = QLabel()
        self.title.setProperty("role", "heading")
        top.addWidget(self.title, 1)
        close = small_button("close", self.tr("Close"))
        close.clicked.connect(self.hide)
        top.addWidget(close)
        column.addLayout(top)
        self.list = _Rows(self)
        self.list.setAccessibleName(self.tr("Queue"))
        self.list.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.model().rowsMoved.connect(lambda *_: self._moved())
        column.addWidget(self.list, 1)
        row = QHBoxLayout()
        self.pause = QPushButton()
        self.pause.clicked.connect(self._pause)
        self.cancel = QPushButton(self.tr("Cancel all"))
        self.cancel.clicked.connect(lambda: studio.renderer.cancel())
        row.addWidget(self.pause)
        row.addStretch(1)
        row.addWidget(self.cancel)
        column.addLayout(row)
        self._soon = Throttle(self._show_rows, 100, self)
        studio.block_state_changed.connect(self._changed)
        self._show_rows()

    def sizeHint(self) -> QSize:
        return QSize(380, 340)

    def open_above(self, corner: QPoint) -> None:
        """With its lower right corner there, in global pixels."""
        self._show_rows()
        self.resize(self.sizeHint())
        self.move(corner - QPoint(self.width(), self.height() + HALF))
        self.show()
        self.list.setFocus()

    def remove_selected(self) -> None:
        self._studio.renderer.cancel([item.data(_ID) for item in self.list.selectedItems()])
        self._show_rows()

    def step(self, by: int) -> None:
        """Move the current line by a place."""
        row = self.list.currentRow()
        if 0 <= row + by < self.list.count() and row >= 0:
            item = self.list.takeItem(row)
            self.list.insertItem(row + by, item)
            self.list.setCurrentItem(item)
            self._moved()

    # -- inside

    def _changed(self, _block_id: str) -> None:
        if self.isVisible():
            self._soon()

    def _show_rows(self) -> None:
        studio = self._studio
        renderer, project = studio.renderer, studio.project
        rows = renderer.queue() if renderer is not None and renderer.store is not None else ()
        chosen = {item.data(_ID) for item in self.list.selectedItems()}
        current = self.list.currentItem().data(_ID) if self.list.currentItem() is not None else ""
        self.list.clear()
        for block_id, state in rows[:_SHOWN]:
            if not project.has_block(block_id):
                continue
            block = project.block(block_id)
            name, colour = voice_of(studio, block)
            words = " ".join(block.text.split())[:80].lstrip("# ")
            item = QListWidgetItem(voice_dot(colour), f"{name}:  {words}")
            item.setData(_ID, block_id)
            item.setData(
                Qt.ItemDataRole.AccessibleTextRole,
                f"{name}, {words}, " + (self.tr("being spoken") if state == "speaking" else self.tr("waiting")),
            )
            if state == "speaking":
                item.setForeground(theme().colour("accent"))
                item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsDragEnabled)
            self.list.addItem(item)
            item.setSelected(block_id in chosen)
            if block_id == current:
                self.list.setCurrentItem(item)
        self.title.setText(
            self.tr("Nothing waits") if not rows else self.tr("%1 lines to make").replace("%1", str(len(rows)))
        )
        paused = renderer is not None and renderer.paused
        self.pause.setText(self.tr("Resume") if paused else self.tr("Pause"))
        self.cancel.setEnabled(bool(rows))

    def _moved(self) -> None:
        renderer = self._studio.renderer
        renderer.move([self.list.item(row).data(_ID) for row in range(self.list.count())])
        self._soon()

    def _pause(self) -> None:
        renderer = self._studio.renderer
        (renderer.resume if renderer.paused else renderer.pause)()
        self._show_rows()


class _Rows(QListWidget):
    def __init__(self, panel: QueuePanel) -> None:
        super().__init__()
        self._panel = panel

    def keyPressEvent(self, event: QKeyEvent) -> None:
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if event.key() == Qt.Key.Key_Delete:
            self._panel.remove_selected()
        elif alt and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._panel.step(-1 if event.key() == Qt.Key.Key_Up else 1)
        else:
            super().keyPressEvent(event)
