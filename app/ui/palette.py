"""The command palette: every action found by a few letters of its name."""

from __future__ import annotations

import os
import re

from PySide6.QtCore import QCoreApplication, QEvent, QModelIndex, QObject, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.menus import MENUS
from app.ui.action_set import ActionSet, plain
from app.ui.theme import GRID, theme
from app.ui.widgets.rows import paint_ground

WIDTH_PX = 560
ROW_PX = 38
ROWS_SHOWN = 9
ID_ROLE = Qt.ItemDataRole.UserRole
KEYS_ROLE = Qt.ItemDataRole.UserRole + 1
MENU_ROLE = Qt.ItemDataRole.UserRole + 2
WHY_ROLE = Qt.ItemDataRole.UserRole + 3
ICON_ROLE = Qt.ItemDataRole.UserRole + 4


def match_score(wanted: str, name: str) -> int | None:
    """How well a name matches what is typed; None when it does not.

    First come names that begin with it, then words that do, then what stands inside a word, then words that begin
    with its parts ("sp ag" or "spag": Speak again). Letters that are merely scattered over a name match nothing.
    """
    letters = "".join(wanted.casefold().split())
    if not letters:
        return 0
    lowered = name.casefold()
    at = lowered.find(" ".join(wanted.casefold().split()))
    if at == 0:
        rank = 400
    elif at > 0:
        rank = 300 if not lowered[at - 1].isalnum() else 200
    elif _begins(letters, _WORDS.findall(lowered)):
        rank = 100
    else:
        return None
    return rank - min(99, len(name))


_WORDS = re.compile(r"\w+")


def _begins(letters: str, words: list[str]) -> bool:
    """Whether `letters` are beginnings of some of the words, one after another."""
    if not letters:
        return True
    for number, word in enumerate(words):
        shared = len(os.path.commonprefix((letters, word)))
        if any(_begins(letters[size:], words[number + 1 :]) for size in range(shared, 0, -1)):
            return True
    return False


class Palette(QFrame):
    """Opens over the window, takes letters, runs what is chosen with Return, goes with Escape."""

    def __init__(self, window: QWidget, actions: ActionSet) -> None:
        super().__init__(window, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self._actions = actions
        self._window = window
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        card = QFrame()
        card.setProperty("role", "popup")
        outer.addWidget(card)
        column = QVBoxLayout(card)
        column.setContentsMargins(GRID, GRID, GRID, GRID)
        column.setSpacing(GRID)
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("What do you want to do?"))
        self.field.setAccessibleName(self.tr("Command"))
        column.addWidget(self.field)
        self.list = QListView()
        self.list.setAccessibleName(self.tr("Commands"))
        self.list.setItemDelegate(_Row(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.setFixedHeight(ROW_PX * ROWS_SHOWN)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._model = QStandardItemModel(self)
        self.list.setModel(self._model)
        column.addWidget(self.list)
        self.setFixedWidth(WIDTH_PX)
        self.setAccessibleName(self.tr("Command palette"))
        self._menus = {
            action_id: plain(QCoreApplication.translate("Menus", title)) for title, ids in MENUS for action_id in ids
        }
        self.field.textChanged.connect(self._filter)
        self.field.installEventFilter(self)
        self.list.clicked.connect(lambda index: self._run(index))
        self._filter("")

    def open(self) -> None:
        self.adjustSize()
        corner = self._window.mapToGlobal(self._window.rect().topLeft())
        self.move(
            corner.x() + (self._window.width() - self.width()) // 2, corner.y() + max(60, self._window.height() // 8)
        )
        self.show()
        self.field.setFocus()

    def names(self) -> list[str]:
        """What is listed now, best first."""
        return [self._model.item(row).text() for row in range(self._model.rowCount())]

    def _filter(self, wanted: str) -> None:
        found: list[tuple[bool, bool, int, int, QStandardItem]] = []
        for order, (declared, action) in enumerate(self._actions):
            if declared.id == "palette":
                continue
            name = plain(action.text())
            menu = self._menus.get(declared.id, QCoreApplication.translate("Menus", "View"))
            score = match_score(wanted, name)
            by_menu = score is None  # comes after all whose own name matches
            if score is None:
                score = match_score(wanted, f"{menu} {name}")
                if score is None:
                    continue
            item = QStandardItem(name)
            why = self._actions.why_not(declared.id)
            item.setData(declared.id, ID_ROLE)
            item.setData(action.shortcut().toString(QKeySequence.SequenceFormat.NativeText), KEYS_ROLE)
            item.setData(menu, MENU_ROLE)
            item.setData(why, WHY_ROLE)
            item.setData(declared.icon, ICON_ROLE)
            item.setAccessibleDescription(why)
            found.append((by_menu, bool(why), -score, order, item))
        found.sort(key=lambda each: each[:4])
        self._model.clear()
        for *_, item in found:
            self._model.appendRow(item)
        if self._model.rowCount():
            self.list.setCurrentIndex(self._model.index(0, 0))

    def _run(self, index: QModelIndex) -> None:
        if not index.isValid() or index.data(WHY_ROLE):
            return
        action_id = index.data(ID_ROLE)
        self.close()
        self._actions.trigger(action_id)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            steps = {
                Qt.Key.Key_Down: 1,
                Qt.Key.Key_Up: -1,
                Qt.Key.Key_PageDown: ROWS_SHOWN,
                Qt.Key.Key_PageUp: -ROWS_SHOWN,
            }
            if event.key() in steps and self._model.rowCount():
                row = max(0, min(self._model.rowCount() - 1, self.list.currentIndex().row() + steps[event.key()]))
                self.list.setCurrentIndex(self._model.index(row, 0))
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._run(self.list.currentIndex())
                return True
        return False


class _Row(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(WIDTH_PX - 40, ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        look = theme()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(option.rect).adjusted(2, 1, -2, -1)
        why = index.data(WHY_ROLE)
        paint_ground(painter, option, rect)
        icon = index.data(ICON_ROLE)
        glyph = QRectF(rect.left() + 10, rect.center().y() - 9, 18, 18)
        if icon:
            look.paint_icon(painter, glyph, icon, "icon_disabled" if why else "icon")
        right = rect.right() - 10
        painter.setFont(look.small_font(-0.5))
        keys = index.data(KEYS_ROLE)
        if why:
            painter.setPen(look.colour("text_faint"))
            width = painter.fontMetrics().horizontalAdvance(why)
            painter.drawText(
                QRectF(right - width, rect.top(), width, rect.height()), Qt.AlignmentFlag.AlignVCenter, why
            )
            right -= width + 12
        elif keys:
            right = _paint_keys(painter, keys, right, rect)
        painter.setFont(option.font)
        painter.setPen(look.colour("text_disabled" if why else "text"))
        left = glyph.right() + 12
        name = index.data(Qt.ItemDataRole.DisplayRole)
        metrics = painter.fontMetrics()
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, int(max(40, right - left)))
        painter.drawText(QRectF(left, rect.top(), right - left, rect.height()), Qt.AlignmentFlag.AlignVCenter, shown)
        left += metrics.horizontalAdvance(shown) + 10
        painter.setFont(look.small_font(-1))
        painter.setPen(look.colour("text_faint"))
        if right - left > 60:
            painter.drawText(
                QRectF(left, rect.top(), right - left, rect.height()),
                Qt.AlignmentFlag.AlignVCenter,
                index.data(MENU_ROLE),
            )
        painter.restore()


def _paint_keys(painter: QPainter, keys: str, right: float, rect: QRectF) -> float:
    """Key caps, right to left; where they begin."""
    look = theme()
    metrics = painter.fontMetrics()
    for key in reversed(keys.replace("++", "+\u2795").split("+")):
        key = key.replace("\u2795", "+")
        width = max(20.0, metrics.horizontalAdvance(key) + 12.0)
        cap = QRectF(right - width, rect.center().y() - 10, width, 20)
        painter.setPen(look.colour("border_strong"))
        painter.setBrush(look.colour("panel"))
        painter.drawRoundedRect(cap, 4, 4)
        painter.setPen(look.colour("text_soft"))
        painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, key)
        right -= width + 4
    return right - 6
