"""Bounds what a hub may send where no file is asked for, and how far anything that it sends may be unpacked at once."""

from __future__ import annotations

import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from engine.hub_access import HubError

LARGEST_BYTES = 8 << 20  # a list of some thousand files is a tenth of that
LONGEST_S = 60.0
STEP_BYTES = 64 << 10
_GZIP = 47  # zlib's window bits for gzip and zlib, found by their header
_REMEDY = "Check the mirror's address, or try another."
_file_check: ContextVar[Callable[[], None] | None] = ContextVar("file_check", default=None)


@contextmanager
def asking_for_a_file(check: Callable[[], None]) -> Iterator[None]:
    """What is asked in here is a file, as long as it may be; whoever writes it knows how long that is.

    Args:
        check: asked before each request, also before those that the client makes again by itself; raises to end them.
    """
    token = _file_check.set(check)
    try:
        yield
    finally:
        _file_check.reset(token)


def still_wanted(request: Any) -> None:
    """Hook of the hub's client: a file that nobody wants any more is not asked for again."""
    check = _file_check.get()
    if check is not None:
        check()


def bound(response: Any) -> None:
    """Hook of the hub's client: lists, refusals and redirects end early where they are endless; what is packed is
    unpacked in small steps, whatever the client would do.

    Raises:
        HubError: packed in a way that was not asked for; later, while it is read: more than a hub says.
    """
    packings = [each.strip().lower() for each in response.headers.get("content-encoding", "").split(",")]
    packings = [each for each in packings if each not in ("", "identity")]
    if packings not in ([], ["gzip"], ["x-gzip"], ["deflate"]):
        raise HubError(f"{_name(response)} packs what it sends as {', '.join(packings)[:40]}.", _REMEDY)
    if packings:
        del response.headers["content-encoding"]
    is_file = _file_check.get() is not None and response.status_code in (200, 206)
    stream = _bounded(sys.modules[type(response).__module__.partition(".")[0]].SyncByteStream)
    response.stream = stream(response.stream, bool(packings), None if is_file else LARGEST_BYTES, _name(response))


def _name(response: Any) -> str:
    return f"{response.request.url.scheme}://{response.request.url.netloc.decode('ascii', 'replace')}"


@cache
def _bounded(kind: type) -> type:
    """A stream of the library that the hub's client is built on, with our bounds."""

    class Bounded(kind):  # type: ignore[misc, valid-type]
        def __init__(self, inner: Any, packed: bool, most: int | None, name: str) -> None:
            self._inner, self._packed, self._most, self._name = inner, packed, most, name

        def __iter__(self) -> Iterator[bytes]:
            came, begun_s = 0, time.monotonic()
            for data in _unpacked(self._inner) if self._packed else self._inner:
                came += len(data)
                if self._most is not None and (came > self._most or time.monotonic() - begun_s > LONGEST_S):
                    raise HubError(f"{self._name} does not answer as a hub does: its answer does not end.", _REMEDY)
                yield data

        def close(self) -> None:
            self._inner.close()

    return Bounded


def _unpacked(packed: Any) -> Iterator[bytes]:
    """Raises HubError: damaged, or packed so that it grows without coming to anything."""
    unpack = zlib.decompressobj(_GZIP)
    surplus, is_empty = 0, True
    try:
        for raw in packed:
            surplus, is_empty = surplus + len(raw), False
            while raw and not unpack.eof:
                data = unpack.decompress(raw, STEP_BYTES)
                surplus -= len(data)
                yield data
                raw = unpack.unconsumed_tail
            if surplus > LARGEST_BYTES:
                raise HubError("What the hub sends cannot be unpacked.", _REMEDY)
        yield unpack.flush()
    except zlib.error as error:
        raise HubError("What the hub sends cannot be unpacked.", _REMEDY) from error
    if not (unpack.eof or is_empty):  # empty is the answer to a question for headers alone
        raise HubError("What the hub sends cannot be unpacked.", _REMEDY, passing=True)
