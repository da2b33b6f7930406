"""How much sound the header of a file promises, to notice one that breaks off."""

from __future__ import annotations

import struct
from pathlib import Path

_HEAD_BYTES = 1 << 16
_UNKNOWN = 0xFFFFFF00  # sizes from here on, and 0, stand for a stream whose length nobody knew


def promised_seconds(path: Path) -> float | None:
    """Seconds by the header of a WAV (also RF64) or FLAC file; None where it says nothing, or is of another kind."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
        if head[:4] in (b"RIFF", b"RF64") and head[8:12] == b"WAVE":
            return _wav_seconds(head)
        if head[:4] == b"fLaC" and head[4] & 0x7F == 0:
            return _flac_seconds(head)
    except (OSError, struct.error, IndexError):
        pass  # whoever reads the sound says what is wrong
    return None


def _wav_seconds(head: bytes) -> float | None:
    at, byte_rate, large = 12, 0, 0
    while at + 8 <= len(head):
        name, size = head[at : at + 4], struct.unpack_from("<I", head, at + 4)[0]
        if name == b"fmt ":
            byte_rate = struct.unpack_from("<I", head, at + 16)[0]
        elif name == b"ds64":
            large = struct.unpack_from("<Q", head, at + 16)[0]
        elif name == b"data":
            known = large if size == 0xFFFFFFFF else size if 0 < size < _UNKNOWN else 0
            return known / byte_rate if known and byte_rate else None
        at += 8 + size + size % 2
    return None


def _flac_seconds(head: bytes) -> float | None:
    """From STREAMINFO: 20 bits of rate, 8 of channels and depth, 36 of samples."""
    packed = int.from_bytes(head[18:26], "big")
    rate, samples = packed >> 44, packed & (1 << 36) - 1
    return samples / rate if rate and samples else None
