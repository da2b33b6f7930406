"""A take: one rendering of a block, with everything needed to make it again."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Literal

from app.model import checks
from app.model.block import new_id

TakeState = Literal["making", "done", "incomplete", "suspicious", "failed"]
STATES: tuple[TakeState, ...] = ("making", "done", "incomplete", "suspicious", "failed")
MAX_SAMPLES = 48_000 * 3_600 * 24


@dataclass(frozen=True)
class PieceAudio:
    """Where the audio of one item of the speech plan lies in its take, in samples of 48 kHz."""

    start_sample: int
    n_samples: int
    item: int


@dataclass(frozen=True)
class Take:
    """One rendering of a block.

    Attributes:
        id, block_id: hex ids.
        key: `take_key` of what it was made from; "" for a recording.
        text: of the block when it was made; differing from the block's text now means stale.
        settings: what it was made with: plain JSON values.
        seed: the one used.
        state: `making`; `done`; `incomplete` (ended before its text did, or was interrupted); `suspicious`; `failed`.
        stop_reason: of the engine, or "".
        seconds: of audio there is.
        pieces: in order of time.
        figures: `ttfa_ms`, `rtf` and the like, for people.
        warnings: messages for people.
        created_at_s: seconds since the epoch.
    """

    id: str = field(default_factory=new_id)
    block_id: str = ""
    key: str = ""
    text: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    state: TakeState = "making"
    stop_reason: str = ""
    seconds: float = 0.0
    pieces: tuple[PieceAudio, ...] = ()
    figures: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    created_at_s: float = field(default_factory=time.time)

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "block_id": self.block_id,
            "key": self.key,
            "text": self.text,
            "settings": self.settings,
            "seed": self.seed,
            "state": self.state,
            "stop_reason": self.stop_reason,
            "seconds": self.seconds,
            "pieces": [[each.start_sample, each.n_samples, each.item] for each in self.pieces],
            "figures": self.figures,
            "warnings": list(self.warnings),
            "created_at_s": self.created_at_s,
        }

    @staticmethod
    def from_json(raw: object) -> Take:
        given = checks.mapping(raw, "A take", 100)
        state: Any = checks.one_of(given.get("state"), "The state of a take", STATES)
        key = given.get("key", "")
        return Take(
            id=checks.identifier(given.get("id"), "The id of a take"),
            block_id=checks.identifier(given.get("block_id"), "The block of a take"),
            key=checks.sha256(key, "The key of a take") if key else "",
            text=checks.string(given.get("text", ""), "The text of a take", checks.MAX_TEXT),
            settings=checks.mapping(checks.plain(given.get("settings", {}), "The settings of a take"), "settings"),
            seed=checks.integer(given.get("seed", 0), "The seed of a take", 0),
            state=state,
            stop_reason=checks.string(given.get("stop_reason", ""), "The end of a take", 64),
            seconds=checks.number(given.get("seconds", 0.0), "The length of a take", 0.0, MAX_SAMPLES / 48_000),
            pieces=tuple(
                _piece(each) for each in checks.items(given.get("pieces", ()), "The pieces of a take", 20_000)
            ),
            figures=checks.mapping(checks.plain(given.get("figures", {}), "The figures of a take"), "figures"),
            warnings=tuple(
                checks.string(each, "A warning of a take")
                for each in checks.items(given.get("warnings", ()), "warnings", 1_000)
            ),
            created_at_s=checks.number(given.get("created_at_s", 0.0), "The time of a take", 0.0, 1e11),
        )


def _piece(raw: object) -> PieceAudio:
    numbers = [checks.integer(each, "A piece of a take", 0, MAX_SAMPLES) for each in checks.items(raw, "A piece", 3)]
    return PieceAudio(*(numbers + [0, 0, 0])[:3])
