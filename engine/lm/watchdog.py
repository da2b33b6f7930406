"""Watches frames as they come, ends a generation that has lost its text, and sees an end that came too early."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.card import ModelCard
from engine.requests import FRAME_RATE, FRAME_S, StopReason

# A pause that nobody asked for: between sentences voices pause up to about 1 s, for effect rarely 2 s. A pause that was
# asked for comes out up to a fifth longer (measured on the starter: 0.5 s -> 0.68 s, 3 s -> 3.20 s, edges of the
# sentences included).
SILENCE_MARGIN_S = 2.5
PAUSE_STRETCH = 1.2
# A frame is silent this far under the loudest one so far: breath and room of a clean voice lie 40 dB under it and more,
# the weakest consonants about 30 dB. The bounds keep whispering and loud voices apart from noise; before anything is
# heard a fixed level counts.
SILENCE_UNDER_LOUDEST_DB = 36.0
LOWEST_SILENCE_DB, HIGHEST_SILENCE_DB, FIRST_SILENCE_DB = -70.0, -45.0, -50.0
HEARD_DB = -40.0
# The first codebooks carry what is said; the later ones are detail that differs even in a loop. In sampled speech two
# of them agree with those of p frames before in a few frames of a hundred: at most 3 in a row in the starter's speech.
LOOP_CODEBOOKS = 2
LONGEST_PERIOD_FRAMES = 12
LOOP_S = 3.0
LOOP_MISMATCH_COST = 3  # a loop may differ in at most one frame of four
# Estimates are of characters: slow voices, numbers and names in letters take up to twice as long; never three times and
# 4 s.
OVER_ESTIMATE, OVER_MARGIN_S = 3.0, 4.0
# The fastest speech takes half the estimate (the starter, everyday English: 0.67 to 1.1 of it). Short texts are left
# alone: "Hm." says nothing about speed.
EARLY_SHARE, EARLY_LEAST_S = 0.4, 1.5


@dataclass(frozen=True)
class Verdict:
    """Why a generation must end here. `code` is stable, `message` is for people and says what to do."""

    reason: StopReason
    code: str
    message: str


class Watchdog:
    """Sees the frames of one generation, in order.

    Args:
        estimate_frames: expected length in frames of 80 ms, at least 1.
        own_pause_s: the longest silence the text itself asks the model for.
        card: of the model; what a person can do about it depends on it.
    """

    def __init__(self, estimate_frames: int, own_pause_s: float = 0.0, card: ModelCard | None = None) -> None:
        self._estimate = max(1, estimate_frames)
        self._own_pause_s = own_pause_s
        self._longest_silence = (own_pause_s * PAUSE_STRETCH + SILENCE_MARGIN_S) * FRAME_RATE
        self._longest_loop = (own_pause_s * PAUSE_STRETCH + LOOP_S) * FRAME_RATE
        self._most_frames = OVER_ESTIMATE * self._estimate + (OVER_MARGIN_S + own_pause_s) * FRAME_RATE
        self._remedy = "Speak it again with another seed." if card is None or card.seed else "Speak it again."
        self._frames = 0
        self._silent = 0
        self._levels_seen = False
        self._sounding = False
        self._loudest_db = -np.inf
        self._recent = np.full((LONGEST_PERIOD_FRAMES, LOOP_CODEBOOKS), -1, np.int64)  # latest first
        self._matches = np.zeros(LONGEST_PERIOD_FRAMES, np.int64)  # by period - 1

    def see(self, codes: np.ndarray, rms_db: float | None = None) -> Verdict | None:
        """One more frame: codes int `[C]` and, once decoded, its level in dBFS. A verdict ends the generation."""
        self._frames += 1
        silent = rms_db is not None and self._is_silent(rms_db)
        self._silent = self._silent + 1 if silent else 0
        if not silent:
            self._count_matches(codes)
        if self._silent > self._longest_silence:
            return self._verdict("runaway_silence", f"The model fell silent for {self._silent * FRAME_S:.1f} s")
        if self._matches.max() > self._longest_loop:
            return self._verdict("runaway_loop", "The model repeated the same sound over and over")
        if self._frames > self._most_frames:
            asked_s, made_s = self._estimate * FRAME_S, self._frames * FRAME_S
            return self._verdict("runaway_length", f"About {asked_s:.1f} s were expected, {made_s:.1f} s were spoken")
        return None

    def judge_stop(self, frames: int) -> StopReason:
        """What the model's own stop after `frames` frames is worth: STOP, or EARLY_END when the text cannot be through.

        Nothing but silence is an early end too.
        """
        nothing = frames == 0 or (self._levels_seen and not self._sounding)
        expected = (
            self._estimate - self._own_pause_s * FRAME_RATE
        )  # a pause left out is another matter than words left out
        too_short = expected >= EARLY_LEAST_S * FRAME_RATE and frames < EARLY_SHARE * expected
        return StopReason.EARLY_END if nothing or too_short else StopReason.STOP

    def _is_silent(self, rms_db: float) -> bool:
        self._levels_seen = True
        if np.isnan(rms_db):
            return True
        self._loudest_db = max(self._loudest_db, rms_db)
        limit_db = FIRST_SILENCE_DB
        if self._loudest_db > HEARD_DB:
            limit_db = min(HIGHEST_SILENCE_DB, max(LOWEST_SILENCE_DB, self._loudest_db - SILENCE_UNDER_LOUDEST_DB))
        silent = rms_db < limit_db
        self._sounding |= not silent
        return bool(silent)

    def _count_matches(self, codes: np.ndarray) -> None:
        """How long, for each period, codes have been those of one period before; silent frames stand outside of it."""
        first = np.zeros(LOOP_CODEBOOKS, np.int64)  # a model of one codebook is compared by that one
        taken = np.asarray(codes).reshape(-1)[:LOOP_CODEBOOKS]
        first[: len(taken)] = taken
        same = (self._recent == first).all(axis=1)
        self._matches = np.where(same, self._matches + 1, np.maximum(0, self._matches - LOOP_MISMATCH_COST))
        self._recent = np.roll(self._recent, 1, axis=0)
        self._recent[0] = first

    def _verdict(self, code: str, what: str) -> Verdict:
        return Verdict(StopReason.RUNAWAY, code, f"{what}; it was ended there. {self._remedy}")
