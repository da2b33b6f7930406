"""The player on a real sound server: what arrives is what was made."""

from __future__ import annotations

import time

import numpy as np
import pytest

from app.services.devices import Devices
from app.services.player import Player
from app.services.playing import Place, PlayState

pytestmark = pytest.mark.sound
RATE = 48_000


class Fixed:
    """A source of given samples of which more becomes ready as time goes by."""

    problem = ""
    remaining_s = 0.0

    def __init__(self, samples, made_a_second=None):
        self.samples, self.at = samples, 0
        self.speed = made_a_second
        self.since_s = time.monotonic()

    @property
    def made(self):
        if self.speed is None:
            return len(self.samples)
        return min(len(self.samples), int((time.monotonic() - self.since_s) * self.speed))

    @property
    def ready_samples(self):
        return self.made - self.at

    @property
    def complete(self):
        return self.made == len(self.samples)

    def read(self, n):
        if self.at == len(self.samples):
            return None
        block = self.samples[self.at : min(self.at + n, self.made)]
        self.at += len(block)
        return block

    def place(self, sample):
        return Place("block", sample)

    def close(self):
        pass


def noise(seconds, seed=1):
    """Different everywhere, and on the 24-bit grid, so that any lost or doubled sample shows."""
    rng = np.random.default_rng(seed)
    samples = rng.integers(-(2**21), 2**21, (int(seconds * RATE), 2)) / 2**23
    samples[samples == 0] = 2**-23
    return samples.astype(np.float32)


@pytest.fixture
def player(sound_server):
    made = Player(Devices())
    yield made
    made.close()


def until(true, what, seconds=20):
    ends_at_s = time.monotonic() + seconds
    while time.monotonic() < ends_at_s:
        if true():
            return
        time.sleep(0.01)
    raise AssertionError(f"{what} did not happen")


def heard(recorded):
    """What was recorded from the first to the last sample of sound."""
    loud = np.flatnonzero(np.abs(recorded).sum(axis=1))
    assert len(loud), "nothing arrived"
    return recorded[loud[0] : loud[-1] + 1]


def played_through(sound_server, player, source):
    """What arrives, without an underrun: where other programs held all processors for a moment, it is played again."""
    for _ in range(3):
        before = player.snapshot().underruns
        tape = sound_server.record()
        player.play(source)
        until(lambda: player.state is PlayState.STOPPED, "the end")
        arrived = heard(sound_server.recorded(tape))
        if player.snapshot().underruns == before:
            return arrived
    raise AssertionError("underruns each time")


def test_what_arrives_is_the_take_sample_for_sample(sound_server, player):
    samples = noise(3.0)
    arrived = played_through(sound_server, player, lambda: Fixed(samples))
    assert arrived.shape == samples.shape
    assert np.array_equal(arrived, samples)


def test_speech_that_is_made_while_it_is_heard_arrives_without_a_gap(sound_server, player):
    samples = noise(3.0)
    arrived = played_through(sound_server, player, lambda: Fixed(samples, made_a_second=1.5 * RATE))
    assert player.snapshot().waits == 0
    assert np.array_equal(arrived, samples)


def test_pausing_and_resuming_loses_nothing(sound_server, player):
    samples = noise(3.0)
    tape = sound_server.record()
    player.play(lambda: Fixed(samples))
    until(lambda: (place := player.snapshot().place) is not None and place.offset_samples > RATE, "a second")
    player.pause()
    time.sleep(0.4)
    place = player.snapshot().place
    player.resume()
    until(lambda: player.state is PlayState.STOPPED, "the end")
    arrived = heard(sound_server.recorded(tape))
    # The end arrives whole from where the playhead stood at the pause.
    rest = samples[place.offset_samples :]
    assert np.array_equal(arrived[-len(rest) :], rest)
    # What had arrived before the pause is the beginning, and the playhead was at its end, but for what the server
    # itself
    # holds (up to 46 ms here), which PortAudio cannot know.
    silent = np.flatnonzero(np.abs(arrived).sum(axis=1) == 0)
    before = silent[0]
    assert np.array_equal(arrived[:before], samples[:before])
    assert abs(before - place.offset_samples) <= 0.06 * RATE


def test_playing_pauses_when_the_sink_goes_and_goes_on_by_itself_when_it_is_back(sound_server, player):
    samples = noise(6.0)
    player.play(lambda: Fixed(samples))
    until(lambda: (place := player.snapshot().place) is not None and place.offset_samples > RATE, "a second")
    sound_server.remove_sink()
    until(lambda: player.snapshot().state is PlayState.PAUSED, "the pause")
    place = player.snapshot().place
    assert player.snapshot().message
    sound_server.add_sink()
    tape = sound_server.record()
    until(lambda: player.state is PlayState.STOPPED, "the end")
    arrived = heard(sound_server.recorded(tape))
    rest = samples[place.offset_samples :]
    # The recorder needs a moment to find the new sink; from there on every sample is there, once and in order.
    missed = len(rest) - len(arrived)
    assert 0 <= missed < 2 * RATE
    assert np.array_equal(arrived, rest[missed:])


def test_the_shown_position_is_what_is_heard(sound_server, player):
    """Samples tell their own number, so what arrives at the monitor tells where the sound is at that moment."""
    numbers = np.arange(1, 4 * RATE + 1, dtype=np.float32) / 2**24
    monitor = sound_server.listen()
    player.play(lambda: Fixed(np.repeat(numbers[:, None], 2, axis=1)))
    ahead = []
    while player.state is not PlayState.STOPPED:
        arrived = monitor.newest()
        place = player.snapshot().place
        if arrived is not None and place is not None:
            number = round(float(arrived) * 2**24)
            if RATE < number < 3 * RATE:
                ahead.append(place.offset_samples - number)
    monitor.close()
    assert len(ahead) > 20
    assert abs(np.median(ahead)) <= 0.02 * RATE, np.percentile(ahead, [0, 25, 50, 75, 100]) / 48
