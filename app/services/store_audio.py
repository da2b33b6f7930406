"""Audio of takes as independent FLAC segments of about two seconds."""

from __future__ import annotations

import io
import sqlite3
import time
import zlib
from collections import OrderedDict
from dataclasses import dataclass, field

import numpy as np
import soundfile

from app.model.errors import ProjectError

RATE = 48_000
SEGMENT_SAMPLES = 2 * RATE
MAX_SEGMENT_SAMPLES = 10 * RATE
_FULL_SCALE = 2.0**23


class TakeAudioError(ProjectError):
    """Audio of a take is missing or broken; `take_id` names it. Making the take again is the remedy."""

    def __init__(self, take_id: str, detail: str) -> None:
        super().__init__(f"The audio of a take cannot be read ({detail}).", "Make this take again.")
        self.take_id = take_id


@dataclass
class Segment:
    """Some samples of a take on their way into the file.

    Attributes:
        take_id: whose audio it is.
        start: index of the first sample in the take.
        samples: number of samples.
        audio: float32 `[samples, 2]` until it is encoded.
        flac: the encoded bytes.
        handed_in_s: monotonic time of its making.
    """

    take_id: str
    start: int
    samples: int
    audio: np.ndarray | None
    flac: bytes | None = None
    handed_in_s: float = field(default_factory=time.monotonic, compare=False)

    def encode(self) -> bytes:
        """Encode once; from then on only the bytes are held."""
        if self.flac is None:
            assert self.audio is not None
            self.flac = encode(self.audio)
            self.audio = None
        return self.flac

    def decode(self) -> np.ndarray:
        audio = self.audio
        return audio if audio is not None else decode(self.take_id, self.flac or b"", self.samples)


def encode(samples: np.ndarray) -> bytes:
    """float32 `[n, 2]` on the 24-bit grid to FLAC of 24 bits at 48 kHz, without loss; values beyond full scale are
    clipped."""
    scaled = np.rint(samples.astype(np.float64) * _FULL_SCALE)
    whole = np.clip(scaled, -_FULL_SCALE, _FULL_SCALE - 1).astype(np.int32) << 8
    buffer = io.BytesIO()
    soundfile.write(buffer, whole, RATE, format="FLAC", subtype="PCM_24")
    return buffer.getvalue()


def decode(take_id: str, flac: bytes, samples: int) -> np.ndarray:
    """FLAC bytes to float32 `[samples, 2]`. Raises TakeAudioError when they are not what was written."""
    try:
        with soundfile.SoundFile(io.BytesIO(flac)) as file:
            if file.samplerate != RATE or file.channels != 2 or file.frames != samples:
                raise TakeAudioError(take_id, "not the audio that was stored")
            whole = file.read(samples, dtype="int32", always_2d=True)
    except (soundfile.SoundFileError, RuntimeError, ValueError) as error:
        raise TakeAudioError(take_id, "the audio is damaged") from error
    if len(whole) != samples:
        raise TakeAudioError(take_id, "the audio is cut short")
    return ((whole >> 8) / np.float32(_FULL_SCALE)).astype(np.float32)


def insert(connection: sqlite3.Connection, segment: Segment) -> None:
    """Write one segment; one that is there already is replaced."""
    flac = segment.encode()
    connection.execute(
        "INSERT OR REPLACE INTO segments (take, start, samples, crc, flac) VALUES (?, ?, ?, ?, ?)",
        (segment.take_id, segment.start, segment.samples, zlib.crc32(flac), flac),
    )


def stored_samples(connection: sqlite3.Connection, take_id: str) -> int:
    """How many samples of a take the file holds from its beginning without a gap."""
    end = 0
    for start, samples in connection.execute(
        "SELECT start, samples FROM segments WHERE take = ? ORDER BY start", (take_id,)
    ):
        if (
            not isinstance(start, int)
            or not isinstance(samples, int)
            or start != end
            or not 0 < samples <= MAX_SEGMENT_SAMPLES
        ):
            break
        end += samples
    return end


class SegmentReader:
    """Reads takes from one connection, and keeps the segments decoded last.

    Finding a place costs O(log n) in the number of segments of the file. Not thread-safe: the store holds a lock.
    """

    KEPT = 16

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._decoded: OrderedDict[tuple[str, int], np.ndarray] = OrderedDict()

    def forget(self, take_id: str) -> None:
        for key in [key for key in self._decoded if key[0] == take_id]:
            del self._decoded[key]

    def read(self, take_id: str, start: int, count: int) -> np.ndarray:
        """float32 `[up to count, 2]` from sample `start` on; shorter where the file holds no more.

        Raises:
            TakeAudioError: a segment is damaged or missing in between.
        """
        parts: list[np.ndarray] = []
        at, end = start, start + count
        try:
            first = self._connection.execute(
                "SELECT start FROM segments WHERE take = ? AND start <= ? ORDER BY start DESC LIMIT 1", (take_id, start)
            ).fetchone()
            if first is None:
                return np.zeros((0, 2), np.float32)
            rows = self._connection.execute(
                "SELECT number, start, samples FROM segments "
                "WHERE take = ? AND start >= ? AND start < ? ORDER BY start",
                (take_id, first[0], end),
            ).fetchall()
            for number, begin, samples in rows:
                if at >= begin + samples:
                    break  # past the end of what there is
                if begin > at:
                    raise TakeAudioError(take_id, "a part is missing")
                audio = self._segment(take_id, number, begin, samples)
                part = audio[at - begin : end - begin]
                parts.append(part)
                at += len(part)
        except (sqlite3.DatabaseError, TypeError) as error:
            raise TakeAudioError(take_id, "the file is damaged here") from error
        return np.concatenate(parts) if parts else np.zeros((0, 2), np.float32)

    def _segment(self, take_id: str, number: int, begin: int, samples: int) -> np.ndarray:
        key = (take_id, begin)
        audio = self._decoded.get(key)
        if audio is not None and len(audio) == samples:
            self._decoded.move_to_end(key)
            return audio
        if not 0 < samples <= MAX_SEGMENT_SAMPLES:
            raise TakeAudioError(take_id, "a part has an impossible length")
        row = self._connection.execute(
            "SELECT crc, flac FROM segments WHERE number = ? AND length(flac) <= ?", (number, samples * 8 + 65_536)
        ).fetchone()
        if row is None or not isinstance(row[1], bytes) or zlib.crc32(row[1]) != row[0]:
            raise TakeAudioError(take_id, "the audio is damaged")
        audio = decode(take_id, row[1], samples)
        self._decoded[key] = audio
        while len(self._decoded) > self.KEPT:
            self._decoded.popitem(last=False)
        return audio
