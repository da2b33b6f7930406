"""The master stage of playback: gain and true-peak limiter, in a stream, in place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.services.limiter import HELD_SAMPLES, Limiter
from app.services.loudness import LoudnessTarget
from app.services.mixer import CHANNELS, RATE, gain_factor

_BLOCK = 1_024
_MOVES_DB_PER_S = 6.0  # slower than anybody hears as a step, and there within a sentence
_MOVES_DB = _MOVES_DB_PER_S * _BLOCK / RATE
_ALONG = (np.arange(1, _BLOCK + 1, dtype=np.float32) / np.float32(_BLOCK))[:, None]


@dataclass(frozen=True)
class Wish:
    """How loud playback shall be. `gain_db`: what brings the programme there; None while nothing of it was measured."""

    target: LoudnessTarget
    gain_db: float | None = None


class Mastering:
    """What is wished of the sound that is played. Set on one thread, read by the player's.

    Attributes:
        wish: None leaves every sample as it is.
        heard_db: the gain that was heard last; None before there was one.
    """

    def __init__(self) -> None:
        self.wish: Wish | None = None
        self.heard_db: float | None = None


class Master:
    """Gain and limiter for stereo sound at 48 kHz; with a gain that stands still, to the bit those of an export but for
    the limiter's roundings.

    Works on blocks of a fixed size, so that the way it is fed changes no bit. All that goes in comes out, in place.

    Attributes:
        HELD_SAMPLES: most that is held back.
        gain_db: now.
    """

    HELD_SAMPLES = _BLOCK + HELD_SAMPLES

    def __init__(self, gain_db: float, ceiling_db: float) -> None:
        self.gain_db = gain_db
        self._wanted_db = gain_db
        self._ceiling_db = ceiling_db
        self._limiter = Limiter(CHANNELS, RATE, ceiling_db, block=_BLOCK)
        self._fed = np.zeros((0, CHANNELS), np.float32)

    def aim(self, gain_db: float, ceiling_db: float) -> None:
        """Go there without a click, from the next block on."""
        self._wanted_db = gain_db
        if ceiling_db != self._ceiling_db:
            self._ceiling_db = ceiling_db
            self._limiter.set_ceiling(ceiling_db)

    def feed(self, samples: np.ndarray) -> np.ndarray:
        """float32 `[n, 2]` in, what is finished out."""
        fed = np.concatenate((self._fed, samples))
        cut = len(fed) // _BLOCK * _BLOCK
        self._fed = fed[cut:]
        if not cut:
            return samples[:0]
        return np.concatenate([self._block(fed[at : at + _BLOCK]) for at in range(0, cut, _BLOCK)])

    def flush(self) -> np.ndarray:
        """The rest."""
        return np.concatenate((self._block(self._fed), self._limiter.flush()))

    def _block(self, samples: np.ndarray) -> np.ndarray:
        before, missing_db = gain_factor(self.gain_db), self._wanted_db - self.gain_db
        if not missing_db:
            return self._limiter.feed(samples * before)
        there = abs(missing_db) <= _MOVES_DB
        self.gain_db = self._wanted_db if there else self.gain_db + (_MOVES_DB if missing_db > 0.0 else -_MOVES_DB)
        factors = before + (gain_factor(self.gain_db) - before) * _ALONG[: len(samples)]
        return self._limiter.feed(samples * factors)
