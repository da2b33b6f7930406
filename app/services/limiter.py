"""A true-peak limiter: looks ahead, works in a stream, and leaves everything under its ceiling untouched."""

from __future__ import annotations

import numpy as np

_BLOCK = 4_096
_AHEAD = 255  # 5.3 ms at 48 kHz: the gain is down before the peak comes
_TAPS = 32  # of each of the three interpolated points between two samples
MARGIN_DB = 0.05  # what a moving gain can add between two samples
RELEASE_DB_PER_S = 60.0
HELD_SAMPLES = _AHEAD + _TAPS  # most that is held back beside what no block is full of


def _phases() -> np.ndarray:
    """Windowed-sinc filters for the points ¼, ½ and ¾ after a sample, float32 `[_TAPS, 3]`."""
    offsets = np.arange(_TAPS)[:, None] - (_TAPS // 2 - 1) - np.array([0.25, 0.5, 0.75])
    window = np.i0(9.0 * np.sqrt(np.maximum(0.0, 1.0 - (offsets / (_TAPS / 2)) ** 2))) / np.i0(9.0)
    taps = np.sinc(offsets) * window
    return (taps / taps.sum(axis=0)).astype(np.float32)


_PHASES = _phases()
# No interpolated point can be larger than the largest sample times this.
_MOST_OVERSHOOT = float(np.abs(_PHASES).sum(axis=0).max())


def interpolated_peaks(samples: np.ndarray) -> np.ndarray:
    """Highest level from each sample to the next, over all channels, at four times the rate (ITU-R BS.1770-5, annex 2).

    Args:
        samples: float32 `[n + _TAPS - 1, channels]`.

    Returns:
        float32 `[n]` for the samples from `_TAPS // 2 - 1` on.
    """
    n_samples = len(samples) - _TAPS + 1
    first = _TAPS // 2 - 1
    channels = samples.shape[1]
    if channels == 2 and np.array_equal(samples[:, 0], samples[:, 1]):
        channels = 1
    peaks = np.zeros(n_samples, np.float32)
    for channel in range(channels):
        sound = np.ascontiguousarray(samples[:, channel])
        windows = np.lib.stride_tricks.sliding_window_view(sound, _TAPS)
        # Points by rows: numpy is slow at taking the greatest of many short rows.
        between = _PHASES.T @ windows.T
        for points in (sound[first : first + n_samples], *between):
            np.maximum(peaks, np.abs(points), out=peaks)
    return peaks


class TruePeakMeter:
    """Highest true peak of a stream. Attributes: `peak`, a share of full scale."""

    def __init__(self, channels: int) -> None:
        self.peak = 0.0
        self._past = np.zeros((_TAPS - 1, channels), np.float32)

    def feed(self, samples: np.ndarray) -> None:
        """float32 `[n, channels]`."""
        for at in range(0, len(samples), _BLOCK):
            joined = np.concatenate((self._past, samples[at : at + _BLOCK]))
            if np.abs(joined).max() * _MOST_OVERSHOOT > self.peak:
                self.peak = max(self.peak, float(interpolated_peaks(joined).max()))
            self._past = joined[1 - _TAPS :]

    def flush(self) -> None:
        self.feed(np.zeros((_TAPS, self._past.shape[1]), np.float32))


class Limiter:
    """Keeps the true peak of a stream under a ceiling.

    The gain falls in a straight line of decibels over the look-ahead and recovers at a steady rate. Audio is worked on
    in
    blocks of a fixed size, so that the way it is fed changes no bit. All that goes in comes out, in place.

    Args:
        block: samples worked on at once; fewer are held back for a shorter time.

    Attributes:
        reduced_db: the deepest gain so far, ≤ 0.
    """

    def __init__(
        self,
        channels: int,
        rate: int,
        ceiling_db: float,
        *,
        release_db_per_s: float = RELEASE_DB_PER_S,
        block: int = _BLOCK,
    ) -> None:
        self.reduced_db = 0.0
        self.set_ceiling(ceiling_db)
        self._block_n = block
        self._rise = release_db_per_s / rate
        self._channels = channels
        self._fed: list[np.ndarray] = []
        self._fed_n = 0
        self._n_in = self._n_out = 0
        self._past = np.zeros((_TAPS // 2 - 1, channels), np.float32)  # samples whose peaks are not known yet
        self._waiting = np.zeros((0, channels), np.float32)  # not returned yet
        self._gain_db = np.zeros(_AHEAD)  # from `_AHEAD` before the first waiting sample on
        self._last_db = 0.0

    def set_ceiling(self, ceiling_db: float) -> None:
        """Of what was not looked at yet; the gain goes there as it goes for a peak."""
        self._ceiling_db = ceiling_db - MARGIN_DB
        self._ceiling = 10.0 ** (self._ceiling_db / 20.0)

    def feed(self, samples: np.ndarray) -> np.ndarray:
        """float32 `[n, channels]` in, what is finished out."""
        self._fed.append(samples)
        self._fed_n += len(samples)
        self._n_in += len(samples)
        block = self._block_n
        if self._fed_n < block:
            return samples[:0]
        whole = np.concatenate(self._fed)
        cut = len(whole) // block * block
        self._fed, self._fed_n = [whole[cut:]], len(whole) - cut
        return np.concatenate([self._block(whole[at : at + block]) for at in range(0, cut, block)])

    def flush(self) -> np.ndarray:
        """The rest."""
        missing = self._n_in - self._n_out
        more = self._block_n + HELD_SAMPLES  # at least a block more than is held
        rest = self.feed(np.zeros((more, self._channels), np.float32))
        return rest[:missing]

    def _block(self, fresh: np.ndarray) -> np.ndarray:
        joined = np.concatenate((self._past, fresh))
        self._past = joined[1 - _TAPS :]
        self._waiting = np.concatenate((self._waiting, fresh))
        if len(joined) < _TAPS:
            return fresh[:0]
        needed = self._needed_db(joined)
        # min(needed, last + rise) along the block, as a running minimum against the steady rise.
        line = self._rise * np.arange(1, len(needed) + 1)
        gain_db = np.minimum(np.minimum.accumulate(np.minimum(needed - line, self._last_db)) + line, 0.0)
        self._last_db = float(gain_db[-1])
        self._gain_db = np.concatenate((self._gain_db, gain_db))
        n_ready = len(self._gain_db) - 2 * _AHEAD
        if n_ready <= 0:
            return fresh[:0]
        out = self._waiting[:n_ready]
        if self._gain_db.min() < 0.0:
            smooth = self._smooth(self._gain_db)
            self.reduced_db = min(self.reduced_db, float(smooth.min()))
            out = out * (10.0 ** (smooth / 20.0)).astype(np.float32)[:, None]
        self._waiting = self._waiting[n_ready:]
        self._gain_db = self._gain_db[n_ready:]
        self._n_out += n_ready
        return out

    def _needed_db(self, joined: np.ndarray) -> np.ndarray:
        """Gain that brings every peak under the ceiling, float64 `[n]`."""
        n_samples = len(joined) - _TAPS + 1
        if np.abs(joined).max() * _MOST_OVERSHOOT <= self._ceiling:
            return np.zeros(n_samples)
        peaks = interpolated_peaks(joined).astype(np.float64)
        return np.minimum(0.0, self._ceiling_db - 20.0 * np.log10(np.maximum(peaks, 1e-9)))

    @staticmethod
    def _smooth(gain_db: np.ndarray) -> np.ndarray:
        """Lowest gain of the look-ahead, averaged over as many samples: never above what the peak in its middle
        needs."""
        lowest = gain_db
        width = 1
        while width < _AHEAD + 1:
            lowest = np.minimum(lowest[:-width], lowest[width:])
            width *= 2
        total = np.concatenate(([0.0], np.cumsum(lowest)))
        return np.minimum((total[_AHEAD + 1 :] - total[: -_AHEAD - 1]) / (_AHEAD + 1), 0.0)
