"""A small signal: whoever is connected is called in the order of connecting."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

_log = logging.getLogger(__name__)


class Signal:
    """Calls every connected function on the emitting thread.

    A function that raises is logged and does not keep the others from being called. Connecting or disconnecting inside
    a call counts from the next emission on.
    """

    def __init__(self) -> None:
        self._listeners: tuple[Callable[..., None], ...] = ()

    def connect(self, listener: Callable[..., None]) -> Callable[[], None]:
        """Call `listener` on every emission from now on. Returns a function that ends this; calling it twice is
        harmless."""
        # A fresh wrapper object makes two connections of one function two connections.
        entry = _Entry(listener)
        self._listeners = (*self._listeners, entry)

        def disconnect() -> None:
            self._listeners = tuple(each for each in self._listeners if each is not entry)

        return disconnect

    def emit(self, *args: Any) -> None:
        for listener in self._listeners:
            try:
                listener(*args)
            except Exception:
                _log.exception("A listener of a signal failed")


class _Entry:
    __slots__ = ("_listener",)

    def __init__(self, listener: Callable[..., None]) -> None:
        self._listener = listener

    def __call__(self, *args: Any) -> None:
        self._listener(*args)
