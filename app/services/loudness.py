"""How loud a programme is, and what has to be done so that it is as loud as it should be."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import av
import numpy as np

from app.model.errors import ProjectError
from app.services.limiter import TruePeakMeter

SILENCE_DB = -120.0
_CORRECTIONS = 3  # a limiter takes loudness away; each pass gives it back
_CLOSE_DB = 0.05
_MOST_CORRECTION_DB = 6.0
LUFS_TARGETS = (-14.0, -16.0, -18.0, -19.0, -23.0)


@dataclass(frozen=True)
class LoudnessTarget:
    """How loud a file shall be.

    Attributes:
        name: for people.
        lufs: integrated loudness (EBU R 128), or None.
        rms_db: RMS of the whole file in dBFS, or None; used by ACX.
        true_peak_db: ceiling, dBTP.
        head_s, tail_s: quiet before the first and after the last speech.
        room_tone_db: most the quiet may have in the file, or None for whatever the project has.
    """

    name: str
    lufs: float | None = None
    rms_db: float | None = None
    true_peak_db: float = -1.0
    head_s: float = 0.0
    tail_s: float = 0.0
    room_tone_db: float | None = None


# ACX: RMS −23…−18 dB, peak ≤ −3 dB, noise floor ≤ −60 dB, 0.5–1 s of room tone at the head and 1–5 s at the tail.
# The middle of the window leaves room for chapters that differ.
ACX = LoudnessTarget("ACX", rms_db=-20.0, true_peak_db=-3.0, head_s=0.75, tail_s=2.0, room_tone_db=-68.0)


def target_for(name: str | None) -> LoudnessTarget | None:
    """`"-16"`, `"-16 LUFS"`, `"acx"`; None and `"off"` are no target. Raises ProjectError for anything else."""
    if name is None or name.strip().lower() in ("", "off", "none"):
        return None
    if name.strip().lower() == "acx":
        return ACX
    try:
        lufs = float(name.lower().removesuffix("lufs").strip().replace("−", "-"))
    except ValueError:
        lufs = math.nan
    if lufs not in LUFS_TARGETS:
        known = ", ".join(f"{each:g}" for each in LUFS_TARGETS)
        raise ProjectError(
            f"“{name}” is no loudness that can be asked for.", f"Use one of {known} (LUFS), acx, or off."
        )
    return LoudnessTarget(f"{lufs:g} LUFS", lufs=lufs)


@dataclass(frozen=True)
class Loudness:
    """What was measured over a whole programme.

    Attributes:
        lufs: integrated, gated (ITU-R BS.1770-5); `SILENCE_DB` when nothing was loud enough to count.
        true_peak_db, peak_db: highest, dBTP and dBFS.
        rms_db: over everything, dBFS.
        noise_floor_db: RMS of the quietest half second, dBFS.
        seconds: length.
    """

    lufs: float
    true_peak_db: float
    peak_db: float
    rms_db: float
    noise_floor_db: float
    seconds: float

    def acx_faults(self) -> list[str]:
        """What would make ACX refuse the file, for people; empty when nothing would."""
        faults = []
        if not -23.0 <= self.rms_db <= -18.0:
            faults.append(f"RMS is {self.rms_db:.1f} dB, must be between −23 and −18 dB")
        if self.peak_db > -3.0:
            faults.append(f"peak is {self.peak_db:.1f} dB, must be at most −3 dB")
        if self.noise_floor_db > -60.0:
            faults.append(f"noise floor is {self.noise_floor_db:.1f} dB, must be at most −60 dB")
        return faults


class LoudnessMeter:
    """Measures a stream with flat memory. Mono is measured as one channel, as players and FFmpeg do.

    Args:
        true_peak: False leaves out what takes longest; `true_peak_db` is the sample peak then.
    """

    def __init__(self, rate: int, channels: int, *, true_peak: bool = True) -> None:
        self._rate, self._channels = rate, channels
        self._layout = "stereo" if channels == 2 else "mono"
        graph = av.filter.Graph()
        self._source = graph.add_abuffer(
            sample_rate=rate, format="flt", layout=self._layout, time_base=Fraction(1, rate)
        )
        measure = graph.add("ebur128", "metadata=1")
        self._sink = graph.add("abuffersink")
        self._source.link_to(measure)
        measure.link_to(self._sink)
        graph.configure()
        self._graph = graph
        self._n = 0
        self._lufs = SILENCE_DB
        self._power = 0.0
        self._peak = 0.0
        self._true_peak = TruePeakMeter(channels) if true_peak else None
        self._half = rate // 2
        self._quiet_n = 0
        self._quiet_power = 0.0
        self._quietest = math.inf

    def feed(self, samples: np.ndarray) -> None:
        """float32 `[n, channels]`."""
        for at in range(0, len(samples), self._half):
            self._feed(samples[at : at + self._half])

    def _feed(self, samples: np.ndarray) -> None:
        frame = av.AudioFrame.from_ndarray(
            np.ascontiguousarray(samples, np.float32).reshape(1, -1), "flt", self._layout
        )
        frame.sample_rate, frame.pts, frame.time_base = self._rate, self._n, Fraction(1, self._rate)
        self._source.push(frame)
        self._pull()
        self._n += len(samples)
        self._peak = max(self._peak, float(np.abs(samples).max()))
        if self._true_peak is not None:
            self._true_peak.feed(samples)
        power = np.square(samples[:, 0], dtype=np.float64)
        for channel in range(1, self._channels):
            power += np.square(samples[:, channel], dtype=np.float64)
        self._power += float(power.sum())
        cut = self._half - self._quiet_n
        self._quiet_power += float(power[:cut].sum())
        self._quiet_n += min(cut, len(power))
        if self._quiet_n == self._half:
            self._quietest = min(self._quietest, self._quiet_power)
            self._quiet_power, self._quiet_n = float(power[cut:].sum()), len(power[cut:])

    def _pull(self) -> None:
        while True:
            try:
                told = self._sink.pull().metadata
            except (av.error.BlockingIOError, av.error.EOFError):
                return
            if "lavfi.r128.I" in told:
                self._lufs = float(told["lavfi.r128.I"])

    def result(self) -> Loudness:
        """Of all that was fed; the stream ends here."""
        self._source.push(None)
        self._pull()
        true_peak = self._peak
        if self._true_peak is not None:
            self._true_peak.flush()
            true_peak = self._true_peak.peak
        total = max(1, self._n * self._channels)
        rms_db = _db(math.sqrt(self._power / total))
        quietest = self._quietest if math.isfinite(self._quietest) else self._power / max(1, self._n) * self._half
        return Loudness(
            lufs=self._lufs if self._lufs > -70.0 else SILENCE_DB,
            true_peak_db=_db(true_peak),
            peak_db=_db(self._peak),
            rms_db=rms_db,
            noise_floor_db=_db(math.sqrt(max(0.0, quietest) / (self._half * self._channels))),
            seconds=self._n / self._rate,
        )


def _db(amplitude: float) -> float:
    return max(SILENCE_DB, 20.0 * math.log10(amplitude)) if amplitude > 0.0 else SILENCE_DB


def gain_for(measured: Loudness, target: LoudnessTarget) -> float:
    """Gain in dB that brings what was measured to the target; 0 for silence."""
    now, wanted = (measured.lufs, target.lufs) if target.lufs is not None else (measured.rms_db, target.rms_db)
    if wanted is None or now <= SILENCE_DB:
        return 0.0
    return wanted - now


def gain_through_limiter(first_db: float, missing_db: Callable[[float], float]) -> float:
    """The gain after which a programme is as loud as asked although a limiter takes some of it.

    Args:
        first_db: what it would be without a limiter.
        missing_db: measures how much is missing behind the limiter with this gain.
    """
    gain_db = first_db
    for _ in range(_CORRECTIONS):
        more_db = missing_db(gain_db)
        if abs(more_db) <= _CLOSE_DB:
            break
        # A programme of nothing but peaks never gets there.
        gain_db = min(gain_db + more_db, first_db + _MOST_CORRECTION_DB)
    return gain_db
