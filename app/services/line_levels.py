"""How loud one line is from moment to moment, so that the loudness of a programme can be told from its lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

import av
import numpy as np

from app.services.limiter import interpolated_peaks
from app.services.mixer import CHANNELS, RATE, Mixer
from app.services.programme import TakeReader, mix, programme

if TYPE_CHECKING:
    from app.model.block import Block
    from app.services.excerpt import Excerpt

WINDOW_SAMPLES = 480
WINDOW_S = WINDOW_SAMPLES / RATE
LOWEST_DB = -120.0
# The two filters of ITU-R BS.1770-5, annex 1, tables 1 and 2, for 48 kHz.
_WEIGHTING = (
    "b0=1.53512485958697:b1=-2.69169618940638:b2=1.19839281085285:a0=1:a1=-1.69065929318241:a2=0.73248077421585",
    "b0=1:b1=-2:b2=1:a0=1:a1=-1.99004745483398:a2=0.99007225036621",
)
_BEFORE, _AFTER = 15, 16  # samples that the interpolation of peaks looks at around one


class _Weighting:
    """The weighting of loudness, in a stream: float32 `[n, 2]` to float64 `[n, 2]`."""

    def __init__(self) -> None:
        graph = av.filter.Graph()
        self._source = graph.add_abuffer(sample_rate=RATE, format="dblp", layout="stereo", time_base=Fraction(1, RATE))
        last = self._source
        for coefficients in _WEIGHTING:
            each = graph.add("biquad", coefficients)
            last.link_to(each)
            last = each
        self._sink = graph.add("abuffersink")
        last.link_to(self._sink)
        graph.configure()
        self._graph = graph
        self._at = 0

    def feed(self, samples: np.ndarray) -> np.ndarray:
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples.T, np.float64), "dblp", "stereo")
        frame.sample_rate, frame.pts, frame.time_base = RATE, self._at, Fraction(1, RATE)
        self._at += len(samples)
        self._source.push(frame)
        made = []
        while True:
            try:
                made.append(self._sink.pull().to_ndarray().T)
            except (av.error.BlockingIOError, av.error.EOFError):
                return np.concatenate(made) if made else np.zeros((0, CHANNELS))


def levels_of(sound: Iterator[np.ndarray]) -> np.ndarray:
    """Levels of stereo sound at 48 kHz for every 10 ms.

    Args:
        sound: float32 `[n, 2]` each.

    Returns:
        float16 `[windows, 3]` in dB: loudness by BS.1770 without its offset, power over both channels, true peak.
    """
    weighting = _Weighting()
    found = []
    waiting = np.zeros((_BEFORE, CHANNELS), np.float32)  # the first samples of it were measured already
    for samples in sound:
        waiting = np.concatenate((waiting, samples))
        cut = (len(waiting) - _BEFORE - _AFTER) // WINDOW_SAMPLES * WINDOW_SAMPLES
        if cut > 0:
            found.append(_levels(waiting[: _BEFORE + cut + _AFTER], weighting))
            waiting = waiting[cut:]
    left = -(-(len(waiting) - _BEFORE) // WINDOW_SAMPLES) * WINDOW_SAMPLES
    if left:
        end = np.zeros((_BEFORE + left + _AFTER - len(waiting), CHANNELS), np.float32)
        found.append(_levels(np.concatenate((waiting, end)), weighting))
    return np.concatenate(found) if found else np.zeros((0, 3), np.float16)


def _levels(samples: np.ndarray, weighting: _Weighting) -> np.ndarray:
    peaks = interpolated_peaks(samples).reshape(-1, WINDOW_SAMPLES).max(axis=1).astype(np.float64)
    plain = samples[_BEFORE : len(samples) - _AFTER]
    powers = [
        np.square(each, dtype=np.float64).sum(axis=1).reshape(-1, WINDOW_SAMPLES).mean(axis=1)
        for each in (weighting.feed(plain), plain)
    ]
    lowest = 10.0 ** (LOWEST_DB / 10.0)
    columns = [10.0 * np.log10(np.maximum(each, lowest)) for each in (*powers, np.square(peaks))]
    return np.stack(columns, axis=1).astype(np.float16)


def line_levels(excerpt: Excerpt, block: Block, take_reader: TakeReader, check: Callable[[], None]) -> np.ndarray:
    """`levels_of` a line as it is heard, from its first to its last speech and before its gain.

    Args:
        check: asked now and then; may raise to end this.
    """
    mixer = Mixer()
    actions = programme(
        excerpt,  # type: ignore[arg-type]
        [block.id],
        take_reader,
        excerpt.plan,
        gain_db=lambda each: -excerpt.settings.gain_db(each),
    )

    start, position = 0, 0

    def sound() -> Iterator[np.ndarray]:
        nonlocal start, position
        for samples in mix(actions, mixer):
            check()
            at, position = position, position + len(samples)
            span = mixer.spans[0] if mixer.spans else mixer.open_span
            if span is not None and position > span.start_sample:
                start = span.start_sample
                yield samples[max(0, start - at) :]

    levels = levels_of(sound())
    end = max((span.end_sample for span in mixer.spans), default=0)
    return levels[: -(-max(0, end - start) // WINDOW_SAMPLES)]
