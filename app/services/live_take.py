"""A take while it is being made: its chunks, for readers that never wait for each other."""

from __future__ import annotations

import bisect
import itertools
import threading
from collections.abc import Iterator

import numpy as np

from app.services.programme import heard_samples
from engine import SAMPLE_RATE


class LiveTake:
    """Pieces of audio that grow. One thread writes, any number of threads read, each from where it likes.

    Attributes:
        take_id, block_id, text: what is being made.
        failed: why nothing more will come, for people; "" while all is well and after a good end.
    """

    def __init__(self, take_id: str, block_id: str, text: str, pieces: int) -> None:
        self.take_id, self.block_id, self.text = take_id, block_id, text
        self.failed = ""
        self._pieces: list[list[np.ndarray]] = [[] for _ in range(pieces)]
        self._ended = 0  # pieces that are complete
        self._over = False
        self._samples = 0
        self._more = threading.Condition()

    # -- the writer

    def add(self, piece: int, samples: np.ndarray) -> None:
        """Float32 `[n, 2]` of a piece; pieces come in order."""
        with self._more:
            self._pieces[piece].append(samples)
            self._samples += len(samples)
            self._more.notify_all()

    def end_piece(self, piece: int) -> None:
        with self._more:
            self._ended = piece + 1
            self._more.notify_all()

    def end(self, failed: str = "") -> None:
        """Nothing more will come."""
        with self._more:
            self.failed = failed
            self._over = True
            self._more.notify_all()

    # -- readers

    @property
    def over(self) -> bool:
        return self._over

    @property
    def piece_count(self) -> int:
        return len(self._pieces)

    @property
    def seconds(self) -> float:
        return self._samples / SAMPLE_RATE

    def everything(self) -> Iterator[np.ndarray]:
        """All chunks of a take that has ended."""
        return itertools.chain.from_iterable(self._pieces)

    def pieces(self, stop: threading.Event) -> Iterator[Iterator[np.ndarray]]:
        """The pieces in order, each an iterator of chunks that waits for the next one; all end early when `stop` is
        set."""
        for piece in range(len(self._pieces)):
            with self._more:
                while not (self._pieces[piece] or self._ended > piece or self._over or stop.is_set()):
                    self._more.wait(0.1)
                if stop.is_set() or not (self._pieces[piece] or self._ended > piece):
                    return
            yield self._chunks(piece, stop)

    def heard(self, piece: int) -> Iterator[np.ndarray]:
        """The chunks of a piece of a take that has ended, as the mixer is to get it."""
        return self._chunks(piece, threading.Event())

    def _chunks(self, piece: int, stop: threading.Event) -> Iterator[np.ndarray]:
        """While a piece is being made all of it; once it is complete, as it is heard from a finished take."""
        at = 0
        left: int | None = None  # samples of it that are still to be heard, when that is known
        while True:
            with self._more:
                while not (len(self._pieces[piece]) > at or self._ended > piece or self._over or stop.is_set()):
                    self._more.wait(0.1)
                if stop.is_set() or len(self._pieces[piece]) <= at:
                    return
                chunks = self._pieces[piece]  # only grows, and not any more once it is complete
                complete = self._ended > piece or self._over
            if complete and left is None:
                left = _heard(chunks) - sum(map(len, chunks[:at]))
            chunk = chunks[at] if left is None else chunks[at][: max(0, left)]
            if not len(chunk):
                return
            left = None if left is None else left - len(chunk)
            at += 1
            yield chunk


def _heard(chunks: list[np.ndarray]) -> int:
    starts = [0, *itertools.accumulate(map(len, chunks))]

    def read(start: int, n: int) -> np.ndarray:
        first = bisect.bisect_right(starts, start) - 1
        last = bisect.bisect_left(starts, start + n)
        return np.concatenate(chunks[first:last])[start - starts[first] :][:n]

    return heard_samples(starts[-1], read)
