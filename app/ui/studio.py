"""What the regions of the window share: the open project, the engine, the services, and what they tell each other."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.model.command import Command, Compound
from app.model.commands import SetBlockSettings
from app.model.content_commands import SetVoice
from app.model.errors import ProjectError
from app.paths import Paths
from app.ui.bridge import Bridge
from app.ui.messages import local
from engine.errors import SpeechError

if TYPE_CHECKING:
    from app.model.history import History
    from app.model.project import Project
    from app.services.devices import Devices
    from app.services.library import Library
    from app.services.models import Models
    from app.services.player import Player
    from app.services.recorder import Recorder
    from app.services.renderer import Renderer
    from app.services.runlog import RunLog
    from app.services.store import ProjectStore
    from app.services.tasks import Tasks
    from app.ui.action_set import ActionSet
    from app.ui.window_state import WindowState
    from engine import Engine, ModelCard

log = logging.getLogger(__name__)


class Studio(QObject):
    """The hub. Regions take it in their constructor, read its attributes, and connect to its signals.

    Attributes:
        paths: where things live.
        settings: those of the window, over `app.settings.Settings` (`settings.shared`).
        bridge: posts calls of other threads onto the GUI thread.
        store: the open project's file; `project` and `history` are its own.
        engine: None until loaded; `card` is known before (read from the model's folder).
        renderer, player, library, recorder, devices: services; each may have `set_store(store)` and
            `set_engine(engine, card)`, called whenever these change.
        tasks: runs work beside the window. models, run_log: what can speak, what was spoken.
        actions: every action of the window; `actions.action("play_pause")` is a QAction.
        selection: ids of the selected blocks in script order; `current_block` is the one with the caret.

    Signals:
        project_replaced(): another store is open; forget everything of the old one.
        selection_changed(tuple of block ids), current_block_changed(block id, "" for none).
        card_changed(), engine_status_changed(dict), engine_loading(stage, fraction), engine_failed(message, remedy).
        engine_ready(): `engine` is another: loaded, or None when it went.
        block_state_changed(block id): render state, length or takes of a block changed.
        playing_block_changed(block id, "" when nothing plays).
        services_changed(): renderer, player or library was attached.
        notice(level, text): one line for the person; level is "info", "done", "warning" or "error".
        offered(action id): what helps, for the line that was told just before.
        audio_dropped(list of Path): make voices of these clips.
        text_dropped(Path): open or import this file.
        jump_requested(block id): put the caret there and show it.
    """

    project_replaced = Signal()
    selection_changed = Signal(tuple)
    current_block_changed = Signal(str)
    card_changed = Signal()
    engine_status_changed = Signal(dict)
    engine_loading = Signal(str, float)
    engine_ready = Signal()
    engine_failed = Signal(str, str)
    block_state_changed = Signal(str)
    playing_block_changed = Signal(str)
    services_changed = Signal()
    notice = Signal(str, str)
    offered = Signal(str)
    audio_dropped = Signal(list)
    text_dropped = Signal(object)
    jump_requested = Signal(str)

    SERVICES = ("library", "renderer", "player", "recorder", "devices")

    def __init__(self, paths: Paths, settings: WindowState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.paths = paths
        self.settings = settings
        self.bridge = Bridge(self)
        self.store: ProjectStore | None = None
        self.engine: Engine | None = None
        self.card: ModelCard | None = None
        self.library: Library | None = None
        self.renderer: Renderer | None = None
        self.player: Player | None = None
        self.recorder: Recorder | None = None
        self.devices: Devices | None = None
        self.tasks: Tasks | None = None
        self.models: Models | None = None
        self.run_log: RunLog | None = None
        self.actions: ActionSet | None = None
        self.selection: tuple[str, ...] = ()
        self.current_block: str = ""
        self.playing_block: str = ""

    @property
    def project(self) -> Project | None:
        return self.store.project if self.store is not None else None

    @property
    def history(self) -> History | None:
        return self.store.history if self.store is not None else None

    def attach(self, **services: Any) -> None:
        """Set services by name (`SERVICES`, `tasks`, `actions`); they get the store and the engine that are there."""
        for name, service in services.items():
            if name not in (*self.SERVICES, "tasks", "actions"):
                raise AttributeError(name)
            setattr(self, name, service)
            self._tell(service)
        self.services_changed.emit()

    def set_store(self, store: ProjectStore) -> None:
        """Open another project; the caller closes the old store after this returns."""
        if self.history is not None:
            self.history.finish()
        self.store = store
        self.selection = ()
        self.current_block = ""
        for name in self.SERVICES:
            service = getattr(self, name)
            if service is not None and hasattr(service, "set_store"):
                service.set_store(store)
        self.project_replaced.emit()

    def set_card(self, card: ModelCard | None) -> None:
        if card != self.card:
            self.card = card
            self.card_changed.emit()

    def set_engine(self, engine: Engine | None) -> None:
        """The engine is ready (or None when it is gone)."""
        self.engine = engine
        if engine is not None:
            self.set_card(engine.card)
        for name in self.SERVICES:
            service = getattr(self, name)
            if service is not None and hasattr(service, "set_engine"):
                service.set_engine(engine, self.card)
        self.engine_ready.emit()

    def set_selection(self, block_ids: Iterable[str], current: str | None = None) -> None:
        """The editor's selection of blocks, in script order."""
        chosen = tuple(block_ids)
        current = current if current is not None else (chosen[0] if chosen else "")
        current_is_new = current != self.current_block
        self.current_block = current
        if chosen != self.selection:
            self.selection = chosen
            self.selection_changed.emit(chosen)
        if current_is_new:
            self.current_block_changed.emit(current)

    def set_playing_block(self, block_id: str) -> None:
        if block_id != self.playing_block:
            self.playing_block = block_id
            self.playing_block_changed.emit(block_id)

    def block_state(self, block_id: str) -> str:
        """none, wordless, queued, speaking, ready, stale, suspicious, failed or locked."""
        if self.renderer is not None:
            return self.renderer.state(block_id)
        return "none"

    def do(self, command: Command, merge_key: str | None = None) -> None:
        """Every edit of a person goes through here, so that it can be undone."""
        if self.history is None:
            return
        try:
            self.history.do(command, merge_key=merge_key)
        except ProjectError as error:
            log.warning("an edit was refused: %s", error)
            self.say("error", str(error))

    def adopt_voice(self, voice_id: str) -> Command | None:
        """The command that brings a voice of the library into the project; None when the project has it as it is.

        Raises KeyError when neither knows it.
        """
        own = self.project.voices.get(voice_id)
        if self.library is not None:
            try:
                voice = self.library.voice(voice_id)
            except (KeyError, SpeechError):
                voice = None
            if voice is not None:
                return SetVoice(voice) if voice != own else None
        if own is None:
            raise KeyError(voice_id)
        return None

    def give_voice(self, block_ids: Iterable[str], voice_id: str | None) -> None:
        """Let a voice of the library or the project speak these blocks; None gives them the project's default."""
        ids = tuple(block_ids)
        if not ids or self.project is None:
            return
        commands: list[Command] = []
        if voice_id is not None:
            try:
                adopt = self.adopt_voice(voice_id)
            except KeyError:
                self.say("error", self.tr("This voice is not there any more. Choose another one."))
                return
            if adopt is not None:
                commands.append(adopt)
        commands.append(SetBlockSettings(ids, {"voice": voice_id}))
        self.do(commands[0] if len(commands) == 1 else Compound(tuple(commands), "Give voice"))

    def say(self, level: str, text: str, offer: str = "") -> None:
        """Show one line to the person; what a service says of itself is put into the language of the window.

        Args:
            offer: the action that helps, by its id: a button beside the line does it.
        """
        self.notice.emit(level, local(text))
        if offer:
            self.offered.emit(offer)

    def drop_files(self, files: Iterable[Path]) -> bool:
        """Files dropped anywhere: sound makes voices, text opens. Returns whether anything was taken."""
        from app.ui.dropping import sort_files  # late: dropping imports widgets, and headless users of Studio need none

        sounds, texts = sort_files(files)
        if sounds:
            self.audio_dropped.emit(sounds)
        for text in texts[:1]:
            self.text_dropped.emit(text)
        return bool(sounds or texts)

    def _tell(self, service: Any) -> None:
        if self.store is not None and hasattr(service, "set_store"):
            service.set_store(self.store)
        if hasattr(service, "set_engine") and self.card is not None:
            service.set_engine(self.engine, self.card)
