"""Watches what is possible now, so that actions are enabled when they can be done and say why when not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.services.playing import PlayState
from app.ui.action_set import ActionSet
from app.ui.studio import Studio
from app.ui.throttle import Throttle
from app.ui.transport.playback import playback_of

if TYPE_CHECKING:
    from app.ui.editor.script_editor import ScriptEditor


class Conditions(QObject):
    """Works out the conditions of `app.action.CONDITIONS` when anything they depend on has changed."""

    def __init__(self, studio: Studio, editor: ScriptEditor, actions: ActionSet, parent: QObject) -> None:
        super().__init__(parent)
        self._studio = studio
        self._editor = editor
        self._actions = actions
        self._disconnects: list[Callable[[], None]] = []
        self._history_was = (False, False)
        self._playback = playback_of(studio)
        self._played = False
        self._soon = Throttle(self._look, 60, self)
        studio.project_replaced.connect(self._attach)
        for signal in (
            studio.selection_changed,
            studio.current_block_changed,
            studio.block_state_changed,
            studio.card_changed,
            studio.engine_status_changed,
            studio.engine_ready,
            studio.services_changed,
        ):
            signal.connect(self._soon)
        self._playback.ticked.connect(self._ticked)
        editor.copyAvailable.connect(self._look)
        editor.document().contentsChanged.connect(self._soon)
        self._attach()

    def _attach(self) -> None:
        for disconnect in self._disconnects:
            disconnect()
        self._disconnects = []
        if self._studio.project is not None:
            self._disconnects = [
                self._studio.history.changed.connect(self._history_changed),
                self._studio.project.takes_changed.connect(self._soon),
            ]
        self._look()

    def _history_changed(self) -> None:
        """Undo must be there at the very next key, not a moment later."""
        now = (self._studio.history.can_undo, self._studio.history.can_redo)
        if now != self._history_was:
            self._look()
        else:
            self._soon()

    def _ticked(self, *_: object) -> None:
        """Stop must be there as soon as something is played."""
        if self._plays() != self._played:
            self._look()

    def _plays(self) -> bool:
        return self._playback.snapshot.state is not PlayState.STOPPED

    def _look(self, *_: object) -> None:
        studio = self._studio
        found: set[str] = set()
        project = studio.project
        if project is not None:
            found.add("project")
            if project.characters:
                found.add("text")
            if studio.current_block and project.has_block(studio.current_block):
                found.add("blocks")
                takes = len(project.block(studio.current_block).takes)
                found |= {"takes"} if takes else set()
                found |= {"two_takes"} if takes > 1 else set()
            self._history_was = (studio.history.can_undo, studio.history.can_redo)
            if studio.history.can_undo:
                found.add("can_undo")
            if studio.history.can_redo:
                found.add("can_redo")
        if self._editor.textCursor().hasSelection():
            found.add("selected_text")
        if studio.engine is not None:
            found.add("engine")
        if studio.player is not None:
            found.add("player")
        self._played = self._plays()
        if self._played:
            found.add("playing")
        if studio.renderer is not None and studio.renderer.is_busy:
            found.add("making")
        self._actions.set_conditions(found)
        self._show_lock()

    def _show_lock(self) -> None:
        """Stops at the first line that is not locked: the whole book may be selected."""
        project = self._studio.project
        ids = [each for each in self._studio.selection if project.has_block(each)] if project is not None else []
        self._actions.action("lock").setChecked(bool(ids) and all(project.block(each).settings.locked for each in ids))
