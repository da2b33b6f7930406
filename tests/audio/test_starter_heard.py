"""First start to sound: the window, the model that comes along, a real sound server."""

from __future__ import annotations

import numpy as np
import pytest

from app.main import Running, make_application
from app.paths import paths_for
from app.services.excerpt import Excerpt, mix_settings
from app.services.mixer import Mixer
from app.services.playing import PlayState
from app.services.programme import mix, programme

pytestmark = [pytest.mark.sound, pytest.mark.full]


@pytest.fixture(scope="session")
def qapp():
    return make_application()


def test_the_sample_arrives_as_export_would_write_it(sound_server, qapp, qtbot, tmp_path):
    running = Running(paths_for(tmp_path / "profile"), None)
    studio = running.studio
    try:
        running.window.show()
        running.after_show()
        studio.actions.trigger("open_sample")
        qtbot.waitUntil(lambda: studio.engine is not None, timeout=120_000)
        tape = sound_server.record()
        qtbot.waitUntil(lambda: not studio.actions.why_not("play_pause"), timeout=5_000)
        studio.actions.trigger("play_pause")
        qtbot.waitUntil(lambda: bool(studio.playing_block), timeout=60_000)
        qtbot.waitUntil(lambda: studio.player.state is PlayState.STOPPED, timeout=180_000)
        snapshot = studio.player.snapshot()
        recorded = sound_server.recorded(tape)
        ids = [block.id for block in studio.project.blocks]
        excerpt = Excerpt(studio.project, ids, studio.renderer.states.manner)
        mixer = Mixer(mix_settings(excerpt.settings))
        samples = np.concatenate(list(mix(programme(excerpt, ids, studio.store.read_take, excerpt.plan), mixer)))
        assert snapshot.underruns == 0 and snapshot.waits == 0
        first = np.flatnonzero(np.abs(samples).sum(axis=1))[0]
        start = np.flatnonzero(np.abs(recorded).sum(axis=1))[0] - first
        assert np.array_equal(recorded[start : start + len(samples)], samples)
    finally:
        running.window.set_close_guard(lambda: True)
        running.window.close()
        running.close()
