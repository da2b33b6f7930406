"""Bytes to text, in whatever encoding they are."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from pathlib import Path

import charset_normalizer

from app.services.importers.preview import ImportRefused

MOST_TEXT_BYTES = 64 * 1024 * 1024
_LOOK_AT_BYTES = 256 * 1024
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NO_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")  # bytes of no text; escape begins characters of ISO 2022
_MARKS = frozenset("“”‘’‚„«»‹›–—…•·°§©®™€£¢¥±×½¼¾¿¡\u00a0\u00ad")
# Letters of languages that share an encoding: French, German, Spanish, Italian, Portuguese, those of the north,
# Icelandic; ...
_LATIN = {
    "cp1252": (
        "àâæçèéêëîïôœùûüÿ", "äöüßéàè", "áéíñóúüçï", "àèéìíîòóùú", "àáâãçéêíóôõúü", "åäöæøéàèü", "áðéíóúýþæö",
        "áàéèëïíóöúü",
    ),
    "cp1250": ("áäčďéěíĺľňóôŕřšťúůýž", "ąćęłńóśźżé", "áéíóöőúüű", "ăâîşţéș", "čćđšžé"),
    "cp1254": ("çğıi̇öşüâîû",),
    "cp1257": ("ąčęėįšųūž", "āčēģīķļņšūž", "äöõüšž"),
}  # fmt: skip
_LATIN_FAMILY = frozenset(
    "cp1250 cp1252 cp1254 cp1257 cp1258 latin_1 iso8859_2 iso8859_3 iso8859_4 iso8859_9 iso8859_10 iso8859_13 "
    "iso8859_14 iso8859_15 iso8859_16 mac_roman mac_latin2 mac_iceland mac_turkish mac_croatian mac_romanian cp437 "
    "cp775 cp850 cp852 cp857 cp858 cp860 cp861 cp863 cp865 hp_roman8".split()
)
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f\ufeff\u00ad\u200b\u2060\u202a-\u202e\u2066-\u2069]")


def read_file(path: Path, most_bytes: int = MOST_TEXT_BYTES) -> bytes:
    """The bytes of a file. Raises ImportRefused when it is too large or cannot be read."""
    try:
        with path.open("rb") as file:
            raw = file.read(most_bytes + 1)
    except OSError as error:
        raise ImportRefused(f"{path.name} cannot be read ({error.strerror}).", "Check the file.") from error
    if len(raw) > most_bytes:
        raise ImportRefused(f"{path.name} is larger than {most_bytes >> 20} MB.", "Cut it into parts.")
    return raw


def decode(raw: bytes, name: str) -> tuple[str, str]:
    """Text and, where the encoding had to be guessed, a warning for people; else "".

    Raises:
        ImportRefused: it is no text.
    """
    for bom, encoding in _BOMS:
        if raw.startswith(bom):
            return _clean(raw.decode(encoding, errors="replace")), ""
    if raw.isascii() and re.search(rb"\x1b\$[@B]", raw):
        return _clean(raw.decode("iso2022_jp", errors="replace")), ""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        if text.count("\0") <= len(text) // 100:
            return _clean(text), ""
    wide = _wide_encoding(raw)
    if wide:
        return _clean(raw.decode(wide, errors="replace")), ""
    if len(_NO_TEXT.findall(raw[:_LOOK_AT_BYTES])) > min(len(raw), _LOOK_AT_BYTES) // 100:
        raise ImportRefused(f"{name} is not a text.", "Choose a text, a document, a book or subtitles.")
    encoding = _narrow_encoding(raw[:_LOOK_AT_BYTES])
    warning = f"The encoding of {name} was guessed as {encoding}; look at letters with accents."
    return _clean(raw.decode(encoding, errors="replace")), warning


def _narrow_encoding(raw: bytes) -> str:
    """The likeliest encoding of bytes that are no Unicode."""
    scores = {encoding: _latin_score(raw, encoding) for encoding in _LATIN}
    latin = max(_LATIN, key=lambda encoding: scores[encoding])  # of equal ones the first
    if scores[latin] == 1.0:
        return latin
    best = charset_normalizer.from_bytes(raw).best()
    if best is None or best.encoding in _LATIN_FAMILY:
        return latin
    return best.encoding


def _latin_score(raw: bytes, encoding: str) -> float:
    """How many of the letters and marks beyond ASCII one language that is written in this encoding has, 0 to 1.

    The guesser itself takes letters of any languages together, and of encodings that fit as well the first by name.
    """
    special = Counter(character.lower() for character in raw.decode(encoding, errors="replace") if character > "\x7f")
    total = special.total() or 1
    marks = sum(count for character, count in special.items() if character in _MARKS)
    return max(
        (marks + sum(count for character, count in special.items() if character in letters)) / total
        for letters in _LATIN[encoding]
    )


def _wide_encoding(raw: bytes) -> str:
    """UTF-16 without a mark: every other byte of most European text is zero."""
    sample = raw[:_LOOK_AT_BYTES]
    half = len(sample) // 2 or 1
    if sample[1::2].count(0) > 0.4 * half and sample[0::2].count(0) < 0.1 * half:
        return "utf-16-le"
    if sample[0::2].count(0) > 0.4 * half and sample[1::2].count(0) < 0.1 * half:
        return "utf-16-be"
    return ""


def _clean(text: str) -> str:
    """Lines end with a line feed; control and direction characters, which nobody can speak, are gone."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n\n")
    text = text.replace("\f", "\n\n").replace("\v", "\n").replace("\x85", "\n")
    return _CONTROLS.sub("", text)
