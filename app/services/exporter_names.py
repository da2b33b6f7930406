"""File names from a template and what people called their chapters, safe on every system."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

from app.services.exporter_formats import ExportError

FIELDS = ("number", "title", "chapter", "voice", "text", "block")
_FIELD = re.compile(r"\{(\w+)(?::(0?[1-9]))?\}")
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]')
# Names that Windows gives to devices, with any ending.
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)\Z", re.IGNORECASE)
_MOST_BYTES = 180  # leaves room for an ending, a number and the mark of a temporary file within 255


def check_template(template: str) -> None:
    """Raises ExportError for a template that names unknown fields or would be the same for every file."""
    for name, _ in _FIELD.findall(template):
        if name not in FIELDS:
            raise ExportError(f"The name template has no field called {{{name}}}.", f"Use {_listed()}.")
    left = _FIELD.sub("", template)
    if "{" in left or "}" in left:
        raise ExportError("The name template has a bracket too many.", f"Write fields like {_listed()}.")


def _listed() -> str:
    return ", ".join(f"{{{name}}}" for name in FIELDS)


def fill(template: str, values: Mapping[str, object]) -> str:
    """The template with its fields, `{number:02}` padded with zeros; not yet safe as a name."""

    def put(match: re.Match[str]) -> str:
        value = values.get(match[1], "")
        if match[2] and isinstance(value, int):
            return str(value).zfill(int(match[2]))
        return str(value)

    return _FIELD.sub(put, template)


def safe_name(wanted: str) -> str:
    """A file name without ending that means nothing special on Linux, Windows or macOS and stays within their
    lengths."""
    name = unicodedata.normalize("NFC", wanted)
    name = "".join(
        " " if unicodedata.category(each) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") else each for each in name
    )
    name = _FORBIDDEN.sub("-", name)
    name = " ".join(name.split()).strip(" .-")
    while len(name.encode("utf-8")) > _MOST_BYTES:
        name = name[:-1].rstrip(" .")
    if _RESERVED.match(name.split(".")[0].strip()):
        name = f"{name.split('.')[0].strip()}_{name[len(name.split('.')[0]) :]}"
    return name or "untitled"


class Names:
    """Hands out names that differ from each other also where case and composition do not count."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._used = {_alike(each) for each in taken}

    def take(self, wanted: str) -> str:
        base = safe_name(wanted)
        name, number = base, 1
        while _alike(name) in self._used:
            number += 1
            name = f"{base} ({number})"
        self._used.add(_alike(name))
        return name


def _alike(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
