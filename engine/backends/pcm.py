"""From the bytes of a response to samples: any split of the bytes gives the same sound at 48 kHz in two channels."""

from __future__ import annotations

import struct

import numpy as np
import soxr

from engine.errors import ServerError
from engine.requests import CHANNELS, SAMPLE_RATE

LONGEST_HEADER = 1 << 16
_WAVE_PCM, _WAVE_FLOAT, _WAVE_EXTENSIBLE = 1, 3, 0xFFFE
_HIGHEST_RATE, _MOST_CHANNELS = 384_000, 8


class PcmDecoder:
    """Bytes of interleaved little-endian samples in, float32 `[n, 2]` at 48 kHz out.

    What is left of a sample at the end of a chunk waits for the next one. Mono is doubled; of more channels than two
    the first two are kept.

    Args:
        rate, channels, bits: of the bytes. floating: the samples are float32.
        full_scale: the integer that stands for 1.0; None is 2**(bits - 1).

    Raises:
        ServerError: a format that nobody sends on purpose; fed: floating samples that are not finite.
    """

    def __init__(
        self, rate: int, channels: int, bits: int = 16, *, floating: bool = False, full_scale: float | None = None
    ):
        if not (1_000 <= rate <= _HIGHEST_RATE and 1 <= channels <= _MOST_CHANNELS and bits in (16, 24, 32)):
            raise ServerError(
                f"The server sends {rate} Hz, {channels} channels, {bits} bit, which cannot be played.",
                "Update the server.",
            )
        self.rate, self.channels = rate, channels
        self._bytes = bits // 8
        self._floating = floating
        self._scale = np.float32(1.0 / (full_scale or 2.0 ** (bits - 1)))
        self._left = b""
        self._resampler = (
            None
            if rate == SAMPLE_RATE
            else soxr.ResampleStream(rate, SAMPLE_RATE, CHANNELS, dtype="float32", quality="HQ")
        )

    @property
    def left_bytes(self) -> int:
        """Bytes of a sample whose rest has not come."""
        return len(self._left)

    def feed(self, data: bytes) -> np.ndarray:
        """Samples that are complete now, float32 `[n, 2]`; resampled ones come a little later."""
        return self._at_48k(self._samples(data), last=False)

    def flush(self) -> np.ndarray:
        """What the resampler still holds, float32 `[n, 2]`."""
        return self._at_48k(np.zeros((0, CHANNELS), np.float32), last=True)

    def _samples(self, data: bytes) -> np.ndarray:
        data = self._left + data
        whole = len(data) - len(data) % (self._bytes * self.channels)
        self._left = data[whole:]
        raw = np.frombuffer(data[:whole], np.uint8)
        if self._floating:
            values = raw.view("<f4").astype(np.float32)
            if not np.isfinite(values).all():
                raise ServerError("The server sent sound that holds values that are no numbers.", "Update the server.")
        elif self._bytes == 3:
            wide = np.zeros((len(raw) // 3, 4), np.uint8)
            wide[:, 1:] = raw.reshape(-1, 3)
            values = (wide.view("<i4")[:, 0] >> 8).astype(np.float32) * self._scale
        else:
            values = raw.view("<i2" if self._bytes == 2 else "<i4").astype(np.float32) * self._scale
        frames = values.reshape(-1, self.channels)
        return np.repeat(frames, CHANNELS, axis=1) if self.channels == 1 else np.ascontiguousarray(frames[:, :CHANNELS])

    def _at_48k(self, samples: np.ndarray, last: bool) -> np.ndarray:
        if self._resampler is None:
            return samples
        if not len(samples) and not last:
            return samples
        return np.asarray(self._resampler.resample_chunk(samples, last=last), np.float32).reshape(-1, CHANNELS)


class WavDecoder:
    """Bytes of a WAV file in, float32 `[n, 2]` at 48 kHz out; also of one whose sizes were never filled in.

    Attributes:
        decoder: of the samples; None until the header is through.
        complete: as many bytes came as the header promised, where it promised any.
    """

    def __init__(self, full_scale: float | None = None) -> None:
        self.decoder: PcmDecoder | None = None
        self._head = b""
        self._full_scale = full_scale
        self._promised: int | None = None
        self._taken = 0

    @property
    def complete(self) -> bool:
        return self.decoder is not None and (self._promised is None or self._taken >= self._promised)

    @property
    def left_bytes(self) -> int:
        return 0 if self.decoder is None else self.decoder.left_bytes

    def feed(self, data: bytes) -> np.ndarray:
        """Samples that are complete now. Raises ServerError: this is no WAV."""
        if self.decoder is None:
            self._head += data
            start = self._read_header()
            if start is None:
                return np.zeros((0, CHANNELS), np.float32)
            data, self._head = self._head[start:], b""
        assert self.decoder is not None
        if self._promised is not None:
            data = data[: max(0, self._promised - self._taken)]  # chunks after the sound are no sound
        self._taken += len(data)
        return self.decoder.feed(data)

    def flush(self) -> np.ndarray:
        return np.zeros((0, CHANNELS), np.float32) if self.decoder is None else self.decoder.flush()

    def _read_header(self) -> int | None:
        """Where the samples begin, once that is known; sets up the decoder."""
        head = self._head
        if len(head) >= 12 and (head[:4] != b"RIFF" or head[8:12] != b"WAVE"):
            raise ServerError("The server sent something that is no WAV.", "Check the address, or update the server.")
        at, form = 12, None
        while len(head) >= at + 8:
            name, size = head[at : at + 4], struct.unpack_from("<I", head, at + 4)[0]
            if name == b"data":
                if form is None:
                    break
                self.decoder = PcmDecoder(*form[:3], floating=form[3], full_scale=None if form[3] else self._full_scale)
                self._promised = None if size in (0, 0xFFFFFFFF) or size >= 0xFFFFFF00 else size
                return at + 8
            if name == b"fmt " and len(head) >= at + 8 + min(size, 40):
                form = _read_format(head[at + 8 : at + 8 + size])
            at += 8 + size + size % 2
        if len(head) > LONGEST_HEADER:
            raise ServerError("The server sent a WAV without sound.", "Update the server.")
        return None


def _read_format(chunk: bytes) -> tuple[int, int, int, bool]:
    """(rate, channels, bits, floating) of a `fmt ` chunk."""
    if len(chunk) < 16:
        raise ServerError("The server sent a WAV whose format is damaged.", "Update the server.")
    tag, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", chunk)
    if tag == _WAVE_EXTENSIBLE and len(chunk) >= 26:
        tag = struct.unpack_from("<H", chunk, 24)[0]
    if tag not in (_WAVE_PCM, _WAVE_FLOAT) or (tag == _WAVE_FLOAT and bits != 32):
        raise ServerError(f"The server sent a WAV of a kind that is not read (format {tag}).", "Update the server.")
    return rate, channels, bits, tag == _WAVE_FLOAT
