"""Makes the services of the studio and ties their signals to the hub's."""

from __future__ import annotations

import sys

from PySide6.QtCore import QCoreApplication

from app.services.devices import Devices
from app.services.embedding import Embedding
from app.services.library import Library
from app.services.models import Models
from app.services.player import Player
from app.services.recorder import Recorder
from app.services.renderer import Renderer
from app.services.runlog import RunLog
from app.services.serve.shelf import clear_left_behind
from app.services.speaking import habits_of
from app.services.take_cache import TakeCache
from app.services.tasks import Tasks
from app.ui.spread import Spread
from app.ui.studio import Studio


def assemble(studio: Studio) -> None:
    """Library, devices, player, renderer and background tasks; the model's card must be known."""
    # Speech is made beside the window: the usual 5 ms until the interpreter changes threads would be felt in typing.
    sys.setswitchinterval(0.0005)
    library = Library(studio.paths.voices, studio.card.voices if studio.card is not None else ())
    devices = Devices()
    devices.wanted_input = studio.settings.input_device or None
    player = Player(devices)
    if studio.settings.output_device:
        player.choose_output(studio.settings.output_device)
    take_cache = TakeCache(studio.paths.take_cache)
    renderer = Renderer(
        studio.bridge.post,
        library,
        ahead_s=studio.settings.generate_ahead_s,
        take_cache=take_cache,
        clip_cache=studio.paths.cache / "clips",
        shape_cache=studio.paths.cache / "shapes",
    )
    shared = studio.settings.shared
    renderer.set_habits(habits_of(shared))

    def settings_changed(group: str) -> None:
        if group == "generation" and studio.renderer is not None:
            studio.renderer.set_habits(habits_of(shared))

    # The settings may be changed on any thread.
    shared.changed.connect(lambda group: studio.bridge.post(lambda: settings_changed(group)))
    embedding = Embedding(library, studio.bridge.post)
    studio.project_replaced.connect(lambda: embedding.set_store(studio.store))
    spread = Spread(studio.block_state_changed.emit, studio)
    renderer.changed.connect(spread)
    studio.project_replaced.connect(spread.forget)
    tasks = Tasks(studio.bridge.post)
    studio.attach(
        library=library, devices=devices, player=player, renderer=renderer, recorder=Recorder(devices), tasks=tasks
    )
    studio.models = Models(studio.paths, post=studio.bridge.post, settings=studio.settings.shared)
    studio.run_log = RunLog(studio.paths.run_log, studio.models.keeps)

    if studio.paths.served_clips.is_dir():
        # Clips of other people's programs are not kept longer than needed, also where `serve` was killed.
        title = QCoreApplication.translate("assembly", "Deleting what a killed service left")
        tasks.run(lambda _: clear_left_behind(studio.paths.served_clips), title=title)

    def hold_takes() -> None:
        store = studio.store
        if store is not None:
            title = QCoreApplication.translate("assembly", "Holding the takes of the project")
            tasks.run(lambda _: store.lease_takes(take_cache), title=title)

    studio.project_replaced.connect(hold_takes)


def disassemble(studio: Studio) -> None:
    """Stop what runs, the listener first."""
    if studio.history is not None:
        studio.history.finish()
    for service in (studio.player, studio.renderer, studio.tasks):
        if service is not None:
            service.close()
    # Timers of the regions may still fire: for them there is nothing any more.
    studio.player = studio.renderer = None
    if studio.models is not None:
        studio.models.close()
    studio.bridge.close()
