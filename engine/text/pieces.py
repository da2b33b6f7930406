"""Cuts a stretch of text into pieces that one model call can speak."""

from __future__ import annotations

import bisect
import math
from array import array
from dataclasses import dataclass
from itertools import accumulate

from engine.requests import FRAME_RATE
from engine.text.duration import character_frames
from engine.text.mapped import TAG, MappedText
from engine.text.segment import clause_ends, cluster_end, sentence_ends, space_ends, syllable_ends, unspaced_ends

SHORT_FRAMES = 1.5 * FRAME_RATE  # a piece shorter than this is joined to a neighbour when it fits
LONGEST_WORD = 80  # characters: no word is longer, so such a run may be cut
_EARLIEST_CUT = 0.4  # of the limit: a comma before that leaves too small a part


@dataclass(frozen=True)
class Cut:
    """`ranges` of the text in order; how many sentences were too long, and how many runs without any border."""

    ranges: tuple[tuple[int, int], ...]
    long_sentences: int
    long_words: int


@dataclass(frozen=True)
class _Borders:
    """Where a long sentence may be cut, best kind first; each list rising."""

    kinds: tuple[list[int], ...]

    def last_within(self, low: int, high: int) -> int | None:
        """The last border `low <= b <= high` of the best kind that has one."""
        for borders in self.kinds:
            at = bisect.bisect_right(borders, high) - 1
            if at >= 0 and borders[at] >= low:
                return borders[at]
        return None

    def is_surely_between_words(self, position: int) -> bool:
        """Between two characters of an unspaced script may be inside a word; every other border is not."""
        return any(_holds(borders, position) for borders in self.kinds[:-1])

    def clause_that_spares_a_word(self, low: int, high: int, end: int, upto: array[float], limit: float) -> int | None:
        """The last clause mark `low <= b <= high` behind which nothing must be cut before the next one, or the end."""
        clauses = self.kinds[0]
        at = bisect.bisect_right(clauses, high) - 1
        if at < 0 or clauses[at] < low:
            return None
        following = clauses[at + 1] if at + 1 < len(clauses) else end
        return clauses[at] if upto[following] - upto[clauses[at]] <= limit else None

    def first_after(self, position: int) -> int | None:
        found = [borders[at] for borders in self.kinds if (at := bisect.bisect_right(borders, position)) < len(borders)]
        return min(found, default=None)


def _holds(borders: list[int], position: int) -> bool:
    at = bisect.bisect_left(borders, position)
    return at < len(borders) and borders[at] == position


def cut_into_pieces(section: MappedText, language: str | None, limit_frames: float, followed: dict[int, float]) -> Cut:
    """Ranges of `section.text`: whole sentences, as many as fit `limit_frames`; one that does not fit is cut inside.

    `followed`: seconds of the pause tags inside, by the start of their source range. Ranges cover the text without
    gaps.
    """
    text = section.text
    if not text:
        return Cut((), 0, 0)
    # A tag reads as white space here, so that sentences end before it and nothing is cut inside it.
    tagged = [i for i, mark in enumerate(section.marks) if mark == TAG] if TAG in section.marks else []
    characters = list(text) if tagged else []
    for i in tagged:
        characters[i] = " "
    bare = "".join(characters) or text
    frames = character_frames(bare, language)
    for i in tagged:
        new = i == 0 or section.marks[i - 1] != TAG or section.starts[i] != section.starts[i - 1]
        frames[i] = followed.get(section.starts[i], 0.0) * FRAME_RATE if new else 0.0
    upto = array("d", accumulate(frames, initial=0.0))
    units: list[tuple[int, int]] = []
    long_sentences = long_words = 0
    start = 0
    for end in sentence_ends(bare, language):
        if not section.may_part(end):
            continue
        if upto[end] - upto[start] > limit_frames:
            parts, words = _cut_long(section, bare, upto, start, end, limit_frames)
            long_sentences += len(parts) > 1
            long_words += words
            units += parts
        else:
            units.append((start, end))
        start = end
    return Cut(tuple(_pack(units, upto, limit_frames)), long_sentences, long_words)


def _pack(units: list[tuple[int, int]], upto: array[float], limit: float) -> list[tuple[int, int]]:
    """As many units to a piece as fit; units move on from the one before to a last piece that is very short."""
    groups: list[list[tuple[int, int]]] = []
    for unit in units:
        if groups and upto[unit[1]] - upto[groups[-1][0][0]] <= limit:
            groups[-1].append(unit)
        else:
            groups.append([unit])
    for i in range(1, len(groups)):
        before, group = groups[i - 1], groups[i]
        while len(before) > 1 and upto[group[-1][1]] - upto[group[0][0]] < SHORT_FRAMES:
            moved = before[-1]
            shrunk = upto[moved[0]] - upto[before[0][0]]
            if shrunk < SHORT_FRAMES or upto[group[-1][1]] - upto[moved[0]] > limit:
                break
            group.insert(0, before.pop())
    return [(group[0][0], group[-1][1]) for group in groups]


def _cut_long(
    section: MappedText, text: str, upto: array[float], start: int, end: int, limit: float
) -> tuple[list[tuple[int, int]], int]:
    """The parts of a sentence longer than `limit` frames, and how many cuts had to be made where there is no border."""
    sentence = text[start:end]
    kinds = (clause_ends(sentence), space_ends(sentence), syllable_ends(sentence), unspaced_ends(sentence))
    borders = _Borders(tuple([start + b for b in kind if section.may_part(start + b)] for kind in kinds))
    parts: list[tuple[int, int]] = []
    long_words = 0
    at = start
    while (rest := upto[end] - upto[at]) > limit:
        # Even parts, so that the last is not a scrap, but never over the limit.
        even = rest / math.ceil(rest / limit)
        ceiling = upto[at] + min(limit, max(even * 1.25, 1.0))
        if rest - (ceiling - upto[at]) < SHORT_FRAMES:
            ceiling = upto[at] + even
        high = bisect.bisect_right(upto, ceiling, at + 1, end + 1) - 1
        low = bisect.bisect_left(upto, upto[at] + _EARLIEST_CUT * limit, at + 1, end + 1)
        cut = borders.last_within(max(low, at + 1), high) or borders.last_within(at + 1, high)
        if cut is not None and not borders.is_surely_between_words(cut):
            early = bisect.bisect_left(upto, upto[at] + SHORT_FRAMES, at + 1, end + 1)
            cut = borders.clause_that_spares_a_word(early, high, end, upto, limit) or cut
        if cut is None:
            cut = borders.first_after(at) or end
            if cut - at > LONGEST_WORD and upto[cut] - upto[at] > limit:
                inside = cluster_end(text, at, max(high, at + 1))
                while inside < cut and not section.may_part(inside):
                    inside = cluster_end(text, at, inside + 1)
                long_words += inside < cut
                cut = min(cut, inside)
        if cut >= end:
            break
        parts.append((at, cut))
        at = cut
    parts.append((at, end))
    return parts, long_words
