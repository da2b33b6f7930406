"""Clips of clients in a folder of their own: of uploaded voices while the service runs, of requests while they run."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import shutil
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.services.store_sessions import is_alive, started_s
from engine import SpeechError, load_clip

_log = logging.getLogger(__name__)

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


class Loan:
    """Clips that one request needs; none of them goes before the request ends. Any thread; `end` once."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._paths: list[Path] = []
        self._ended = False

    def keep(self, data: bytes) -> Path:
        """A file with this content. Raises ShelfError: the request has ended meanwhile."""
        return self._hold(self._shelf.path_of(data), data)

    def hold(self, voice: ShelvedVoice) -> Path:
        """The clip of a voice, which stays although the voice be deleted."""
        return self._hold(voice.path, None)

    def _hold(self, path: Path, data: bytes | None) -> Path:
        with self._shelf.lock:
            if self._ended:
                raise ShelfError("the request has ended")
            self._shelf.lent[path] += 1
            self._paths.append(path)
        if data is not None:
            self._shelf.write(path, data)
        return path

    def end(self) -> None:
        with self._shelf.lock:
            self._ended = True
            paths, self._paths = self._paths, []
            self._shelf.lent.subtract(paths)
        for path in paths:
            self._shelf.drop(path)


class Shelf:
    """Uploaded voices by name, and clips that came along with requests, each file named by its content.

    Attributes:
        lock, lent: for loans: how many of them hold a file.

    Args:
        folder: where files go; whoever made it deletes it.
        fold_case: names are the same whatever their case.
    """

    def __init__(self, folder: Path, *, fold_case: bool = False) -> None:
        self._folder = folder
        self._fold = fold_case
        self._voices: dict[str, ShelvedVoice] = {}
        self.lock = threading.Lock()
        self.lent: Counter[Path] = Counter()

    def lend(self) -> Loan:
        return Loan(self)

    def _key(self, name: str) -> str:
        return name.strip().lower() if self._fold else name.strip()

    def voices(self) -> list[ShelvedVoice]:
        with self.lock:
            return [self._voices[key] for key in sorted(self._voices)]

    def find(self, name: str) -> ShelvedVoice | None:
        with self.lock:
            return self._voices.get(self._key(name))

    def add(
        self, name: str, data: bytes, mime_type: str, consent: str, ref_text: str = "", speaker_description: str = ""
    ) -> tuple[ShelvedVoice, bool]:
        """Keep a voice; whether it replaced another. Blocks while the clip is read. Raises ShelfError."""
        if len(data) > LARGEST_BYTES:
            raise ShelfError(f"File size exceeds maximum limit of {LARGEST_BYTES} bytes")
        loan = self.lend()
        try:
            path = loan.keep(data)
            return self._add(name, path, len(data), mime_type, consent, ref_text, speaker_description)
        finally:
            loan.end()

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
        with self.lock:
            before = self._voices.get(key)
            if before is None and len(self._voices) >= MOST:
                raise ShelfError(f"There are {MOST} voices already; delete one first.")
            self._voices[key] = voice
        if before is not None:
            self.drop(before.path)
        return voice, before is not None

    def remove(self, name: str) -> bool:
        """Forget a voice and its clip; whether there was one."""
        with self.lock:
            voice = self._voices.pop(self._key(name), None)
        if voice is not None:
            self.drop(voice.path)
        return voice is not None

    # -- files --------------------------------------------------------------------------------------------------

    def path_of(self, data: bytes) -> Path:
        """Where this content is: the same content is the same file, so that what was encoded is found again."""
        return self._folder / hashlib.sha256(data).hexdigest()

    def write(self, path: Path, data: bytes) -> None:
        if not path.exists():
            part = path.with_suffix(f".{threading.get_ident()}.part")
            part.write_bytes(data)
            part.replace(path)

    def drop(self, path: Path) -> None:
        """Delete a clip that no voice has and no request needs."""
        with self.lock:
            if self.lent[path] <= 0:
                del self.lent[path]
                if all(voice.path != path for voice in self._voices.values()):
                    path.unlink(missing_ok=True)


def folder_for_clips(root: Path) -> Path:
    """A new folder for the clips of this process; what killed processes left there is deleted. Raises OSError."""
    root.mkdir(parents=True, exist_ok=True)
    clear_left_behind(root)
    return Path(tempfile.mkdtemp(prefix=f"{os.getpid()} {started_s(os.getpid()):.0f} ", dir=root))


def clear_left_behind(root: Path) -> None:
    """Delete the clips of processes that live no more."""
    for folder in root.glob("* * *"):
        pid, started, _ = folder.name.split(" ", 2)
        with contextlib.suppress(ValueError):
            if not is_alive(int(pid), float(started)):
                _log.info("clips of a service that was killed are deleted")
                shutil.rmtree(folder, ignore_errors=True)
