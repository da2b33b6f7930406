"""A block made to last as long as was asked: a small, pitch-keeping stretch of its speech, exact to the sample."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from app.services.mixer import RATE, TrimRule, speech_bounds

MOST_STRETCH = 0.08  # beyond this a voice starts to sound handled
NEAR_ENOUGH_S = 0.01

_WINDOW = 1_440  # 30 ms: two or three periods of a low voice
_HOP = _WINDOW // 2
_SEARCH = 480  # ±10 ms: one period of a voice of 100 Hz


@dataclass(frozen=True)
class Fit:
    """How a block meets its length.

    Attributes:
        ratio: length of the stretched speech / length of the speech; within 1 ± 0.08.
        miss_s: what still differs from the target: positive is too long, negative too short, 0 fits.
    """

    ratio: float
    miss_s: float

    @property
    def fits(self) -> bool:
        return abs(self.miss_s) <= 0.05


def fit(speech_s: float, pauses_s: float, target_s: float) -> Fit:
    """The stretch that brings `speech_s` of speech with `pauses_s` of pauses inside nearest to `target_s`; pauses
    stay."""
    if speech_s <= 0.0:
        return Fit(1.0, pauses_s - target_s)
    wanted = (target_s - pauses_s) / speech_s
    ratio = min(1.0 + MOST_STRETCH, max(1.0 - MOST_STRETCH, wanted))
    if abs(speech_s + pauses_s - target_s) <= NEAR_ENOUGH_S:
        ratio = 1.0
    miss_s = speech_s * ratio + pauses_s - target_s
    return Fit(ratio, 0.0 if abs(miss_s) <= NEAR_ENOUGH_S else miss_s)


class Fitted:
    """The pieces of one block, stretched so that the block lasts what was asked, and the silence it takes beyond that.

    Iterating gives the pieces, each a list of one float32 `[n, 2]`. The whole block is read before the first comes out,
    since its length decides the stretch; the same audio comes out whether a piece is read from a finished take or came
    with more silence at its end while it was being made.

    Attributes:
        rest_s: when all pieces came out, what the block still lacks: silence of that length belongs after it, so that
            whatever follows begins at its time. 0 where the block fits or is too long.
    """

    def __init__(
        self,
        pieces: Iterable[Iterable[np.ndarray]],
        pauses_s: Callable[[int], float],
        target_s: float,
        rule: TrimRule | None = None,
    ) -> None:
        """
        Args:
            pieces: chunks of each piece, float32 `[n, 2]`.
            pauses_s: seconds of silence that the mixer will put between the pieces, by how many there are.
        """
        self._pieces, self._pauses_s, self._target_s = pieces, pauses_s, target_s
        self._rule = rule or TrimRule()
        self.rest_s = 0.0

    def __iter__(self) -> Iterator[list[np.ndarray]]:
        rule = self._rule
        whole = [
            np.concatenate(chunks) if (chunks := list(piece)) else np.zeros((0, 2), np.float32)
            for piece in self._pieces
        ]
        if not whole:
            return
        bounds = [speech_bounds(samples, rule) or (0, 0) for samples in whole]
        pauses_s = self._pauses_s(len(whole))
        ratio = fit(sum(end - start for start, end in bounds) / RATE, pauses_s, self._target_s).ratio
        left = round((self._target_s - pauses_s) * RATE)
        tail = round(rule.hold_ms * RATE / 1000)
        for samples, (start, end) in zip(whole, bounds, strict=True):
            speech = stretch_to(samples[start:end], round((end - start) * ratio))
            made = np.concatenate((samples[:start], speech, samples[end : end + tail])) if end else samples[:0]
            # Asked again: the edges of a stretch may fall a window earlier or later, and that adds up over many pieces.
            first, last = speech_bounds(made, rule) or (0, 0)
            left -= last - first
            yield [made]
        self.rest_s = max(0, left) / RATE


def stretch_to(samples: np.ndarray, n_samples: int) -> np.ndarray:
    """`samples` (float32 `[n, channels]`) played in exactly `n_samples` samples with the pitch kept.

    Waveform-similarity overlap-add (Verhelst and Roelands 1993): windows of 30 ms are laid down at even distances, each
    taken from where it continues the one before best, within 10 ms of where it should be.
    """
    n_in = len(samples)
    if n_samples == n_in or not n_in or n_samples <= 0:
        return samples[:n_samples]
    pad = _WINDOW + _SEARCH
    padded = np.pad(samples, ((pad, pad + _HOP), (0, 0)))
    mono = padded.sum(axis=1, dtype=np.float64)
    squares = np.concatenate(([0.0], np.cumsum(mono * mono)))
    window = (0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(_WINDOW) / _WINDOW)).astype(np.float32)[:, None]
    steps = -(-n_samples // _HOP) + 1
    out = np.zeros((steps * _HOP + _WINDOW, samples.shape[1]), np.float32)
    at = pad - _HOP
    for step in range(steps):
        # Window `step` covers the output from (step - 1) * _HOP; its middle maps to the same share of the input.
        ideal = pad - _HOP + round(step * _HOP * n_in / n_samples)
        ideal = min(ideal, len(padded) - _WINDOW - _SEARCH)
        if 0 < step < steps - 1:
            at = _best_place(mono, squares, at + _HOP, ideal)
        else:
            at = ideal
        out[step * _HOP : step * _HOP + _WINDOW] += padded[at : at + _WINDOW] * window
    return out[_HOP : _HOP + n_samples]


def _best_place(mono: np.ndarray, squares: np.ndarray, follows: int, ideal: int) -> int:
    """Where within the search range the sound is most like what would follow the window before."""
    low = max(0, ideal - _SEARCH)
    wanted = mono[follows : follows + _WINDOW]
    field = mono[low : ideal + _SEARCH + len(wanted)]
    size = 1 << (len(field) + len(wanted) - 1).bit_length()
    likeness = np.fft.irfft(np.fft.rfft(field, size) * np.conj(np.fft.rfft(wanted, size)), size)
    places = len(field) - len(wanted) + 1
    energy = squares[low + len(wanted) : low + len(wanted) + places] - squares[low : low + places]
    return low + int(np.argmax(likeness[:places] / np.sqrt(np.maximum(energy, 1e-9))))
