"""Lines through engine thread, renderer, mixer and a real sound server, while the person goes on working."""

from __future__ import annotations

import time

import numpy as np
import pytest
import soundfile
from outside import loudness, needs_ffmpeg
from tone_studio import ToneStudio

from app.model.commands import ReplaceText
from app.services.devices import Devices
from app.services.excerpt import Excerpt, mix_settings
from app.services.exporter import export
from app.services.exporter_formats import AudioFormat
from app.services.exporter_request import ExportRequest
from app.services.loudness import target_for
from app.services.mixer import Mixer
from app.services.player import Player
from app.services.playing import PlayState
from app.services.programme import mix, programme
from app.services.tasks import Tasks
from app.ui.waveform import Waveform

pytestmark = pytest.mark.sound


@pytest.fixture
def tones(sound_server, qapp, tmp_path):
    made = ToneStudio(
        tmp_path / "profile", "One two three.\nFour [pause 0.4s] five six.\nSeven eight nine ten.\n# Eleven\nTwelve."
    )
    made.studio.player.close()
    made.studio.attach(player=Player(Devices()))
    yield made
    made.close()


def expected(tones):
    """The programme as export would write it."""
    studio = tones.studio
    excerpt = Excerpt(studio.project, tones.ids, studio.renderer.states.manner)
    return np.concatenate(
        list(
            mix(
                programme(excerpt, tones.ids, tones.store.read_take, excerpt.plan),
                Mixer(mix_settings(excerpt.settings)),
            )
        )
    )


def heard(recorded, samples):
    """What was recorded, from the first sample of sound on, as long as what is expected."""
    first = np.flatnonzero(np.abs(samples).sum(axis=1))[0]
    loud = np.flatnonzero(np.abs(recorded).sum(axis=1))
    assert len(loud), "nothing arrived"
    start = loud[0] - first
    assert start >= 0
    return recorded[start : start + len(samples)]


TRIES = 3


def played(studio, sound_server, play):
    """What arrives of a programme that `play` begins, and sees to its end; without underruns and waits.

    Sound is due at a time. Where other programs hold all processors for a moment, the sound system says that it had none
    to play; that is no fault of what is played, so it is played again.
    """
    for _ in range(TRIES):
        before = studio.player.snapshot()
        tape = sound_server.record()
        play()
        assert studio.player.state is PlayState.STOPPED
        after, recorded = studio.player.snapshot(), sound_server.recorded(tape)
        if (after.underruns, after.waits) == (before.underruns, before.waits):
            return recorded
    raise AssertionError(f"underruns or waits each of {TRIES} times: {after}")


def test_what_arrives_is_what_export_would_write_over_all_borders(tones, sound_server, qtbot):
    studio = tones.studio
    waveform = Waveform(studio)
    qtbot.addWidget(waveform)
    waveform.resize(800, 160)
    waveform.show()

    def play_and_work():
        waveform._playback.play_from_start()
        qtbot.waitUntil(lambda: bool(studio.playing_block), timeout=10000)
        # Typing in another line, resizing, scrolling: none of it may be heard.
        studio.do(ReplaceText(studio.project.characters, "", "\n// "))
        ends_at_s = time.monotonic() + 30
        typed = 0
        while studio.player.state is not PlayState.STOPPED:
            assert time.monotonic() < ends_at_s
            if typed < 60:
                studio.do(ReplaceText(studio.project.characters, "", "x"))
                typed += 1
            waveform.resize(700 + typed % 7 * 40, 160)
            waveform.box.zoom(0.9 if typed % 2 else 1.1)
            qtbot.wait(20)

    recorded = played(studio, sound_server, play_and_work)
    samples = expected(tones)
    assert np.array_equal(heard(recorded, samples), samples)


def test_a_loop_and_a_seek_arrive_without_a_click_of_silence_inside(tones, sound_server, qtbot):
    studio = tones.studio
    studio.renderer.render(tones.ids)
    qtbot.waitUntil(lambda: not studio.renderer.queue(), timeout=10000)
    studio.set_selection((tones.ids[2],), tones.ids[2])
    waveform = Waveform(studio)
    qtbot.addWidget(waveform)
    tape = sound_server.record()
    waveform._playback.set_loop(True)
    waveform._playback.play_selection()
    qtbot.waitUntil(lambda: studio.player.state is PlayState.PLAYING, timeout=5000)
    qtbot.wait(1500)
    waveform._playback.stop()
    recorded = sound_server.recorded(tape)
    loud = np.flatnonzero(np.abs(recorded).sum(axis=1))
    sound = np.abs(recorded[loud[0] : loud[-1] + 1]).sum(axis=1)
    # One line is 8 frames of tone; round and round of it there is no silence longer than the trimmed edges.
    quiet = np.diff(np.flatnonzero(sound > 0.001))
    assert len(sound) > 1.0 * 48_000
    assert quiet.max() < 0.12 * 48_000


@needs_ffmpeg
def test_at_the_export_s_loudness_what_arrives_is_the_file(tones, sound_server, qtbot, tmp_path):
    studio = tones.studio
    studio.attach(tasks=Tasks(studio.bridge.post))
    studio.renderer.render(tones.ids)
    qtbot.waitUntil(lambda: not studio.renderer.queue(), timeout=10000)
    playback = Waveform(studio)._playback
    playback.loudness.switch(True)
    qtbot.waitUntil(lambda: playback.loudness._measured is not None, timeout=10000)
    excerpt = Excerpt(studio.project, tones.ids, studio.renderer.states.manner)
    request = ExportRequest(tmp_path / "file.wav", AudioFormat("wav", 32), loudness=target_for("-16"))
    export(studio.project, request, tones.store.read_take, excerpt.plan)
    written = soundfile.read(request.out, dtype="float32")[0]

    def play():
        playback.play_from_start()
        qtbot.waitUntil(lambda: studio.player.state is PlayState.PLAYING, timeout=10000)
        qtbot.waitUntil(lambda: studio.player.state is PlayState.STOPPED, timeout=30000)

    recorded = played(studio, sound_server, play)
    studio.tasks.close()
    arrived = heard(recorded, written)
    np.testing.assert_allclose(arrived, written, atol=0.01 * np.abs(written).max())
    assert np.abs(arrived - expected(tones)).max() > 0.05
    soundfile.write(tmp_path / "arrived.wav", arrived, 48_000, subtype="FLOAT")
    lufs, true_peak_db = loudness(tmp_path / "arrived.wav")
    assert abs(lufs + 16.0) <= 0.5 and true_peak_db <= -1.0
