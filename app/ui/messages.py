"""Messages of the services and the engine, which know no translation, in the language of the window."""

from __future__ import annotations

import re
from functools import lru_cache

from PySide6.QtCore import QCoreApplication

from app.ui.clip_messages import CLIP_MESSAGES
from app.ui.data_messages import DATA_MESSAGES
from app.ui.engine_messages import ENGINE_MESSAGES
from app.ui.export_messages import EXPORT_MESSAGES
from app.ui.import_messages import IMPORT_MESSAGES
from app.ui.language_names import shown_languages
from app.ui.library_messages import LIBRARY_MESSAGES
from app.ui.model_messages import MODEL_MESSAGES
from app.ui.project_messages import PROJECT_MESSAGES
from app.ui.speech_messages import SPEECH_MESSAGES
from app.ui.store_messages import STORE_MESSAGES
from app.ui.system_messages import SYSTEM_MESSAGES

# As they are written there, with %1, %2 … for what is put in. A message may be several of these in a row.
MESSAGES: tuple[str, ...] = (
    *CLIP_MESSAGES,
    *SPEECH_MESSAGES,
    *SYSTEM_MESSAGES,
    *PROJECT_MESSAGES,
    *STORE_MESSAGES,
    *DATA_MESSAGES,
    *EXPORT_MESSAGES,
    *IMPORT_MESSAGES,
    *MODEL_MESSAGES,
    *ENGINE_MESSAGES,
    *LIBRARY_MESSAGES,
)

_LONGEST = 2_000  # characters: what is longer is no message but somebody's text
# A quoted passage is somebody's words: no sentence ends in it, and nothing in it is put into another language.
_VALUE = "(?:“[^”]*”|[^“]|“(?![^”]*”))"
_WIDE, _NARROW = re.compile("[\u4e00-\u9fff]"), re.compile("[A-Za-z0-9]")
_SENTENCE = re.compile(rf"({_VALUE}*?[.!?:…])\s+", re.DOTALL)


def local(message: str) -> str:
    """A message in the language of the window; what has no translation stays as it is.

    What was put into a message is looked up as well, since parts of messages are put into others.
    """
    if not message or len(message) > _LONGEST or _is_english():
        return message
    parts, rest, known = [], message.strip(), False
    while rest:
        found = _found(rest)
        if found is None:
            own = _SENTENCE.match(rest)
            parts.append(own[1] if own else rest)
            rest = rest[own.end() :] if own else ""
            continue
        known = True
        source = _SOURCES[found.re]
        words = QCoreApplication.translate("Messages", source)
        for number, value in enumerate(found.groups(), 1):
            if f"“%{number}”" not in source and value != message:
                value = shown_languages(value) or local(value)
            words = _put(words, f"%{number}", value)
        parts.append(words)
        rest = rest[found.end() :].lstrip()
    if not known:
        return message
    return "".join(parts) if all(_ends_wide(part) for part in parts[:-1]) else " ".join(parts)


def _found(rest: str) -> re.Match[str] | None:
    """The message that a text begins with; rather one that takes no bracket out of what another put into it."""
    torn = None
    for pattern, _ in _patterns():
        if match := pattern.match(rest):
            if all(value.count("(") <= value.count(")") for value in match.groups()):
                return match
            torn = torn or match
    return torn


def _put(words: str, place: str, value: str) -> str:
    """Put a value in its place: a space stands between Chinese and other letters, and none within Chinese."""
    before, _, behind = words.partition(place)
    if _WIDE.match(value) and _WIDE.match(before[-2:-1]):
        before = before.rstrip(" ")
    elif _NARROW.match(value) and _WIDE.match(before[-1:]):
        before += " "
    if _WIDE.match(value[-1:]) and _WIDE.match(behind[1:2]):
        behind = behind.lstrip(" ")
    elif _NARROW.match(value[-1:]) and _WIDE.match(behind[:1]):
        behind = " " + behind
    return before + value + behind


def _is_english() -> bool:
    first = MESSAGES[0]
    return QCoreApplication.translate("Messages", first) == first


def _ends_wide(text: str) -> bool:
    """Marks of Chinese bring their own space."""
    return text[-1:] in "。！？：；"


_SOURCES: dict[re.Pattern[str], str] = {}


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[re.Pattern[str], int], ...]:
    """The messages as patterns, those with the most words first: they say the most."""
    made = []
    for source in MESSAGES:
        pieces = re.split(r"%\d", source)
        pattern = f"({_VALUE}+?)".join(map(re.escape, pieces))
        # What ends with something put in reaches to the end, so that none of it is left over; what is no sentence,
        # but put into one, is nothing but itself.
        whole = not pieces[-1] or (len(pieces) == 1 and source[-1] not in ".!?:…")
        compiled = re.compile(pattern + (r"\Z" if whole else r"(?=\s|\Z)"), re.DOTALL)
        _SOURCES[compiled] = source
        made.append((compiled, len("".join(pieces))))
    return tuple(sorted(made, key=lambda each: -each[1]))
