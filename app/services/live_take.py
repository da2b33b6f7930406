"""A take while it is being made: its chunks, for readers that never wait for each other."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np

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

    def chunks_from(self, piece: int, chunk: int) -> list[np.ndarray]:
        """What there is of a piece from this chunk on; never waits."""
        with self._more:
            return self._pieces[piece][chunk:] if piece < len(self._pieces) else []

    def everything(self) -> Iterator[np.ndarray]:
        """All chunks of a take that has ended."""
        for piece in range(len(self._pieces)):
            yield from self.chunks_from(piece, 0)

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

    def _chunks(self, piece: int, stop: threading.Event) -> Iterator[np.ndarray]:
        at = 0
        while True:
            with self._more:
                while not (len(self._pieces[piece]) > at or self._ended > piece or self._over or stop.is_set()):
                    self._more.wait(0.1)
                if stop.is_set() or len(self._pieces[piece]) <= at:
                    return
                chunk = self._pieces[piece][at]
            at += 1
            yield chunk
