"""Checks of values that come from a file: type, size and range, or a FormatError."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from app.model.errors import FormatError

T = TypeVar("T")

MAX_TEXT = 4_000_000  # characters of one block or one edit: an audiobook is about a million
MAX_SHORT = 4_000  # names, instructions, messages
MAX_ITEMS = 200_000  # entries of one list
MAX_BLOCKS = 200_000  # of a script: an audiobook has some thousands
MAX_SCRIPT = 64_000_000  # characters of all of it
MAX_JSON_BYTES = 64 * 1024 * 1024
_MAX_DEPTH = 24
_ID = re.compile(r"[0-9A-Za-z_-]{1,64}\Z")
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_BROKEN = re.compile("[\x00\ud800-\udfff]")
_LINE_ENDS = re.compile("\r\n|[\r\u2028\u2029]")


def clean_text(text: str) -> str:
    """Text as a project holds it: lines end with a line feed, no NUL, no half of a surrogate pair (shown as U+FFFD)."""
    if "\r" in text or "\u2029" in text or "\u2028" in text:
        text = _LINE_ENDS.sub("\n", text)
    return _BROKEN.sub("\ufffd", text)


def string(value: object, what: str, limit: int = MAX_SHORT) -> str:
    if not isinstance(value, str) or len(value) > limit:
        raise _wrong(what, f"text of at most {limit} characters")
    return _BROKEN.sub("\ufffd", value)


def identifier(value: object, what: str) -> str:
    if not isinstance(value, str) or not _ID.match(value):
        raise _wrong(what, "an identifier")
    return value


def sha256(value: object, what: str) -> str:
    if not isinstance(value, str) or not _SHA256.match(value):
        raise _wrong(what, "a SHA-256 in hexadecimal")
    return value


def number(value: object, what: str, low: float = -math.inf, high: float = math.inf) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high or math.isinf(value):
        raise _wrong(what, f"a number from {low} to {high}")
    return float(value)


def integer(value: object, what: str, low: int = -(2**63), high: int = 2**63 - 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise _wrong(what, f"a whole number from {low} to {high}")
    return value


def boolean(value: object, what: str) -> bool:
    if not isinstance(value, bool):
        raise _wrong(what, "true or false")
    return value


def one_of(value: object, what: str, choices: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in choices:
        raise _wrong(what, f"one of {', '.join(choices)}")
    return value


def optional(check: Callable[..., T], value: object, what: str, *args: Any) -> T | None:
    """None, or what `check` makes of the value."""
    return None if value is None else check(value, what, *args)


def items(value: object, what: str, limit: int = MAX_ITEMS) -> list[Any]:
    if not isinstance(value, (list, tuple)) or len(value) > limit:
        raise _wrong(what, f"a list of at most {limit} entries")
    return list(value)


def mapping(value: object, what: str, limit: int = MAX_ITEMS) -> dict[str, Any]:
    if not isinstance(value, Mapping) or len(value) > limit or not all(isinstance(key, str) for key in value):
        raise _wrong(what, f"named values, at most {limit}")
    return dict(value)


def plain(value: object, what: str, budget: int = 100_000) -> Any:
    """A copy of a JSON value: bounded depth and number of entries, finite numbers, no other types."""
    left = [budget]

    def copy(each: object, depth: int) -> Any:
        left[0] -= 1
        if depth > _MAX_DEPTH or left[0] < 0:
            raise _wrong(what, "a smaller value")
        if each is None or isinstance(each, bool):
            return each
        if isinstance(each, str):
            return string(each, what, MAX_TEXT)
        if isinstance(each, int):
            return integer(each, what)
        if isinstance(each, float):
            return number(each, what)
        if isinstance(each, (list, tuple)):
            return [copy(one, depth + 1) for one in each]
        if isinstance(each, Mapping):
            return {string(key, what): copy(one, depth + 1) for key, one in each.items()}
        raise _wrong(what, "plain text, numbers and lists")

    return copy(value, 0)


def from_json_text(text: object, what: str, limit: int = MAX_JSON_BYTES) -> Any:
    """Parse JSON of bounded size; a FormatError for anything else, also for nesting that is too deep."""
    if not isinstance(text, (str, bytes)) or len(text) > limit:
        raise _wrong(what, f"JSON of at most {limit} bytes")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{what} cannot be read: {type(error).__name__}.") from error


def to_json_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _wrong(what: str, wanted: str) -> FormatError:
    return FormatError(f"{what} must be {wanted}.")
