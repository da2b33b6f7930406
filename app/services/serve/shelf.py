"""Voices that clients uploaded, in a folder of their own while the service runs."""

from __future__ import annotations

import hashlib
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine import SpeechError, load_clip

LARGEST_BYTES = 10_485_760
MOST = 1000
SHORTEST_S, LONGEST_S = 1.0, 30.0
SILENT = 1e-5


class ShelfError(Exception):
    """A voice that cannot be kept; the message is for the client."""


@dataclass(frozen=True)
class ShelvedVoice:
    """One voice: its clip's file and what came with it."""

    name: str
    path: Path
    consent: str
    created_at: int
    file_size: int
    mime_type: str
    ref_text: str = ""
    speaker_description: str = ""

    def described(self) -> dict[str, object]:
        known: dict[str, object] = {
            "name": self.name,
            "consent": self.consent,
            "created_at": self.created_at,
            "file_size": self.file_size,
            "mime_type": self.mime_type,
        }
        if self.ref_text:
            known["ref_text"] = self.ref_text
        if self.speaker_description:
            known["speaker_description"] = self.speaker_description
        return known


class Shelf:
    """Uploaded voices by name, and clips that came along with requests, each file named by its content.

    Args:
        folder: where files go; whoever made it deletes it.
        fold_case: names are the same whatever their case.
    """

    def __init__(self, folder: Path, *, fold_case: bool = False) -> None:
        self._folder = folder
        self._fold = fold_case
        self._voices: dict[str, ShelvedVoice] = {}
        self._lock = threading.Lock()

    def _key(self, name: str) -> str:
        return name.strip().lower() if self._fold else name.strip()

    def voices(self) -> list[ShelvedVoice]:
        with self._lock:
            return [self._voices[key] for key in sorted(self._voices)]

    def find(self, name: str) -> ShelvedVoice | None:
        with self._lock:
            return self._voices.get(self._key(name))

    def add(
        self, name: str, data: bytes, mime_type: str, consent: str, ref_text: str = "", speaker_description: str = ""
    ) -> tuple[ShelvedVoice, bool]:
        """Keep a voice; whether it replaced another. Blocks while the clip is read. Raises ShelfError."""
        if len(data) > LARGEST_BYTES:
            raise ShelfError(f"File size exceeds maximum limit of {LARGEST_BYTES} bytes")
        path = self.keep(data)
        try:
            return self._add(name, path, len(data), mime_type, consent, ref_text, speaker_description)
        except ShelfError:
            self._drop(path)
            raise

    def _add(
        self, name: str, path: Path, size: int, mime_type: str, consent: str, ref_text: str, speaker_description: str
    ) -> tuple[ShelvedVoice, bool]:
        try:
            samples, rate = load_clip(path)
        except SpeechError as error:
            told = error.message.replace(path.name, "audio_sample")
            raise ShelfError(f"Could not decode audio file: {told}") from error
        seconds = len(samples) / rate
        if seconds < SHORTEST_S:
            raise ShelfError(
                f"Reference audio too short ({seconds:.1f}s). At least {SHORTEST_S:.0f}s of clear speech is required."
            )
        if seconds > LONGEST_S:
            raise ShelfError(
                f"Reference audio too long ({seconds:.1f}s). Maximum {LONGEST_S:.0f}s supported — use a shorter clip."
            )
        if float(np.abs(samples).max(initial=0.0)) < SILENT:
            raise ShelfError("Reference audio is silent.")
        key = self._key(name)
        voice = ShelvedVoice(
            key, path, consent, int(time.time()), size, mime_type, ref_text.strip(), speaker_description.strip()
        )
        with self._lock:
            replaced = key in self._voices
            if not replaced and len(self._voices) >= MOST:
                raise ShelfError(f"There are {MOST} voices already; delete one first.")
            self._voices[key] = voice
        return voice, replaced

    def remove(self, name: str) -> bool:
        """Forget a voice and its clip; whether there was one."""
        with self._lock:
            voice = self._voices.pop(self._key(name), None)
        if voice is not None:
            self._drop(voice.path)
        return voice is not None

    def _drop(self, path: Path) -> None:
        """Delete a clip that no voice has."""
        with self._lock:
            if all(voice.path != path for voice in self._voices.values()):
                path.unlink(missing_ok=True)

    def keep(self, data: bytes) -> Path:
        """A file with this content; the same content is the same file, so that what was encoded is found again."""
        path = self._folder / hashlib.sha256(data).hexdigest()
        if not path.exists():
            part = path.with_suffix(f".{threading.get_ident()}.part")
            part.write_bytes(data)
            part.replace(path)
        return path
