"""Words of a line as a label shows them, how many of something, and how long."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication

from engine import find_tags


def words_of(text: str, most: int = 80) -> str:
    """The words of a block on one line, without the mark of a heading and without tags: of a pronunciation the word as
    it is written, of pauses and lengths nothing."""
    parts, at = [], 0
    for tag in find_tags(text) if "[" in text or "<" in text else ():
        if tag.kind != "broken":
            parts += [text[at : tag.start], tag.written if tag.kind == "say" else " "]
            at = tag.end
    return " ".join("".join((*parts, text[at:])).split())[:most].lstrip("# ")


def counted(count: int, one: str, many: str) -> str:
    """How many in words: `one` for exactly one, else `many` with the number in place of %1. Both are translated."""
    return one if count == 1 else many.replace("%1", f"{count:,}")


def listed(parts: Iterable[str]) -> str:
    """Several things in a row, with the mark between them that the language has."""
    return QCoreApplication.translate("Words", ", ").join(parts)


def sentence(*parts: str) -> str:
    """Parts as one sentence, with the marks that the language has."""
    return QCoreApplication.translate("Words", "%1.").replace("%1", listed(parts))


def in_minutes(seconds: float) -> str:
    """3:41, or 1:02:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
