"""The pages of an Ogg file: how much sound they hold by their own count, and whether the last one is there."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

_SYNC = b"OggS"
_HEADER = struct.Struct("<4sBBqIIIB")  # sync, version, flags, granule position, serial, page number, checksum, segments
_BEGINS, _ENDS = 2, 4  # flags
_BODY_READ = 64  # of a page: enough for the formats below
_SEARCH_BYTES = 1 << 12
_FIRST_PAGES = 8  # headers, and where the sound begins


@dataclass(frozen=True)
class OggSound:
    """What an Ogg file says of its sound.

    Attributes:
        seconds: of all its streams; None where it begins in the middle of a stream, whose count began elsewhere.
        has_end: the mark of the end is there.
    """

    seconds: float | None
    has_end: bool


@dataclass(frozen=True)
class _Page:
    flags: int
    granule: int
    serial: int
    number: int
    body: bytes
    is_whole: bool


@dataclass
class _Link:
    serial: int
    rate: int
    skipped: int
    last: int = 0
    has_end: bool = False
    numbers: list[int] = field(default_factory=list)

    def see(self, page: _Page) -> None:
        if len(self.numbers) < _FIRST_PAGES:
            self.numbers.append(page.number)
        if page.is_whole:
            self.last = max(self.last, page.granule)
        self.has_end = page.is_whole and bool(page.flags & _ENDS)

    @property
    def begins_here(self) -> bool:
        return self.numbers == list(range(len(self.numbers)))

    @property
    def seconds(self) -> float:
        return max(0, self.last - self.skipped) / self.rate


def ogg_sound(path: Path) -> OggSound | None:
    """Read the headers of all pages, and nothing of the sound; None where no sound of a known kind is in it.

    Of streams that lie over each other (a film, two languages) the first with sound counts, which readers take too.

    Raises:
        OSError
    """
    links: list[_Link] = []
    group_has_sound = in_group = False
    with path.open("rb") as file:
        if file.read(len(_SYNC)) != _SYNC:
            return None
        for page in _pages(file):
            begins = bool(page.flags & _BEGINS)
            group_has_sound = group_has_sound and (not begins or in_group)
            in_group = begins
            kind = _kind(page.body) if begins and not group_has_sound else None
            if kind is not None:
                links.append(_Link(page.serial, *kind))
                group_has_sound = True
            if links and page.serial == links[-1].serial:
                links[-1].see(page)
    if not links:
        return None
    # Readers end where another kind begins: what lies behind it is promised, too, so that its lack is told.
    seconds = sum(link.seconds for link in links) if all(link.begins_here for link in links) else None
    return OggSound(seconds or None, links[-1].has_end)


def _pages(file: BinaryIO) -> Iterator[_Page]:
    """All pages, also those behind a damaged place."""
    at = 0
    while True:
        file.seek(at)
        head = file.read(_HEADER.size)
        if len(head) < _HEADER.size:
            return
        sync, _, flags, granule, serial, number, _, segments = _HEADER.unpack(head)
        if sync != _SYNC:
            found = _next_sync(file, at + 1)
            if found is None:
                return
            at = found
            continue
        lengths = file.read(segments)
        size = sum(lengths)
        body = file.read(min(size, _BODY_READ))
        at += _HEADER.size + segments + size
        file.seek(at - 1)  # the last byte of the page: a file that stops within it has none there
        is_whole = len(lengths) == segments and bool(file.read(1))
        yield _Page(flags, granule, serial, number, body, is_whole)


def _next_sync(file: BinaryIO, at: int) -> int | None:
    file.seek(at)
    kept = b""
    while block := file.read(_SEARCH_BYTES):
        found = (kept + block).find(_SYNC)
        if found >= 0:
            return at - len(kept) + found
        at += len(block)
        kept = (kept + block)[-len(_SYNC) + 1 :]
    return None


def _kind(body: bytes) -> tuple[int, int] | None:
    """Of the first page of a stream: granules a second, and granules before the sound begins."""
    rate = skipped = 0
    if body.startswith(b"OpusHead") and len(body) >= 12:
        rate, skipped = 48_000, int.from_bytes(body[10:12], "little")
    elif body.startswith(b"\x01vorbis") and len(body) >= 16:
        rate = int.from_bytes(body[12:16], "little")
    elif body.startswith(b"\x7fFLAC") and len(body) >= 30:
        rate = int.from_bytes(body[27:30], "big") >> 4
    elif body.startswith(b"Speex   ") and len(body) >= 52:
        rate = int.from_bytes(body[36:40], "little")
    return (rate, skipped) if rate else None
