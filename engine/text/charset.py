"""Brings text into the characters a model was trained on, and says what could not be brought."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from engine.card import ModelCard
from engine.requests import SpeechWarning
from engine.text.mapped import MappedText

# Nobody hears or sees these; direction marks, zero-width spaces, byte order marks, soft hyphens.
_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
# Whole words without small letters of English: what else they hold decides whether they are in capitals.
_CAPITALS = re.compile(r"(?<![^\W\d_])[^\W\d_a-z]{2,}+(?![^\W\d_])")
_DASHES = re.compile(r" ?[—―⸺⸻]++ ?| [–‒]++ ")
_PLAIN = {
    **dict.fromkeys("‘’‚‛ʼʻʹ′‵`´＇ˈ", "'"),
    **dict.fromkeys("“”„‟″‶«»‹›〝〞＂「」『』《》〈〉", '"'),
    **dict.fromkeys("‐‑‒–⁃﹣－", "-"),
    **dict.fromkeys("…⋯", "..."),
    **dict.fromkeys("•‣◦▪●■·・", " "),
    "−": "-",
    "⁄": "/",
    "∕": "/",
    "¿": "",
    "¡": "",
    "，": ", ",
    "、": ", ",
    "。": ". ",
    "！": "! ",
    "？": "? ",
    "；": "; ",
    "：": ": ",
    "°": " degrees",
    "×": " times ",
    "÷": " divided by ",
    "±": " plus or minus ",
    "≈": " about ",
    "≠": " is not ",
    "≤": " at most ",
    "≥": " at least ",
    "½": " a half",
    "¼": " a quarter",
    "¾": " three quarters",
    "€": " euros ",
    "£": " pounds ",
    "¥": " yen ",
    "¢": " cents",
    "©": " copyright ",
    "®": "",
    "™": "",
    "§": " section ",
    "¶": "",
    "†": "",
    "‡": "",
    "№": "number ",
    "ß": "ss",
    "ẞ": "SS",
    "æ": "ae",
    "Æ": "Ae",
    "œ": "oe",
    "Œ": "Oe",
    "ø": "o",
    "Ø": "O",
    "ł": "l",
    "Ł": "L",
    "đ": "d",
    "Đ": "D",
    "ð": "th",
    "Ð": "Th",
    "þ": "th",
    "Þ": "Th",
    "ı": "i",
    "ħ": "h",
    "ŋ": "ng",
    "ə": "e",
}
_BEFORE_AMOUNT = re.compile(r"([€£¥])\s?(\d(?:[\d.,]*\d)?)")
_UNITS_OF_MONEY = {"€": "euros", "£": "pounds", "¥": "yen"}
_DEGREES = re.compile(r"\s?°\s?([CF])\b")
_RANGE = re.compile(r"(?<=\d)\s?[–‒]\s?(?=\d)")
_MINUS = re.compile(r"(?<![\w)])\s?[−–](?=\d)")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_LONG_ROW = re.compile(r"([^\w\s])\1{2,}")  # "!!!!" is no word; three dots stay three
_BLANKS = re.compile(r" \s+|[^\S ]\s*")  # all but a single space
_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_ONE_NUMBER = re.compile(
    rf"{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH},? \d{{4}}"
    r"|\(?\d[\d.,:/()\-]*(?:[ \-]\(?\d[\d.,:/()\-]*)*",
    re.IGNORECASE,
)
_SHOWN_CHARACTERS = 12


def readable(text: MappedText, card: ModelCard) -> tuple[MappedText, str]:
    """`text` in characters the card's model reads, and those characters that had to be left out.

    For every model control characters, halves of surrogate pairs and invisible marks go; words in capitals are lowered
    where the card says so. For one that knows ASCII only: typographic marks become plain ones, marks in a long row one,
    accents are folded, symbols are spelled, white space is one space; what is then still not ASCII is left out.
    """
    left_out: list[str] = []

    def leave_out(match: re.Match[str]) -> str:
        left_out.append(match[0])
        parts = _alnum_at(match.string, match.start() - 1) and _alnum_at(match.string, match.end())
        return " " if parts else ""

    text = text.sub(_INVISIBLE, "").sub(_CONTROL, leave_out)
    if card.lower_capitals:
        text = text.sub(_CAPITALS, lambda match: match[0].lower() if match[0].isupper() else match[0])
    if card.characters == "ascii":
        text = text.sub(_BLANKS, " ")
        text = text.sub(_BEFORE_AMOUNT, lambda match: f"{match[2]} {_UNITS_OF_MONEY[match[1]]}")
        text = text.sub(_DEGREES, lambda match: " degrees " + ("Celsius" if match[1] == "C" else "Fahrenheit"))
        text = text.sub(_RANGE, " to ").sub(_MINUS, " minus ").sub(_DASHES, _plain_dash)
        text = text.sub(_NOT_ASCII, lambda match: _fold(match[0])).sub(_NOT_ASCII, leave_out)
        text = text.sub(_LONG_ROW, lambda match: "..." if match[1] == "." else match[1]).sub(_BLANKS, " ")
    return text, "".join(left_out)


def unreadable_warning(characters: str, card: ModelCard) -> SpeechWarning:
    """What to tell about characters that had to be left out."""
    distinct = list(dict.fromkeys(characters))
    shown = " ".join(_shown(character) for character in distinct[:_SHOWN_CHARACTERS])
    more = f" and {len(distinct) - _SHOWN_CHARACTERS} more" if len(distinct) > _SHOWN_CHARACTERS else ""
    remedy = (
        "Write it in plain English letters, or choose a model that reads it."
        if card.characters == "ascii"
        else "Remove or retype it."
    )
    return SpeechWarning("unreadable", f"{card.name} cannot read {shown}{more}: left out. {remedy}")


def count_numbers(sentence: str) -> int:
    """How many numbers, dates, times, prices or telephone numbers are written in digits in one sentence."""
    return sum(1 for _ in _ONE_NUMBER.finditer(sentence))


def _plain_dash(match: re.Match[str]) -> str:
    whole = match.string
    before = whole[match.start() - 1 : match.start()] if match.start() else ""
    after = whole[match.end() : match.end() + 1]
    if not before or before in ".,;:!?—–(\"'“‘«":
        return " " if before and before in ".,;:!?" else ""
    if not after:
        return "..."
    return "..." if after in ".,;:!?\"'”’»)" else ", "


def _fold(run: str) -> str:
    """`run` with what has a plain spelling spelled so; the rest as it was."""
    spelled: list[str] = []
    for character in run:
        plain = _PLAIN.get(character)
        if plain is None and character.isspace():
            plain = " "
        if plain is None:
            plain = _without_marks(character)
        spelled.append(plain)
    return "".join(spelled)


@lru_cache(maxsize=4096)
def _without_marks(character: str) -> str:
    if "\u0300" <= character <= "\u036f" or "\ufe00" <= character <= "\ufe0f" or character in "\u200c\u200d":
        return ""
    decomposed = unicodedata.normalize("NFKD", character)
    plain = "".join(part for part in decomposed if not unicodedata.combining(part)).replace("⁄", "/")
    return plain if plain.isascii() and plain.strip() else character


def _alnum_at(text: str, i: int) -> bool:
    return 0 <= i < len(text) and text[i].isalnum()


def _shown(character: str) -> str:
    if character.isprintable() and not unicodedata.category(character).startswith(("C", "M")):
        return f"“{character}”"
    return f"U+{ord(character):04X}"
