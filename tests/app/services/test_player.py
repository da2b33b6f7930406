"""The player against a simulated device whose clock is under the test's control."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from app.services.devices import Devices
from app.services.loudness import target_for
from app.services.master import Mastering, Wish
from app.services.mastered import Mastered
from app.services.player import Player
from app.services.playing import Place, PlayState

RATE = 48_000


class Clock:
    """Time that only the simulated device moves."""

    def __init__(self):
        self.time_s = 100.0

    def __call__(self):
        return self.time_s


class Stream:
    def __init__(self, sound, device):
        self.sound, self.device = sound, device
        self.latency = 0.15
        self.fill_s = 0.0
        self.at_s = sound.clock()
        self.written = []
        self.open = False
        self.held = threading.Event()
        self.held.set()
        sound.streams.append(self)

    def start(self):
        self.open = True

    def write(self, block):
        sound = self.sound
        self.held.wait(5)
        if self.device in sound.gone:
            raise sound.PortAudioError("device is gone")
        now = sound.clock.time_s
        dry = bool(self.written) and now - self.at_s > self.fill_s + 1e-9
        self.fill_s = max(0.0, self.fill_s - (now - self.at_s))
        self.fill_s += len(block) / RATE
        over_s = self.fill_s - sound.buffer_s
        if over_s > 0:
            sound.clock.time_s += over_s
            self.fill_s -= over_s
        self.at_s = sound.clock.time_s
        self.written.append(block.copy())
        if sound.on_write is not None:
            sound.on_write(self)
        # Lets the other threads of the test run: a real device blocks here.
        time.sleep(0.0005)
        return dry

    @property
    def write_available(self):
        held_s = max(0.0, self.fill_s - (self.sound.clock.time_s - self.at_s))
        return round((self.sound.buffer_s - held_s) * RATE)

    def abort(self, ignore_errors=True):
        self.open = False

    def close(self, ignore_errors=True):
        self.open = False

    @property
    def sound_written(self):
        """Everything that is not filled silence at the start."""
        all_ = np.concatenate(self.written) if self.written else np.zeros((0, 2), np.float32)
        first = np.flatnonzero(np.abs(all_).sum(axis=1))
        return all_[first[0] :] if len(first) else all_[:0]


class Sound:
    """Stands where the sounddevice module stands."""

    class PortAudioError(Exception):
        pass

    class default:
        device = (0, 0)

    def __init__(self, clock):
        self.clock = clock
        self.names = ["Speakers"]
        self.gone = set()
        self.streams = []
        self.on_write = None
        self.initialised = 0
        self.buffer_s = 0.15  # what a stream takes before a write waits

    def _terminate(self):
        pass

    def _initialize(self):
        self.initialised += 1

    def query_hostapis(self):
        return [{"name": "Simulated"}]

    def query_devices(self):
        return [
            {
                "name": name,
                "hostapi": 0,
                "max_output_channels": 2,
                "max_input_channels": 1,
                "default_samplerate": 48_000.0,
            }
            for name in self.names
        ]

    def check_output_settings(self, **asked):
        pass

    def OutputStream(self, *, device, **asked):
        name = self.names[device]
        if name in self.gone:
            raise self.PortAudioError("no such device")
        return Stream(self, name)


class Ramp:
    """A source whose samples say their own number; `made` of `total` are there."""

    def __init__(self, total, made=None):
        self.total, self.made = total, total if made is None else made
        self.at = 0
        self.closed = False
        self.problem = ""
        self.samples = np.repeat((np.arange(1, total + 1, dtype=np.float32) / 2**22)[:, None], 2, axis=1)

    @property
    def ready_samples(self):
        return self.made - self.at

    @property
    def complete(self):
        return self.made >= self.total

    @property
    def remaining_s(self):
        return (self.total - self.made) / RATE

    def read(self, n):
        if self.at >= self.total:
            return None
        block = self.samples[self.at : min(self.at + n, self.made)]
        self.at += len(block)
        return block

    def place(self, sample):
        return Place("block", sample)

    def close(self):
        self.closed = True


@pytest.fixture
def sound():
    return Sound(Clock())


@pytest.fixture
def player(sound):
    made = Player(Devices(lambda: sound, now=sound.clock), now=sound.clock)
    yield made
    made.close()


def until(true, what="it"):
    for _ in range(2000):
        if true():
            return
        time.sleep(0.005)
    raise AssertionError(f"{what} did not happen")


def after_samples(sound, n, deed):
    """Do something on the feeder's own thread once n samples of sound were written."""
    done = []

    def look(stream):
        if not done and len(stream.sound_written) >= n:
            done.append(True)
            deed()

    sound.on_write = look
    return done


def test_everything_arrives_once_and_in_order(player, sound):
    source = Ramp(RATE)
    player.play(lambda: source)
    until(lambda: player.state is PlayState.STOPPED, "the end")
    heard = sound.streams[0].sound_written[:RATE]
    assert np.array_equal(heard, source.samples)
    assert player.snapshot().underruns == 0 and player.snapshot().waits == 0
    assert source.closed


def test_the_end_is_announced_only_after_the_device_played_it(player, sound):
    source = Ramp(9600)
    ended = []
    player.finished.connect(lambda: ended.append(sound.clock()))
    player.play(lambda: source)
    started = sound.clock()
    until(lambda: ended)
    assert ended[0] - started >= 9600 / RATE


def test_pausing_keeps_the_playhead_and_resuming_skips_nothing(player, sound):
    source = Ramp(2 * RATE)
    after_samples(sound, 30_000, player.pause)
    player.play(lambda: source)
    until(lambda: player.state is PlayState.PAUSED and not sound.streams[0].open, "the pause")
    place = player.snapshot().place
    written = len(sound.streams[0].sound_written)
    # The device still held its 150 ms: they were not heard and come again.
    assert written - place.offset_samples == pytest.approx(0.15 * RATE, abs=2)
    sound.clock.time_s += 60.0
    assert player.snapshot().place == place
    player.resume()
    until(lambda: player.state is PlayState.STOPPED, "the end")
    rest = sound.streams[1].sound_written
    assert rest[0, 0] * 2**22 == place.offset_samples + 1
    assert np.array_equal(rest[: 2 * RATE - place.offset_samples], source.samples[place.offset_samples :])


@pytest.mark.parametrize("buffer_s", [0.15, 0.2])
def test_the_shown_position_is_what_the_device_plays_now(player, sound, buffer_s):
    sound.buffer_s = buffer_s  # what lies in it counts, though the device tells of 150 ms
    source = Ramp(RATE)
    seen = []

    def look(stream):
        written = len(stream.sound_written)
        if written > 12_000:
            seen.append((written, player.snapshot().place.offset_samples))

    sound.on_write = look
    player.play(lambda: source)
    until(lambda: player.state is PlayState.STOPPED)
    assert len(seen) > 20
    for written, shown in seen[:30]:
        assert abs(written - 960 - buffer_s * RATE - shown) <= 0.02 * RATE


def test_stopping_is_silence_at_once(player, sound):
    source = Ramp(10 * RATE)
    after_samples(sound, 9_600, player.stop)
    player.play(lambda: source)
    until(lambda: player.state is PlayState.STOPPED and sound.streams and not sound.streams[0].open)
    assert len(sound.streams[0].sound_written) < 9_600 + 2 * 960
    assert source.closed and player.snapshot().place is None


def test_playing_something_else_replaces_what_plays(player, sound):
    first, second = Ramp(10 * RATE), Ramp(4_800)
    after_samples(sound, 9_600, lambda: player.play(lambda: second))
    player.play(lambda: first)
    until(lambda: player.state is PlayState.STOPPED)
    assert first.closed and second.closed
    assert np.array_equal(sound.streams[-1].sound_written[:4_800], second.samples)


def test_it_waits_for_speech_that_is_not_made_yet_and_goes_on_without_losing_a_sample(player, sound):
    source = Ramp(RATE, made=0)
    player.play(lambda: source)
    until(lambda: sound.streams and len(sound.streams[0].written) > 5)
    assert player.state is PlayState.BUFFERING and not len(sound.streams[0].sound_written)
    source.made = 24_000
    until(lambda: player.snapshot().waits == 1, "the wait")
    assert player.state is PlayState.BUFFERING
    at = player.snapshot().place.offset_samples
    source.made = RATE
    until(lambda: player.state is PlayState.STOPPED)
    heard = sound.streams[0].sound_written
    heard = heard[np.abs(heard).sum(axis=1) > 0]
    assert np.array_equal(heard, source.samples)
    assert at <= 24_000
    assert player.snapshot().underruns == 0


def test_a_wait_makes_the_next_start_more_careful(player, sound):
    before = player.cushion.needed_s(0.0, 0.0)
    source = Ramp(RATE, made=24_000)
    player.play(lambda: source)
    until(lambda: player.snapshot().waits == 1)
    assert player.cushion.needed_s(0.0, 0.0) == 2 * before


def test_speech_slower_than_listening_waits_until_it_will_not_stop(player):
    # Half of 8 s is ready when 4 s remain at twice the time: they take 8 s to make, and 8 s are there to hear.
    assert player.cushion.needed_s(2.0, 4.0) == pytest.approx(4.0)
    assert player.cushion.needed_s(0.3, 60.0) == player.cushion.needed_s(0.0, 0.0)


def test_a_dry_device_is_counted(player, sound):
    source = Ramp(RATE)
    after_samples(sound, 20_000, lambda: setattr(sound.clock, "time_s", sound.clock.time_s + 1.0))
    player.play(lambda: source)
    until(lambda: player.state is PlayState.STOPPED)
    assert player.snapshot().underruns == 1


def test_a_loop_starts_again_without_a_gap(player, sound):
    sources = [Ramp(10_000) for _ in range(5)]
    waiting = iter(sources)
    after_samples(sound, 21_000, lambda: player.set_loop(False))
    player.play(lambda: next(waiting), loop=True)
    until(lambda: player.state is PlayState.STOPPED)
    heard = sound.streams[0].sound_written[:30_000]
    assert np.array_equal(heard, np.concatenate([source.samples for source in sources[:3]]))
    assert all(source.closed for source in sources if source.at)


def test_losing_the_device_pauses_and_says_so(player, sound):
    source = Ramp(2 * RATE)
    said = []
    player.device_lost.connect(said.append)
    after_samples(sound, 20_000, lambda: sound.gone.add("Speakers"))
    player.play(lambda: source)
    until(lambda: player.state is PlayState.PAUSED, "the pause")
    assert said and "Speakers" in said[0]
    place = player.snapshot().place
    assert 0 < place.offset_samples <= 20_960


def unplug_while_playing(player, sound, source):
    """Play on headphones and pull them out after 20,000 samples; the place that was heard last."""
    sound.names = ["Built-in", "Headphones"]
    player.choose_output("Headphones")

    def unplug():
        sound.gone.add("Headphones")
        sound.names = ["Built-in"]

    after_samples(sound, 20_000, unplug)
    player.play(lambda: source)
    until(lambda: player.state is PlayState.PAUSED)
    return player.snapshot().place


def plug_in_again(sound):
    sound.names, sound.gone = ["Built-in", "Headphones"], set()


def test_a_device_that_came_back_goes_on_by_itself_from_where_the_listener_was(player, sound):
    back = []
    player.device_returned.connect(back.append)
    place = unplug_while_playing(player, sound, Ramp(2 * RATE))
    plug_in_again(sound)
    until(lambda: back, "the return")
    assert "goes on" in back[0]
    until(lambda: player.state is PlayState.STOPPED)
    assert sound.streams[-1].device == "Headphones"
    assert sound.streams[-1].sound_written[0, 0] * 2**22 == place.offset_samples + 1


def test_a_device_that_is_listed_but_does_not_open_is_not_back(player, sound):
    said = []
    player.device_returned.connect(said.append)
    after_samples(sound, 20_000, lambda: sound.gone.add("Speakers"))
    player.play(lambda: Ramp(2 * RATE))
    until(lambda: player.state is PlayState.PAUSED, "the pause")
    listed = sound.initialised
    until(lambda: sound.initialised >= listed + 2 or said, "two looks")
    assert not said and player.state is PlayState.PAUSED
    sound.gone.clear()
    until(lambda: said, "the return")
    assert "goes on" in said[0]


def test_what_was_stopped_while_the_device_was_away_stays_stopped(player, sound):
    back = []
    player.device_returned.connect(back.append)
    unplug_while_playing(player, sound, Ramp(2 * RATE))
    player.stop()
    plug_in_again(sound)
    until(lambda: back, "the return")
    assert "Press play" in back[0] and player.state is PlayState.STOPPED


def test_a_device_that_comes_back_much_later_waits_for_the_person(player, sound):
    back = []
    player.device_returned.connect(back.append)
    unplug_while_playing(player, sound, Ramp(2 * RATE))
    sound.clock.time_s += 1000
    plug_in_again(sound)
    until(lambda: back, "the return")
    assert "Press play" in back[0] and player.state is PlayState.PAUSED


def test_while_the_chosen_device_is_away_the_default_is_used_and_the_choice_is_kept(player, sound):
    sound.names = ["Built-in"]
    player.choose_output("Headphones")
    player.play(lambda: Ramp(4_800))
    until(lambda: player.state is PlayState.STOPPED and sound.streams)
    assert sound.streams[0].device == "Built-in"
    assert player.devices.wanted_output == "Headphones"


def test_a_write_that_never_returns_is_left_behind(player, sound):
    source = Ramp(4 * RATE)
    after_samples(sound, 20_000, lambda: sound.streams[0].held.clear())
    player.play(lambda: source)
    until(lambda: sound.streams and not sound.streams[0].held.is_set())
    time.sleep(0.05)
    sound.clock.time_s += 3.0
    until(lambda: player.snapshot().state is PlayState.PAUSED, "the pause")
    assert "does not answer" in player.snapshot().message
    player.resume()
    until(lambda: len(sound.streams) == 2 and len(sound.streams[1].sound_written) > 960, "the new stream")
    sound.streams[0].held.set()
    until(lambda: player.state is PlayState.STOPPED)


def test_without_any_device_the_playhead_moves_and_the_person_is_told():
    def missing():
        raise OSError("PortAudio library not found")

    player = Player(Devices(missing))
    try:
        source = Ramp(24_000)
        player.play(lambda: source)
        until(lambda: (place := player.snapshot().place) is not None and place.offset_samples > 960)
        assert "libportaudio2" in player.snapshot().message
        until(lambda: player.state is PlayState.STOPPED)
    finally:
        player.close()


def test_double_speed_takes_half_the_samples_and_shows_the_true_place(player, sound):
    source = Ramp(4 * RATE)
    shown = []
    player.set_speed(2.0)
    sound.on_write = lambda stream: shown.append(player.snapshot().place)
    player.play(lambda: source)
    until(lambda: player.state is PlayState.STOPPED)
    heard = len(sound.streams[0].sound_written)
    assert 1.9 * RATE < heard < 2.6 * RATE
    assert max(place.offset_samples for place in shown if place is not None) > 3.9 * RATE


def test_changing_the_speed_while_playing_skips_nothing(player, sound):
    source = Ramp(4 * RATE)
    after_samples(sound, RATE, lambda: player.set_speed(1.5))
    player.play(lambda: source)
    until(lambda: player.state is PlayState.STOPPED)
    heard = sound.streams[0].sound_written
    assert abs(len(heard) - (RATE + 3 * RATE / 1.5)) < 0.3 * RATE


def test_a_source_that_breaks_stops_playing_with_a_reason_and_the_next_plays(player, sound):
    class Broken(Ramp):
        def read(self, n):
            raise ValueError("the file is damaged")

    player.play(lambda: Broken(RATE))
    until(lambda: player.state is PlayState.STOPPED)
    assert "damaged" in player.snapshot().message
    player.play(lambda: Ramp(4_800))
    until(lambda: player.state is PlayState.STOPPED)
    assert len(sound.streams[-1].sound_written) >= 4_800


# -- as loud as the export


@pytest.fixture
def louder():
    """Plays 6 dB louder, far below the limiter."""
    mastering = Mastering()
    mastering.wish = Wish(target_for("-16"), 6.0)
    return mastering


FACTOR = np.float32(10 ** (6 / 20))


def test_louder_the_place_is_the_same_and_pausing_skips_nothing(player, sound, louder):
    source = Ramp(2 * RATE)
    after_samples(sound, 30_000, player.pause)
    player.play(lambda: Mastered(source, louder))
    until(lambda: player.state is PlayState.PAUSED and not sound.streams[0].open, "the pause")
    place = player.snapshot().place
    assert len(sound.streams[0].sound_written) - place.offset_samples == pytest.approx(0.15 * RATE, abs=2)
    player.resume()
    until(lambda: player.state is PlayState.STOPPED, "the end")
    first, rest = sound.streams[0].sound_written, sound.streams[1].sound_written
    assert np.array_equal(first, source.samples[: len(first)] * FACTOR)
    assert np.array_equal(rest[: 2 * RATE - place.offset_samples], source.samples[place.offset_samples :] * FACTOR)
    assert source.closed and player.snapshot().waits == 0


def test_louder_a_lost_device_goes_on_where_it_was(player, sound, louder):
    source = Ramp(2 * RATE)
    after_samples(sound, 40_000, lambda: sound.gone.add("Speakers"))
    player.play(lambda: Mastered(source, louder))
    until(lambda: player.state is PlayState.PAUSED, "the loss")
    place = player.snapshot().place
    sound.gone.clear()
    sound.on_write = None
    player.resume()
    until(lambda: player.state is PlayState.STOPPED, "the end")
    rest = sound.streams[-1].sound_written
    assert np.array_equal(rest[: 2 * RATE - place.offset_samples], source.samples[place.offset_samples :] * FACTOR)


def test_louder_rounds_of_a_loop_join_without_a_gap(player, sound, louder):
    sources = [Ramp(RATE) for _ in range(3)]
    waiting = iter(sources)
    after_samples(sound, 2 * RATE + 4_800, lambda: player.set_loop(False))
    player.play(lambda: Mastered(next(waiting), louder, goes_on=True), loop=True)
    until(lambda: player.state is PlayState.STOPPED, "the end")
    expected = np.concatenate([source.samples * FACTOR for source in sources])
    assert np.array_equal(sound.streams[0].sound_written[: len(expected)], expected)


@pytest.mark.parametrize("speed", [0.5, 2.0])
def test_louder_another_speed_keeps_the_length_and_the_place(player, sound, louder, speed):
    source = Ramp(2 * RATE)
    source.samples[:] = 0.1 * np.sin(2 * np.pi * 200 * np.arange(2 * RATE) / RATE)[:, None]
    places = []
    sound.on_write = lambda _: places.append((sound.clock(), player.snapshot().place))
    player.set_speed(speed)
    player.play(lambda: Mastered(source, louder))
    until(lambda: player.state is PlayState.STOPPED, "the end")
    heard = sound.streams[0].sound_written
    spoken = heard[: np.flatnonzero(np.abs(heard[:, 0]) > 0.05)[-1]]
    assert len(spoken) == pytest.approx(2 * RATE / speed, abs=0.1 * RATE)
    assert np.abs(spoken).max() == pytest.approx(0.1 * FACTOR, rel=0.02)
    times = [
        (at_s, place.offset_samples / RATE) for at_s, place in places if place and 4_800 < place.offset_samples < 90_000
    ]
    (from_s, first_s), (to_s, last_s) = times[0], times[-1]
    assert (last_s - first_s) / (to_s - from_s) == pytest.approx(speed, rel=0.05)


def test_switching_louder_while_it_plays_is_heard_and_costs_no_wait(player, sound):
    source, mastering = Ramp(2 * RATE), Mastering()
    wish = Wish(target_for("-16"), 6.0)
    after_samples(sound, 40_000, lambda: setattr(mastering, "wish", wish))
    player.play(lambda: Mastered(source, mastering))
    until(lambda: player.state is PlayState.STOPPED, "the end")
    heard = sound.streams[0].sound_written[: 2 * RATE]
    assert np.array_equal(heard[:40_000], source.samples[:40_000])
    assert np.array_equal(heard[50_000:], source.samples[50_000:] * FACTOR)
    assert player.snapshot().underruns == 0 and player.snapshot().waits == 0
