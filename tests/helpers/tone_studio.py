"""A studio for tests of the window: the real hub, services and engine thread, with a backend that speaks tones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QWidget
from tones import ToneBackend

from app.action import CONDITIONS
from app.model.commands import ReplaceText
from app.paths import paths_for
from app.services.devices import Devices
from app.services.library import Library
from app.services.player import Player
from app.services.renderer import Renderer
from app.services.store import ProjectStore
from app.settings import Settings
from app.ui.action_set import ActionSet
from app.ui.studio import Studio
from app.ui.theme import theme
from app.ui.window_state import WindowState
from engine import Engine, ModelCard


def no_sound() -> Any:
    """Instead of importing sounddevice: tests make no noise."""
    raise OSError("no PortAudio in this test")


class ToneStudio:
    """Everything of one studio; `close` ends its threads."""

    def __init__(self, profile: Path, text: str = "", *, card: ModelCard | None = None, mode: str = "dark") -> None:
        theme().apply(mode)
        self.backend = ToneBackend(card or ModelCard("Tones"))
        self.engine = Engine(self.backend)
        self.engine.start()
        self.engine.ready(5)
        self.owner = QWidget()
        self.studio = Studio(paths_for(profile), WindowState(Settings.load(paths_for(profile))))
        self.studio.set_card(self.backend.card)
        library = Library(self.studio.paths.voices, self.backend.card.voices)
        renderer = Renderer(self.studio.bridge.post, library)
        renderer.changed.connect(self.studio.block_state_changed.emit)
        actions = ActionSet(self.owner)
        actions.set_conditions(CONDITIONS)
        self.studio.attach(
            actions=actions,
            library=library,
            player=Player(Devices(no_sound)),
            renderer=renderer,
        )
        self.store = ProjectStore.untitled(self.studio.paths, deliver=self.studio.bridge.post)
        if text:
            self.store.history.do(ReplaceText(0, "", text))
        self.studio.set_store(self.store)
        self.studio.set_engine(self.engine)
        first = self.studio.project.blocks[0].id
        self.studio.set_selection((first,), first)

    @property
    def ids(self) -> list[str]:
        return [block.id for block in self.studio.project.blocks]

    def close(self) -> None:
        self.studio.player.close()
        self.studio.renderer.close()
        self.engine.close()
        self.studio.bridge.close()
        self.store.close()
