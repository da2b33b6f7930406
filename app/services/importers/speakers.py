"""`Name: what is said` – names at the beginning of lines become proposals of voices."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from app.services.importers.preview import ImportedBlock

# A name: up to four words, no mark but those that names have, at the very beginning of the line, before a colon.
_LINE = re.compile(
    r"(?P<mark>\*{0,2})(?P<name>[^\W_][\w.'’\- ]{0,39}?)(?P=mark)\s?(?:\([^()\n]{1,40}\)\s?)?"
    r"[:：](?P=mark)(?!//)\s*(?P<said>.*)\Z"
)
_MOST_WORDS = 4
# Words before a colon that begin many lines of notes and articles and are nobody's name.
_NOBODY = frozenset(
    (
        "note notes example warning tip hint summary source sources http https ps nb fig figure table chapter part "
        "scene act step question answer date time from to subject re author title copyright contents see remember "
        "important conclusion today setting anmerkung hinweis beispiel kapitel remarque exemple chapitre nota "
        "ejemplo capítulo 注 例 注意 "
    ).split()
)


def propose_speakers(blocks: list[ImportedBlock]) -> list[ImportedBlock]:
    """The blocks with names taken off where lines are clearly spoken by people.

    A name counts when it begins at least two lines and looks like a name, or when most lines of the text have names at
    all.
    A line of nothing but `NAME:` gives the next line to that name.
    """
    found = [_split(block) for block in blocks]
    counts = Counter(name for name, _ in found if name)
    lines = sum(not block.text.startswith(("#", "//")) and bool(block.text.strip()) for block in blocks)
    is_script = sum(counts.values()) >= 0.5 * lines and lines >= 3
    accepted = {name for name, count in counts.items() if count >= 2 or is_script}
    if not accepted:
        return blocks
    made: list[ImportedBlock] = []
    waiting, waiting_line = "", ""
    for block, (name, said) in zip(blocks, found, strict=True):
        if name in accepted and not said:
            waiting, waiting_line = name, block.text
            continue
        if name in accepted:
            made.append(replace(block, text=said, speaker=_shown(name), written=block.text))
        elif waiting and block.text.strip() and not block.text.startswith(("#", "//")):
            made.append(replace(block, speaker=_shown(waiting), written=f"{waiting_line} {block.text}"))
        else:
            made.append(block)
            if not block.text.strip():
                continue
        waiting = ""
    return made


def _split(block: ImportedBlock) -> tuple[str, str]:
    if block.speaker or block.text.startswith(("#", "//")):
        return "", ""
    match = _LINE.match(block.text)
    if match is None:
        return "", ""
    name = " ".join(match["name"].split())
    words = name.split()
    starts_like_a_name = all(word[0].isupper() or not word[0].islower() for word in (words[0], words[-1]))
    if (
        len(words) > _MOST_WORDS
        or not starts_like_a_name
        or name.casefold() in _NOBODY
        or name.isdigit()
        or name[0].isdigit()
    ):
        return "", ""
    return name, match["said"].strip()


def _shown(name: str) -> str:
    """Names in capitals, as scripts have them, are written as names are."""
    return name.title() if name.isupper() and len(name) > 3 else name
