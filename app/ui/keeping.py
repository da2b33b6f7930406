"""Saves, copies and compacts the open project, and tells when it cannot be saved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog

from app.model.errors import ProjectError
from app.services.store import SUFFIX
from app.services.store_moves import Compacted
from app.services.store_problem import Problem
from app.ui.studio import Studio
from app.ui.widgets.progress_dialog import ProgressDialog
from app.ui.window import Window

PROJECT_FILTER = "Moss Voice Studio (*.mvs)"


class Keeping(QObject):
    """What a person asks of the project's file. All of it runs beside the window.

    Signals:
        named(): the open project has another name now.
    """

    named = Signal()

    def __init__(self, studio: Studio, window: Window) -> None:
        super().__init__(window)
        self._studio = studio
        self._window = window
        self._troubled = False
        actions = studio.actions
        actions.bind("save_project", self.save)
        actions.bind("save_as", self.save_as)
        actions.bind("compact", self.compact)
        actions.bind("earlier_versions", self.show_earlier_versions)

    def save(self) -> None:
        """Everything is kept as it is written; an untitled project gets a name."""
        store = self._studio.store
        if store.is_untitled:
            self.save_as()
            return

        def saved(all_of_it: bool) -> None:
            if all_of_it:
                self._studio.say("done", self.tr("All changes are in %1.").replace("%1", store.path.name))

        self._with_progress(lambda _: store.flush(60.0), saved, self.tr("Saving %1").replace("%1", store.path.name))

    def save_as(self) -> None:
        """Ask for a name; the copy is made in the background, and work goes on in it."""
        store = self._studio.store
        title = self._studio.project.settings.title or self.tr("Untitled")
        suggested = Path(folder_of(self._studio)) / (
            _file_name(title) + SUFFIX if store.is_untitled else store.path.name
        )
        name, _ = QFileDialog.getSaveFileName(
            self._window, self.tr("Save the project as"), str(suggested), PROJECT_FILTER
        )
        if not name:
            return
        path = Path(name)
        if path.suffix.lower() != SUFFIX:
            path = path.with_name(path.name + SUFFIX)

        def saved(_: object) -> None:
            if self._studio.store is store:
                self.named.emit()
            self._studio.say("done", self.tr("Saved as %1.").replace("%1", path.name))

        title = self.tr("Saving %1").replace("%1", path.name)
        self._with_progress(lambda task: store.save_as(path, task.report), saved, title)

    def compact(self) -> None:
        """Leave out of the file what nothing needs any more; it is written anew in the background."""
        store = self._studio.store
        running: list[Any] = []
        try:
            rewrite = store.compact(lambda fraction: running[0].report(fraction))
        except ProjectError as error:
            tell(self._studio, error)
            return

        def work(task: Any) -> Compacted:
            running.append(task)
            return rewrite()

        def done(sizes: Compacted) -> None:
            words = self.tr("The project takes %1 MB now; it took %2 MB.")
            now, before = (f"{count / 1e6:.1f}" for count in (sizes.bytes_after, sizes.bytes_before))
            self._studio.say("done", words.replace("%1", now).replace("%2", before))

        self._with_progress(work, done, self.tr("Compacting %1").replace("%1", store.path.name))

    def _with_progress(self, work: Callable[[Any], Any], done: Callable[[Any], None], title: str) -> None:
        """Work on the project's file in the background, with a dialog when it takes longer than a moment."""

        def succeeded(result: Any) -> None:
            progress.end()
            done(result)

        def failed(error: BaseException) -> None:
            progress.end()
            tell(self._studio, error)

        progress = ProgressDialog(self._window, self._studio.tasks.run(work, succeeded, failed, title=title))

    def show_earlier_versions(self) -> None:
        """The script as it was."""
        from app.ui.versions_dialog import VersionsDialog  # late: seldom used

        VersionsDialog(self._studio, self._window).open()

    def saving_failed(self, problem: Problem | None) -> None:
        """A failed save is told, never only logged; so is its end."""
        if problem is not None:
            self._studio.say("error", f"{problem.message} {problem.remedy}".strip())
        elif self._troubled:
            self._studio.say("done", self.tr("Saving works again; everything is kept."))
        self._troubled = problem is not None


def folder_of(studio: Studio) -> str:
    """Where a file dialog begins: beside the project."""
    store = studio.store
    if store is not None and not store.is_untitled:
        return str(store.path.parent)
    return str(Path.home())


def tell(studio: Studio, error: BaseException) -> None:
    """An error with what to do about it."""
    message = getattr(error, "message", str(error))
    remedy = getattr(error, "remedy", "")
    studio.say("error", f"{message} {remedy}".strip())


def _file_name(title: str) -> str:
    """A title as a file name."""
    return (
        "".join(" " if letter in '\\/:*?"<>|' or letter < " " else letter for letter in title).strip(" .") or "Untitled"
    )
