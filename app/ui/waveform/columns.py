"""From blocks and their shapes to what every pixel column of the waveform shows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from app.services.overview import Overview
from app.services.timeline import Timeline
from engine import SAMPLE_RATE

FEW_ROWS = 100
_MINI = 16
_AT_ONCE_S = 0.002  # of looking within one drawing
NEUTRAL = "#8a948f"  # of what no voice is known for


@dataclass
class Columns:
    """One entry a pixel column.

    Attributes:
        low, high: float32, -1..1; both 0 where there is no sound. row: number of the row in the timeline, -1
            between blocks. rgb: uint32, opaque, 0 between blocks.
    """

    low: np.ndarray
    high: np.ndarray
    row: np.ndarray
    rgb: np.ndarray


class Shapes:
    """Where shapes come from, with a small summary of each so that a whole book is drawn at once.

    Attributes:
        unseen: numbers of the rows whose summary may be old.
    """

    def __init__(
        self,
        shape_of: Callable[[str], Overview | None],
        colour_of: Callable[[str], str],
        is_measured: Callable[[str], bool] | None = None,
    ) -> None:
        """
        Args:
            colour_of: "#rrggbb".
            is_measured: whether the shape of a block is that of what is heard now; None: each that there is.
        """
        self._shape_of, self._colour_of = shape_of, colour_of
        self.is_measured = is_measured or (lambda block_id: shape_of(block_id) is not None)
        self._minis: dict[str, tuple[Overview, int, np.ndarray]] = {}
        self._table = np.zeros((0, _MINI, 2), np.int8)
        self._rgb = np.zeros(0, np.uint32)
        self._ids: list[str] = []
        self._forgotten = False
        self.unseen = range(0)
        self._touched: set[str] = set()

    def of(self, block_id: str) -> Overview | None:
        return self._shape_of(block_id)

    def rgb_of(self, block_id: str) -> int:
        """Opaque, as Qt has it."""
        return _rgb(self._colour_of(block_id))

    def touch(self, block_id: str) -> None:
        """The shape of a block may be another."""
        self._touched.add(block_id)
        if len(self._touched) > FEW_ROWS:
            self.forget()

    def forget(self) -> None:
        """All may be others."""
        self._forgotten = True
        self._touched.clear()

    def table(self, timeline: Timeline) -> tuple[np.ndarray, np.ndarray]:
        """Of every row of the timeline: int8 `[rows, 16, 2]`, sixteen equal stretches of its sound, and its colour.

        Where much changed only a little of it is looked at: `unseen` are the rows that `look_on` goes on with.
        """
        ids = timeline.ids
        if self._ids is not ids:
            self._carry_over(ids)
        if self._forgotten:
            self.unseen = range(len(ids))
        else:
            for block_id in self._touched:
                row = timeline.row(block_id)
                if row is not None:
                    self._look_at(row.number)
        self._forgotten = False
        self._touched.clear()
        self.look_on(_AT_ONCE_S)
        return self._table, self._rgb

    def look_on(self, seconds: float) -> None:
        """Look at rows that were not seen yet, for about so long."""
        ends_at_s = time.perf_counter() + seconds
        while self.unseen and time.perf_counter() < ends_at_s:
            self._look_at(self.unseen.start)
            self.unseen = self.unseen[1:]

    def _carry_over(self, ids: list[str]) -> None:
        """Another table: what is known of a block by its id stays until it is looked at again, so nothing flickers."""
        before = {block_id: number for number, block_id in enumerate(self._ids)}
        old = np.array([before.get(block_id, len(before)) for block_id in ids], np.int64)
        self._table = np.concatenate((self._table, np.zeros((1, _MINI, 2), np.int8)))[old]
        self._rgb = np.append(self._rgb, np.uint32(_rgb(NEUTRAL)))[old]
        self._ids = ids
        if len(self._minis) > 2 * len(ids):
            self._minis = {block_id: self._minis[block_id] for block_id in ids if block_id in self._minis}
        fresh = np.flatnonzero(old == len(before))
        if self.unseen:
            self.unseen = range(len(ids))
        elif len(fresh):
            self.unseen = range(int(fresh[0]), int(fresh[-1]) + 1)

    def _look_at(self, number: int) -> None:
        block_id = self._ids[number]
        self._table[number] = self._mini(block_id)
        self._rgb[number] = self.rgb_of(block_id)

    def _mini(self, block_id: str) -> np.ndarray:
        shape = self._shape_of(block_id)
        if shape is None or not shape.samples:
            return _NOTHING
        kept = self._minis.get(block_id)
        if kept is not None and kept[0] is shape and kept[1] == shape.samples:
            return kept[2]
        bins, _ = shape.bins(shape.samples / (4 * _MINI))
        if len(bins) < _MINI:
            return _NOTHING
        edges = np.linspace(0, len(bins), _MINI, endpoint=False).astype(int)
        made = np.stack((np.minimum.reduceat(bins[:, 0], edges), np.maximum.reduceat(bins[:, 1], edges)), axis=1)
        self._minis[block_id] = (shape, shape.samples, made)
        return made


_NOTHING = np.zeros((_MINI, 2), np.int8)


@lru_cache(maxsize=256)
def _rgb(colour: str) -> int:
    return 0xFF000000 | int(colour[1:], 16)


def columns(timeline: Timeline, shapes: Shapes, start_s: float, end_s: float, width: int) -> Columns:
    """What `width` pixels from `start_s` to `end_s` show."""
    low, high = np.zeros(width, np.float32), np.zeros(width, np.float32)
    row, rgb = np.full(width, -1, np.int64), np.zeros(width, np.uint32)
    rows = timeline.rows_between(start_s, end_s)
    if width < 1 or not len(rows) or end_s <= start_s:
        return Columns(low, high, row, rgb)
    px_a_s = width / (end_s - start_s)
    if len(rows) <= FEW_ROWS:
        _each(timeline, shapes, rows, start_s, px_a_s, low, high, row, rgb)
    else:
        _all_at_once(timeline, shapes, rows, start_s, px_a_s, low, high, row, rgb)
    low /= 127.0
    high /= 127.0
    return Columns(low, high, row, rgb)


def _each(
    timeline: Timeline, shapes: Shapes, rows: Sequence[int], start_s: float, px_a_s: float,
    low: np.ndarray, high: np.ndarray, row: np.ndarray, rgb: np.ndarray,
) -> None:  # fmt: skip
    width = len(low)
    for number in rows:
        one = timeline.at(number)
        left = max(0, int(np.floor((one.start_s - start_s) * px_a_s)))
        right = min(width, int(np.ceil((one.start_s + one.length_s - start_s) * px_a_s)))
        if right <= left:
            continue
        row[left:right], rgb[left:right] = number, shapes.rgb_of(one.block_id)
        shape = shapes.of(one.block_id)
        if shape is None or not shape.samples:
            continue
        bins, bin_samples = shape.bins(SAMPLE_RATE / px_a_s)
        times = start_s + np.arange(left, right + 1) / px_a_s - one.start_s
        edges = np.floor(times * (SAMPLE_RATE / bin_samples)).astype(np.int64)
        inside = np.flatnonzero((edges[:-1] < len(bins)) & (edges[1:] > 0))
        if not len(inside) or not len(bins):
            continue
        first = np.clip(edges[:-1][inside], 0, len(bins) - 1)
        # Reduceat takes the last stretch to the end of the array: cut it at the last edge.
        until = min(len(bins), max(int(edges[inside[-1] + 1]), int(first[-1]) + 1))
        at = left + inside
        low[at] = np.minimum.reduceat(bins[:until, 0], first)
        high[at] = np.maximum.reduceat(bins[:until, 1], first)


def _all_at_once(
    timeline: Timeline, shapes: Shapes, rows: Sequence[int], start_s: float, px_a_s: float,
    low: np.ndarray, high: np.ndarray, row: np.ndarray, rgb: np.ndarray,
) -> None:  # fmt: skip
    width = len(low)
    first, last = rows[0], rows[-1] + 1
    table, colours = shapes.table(timeline)
    minis = table[first:last].astype(np.float32)
    starts, lengths = timeline.starts_s[first:last], timeline.lengths_s[first:last]
    parts = starts[:, None] + lengths[:, None] * (np.arange(_MINI) + 0.5)[None] / _MINI
    at = np.floor((parts - start_s) * px_a_s).astype(np.int64).ravel()
    seen = (at >= 0) & (at < width)
    np.minimum.at(low, at[seen], minis[:, :, 0].ravel()[seen])
    np.maximum.at(high, at[seen], minis[:, :, 1].ravel()[seen])
    edge = np.clip(np.floor((starts - start_s) * px_a_s).astype(np.int64), 0, width - 1)
    row[edge] = np.arange(first, last)
    filled = np.maximum.accumulate(row)
    row[:] = np.where(filled >= first, filled, -1)
    # Stretches wider than a pixel fill all of their columns.
    on = np.flatnonzero(row >= 0)
    rgb[on] = colours[row[on]]
    number = row[on] - first
    part = np.floor(
        (start_s + (on + 0.5) / px_a_s - starts[number]) / np.maximum(lengths[number], 1e-6) * _MINI
    ).astype(np.int64)
    inside = (part >= 0) & (part < _MINI)
    on, number, part = on[inside], number[inside], part[inside]
    low[on] = np.minimum(low[on], minis[number, part, 0])
    high[on] = np.maximum(high[on], minis[number, part, 1])
