"""Opens and recovers projects, remembers which, and names the window after them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox

from app.model.errors import ProjectError
from app.services.importers import SUFFIXES
from app.services.new_project import follow_preferences
from app.services.recovery import Found, Recovery
from app.services.samples import fill_with_sample
from app.services.store import SUFFIX, ProjectStore
from app.services.store_lock import ProjectLockedError
from app.services.store_opening import NoRoomToUpdateError, OpeningTakesLongError, path_of
from app.ui.action_set import plain
from app.ui.keeping import PROJECT_FILTER, Keeping, folder_of, tell
from app.ui.leaving import Leaving, close_store, is_empty
from app.ui.messages import local
from app.ui.opening import open_in_background
from app.ui.studio import Studio
from app.ui.theme import theme
from app.ui.window import Window

log = logging.getLogger(__name__)


class Session(QObject):
    """The open project's life, from the first start to the last."""

    def __init__(self, studio: Studio, window: Window) -> None:
        super().__init__(window)
        self._studio = studio
        self._window = window
        self._state = window.state
        self._disconnects: list[Callable[[], None]] = []
        self._keeping = Keeping(studio, window)
        self._keeping.named.connect(self._was_named)
        self._leaving = Leaving(studio, window, self._keeping)
        actions = studio.actions
        actions.bind("new_project", self.new)
        actions.bind("open_project", self.ask_and_open)
        actions.bind("open_sample", self.open_sample)
        actions.bind("recover", self.recover)
        actions.bind("import_script", self.ask_and_import)
        studio.text_dropped.connect(self.open_or_import)
        window.recent_menu.aboutToShow.connect(self._fill_recent)
        window.set_close_guard(self._leaving.may_close)

    # Opening

    def start(self, wanted: Path | None) -> None:
        """The first project of this run: the one asked for, else the last one, else an empty one."""
        if wanted is not None and self.open(wanted):
            return
        last = Path(self._state.last_project) if self._state.last_project else None
        if wanted is None and last is not None and last.exists() and self.open(last, at_start=True):
            return
        self.new()

    def new(self) -> bool:
        """An empty untitled project. Whether it is open now."""
        if not self._leaving.may_leave():
            return False
        try:
            store = ProjectStore.untitled(self._studio.paths, deliver=self._studio.bridge.post)
        except ProjectError as error:
            tell(self._studio, error)
            return False
        follow_preferences(store.history, self._state.shared)
        self._use(store)
        return True

    def open(self, path: Path, *, at_start: bool = False, read_only: bool = False) -> bool:
        """Open a project. Whether it is open now; why not is told, and nothing is asked `at_start`.

        What takes long (a damaged file, one on a network) is opened in the background and shown when it is ready.
        """
        store, there = self._studio.store, path_of(path)
        if store is not None and store.path == there:
            return True
        if self._leaving.is_leaving(there):
            words = self.tr("%1 is still being saved. Open it again in a moment.")
            self._studio.say("info", words.replace("%1", path.name))
            return False
        if not self._leaving.may_leave():
            return False
        paths, post = self._studio.paths, self._studio.bridge.post
        try:
            opened = ProjectStore.open(path, paths=paths, deliver=post, read_only=read_only, at_once=True)
        except OpeningTakesLongError:
            open_in_background(
                self._studio,
                self._window,
                lambda task: ProjectStore.open(
                    path, paths=paths, deliver=post, read_only=read_only, progress=task.report
                ),
                self._use_or_let_go,
                lambda error: self._cannot_open(path, error, at_start),
                self.tr("Opening %1").replace("%1", path.name),
            )
            return False
        except ProjectError as error:
            self._cannot_open(path, error, at_start)
            return False
        self._use(opened)
        return True

    def _use_or_let_go(self, store: ProjectStore) -> None:
        """What took long to open: the person may have begun something else meanwhile."""
        if self._leaving.may_leave():
            self._use(store)
        else:
            store.close()

    def _cannot_open(self, path: Path, error: BaseException, at_start: bool) -> None:
        log.warning("cannot open %s: %s", path, error)
        if isinstance(error, NoRoomToUpdateError) and not at_start:
            self._offer_reading(path, error)
        elif not isinstance(error, ProjectLockedError):
            tell(self._studio, error)
        elif at_start:
            words = self.tr("Your last project is open in another window. This window has a new script.")
            self._studio.say("warning", words)
        else:
            self._offer_reading(path, error)

    def open_sample(self) -> None:
        """A fresh copy of the sample in an untitled project; an empty untitled project is used for it."""
        store = self._studio.store
        if (store is None or not is_empty(store)) and not self.new():
            return
        library = self._studio.library
        find = library.find if library is not None else (lambda name: None)
        fill_with_sample(self._studio.history, find)
        editor = self._window.script.editor
        first = next((block for block in self._studio.project.blocks if block.settings.voice), None)
        if first is not None:
            editor.select_block(first.id)
        editor.setFocus()
        self._retitle()

    def _offer_reading(self, path: Path, error: ProjectError) -> None:
        """Somebody else writes the project, or there is no room to write it: it can be read here meanwhile."""
        box = QMessageBox(self._window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setIconPixmap(theme().icon("lock", "accent").pixmap(32, 32))
        box.setWindowTitle(self.tr("Open"))
        box.setText(local(error.message))
        box.setInformativeText(
            self.tr("Open it here to read and listen? Changes made here are kept only under another name.")
        )
        read = box.addButton(self.tr("Open read-only"), QMessageBox.ButtonRole.AcceptRole)
        box.addButton(self.tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
        read.clicked.connect(lambda: self.open(path, read_only=True))
        box.open()

    def ask_and_open(self) -> None:
        path, _ = QFileDialog.getOpenFileName(
            self._window,
            self.tr("Open a project or a text"),
            folder_of(self._studio),
            f"{PROJECT_FILTER};;{self._texts()}",
        )
        if path:
            self.open_or_import(Path(path))

    def ask_and_import(self) -> None:
        path, _ = QFileDialog.getOpenFileName(
            self._window,
            self.tr("Import a text"),
            folder_of(self._studio),
            self._texts(),
        )
        if path:
            self.import_text(Path(path))

    def open_or_import(self, path: Path) -> None:
        if path.suffix.lower() == SUFFIX:
            self.open(path)
        else:
            self.import_text(path)

    def import_text(self, path: Path) -> None:
        """Show what the file would bring; the person decides where it goes."""
        from app.ui.editor.import_dialog import ImportDialog  # late: importers need libraries of their own

        dialog = ImportDialog(self._studio, path, self._window)
        dialog.new_project_wanted.connect(self.new)
        dialog.open()

    def look_for_lost_work(self) -> None:
        """After the start: offer what a run that crashed left, and tell of work that could not be saved."""

        recovery = Recovery(self._studio.paths)

        def look(_: Any) -> tuple[bool, list[Found]]:
            return recovery.crashed(), recovery.find()  # in this order: looking tidies up

        def tell(seen: tuple[bool, list[Found]]) -> None:
            crashed, found = seen
            if crashed and found:
                self.recover()
            elif any(each.kind == "unsaved" for each in found):
                name = plain(self._studio.actions.action("recover").text())
                words = self.tr("Work of an earlier run could not be saved and is still here: File, %1.")
                self._studio.say("warning", words.replace("%1", name))

        self._studio.tasks.run(look, tell, title=self.tr("Looking for lost work"))

    # What was left

    def recover(self) -> None:
        """What earlier runs left."""
        from app.ui.recovery_dialog import RecoveryDialog  # late: seldom used

        dialog = RecoveryDialog(self._studio, self._window)
        dialog.recovery_requested.connect(self._recover)
        dialog.open()

    def _recover(self, found: Found) -> None:
        recovery, deliver = Recovery(self._studio.paths), self._studio.bridge.post
        open_in_background(
            self._studio,
            self._window,
            lambda task: recovery.recover(found, deliver=deliver, progress=task.report),
            self._use_or_let_go,
            lambda error: tell(self._studio, error),
            self.tr("Opening %1").replace("%1", found.title),
        )

    # Leaving

    def close(self) -> None:
        """The last thing before the program ends: services stop, then the file is closed."""
        for disconnect in self._disconnects:
            disconnect()
        self._leaving.wait()
        store = self._studio.store
        if store is not None:
            close_store(store)

    # Inside

    def _use(self, store: ProjectStore) -> None:
        before = self._studio.store
        self._leaving.opened(store)
        for disconnect in self._disconnects:
            disconnect()
        self._studio.set_store(store)
        self._disconnects = [
            store.problem.connect(self._keeping.saving_failed),
            store.moved.connect(lambda *_: self._retitle()),
            store.project.settings_changed.connect(self._retitle),
        ]
        self._remember()
        self._retitle()
        if before is not None:
            self._leaving.leave(before)
        if store.notices:
            self._studio.say("warning", " ".join(store.notices))  # one message: the next would take its place
            store.notices_were_told()
        self._window.script.editor.setFocus()

    def _was_named(self) -> None:
        self._remember()
        self._retitle()

    def _remember(self) -> None:
        """The next start opens this project; an empty one only once something is written in it."""
        store = self._studio.store
        if is_empty(store) and self._state.last_project and Path(self._state.last_project).exists():
            connected: list[Callable[[], None]] = []

            def written() -> None:
                if not is_empty(store):
                    connected.pop()()
                    self._remember()

            connected.append(store.history.changed.connect(written))
            return
        self._state.last_project = str(store.path)
        if not store.is_untitled:
            self._state.remember_project(store.path)

    def _retitle(self) -> None:
        store = self._studio.store
        title = self._studio.project.settings.title
        name = (title or self.tr("Untitled")) if store.is_untitled else store.path.stem
        self._window.setWindowFilePath("" if store.is_untitled else str(store.path))
        more = self.tr(" (read only)") if store.read_only else ""
        self._window.setWindowTitle(f"{name}{more} – Moss Voice Studio")

    def _fill_recent(self) -> None:
        menu = self._window.recent_menu
        menu.clear()
        for name in self._state.recent:
            path = Path(name)
            entry = menu.addAction(path.stem)
            entry.setToolTip(name)
            entry.setEnabled(path.exists())
            entry.triggered.connect(lambda _=False, path=path: self.open(path))
        if not self._state.recent:
            menu.addAction(self.tr("No projects yet")).setEnabled(False)

    def _texts(self) -> str:
        """Filter of a file dialog."""
        suffixes = " ".join(f"*{suffix}" for suffix in SUFFIXES)
        return self.tr("Texts and books (%1);;All files (*)").replace("%1", suffixes)
