"""Looks at a clip as a doctor would: is it fit to clone a voice, what is wrong, what can honestly be mended."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import soxr

from app.services.voice_activity import speech_share

Severity = Literal["good", "note", "bad"]

BEST_S = (6.0, 20.0)
LEAST_S = 2.0
_WINDOW_S = 0.03
_SILENT_DB = -60.0
_QUIET_DB = -120.0
_TARGET_DB = -23.0
_PEAK_DB = -1.0


@dataclass(frozen=True)
class Finding:
    """One thing about a clip. `code`: length, level, clipping, noise, speech. `repair`: what `repaired` does about it,
    or ""."""

    code: str
    severity: Severity
    words: str
    repair: str = ""


@dataclass(frozen=True)
class Examination:
    """What was found.

    Attributes:
        seconds: of the clip. speech_db: RMS of the parts where somebody speaks, dBFS. peak_db: dBFS.
        noise_db: RMS of the quiet parts. clipped_share: of samples in flat tops, 0..1. speech_share: of time, 0..1, as
            a detector of speech hears it, by loudness where there is none.
        speech_s: (start, end) from the first to the last speech.
        findings: length, level, clipping, noise, speech, in this order; each is there.
    """

    seconds: float
    speech_db: float
    peak_db: float
    noise_db: float
    clipped_share: float
    speech_share: float
    speech_s: tuple[float, float]
    findings: tuple[Finding, ...]

    @property
    def fit(self) -> bool:
        return all(finding.severity != "bad" for finding in self.findings)


def examine(samples: np.ndarray, rate: int, *, longest_s: float = 100.0, listen: bool = True) -> Examination:
    """Look at float32 `[n, channels]`. Never raises for audio.

    Args:
        longest_s: what the model takes.
        listen: also let the detector of speech hear it, which takes some hundredths of the clip's time.
    """
    mono = samples.mean(axis=1, dtype=np.float64) if samples.ndim == 2 else samples.astype(np.float64)
    mono = np.nan_to_num(mono)
    seconds = len(mono) / rate
    levels_db, speaking = _speech_windows(mono, rate)
    window_s = _WINDOW_S
    at = np.flatnonzero(speaking)
    speech_s = (at[0] * window_s, min(seconds, (at[-1] + 1) * window_s)) if len(at) else (0.0, 0.0)
    heard = speech_share(mono, rate) if listen else None
    share = heard if heard is not None else float(speaking.mean()) if len(speaking) else 0.0
    speech_db = _mean_db(levels_db[speaking])
    quiet = levels_db[~speaking]
    noise_db = float(np.percentile(quiet, 30)) if len(quiet) >= 5 else _QUIET_DB
    peak = float(np.abs(mono).max()) if len(mono) else 0.0
    clipped = _clipped_share(samples)
    peak_db = _db(peak)
    findings = (
        _length(seconds, share, longest_s),
        _level(speech_db, peak_db),
        _clipping(clipped),
        _noise(speech_db - noise_db, noise_db, len(quiet)),
        _speech(share, seconds, _silent_ends(seconds, speech_s)),
    )
    if peak_db < _SILENT_DB:  # nothing mends silence, and it is not noisy
        findings = tuple(replace(each, repair="") for each in findings if each.code != "noise")
        findings = (*findings[:3], _noise(math.inf, _QUIET_DB, len(quiet)), *findings[3:])
    return Examination(seconds, speech_db, peak_db, noise_db, clipped, share, speech_s, findings)


def repaired(samples: np.ndarray, rate: int, *, longest_s: float = 100.0) -> tuple[np.ndarray, tuple[str, ...]]:
    """What can be mended without inventing anything: float32 `[n, channels]` and what was done, for people.

    Silence at the ends is cut, flat tops are rounded again by what stands around them, the level of speech is brought
    to
    -23 dBFS, and what is longer than the model takes is cut at the quietest place. Noise is left alone: taking it away
    takes some of the voice with it.
    """
    found = examine(samples, rate, longest_s=longest_s, listen=False)
    done: list[str] = []
    mended = np.nan_to_num(samples.astype(np.float32)).copy()
    if _silent_ends(found.seconds, found.speech_s):
        start_s, end_s = _whole_speech(found.speech_s, found.seconds)
        mended = mended[int(start_s * rate) : int(end_s * rate)]
        done.append("Silence at the ends was cut.")
    if len(mended) / rate > longest_s:
        mended = mended[: _quiet_cut(mended, rate, longest_s)]
        done.append(f"It was cut to {len(mended) / rate:.1f} s, at a pause.")
    if found.clipped_share > 0:
        mended, mended_any = _round_tops(mended)
        if mended_any:
            done.append("Clipped peaks were rounded.")
    gain_db = (
        min(_TARGET_DB - found.speech_db, _PEAK_DB - _db(float(np.abs(mended).max(initial=0.0))))
        if found.speech_share
        else 0.0
    )
    if abs(gain_db) > 1.0:
        mended = mended * np.float32(10 ** (gain_db / 20))
        done.append(f"The level was changed by {gain_db:+.1f} dB.")
    return mended.astype(np.float32), tuple(done)


# -- findings


def _length(seconds: float, share: float, longest_s: float) -> Finding:
    if seconds < LEAST_S:
        return Finding("length", "bad", f"{seconds:.1f} s is too short. Use 6 to 20 s of one person speaking.")
    if seconds > longest_s:
        words = f"{seconds:.1f} s is longer than the {longest_s:.1f} s this model takes."
        return Finding("length", "note", words, "Cut it at a pause.")
    if seconds * share < BEST_S[0] * 0.6:
        return Finding("length", "note", f"{seconds:.1f} s is short; 6 to 20 s give a steadier voice.")
    return Finding("length", "good", f"{seconds:.1f} s")


def _level(speech_db: float, peak_db: float) -> Finding:
    if peak_db < _SILENT_DB:
        return Finding("level", "bad", "The clip is silent.")
    if speech_db < -36:
        return Finding("level", "note", f"Very quiet: speech is at {speech_db:.0f} dBFS.", "Raise the level.")
    if speech_db > -12:
        return Finding("level", "note", f"Very loud: speech is at {speech_db:.0f} dBFS.", "Lower the level.")
    return Finding("level", "good", f"Speech at {speech_db:.0f} dBFS")


def _clipping(share: float) -> Finding:
    if share > 0.005:
        words = f"Badly clipped: {100 * share:.1f} % of it. Rounding the peaks helps a little; recording again more."
        return Finding("clipping", "bad", words, "Round the clipped peaks.")
    if share > 0:
        return Finding("clipping", "note", "Some peaks are clipped.", "Round the clipped peaks.")
    return Finding("clipping", "good", "Not clipped")


def _noise(distance_db: float, noise_db: float, quiet_windows: int) -> Finding:
    if quiet_windows < 5:
        return Finding("noise", "note", "There is no pause in which noise could be measured.")
    if distance_db < 15:
        return Finding(
            "noise", "bad", f"Noisy: only {distance_db:.0f} dB between speech and background. Record in a quieter room."
        )
    if distance_db < 28:
        return Finding("noise", "note", f"Some background noise: {distance_db:.0f} dB below speech.")
    return Finding(
        "noise",
        "good",
        f"Quiet background, {distance_db:.0f} dB below speech" if noise_db > _QUIET_DB else "No background noise",
    )


def _silent_ends(seconds: float, speech_s: tuple[float, float]) -> bool:
    """Whether there is silence at the ends worth cutting; some of it is always left."""
    start_s, end_s = _whole_speech(speech_s, seconds)
    return end_s > start_s and seconds - (end_s - start_s) > 0.3


def _whole_speech(speech_s: tuple[float, float], seconds: float) -> tuple[float, float]:
    """(start, end) of what is kept of a clip: speech with a breath before and after it."""
    start_s, end_s = speech_s
    return (max(0.0, start_s - 0.15), min(seconds, end_s + 0.25)) if end_s > start_s else (0.0, 0.0)


def _speech(share: float, seconds: float, silent_ends: bool) -> Finding:
    cut = "Cut silence at the ends." if silent_ends else ""
    if seconds and share < 0.2:
        return Finding(
            "speech",
            "bad",
            f"Hardly any speech: {100 * share:.0f} % of the time.",
            cut,
        )
    if share < 0.5:
        return Finding("speech", "note", f"Speech is {100 * share:.0f} % of the clip.", cut)
    return Finding("speech", "good", f"Speech {100 * share:.0f} % of the time")


# -- measuring


def _speech_windows(mono: np.ndarray, rate: int) -> tuple[np.ndarray, np.ndarray]:
    """Level in dBFS of every 30 ms, and where somebody speaks.

    Speech is what stands out from the background in the band of voices (100..4000 Hz) and changes as syllables do; the
    threshold lies between the quiet tenth and the loud tenth of the clip.
    """
    window = max(1, round(_WINDOW_S * rate))
    count = len(mono) // window
    if count < 3:
        return np.full(count, _QUIET_DB), np.zeros(count, bool)
    low_rate = 8000
    voice = soxr.resample(mono, rate, low_rate) if rate != low_rate else mono
    voice = voice - _moving_mean(voice, low_rate // 100)
    step = round(_WINDOW_S * low_rate)
    voice = voice[: count * step]
    if len(voice) < count * step:
        voice = np.concatenate((voice, np.zeros(count * step - len(voice))))
    band_db = _window_db(voice, step, count)
    levels_db = _window_db(mono, window, count)
    quiet, loud = np.percentile(band_db, 10), np.percentile(band_db, 95)
    if loud < -60:
        return levels_db, np.zeros(count, bool)
    threshold = max(min(quiet + 9.0, loud - 6.0), loud - 30.0, -60.0)
    speaking = band_db > threshold
    # Holes of less than a quarter of a second are inside words.
    hole = round(0.25 / _WINDOW_S)
    at = np.flatnonzero(speaking)
    for before, after in zip(at[:-1], at[1:], strict=True):
        if after - before <= hole:
            speaking[before:after] = True
    return levels_db, speaking


def _window_db(sound: np.ndarray, window: int, count: int) -> np.ndarray:
    power = np.square(sound[: count * window].reshape(count, window)).mean(axis=1)
    return 10 * np.log10(np.maximum(power, 1e-12))


def _moving_mean(sound: np.ndarray, width: int) -> np.ndarray:
    total = np.cumsum(np.concatenate((np.zeros(1), sound)))
    half = width // 2
    starts = np.clip(np.arange(len(sound)) - half, 0, len(sound))
    ends = np.clip(np.arange(len(sound)) + half + 1, 0, len(sound))
    return (total[ends] - total[starts]) / (ends - starts)


def _clipped_share(samples: np.ndarray) -> float:
    """Share of samples in runs of at least three equal ones at the very top."""
    peak = float(np.abs(samples).max(initial=0.0))
    if peak < 0.05:
        return 0.0
    top = np.abs(samples) >= peak * 0.999
    runs = top[:-2] & top[1:-1] & top[2:]
    share = float(runs.mean()) if runs.size else 0.0
    return share if share > 2e-5 else 0.0


def _round_tops(samples: np.ndarray) -> tuple[np.ndarray, bool]:
    """Every flat top becomes a cubic through the samples beside it (Hermite, slopes from the flanks)."""
    mended, any_mended = samples.copy(), False
    for channel in range(samples.shape[1]):
        sound = samples[:, channel]
        peak = float(np.abs(sound).max(initial=0.0))
        if peak < 0.05:
            continue
        flat = np.concatenate(([False], np.abs(sound) >= peak * 0.999, [False]))
        edges = np.flatnonzero(flat[1:] != flat[:-1])
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            n = end - start
            if n < 3 or n > 200 or start < 3 or end + 3 > len(sound):
                continue
            left, right = sound[start - 1], sound[end]
            rise = float(sound[start - 1] - sound[start - 2]) * (n + 1)
            fall = float(sound[end + 1] - sound[end]) * (n + 1)
            t = (np.arange(n) + 1) / (n + 1)
            curve = (
                (2 * t**3 - 3 * t**2 + 1) * left + (t**3 - 2 * t**2 + t) * rise
                + (-2 * t**3 + 3 * t**2) * right + (t**3 - t**2) * fall
            )  # fmt: skip
            sign = math.copysign(1.0, float(sound[start]))
            # A clipped peak was at least as high as its flat top, and not more than 6 dB higher.
            mended[start:end, channel] = sign * np.clip(sign * curve, peak, 2 * peak)
            any_mended = True
    return mended, any_mended


def _quiet_cut(samples: np.ndarray, rate: int, longest_s: float) -> int:
    """The quietest place in the last third before the limit."""
    limit = int(longest_s * rate)
    window = max(1, round(_WINDOW_S * rate))
    first = int(limit * 0.66)
    part = np.abs(samples[first:limit]).mean(axis=1)
    count = len(part) // window
    if not count:
        return limit
    return first + int(part[: count * window].reshape(count, window).mean(axis=1).argmin()) * window + window // 2


def _mean_db(levels_db: np.ndarray) -> float:
    return float(10 * np.log10(np.mean(10 ** (levels_db / 10)))) if len(levels_db) else _QUIET_DB


def _db(amplitude: float) -> float:
    return max(_QUIET_DB, 20 * math.log10(amplitude)) if amplitude > 0 else _QUIET_DB
