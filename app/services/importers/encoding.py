"""Bytes to text, in whatever encoding they are."""

from __future__ import annotations

import codecs
import re
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
    best = charset_normalizer.from_bytes(raw[:_LOOK_AT_BYTES]).best()
    encoding = best.encoding if best is not None else "cp1252"
    warning = f"The encoding of {name} was guessed as {encoding}; look at letters with accents."
    return _clean(raw.decode(encoding, errors="replace")), warning


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
