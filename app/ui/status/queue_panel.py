"""What is being spoken and what waits: order, cancel, pause."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QHideEvent, QKeyEvent, QPainter, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.ui.editor.block_info import voice_of
from app.ui.studio import Studio
from app.ui.theme import GRID, HALF, theme
from app.ui.throttle import Throttle
from app.ui.voice_menu import voice_dot
from app.ui.widgets.dock import small_button
from app.ui.widgets.rows import paint_ground
from app.ui.words import counted, words_of

_ID = Qt.ItemDataRole.UserRole
_STATE = Qt.ItemDataRole.UserRole + 1
_SHARE = Qt.ItemDataRole.UserRole + 2
_PROGRESS_MS = 250
_SHOWN = 300


class QueuePanel(QFrame):
    """Pops up over the status line. Waiting lines are dragged into another order, or moved with Alt+Up and Alt+Down;
    Delete takes them out.

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
        self.list.setItemDelegate(_QueueRow(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
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
        self._facts: dict[str, object] = {}  # what the row of a block shows
        self._next: str | None = None  # the first block behind those that are shown
        self._soon = Throttle(self._show_rows, 100, self)
        self._progress = QTimer(self)
        self._progress.setInterval(_PROGRESS_MS)
        self._progress.timeout.connect(self._show_progress)
        studio.block_state_changed.connect(self._changed)
        self._show_rows()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._progress.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._progress.stop()

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
        takes = Counter(block_id for block_id, _ in rows)
        # A line of which several takes are wanted has one row: it is moved and given up as one.
        once = [each for each in list(dict(reversed(rows)).items())[::-1] if project.has_block(each[0])]
        shown = dict(once[:_SHOWN])
        self._next = once[_SHOWN][0] if len(once) > _SHOWN else None
        for row in reversed(range(self.list.count())):
            if self.list.item(row).data(_ID) not in shown:
                self.list.takeItem(row)
        items = {item.data(_ID): item for item in map(self.list.item, range(self.list.count()))}
        self._facts = {block_id: facts for block_id, facts in self._facts.items() if block_id in items}
        for place, (block_id, state) in enumerate(shown.items()):
            self._show_row(place, items.get(block_id), block_id, state, takes[block_id])
        self.title.setText(
            counted(len(takes), self.tr("1 line to make"), self.tr("%1 lines to make"))
            if rows
            else self.tr("Nothing waits")
        )
        paused = renderer is not None and renderer.paused
        self.pause.setText(self.tr("Resume") if paused else self.tr("Pause"))
        self.cancel.setEnabled(bool(rows))

    def _show_row(self, place: int, item: QListWidgetItem | None, block_id: str, state: str, takes: int) -> None:
        """Hundreds of rows are looked at ten times a second, so only what is new is made anew."""
        block = self._studio.project.block(block_id)
        name, colour = voice_of(self._studio, block)
        facts = (block, state, takes, name, colour)
        if item is None:
            item = QListWidgetItem()
            item.setData(_ID, block_id)
            self.list.insertItem(place, item)
        elif self.list.item(place).data(_ID) != block_id:
            current, selected = self.list.currentItem() is item, item.isSelected()
            self.list.insertItem(place, self.list.takeItem(self.list.row(item)))
            if current:
                self.list.setCurrentItem(item, QItemSelectionModel.SelectionFlag.NoUpdate)
            item.setSelected(selected)
        if facts == self._facts.get(block_id):
            return
        self._facts[block_id] = facts
        words = words_of(block.text)
        item.setIcon(voice_dot(colour))
        item.setText(f"{name}:  {words}")
        doing = self.tr("being spoken") if state == "speaking" else self.tr("waiting")
        if takes > 1:
            doing = self.tr("%1, %2 takes").replace("%1", doing).replace("%2", str(takes))
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{name}, {words}, {doing}")
        item.setData(_STATE, doing)
        item.setToolTip(doing)
        drags = Qt.ItemFlag.ItemIsDragEnabled
        item.setData(_SHARE, self._share(block_id) if state == "speaking" else None)
        item.setFlags(item.flags() & ~drags if state == "speaking" else item.flags() | drags)

    def _share(self, block_id: str) -> float:
        """How much of a line is spoken, estimated; never quite all of it before its end."""
        renderer = self._studio.renderer
        live = renderer.live(block_id)
        if live is None:
            return 0.0
        return min(0.97, live.seconds / max(0.1, renderer.estimate([block_id])[0]))

    def _show_progress(self) -> None:
        renderer, project = self._studio.renderer, self._studio.project
        for row in range(self.list.count()) if renderer is not None and project is not None else ():
            item = self.list.item(row)
            if item.data(_SHARE) is not None and project.has_block(item.data(_ID)):
                item.setData(_SHARE, self._share(item.data(_ID)))

    def _moved(self) -> None:
        renderer = self._studio.renderer
        renderer.move([self.list.item(row).data(_ID) for row in range(self.list.count())], self._next)
        self._soon()

    def _pause(self) -> None:
        renderer = self._studio.renderer
        (renderer.resume if renderer.paused else renderer.pause)()
        self._show_rows()


class _QueueRow(QStyledItemDelegate):
    """What is spoken or waits, with how far it is under it."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(160, max(32, option.fontMetrics.height() + 14))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        look, share = theme(), index.data(_SHARE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(option.rect).adjusted(1, 1, -1, -1)
        paint_ground(painter, option, area)
        inside = area.adjusted(GRID, 0, -GRID, 0)
        dot = QRectF(inside.left(), inside.center().y() - 8, 16, 16)
        index.data(Qt.ItemDataRole.DecorationRole).paint(painter, dot.toRect())
        painter.setFont(look.small_font())
        doing = index.data(_STATE)
        if share:
            doing = f"{share:.0%}"
        wide = painter.fontMetrics().horizontalAdvance(doing)
        painter.setPen(look.colour("text_soft" if share is None else "accent"))
        painter.drawText(inside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, doing)
        painter.setFont(option.font)
        painter.setPen(look.colour("text"))
        words = inside.adjusted(dot.width() + GRID, 0, -wide - GRID, 0)
        shown = painter.fontMetrics().elidedText(
            index.data(Qt.ItemDataRole.DisplayRole), Qt.TextElideMode.ElideRight, int(words.width())
        )
        painter.drawText(words, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        if share is not None:
            track = QRectF(inside.left(), area.bottom() - 3, inside.width(), 2)
            painter.fillRect(track, look.colour("border"))
            painter.fillRect(QRectF(track.left(), track.top(), track.width() * share, 2), look.colour("accent"))
        painter.restore()


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
