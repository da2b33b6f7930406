"""Where every block lies in the programme: measured where it was spoken, estimated where not."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from app.model.block import Block, BlockKind
from app.services.block_states import BlockStates, has_words
from app.services.playing import Place
from app.services.programme import Border, is_spoken
from engine import SAMPLE_RATE


@dataclass(frozen=True)
class Row:
    """A block in the programme. `start_s` is its first speech, `length_s` reaches to its last; `measured`: not
    estimated."""

    block_id: str
    start_s: float
    length_s: float
    measured: bool
    number: int = 0


class Timeline:
    """The programme from its first speech to the end of its last line, in seconds.

    Belongs to the project's thread; made again when asked after `invalidate`.

    Attributes:
        block_ids: of the spoken blocks, in order.
        starts_s, lengths_s: float64 arrays beside it, of their speech. A line with a length to fit may last longer than
            it speaks; what comes then counts as the pause after it.
    """

    def __init__(self, states: BlockStates, live_s: Callable[[str], float]) -> None:
        """
        Args:
            live_s: seconds of a take of the block that is being made; 0 where none is.
        """
        self._states = states
        self._live_s = live_s
        self._dirty = True
        self._kept: dict[str, _Known] = {}
        self._headings_spoken = True
        self._touched: set[str] = set()
        self._gaps_s = np.zeros(0)
        self._lasts_s = np.zeros(0)
        self.block_ids: list[str] = []
        self.starts_s = np.zeros(0)
        self.lengths_s = np.zeros(0)
        self.measured = np.zeros(0, bool)
        self._index: dict[str, int] = {}

    def invalidate(self, *, everything: bool = False) -> None:
        """The order of blocks or the settings changed; `everything`: also what is known of blocks that are the same."""
        self._dirty = True
        if everything:
            self._kept.clear()

    def touch(self, block_id: str) -> None:
        """A block may be of another length; much cheaper than `invalidate`."""
        self._touched.add(block_id)

    @property
    def ids(self) -> list[str]:
        """Of the spoken blocks, in order."""
        self._update()
        return self.block_ids

    @property
    def total_s(self) -> float:
        self._update()
        return float(self.starts_s[-1] + self._lasts_s[-1]) if self.block_ids else 0.0

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
        ends_s = float(self.starts_s[at + 1]) if at + 1 < len(self.block_ids) else start_s + float(self._lasts_s[at])
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
        return Row(self.block_ids[at], float(self.starts_s[at]), float(self.lengths_s[at]), bool(self.measured[at]), at)

    def _update(self) -> None:
        if self._states.store is None:
            return
        if self._dirty:
            self._dirty = False
            self._touched.clear()
            self._make()
        elif self._touched:
            touched, self._touched = self._touched, set()
            project = self._states.project
            for block_id in touched:
                at = self._index.get(block_id)
                if not project.has_block(block_id) or (at is not None) != is_spoken(project, project.block(block_id)):
                    self._make()
                    return
                if at is not None:
                    before, known = self._kept[block_id], self._know(project.block(block_id))
                    if (known.words, known.edges_s) != (before.words, before.edges_s):
                        self._make()
                        return
                    self._kept[block_id] = known
                    self.measured[at] = known.measured
                    self.lengths_s[at] = (
                        known.length_s if known.measured else max(known.length_s, self._live_s(block_id))
                    )
                    self._lasts_s[at] = self._states.lasts_s(known.block, self.lengths_s[at])
            self._place()

    def _make(self) -> None:
        project = self._states.project
        ids: list[str] = []
        lengths: list[float] = []
        lasts: list[float] = []
        gaps: list[float] = []
        measured: list[bool] = []
        kept: dict[str, _Known] = {}
        if project.settings.headings_spoken != self._headings_spoken:
            self._headings_spoken = project.settings.headings_spoken
            # Of all settings only this one decides what is known of a block, and only of headings.
            self._kept = {each: known for each, known in self._kept.items() if known.kind is BlockKind.SPEECH}
        plain_s = project.settings.pauses.paragraph_s
        border: Border | None = None  # None: nothing but speech was seen since the last block
        after_heading = False
        written_s: float | None = None  # pauses written since the last words, in place of the project's own
        for block in project.blocks:
            known = self._kept.get(block.id)
            if known is None or known.block is not block:
                known = self._know(block)
            kept[block.id] = known
            if known.kind is not BlockKind.SPEECH:
                border = border or Border()
                border.see(known.kind)
            if not known.spoken:
                continue
            ids.append(block.id)
            lengths.append(known.length_s)
            lasts.append(self._states.lasts_s(block, known.length_s))
            measured.append(known.measured)
            before_s, after_s = known.edges_s
            if before_s is not None:
                written_s = (written_s or 0.0) + before_s
            if not known.words:
                gaps.append(0.0)
                continue
            if written_s is not None:
                gaps.append(written_s)
            else:
                gaps.append(
                    plain_s
                    if border is None and not after_heading
                    else (border or Border()).seconds(project, after_heading)
                )
            written_s = after_s
            border, after_heading = None, known.kind is not BlockKind.SPEECH
        self._kept = kept
        self.block_ids = ids
        self._index = {block_id: number for number, block_id in enumerate(ids)}
        self.measured = np.array(measured, bool)
        self.lengths_s = np.array(lengths, float)
        self._lasts_s = np.array(lasts, float)
        for number in np.flatnonzero(~self.measured):
            live_s = self._live_s(ids[number])
            if live_s:
                self.lengths_s[number] = max(lengths[number], live_s)
                self._lasts_s[number] = max(lasts[number], live_s)
        self._gaps_s = np.array(gaps, float)
        if len(gaps):
            self._gaps_s[0] = 0.0
        self._place()

    def _place(self) -> None:
        self.starts_s = np.cumsum(self._lasts_s + self._gaps_s) - self._lasts_s

    def _know(self, block: Block) -> _Known:
        states = self._states
        spoken, words = is_spoken(states.project, block), has_words(block.text)
        length_s, measured = states.length_s(block)
        if not words:
            length_s, measured = 0.0, True
        elif states.take(block) is None:
            # What is not spoken yet is likely to become what was asked for.
            length_s = min(length_s, states.lasts_s(block, 0.0) or length_s)
        edges_s = states.edge_pauses_s(block) if spoken else (None, None)
        return _Known(block, block.kind, spoken, length_s, measured, words, edges_s)


class _Known(NamedTuple):
    """What does not change while the block is the same."""

    block: Block
    kind: BlockKind
    spoken: bool
    length_s: float
    measured: bool
    words: bool
    edges_s: tuple[float | None, float | None]
