"""The switch that plays the script as loud as its export: in the menu and the preferences, remembered, and heard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QCheckBox
from tone_studio import ToneStudio

from app.menus import MENUS
from app.model.commands import ReplaceText, SetBlockSettings
from app.model.content_commands import SetProjectSettings
from app.services.excerpt import Excerpt
from app.services.exporter_plan import ExportFile
from app.services.exporter_request import ExportRequest
from app.services.exporter_sound import SoundMaker
from app.services.loudness import target_for
from app.services.playing import PlayState
from app.services.tasks import Tasks
from app.settings import Settings
from app.ui.transport.playback import Playback, playback_of

TEXT = "One two three four five.\nSix seven eight nine ten.\nEleven twelve thirteen fourteen."


@pytest.fixture
def tones(qapp: Any, tmp_path: Path) -> Iterator[ToneStudio]:
    made = ToneStudio(tmp_path, TEXT)
    made.studio.attach(tasks=Tasks(made.studio.bridge.post))
    yield made
    made.studio.tasks.close()
    made.close()


@pytest.fixture
def playback(tones: ToneStudio) -> Playback:
    return playback_of(tones.studio)


@pytest.fixture
def written(tones: ToneStudio, monkeypatch: Any) -> list[np.ndarray]:
    """What is given to the device, here the silent clock."""
    blocks: list[np.ndarray] = []
    meter = tones.studio.player.meter
    feed = meter.feed
    monkeypatch.setattr(meter, "feed", lambda samples: (blocks.append(samples.copy()), feed(samples)))
    return blocks


def speak_all(tones: ToneStudio, qtbot: Any) -> None:
    tones.studio.renderer.render(tones.ids)
    qtbot.waitUntil(lambda: not tones.studio.renderer.queue(), timeout=10_000)


def wait_until_measured(playback: Playback, qtbot: Any) -> None:
    qtbot.waitUntil(lambda: playback.loudness._measured is not None, timeout=10_000)


def exported_db(tones: ToneStudio, name: str) -> float:
    studio = tones.studio
    excerpt = Excerpt(studio.project, tones.ids, studio.renderer.states.manner)
    request = ExportRequest(Path("unused"), loudness=target_for(name))
    sounds = SoundMaker(studio.project, request, tones.store.read_take, excerpt.plan, lambda *_: None)
    return sounds.gain_of(ExportFile("", "", 1, tuple(tones.ids)))[0]


def test_the_switch_is_off_at_first_and_remembered(running: Any, open_studio_at: Callable[..., Any]) -> None:
    action = running.studio.actions.action("export_loudness")
    assert action.isCheckable() and not action.isChecked() and action.isEnabled()
    assert "export_loudness" in dict(MENUS)["&Play"]
    action.trigger()
    assert action.isChecked()
    assert Settings.load(running.studio.paths).playback.loudness_preview
    again = open_studio_at()
    assert again.studio.actions.action("export_loudness").isChecked()
    assert playback_of(again.studio).loudness.mastering.wish is not None


def test_the_preferences_and_the_menu_show_the_same(running: Any, qtbot: Any) -> None:
    action = running.studio.actions.action("export_loudness")
    dialog = running.work.open_preferences("sound")
    box = next(each for each in dialog.findChildren(QCheckBox) if "loudness" in each.text())
    assert not box.isChecked()
    box.click()
    qtbot.waitUntil(action.isChecked)
    action.trigger()
    assert not box.isChecked() and not running.studio.settings.loudness_preview
    running.studio.settings.shared.change("playback", loudness_preview=True)
    qtbot.waitUntil(lambda: action.isChecked() and box.isChecked())
    dialog.close()


def test_on_the_gain_is_that_of_the_export_and_off_nothing_is_touched(
    tones: ToneStudio, playback: Playback, written: list[np.ndarray], qtbot: Any
) -> None:
    speak_all(tones, qtbot)
    action = tones.studio.actions.action("export_loudness")
    action.trigger()
    wait_until_measured(playback, qtbot)
    expected_db = exported_db(tones, "-16")
    assert playback.loudness.gain_db == pytest.approx(expected_db, abs=0.1) and abs(expected_db) > 1.0

    def heard() -> np.ndarray:
        written.clear()
        playback.play_from_start()
        qtbot.waitUntil(lambda: tones.studio.player.state is PlayState.STOPPED, timeout=20_000)
        return np.concatenate(written)

    loud = heard()
    action.trigger()
    plain = heard()
    assert len(loud) == len(plain)
    np.testing.assert_allclose(loud, plain * 10 ** (playback.loudness.gain_db / 20), atol=1e-6)


def test_nothing_is_measured_while_it_is_off(tones: ToneStudio, playback: Playback, qtbot: Any) -> None:
    speak_all(tones, qtbot)
    qtbot.wait(600)
    assert playback.loudness.gain_db is None and playback.loudness.mastering.wish is None


def test_it_follows_the_loudness_chosen_in_the_export(tones: ToneStudio, playback: Playback, qtbot: Any) -> None:
    speak_all(tones, qtbot)
    playback.loudness.switch(True)
    for name in ("off", "-23", "acx", "nonsense"):
        tones.studio.do(SetProjectSettings({"export": {"loudness": name}}))
        asked = name if name in ("-23", "acx") else "-16"

        def there(asked: str = asked) -> bool:
            wish = playback.loudness.mastering.wish
            return wish.target == target_for(asked) and wish.gain_db == pytest.approx(
                exported_db(tones, asked), abs=0.1
            )

        qtbot.waitUntil(there, timeout=5_000)


def test_a_changed_line_alone_is_measured_again(
    tones: ToneStudio, playback: Playback, monkeypatch: Any, qtbot: Any
) -> None:
    speak_all(tones, qtbot)
    playback.loudness.switch(True)
    wait_until_measured(playback, qtbot)
    before_db = playback.loudness.gain_db
    asked: set[str] = set()
    read = tones.store.read_take
    monkeypatch.setattr(tones.store, "read_take", lambda take_id, *at: (asked.add(take_id), read(take_id, *at))[1])
    # Its own gain is no reason to listen to a line again.
    tones.studio.do(SetBlockSettings((tones.ids[0],), {"gain_db": -12.0}))
    qtbot.waitUntil(lambda: playback.loudness.gain_db != before_db, timeout=5_000)
    before_db = playback.loudness.gain_db
    tones.studio.do(SetProjectSettings({"voice_gains_db": {"": 4.0}}))
    qtbot.waitUntil(lambda: playback.loudness.gain_db == pytest.approx(before_db - 4.0, abs=0.01), timeout=5_000)
    assert not asked
    tones.studio.do(ReplaceText(0, "One two three", "Thirteen"))
    tones.studio.renderer.render(tones.ids)
    qtbot.waitUntil(lambda: not tones.studio.renderer.queue(), timeout=10_000)
    first = tones.studio.project.block(tones.ids[0]).chosen
    qtbot.waitUntil(lambda: first in asked, timeout=10_000)
    qtbot.wait(500)
    heard_again = set(asked)
    qtbot.waitUntil(
        lambda: playback.loudness.gain_db == pytest.approx(exported_db(tones, "-16"), abs=0.1), timeout=10_000
    )
    assert heard_again == {first}


def test_what_is_heard_while_nothing_is_measured_begins_near_the_loudness(
    tones: ToneStudio, playback: Playback, written: list[np.ndarray], qtbot: Any
) -> None:
    tones.studio.tasks.close()  # nothing will ever be measured
    playback.loudness.switch(True)
    playback.play_from_start()
    qtbot.waitUntil(lambda: tones.studio.player.state is PlayState.STOPPED, timeout=20_000)
    speak_all(tones, qtbot)
    assert playback.loudness.mastering.heard_db == pytest.approx(exported_db(tones, "-16"), abs=2.0)
    assert tones.studio.player.snapshot().waits == 0


def test_the_meters_show_what_is_heard(tones: ToneStudio, playback: Playback, qtbot: Any) -> None:
    speak_all(tones, qtbot)
    tones.studio.do(SetProjectSettings({"export": {"loudness": "-23"}}))
    playback.loudness.switch(True)
    wait_until_measured(playback, qtbot)
    playback.play_from_start()
    qtbot.waitUntil(lambda: playback.snapshot.levels.peak_db[0] > -60.0, timeout=5_000)
    qtbot.wait(300)
    peak_db = tones.studio.player.snapshot().levels.peak_db[0]
    assert peak_db == pytest.approx(20 * np.log10(0.3) + playback.loudness.gain_db, abs=1.0)


def test_another_project_starts_without_the_gain_of_the_last(running: Any, qtbot: Any) -> None:
    loudness = playback_of(running.studio).loudness
    loudness.switch(True)
    loudness.mastering.heard_db = 7.0
    running.studio.do(ReplaceText(0, "", "Something."))
    running.studio.actions.trigger("new_project")
    qtbot.waitUntil(lambda: loudness.mastering.heard_db is None, timeout=5_000)
    assert loudness.gain_db is None and loudness.mastering.wish is not None
