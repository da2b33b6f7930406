"""When each word of a piece is probably said: by its weight in the text, held fast where marks and silences meet."""

from __future__ import annotations

import re
from dataclasses import dataclass

_UNSPACED = r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1780-\u17ff]"
_CJK = re.compile(_UNSPACED)
# Spaces, opening marks, then one letter of a script without spaces or a whole word of another, then closing marks.
_WORDS = re.compile(
    rf"\s*[「『（《〈【“‘(\[]*(?:{_UNSPACED}|(?:(?!{_UNSPACED})\S)+)(?:(?!{_UNSPACED}|[「『（《〈【“‘(\[])[^\w\s])*"
)
_CLOSING = "\"'”’»)]」』）】 "
_SENTENCE = ".!?…。！？"
_CLAUSE = ",;:，；：、—–"
# A mark and a silence that are further apart than this belong to different things.
_FURTHEST_S = 1.0
_FURTHEST_SHARE = 0.2
_MISSED_SENTENCE_S, _MISSED_CLAUSE_S, _MISSED_SILENCE_S = 0.8, 0.15, 0.25


@dataclass(frozen=True)
class TimedWord:
    """A word with estimated times, seconds."""

    text: str
    start_s: float
    end_s: float


def split_words(text: str) -> list[str]:
    """Words with the space before them (single letters where a script has no spaces), each with its marks."""
    return _WORDS.findall(text)


def time_words(
    texts: list[str], start_s: float, end_s: float, silences: tuple[tuple[float, float], ...] = ()
) -> list[TimedWord]:
    """The words of a piece that is heard from `start_s` to `end_s`.

    Args:
        texts: as `split_words` gives them.
        silences: (start, end) of the silences between, in seconds and in order. Where one lies near the end of a
            sentence or clause, the word before ends with its beginning and the next begins with its end.
    """
    weights = [_weight(text) for text in texts]
    inside = [(max(a, start_s), min(b, end_s)) for a, b in silences if a > start_s and b < end_s]
    anchors = _match(texts, weights, start_s, end_s, inside)
    words: list[TimedWord] = []
    first, from_s = 0, start_s
    for index, (quiet_s, loud_s) in [*anchors, (len(texts) - 1, (end_s, end_s))]:
        words += _spread(texts[first : index + 1], weights[first : index + 1], from_s, quiet_s)
        first, from_s = index + 1, loud_s
    return words


def _spread(texts: list[str], weights: list[float], start_s: float, end_s: float) -> list[TimedWord]:
    total = sum(weights) or 1.0
    words, at = [], 0.0
    for text, weight in zip(texts, weights, strict=True):
        begins_s = start_s + (end_s - start_s) * at / total
        at += weight
        words.append(TimedWord(text.strip(), begins_s, start_s + (end_s - start_s) * at / total))
    return words


def _match(
    texts: list[str], weights: list[float], start_s: float, end_s: float, silences: list[tuple[float, float]]
) -> list[tuple[int, tuple[float, float]]]:
    """Pairs of (word that ends with a mark, silence after it), in order: the cheapest way to align both lists."""
    marks = [(index, mark) for index, text in enumerate(texts[:-1]) if (mark := _mark(text))]
    if not marks or not silences:
        return []
    # Both in seconds of sound alone, since how long a silence lasts says nothing about the words.
    sound_s = end_s - start_s - sum(b - a for a, b in silences)
    total = sum(weights)
    said, mark_at = 0.0, {}
    for index, weight in enumerate(weights):
        said += weight
        mark_at[index] = sound_s * said / total
    quiet_s, silence_at = 0.0, []
    for a, b in silences:
        silence_at.append(a - start_s - quiet_s)
        quiet_s += b - a
    furthest_s = max(_FURTHEST_S, _FURTHEST_SHARE * sound_s)
    best: list[list[tuple[float, int]]] = [[(0.0, 0)] * (len(silences) + 1) for _ in range(len(marks) + 1)]
    for i in range(len(marks) + 1):
        for j in range(len(silences) + 1):
            ways = []
            if i:
                missed_s = _MISSED_SENTENCE_S if marks[i - 1][1] == 2 else _MISSED_CLAUSE_S
                ways.append((best[i - 1][j][0] + missed_s, 1))
            if j:
                a, b = silences[j - 1]
                ways.append((best[i][j - 1][0] + _MISSED_SILENCE_S + min(1.0, b - a), 2))
            if i and j:
                apart_s = abs(mark_at[marks[i - 1][0]] - silence_at[j - 1])
                if apart_s <= furthest_s:
                    ways.append((best[i - 1][j - 1][0] + apart_s, 3))
            if ways:
                best[i][j] = min(ways)
    pairs = []
    i, j = len(marks), len(silences)
    while i or j:
        way = best[i][j][1]
        if way == 3:
            pairs.append((marks[i - 1][0], silences[j - 1]))
        i -= way in (1, 3)
        j -= way in (2, 3)
    return pairs[::-1]


def ends_sentence(text: str) -> bool:
    return _mark(text) == 2


def _mark(text: str) -> int:
    """2 at the end of a sentence, 1 of a clause, else 0."""
    last = text.rstrip(_CLOSING)[-1:]
    if not last:
        return 0
    return 2 if last in _SENTENCE else 1 if last in _CLAUSE else 0


def _weight(text: str) -> float:
    bare = text.strip()
    return sum(2.5 if _CJK.match(each) else 1.0 for each in bare) + 1.0 + (0.0, 1.0, 2.0)[_mark(text)]
