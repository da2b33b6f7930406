"""From blocks and their shapes to what every pixel column of the waveform shows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from app.services.overview import Overview
from app.services.timeline import Timeline
from engine import SAMPLE_RATE

FEW_ROWS = 100
_MINI = 16
_SLICE_S = 0.006
NEUTRAL = "#8a948f"  # of what no voice is known for


@dataclass
class Columns:
    """One entry a pixel column.

    Attributes:
        low, high: float32, -1..1; both 0 where there is no sound. row: number of the row in the timeline, -1
            between blocks.
    """

    low: np.ndarray
    high: np.ndarray
    row: np.ndarray


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
            is_measured: whether the shape of a block is that of what is heard now; None: each that there is.
        """
        self._shape_of, self._colour_of = shape_of, colour_of
        self.is_measured = is_measured or (lambda block_id: shape_of(block_id) is not None)
        self._colours: list[str] = []
        self._minis: dict[str, tuple[Overview, int, np.ndarray]] = {}
        self._table = np.zeros((0, _MINI, 2), np.int8)
        self._table_ids: list[str] | None = None
        self._of_ids: list[str] = []
        self.unseen = range(0)
        self._touched: set[str] = set()

    def of(self, block_id: str) -> Overview | None:
        return self._shape_of(block_id)

    def touch(self, block_id: str) -> None:
        """The shape of a block may be another."""
        self._touched.add(block_id)

    def forget(self) -> None:
        """All may be others."""
        self._table_ids = None

    def table(self, timeline: Timeline) -> tuple[np.ndarray, list[str]]:
        """Of every row of the timeline: int8 `[rows, 16, 2]`, sixteen equal stretches of its sound, and its colour.

        Where much changed only a slice of it is looked at each time: `unseen` are the rows that the next call goes on
        with.
        """
        ids = timeline.block_ids
        if self._table_ids is not ids:
            self._carry_over(ids)
        if len(self._touched) > FEW_ROWS:
            self.unseen = range(len(ids))
        else:
            for block_id in self._touched:
                row = timeline.row(block_id)
                if row is not None:
                    self._look_at(row.number, block_id)
        self._touched.clear()
        ends_at_s = time.perf_counter() + _SLICE_S
        while self.unseen and (time.perf_counter() < ends_at_s or self.unseen.stop - self.unseen.start < 50):
            number = self.unseen.start
            self._look_at(number, ids[number])
            self.unseen = range(number + 1, self.unseen.stop)
        return self._table, self._colours

    def _carry_over(self, ids: list[str]) -> None:
        """Another table: what is known of a block by its id stays until it is looked at again, so nothing flickers."""
        before = {block_id: number for number, block_id in enumerate(self._of_ids)}
        old = np.array([before.get(block_id, len(before)) for block_id in ids], np.int64)
        table = np.concatenate((self._table, np.zeros((1, _MINI, 2), np.int8)))
        colours = [*self._colours, NEUTRAL]
        self._table = table[old]
        self._colours = [colours[number] for number in old.tolist()]
        self._table_ids = self._of_ids = ids
        self.unseen = range(len(ids))

    def _look_at(self, number: int, block_id: str) -> None:
        self._table[number] = self._mini(block_id)
        self._colours[number] = self._colour_of(block_id)

    def colours(self, timeline: Timeline, rows: range, many: bool) -> dict[int, str]:
        """Colours of these rows by number; `many`: the table is there anyway."""
        if many:
            table = self.table(timeline)[1]
            return {number: table[number] for number in rows}
        return {number: self._colour_of(timeline.block_ids[number]) for number in rows}

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


def columns(timeline: Timeline, shapes: Shapes, start_s: float, end_s: float, width: int) -> Columns:
    """What `width` pixels from `start_s` to `end_s` show."""
    low, high = np.zeros(width, np.float32), np.zeros(width, np.float32)
    row = np.full(width, -1, np.int64)
    rows = timeline.rows_between(start_s, end_s)
    if width < 1 or not len(rows) or end_s <= start_s:
        return Columns(low, high, row)
    px_a_s = width / (end_s - start_s)
    if len(rows) <= FEW_ROWS:
        _each(timeline, shapes, rows, start_s, px_a_s, low, high, row)
    else:
        _all_at_once(timeline, shapes, rows, start_s, px_a_s, low, high, row)
    low /= 127.0
    high /= 127.0
    return Columns(low, high, row)


def _each(
    timeline: Timeline, shapes: Shapes, rows: Sequence[int], start_s: float, px_a_s: float,
    low: np.ndarray, high: np.ndarray, row: np.ndarray,
) -> None:  # fmt: skip
    width = len(low)
    for number in rows:
        one = timeline.at(number)
        left = max(0, int(np.floor((one.start_s - start_s) * px_a_s)))
        right = min(width, int(np.ceil((one.start_s + one.length_s - start_s) * px_a_s)))
        if right <= left:
            continue
        row[left:right] = number
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
    low: np.ndarray, high: np.ndarray, row: np.ndarray,
) -> None:  # fmt: skip
    width = len(low)
    first, last = rows[0], rows[-1] + 1
    minis = shapes.table(timeline)[0][first:last].astype(np.float32)
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
    number = row[on] - first
    part = np.floor(
        (start_s + (on + 0.5) / px_a_s - starts[number]) / np.maximum(lengths[number], 1e-6) * _MINI
    ).astype(np.int64)
    inside = (part >= 0) & (part < _MINI)
    on, number, part = on[inside], number[inside], part[inside]
    low[on] = np.minimum(low[on], minis[number, part, 0])
    high[on] = np.maximum(high[on], minis[number, part, 1])
