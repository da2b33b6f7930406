"""What a person writes between the words: pauses, the length of a block, and how a word is said."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

LONGEST_PAUSE_S = 10.0  # a typo in a pause stays harmless
LONGEST_LENGTH_S = 600.0  # MODEL §3.4: 7,500 frames

TagKind = Literal["pause", "length", "say", "broken"]


@dataclass(frozen=True)
class Tag:
    """One tag in `text[start:end]`.

    Attributes:
        kind: `pause` and `length` carry `seconds`; `say` carries `written` and `spoken`; `broken` is half written.
        seconds: what counts, after the limit.
        problem: what to tell the person, empty when all is well: `broken` always has one, a limited value too.
    """

    kind: TagKind
    start: int
    end: int
    seconds: float | None = None
    written: str = ""
    spoken: str = ""
    problem: str = ""


# Chinese input methods write the wide brackets.
_OPEN, _CLOSE = r"[\[［【]", r"[\]］】]"
_NUMBER = r"(?P<{0}>\d++(?:[.,٫．]\d++)?|[.,]\d++)"  # possessive: of any length, in one pass
_UNIT = r"(?P<{0}>milliseconds?|msecs?|ms|seconds?|secs?|s|毫秒|秒)"

_WHOLE = (
    rf"(?P<bracket>{_OPEN}\s{{0,4}}(?P<name>pause|length)\s{{0,4}}[=:：]?\s{{0,4}}"
    rf"{_NUMBER.format('value')}\s{{0,4}}{_UNIT.format('unit')}\s{{0,4}}{_CLOSE})"
)
_BREAK = (
    rf"(?P<break><\s{{0,4}}break\s{{1,8}}time\s{{0,4}}=\s{{0,4}}(?P<quote>[\"'“”])\s{{0,4}}"
    rf"{_NUMBER.format('break_value')}\s{{0,4}}{_UNIT.format('break_unit')}\s{{0,4}}[\"'“”]\s{{0,4}}/?\s{{0,4}}>"
    r"(?:</break>)?)"
)
_SAY = (
    rf"(?P<say>{_OPEN}(?P<written>[^\[\]［］【】\r\n]{{1,200}}?)\s{{0,4}}[=＝][>＞]\s{{0,4}}"
    rf"(?P<spoken>[^\[\]［］【】\r\n]{{1,400}}){_CLOSE})"
)
# A tag's beginning that did not become a tag: up to its closing bracket when that is near, else its own few characters.
_BROKEN = (
    rf"(?P<broken>"
    rf"{_OPEN}\s{{0,4}}(?:pause|length)(?![^\W\d_])(?:[^\[\]［］【】<>\r\n]{{0,40}}{_CLOSE}"
    rf"|\s{{0,4}}[=:：]?\s{{0,4}}-?[\d.,]*+\s?(?:(?:ms|s)(?![^\W\d_]))?)"
    rf"|{_OPEN}(?:pau|paus|len|leng|lengt)(?=\s*$)"
    r"|<\s{0,4}break(?![^\W\d_])(?:[^<>\[\]\r\n]{0,60}>"
    r"|(?:\s{1,4}time)?(?:\s{0,4}=\s{0,4}[\"'“”]?[\d.,]*+\s?(?:ms|s)?[\"'“”]?)?\s?/?)"
    r"|</\s{0,4}break\s{0,4}>"
    r"|<(?:bre|brea)(?=\s*$)"
    rf"|{_OPEN}[^\[\]［］【】\r\n]{{0,200}}?[=＝][>＞]"
    rf"(?:[^\[\]［］【】\r\n]{{0,400}}{_CLOSE}|[^\s\[\]［］【】]{{0,200}})"
    r")"
)
_TAG = re.compile(f"{_WHOLE}|{_BREAK}|{_SAY}|{_BROKEN}", re.IGNORECASE)
_MAY_HOLD_A_TAG = re.compile(r"[\[［【<]")


def find_tags(text: str) -> list[Tag]:
    """Every tag in `text`, in order and without overlap, in time linear in its length.

    Read are `[pause 1.5s]`, `[pause=2s]`, `[pause 500ms]`, `<break time="1s"/>`, `[length 4.0s]` and `[Leif=>layf]`.
    """
    if not _MAY_HOLD_A_TAG.search(text):
        return []
    return [_tag(match) for match in _TAG.finditer(text)]


def format_pause(seconds: float) -> str:
    """How the studio writes a pause: `[pause 1.5s]`, tenths always, more digits only when they say something."""
    return f"[pause {_decimal(seconds)}s]"


def format_length(seconds: float) -> str:
    """How the studio writes the length of a block: `[length 4.0s]`."""
    return f"[length {_decimal(seconds)}s]"


def format_say(written: str, spoken: str) -> str:
    """How the studio writes a pronunciation: `[Leif=>layf]`."""
    return f"[{written}=>{spoken}]"


def _decimal(seconds: float) -> str:
    text = f"{seconds:.3f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


def _seconds(value: str, unit: str) -> float:
    number = float(value.replace(",", ".").replace("٫", ".").replace("．", "."))
    return number / 1000 if unit.lower().startswith("m") or unit == "毫秒" else number


def _tag(match: re.Match[str]) -> Tag:
    start, end = match.span()
    if match["bracket"]:
        seconds = _seconds(match["value"], match["unit"])
        return _pause(start, end, seconds) if match["name"].lower() == "pause" else _length(start, end, seconds)
    if match["break"]:
        return _pause(start, end, _seconds(match["break_value"], match["break_unit"]))
    if match["say"] and match["written"].strip() and match["spoken"].strip():
        return Tag("say", start, end, written=match["written"].strip(), spoken=match["spoken"].strip())
    return Tag("broken", start, end, problem=_remedy(match[0]))


def _pause(start: int, end: int, seconds: float) -> Tag:
    if seconds <= LONGEST_PAUSE_S:
        return Tag("pause", start, end, seconds)
    problem = f"A pause lasts at most {LONGEST_PAUSE_S:g} seconds; this one is spoken as {LONGEST_PAUSE_S:g} s."
    return Tag("pause", start, end, LONGEST_PAUSE_S, problem=problem)


def _length(start: int, end: int, seconds: float) -> Tag:
    if seconds <= 0:
        return Tag("broken", start, end, problem="A length must be more than 0 seconds: write [length 4.0s].")
    if seconds <= LONGEST_LENGTH_S and not math.isinf(seconds):
        return Tag("length", start, end, seconds)
    problem = f"A block lasts at most {LONGEST_LENGTH_S:g} seconds; the length is taken as that."
    return Tag("length", start, end, LONGEST_LENGTH_S, problem=problem)


def _remedy(written: str) -> str:
    if re.search(r"[=＝][>＞]", written):
        correct = "[Leif=>layf], the word, then how it is said"
    elif "len" in written.lower():
        correct = "[length 4.0s]"
    else:
        correct = "[pause 1.5s]"
    return f"“{written}” is only half a tag and is not spoken. Write {correct}."
