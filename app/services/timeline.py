"""Where every block lies in the programme: measured where it was spoken, estimated where not."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from app.model.block import Block, BlockKind
from app.model.identity import common_beginning
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
        self._dirty, self._moved = True, False
        self._order: list[Block] = []  # the script as it was looked at last
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

    def follow(self) -> None:
        """Blocks came, went or stand elsewhere: those around them are looked at again."""
        self._moved = True

    def invalidate(self, *, everything: bool = False) -> None:
        """The settings changed; `everything`: also what is known of blocks that are the same."""
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
            self._dirty = self._moved = False
            self._touched.clear()
            self._make()
        elif self._moved or self._touched:
            touched, self._touched = self._touched, set()
            project = self._states.project
            if self._moved or not all(map(self._is_in_place, touched)):
                self._moved = False
                self._look_where_it_differs()
            for block_id in filter(project.has_block, touched):
                self._look_at(project.index(block_id))
            self._place()

    def _is_in_place(self, block_id: str) -> bool:
        """A block may be told of before the step that moved it is."""
        project = self._states.project
        at = project.index(block_id) if project.has_block(block_id) else len(self._order)
        return at < len(self._order) and self._order[at].id == block_id

    def _make(self) -> None:
        project = self._states.project
        self._order = list(project.blocks)
        kept = ((block.id, self._kept.get(block.id)) for block in self._order)
        self._kept = {block_id: known for block_id, known in kept if known is not None}
        if project.settings.headings_spoken != self._headings_spoken:
            self._headings_spoken = project.settings.headings_spoken
            # Of all settings only this one decides what is known of a block, and only of headings.
            self._kept = {each: known for each, known in self._kept.items() if known.kind is BlockKind.SPEECH}
        self._put_rows(0, len(self.block_ids), *self._rows_of(0, len(self._order)))
        self._place()

    def _look_where_it_differs(self) -> None:
        """From the first to the last block that is not what it was."""
        old, new = self._order, list(self._states.project.blocks)
        first = common_beginning(old, new)
        last = len(old) - common_beginning(old[first:][::-1], new[first:][::-1])
        added = len(new) - len(old)
        gone = {block.id for block in old[first:last]} - {block.id for block in new[first : last + added]}
        first, last, begin, end = self._around(first, last)
        self._order = new
        for block_id in gone:
            del self._kept[block_id]
        self._put_rows(begin, end, *self._rows_of(first, last + added))

    def _look_at(self, at: int) -> None:
        """The block of this index is another."""
        block = self._states.project.blocks[at]
        before, known = self._kept[block.id], self._know(block)
        if before[_PLACING:] != known[_PLACING:]:
            first, last, begin, end = self._around(at, at + 1)
            self._order[at], self._kept[block.id] = block, known
            self._put_rows(begin, end, *self._rows_of(first, last))
            return
        self._order[at], self._kept[block.id] = block, known
        row = self._index.get(block.id)
        if row is not None:
            self.measured[row] = known.measured
            self.lengths_s[row], self._lasts_s[row] = self._lengths_s(known)

    def _around(self, first: int, last: int) -> tuple[int, int, int, int]:
        """Blocks from `first` to `last` - 1 with all whose place they tell, and the rows of these.

        What stands before a line with words is told by what comes after the words before it: so they begin behind a
        line with words and end with one, unless the script does.
        """
        order = self._order
        while first and not self._has_words(order[first - 1]):
            first -= 1
        while last < len(order) and not self._has_words(order[last]):
            last += 1
        begin = self._index[order[first - 1].id] + 1 if first else 0
        if last == len(order):
            return first, last, begin, len(self.block_ids)
        return first, last + 1, begin, self._index[order[last].id] + 1

    def _has_words(self, block: Block) -> bool:
        known = self._kept[block.id]
        return known.spoken and known.words

    def _rows_of(self, first: int, last: int) -> tuple[list[_Known], list[float]]:
        """The spoken ones of these blocks, and the seconds before each. `first`: the script's, or behind words."""
        project = self._states.project
        rows: list[_Known] = []
        gaps: list[float] = []
        plain_s = project.settings.pauses.paragraph_s
        border: Border | None = None  # None: nothing but speech was seen since the last block
        after_heading = False
        written_s: float | None = None  # pauses written since the last words, in place of the project's own
        if first:
            before = self._kept[self._order[first - 1].id]
            written_s, after_heading = before.edges_s[1], before.kind is not BlockKind.SPEECH
        for block in self._order[first:last]:
            known = self._kept.get(block.id)
            if known is None or known.block is not block:
                known = self._kept[block.id] = self._know(block)
            if known.kind is not BlockKind.SPEECH:
                border = border or Border()
                border.see(known.kind)
            if not known.spoken:
                continue
            rows.append(known)
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
        return rows, gaps

    def _put_rows(self, begin: int, end: int, rows: list[_Known], gaps: list[float]) -> None:
        """Where rows `begin` to `end` - 1 were."""
        # Always another list: who keeps something for each row sees by it that rows may be others.
        self.block_ids = [*self.block_ids[:begin], *(known.block.id for known in rows), *self.block_ids[end:]]
        self._index = {block_id: number for number, block_id in enumerate(self.block_ids)}
        lengths = [self._lengths_s(known) for known in rows]
        self.measured = _spliced(self.measured, begin, end, [known.measured for known in rows])
        self.lengths_s = _spliced(self.lengths_s, begin, end, [length_s for length_s, _ in lengths])
        self._lasts_s = _spliced(self._lasts_s, begin, end, [lasts_s for _, lasts_s in lengths])
        self._gaps_s = _spliced(self._gaps_s, begin, end, gaps)
        self._gaps_s[:1] = 0.0

    def _lengths_s(self, known: _Known) -> tuple[float, float]:
        """Of its speech, and of all that it lasts."""
        length_s = known.length_s if known.measured else max(known.length_s, self._live_s(known.block.id))
        return length_s, self._states.lasts_s(known.block, length_s)

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
        return _Known(block, length_s, measured, block.kind, spoken, words, edges_s)


class _Known(NamedTuple):
    """What does not change while the block is the same; from `kind` on it also places the blocks around."""

    block: Block
    length_s: float
    measured: bool
    kind: BlockKind
    spoken: bool
    words: bool
    edges_s: tuple[float | None, float | None]


_PLACING = _Known._fields.index("kind")


def _spliced(array: np.ndarray, begin: int, end: int, values: list[Any]) -> np.ndarray:
    """With these values where those from `begin` to `end` - 1 were."""
    return np.concatenate((array[:begin], np.array(values, array.dtype), array[end:]))
