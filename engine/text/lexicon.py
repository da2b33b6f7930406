"""How words are to be said: a list of (written, spoken) pairs applied to whole words."""

from __future__ import annotations

import re
from collections.abc import Iterable

from engine.text.mapped import SAID, Edit, MappedText
from engine.text.segment import UNSPACED

_UNSPACED_CHARACTER = re.compile(f"[{UNSPACED}]")


def say_as(text: MappedText, lexicon: Iterable[tuple[str, str]]) -> MappedText:
    """`text` with every whole word or phrase of the lexicon said as the lexicon wants.

    An entry written with a capital matches exactly as written, another in any case. The longest entry wins; what was
    replaced is not replaced again; tags and pronunciations given in the text are left alone. In scripts without spaces
    any occurrence counts. Entries with an empty side are passed over.
    """
    buckets: dict[str, list[tuple[str, bool, str]]] = {}
    for written, spoken in lexicon:
        written, spoken = written.strip(), spoken.strip()
        if not written or not spoken:
            continue
        exact = written != written.lower()
        form = written if exact else _lower(written)
        buckets.setdefault(_lower(form[:2]), []).append((form, exact, spoken))
    if not buckets:
        return text
    for entries in buckets.values():
        entries.sort(key=lambda entry: -len(entry[0]))
    lowered = _lower(text.text)
    edits: list[Edit] = []
    done = 0
    for i in _word_starts(text.text):
        if i < done:
            continue
        for form, exact, spoken in [*buckets.get(lowered[i : i + 2], ()), *buckets.get(lowered[i : i + 1], ())]:
            end = i + len(form)
            if not (text.text if exact else lowered).startswith(form, i) or any(text.marks[i:end]):  # FREE is 0
                continue
            if _is_whole(text.text, i, end):
                edits.append((i, end, spoken))
                done = end
                break
    return text.edited(edits, mark=SAID)


def _lower(text: str) -> str:
    """Lower case of the same length, so that offsets stay."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _word_starts(text: str) -> Iterable[int]:
    for i, character in enumerate(text):
        if character.isspace():
            continue
        if i == 0 or not _is_word(character) or not _is_word(text[i - 1]) or _is_unspaced(character):
            yield i


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _is_unspaced(character: str) -> bool:
    return character > "\u0dff" and _UNSPACED_CHARACTER.match(character) is not None


def _is_whole(text: str, start: int, end: int) -> bool:
    first, last = text[start], text[end - 1]
    if start and _is_word(first) and _is_word(text[start - 1]) and not _is_unspaced(first):
        return False
    rest = text[end : end + 3]
    if not rest or not _is_word(last) or _is_unspaced(last):
        return True
    if _is_word(rest[0]) and not _is_unspaced(rest[0]):
        return False
    # "don" is no word of "don't", but "Dana" is one of "Dana's" and "Dana'll".
    return not (rest[0] in "'’" and rest[1:2].lower() == "t" and not rest[2:3].isalnum())
