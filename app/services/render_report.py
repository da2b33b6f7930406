"""What is told about the making of speech: figures, outcomes, reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

REASONS = {
    "length": "Speaking was ended before the text was: it took far longer than the text should. Speak it again.",
    "runaway": "The voice ran away: silence or repetition without end. Speak the line again.",
    "early_end": "The voice stopped far too early for this text; words are missing. Speak the line again.",
    "unreadable": "The model cannot read all of this line; what it cannot read was left out.",
    "cancelled": "Speaking was stopped before the end. Speak the line again.",
    "failed": "Speaking broke off before the end. Speak the line again.",
    "": "The studio ended while this was being spoken. Speak the line again.",
}


@dataclass(frozen=True)
class Report:
    """What became of the blocks that were asked for: how many, and their ids by outcome."""

    asked: int = 0
    done: tuple[str, ...] = ()
    suspicious: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()


@dataclass(frozen=True)
class Figures:
    """How the making of speech goes.

    Attributes:
        ttfa_ms, rtf: of the newest request; None before there was one.
        speaking: blocks being spoken. waiting: how many wait.
        finished, asked: of the takes that were asked for. lines: of how many blocks these are.
    """

    ttfa_ms: float | None = None
    rtf: float | None = None
    speaking: tuple[str, ...] = ()
    waiting: int = 0
    finished: int = 0
    asked: int = 0
    lines: int = 0


def report_of(block_ids: Iterable[str], state_of: Callable[[str], str]) -> Report:
    """What became of blocks, from their states."""
    by: dict[str, list[str]] = {"done": [], "suspicious": [], "failed": [], "waiting": []}
    for block_id in block_ids:
        by[_OUTCOMES.get(state_of(block_id), "failed")].append(block_id)
    asked = sum(map(len, by.values()))
    return Report(asked, *(tuple(by[each]) for each in ("done", "suspicious", "failed", "waiting")))


_OUTCOMES = {
    "queued": "waiting",
    "speaking": "waiting",
    "ready": "done",
    "locked": "done",
    "suspicious": "suspicious",
}
