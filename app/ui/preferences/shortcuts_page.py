"""Keys of all actions, changed by pressing the new ones."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.actions import BY_ID
from app.menus import MENUS
from app.ui.action_set import ActionSet, plain
from app.ui.theme import GRID
from app.ui.widgets.dialog import note
from app.ui.widgets.search_field import SearchField

ID_ROLE = Qt.ItemDataRole.UserRole


class ShortcutsPage(QWidget):
    """A key that is taken is told, and moves only when it is pressed for it again."""

    def __init__(self, actions: ActionSet) -> None:
        super().__init__()
        self._actions = actions
        self._asked: tuple[str, str] = ("", "")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, GRID, 0)
        column.setSpacing(GRID)
        self.search = SearchField(self.tr("Search actions"))
        self.search.textChanged.connect(self._filter)
        column.addWidget(self.search)
        self.tree = QTreeWidget()
        self.tree.setAccessibleName(self.tr("Actions and their keys"))
        self.tree.setHeaderLabels([self.tr("Action"), self.tr("Keys")])
        self.tree.setRootIsDecorated(False)
        self.tree.setIndentation(12)
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.header().setStretchLastSection(False)
        self.tree.setMinimumHeight(230)
        self.tree.currentItemChanged.connect(lambda item, _: self._show(item))
        column.addWidget(self.tree, 1)
        row = QHBoxLayout()
        row.setSpacing(GRID)
        row.addWidget(QLabel(self.tr("New keys")))
        self.keys = QKeySequenceEdit()
        self.keys.setMaximumSequenceLength(1)
        self.keys.setAccessibleName(self.tr("New keys"))
        for line in self.keys.findChildren(QLineEdit):
            line.setAccessibleName(self.tr("New keys"))
        self.keys.editingFinished.connect(self._set)
        row.addWidget(self.keys, 1)
        clear = QPushButton(self.tr("None"))
        clear.clicked.connect(lambda: self._apply([]))
        reset = QPushButton(self.tr("Reset"))
        reset.clicked.connect(self._reset)
        row.addWidget(clear)
        row.addWidget(reset)
        column.addLayout(row)
        self.message = note("", "warning")
        column.addWidget(self.message)
        self._tell("")
        self._fill()

    def _fill(self) -> None:
        chosen = self._current()
        self.tree.clear()
        listed: set[str] = set()
        groups = [*MENUS, ("View", tuple(each for each in BY_ID if not any(each in ids for _, ids in MENUS)))]
        for title, ids in groups:
            words = plain(QCoreApplication.translate("Menus", title))
            group = QTreeWidgetItem([words, ""])
            group.setData(1, Qt.ItemDataRole.AccessibleTextRole, words)
            group.setFlags(Qt.ItemFlag.ItemIsEnabled)
            self.tree.addTopLevelItem(group)
            group.setFirstColumnSpanned(True)
            for action_id in ids:
                if action_id not in BY_ID or action_id in listed:
                    continue
                listed.add(action_id)
                name = plain(self._actions.action(action_id).text())
                keys = ", ".join(
                    QKeySequence(each).toString(QKeySequence.SequenceFormat.NativeText)
                    for each in self._actions.keys(action_id)
                )
                item = QTreeWidgetItem([name, keys])
                item.setData(0, ID_ROLE, action_id)
                item.setData(1, Qt.ItemDataRole.AccessibleTextRole, keys or self.tr("No keys"))
                group.addChild(item)
                if action_id == chosen:
                    self.tree.setCurrentItem(item)
            group.setExpanded(True)
        self._filter(self.search.text())

    def _current(self) -> str:
        item = self.tree.currentItem()
        return (item.data(0, ID_ROLE) or "") if item is not None else ""

    def _show(self, item: QTreeWidgetItem | None) -> None:
        action_id = item.data(0, ID_ROLE) if item is not None else None
        keys = self._actions.keys(action_id) if action_id else []
        self.keys.setKeySequence(QKeySequence(keys[0]) if keys else QKeySequence())
        self.keys.setEnabled(bool(action_id))
        self._tell("")

    def _set(self) -> None:
        action_id = self._current()
        keys = self.keys.keySequence().toString(QKeySequence.SequenceFormat.PortableText)
        if not action_id or not keys or keys in self._actions.keys(action_id):
            return
        owner = self._actions.owner_of(keys)
        if owner is not None and owner != action_id:
            name = plain(self._actions.action(owner).text())
            if self._asked != (action_id, keys):
                self._asked = (action_id, keys)
                words = self.tr("%1 is used by “%2”. Press it again to move it here.")
                self._tell(words.replace("%1", keys).replace("%2", name))
                return
            self._actions.set_keys(owner, [each for each in self._actions.keys(owner) if each != keys])
        self._apply([keys])

    def _apply(self, keys: list[str]) -> None:
        action_id = self._current()
        if action_id:
            self._asked = ("", "")
            self._actions.set_keys(action_id, keys)
            self._fill()
            self._tell("")

    def _tell(self, text: str) -> None:
        self.message.setText(text)
        self.message.setVisible(bool(text))

    def _reset(self) -> None:
        action_id = self._current()
        if action_id:
            self._apply(list(BY_ID[action_id].keys))

    def _filter(self, wanted: str) -> None:
        for row in range(self.tree.topLevelItemCount()):
            group = self.tree.topLevelItem(row)
            shown = 0
            for child_row in range(group.childCount()):
                child = group.child(child_row)
                match = wanted.casefold() in f"{child.text(0)} {child.text(1)}".casefold()
                child.setHidden(not match)
                shown += match
            group.setHidden(not shown)
