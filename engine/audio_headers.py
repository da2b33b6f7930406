"""How much sound the header of a file promises, to notice one that breaks off."""

from __future__ import annotations

import struct
from pathlib import Path

from engine.audio_ogg import ogg_sound

_HEAD_BYTES = 1 << 16
_UNKNOWN = 0xFFFFFF00  # sizes from here on, and 0, stand for a stream whose length nobody knew
_EXTENSIBLE, _MPEG_TAGS = 0xFFFE, (0x50, 0x55)  # of the coding, in a WAV's header
_MP3_RATES = {3: (44_100, 48_000, 32_000), 2: (22_050, 24_000, 16_000), 0: (11_025, 12_000, 8_000)}  # by version bits


def promised_seconds(path: Path) -> float | None:
    """Seconds by the header of a WAV (also RF64), FLAC, MP3, MP4 or Matroska file, or by the pages of an Ogg file; None
    where it says nothing."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
        if head[:4] in (b"RIFF", b"RF64") and head[8:12] == b"WAVE":
            return _wav_seconds(head)
        if head[:4] == b"fLaC" and head[4] & 0x7F == 0:
            return _flac_seconds(head)
        if head[:4] == b"OggS":
            sound = ogg_sound(path)
            return sound.seconds if sound is not None else None
        if head[:3] == b"ID3" or head[:1] == b"\xff":
            return _mp3_seconds(path)
        if head[4:8] == b"ftyp" or head[:4] == b"\x1aE\xdf\xa3":
            return _track_seconds(path)
    except (OSError, struct.error, IndexError):
        pass  # whoever reads the sound says what is wrong
    return None


def lacks_its_end(path: Path) -> bool:
    """Whether a file of a kind that marks its end (Ogg) has no such mark."""
    try:
        sound = ogg_sound(path)
    except OSError:
        return False  # whoever reads the sound says what is wrong
    return sound is not None and not sound.has_end


def is_mpeg_in_wav(head: bytes) -> bool:
    """Whether a file that begins so is a WAV that holds MP2 or MP3 instead of samples."""
    if head[:4] not in (b"RIFF", b"RIFX", b"RF64") or head[8:12] != b"WAVE":
        return False
    order, at = ">" if head[:4] == b"RIFX" else "<", 12
    while at + 34 <= len(head):
        name, size = head[at : at + 4], struct.unpack_from(f"{order}I", head, at + 4)[0]
        if name == b"fmt ":
            tag = struct.unpack_from(f"{order}H", head, at + 8)[0]
            if tag == _EXTENSIBLE and size >= 26:
                tag = struct.unpack_from(f"{order}H", head, at + 32)[0]
            return tag in _MPEG_TAGS
        at += 8 + size + size % 2
    return False


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


def _mp3_seconds(path: Path) -> float | None:
    """From the count of frames that encoders leave in the first frame (Xing, Info), behind an ID3 tag or not."""
    with path.open("rb") as file:
        head = file.read(10)
        skipped = 0
        if head[:3] == b"ID3":
            skipped = 10 + sum((byte & 0x7F) << 7 * (3 - i) for i, byte in enumerate(head[6:10]))
        file.seek(skipped)
        frame = file.read(64)
    version = frame[1] >> 3 & 3
    if frame[0] != 0xFF or frame[1] & 0xE6 != 0xE2 or version not in _MP3_RATES:
        return None
    rate = _MP3_RATES[version][frame[2] >> 2 & 3]
    mono = frame[3] >> 6 == 3
    at = 4 + ((17 if mono else 32) if version == 3 else (9 if mono else 17))  # behind the side information
    if frame[at : at + 4] not in (b"Xing", b"Info") or not frame[at + 7] & 1:
        return None
    frames = struct.unpack_from(">I", frame, at + 8)[0]
    whole = max(0, frames - 3)  # what the encoder put before and behind the sound is taken off by readers
    return whole * (1152 if version == 3 else 576) / rate or None


def _track_seconds(path: Path) -> float | None:
    """Of the first track of sound. Matroska tells the length of the longest track only: then it must be alone."""
    import av

    try:
        with av.open(f"file:{path}", options={"protocol_whitelist": "file"}, metadata_errors="ignore") as container:
            sound = container.streams.audio[0]
            if sound.duration is not None and sound.time_base is not None:
                return float(sound.duration * sound.time_base) or None
            if len(container.streams) == 1 and container.duration is not None:
                return max(0.0, container.duration / av.time_base) or None
    except (av.FFmpegError, ArithmeticError, AttributeError, MemoryError, TypeError, ValueError, IndexError):
        pass
    return None
