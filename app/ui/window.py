"""The main window: menus, toolbar, the script in the middle, and docks around it that stay where they were put."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from PySide6.QtCore import QT_TRANSLATE_NOOP, QByteArray, QCoreApplication, QEvent, QObject, QRect, Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QMainWindow,
    QMenu,
    QPlainTextEdit,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.menus import MENUS, SUBMENUS
from app.ui.action_set import ActionSet, plain
from app.ui.conditions import Conditions
from app.ui.dropping import local_files
from app.ui.editor.panel import ScriptPanel
from app.ui.editor.places import Places
from app.ui.messages import local
from app.ui.palette import Palette
from app.ui.status import Status
from app.ui.studio import Studio
from app.ui.theme import theme
from app.ui.throttle import Debounce
from app.ui.toolbar import Toolbar
from app.ui.widgets.dock import Dock
from app.ui.widgets.tip_menu import TipMenu
from app.ui.widgets.toast import Toast
from app.ui.window_state import WindowState

log = logging.getLogger(__name__)

LAYOUT_VERSION = 1
Areas = Qt.DockWidgetArea


@dataclass(frozen=True)
class Region:
    """A dock: where its widget comes from and where it stands at first.

    Attributes:
        id, title: the title is source text for translation.
        module, factory: `factory(studio)` in `module` makes the widget.
        area: where it stands until a person moves it.
        key: shows or hides it.
    """

    id: str
    title: str
    module: str
    factory: str
    area: Qt.DockWidgetArea
    key: str


REGIONS: tuple[Region, ...] = (
    Region(
        "voices",
        QT_TRANSLATE_NOOP("Regions", "Voices"),
        "app.ui.voices",
        "Voices",
        Areas.LeftDockWidgetArea,
        "Ctrl+Shift+1",
    ),
    Region(
        "outline",
        QT_TRANSLATE_NOOP("Regions", "Outline"),
        "app.ui.outline.outline",
        "Outline",
        Areas.LeftDockWidgetArea,
        "Ctrl+Shift+2",
    ),
    Region(
        "inspector",
        QT_TRANSLATE_NOOP("Regions", "Inspector"),
        "app.ui.inspector.inspector",
        "Inspector",
        Areas.RightDockWidgetArea,
        "Ctrl+Shift+3",
    ),
    Region(
        "waveform",
        QT_TRANSLATE_NOOP("Regions", "Waveform"),
        "app.ui.waveform",
        "Waveform",
        Areas.BottomDockWidgetArea,
        "Ctrl+Shift+4",
    ),
)


class Window(QMainWindow):
    """The shell. It holds no project logic: `app.ui.session` opens and saves, regions show.

    Attributes:
        studio, state: what is shared, what is remembered.
        script: the middle.
        docks: by region id.
    """

    def __init__(self, studio: Studio, state: WindowState) -> None:
        super().__init__()
        self.studio = studio
        self.state = state
        self.docks: dict[str, Dock] = {}
        self._submenus: dict[str, QMenu] = {}
        self._may_close: Callable[[], bool] = lambda: True
        self._save_soon = Debounce(self.save_state, 800, self)
        self.setObjectName("window")
        self.setWindowIcon(theme().icon("studio"))
        self.setAcceptDrops(True)
        self.setDockOptions(
            QMainWindow.DockOption.AnimatedDocks
            | QMainWindow.DockOption.AllowTabbedDocks
            | QMainWindow.DockOption.AllowNestedDocks
        )
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, self.tabPosition(Areas.TopDockWidgetArea))
        actions = ActionSet(self, state.shortcuts)
        studio.attach(actions=actions)
        actions.shortcuts_changed.connect(self._keep_shortcuts)
        self.script = ScriptPanel(studio)
        self.places = Places(studio, self.script.editor, state)
        self.setCentralWidget(self._framed(self.script))
        self.toolbar = Toolbar(studio)
        self.addToolBar(self.toolbar)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        for region in REGIONS:
            self._add_region(region)
        self._add_status()
        self._first_layout()
        self._build_menus()
        self.toast = Toast(self, self.script)
        studio.notice.connect(self.toast.say)
        studio.offered.connect(self._offer)
        studio.project_replaced.connect(self._retitle)
        self._conditions = Conditions(studio, self.script.editor, actions, self)
        self._bind()
        self._set_font_sizes()
        theme().changed.connect(self._set_font_sizes)
        self._restore()
        QApplication.instance().focusChanged.connect(self._focus_moved)

    def set_close_guard(self, may_close: Callable[[], bool]) -> None:
        """Asked before the window closes; False keeps it open."""
        self._may_close = may_close

    # Building

    def _framed(self, widget: QWidget) -> QWidget:
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(widget)
        return holder

    def _add_region(self, region: Region) -> None:
        factory = getattr(import_module(region.module), region.factory)
        title = QCoreApplication.translate("Regions", region.title)
        dock = Dock(region.id, title, factory(self.studio), self, back_to=self.script)
        toggle = dock.toggleViewAction()
        toggle.setShortcut(region.key)
        toggle.setText(title)
        self.docks[region.id] = dock
        dock.dockLocationChanged.connect(lambda _: self._save_soon())
        dock.visibilityChanged.connect(lambda _: self._save_soon())

    def _add_status(self) -> None:
        bar = self.statusBar()
        bar.setSizeGripEnabled(False)
        bar.addWidget(Status(self.studio), 1)

    def _first_layout(self) -> None:
        self.setCorner(Qt.Corner.BottomLeftCorner, Areas.BottomDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, Areas.BottomDockWidgetArea)
        for region in REGIONS:
            if region.id in self.docks:
                dock = self.docks[region.id]
                dock.setFloating(False)
                self.addDockWidget(region.area, dock)
                dock.show()
        sides = [dock for name, dock in self.docks.items() if name in ("voices", "outline")]
        if len(sides) == 2:
            self.splitDockWidget(sides[0], sides[1], Qt.Orientation.Vertical)
            self.resizeDocks(sides, [400, 200], Qt.Orientation.Vertical)
        across = [self.docks[name] for name in ("voices", "inspector") if name in self.docks]
        self.resizeDocks(across, [256, 304][: len(across)], Qt.Orientation.Horizontal)
        if "waveform" in self.docks:
            self.resizeDocks([self.docks["waveform"]], [168], Qt.Orientation.Vertical)

    def _build_menus(self) -> None:
        actions = self.studio.actions
        for title, ids in MENUS:
            menu = TipMenu(QCoreApplication.translate("Menus", title), actions, self)
            self.menuBar().addMenu(menu)
            for action_id in ids:
                if action_id == "-":
                    menu.addSeparator()
                elif action_id.startswith("@"):
                    submenu = menu.addMenu(QCoreApplication.translate("Menus", SUBMENUS[action_id]))
                    self._submenus[action_id] = submenu
                else:
                    menu.addAction(actions.action(action_id))
        for dock in self.docks.values():
            self._submenus["@docks"].addAction(dock.toggleViewAction())
        for action_id in ("theme_dark", "theme_light", "theme_system"):
            self._submenus["@theme"].addAction(actions.action(action_id))

    @property
    def recent_menu(self) -> QMenu:
        return self._submenus["@recent"]

    def _bind(self) -> None:
        actions = self.studio.actions
        actions.bind("undo", lambda: self._undo_redo("undo"))
        actions.bind("redo", lambda: self._undo_redo("redo"))
        actions.bind("palette", self.open_palette)
        for mode in ("dark", "light", "system"):
            actions.bind(f"theme_{mode}", lambda mode=mode: self.set_theme(mode))
        actions.action(f"theme_{self.state.theme}").setChecked(True)
        actions.bind("larger_text", lambda: self._scale_script(1))
        actions.bind("smaller_text", lambda: self._scale_script(-1))
        actions.bind("next_region", lambda: self._go_region(1))
        actions.bind("previous_region", lambda: self._go_region(-1))
        actions.bind("full_screen", lambda on: self.showFullScreen() if on else self.showNormal())
        actions.bind("reset_layout", self.reset_layout)
        actions.bind("quit", self.close)

    # What the actions do

    def open_palette(self) -> Palette:
        palette = Palette(self, self.studio.actions)
        palette.open()
        return palette

    def set_theme(self, mode: str) -> None:
        self.state.theme = mode
        theme().apply(mode, self.state.interface_points or None)
        self._save_soon()

    def _undo_redo(self, deed: str) -> None:
        focus = self.focusWidget()
        if isinstance(focus, QLineEdit) and (focus.isUndoAvailable() if deed == "undo" else focus.isRedoAvailable()):
            getattr(focus, deed)()
            return
        self.script.long_steps.turn(deed, self.script.editor.caret_to_last_change)

    def _scale_script(self, direction: int) -> None:
        now = self.script.editor.font().pointSizeF()
        self.state.script_points = max(8.0, min(32.0, now + direction))
        self._set_font_sizes()
        self._save_soon()

    def _set_font_sizes(self) -> None:
        self.script.set_font_size(self.state.script_points, self.state.script_family)

    def _go_region(self, direction: int) -> None:
        """Script, docks, toolbar in a ring; hidden ones are left out."""
        places: list[QWidget] = [self.script.editor]
        places += [dock.content for dock in self.docks.values() if dock.isVisible()]
        places.append(self.toolbar)
        focus = self.focusWidget()
        here = next(
            (
                at
                for at, place in enumerate(places)
                if focus is not None and (place is focus or place.isAncestorOf(focus))
            ),
            0,
        )
        for step in range(1, len(places) + 1):
            place = places[(here + direction * step) % len(places)]
            target = place if place.focusPolicy() & Qt.FocusPolicy.TabFocus else _first_focusable(place)
            if target is not None:
                target.setFocus(Qt.FocusReason.TabFocusReason)
                return

    def reset_layout(self) -> None:
        self._first_layout()
        self._save_soon()

    # Remembering

    def _restore(self) -> None:
        screen = QGuiApplication.primaryScreen().availableGeometry()
        self.resize(min(1440, int(screen.width() * 0.92)), min(900, int(screen.height() * 0.92)))
        if self.state.geometry:
            self.restoreGeometry(QByteArray.fromBase64(self.state.geometry.encode()))
            if not screen.united(_all_screens()).intersects(self.frameGeometry()):
                self.move(screen.topLeft())
        if self.state.docks:
            self.restoreState(QByteArray.fromBase64(self.state.docks.encode()), LAYOUT_VERSION)

    def save_state(self) -> None:
        self.places.keep()
        self.state.geometry = bytes(self.saveGeometry().toBase64().data()).decode()
        self.state.docks = bytes(self.saveState(LAYOUT_VERSION).toBase64().data()).decode()
        try:
            self.state.save()
        except OSError as error:
            log.warning("the window's settings were not kept: %s", error)
            self.studio.say("warning", self.tr("The settings could not be saved: %1").replace("%1", local(str(error))))

    def _keep_shortcuts(self) -> None:
        self.state.shortcuts = self.studio.actions.custom_shortcuts()
        self._save_soon()

    def _offer(self, action_id: str) -> None:
        """What helps, beside the line that was told just before."""
        action = self.studio.actions.action(action_id)
        self.toast.offer(plain(action.text()), action.trigger)

    def _retitle(self) -> None:
        """The session sets the name; this shows it."""
        name = self.windowFilePath()
        self.setWindowTitle("Moss Voice Studio" if not name else self.windowTitle())

    # Events

    def _focus_moved(self, before: QWidget | None, now: QWidget | None) -> None:
        """Only what has the keyboard is watched: thousands of events a second would pass a filter of everything."""
        for widget, deed in ((before, "removeEventFilter"), (now, "installEventFilter")):
            if widget is not None and self.isAncestorOf(widget):
                getattr(widget, deed)(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and self.isActiveWindow():
            if event.key() == Qt.Key.Key_Space and not event.modifiers() and watched is self.focusWidget():
                if not _takes_space(watched):
                    self.studio.actions.trigger("play_pause")
                    return True
        return False

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        # Also what cannot be used is taken, so that the drop can say what could.
        if local_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        if self.studio.drop_files(local_files(event.mimeData())):
            event.acceptProposedAction()
        else:
            self.studio.say(
                "warning",
                self.tr("These files are neither sound nor text. Drop a clip to make a voice, or a text to read."),
            )

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self._may_close():
            event.ignore()
            return
        self._save_soon.cancel()
        self.save_state()
        event.accept()


def _takes_space(widget: QObject) -> bool:
    """Whether Space means something to the widget that has the keyboard."""
    if isinstance(widget, QTextEdit | QPlainTextEdit):
        return not widget.isReadOnly()
    return isinstance(widget, QLineEdit | QAbstractButton | QAbstractSpinBox | QComboBox | QMenu)


def _first_focusable(place: QWidget) -> QWidget | None:
    return next(
        (
            child
            for child in place.findChildren(QWidget)
            if child.focusPolicy() & Qt.FocusPolicy.TabFocus and child.isVisibleTo(place) and child.isEnabled()
        ),
        None,
    )


def _all_screens() -> QRect:
    united = QRect()
    for screen in QGuiApplication.screens():
        united = united.united(screen.availableGeometry())
    return united
