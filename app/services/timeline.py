"""Where every block lies in the programme: measured where it was spoken, estimated where not."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from dataclasses import dataclass
import numpy as np

from app.model.block import Block, BlockKind
from app.services.block_states import BlockStates
from app.services.playing import Place
from app.services.programme import Border, is_spoken
from engine import SAMPLE_RATE


@dataclass(frozen=True)
class Row:
    """A block in the programme. `start_s` is its first speech, `length_s` reaches to its last; `measured`: not estimated."""

    block_id: str
    start_s: float
    length_s: float
    measured: bool


class Timeline:
    """The programme from its first speech to its last, in seconds. Belongs to the project's thread; made again when asked after
    `invalidate`.

    Attributes:
        block_ids: of the spoken blocks, in order. starts_s, lengths_s: float64 arrays beside it.
    """

    def __init__(self, states: BlockStates, live_s: Callable[[str], float]) -> None:
        """
        Args:
            live_s: seconds of a take of the block that is being made; 0 where none is.
        """
        self._states = states
        self._live_s = live_s
        self._dirty = True
        self._kept: dict[str, tuple[Block, float, bool]] = {}
        self.block_ids: list[str] = []
        self.starts_s = np.zeros(0)
        self.lengths_s = np.zeros(0)
        self.measured = np.zeros(0, bool)
        self._index: dict[str, int] = {}

    def invalidate(self, *, everything: bool = False) -> None:
        """Something changed; `everything`: also what was known of blocks that are the same."""
        self._dirty = True
        if everything:
            self._kept.clear()

    @property
    def ids(self) -> list[str]:
        """Of the spoken blocks, in order."""
        self._update()
        return self.block_ids

    @property
    def total_s(self) -> float:
        self._update()
        return float(self.starts_s[-1] + self.lengths_s[-1]) if self.block_ids else 0.0

    def row(self, block_id: str) -> Row | None:
        self._update()
        at = self._index.get(block_id)
        return None if at is None else self._row(at)

    def rows_between(self, start_s: float, end_s: float) -> range:
        """Numbers of the rows that touch a stretch of time."""
        self._update()
        first = max(0, int(np.searchsorted(self.starts_s, start_s, side="right")) - 1)
        last = int(np.searchsorted(self.starts_s, end_s, side="right"))
        return range(first, last)

    def at(self, number: int) -> Row:
        self._update()
        return self._row(number)

    def seconds_of(self, place: Place) -> float:
        """When a place is heard; never later than the next block begins."""
        self._update()
        at = self._index.get(place.block_id)
        if at is None:
            return 0.0
        start_s = float(self.starts_s[at])
        ends_s = float(self.starts_s[at + 1]) if at + 1 < len(self.block_ids) else start_s + float(self.lengths_s[at])
        return min(start_s + place.offset_samples / SAMPLE_RATE, ends_s)

    def place_at(self, seconds: float) -> Place | None:
        """The block that is heard at this time, and how far into it; a pause belongs to the block before it."""
        self._update()
        if not self.block_ids:
            return None
        at = max(0, bisect.bisect_right(self.starts_s, seconds) - 1)
        into_s = min(max(0.0, seconds - float(self.starts_s[at])), float(self.lengths_s[at]))
        return Place(self.block_ids[at], round(into_s * SAMPLE_RATE))

    def _row(self, at: int) -> Row:
        return Row(self.block_ids[at], float(self.starts_s[at]), float(self.lengths_s[at]), bool(self.measured[at]))

    def _update(self) -> None:
        if not self._dirty or self._states.store is None:
            return
        self._dirty = False
        project = self._states.project
        ids: list[str] = []
        lengths: list[float] = []
        gaps: list[float] = []
        measured: list[bool] = []
        kept: dict[str, tuple[Block, float, bool]] = {}
        border, after_heading = Border(), False
        for block in project.blocks:
            border.see(block.kind)
            if not is_spoken(project, block):
                continue
            before = self._kept.get(block.id)
            if before is None or before[0] is not block:
                before = (block, *self._states.length_s(block))
            kept[block.id] = before
            _, length_s, known = before
            ids.append(block.id)
            lengths.append(length_s)
            measured.append(known)
            gaps.append(border.seconds(project, after_heading))
            border, after_heading = Border(), block.kind is not BlockKind.SPEECH
        self._kept = kept
        self.block_ids = ids
        self._index = {block_id: number for number, block_id in enumerate(ids)}
        self.measured = np.array(measured, bool)
        self.lengths_s = np.array(lengths, float)
        for number, block_id in enumerate(ids):
            if not measured[number]:
                live_s = self._live_s(block_id)
                if live_s:
                    self.lengths_s[number] = max(lengths[number], live_s)
        gap = np.array(gaps, float)
        if len(gap):
            gap[0] = 0.0
        ends = np.cumsum(self.lengths_s + gap) if ids else np.zeros(0)
        self.starts_s = ends - self.lengths_s

