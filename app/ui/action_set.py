"""Turns the declared actions into QActions with shortcuts a person can change."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

from app.action import CONDITIONS, Action
from app.actions import ACTIONS, BY_ID
from app.ui.theme import theme


def plain(text: str) -> str:
    """The text of an action without access key ("&Save", "保存(&S)") and dots, for everywhere but menus."""
    return re.sub(r"\(&\w\)", "", text).replace("&", "").rstrip("…")


class ActionSet(QObject):
    """All QActions by id.

    An action without a handler stays disabled: bind it with `bind`. What is possible now is a set of conditions
    (`app.action.CONDITIONS`); an action whose needs are not met is disabled and its tool tip says why.

    Signals:
        shortcuts_changed(): a person changed a key.
    """

    shortcuts_changed = Signal()

    def __init__(self, owner: QWidget, shortcuts: dict[str, list[str]] | None = None) -> None:
        super().__init__(owner)
        self._owner = owner
        self._custom: dict[str, list[str]] = dict(shortcuts or {})
        self._actions: dict[str, QAction] = {}
        self._handlers: dict[str, Callable[..., Any]] = {}
        self._conditions: frozenset[str] = frozenset()
        self._groups: dict[str, QActionGroup] = {}
        for declared in ACTIONS:
            self._make(declared)
        theme().changed.connect(self._retint)
        self._refresh()

    def action(self, action_id: str) -> QAction:
        return self._actions[action_id]

    def has(self, action: QAction) -> bool:
        """Whether it is one of these, not an entry that a menu made itself."""
        return self._actions.get(action.objectName()) is action

    def __iter__(self) -> Iterator[tuple[Action, QAction]]:
        return iter([(declared, self._actions[declared.id]) for declared in ACTIONS])

    def bind(self, action_id: str, handler: Callable[..., Any]) -> None:
        """What the action does. A switch's handler takes the new state."""
        self._handlers[action_id] = handler
        self._refresh_one(BY_ID[action_id])

    def trigger(self, action_id: str) -> None:
        self._actions[action_id].trigger()

    def set_conditions(self, conditions: Iterable[str]) -> None:
        new = frozenset(conditions)
        if new != self._conditions:
            changed = new ^ self._conditions
            self._conditions = new
            for declared in ACTIONS:
                if changed.intersection(declared.needs):
                    self._refresh_one(declared)

    def why_not(self, action_id: str) -> str:
        """Why the action is not possible now; "" when it is."""
        for need in BY_ID[action_id].needs:
            if need not in self._conditions:
                return QCoreApplication.translate("Conditions", CONDITIONS[need])
        if action_id not in self._handlers:
            return QCoreApplication.translate("Conditions", "Not ready yet.")
        return ""

    def tip_of(self, action_id: str) -> str:
        """What a tool tip says beside the name, as rich text: one sentence more, and why it is not possible now."""
        tip, reason = BY_ID[action_id].tip, self.why_not(action_id)
        lines = [QCoreApplication.translate("Actions", tip)] if tip else []
        return "<br>".join([*lines, f"<i>{reason}</i>"] if reason else lines)

    # Shortcuts

    def keys(self, action_id: str) -> list[str]:
        """The shortcuts in use, portable text."""
        return self._custom.get(action_id, list(BY_ID[action_id].keys))

    def set_keys(self, action_id: str, keys: list[str]) -> None:
        if keys == list(BY_ID[action_id].keys):
            self._custom.pop(action_id, None)
        else:
            self._custom[action_id] = list(keys)
        self._apply_keys(action_id)
        self.shortcuts_changed.emit()

    def custom_shortcuts(self) -> dict[str, list[str]]:
        return dict(self._custom)

    def owner_of(self, keys: str) -> str | None:
        """The action that has this shortcut, or None."""
        wanted = QKeySequence(keys).toString(QKeySequence.SequenceFormat.PortableText)
        for declared in ACTIONS:
            for own in self.keys(declared.id):
                if QKeySequence(own).toString(QKeySequence.SequenceFormat.PortableText) == wanted:
                    return declared.id
        return None

    def claims(self, event: QKeyEvent) -> bool:
        """Whether the pressed key is a shortcut of an action, so that a text field must leave it alone."""
        if event.key() in (Qt.Key.Key_Control, Qt.Key.Key_Shift, Qt.Key.Key_Alt, Qt.Key.Key_Meta, 0):
            return False
        pressed = QKeySequence(event.keyCombination())
        return any(pressed in action.shortcuts() for action in self._actions.values())

    # Inside

    def _make(self, declared: Action) -> None:
        action = QAction(QCoreApplication.translate("Actions", declared.text), self._owner)
        action.setObjectName(declared.id)
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        if declared.kind != "deed":
            action.setCheckable(True)
        if declared.kind == "choice":
            group = self._groups.setdefault(declared.group, QActionGroup(self))
            group.addAction(action)
        if declared.id == "quit":
            action.setMenuRole(QAction.MenuRole.QuitRole)
        elif declared.id == "preferences":
            action.setMenuRole(QAction.MenuRole.PreferencesRole)
        elif declared.id == "about":
            action.setMenuRole(QAction.MenuRole.AboutRole)
        action.triggered.connect(lambda checked=False, id=declared.id: self._run(id, checked))
        self._actions[declared.id] = action
        self._owner.addAction(action)
        self._apply_keys(declared.id)
        if declared.icon:
            action.setIcon(theme().icon(declared.icon))

    def _run(self, action_id: str, checked: bool) -> None:
        handler = self._handlers.get(action_id)
        if handler is None:
            return
        if BY_ID[action_id].kind == "switch":
            handler(checked)
        else:
            handler()

    def _apply_keys(self, action_id: str) -> None:
        action = self._actions[action_id]
        action.setShortcuts([QKeySequence(keys) for keys in self.keys(action_id)])
        self._refresh_one(BY_ID[action_id])

    def _refresh(self) -> None:
        for declared in ACTIONS:
            self._refresh_one(declared)

    def _refresh_one(self, declared: Action) -> None:
        action = self._actions[declared.id]
        reason = self.why_not(declared.id)
        action.setEnabled(not reason)
        name = plain(QCoreApplication.translate("Actions", declared.text))
        shortcut = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        lines = [
            f"<b>{name}</b>"
            + (
                f"&nbsp;&nbsp;<span style='color:{theme().colour('text_faint').name()}'>{shortcut}</span>"
                if shortcut
                else ""
            )
        ]
        more = self.tip_of(declared.id)
        # No status tip: it would hide the figures of the status line.
        action.setToolTip("<br>".join([*lines, more] if more else lines))

    def _retint(self) -> None:
        for declared in ACTIONS:
            if declared.icon:
                self._actions[declared.id].setIcon(theme().icon(declared.icon))
        self._refresh()
