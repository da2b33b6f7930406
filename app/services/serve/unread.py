"""What a client is told about a text of which the model can read nothing."""

from __future__ import annotations

import unicodedata
from collections import Counter

from engine import ModelCard, TextError

SHOWN = 8
_SCRIPTS = {"CJK": "Chinese", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean"}


def unread(text: str, card: ModelCard) -> TextError:
    """The error for a text that has nothing the model could speak; it names the script, and what the model reads."""
    letters = [character for character in text if character.isalnum()]
    if not letters:
        return TextError("There is nothing to speak: the input has no words.", "Send some words.")
    scripts = [name for name, _ in Counter(map(script_of, letters)).most_common(3)]
    shown = " ".join(list(dict.fromkeys(letters))[:SHOWN])
    reads = f"{', '.join(card.languages)} only" if card.languages else "other languages"
    form = ", written in plain Latin letters (a to z)" if card.characters == "ascii" else ""
    return TextError(
        f"“{card.name}” cannot read {' and '.join(scripts)} script ({shown}); it reads {reads}{form}.",
        "Send the text so, or serve a model that reads it (serve --model).",
    )


def script_of(character: str) -> str:
    """The script of a letter for people: Arabic, Cyrillic, Chinese; "unknown" for what has no name."""
    first = unicodedata.name(character, "UNKNOWN").split()[0].partition("-")[0]
    return _SCRIPTS.get(first, first.title() if first != "UNKNOWN" else "an unknown")
