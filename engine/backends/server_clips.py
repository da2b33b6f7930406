"""Clips as a speech server takes them: the file itself where that serves, else a FLAC of the part that counts."""

from __future__ import annotations

import base64
import hashlib
import io
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
import soundfile

from engine.audio import load_clip
from engine.card import ModelCard
from engine.errors import ClipError
from engine.requests import Clip

LARGEST_BYTES = 10_485_760
SHORTEST_S = 1.0
_REMEMBERED = 32
_MEDIA_TYPES = {".wav": "audio/wav", ".flac": "audio/flac", ".mp3": "audio/mpeg", ".ogg": "audio/ogg"}


@dataclass(frozen=True)
class PackedClip:
    """The bytes of a clip, their media type, and the SHA-256 that names them."""

    data: bytes
    media_type: str
    sha256: str

    @property
    def data_uri(self) -> str:
        return f"data:{self.media_type};base64,{base64.b64encode(self.data).decode('ascii')}"

    @property
    def file_name(self) -> str:
        return "clip." + {"audio/mpeg": "mp3"}.get(self.media_type, self.media_type.removeprefix("audio/"))


class ClipPacker:
    """Packs clips for one server; the last few are remembered. Safe to use from one thread at a time."""

    def __init__(self, card: ModelCard) -> None:
        self._card = card
        self._packed: OrderedDict[tuple[object, ...], PackedClip] = OrderedDict()

    def pack(self, clip: Clip) -> PackedClip:
        """A clip ready to be sent.

        Raises:
            ClipError: it cannot be read, or is too short or too long for this server.
        """
        key = self._key(clip)
        if key is not None and key in self._packed:
            self._packed.move_to_end(key)
            return self._packed[key]
        packed = self._pack(clip)
        if key is not None:
            self._packed[key] = packed
            if len(self._packed) > _REMEMBERED:
                self._packed.popitem(last=False)
        return packed

    def _pack(self, clip: Clip) -> PackedClip:
        if clip.samples is not None:
            samples, rate = np.asarray(clip.samples, np.float32), clip.rate
            samples = samples[:, None] if samples.ndim == 1 else samples
            start = round((clip.start_s or 0.0) * rate)
            samples = samples[start : None if clip.end_s is None else round(clip.end_s * rate)]
        elif clip.path is not None:
            samples, rate = load_clip(clip.path, clip.start_s, clip.end_s)
        else:
            raise ClipError("A server takes sound, not codes.", "Give the clip itself.")
        self._check_length(len(samples) / rate)
        whole_file = clip.samples is None and clip.start_s is None and clip.end_s is None
        if whole_file and clip.path is not None and (media_type := _MEDIA_TYPES.get(clip.path.suffix.lower())):
            data = clip.path.read_bytes()
            if len(data) <= LARGEST_BYTES:
                return _packed(data, media_type)
        for channels, subtype in ((2, "PCM_24"), (2, "PCM_16"), (1, "PCM_16")):
            data = _flac(samples, rate, channels, subtype)
            if len(data) <= LARGEST_BYTES:
                return _packed(data, "audio/flac")
        raise ClipError("The clip is too large for a server.", "Choose a part of 5 to 20 s of it.")

    def _check_length(self, seconds: float) -> None:
        longest = self._card.longest_reference_s
        if not SHORTEST_S <= seconds <= longest:
            raise ClipError(
                f"The clip is {seconds:.1f} s long; “{self._card.name}” takes {SHORTEST_S:.0f} to {longest:.0f} s.",
                "Choose a part of 5 to 20 s of it.",
            )

    @staticmethod
    def _key(clip: Clip) -> tuple[object, ...] | None:
        if clip.path is None or clip.samples is not None:
            return None
        try:
            stat = clip.path.stat()
        except OSError:
            return None
        return (clip.path.absolute(), stat.st_size, stat.st_mtime_ns, clip.start_s, clip.end_s)


def _packed(data: bytes, media_type: str) -> PackedClip:
    return PackedClip(data, media_type, hashlib.sha256(data).hexdigest())


def _flac(samples: np.ndarray, rate: int, channels: int, subtype: str) -> bytes:
    kept = samples[:, :2] if channels == 2 else samples[:, :2].mean(axis=1, keepdims=True)
    target = io.BytesIO()
    soundfile.write(target, np.clip(kept, -1.0, 1.0), rate, format="FLAC", subtype=subtype)
    return target.getvalue()
