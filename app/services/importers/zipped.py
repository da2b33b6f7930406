"""Documents and books are zip files: opened without trust in what they say about themselves."""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from app.services.importers.preview import ImportRefused

MOST_FILE_BYTES = 1024 * 1024 * 1024  # books with many pictures are large; those are never unpacked
MOST_ENTRIES = 20_000
MOST_ENTRY_BYTES = 32 * 1024 * 1024
MOST_TOTAL_BYTES = 256 * 1024 * 1024
MOST_RATIO = 400  # real XML shrinks to a twentieth; a bomb to a thousandth
_LONGEST_LIST_BYTES = 16 * 1024 * 1024  # of the names of all parts
_SMALL_BYTES = 1024 * 1024
_DEEPEST_XML = 200
_MOST_ELEMENTS = 3_000_000  # a novel has a tenth of it


class _ListedFile(io.FileIO):
    """A file whose list of parts has an end: `zipfile` reads all of it before anybody can count them."""

    listed = False

    def read(self, size: int | None = -1, /) -> bytes:
        if not self.listed and (size is None or size > _LONGEST_LIST_BYTES):
            raise zipfile.BadZipFile("it lists too many parts")
        return super().read(size) or b""


class Package:
    """A zip file whose parts are read by name, each and all together within limits. Use as a context manager."""

    def __init__(self, path: Path) -> None:
        """Raises ImportRefused."""
        self.name = path.name
        self._total = 0
        try:
            if path.stat().st_size > MOST_FILE_BYTES:
                raise ImportRefused(f"{path.name} is larger than 1 GB.", "Cut it into parts.")
            self._file = _ListedFile(path)
        except OSError as error:
            raise ImportRefused(f"{path.name} cannot be read ({error.strerror}).", "Check the file.") from error
        try:
            self._zip = zipfile.ZipFile(self._file)
            self._file.listed = True
        except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            self._file.close()
            raise ImportRefused(
                f"{path.name} is damaged or not what its name says ({error}).", "Open and save it again."
            ) from error
        entries = self._zip.infolist()
        if len(entries) > MOST_ENTRIES:
            self.__exit__()
            raise ImportRefused(f"{path.name} has more than {MOST_ENTRIES:,} parts.", "It was not opened.")
        # A name that leads out of the package cannot be asked for by anything inside, so it is never read.
        self._entries = {
            _plain(entry.filename): entry for entry in entries if _plain(entry.filename) and not entry.is_dir()
        }

    def __enter__(self) -> Package:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()
        self._file.close()

    def has(self, name: str) -> bool:
        return _plain(name) in self._entries

    def names(self) -> list[str]:
        return list(self._entries)

    def read(self, name: str) -> bytes:
        """The bytes of a part. Raises ImportRefused when it is missing, too large, damaged or encrypted."""
        entry = self._entries.get(_plain(name))
        if entry is None:
            raise ImportRefused(f"{self.name} lacks its part {_shown(name)}.", "Open and save it again.")
        if entry.flag_bits & 1:
            raise ImportRefused(f"{self.name} is protected by a password.", "Save it without one.")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ImportRefused(f"{self.name} is packed as no document is.", "Open and save it again.")
        try:
            with self._zip.open(entry) as file:
                raw = file.read(MOST_ENTRY_BYTES + 1)
        except (OSError, zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError) as error:
            raise ImportRefused(
                f"{self.name} is damaged in its part {_shown(name)}.", "Open and save it again."
            ) from error
        self._total += len(raw)
        packed = max(1, entry.compress_size)
        too_dense = len(raw) > _SMALL_BYTES and len(raw) / packed > MOST_RATIO
        if len(raw) > MOST_ENTRY_BYTES or self._total > MOST_TOTAL_BYTES or too_dense:
            raise ImportRefused(f"{self.name} unpacks to far more than a text could be.", "It was not opened.")
        return raw

    def xml(self, name: str) -> Element:
        """The root of an XML part. Raises ImportRefused, also for entities, with which small files grow without end."""
        return parse_xml(self.read(name), f"{self.name} ({_shown(name)})")


class _Builder(TreeBuilder):
    """Builds a tree, but not one without end."""

    def __init__(self, shown: str) -> None:
        super().__init__()
        self._shown = shown
        self._elements = self._depth = 0

    def start(self, tag: str, attrs: dict[str, str]) -> Element:  # type: ignore[override]
        self._elements += 1
        self._depth += 1
        if self._depth > _DEEPEST_XML or self._elements > _MOST_ELEMENTS:
            raise ImportRefused(f"{self._shown} is nested or divided beyond any real document.", "It was not opened.")
        return super().start(tag, attrs)

    def end(self, tag: str) -> Element:
        self._depth -= 1
        return super().end(tag)


def parse_xml(raw: bytes, shown: str) -> Element:
    """The root element of an XML document. Raises ImportRefused."""
    # Books name a document type; it is never fetched, and it cannot define anything.
    parser = DefusedXMLParser(target=_Builder(shown), forbid_dtd=False, forbid_entities=True, forbid_external=True)
    try:
        parser.feed(raw)
        root: Any = parser.close()
    except DefusedXmlException as error:
        raise ImportRefused(
            f"{shown} defines entities, which can hide any amount of data.", "It was not opened."
        ) from error
    except (ParseError, ValueError, LookupError) as error:
        raise ImportRefused(f"{shown} cannot be understood ({error}).", "Open and save it again.") from error
    return root


def _plain(name: str) -> str:
    """A part's name without tricks; "" for one that would lead out of the package."""
    path = posixpath.normpath(name.replace("\\", "/"))
    if path in (".", "") or path.startswith(("/", "../")) or path == ".." or ":" in path.split("/")[0] or "\0" in path:
        return ""
    return path


def inside(base: str, link: str) -> str:
    """The part that a link in part `base` means; "" when it leads out of the package."""
    target = unquote(link.split("#", 1)[0].split("?", 1)[0])
    if not target:
        return _plain(base)
    if "://" in target or target.startswith(("data:", "mailto:")):
        return ""
    return _plain(posixpath.join(posixpath.dirname(base), target))


def _shown(name: str) -> str:
    return name if len(name) <= 80 else name[:79] + "…"
