"""WAV and FLAC files, and the rounding of samples to their bits."""

from __future__ import annotations

import contextlib
import errno
import struct
from pathlib import Path
from typing import BinaryIO

import numpy as np
import soundfile

from app.services.exporter_formats import AudioFormat, FileTags

_DITHER_SEED = 0x5EED
_DITHER_BLOCK = 4_096
MOST_RIFF_BYTES = 0xFFFF_FFFF
SOFTWARE = "Moss Voice Studio"


class Quantiser:
    """Rounds float samples to integers of `bits`, with triangular dither of ±1 step where precision is lost.

    The noise depends on the position alone, so the same samples always become the same integers, in whatever chunks.
    """

    def __init__(self, bits: int, channels: int, *, dither: bool) -> None:
        self._scale = float(1 << (bits - 1))
        self._random = np.random.Generator(np.random.PCG64(_DITHER_SEED)) if dither else None
        self._noise = np.zeros((0, channels))
        self._channels = channels

    def round(self, samples: np.ndarray) -> np.ndarray:
        """float32 `[n, channels]` to int32 `[n, channels]`."""
        scaled = samples.astype(np.float64) * self._scale
        if self._random is not None:
            scaled += self._dither(len(samples))
        return np.clip(np.rint(scaled), -self._scale, self._scale - 1.0).astype(np.int32)

    def _dither(self, n_samples: int) -> np.ndarray:
        blocks = [self._noise]
        have = len(self._noise)
        while have < n_samples:
            # The difference of two uniform values is triangular.
            pair = self._random.random((2, _DITHER_BLOCK, self._channels))  # type: ignore[union-attr]
            blocks.append(pair[0] - pair[1])
            have += _DITHER_BLOCK
        noise = np.concatenate(blocks)
        self._noise = noise[n_samples:]
        return noise[:n_samples]


class WavWriter:
    """A RIFF/WAVE file of 16 or 24 bits or 32-bit float; becomes RF64 (EBU Tech 3306) when it grows beyond 4 GiB.

    Own code because the bytes must be the same every time: libsndfile puts the time of day into float files.
    """

    def __init__(self, path: Path, audio: AudioFormat, tags: FileTags) -> None:
        self._file: BinaryIO = path.open("wb")
        self._audio = audio
        self._frames = 0
        self._frame_bytes = audio.channels * audio.bits // 8
        is_float = audio.bits == 32
        fmt = struct.pack(
            "<HHIIHH",
            3 if is_float else 1,
            audio.channels,
            audio.rate,
            audio.rate * self._frame_bytes,
            self._frame_bytes,
            audio.bits,
        )
        self._file.write(b"RIFF\0\0\0\0WAVE" + _chunk(b"JUNK", bytes(28)))  # room for ds64
        self._file.write(_chunk(b"fmt ", fmt + (b"\0\0" if is_float else b"")))
        self._fact_at = self._file.tell() + 8 if is_float else 0
        if is_float:
            self._file.write(_chunk(b"fact", bytes(4)))
        self._file.write(_info(tags))
        self._file.write(b"data\0\0\0\0")
        self._data_at = self._file.tell()

    def write(self, samples: np.ndarray) -> None:
        """float32 `[n, channels]` for float files, int32 `[n, channels]` for the others."""
        self._frames += len(samples)
        if self._audio.bits == 32:
            raw = samples.astype("<f4").tobytes()
        elif self._audio.bits == 16:
            raw = samples.astype("<i2").tobytes()
        else:
            raw = np.ascontiguousarray(samples.astype("<i4")).view(np.uint8).reshape(-1, 4)[:, :3].tobytes()
        self._file.write(raw)

    def close(self) -> None:
        n_bytes = self._frames * self._frame_bytes
        if n_bytes % 2:
            self._file.write(b"\0")
        riff = self._file.tell() - 8
        large = riff > MOST_RIFF_BYTES
        if large:
            self._put(0, b"RF64" + struct.pack("<I", 0xFFFF_FFFF))
            self._put(12, b"ds64" + struct.pack("<IQQQI", 28, riff, n_bytes, self._frames, 0))
        else:
            self._put(4, struct.pack("<I", riff))
        self._put(self._data_at - 4, struct.pack("<I", 0xFFFF_FFFF if large else n_bytes))
        if self._fact_at:
            self._put(self._fact_at, struct.pack("<I", min(self._frames, 0xFFFF_FFFF)))
        self._file.close()

    def abort(self) -> None:
        with contextlib.suppress(OSError):  # the file is thrown away; what could not be written to it does not matter
            self._file.close()

    def _put(self, at: int, raw: bytes) -> None:
        self._file.seek(at)
        self._file.write(raw)


def _chunk(name: bytes, body: bytes) -> bytes:
    return name + struct.pack("<I", len(body)) + body + (b"\0" if len(body) % 2 else b"")


def _info(tags: FileTags) -> bytes:
    fields = {
        b"INAM": tags.title,
        b"IART": tags.artist,
        b"IPRD": tags.album,
        b"ICMT": tags.remark,
        b"IGNR": tags.genre,
        b"ISFT": SOFTWARE,
        b"ITRK": str(tags.track) if tags.track else "",
    }
    body = b"".join(_chunk(name, text.encode("utf-8") + b"\0") for name, text in fields.items() if text)
    return _chunk(b"LIST", b"INFO" + body)


class FlacWriter:
    """A FLAC file of 16 or 24 bits."""

    def __init__(self, path: Path, audio: AudioFormat, tags: FileTags) -> None:
        self._file = soundfile.SoundFile(
            path, "w", audio.rate, audio.channels, subtype=f"PCM_{audio.bits}", format="FLAC", compression_level=0.6
        )
        self._shift = 32 - audio.bits
        fields = {
            "title": tags.title,
            "artist": tags.artist,
            "album": tags.album,
            "comment": tags.remark,
            "genre": tags.genre,
            "software": SOFTWARE,
            "tracknumber": str(tags.track) if tags.track else "",
        }
        for name, text in fields.items():
            if text:
                setattr(self._file, name, text)

    def write(self, samples: np.ndarray) -> None:
        """int32 `[n, channels]`."""
        # libsndfile takes integers left aligned in 32 bits.
        try:
            self._file.write(samples << self._shift)
        except AssertionError as error:  # what soundfile raises for a short write
            raise OSError(errno.ENOSPC, "short write") from error

    def close(self) -> None:
        self._file.close()

    def abort(self) -> None:
        with contextlib.suppress(OSError, soundfile.SoundFileError):
            self._file.close()
