"""The window's door: starts Qt, shows the window at once, and loads the model behind it."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QLibraryInfo, QLocale, Qt, QTimer, QTranslator
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtWidgets import QApplication

from app.log import start_log
from app.paths import Paths, paths_for, resource

APP_TITLE = "Moss Voice Studio"


def main(argv: Sequence[str] | None = None) -> int:
    """Open the window; returns when it is closed.

    Args:
        argv: `[--profile DIR] [PROJECT]`.
    """
    parser = argparse.ArgumentParser(prog="moss-voice-studio")
    parser.add_argument("--profile", type=Path, metavar="DIR")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("project", nargs="?", type=Path)
    given, _ = parser.parse_known_args(list(sys.argv[1:] if argv is None else argv))
    paths = paths_for(given.profile)
    start_log(paths, verbose=given.verbose)
    application = make_application()
    import qasync

    loop = qasync.QEventLoop(application)
    asyncio.set_event_loop(loop)
    running = open_studio(paths, given.project)
    running.window.show()
    QTimer.singleShot(0, running.after_show)
    from app.ui.ending import Ending

    def end() -> None:
        """Nobody is there to be asked: what was made is kept, the window closes, and with it the project."""
        running.window.set_close_guard(lambda: True)
        running.window.close()
        application.quit()  # also where a dialog waits for an answer

    # qasync has a way of its own to be woken by signals: ours comes after it.
    ending = Ending(end, application)
    with loop:
        loop.run_forever()
    ending.close()
    running.close()
    return 0


def make_application() -> QApplication:
    """The QApplication with names, scaling and the accessibility of our own widgets."""
    from app.ui.editor.gutter import accessible_factory
    from app.ui.garbage import GarbageCollector

    application = QApplication.instance()
    if application is None:
        QGuiApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
        application = QApplication(sys.argv[:1])
    # One that was there already (a test's, an embedding program's) is made ours as well, once.
    if application.findChild(GarbageCollector) is None:
        application.setApplicationName(APP_TITLE)
        application.setApplicationDisplayName("")
        application.setDesktopFileName("moss-voice-studio")
        application.setQuitOnLastWindowClosed(True)
        QAccessible.installFactory(accessible_factory)
        GarbageCollector(application)
    return application


def translate(application: QApplication, language: str) -> None:
    """The interface's language: "" is the system's; English is in the source."""
    locale = QLocale(language) if language else QLocale.system()
    for name, folder in (
        ("studio", str(resource("translations"))),
        ("qtbase", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)),
    ):
        translator = QTranslator(application)
        if translator.load(locale, name, "_", folder):
            application.installTranslator(translator)


class Running:
    """A studio that is open: what `main` shows and closes."""

    def __init__(self, paths: Paths, project: Path | None, *, load_model: bool = True) -> None:
        from app.settings import Settings
        from app.ui.engine_loader import EngineLoader
        from app.ui.studio import Studio
        from app.ui.theme import theme
        from app.ui.window_state import WindowState

        state = WindowState(Settings.load(paths))
        translate(QApplication.instance(), state.language)
        theme().apply(state.theme, state.interface_points or None)
        self.studio = Studio(paths, state)
        self.loader = EngineLoader(self.studio, self.studio)
        self.loader.read_card(state.model or None)
        from app.ui.assembly import assemble
        from app.ui.session import Session
        from app.ui.window import Window
        from app.ui.work import Work

        assemble(self.studio)
        self.window = Window(self.studio, state)
        self.session = Session(self.studio, self.window)
        self.work = Work(self.studio, self.window, self.loader)
        self._load_model = load_model
        self._closed = False
        if state.shared.notice:
            self.studio.say("warning", state.shared.notice)
        self.session.start(project)

    def after_show(self) -> None:
        """What need not be there to see the window."""
        self.session.look_for_lost_work()
        if self._load_model:
            state = self.window.state
            self.loader.load(state.model or None, device=state.device, precision=state.precision)

    def close(self) -> None:
        from app.ui.assembly import disassemble

        if self._closed:
            return
        self._closed = True
        disassemble(self.studio)
        self.loader.close()
        self.session.close()


def open_studio(paths: Paths, project: Path | None = None, *, load_model: bool = True) -> Running:
    """Build the window and open a project in it, without showing anything yet."""
    return Running(paths, project, load_model=load_model)


if __name__ == "__main__":
    sys.exit(main())
