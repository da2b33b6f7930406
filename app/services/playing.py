"""What the player plays and what it tells: sources, places, states."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

import numpy as np

from app.services.meters import Levels

BLOCK_SAMPLES = 960
_KEPT_SAMPLES = 144_000


class PlayState(str, Enum):
    """What the listener experiences."""

    STOPPED = "stopped"
    BUFFERING = "buffering"
    PLAYING = "playing"
    PAUSED = "paused"


@dataclass(frozen=True)
class Place:
    """A point of the programme: `offset_samples` after the first speech of a block; its pause belongs to the block
    before it."""

    block_id: str
    offset_samples: int = 0


class Source(Protocol):
    """Samples of a programme from some place on. Read by the player's thread alone; attributes may be read by any.

    Attributes:
        ready_samples: how much could be read at once.
        complete: all that will ever come is ready.
        remaining_s: estimate of what is still to be made, seconds; 0 when complete.
        problem: why it ended before its text did, for people; "" when it did not.
    """

    ready_samples: int
    complete: bool
    remaining_s: float
    problem: str

    def read(self, n: int) -> np.ndarray | None:
        """Up to n samples, float32 `[m, 2]`; empty when what comes next is not made yet; None at the end."""

    def place(self, sample: int) -> Place | None:
        """Where the sample with this number, counted from the first one read, belongs."""

    def close(self) -> None:
        """Nobody will read again."""


@dataclass(frozen=True)
class PlayerSnapshot:
    """Everything a view shows, taken at one moment.

    Attributes:
        state, place: what is heard now; `place` is None when stopped.
        lead_s: audio ready ahead of the playhead.
        underruns: times the device ran dry; waits: times speech was not there in time.
        device: name of the output; "" with the silent clock or when nothing was played yet.
        audible_delay_ms: between handing over a sample and hearing it.
        speed: review speed.
        message: what the person should know (a lost device, no sound at all), or "".
        levels: meters.
    """

    state: PlayState = PlayState.STOPPED
    place: Place | None = None
    lead_s: float = 0.0
    underruns: int = 0
    waits: int = 0
    device: str = ""
    audible_delay_ms: float = 0.0
    speed: float = 1.0
    message: str = ""
    levels: Levels = field(default_factory=Levels)


class Rewindable:
    """Reads a source in blocks and can go back to what was written to the device but not heard."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.at = 0  # number of the next sample to be read
        self._kept: deque[tuple[int, np.ndarray]] = deque()
        self._kept_samples = 0
        self._again: deque[np.ndarray] = deque()
        self._ended = False

    @property
    def ready_samples(self) -> int:
        return self.source.ready_samples + sum(map(len, self._again))

    def read(self) -> np.ndarray | None:
        """The next at most 960 samples; empty when not made yet; None at the end."""
        if self._again:
            block = self._again.popleft()
        elif self._ended:
            return None
        else:
            got = self.source.read(BLOCK_SAMPLES)
            if got is None:
                self._ended = True
                return None
            block = got
        if len(block):
            self._kept.append((self.at, block))
            self._kept_samples += len(block)
            self.at += len(block)
            while self._kept_samples > _KEPT_SAMPLES:
                self._kept_samples -= len(self._kept.popleft()[1])
        return block

    def rewind(self, sample: int) -> None:
        """Read from this sample on again; as far back as is kept."""
        back: list[np.ndarray] = []
        while self._kept and self.at > sample:
            start, block = self._kept.pop()
            self._kept_samples -= len(block)
            self.at = start
            if start < sample:
                keep = sample - start
                self._kept.append((start, block[:keep]))
                self._kept_samples += keep
                block, self.at = block[keep:], sample
            back.append(block)
        self._again.extendleft(back)
