"""Choosing, opening, losing and finding devices, against a stand-in for the sounddevice module."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from app.services.devices import Devices, SilentClock
from app.services.recorder import Recorder, write_clip
from engine import DeviceError, load_clip


class Stream:
    def __init__(self, sound, asked):
        self.sound, self.asked = sound, asked
        self.latency = asked.get("latency", 0.0)
        self.written, self.open = [], False
        self.write_available = 0
        sound.streams.append(self)

    def start(self):
        self.open = True

    def write(self, block):
        assert block.flags.c_contiguous and block.dtype == np.float32
        self.written.append(block.copy())
        return False

    def abort(self, ignore_errors=True):
        self.open = False

    close = abort


class Sound:
    class PortAudioError(Exception):
        pass

    def __init__(self, **devices):
        """Name -> (outputs, inputs, rate, rates that are accepted)."""
        self.devices = devices
        self.default_name = next(iter(devices), None)
        self.streams, self.listed = [], 0

    @property
    def default(self):
        names = list(self.devices)
        at = names.index(self.default_name) if self.default_name in names else -1
        return type("default", (), {"device": (at, at)})

    def _initialize(self):
        self.listed += 1

    def _terminate(self):
        assert not any(stream.open for stream in self.streams), "PortAudio was ended under an open stream"

    def query_hostapis(self):
        return [{"name": "Test"}]

    def query_devices(self):
        return [
            {
                "name": name,
                "hostapi": 0,
                "max_output_channels": outs,
                "max_input_channels": ins,
                "default_samplerate": float(rate),
            }
            for name, (outs, ins, rate, _) in self.devices.items()
        ]

    def check_output_settings(self, device, channels, dtype, samplerate):
        _, (_, _, _, rates) = list(self.devices.items())[device]
        if samplerate not in rates:
            raise self.PortAudioError("Invalid sample rate")

    check_input_settings = check_output_settings

    def OutputStream(self, **asked):
        return Stream(self, asked)

    def InputStream(self, **asked):
        return Stream(self, asked)


EASY = (2, 0, 48_000, (44_100, 48_000))


def test_a_device_that_refuses_48_khz_gets_its_own_rate():
    sound = Sound(Old=(2, 0, 44_100, (44_100,)))
    output = Devices(lambda: sound).open_output()
    assert output.rate == 44_100 and sound.streams[0].asked["samplerate"] == 44_100
    t = np.arange(48_000) / 48_000
    tone = np.repeat(np.sin(2 * np.pi * 1000 * t)[:, None], 2, axis=1).astype(np.float32)
    for start in range(0, len(tone), 960):
        output.write(tone[start : start + 960])
    heard = np.concatenate(sound.streams[0].written)
    assert abs(len(heard) - 44_100) < 1_500
    middle = heard[8_000:30_000, 0]
    spectrum = np.abs(np.fft.rfft(middle * np.hanning(len(middle))))
    assert np.argmax(spectrum) * 44_100 / len(middle) == pytest.approx(1000, abs=3)
    assert np.abs(middle).max() == pytest.approx(1.0, abs=0.02)


def test_a_mono_device_hears_both_sides():
    sound = Sound(Mono=(1, 0, 48_000, (48_000,)))
    output = Devices(lambda: sound).open_output()
    output.write(np.tile(np.array([[0.5, 0.1]], np.float32), (960, 1)))
    assert sound.streams[0].written[0].shape == (960, 1)
    assert sound.streams[0].written[0][0, 0] == pytest.approx(0.3)


def test_the_default_is_followed_and_a_choice_kept():
    sound = Sound(Speakers=EASY, Headphones=EASY)
    devices = Devices(lambda: sound)
    assert devices.open_output().name == "Speakers"
    devices.wanted_output = "Headphones"
    assert devices.open_output().name == "Headphones"


def test_a_new_default_is_seen_at_the_next_play():
    clock = [0.0]
    sound = Sound(Speakers=EASY, Headphones=EASY)
    devices = Devices(lambda: sound, now=lambda: clock[0])
    devices.open_output().close()
    sound.default_name = "Headphones"
    clock[0] += 60.0
    assert devices.open_output().name == "Headphones"


def test_portaudio_is_never_started_again_under_an_open_stream():
    clock = [0.0]
    sound = Sound(Speakers=EASY)
    devices = Devices(lambda: sound, now=lambda: clock[0])
    first = devices.open_output()
    clock[0] += 60.0
    devices.open_output()
    assert not devices.refresh()
    first.close()
    assert not devices.refresh()


def test_a_lost_choice_is_found_again():
    sound = Sound(Speakers=EASY, Headphones=EASY)
    devices = Devices(lambda: sound)
    devices.wanted_output = "Headphones"
    devices.open_output().close()
    del sound.devices["Headphones"]
    assert not devices.output_is_back()
    assert devices.open_output().name == "Speakers"
    for stream in sound.streams:
        stream.open = False
    devices = Devices(lambda: sound)
    devices.wanted_output = "Headphones"
    sound.devices["Headphones"] = EASY
    assert devices.output_is_back()
    assert devices.open_output().name == "Headphones"


def test_without_any_device_there_is_a_silent_clock():
    devices = Devices(lambda: Sound())
    assert isinstance(devices.open_output(), SilentClock)
    assert devices.no_sound == ""


def test_a_missing_library_is_explained():
    def missing():
        raise OSError("PortAudio library not found")

    devices = Devices(missing)
    assert isinstance(devices.open_output(), SilentClock)
    assert "libportaudio2" in devices.no_sound
    with pytest.raises(DeviceError):
        devices.open_input(lambda samples: None)


def test_the_silent_clock_keeps_time():
    now, slept = [0.0], []

    def sleep(seconds):
        slept.append(seconds)
        now[0] += seconds

    clock = SilentClock(lambda: now[0], sleep)
    block = np.zeros((960, 2), np.float32)
    for _ in range(100):
        assert not clock.write(block)
    assert now[0] == pytest.approx(2.0 - clock.latency_s)
    now[0] += 5.0
    assert clock.write(block)


def test_a_recording_keeps_what_came_after_start_and_shows_the_level(tmp_path):
    sound = Sound(Mic=(0, 1, 48_000, (48_000,)))
    recorder = Recorder(Devices(lambda: sound))
    recorder.open()
    hear = sound.streams[0].asked["callback"]
    hear(np.full((480, 1), 0.9, np.float32), 480, None, None)
    assert recorder.level_db == pytest.approx(20 * np.log10(0.9), abs=0.1) and recorder.seconds == 0
    recorder.start()
    for value in (0.1, 0.2):
        hear(np.full((480, 1), value, np.float32), 480, None, None)
    assert recorder.seconds == 0.02
    samples = recorder.stop()
    assert samples.shape == (960, 1) and samples[0, 0] == np.float32(0.1) and samples[-1, 0] == np.float32(0.2)
    recorder.close()
    assert not sound.streams[0].open
    path = write_clip(tmp_path / "voices" / "me.wav", samples)
    read, rate = load_clip(path)
    assert rate == 48_000 and np.allclose(read, samples, atol=1e-6)


def test_a_recorder_that_is_closed_while_it_opens_does_not_listen():
    class SlowDevices:
        def __init__(self):
            self.asked, self.go, self.closed = threading.Event(), threading.Event(), threading.Event()
            self.name = "Microphone"

        def open_input(self, received):
            self.asked.set()
            self.go.wait(10)
            return self

        def close(self):
            self.closed.set()

    devices = SlowDevices()
    recorder = Recorder(devices)
    opening = threading.Thread(target=recorder.open)
    opening.start()
    assert devices.asked.wait(10)
    closing = threading.Thread(target=recorder.close)
    closing.start()
    closing.join(0.2)
    devices.go.set()
    opening.join(10)
    closing.join(10)
    assert devices.closed.is_set() and recorder.device == ""


def test_a_recording_ends_by_itself_when_it_is_long_enough():
    sound = Sound(Mic=(0, 1, 48_000, (48_000,)))
    recorder = Recorder(Devices(lambda: sound))
    recorder.start()
    hear = sound.streams[0].asked["callback"]
    for _ in range(130):
        hear(np.zeros((48_000, 1), np.float32), 48_000, None, None)
    assert recorder.full and recorder.seconds == 120


def test_a_microphone_of_another_rate_is_brought_to_48_khz():
    sound = Sound(Mic=(0, 1, 16_000, (16_000,)))
    recorder = Recorder(Devices(lambda: sound))
    recorder.start()
    hear = sound.streams[0].asked["callback"]
    for _ in range(100):
        hear(np.zeros((160, 1), np.float32), 160, None, None)
    assert recorder.seconds == pytest.approx(1.0, abs=0.05)


def test_a_device_that_does_not_tell_what_it_holds_is_taken_at_its_latency():
    sound = Sound(Speakers=(2, 0, 48_000, (48_000,)))
    output = Devices(lambda: sound).open_output()
    stream = sound.streams[-1]
    assert output.held_s() == output.latency_s
    stream.write_available = -4_800  # of a buffer that was 0 when it was empty
    assert output.held_s() == output.latency_s
    stream.write_available = -12_000
    assert output.held_s() == pytest.approx(0.25)
    output.close()


class Unplugged(Sound):
    """Opens; then the sound system says what it says when a device is gone."""

    SAID = "Unanticipated host error [PaErrorCode -9999]: 'Wait timed out' [ALSA error 0]"

    def OutputStream(self, **asked):
        stream = Stream(self, asked)

        def write(_block):
            raise self.PortAudioError(self.SAID)

        stream.write = write
        return stream

    def InputStream(self, **asked):
        raise self.PortAudioError(self.SAID)


def test_a_lost_output_is_told_in_plain_words_and_the_log_has_the_rest(caplog):
    output = Devices(lambda: Unplugged(Headphones=EASY)).open_output()
    with pytest.raises(DeviceError) as told:
        output.write(np.zeros((960, 2), np.float32))
    assert "“Headphones” does not play" in told.value.message and "Plug it in" in told.value.remedy
    assert "PaErrorCode" not in str(told.value) and Unplugged.SAID in caplog.text


def test_a_microphone_that_cannot_be_opened_is_told_in_plain_words(caplog):
    with pytest.raises(DeviceError) as told:
        Devices(lambda: Unplugged(Microphone=(0, 1, 48_000, (48_000,)))).open_input(lambda _: None)
    assert "“Microphone” cannot record" in told.value.message and "microphone" in told.value.remedy
    assert "PaErrorCode" not in str(told.value) and Unplugged.SAID in caplog.text
