"""How long a text will take to say, before anything is said."""

from __future__ import annotations

import re
from array import array

from engine.text.languages import language_name

# Frames of 80 ms a character: the rates of MODEL §3.3.
HAN_FRAMES = 3.098411951313033
KANA_FRAMES = 2.2
HANGUL_FRAMES = 1.8
FRENCH_FRAMES = 0.9
OTHER_FRAMES = 0.8673376262755219
# A digit is read as a word of about four letters: "1984" takes four times as long as "year".
DIGIT_FRAMES = 4 * OTHER_FRAMES
ZERO_FRAMES = 2 * OTHER_FRAMES  # most are only places: "1,000,000" is two words
# Spaces and marks in a long row are one breath. Not quite nothing, so that a megabyte of dots is still cut.
ROW_FRAMES = 0.1

_HAN = r"\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WIDE_MARKS = r"\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
_KANA = r"\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_HANGUL = r"\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
# Not heard by themselves: stacked accents, variation selectors, joiners, direction marks, soft hyphen.
_UNHEARD = r"\u0300-\u036f\ufe00-\ufe0f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad\U000e0000-\U000e01ef"
_HAN_RE = re.compile(f"[{_HAN}]")
_KANA_RE = re.compile(f"[{_KANA}]")
_HANGUL_RE = re.compile(f"[{_HANGUL}]")
_WIDE_MARKS_RE = re.compile(f"[{_WIDE_MARKS}]")
_UNHEARD_RE = re.compile(f"[{_UNHEARD}]")
_DIGIT_RE = re.compile(r"[1-9]")
_ZERO_RE = re.compile(r"0")
_ROW_RE = re.compile(r"([\W_])\1\1(\1+)")
_HAN_LANGUAGES = ("Chinese", "Cantonese")


def character_frames(text: str, language: str | None = None) -> array[float]:
    """Frames of 80 ms that each character of `text` is expected to take: `[len(text)]` floats.

    The rate is that of the character's own script, so that mixed text is not judged by one language. White space and
    punctuation count like letters, as the rates were taken.
    """
    name = language_name(language)
    basic = FRENCH_FRAMES if name == "French" else OTHER_FRAMES
    by_beat = name in _HAN_LANGUAGES or (name is None and _HAN_RE.search(text) is not None)
    frames = array("d", [basic]) * len(text)
    japanese = name == "Japanese" or (name is None and _KANA_RE.search(text) is not None)
    han = KANA_FRAMES if japanese else HAN_FRAMES
    wide = HANGUL_FRAMES if name == "Korean" else han
    # In Chinese text the wide marks take a beat of their own; the same rate was measured over marks and characters.
    rates = [(_DIGIT_RE, HAN_FRAMES if by_beat else DIGIT_FRAMES), (_ZERO_RE, HAN_FRAMES if by_beat else ZERO_FRAMES)]
    if not text.isascii():
        rates += [(_UNHEARD_RE, 0.0), (_WIDE_MARKS_RE, wide)]
        rates += [(_HAN_RE, han), (_KANA_RE, KANA_FRAMES), (_HANGUL_RE, HANGUL_FRAMES)]
    for pattern, rate in rates:
        for match in pattern.finditer(text):
            frames[match.start()] = rate
    for match in _ROW_RE.finditer(text):
        for i in range(*match.span(2)):
            frames[i] = min(frames[i], ROW_FRAMES)
    return frames


def estimate_frames(text: str, language: str | None = None) -> int:
    """Expected length of `text` in frames of 80 ms, at least 1. `language`: any name or code, or None."""
    return max(1, round(sum(character_frames(text, language))))
