"""Tags of texts, kept: the editor, the gutter and the timeline ask for those of the same line at every key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from engine import Tag, find_tags

LONG_TEXT = 4_000  # characters of a line that is no ordinary one
_PART = LONG_TEXT // 2
_LONGEST_TAG = 700  # characters; see `engine.text.markup`
_PAIRS = (("[［【", "]］】"), ("<", ">"))  # a tag ends with the first bracket that closes its kind


def tags_in(text: str) -> tuple[Tag, ...]:
    """Those of `find_tags`. Of a text as long as a book only the part that a key changed is looked through again."""
    return _kept(text) if len(text) <= LONG_TEXT else _kept_long(text)


def parts_of(text: str) -> Iterator[str]:
    """A long text in parts that hold whole tags; where it is changed most parts stay what they were."""
    start = 0
    while len(text) - start > LONG_TEXT:
        end = _end_of_part(text, start + _PART)
        if not end:
            break
        yield text[start:end]
        start = end
    yield text[start:]


def _end_of_part(text: str, at: int) -> int:
    """Behind the next word that no tag can reach; 0: there is none."""
    while (at := text.find(" ", at) + 1) and at < len(text):
        first = max(0, at - _LONGEST_TAG)
        for opens, closes in _PAIRS:
            opened = max(text.rfind(each, first, at) for each in opens)
            if opened >= 0 and all(text.find(each, opened, at) < 0 for each in closes):
                break
        else:
            return at
    return 0


def _long(text: str) -> tuple[Tag, ...]:
    found: list[Tag] = []
    start = 0
    for part in parts_of(text):
        found += (replace(tag, start=tag.start + start, end=tag.end + start) for tag in _kept(part))
        start += len(part)
    return tuple(found)


# More are kept than a book has lines, else each would be forgotten before it is asked for again; of a text as long as
# a book each key makes another, so only a few of them.
@lru_cache(maxsize=32_768)
def _kept(text: str) -> tuple[Tag, ...]:
    return tuple(find_tags(text))


_kept_long = lru_cache(maxsize=16)(_long)
