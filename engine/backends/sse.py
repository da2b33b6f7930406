"""Reads server-sent events from bytes that may be cut anywhere."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import ServerError

LARGEST_EVENT = 64 << 20  # ten minutes of stereo in one event, in base64, are smaller


@dataclass(frozen=True)
class SseEvent:
    """One event: its name ("message" where the server gave none) and its data."""

    name: str
    data: str


class SseReader:
    """Bytes in, whole events out. Lines end in LF, CR LF or CR; comments, `id` and `retry` are passed over."""

    def __init__(self) -> None:
        self._bytes = b""
        self._name = ""
        self._data: list[str] = []
        self._size = 0
        self._begun = False
        self._after_cr = False

    def feed(self, data: bytes) -> list[SseEvent]:
        """Events that are complete now. Raises ServerError: an event that never ends, or that is no UTF-8."""
        if self._after_cr and data[:1] == b"\n":
            data = data[1:]
        if data:
            self._after_cr = data[-1:] == b"\r"
        if not self._begun and data:
            data, self._begun = data.removeprefix(b"\xef\xbb\xbf"), True
        *lines, self._bytes = (self._bytes + data).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        events = [event for line in lines if (event := self._take(line)) is not None]
        if self._size + len(self._bytes) > LARGEST_EVENT:
            raise ServerError("The server sent an event without end.", "Update the server.")
        return events

    def _take(self, line: bytes) -> SseEvent | None:
        if not line:
            event = SseEvent(self._name or "message", "\n".join(self._data)) if self._data else None
            self._name, self._data, self._size = "", [], 0
            return event
        self._size += len(line)
        try:
            field, _, value = line.decode("utf-8").partition(":")
        except UnicodeDecodeError as error:
            raise ServerError("The server sent events that are no text.", "Update the server.") from error
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._name = value
        return None
