"""Records a voice with the microphone: level while it goes, a WAV file at the end."""

from __future__ import annotations

import math
import threading
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from app.services.devices import Devices
from engine import SAMPLE_RATE

LONGEST_S = 120.0


class Recorder:
    """One recording at a time. Methods may be called from any thread but the window's: opening a device takes a while.

    Attributes:
        device: name of the microphone that is open, or "".
    """

    def __init__(self, devices: Devices) -> None:
        self._devices = devices
        self._lock = threading.Lock()
        self._device_lock = threading.Lock()  # whoever closes waits for who still opens: it must not stay open
        self._parts: list[np.ndarray] = []
        self._samples = 0
        self._level_db = -120.0
        self._keeping = False
        self._input: Any = None
        self.device = ""

    def open(self) -> None:
        """Open the microphone: the level moves, nothing is kept yet. Raises DeviceError."""
        with self._device_lock:
            if self._input is None:
                self._input = self._devices.open_input(self._received)
                self.device = self._input.name

    def start(self) -> None:
        """Keep what is heard from now on."""
        self.open()
        with self._lock:
            self._parts, self._samples, self._keeping = [], 0, True

    @property
    def seconds(self) -> float:
        return self._samples / SAMPLE_RATE

    @property
    def level_db(self) -> float:
        """Peak of the last moment, dBFS."""
        return self._level_db

    @property
    def full(self) -> bool:
        return self.seconds >= LONGEST_S

    def stop(self) -> np.ndarray:
        """End keeping; float32 `[n, channels]` at 48 kHz."""
        with self._lock:
            self._keeping = False
            parts, self._parts = self._parts, []
        return np.concatenate(parts) if parts else np.zeros((0, 1), np.float32)

    def close(self) -> None:
        """Let go of the microphone."""
        with self._device_lock:
            opened, self._input = self._input, None
            self.device = ""
            if opened is not None:
                opened.close()

    def _received(self, samples: np.ndarray) -> None:
        peak = float(np.abs(samples).max(initial=0.0))
        level_db = 20 * math.log10(peak) if peak > 1e-6 else -120.0
        with self._lock:
            # Falls slowly, so that it can be read.
            self._level_db = max(level_db, self._level_db - 40 * len(samples) / SAMPLE_RATE)
            if self._keeping and self.seconds < LONGEST_S:
                self._parts.append(np.array(samples, np.float32))
                self._samples += len(samples)


def write_clip(path: Path, samples: np.ndarray, rate: int = SAMPLE_RATE) -> Path:
    """Write float32 `[n, channels]` as 24-bit WAV. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        soundfile.write(path, np.clip(samples, -1.0, 1.0), rate, subtype="PCM_24")
    except soundfile.LibsndfileError as error:
        raise OSError(f"{path} cannot be written ({error})") from error
    return path
