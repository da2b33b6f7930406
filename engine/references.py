"""From a clip to what a codec takes: honest preparation (MODEL §5.7)."""

from __future__ import annotations

import hashlib
import math
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np

from engine.audio import LONGEST_S, load_clip
from engine.audio_headers import lacks_its_end, promised_seconds
from engine.audio_measures import (
    AUDIBLE_OFFSET,
    WINDOW_S,
    ClipMeasures,
    measure_clip,
    silent_windows,
    window_levels,
)
from engine.errors import ClipError
from engine.requests import Clip, SpeechWarning

SHORTEST_S = 0.5
TARGET_DBFS = -20.0
LARGEST_GAIN_DB = 3.0
KEPT_SILENCE_S = 0.5  # at each end
LEAST_MISSING_S = 0.1  # of what a header promises
QUIET_DBFS = -40.0
NOISY_SNR_DB = 15.0
CLIPPED_SHARE = 0.0005
SILENT_PEAK = 10 ** (-60 / 20)

HASHES_KEPT = 1024


class AudioFormat(Protocol):
    """What preparation has to know of a codec; `CodecConfig` is one."""

    sample_rate: int
    channels: int


@dataclass(frozen=True)
class PreparedClip:
    """A clip as the codec takes it.

    Attributes:
        samples: float32 `[channels, N]` at the codec's rate; may exceed 1 (§5.7).
        seconds: of them.
        repairs: what was changed, or noticed, that a person should know.
        sha256: of the samples and their format: the same sound has the same one, whatever its file.
        measures: of the clip as it came, for the clip doctor.
    """

    samples: np.ndarray = field(compare=False, repr=False)
    seconds: float
    repairs: tuple[SpeechWarning, ...]
    sha256: str
    measures: ClipMeasures | None = field(default=None, compare=False)


def prepare_clip(clip: Clip, codec: AudioFormat) -> PreparedClip:
    """Load, repair where that is honest, resample, and bring a clip to level.

    In this order: a constant offset is taken away; silence beyond 0.5 s at either end is cut; soxr (HQ) resamples; mono
    is doubled, and of more than two channels the first two are kept, or, where those are silent, all are mixed; the
    level is moved towards -20 dBFS by at most 3 dB. What cannot be repaired (clipping, noise, a very low level, an end
    that is missing) is reported.

    Raises:
        ClipError: unreadable, empty, silent, shorter than 0.5 s, or longer than 100 s.
        ValueError: a clip that holds codes alone.
    """
    if clip.samples is not None:
        name = "The clip"
        samples, rate = _given_samples(clip)
    elif clip.path is not None:
        name = Path(clip.path).name
        samples, rate = load_clip(clip.path, clip.start_s, clip.end_s)
    else:
        raise ValueError("this clip holds codes; there is nothing to prepare")

    measures = measure_clip(samples, rate)
    if measures.peak_dbfs == -math.inf or 10 ** (measures.peak_dbfs / 20) < SILENT_PEAK:
        raise ClipError(f"{name} is silent.", "Check the recording level, or choose another clip.")
    repairs: list[SpeechWarning] = []
    if clip.path is not None and clip.end_s is None:
        _note_missing_end(Path(clip.path), (clip.start_s or 0.0) + len(samples) / rate, repairs)
    samples = _without_offset(samples, name, repairs)
    samples = _without_long_silence(samples, rate, name, repairs)
    seconds = len(samples) / rate
    if seconds < SHORTEST_S:
        message = f"{name} has only {seconds:.2f} s of sound."
        raise ClipError(message, "A voice needs at least 0.5 s; 5 to 20 s are best.")
    if seconds > LONGEST_S:
        raise ClipError(
            f"{name} is {seconds:.1f} s long; at most {LONGEST_S:.0f} s can be used.",
            "Choose a part of 5 to 20 s of it.",
        )
    _note_faults(measures, name, repairs)
    prepared = _level(_channels(_resampled(samples, rate, codec.sample_rate), codec.channels, name, repairs))
    return PreparedClip(
        samples=prepared,
        seconds=prepared.shape[1] / codec.sample_rate,
        repairs=tuple(repairs),
        sha256=_content(prepared, codec.sample_rate),
        measures=measures,
    )


def _given_samples(clip: Clip) -> tuple[np.ndarray, int]:
    samples = np.asarray(clip.samples, np.float32)
    samples = samples[:, None] if samples.ndim == 1 else samples
    start = round((clip.start_s or 0.0) * clip.rate)
    samples = samples[start : None if clip.end_s is None else round(clip.end_s * clip.rate)]
    if samples.ndim != 2 or samples.size == 0:
        raise ClipError("The clip is empty.", "Choose another clip, or another part of it.")
    if not np.isfinite(samples).all():
        raise ClipError("The clip is damaged: it holds values that are no numbers.", "Record it again.")
    return samples, clip.rate


def _note_missing_end(path: Path, end_s: float, repairs: list[SpeechWarning]) -> None:
    promised_s = promised_seconds(path)
    if promised_s is not None and promised_s - end_s > LEAST_MISSING_S:
        repairs.append(
            SpeechWarning(
                "clip_breaks_off",
                f"{path.name} breaks off: of {promised_s:.1f} s only {end_s:.1f} s are there. "
                "Copy it again if the rest is wanted.",
            )
        )
    elif lacks_its_end(path):
        repairs.append(
            SpeechWarning(
                "clip_breaks_off",
                f"{path.name} seems to break off after {end_s:.1f} s: the mark of its end is missing. "
                "Copy it again if the rest is wanted.",
            )
        )


def _without_offset(samples: np.ndarray, name: str, repairs: list[SpeechWarning]) -> np.ndarray:
    offset = samples.mean(axis=0, dtype=np.float64)
    if np.abs(offset).max() < AUDIBLE_OFFSET:
        return samples
    repairs.append(SpeechWarning("clip_offset", f"{name} was off centre (a constant offset); that was taken away."))
    return (samples - offset).astype(np.float32)


def _without_long_silence(samples: np.ndarray, rate: int, name: str, repairs: list[SpeechWarning]) -> np.ndarray:
    sounding = np.flatnonzero(~silent_windows(window_levels(samples, rate)))
    if len(sounding) == 0:
        raise ClipError(f"{name} is too quiet to hear a voice in it.", "Record it again, nearer to the microphone.")
    window = max(1, round(rate * WINDOW_S))
    kept = round(KEPT_SILENCE_S * rate)
    start = max(0, int(sounding[0]) * window - kept)
    end = min(len(samples), (int(sounding[-1]) + 1) * window + kept)
    cut_s = (start + len(samples) - end) / rate
    if cut_s < WINDOW_S:
        return samples
    repairs.append(SpeechWarning("clip_silence", f"{cut_s:.1f} s of silence at the ends of {name} were left out."))
    return samples[start:end]


def _note_faults(measures: ClipMeasures, name: str, repairs: list[SpeechWarning]) -> None:
    if measures.clipped_share >= CLIPPED_SHARE:
        repairs.append(
            SpeechWarning("clip_clipped", f"{name} is clipped; the voice may sound harsh. Record it at a lower level.")
        )
    if measures.rms_dbfs < QUIET_DBFS:
        repairs.append(
            SpeechWarning(
                "clip_quiet",
                f"{name} is very quiet ({measures.rms_dbfs:.0f} dBFS) and is raised by 3 dB only; "
                "the voice may sound weak. Record it again at a higher level.",
            )
        )
    if measures.snr_db < NOISY_SNR_DB and measures.silence_share < 1:
        repairs.append(
            SpeechWarning("clip_noisy", f"{name} seems noisy; the noise may stay in the voice. Use a cleaner one.")
        )


def _resampled(samples: np.ndarray, rate: int, to: int) -> np.ndarray:
    if rate == to:
        return samples
    import soxr

    return np.asarray(soxr.resample(np.ascontiguousarray(samples), rate, to, quality="HQ"), np.float32).reshape(
        -1, samples.shape[1]
    )


def _channels(samples: np.ndarray, wanted: int, name: str, repairs: list[SpeechWarning]) -> np.ndarray:
    """`[n, any]` -> `[wanted, n]`."""
    have = samples.shape[1]
    if have > max(2, wanted):
        first = samples[:, :2]
        if np.abs(first).max() >= SILENT_PEAK:
            samples = first
            repairs.append(SpeechWarning("clip_channels", f"{name} has {have} channels; the first two were used."))
        else:  # a surround mix with its speech in the centre
            samples = samples.mean(axis=1, keepdims=True)
            repairs.append(SpeechWarning("clip_channels", f"{name} has {have} channels; they were mixed into one."))
    if samples.shape[1] > wanted:
        samples = samples.mean(axis=1, keepdims=True)
    if samples.shape[1] < wanted:
        samples = np.repeat(samples[:, :1], wanted, axis=1)
    return np.ascontiguousarray(samples.T, np.float32)


def _level(samples: np.ndarray) -> np.ndarray:
    """dbfs = 10 log10(mean(x^2) + 1e-9); x * 10^(clamp(-20 - dbfs, -3, 3) / 20), without a limiter."""
    dbfs = 10 * math.log10(float(np.square(samples, dtype=np.float64).mean()) + 1e-9)
    gain_db = min(LARGEST_GAIN_DB, max(-LARGEST_GAIN_DB, TARGET_DBFS - dbfs))
    return samples * np.float32(10 ** (gain_db / 20))


def _content(samples: np.ndarray, rate: int) -> str:
    content = hashlib.sha256(f"{rate} {samples.shape}".encode())
    content.update(np.ascontiguousarray(samples, "<f4"))
    return content.hexdigest()


_file_hashes: OrderedDict[tuple[str, int, int, int], str] = OrderedDict()
_file_hashes_lock = threading.Lock()


def file_sha256(path: str | Path) -> str:
    """SHA-256 of a file's bytes, remembered as long as its path, size and times stay the same. Raises ClipError."""
    path = Path(path)
    try:
        stat = path.stat()
        key = (str(path.absolute()), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
        with _file_hashes_lock:
            if key in _file_hashes:
                _file_hashes.move_to_end(key)
                return _file_hashes[key]
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ClipError(f"The clip {path} cannot be read ({reason}).", "Check that the file is there.") from error
    with _file_hashes_lock:
        _file_hashes[key] = digest
        if len(_file_hashes) > HASHES_KEPT:
            _file_hashes.popitem(last=False)
    return digest
