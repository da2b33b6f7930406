"""Leaves projects: asks what is to be asked, then saves and closes them, beside the window where that takes long."""

from __future__ import annotations

import contextlib
import logging
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMessageBox

from app.services.store import ProjectStore
from app.services.store_problem import problem
from app.services.tasks import Task
from app.ui.action_set import plain
from app.ui.keeping import Keeping
from app.ui.messages import local
from app.ui.studio import Studio
from app.ui.theme import theme
from app.ui.window import Window
from app.ui.words import counted

log = logging.getLogger(__name__)

_QUICK_S = 0.3  # longer than saving takes on a disk in good order
_CLOSING_S = 60.0


class Leaving(QObject):
    """For the session: it tells what was opened, and asks before it opens something else."""

    def __init__(self, studio: Studio, window: Window, keeping: Keeping) -> None:
        super().__init__(window)
        self._studio = studio
        self._window = window
        self._keeping = keeping
        self._done_at_opening = 0
        self._closing: dict[Path, tuple[ProjectStore, Task[bool]]] = {}  # projects that were left are being saved

    def opened(self, store: ProjectStore) -> None:
        """What is done from now on are the person's changes."""
        self._done_at_opening = store.history.done

    def is_leaving(self, path: Path) -> bool:
        """Whether a project that was left is still being saved."""
        return path in self._closing

    def wait(self) -> None:
        """At the end of the program: until what was left is saved."""
        for store, task in self._closing.values():
            task.wait(_CLOSING_S)
            close_store(store)  # it may have been cancelled with all others before its turn came

    def may_leave(self) -> bool:
        """Edits of a project that can only be read are nowhere but in memory: asked before they go."""
        store = self._studio.store
        if store is None or not store.read_only or store.history.done == self._done_at_opening:
            return True
        answer = QMessageBox.warning(
            self._window,
            self.tr("Changes are not saved"),
            self.tr("%1 is open read-only, so your changes are not in it.").replace("%1", store.path.name),
            QMessageBox.StandardButton.Save | QMessageBox.StandardButton.Discard | QMessageBox.StandardButton.Cancel,
            QMessageBox.StandardButton.Save,
        )
        if answer == QMessageBox.StandardButton.Save:
            self._keeping.save_as()  # goes on in the background: the person leaves again when it is done
        return answer == QMessageBox.StandardButton.Discard

    def may_close(self) -> bool:
        """Whether the window may close: the person is asked as long as something would be lost or left unmade."""
        return self.may_leave() and self._may_stop_making() and self._may_lose_changes()

    def _may_stop_making(self) -> bool:
        renderer = self._studio.renderer
        if renderer is None or not renderer.queue() or not self._window.state.ask_before_quit:
            return True
        box = QMessageBox(self._window)
        box.setIconPixmap(theme().icon("waveform", "accent").pixmap(32, 32))
        box.setWindowTitle(self.tr("Quit"))
        one, many = self.tr("1 line is still being made."), self.tr("%1 lines are still being made.")
        box.setText(counted(len(renderer.queue()), one, many))
        box.setInformativeText(self.tr("What is finished stays. Unfinished lines have to be made again."))
        leave = box.addButton(self.tr("Quit"), QMessageBox.ButtonRole.AcceptRole)
        stay = box.addButton(self.tr("Stay"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(stay)
        box.exec()
        box.deleteLater()
        return box.clickedButton() is leave

    def _may_lose_changes(self) -> bool:
        """The last changes could not be saved."""
        store = self._studio.store
        if store is None or store.flush(5.0) or store.read_only:
            return True
        trouble = store.trouble or problem("slow", store.path)
        # What is in the rescue file is offered at the next start.
        kept = self.tr("Quit anyway? The last changes are kept beside it and offered at the next start.")
        lost = self.tr("Quit anyway and lose the last changes?")
        words = local(f"{trouble.message} {trouble.remedy}")
        answer = QMessageBox.warning(
            self._window,
            self.tr("Changes are not saved"),
            f"{words}\n\n{kept if trouble.rescued is not None else lost}",
            QMessageBox.StandardButton.Discard | QMessageBox.StandardButton.Cancel,
            QMessageBox.StandardButton.Cancel,
        )
        return answer == QMessageBox.StandardButton.Discard

    def leave(self, store: ProjectStore) -> None:
        """Close a project that another has taken the place of; beside the window when that takes long."""

        def failed(error: BaseException) -> None:
            log.error("%s could not be closed", store.path, exc_info=error)
            left(False)

        def left(saved: bool) -> None:
            self._closing.pop(store.path, None)
            if not saved:
                words = self.tr("The last changes to %1 could not be saved in it; they are kept: File, %2.")
                name = plain(self._studio.actions.action("recover").text())
                self._studio.say("warning", words.replace("%1", store.path.name).replace("%2", name))

        if not store.is_far and store.flush(_QUICK_S):
            left(close_store(store))
            return
        title = self.tr("Saving %1").replace("%1", store.path.name)
        self._closing[store.path] = (
            store,
            self._studio.tasks.run(lambda _: close_store(store), left, failed, title=title),
        )


def close_store(store: ProjectStore) -> bool:
    """Whether everything is saved. An untitled project that nothing was written into leaves no file."""
    empty = is_empty(store)
    saved = store.close()
    if empty:
        with contextlib.suppress(OSError):  # an empty file that stays hurts nobody
            store.path.unlink(missing_ok=True)
    return saved


def is_empty(store: ProjectStore) -> bool:
    """An untitled project that nothing was ever made in."""
    return store.is_untitled and not store.project.characters and not store.project.takes
