"""Writes audio as it comes, in the format of the file's suffix; what is on disk is a valid file at every moment."""

from __future__ import annotations

import errno
import os
import struct
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Protocol

import numpy as np

from engine import CHANNELS, SAMPLE_RATE, SpeechError

if TYPE_CHECKING:
    import soundfile

# Larger writes make libsndfile's Vorbis encoder need a stack as large as the block.
BLOCK_SAMPLES = 48_000
FLUSH_SAMPLES = SAMPLE_RATE
SUFFIXES = (".wav", ".flac", ".mp3", ".ogg", ".opus")


_PROBE_BYTES = 1 << 16
_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
_REMEDY = "Make room, or choose another disk or folder."


class OutputError(SpeechError):
    """The audio cannot be written where it should go."""


class _Encoder(Protocol):
    def write(self, samples: np.ndarray) -> None: ...
    def close(self) -> None: ...


class AudioWriter:
    """Takes float32 `[n, 2]`; writes wav and flac in 24 bits, exactly what the engine's grid holds, or mp3, ogg, opus.

    Nothing is created before the first sample, then also folders that are missing: a run that fails early leaves an
    older file alone.

    Attributes:
        target: a path, or a binary file such as standard output, which gets a wav whose length is unknown.
        samples: written so far, a channel.
    """

    def __init__(self, target: Path | BinaryIO) -> None:
        """Raises OutputError: no format has this suffix, or nothing may be written there."""
        self.target = target
        self.samples = 0
        self._encoder: _Encoder | None = None
        self._closed = False
        if isinstance(target, Path):
            check_target(target)

    @property
    def seconds(self) -> float:
        return self.samples / SAMPLE_RATE

    def write(self, samples: np.ndarray) -> None:
        """Append audio, float32 `[n, 2]` at 48 kHz.

        Raises:
            OutputError: the disk refuses; what was written before stays. BrokenPipeError: nobody reads any more.
        """
        if self._closed:
            raise ValueError("the writer is closed")
        for start in range(0, len(samples), BLOCK_SAMPLES):
            block = samples[start : start + BLOCK_SAMPLES]
            self._guarded(lambda block=block: self._opened().write(block))
            self.samples += len(block)

    def close(self) -> None:
        """Finish the file; harmless when repeated. Raises OutputError."""
        encoder, self._encoder, self._closed = self._encoder, None, True
        if encoder is not None:
            self._guarded(encoder.close)

    def __enter__(self) -> AudioWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _opened(self) -> _Encoder:
        if self._encoder is None:
            if isinstance(self.target, Path):
                self.target.parent.mkdir(parents=True, exist_ok=True)
            if not isinstance(self.target, Path):
                self._encoder = _WavEncoder(self.target, seekable=False)
            elif self.target.suffix.lower() == ".wav":
                self._encoder = _WavEncoder(self.target.open("wb"), seekable=True)
            else:
                self._encoder = _SoundfileEncoder(self.target)
        return self._encoder

    def _guarded(self, deed: Callable[[], None]) -> None:
        try:
            deed()
        except BrokenPipeError:
            raise
        except (OSError, RuntimeError) as error:  # soundfile's errors are RuntimeErrors
            message = f"The audio could not be written to {self._shown()} ({self._reason(error)})."
            refusal = OutputError(message, _REMEDY)
            if self.samples:
                refusal.exit_status = 5  # a part of it is there: an incomplete result
            raise refusal from error

    def _reason(self, error: Exception) -> str:
        """What the system said; libsndfile keeps that to itself, so it is asked again."""
        said = error if isinstance(error, OSError) else None
        if said is None and isinstance(self.target, Path):
            said = _refusal(self.target.parent)
        if said is None:
            return "the system refused"
        return "the disk is full" if said.errno in _FULL else said.strerror or str(said)

    def _shown(self) -> str:
        return str(self.target) if isinstance(self.target, Path) else "the output"


def check_target(target: Path) -> None:
    """Whether a file can be made there, before any work is spent. Raises OutputError."""
    if target.suffix.lower() not in SUFFIXES:
        raise OutputError(
            f"There is no audio format {target.suffix or '(no suffix)'!r}.",
            f"Name the file with one of {', '.join(SUFFIXES)}.",
        )
    if target.is_dir():
        raise OutputError(f"{target} is a folder.", "Give the name of a file.")
    there = target if target.exists() else next(folder for folder in target.absolute().parents if folder.exists())
    if there is not target and not there.is_dir():
        raise OutputError(f"{there} is no folder.", "Choose another folder.")
    if not os.access(there, os.W_OK):
        raise OutputError(f"{target} may not be written.", "Choose another file, or change its permissions.")


def _refusal(folder: Path) -> OSError | None:
    """What the system says to a few bytes more in this folder."""
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as probe:
            probe.write(bytes(_PROBE_BYTES))
    except OSError as error:
        return error
    return None


def to_int24(samples: np.ndarray) -> np.ndarray:
    """float `[n, ch]` to int32 in the range of 24 bits; exact for samples on the 24-bit grid."""
    scaled = np.rint(np.asarray(samples, np.float64) * 2**23)
    return np.clip(scaled, -(2**23), 2**23 - 1).astype(np.int32)


class _WavEncoder:
    """24-bit wav whose header is right after every second, so that even a killed process leaves a playable file.

    Room for the sizes of RF64 (EBU Tech 3306) is kept, and taken when the file outgrows 4 GiB.
    """

    _HEADER_BYTES = 12 + 36 + 24 + 8
    _UNKNOWN = 0xFFFFFFFF

    def __init__(self, file: BinaryIO, *, seekable: bool) -> None:
        self._file = file
        self._seekable = seekable
        self._data_bytes = 0
        self._unflushed = 0
        file.write(self._header())

    def write(self, samples: np.ndarray) -> None:
        # The three low bytes of each little-endian int32.
        content = to_int24(samples).astype("<i4").view(np.uint8).reshape(-1, 4)[:, :3].tobytes()
        self._file.write(content)
        self._data_bytes += len(content)
        self._unflushed += len(samples)
        if not self._seekable:
            self._file.flush()
        elif self._unflushed >= FLUSH_SAMPLES:
            self._update()

    def close(self) -> None:
        if self._seekable:
            self._update()
            self._file.close()
        else:
            self._file.flush()

    def _update(self) -> None:
        self._unflushed = 0
        end = self._file.tell()
        self._file.seek(0)
        self._file.write(self._header())
        self._file.seek(end)
        self._file.flush()

    def _header(self) -> bytes:
        riff_bytes = self._HEADER_BYTES - 8 + self._data_bytes
        large = riff_bytes > 0xFFFFFFF0
        frame_bytes = 3 * CHANNELS
        sizes = struct.pack("<QQQI", riff_bytes, self._data_bytes, self._data_bytes // frame_bytes, 0)
        unknown = large or not self._seekable
        form = struct.pack("<HHIIHH", 1, CHANNELS, SAMPLE_RATE, SAMPLE_RATE * frame_bytes, frame_bytes, 24)
        return b"".join(
            (
                b"RF64" if large else b"RIFF",
                struct.pack("<I", self._UNKNOWN if unknown else riff_bytes),
                b"WAVE",
                b"ds64" if large else b"JUNK",
                struct.pack("<I", len(sizes)),
                sizes if large else bytes(len(sizes)),
                b"fmt ",
                struct.pack("<I", len(form)),
                form,
                b"data",
                struct.pack("<I", self._UNKNOWN if unknown else self._data_bytes),
            )
        )


class _SoundfileEncoder:
    """flac, mp3, ogg and opus through libsndfile: formats whose streams are playable wherever they end."""

    # suffix: format, subtype, compression level of libsndfile (0 best quality .. 1 smallest)
    _FORMS: dict[str, tuple[str, str, float | None]] = {
        ".flac": ("FLAC", "PCM_24", 0.6),
        ".mp3": ("MP3", "MPEG_LAYER_III", 0.3),
        ".ogg": ("OGG", "VORBIS", 0.3),
        ".opus": ("OGG", "OPUS", None),
    }

    def __init__(self, path: Path) -> None:
        import soundfile

        form, subtype, level = self._FORMS[path.suffix.lower()]
        self._exact = subtype == "PCM_24"
        self._ogg = path if form == "OGG" else None
        self._file: soundfile.SoundFile = soundfile.SoundFile(
            path, "w", SAMPLE_RATE, CHANNELS, subtype, format=form, compression_level=level
        )

    def write(self, samples: np.ndarray) -> None:
        # libsndfile scales floats by 2^23 - 1; integers pass unchanged.
        self._file.write(to_int24(samples) << 8 if self._exact else np.clip(samples, -1, 1).astype(np.float32))

    def close(self) -> None:
        self._file.close()
        if self._ogg is not None and self._ogg.is_file():  # a named pipe has passed on what it got
            _settle_serial(self._ogg)


def _settle_serial(path: Path) -> None:
    """Give an Ogg stream the serial number 1 in place of libsndfile's random one: the same sound is the same bytes."""
    with path.open("r+b") as file:
        while len(head := file.read(27)) == 27 and head[:4] == b"OggS":  # the page header of RFC 3533
            start = file.tell() - 27
            sizes = file.read(head[26])
            body = file.read(sum(sizes))
            if len(body) < sum(sizes):
                return  # the disk was full
            head = head[:14] + struct.pack("<I", 1) + head[18:22] + bytes(4) + head[26:]
            head = head[:22] + struct.pack("<I", _ogg_crc(head + sizes + body)) + head[26:]
            file.seek(start)
            file.write(head)
            file.seek(start + 27 + len(sizes) + len(body))


_MIRRORED = bytes(int(f"{value:08b}"[::-1], 2) for value in range(256))


def _ogg_crc(page: bytes) -> int:
    """The checksum of RFC 3533: zlib's polynomial, but highest bit first, from 0, and without the final inversion."""
    mirrored = zlib.crc32(page.translate(_MIRRORED), 0xFFFFFFFF) ^ 0xFFFFFFFF
    return int(f"{mirrored:032b}"[::-1], 2)
