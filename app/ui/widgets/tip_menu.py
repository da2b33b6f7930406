"""A menu whose entries say more, and why they are not possible, in a tool tip."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QAction, QHelpEvent
from PySide6.QtWidgets import QMenu, QToolTip, QWidget

from app.ui.action_set import ActionSet


class TipMenu(QMenu):
    """Its tool tips leave out the name and the key, which stand in the entry."""

    def __init__(self, title: str, actions: ActionSet, parent: QWidget) -> None:
        super().__init__(title, parent)
        self._tips = actions

    def tip_for(self, action: QAction | None) -> str:
        return self._tips.tip_of(action.objectName()) if action is not None and self._tips.has(action) else ""

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            tip = self.tip_for(self.actionAt(event.pos()))
            if tip:
                QToolTip.showText(event.globalPos(), tip, self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)
