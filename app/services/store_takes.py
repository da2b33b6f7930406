"""Takes of an open project: written while they are made, read from anywhere."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from app.model.commands import PutTake
from app.model.history import History
from app.model.take import Take
from app.services.store_audio import RATE, SEGMENT_SAMPLES, Segment, SegmentReader, TakeAudioError, stored_samples
from app.services.store_writer import Writer


class TakeWriter:
    """Takes in the audio of one take.

    `append` may be called on any one thread and never waits for the disk; `finish` belongs on the thread of the
    project.

    Attributes:
        take: as it was begun.
        samples: how many were appended.
    """

    def __init__(self, take: Take, writer: Writer, history: History, ended: Callable[[str], None]) -> None:
        self.take = take
        self.samples = 0
        self._writer = writer
        self._history = history
        self._ended = ended
        self._parts: list[np.ndarray] = []
        self._held = 0
        self._lock = threading.Lock()

    def append(self, samples: np.ndarray) -> None:
        """Add float32 `[n, 2]` on the 24-bit grid.

        Raises:
            ValueError: another shape.
            MemoryError: the file cannot be written and too much waits already; stop making audio.
        """
        if samples.ndim != 2 or samples.shape[1] != 2:
            raise ValueError("Audio of a take is stereo: [n, 2].")
        with self._lock:
            self._parts.append(np.array(samples, np.float32))
            self._held += len(samples)
            self.samples += len(samples)
            while self._held >= SEGMENT_SAMPLES:
                self._cut(SEGMENT_SAMPLES)

    def _cut(self, count: int) -> None:
        whole = np.concatenate(self._parts)
        start = self.samples - self._held
        rest = whole[count:]
        self._parts, self._held = ([rest] if len(rest) else []), len(rest)
        self._writer.add_segment(Segment(self.take.id, start, count, np.ascontiguousarray(whole[:count])))

    def tail(self) -> tuple[int, np.ndarray]:
        """What is not cut into a segment yet: (start sample, float32 `[n, 2]`)."""
        with self._lock:
            held = np.concatenate(self._parts) if self._parts else np.zeros((0, 2), np.float32)
            return self.samples - self._held, held

    def finish(self, take: Take, choose: bool = True) -> Take:
        """Write the rest and note how the take ended; its length is what was appended.

        Args:
            take: the begun take with its end: state, stop reason, pieces, figures, warnings.
            choose: it becomes the one that is heard.
        """
        with self._lock:
            if self._held:
                self._cut(self._held)
        self._ended(self.take.id)
        ended = replace(take, seconds=self.samples / RATE)
        self._history.note(PutTake(ended, choose=choose))
        return ended


class TakeReader:
    """Takes in audio of takes that are made, and reads it, committed or still on its way; reading from any thread.

    Attributes:
        open_writers: take writers at work, by take id.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection], writer: Writer | None) -> None:
        self.open_writers: dict[str, TakeWriter] = {}
        self._connect = connect
        self._writer = writer
        self._lock = threading.Lock()
        self._reader: SegmentReader | None = None
        self._connection: sqlite3.Connection | None = None

    def written_by(self, writer: Writer) -> None:
        self._writer = writer

    def begin(self, take: Take, writer: Writer, history: History) -> TakeWriter:
        """Put a take that is being made into the project and the file."""
        making = replace(take, state="making", seconds=0.0)
        history.note(PutTake(making))
        writing = TakeWriter(making, writer, history, lambda take_id: self.open_writers.pop(take_id, None))
        self.open_writers[take.id] = writing
        return writing

    def read(self, take_id: str, start: int = 0, count: int | None = None) -> np.ndarray:
        """float32 `[n, 2]` from sample `start` on, at most `count`; shorter where there is no more.

        Raises:
            TakeAudioError: the audio is damaged.
        """
        if start < 0 or (count is not None and count < 0):
            raise ValueError("A place in a take cannot be negative.")
        # First what is on its way, then the file: whatever left the first list meanwhile is in the file by then.
        loose = self._loose(take_id)
        wanted = count if count is not None else 1 << 62
        with self._lock:
            found = self._segments().read(take_id, start, wanted)
        parts = [found]
        at, end = start + len(found), start + wanted
        for begin, read in loose:
            if begin > at or at >= end:
                break
            audio = read()
            if at < begin + len(audio):
                part = audio[at - begin : end - begin]
                parts.append(part)
                at += len(part)
        return np.concatenate(parts) if len(parts) > 1 else found

    def samples(self, take_id: str) -> int:
        """How many samples of a take there are."""
        loose = self._loose(take_id)
        with self._lock:
            self._segments()
            assert self._connection is not None
            try:
                end = stored_samples(self._connection, take_id)
            except sqlite3.DatabaseError as error:
                raise TakeAudioError(take_id, "the file is damaged here") from error
        for begin, read in loose:
            if begin <= end:
                end = max(end, begin + len(read()))
        return end

    def _loose(self, take_id: str) -> list[tuple[int, Callable[[], np.ndarray]]]:
        found: list[tuple[int, Callable[[], np.ndarray]]] = []
        writing = self.open_writers.get(take_id)
        if writing is not None:
            start, held = writing.tail()
            found.append((start, lambda: held))
        if self._writer is not None:
            # After the tail: a piece of it that became a segment in between is then met twice, and not missed.
            for segment in self._writer.unsaved(take_id):
                found.append((segment.start, segment.decode))
        return sorted(found, key=lambda each: each[0])

    def _segments(self) -> SegmentReader:
        if self._reader is None:
            self._connection = self._connect()
            self._reader = SegmentReader(self._connection)
        return self._reader

    @contextlib.contextmanager
    def released(self) -> Iterator[None]:
        """While this lasts nobody reads and the file is not held open; afterwards it is opened again by the next
        read."""
        with self._lock:
            self._let_go()
            yield

    def close(self) -> None:
        with self._lock:
            self._let_go()

    def _let_go(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = self._reader = None
