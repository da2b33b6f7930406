"""The takes of one block: choose, make again, compare, delete."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.model.block import Block
from app.model.content_commands import ChooseTake
from app.model.take import Take
from app.ui.action_set import plain
from app.ui.messages import local
from app.ui.studio import Studio
from app.ui.theme import GRID, HALF, theme
from app.ui.widgets.dock import IconButton, small_button
from app.ui.widgets.rows import paint_ground
from app.ui.words import listed

ROW_PX = 32
MOST_ROWS = 6
TAKE_ROLE = Qt.ItemDataRole.UserRole
CHOSEN_ROLE = Qt.ItemDataRole.UserRole + 1
STALE_ROLE = Qt.ItemDataRole.UserRole + 2


class TakesSection(QWidget):
    """Shows nothing but a sentence while several blocks are selected."""

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self._block: Block | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID)
        head = QHBoxLayout()
        head.setSpacing(2)
        title = QLabel(self.tr("Takes"))
        title.setProperty("role", "heading")
        head.addWidget(title)
        head.addStretch(1)
        self._buttons = []
        for action_id in ("compare_takes", "delete_take"):
            action = studio.actions.action(action_id)
            button = small_button(_icon(action_id), plain(action.text()))
            button.setToolTip(action.toolTip())
            button.clicked.connect(action.trigger)
            action.enabledChanged.connect(button.setEnabled)
            button.setEnabled(action.isEnabled())
            head.addWidget(button)
            self._buttons.append(button)
        column.addLayout(head)
        self._words = QLabel()
        self._words.setProperty("role", "soft")
        self._words.setWordWrap(True)
        column.addWidget(self._words)
        self.list = QListView()
        self.list.setAccessibleName(self.tr("Takes of this line"))
        self.list.setItemDelegate(_TakeRow(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setMouseTracking(True)
        self._model = QStandardItemModel(self)
        self.list.setModel(self._model)
        self.list.clicked.connect(self._choose)
        self.list.activated.connect(self._choose)
        self._frame = QFrame()
        self._frame.setObjectName("listFrame")
        inside = QVBoxLayout(self._frame)
        inside.setContentsMargins(HALF, HALF, HALF, HALF)
        inside.addWidget(self.list)
        column.addWidget(self._frame)
        self._why = QLabel()
        self._why.setWordWrap(True)
        self._why.setProperty("role", "warning")
        column.addWidget(self._why)
        row = QHBoxLayout()
        row.setSpacing(GRID)
        for action_id in ("again", "three_takes"):
            row.addWidget(self._action_button(action_id), 1)
        column.addLayout(row)
        # What the action says in a menu is too long for the width of a dock.
        self.sentences = self._action_button("again_sentences", self.tr("Selected sentences again"))
        self.sentences.hide()
        column.addWidget(self.sentences)

    def _action_button(self, action_id: str, text: str = "") -> IconButton:
        """Does what the action does; with the action's own words where there is no shorter text."""
        action = self._studio.actions.action(action_id)
        button = IconButton(_icon(action_id), text or plain(action.text()))
        button.setToolTip(action.toolTip())
        button.clicked.connect(action.trigger)
        button.setEnabled(action.isEnabled())
        action.enabledChanged.connect(button.setEnabled)
        action.changed.connect(lambda: button.setToolTip(action.toolTip()))
        return button

    def show_block(self, block: Block | None, count: int) -> None:
        """The block whose takes are shown; None while `count` blocks are selected."""
        self._block = block
        takes = self._takes()
        self._frame.setVisible(bool(takes))
        if block is None:
            self._words.setText(
                self.tr("Select one line to see its takes. “Speak again” works on all %1.").replace("%1", str(count))
            )
        else:
            self._words.setText(self.tr("Not spoken yet."))
        self._words.setVisible(block is None or not takes)
        self._fill(takes)
        self.sentences.setVisible(bool(takes))
        for button in self._buttons:
            button.setVisible(block is not None and bool(takes))
        reason = ""
        chosen = next((take for take in takes if block is not None and take.id == block.chosen), None)
        if chosen is not None and chosen.warnings:
            reason = local(" ".join(chosen.warnings))
        self._why.setText(reason)
        self._why.setVisible(bool(reason))

    def _takes(self) -> list[Take]:
        project = self._studio.project
        if self._block is None or project is None:
            return []
        return [project.takes[each] for each in self._block.takes if each in project.takes]

    def _fill(self, takes: list[Take]) -> None:
        self._model.clear()
        current = None
        for number, take in enumerate(takes, 1):
            name = self.tr("Take %1").replace("%1", str(number))
            item = QStandardItem(name)
            chosen = self._block is not None and take.id == self._block.chosen
            stale = self._block is not None and take.text != self._block.text
            item.setData(take, TAKE_ROLE)
            item.setData(chosen, CHOSEN_ROLE)
            item.setData(stale, STALE_ROLE)
            words = [name, f"{take.seconds:.1f} s", self._state_words(take, stale)]
            if chosen:
                words.append(self.tr("chosen"))
            item.setAccessibleText(listed(word for word in words if word))
            item.setToolTip(self._figures(take, stale))
            self._model.appendRow(item)
            if chosen:
                current = item.index()
        if current is not None:
            self.list.setCurrentIndex(current)
            self.list.scrollTo(current)
        self.list.setFixedHeight(ROW_PX * max(1, min(MOST_ROWS, len(takes))))

    def _state_words(self, take: Take, stale: bool) -> str:
        words = {
            "making": self.tr("being made"),
            "incomplete": self.tr("not complete"),
            "suspicious": self.tr("may be wrong"),
            "failed": self.tr("failed"),
        }
        return words.get(take.state, self.tr("of an older text") if stale else "")

    def _figures(self, take: Take, stale: bool) -> str:
        lines = [self.tr("Seed %1").replace("%1", str(take.seed))]
        if state := self._state_words(take, stale):
            lines.append(state)
        if isinstance(take.figures.get("rtf"), int | float):
            lines.append(f"RTF {take.figures['rtf']:.2f}")
        if isinstance(take.figures.get("ttfa_ms"), int | float):
            lines.append(f"TTFA {take.figures['ttfa_ms']:.0f} ms")
        lines += map(local, take.warnings)
        if stale and take.text:
            lines.append(f"“{take.text}”")
        return "\n".join(lines)

    def _choose(self, index: QModelIndex) -> None:
        take = index.data(TAKE_ROLE)
        if self._block is not None and take is not None and take.id != self._block.chosen:
            self._studio.do(ChooseTake(self._block.id, take.id))


def _icon(action_id: str) -> str:
    return {
        "compare_takes": "compare",
        "delete_take": "trash",
        "again": "again",
        "three_takes": "dice",
        "again_sentences": "again",
    }[action_id]


class _TakeRow(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(100, ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        look = theme()
        take: Take = index.data(TAKE_ROLE)
        chosen, stale = index.data(CHOSEN_ROLE), index.data(STALE_ROLE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(option.rect).adjusted(1, 1, -1, -1)
        paint_ground(painter, option, rect, marked=chosen)
        dot = QRectF(rect.left() + 8, rect.center().y() - 7, 14, 14)
        painter.setPen(look.colour("accent" if chosen else "border_strong"))
        painter.setBrush(look.colour("accent") if chosen else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(dot)
        if chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour("on_accent"))
            painter.drawEllipse(dot.center(), 2.5, 2.5)
        right = rect.right() - 8
        icon, colour = {
            "making": ("waveform", "accent"),
            "incomplete": ("warning", "warning"),
            "suspicious": ("suspicious", "warning"),
            "failed": ("error", "error"),
        }.get(take.state, ("again", "warning") if stale else ("", ""))
        if icon:
            look.paint_icon(painter, QRectF(right - 16, rect.center().y() - 8, 16, 16), icon, colour)
        right -= 22  # also without a mark, so that the figures of all rows stand below each other
        painter.setFont(look.figures_font(-0.5))
        painter.setPen(look.colour("text_soft"))
        seconds = f"{take.seconds:.1f} s"
        painter.drawText(
            QRectF(right - 60, rect.top(), 60, rect.height()),
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
            seconds,
        )
        right -= 64
        painter.setFont(look.small_font(-1))
        painter.setPen(look.colour("text_faint"))
        seed = f"#{take.seed}"
        painter.drawText(
            QRectF(right - 70, rect.top(), 70, rect.height()),
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
            seed,
        )
        painter.setFont(option.font)
        painter.setPen(look.colour("text"))
        painter.drawText(
            QRectF(dot.right() + 8, rect.top(), rect.width() - 40, rect.height()),
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
            index.data(Qt.ItemDataRole.DisplayRole),
        )
        painter.restore()
