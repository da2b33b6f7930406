"""A source for the player as loud as its export: the same samples at the same times, with gain and limiter."""

from __future__ import annotations

import math

import numpy as np

from app.services.loudness import SILENCE_DB, LoudnessMeter, LoudnessTarget, gain_for
from app.services.master import Master, Mastering
from app.services.mixer import CHANNELS, RATE
from app.services.playing import BLOCK_SAMPLES, Place, Source

_EMPTY = np.zeros((0, CHANNELS), np.float32)
_FADE_SAMPLES = RATE // 20
# Rising half of a cosine: how much of what is heard is mastered while it is switched.
_SHARES = (0.5 - 0.5 * np.cos(np.pi * np.arange(_FADE_SAMPLES + 1) / _FADE_SAMPLES)).astype(np.float32)[:, None]
# Loudness is measured in windows of 0.4 s; a few of them say how loud somebody speaks.
_ESTIMATED_OVER_SAMPLES = RATE * 6 // 10
_SPEECH_LUFS = -50.0


class Mastered:
    """Reads ahead of the player as far as the limiter looks, so that sample n of the source is sample n here.

    Off, samples are handed through as they are. Switched on or off they go over from one to the other within 50 ms.
    While no gain is known, the first speech says it.

    Attributes: those of `Source`.
    """

    def __init__(self, source: Source, mastering: Mastering, *, goes_on: bool = False) -> None:
        """
        Args:
            goes_on: it follows another without a gap, so that its gain starts with that.
        """
        self._source, self._mastering, self._goes_on = source, mastering, goes_on
        self._raw, self._made = _EMPTY, _EMPTY  # read but not returned; what is mastered of it
        self._master: Master | None = None
        self._share = 0  # place in `_SHARES`
        self._started = self._ended = False

    @property
    def ready_samples(self) -> int:
        read = len(self._raw)
        there = self._source.ready_samples + read
        if self._source.complete:
            return there
        if self._master is not None:
            return max(0, there - Master.HELD_SAMPLES)
        return there if self._started or self._mastering.wish is None else max(0, there - self._needed())

    @property
    def complete(self) -> bool:
        return self._source.complete

    @property
    def remaining_s(self) -> float:
        return self._source.remaining_s

    @property
    def problem(self) -> str:
        return self._source.problem

    def place(self, sample: int) -> Place | None:
        return self._source.place(sample)

    def close(self) -> None:
        self._source.close()

    def read(self, n: int) -> np.ndarray | None:
        if self._master is None and self._mastering.wish is not None and not self._begin():
            return _EMPTY
        if self._master is not None:
            return self._read_mastered(self._master, n)
        if not len(self._raw):
            block = None if self._ended else self._source.read(n)
            self._started = self._started or (block is not None and len(block) > 0)
            return block
        block, self._raw = self._raw[:n], self._raw[n:]
        self._started = True
        return block

    def _read_mastered(self, master: Master, n: int) -> np.ndarray | None:
        wish = self._mastering.wish
        if wish is not None:
            master.aim(master.gain_db if wish.gain_db is None else wish.gain_db, wish.target.true_peak_db)
        while len(self._made) < n and not self._ended:
            block = self._source.read(BLOCK_SAMPLES)
            if block is not None and not len(block):
                break
            self._take_in(master, block)
        made, self._made = self._made[:n], self._made[n:]
        raw, self._raw = self._raw[: len(made)], self._raw[len(made) :]
        if not len(made):
            return None if self._ended else _EMPTY
        self._started = True
        self._mastering.heard_db = master.gain_db
        made = self._faded(raw, made, 1 if wish is not None else -1)
        if wish is None and not self._share:
            self._master, self._made = None, _EMPTY
        return made

    def _faded(self, raw: np.ndarray, made: np.ndarray, direction: int) -> np.ndarray:
        goal = _FADE_SAMPLES if direction > 0 else 0
        if self._share == goal:
            return made if goal else raw
        places = np.clip(self._share + direction * np.arange(1, len(made) + 1), 0, _FADE_SAMPLES)
        self._share = int(places[-1])
        shares = _SHARES[places]
        mixed = raw + (made - raw) * shares
        # What is wholly one or the other is so to the bit.
        return np.where(shares == 1.0, made, np.where(shares == 0.0, raw, mixed))

    def _take_in(self, master: Master, block: np.ndarray | None) -> None:
        if block is None:
            self._ended = True
            self._made = np.concatenate((self._made, master.flush()))
            return
        self._raw = np.concatenate((self._raw, block))
        self._made = np.concatenate((self._made, master.feed(block)))

    def _first_gain_db(self) -> float | None:
        """What is known without listening; None: speech must be heard first."""
        wish, heard_db = self._mastering.wish, self._mastering.heard_db
        if self._goes_on and not self._started and heard_db is not None:
            return heard_db
        return heard_db if wish is None or wish.gain_db is None else wish.gain_db

    def _needed(self) -> int:
        """Samples that must be there to begin."""
        return Master.HELD_SAMPLES if self._first_gain_db() is not None else _ESTIMATED_OVER_SAMPLES

    def _begin(self) -> bool:
        """Start to master, if that can be; False: before the first sample there must be more of them."""
        wish, needed = self._mastering.wish, self._needed()
        while len(self._raw) < needed and not self._ended:
            block = self._source.read(BLOCK_SAMPLES)
            if block is None:
                self._ended = True
            elif len(block):
                self._raw = np.concatenate((self._raw, block))
            else:
                # What is heard already goes on as it is until there is enough.
                return self._started
        gain_db = self._first_gain_db()
        if wish is not None and gain_db is None:
            gain_db = estimated_gain_db(self._raw, wish.target, whole=self._ended)
        if wish is None or gain_db is None or not len(self._raw):
            return True
        self._master = master = Master(gain_db, wish.target.true_peak_db)
        self._share = 0 if self._started else _FADE_SAMPLES
        self._made = master.feed(self._raw)
        if self._ended:
            self._take_in(master, None)
        return True


def estimated_gain_db(samples: np.ndarray, target: LoudnessTarget, *, whole: bool) -> float | None:
    """The gain that a programme needs which goes on as these samples, float32 `[n, 2]`, begin.

    None where there is no speech, or, unless it is the whole, too little to tell.
    """
    heard = np.flatnonzero(np.abs(samples).max(axis=1, initial=0.0) > 10.0 ** (_SPEECH_LUFS / 20.0))
    if not len(heard):
        return None
    spoken = samples[heard[0] : heard[-1] + 1]
    if len(spoken) < _ESTIMATED_OVER_SAMPLES // 2 and not whole:
        return None
    # Short speech is measured as if it went on.
    times = math.ceil(RATE / len(spoken))
    meter = LoudnessMeter(RATE, CHANNELS, true_peak=False)
    meter.feed(np.concatenate([spoken] * times))
    measured = meter.result()
    if measured.lufs <= max(SILENCE_DB, _SPEECH_LUFS):
        return None
    return gain_for(measured, target)
