"""Where speech is heard in what was rendered: the borders of subtitles, whatever the level of a voice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from app.services.mixer import RATE, Span, TrimRule

_WINDOW = 240  # 5 ms
_RULE = TrimRule()
_HEAD = round(_RULE.head_ms / 1_000 * RATE) // _WINDOW  # windows that the mixer keeps before and after speech
_TAIL = round(_RULE.tail_ms / 1_000 * RATE) // _WINDOW
_BELOW_DB = 32.0  # a sound that far below the louder syllables of its piece begins to be heard
_LOWEST_DB, _HIGHEST_DB = -60.0, -40.0
_OVER_TONE_DB = 6.0
_LOUDER = 90  # percent of the windows of a piece that are no louder than its louder syllables
_SILENT_DB = -120


class EdgeFinder:
    """Takes in a programme as it is mixed, and finds the borders of its pieces.

    The mixer cuts silence by a threshold in full scale, and keeps a few hundredths of a second around what it calls
    speech, so that faint consonants survive. How much of a quiet or a loud voice lies in them is seen only here.

    Memory: a byte for 5 ms.
    """

    def __init__(self, room_tone_db: float | None = None) -> None:
        self._lowest_db = _LOWEST_DB if room_tone_db is None else max(_LOWEST_DB, room_tone_db + _OVER_TONE_DB)
        self._levels: list[np.ndarray] = []
        self._rest = np.zeros((0, 2), np.float32)

    def feed(self, samples: np.ndarray) -> None:
        """float32 `[n, 2]`; any split finds the same."""
        waiting = np.concatenate((self._rest, samples))
        whole = len(waiting) // _WINDOW * _WINDOW
        self._rest = waiting[whole:]
        if whole:
            power = np.square(waiting[:whole], dtype=np.float64).reshape(-1, _WINDOW * 2).mean(axis=1)
            levels = np.rint(10.0 * np.log10(np.maximum(power, 10.0 ** (_SILENT_DB / 10.0))))
            self._levels.append(np.minimum(levels, 0.0).astype(np.int8))

    def edges(self, spans: Sequence[Span]) -> tuple[Span, ...]:
        """The spans of the mixer with the borders that are heard, to 5 ms; none moves further than what was kept."""
        levels = np.concatenate(self._levels) if self._levels else np.zeros(0, np.int8)
        found: list[Span] = []
        free = 0  # the first window that no piece has yet
        for at, span in enumerate(spans):
            first, last = span.start_sample // _WINDOW, min(len(levels), -(-span.end_sample // _WINDOW))
            behind = spans[at + 1].start_sample // _WINDOW if at + 1 < len(spans) else len(levels)
            loud_db = float(np.percentile(levels[first:last], _LOUDER)) if last - first > 1 else _SILENT_DB
            if loud_db > self._lowest_db:
                heard_db = min(max(loud_db - _BELOW_DB, self._lowest_db), _HIGHEST_DB)
                start = _start(levels, heard_db, first, max(free, first - _HEAD), min(last, first + _HEAD))
                end = _end(levels, heard_db, last, max(start, last - _TAIL), max(last, min(behind, last + _TAIL)))
                if start != first:
                    span = replace(span, start_sample=start * _WINDOW)
                if end != last:
                    span = replace(span, end_sample=end * _WINDOW)
                free = end
            found.append(span)
        return tuple(found)


def _start(levels: np.ndarray, heard_db: float, at: int, lowest: int, highest: int) -> int:
    """From the window `at` back to where sound begins, or on to it; `at` where that is not in reach."""
    if levels[at] >= heard_db:
        while at > lowest and levels[at - 1] >= heard_db:
            at -= 1
        return at
    ahead = np.flatnonzero(levels[at:highest] >= heard_db)
    return at + int(ahead[0]) if len(ahead) else at


def _end(levels: np.ndarray, heard_db: float, at: int, lowest: int, highest: int) -> int:
    """As `_start`, for the window after the last one."""
    if levels[at - 1] >= heard_db:
        while at < min(highest, len(levels)) and levels[at] >= heard_db:
            at += 1
        return at
    before = np.flatnonzero(levels[lowest:at] >= heard_db)
    return lowest + int(before[-1]) + 1 if len(before) else at
