"""Makes the services of the studio and ties their signals to the hub's."""

from __future__ import annotations

from app.services.devices import Devices
from app.services.library import Library
from app.services.player import Player
from app.services.renderer import Renderer
from app.ui.studio import Studio


def assemble(studio: Studio) -> None:
    """Library, devices, player and renderer; the model's card must be known."""
    library = Library(studio.paths.voices, studio.card.voices if studio.card is not None else ())
    devices = Devices()
    player = Player(devices)
    renderer = Renderer(studio.bridge.post, library, ahead_s=studio.settings.generate_ahead_s)
    renderer.changed.connect(studio.block_state_changed.emit)
    studio.attach(library=library, devices=devices, player=player, renderer=renderer)


def disassemble(studio: Studio) -> None:
    """Stop what runs, the listener first."""
    for service in (studio.player, studio.renderer):
        if service is not None:
            service.close()
    studio.bridge.close()
