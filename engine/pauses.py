"""Checks what a model made of the pauses that it was asked to make itself."""

from __future__ import annotations

import math

import numpy as np

from engine.requests import SAMPLE_RATE, SpeechWarning
from engine.text.markup import find_tags

WINDOW_S = 0.01
# As the watchdog hears silence: so far under the loudest window, within bounds for whispering and for noise.
SILENCE_UNDER_LOUDEST_DB = 36.0
LOWEST_SILENCE_DB, HIGHEST_SILENCE_DB = -70.0, -45.0
# For each pause. The edges of the words around one add about 0.17 s (measured on the starter with 0.2 to 3 s), and a
# voice that would have paused anyway up to 0.3 s.
TOLERANCE_S = 0.4


class PauseCheck:
    """Hears the speech of one request and tells whether the silences in it add up to the pauses of its text."""

    def __init__(self, text: str) -> None:
        """Args: text: as the model reads it, with the pause tags that its card follows."""
        self._asked_s = [tag.seconds for tag in find_tags(text) if tag.kind == "pause" and tag.seconds]
        self._rest = np.zeros((0, 2), np.float32)
        self._levels_db: list[np.ndarray] = []

    def feed(self, samples: np.ndarray) -> None:
        """float32 `[n, 2]` at 48 kHz; any split hears the same."""
        if not self._asked_s:
            return
        samples = np.concatenate((self._rest, samples))
        window = round(WINDOW_S * SAMPLE_RATE)
        whole = len(samples) // window
        self._rest = samples[whole * window :]
        if not whole:
            return
        power = np.square(samples[: whole * window], dtype=np.float64).reshape(whole, -1).mean(axis=1)
        self._levels_db.append(10 * np.log10(np.maximum(power, 1e-12)))

    def warning(self) -> SpeechWarning | None:
        """What a person should know of the pauses, once the speech is complete."""
        if not self._asked_s:
            return None
        asked_s, made_s = sum(self._asked_s), self._made_s()
        if math.isclose(asked_s, made_s, abs_tol=TOLERANCE_S * len(self._asked_s)):
            return None
        message = (
            f"Pauses of {asked_s:.1f} s in all were asked of the model, which made {made_s:.1f} s. "
            "Speak it again, or choose exact pauses."
        )
        return SpeechWarning("pauses_missed", message)

    def _made_s(self) -> float:
        """Seconds of the longest silences between words, as many as pauses were asked for."""
        levels_db = np.concatenate(self._levels_db) if self._levels_db else np.zeros(0)
        if not len(levels_db):
            return 0.0
        limit_db = min(HIGHEST_SILENCE_DB, max(LOWEST_SILENCE_DB, levels_db.max() - SILENCE_UNDER_LOUDEST_DB))
        silences = np.sort(np.diff(np.flatnonzero(levels_db >= limit_db)) - 1)
        return float(silences[-len(self._asked_s) :].sum()) * WINDOW_S
