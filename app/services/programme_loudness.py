"""The gain that brings a programme to a loudness, told from the levels of its lines."""

from __future__ import annotations

import hashlib
import logging
import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from app.services.limiter import MARGIN_DB, RELEASE_DB_PER_S
from app.services.line_levels import LOWEST_DB, WINDOW_S, line_levels
from app.services.loudness import LoudnessTarget, gain_through_limiter
from app.services.programme import TRIM, TakeReader
from engine.errors import RequestCancelled

if TYPE_CHECKING:
    from app.model.block import Block
    from app.services.excerpt import Excerpt

log = logging.getLogger(__name__)

_MAGIC = b"MVL1"
_GATE_WINDOWS, _HOP_WINDOWS = round(0.4 / WINDOW_S), round(0.1 / WINDOW_S)
_OFFSET_LUFS = -0.691
_ABSOLUTE_LUFS, _RELATIVE_LU = -70.0, -10.0


@dataclass(frozen=True)
class HeardLine:
    """A line of a programme.

    Attributes:
        take_id, heard_as: what decides its sound, see `BlockStates.heard_as`.
        gain_db: of the line and its voice.
        gap_s: from the last speech before it to its first.
        block, excerpt: to measure it by, where that has to be.
    """

    take_id: str
    heard_as: str
    gain_db: float
    gap_s: float
    block: Block
    excerpt: Excerpt | None = None

    @cached_property
    def key(self) -> str:
        return hashlib.sha256(f"{self.take_id}/{self.heard_as}".encode("utf-8", "surrogatepass")).hexdigest()[:40]


class ProgrammeLoudness:
    """Levels of lines by their sound, each measured once. Any thread."""

    def __init__(self, folder: Path | None = None) -> None:
        """
        Args:
            folder: where levels are kept for the next time; may be deleted at any time.
        """
        self._folder = folder
        self._known: dict[str, np.ndarray] = {}

    def knows(self, line: HeardLine) -> bool:
        return line.key in self._known

    def gain_db(
        self,
        lines: Sequence[HeardLine],
        target: LoudnessTarget,
        read: TakeReader,
        check: Callable[[], None],
        *,
        for_s: float = math.inf,
    ) -> tuple[float | None, bool]:
        """The gain that an export of these lines would take, and whether all of them were measured for that.

        Args:
            check: asked several times a second; may raise to end this.
            for_s: seconds to measure what is not known yet, but at least one line of it.

        Returns:
            No gain where nothing can be heard.
        """
        began_s = time.monotonic()
        known = {line.key: self._known[line.key] for line in lines if line.key in self._known}
        self._known = known
        complete, measured = True, 0
        for line in lines:
            if line.key in known:
                continue
            if measured and time.monotonic() - began_s > for_s:
                complete = False
                break
            check()
            levels = self._levels(line, read, check)
            if levels is not None:
                known[line.key] = levels
                measured += 1
        return gain_of([(known[line.key], line) for line in lines if line.key in known], target), complete

    def _levels(self, line: HeardLine, read: TakeReader, check: Callable[[], None]) -> np.ndarray | None:
        levels = self._kept(line.key)
        if levels is not None or line.excerpt is None:
            return levels
        try:
            levels = line_levels(line.excerpt, line.block, read, check)
        except RequestCancelled:
            raise
        except Exception as error:  # a damaged take is told where it is heard
            log.info("a line could not be measured: %s", error)
            return np.zeros((0, 3), np.float16)
        self._keep(line.key, levels)
        return levels

    def _path(self, key: str) -> Path | None:
        return None if self._folder is None else self._folder / key[:2] / key

    def _kept(self, key: str) -> np.ndarray | None:
        path = self._path(key)
        try:
            data = path.read_bytes() if path is not None else b""
        except OSError:
            return None
        if data[:4] != _MAGIC or (len(data) - 4) % 6:
            return None
        levels = np.frombuffer(data[4:], np.float16).reshape(-1, 3)
        return levels if np.isfinite(levels).all() else None

    def _keep(self, key: str, levels: np.ndarray) -> None:
        path = self._path(key)
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_name(path.name + ".part")
            part.write_bytes(_MAGIC + levels.tobytes())
            os.replace(part, path)
        except OSError as error:
            log.info("the levels of a line were not kept: %s", error)


def gain_of(parts: Sequence[tuple[np.ndarray, HeardLine]], target: LoudnessTarget) -> float | None:
    """The gain in dB that brings lines in order, with the pauses between them, to a target behind a true-peak limiter.

    Args:
        parts: levels (see `levels_of`) and what they are of.

    Returns:
        None where nothing is loud enough to count.
    """
    levels = _laid_out(parts)
    now_db = _loudness(levels, target, 0.0)
    if now_db is None:
        return None
    wanted_db = target.lufs if target.lufs is not None else target.rms_db
    assert wanted_db is not None
    first_db = wanted_db - now_db
    ceiling_db = target.true_peak_db - MARGIN_DB
    if float(levels[:, 2].max()) + first_db <= ceiling_db:
        return first_db

    def missing_db(gain_db: float) -> float:
        reduced_db = _reduced_db(levels[:, 2], gain_db, ceiling_db)
        limited = levels + np.stack((reduced_db, reduced_db, np.zeros_like(reduced_db)), axis=1)
        loud_db = _loudness(limited, target, gain_db)
        return 0.0 if loud_db is None else wanted_db - loud_db

    return gain_through_limiter(first_db, missing_db)


def _laid_out(parts: Sequence[tuple[np.ndarray, HeardLine]]) -> np.ndarray:
    """The lines one after the other, float32 `[windows, 3]`."""
    # The windows of the gate are counted from the first sample, which is that of the edge before the first speech.
    starts, at_s = [], TRIM.head_ms / 1000.0
    for number, (levels, line) in enumerate(parts):
        at_s += line.gap_s if number else 0.0
        starts.append(round(at_s / WINDOW_S))
        at_s += len(levels) * WINDOW_S
    length = max((start + len(part[0]) for start, part in zip(starts, parts, strict=True)), default=0)
    whole = np.full((length, 3), LOWEST_DB, np.float32)
    for start, (levels, line) in zip(starts, parts, strict=True):
        here = whole[start : start + len(levels)]
        np.maximum(here, levels + np.float32(line.gain_db), out=here)
    return whole


def _loudness(levels: np.ndarray, target: LoudnessTarget, gain_db: float) -> float | None:
    """LUFS or RMS, as the target asks, after a gain; None for silence."""
    if not len(levels):
        return None
    if target.lufs is None:
        power = float(np.power(10.0, levels[:, 1] / 10.0, dtype=np.float64).sum())
        windows = len(levels) + (target.head_s + target.tail_s) / WINDOW_S
        rms_db = 10.0 * np.log10(power / (2.0 * windows))
        return float(rms_db) + gain_db if rms_db > LOWEST_DB else None
    total = np.concatenate(([0.0], np.cumsum(np.power(10.0, levels[:, 0] / 10.0, dtype=np.float64))))
    gates = (total[_GATE_WINDOWS:] - total[:-_GATE_WINDOWS])[::_HOP_WINDOWS] / _GATE_WINDOWS * 10.0 ** (gain_db / 10.0)
    for floor_lufs, relative in ((_ABSOLUTE_LUFS, False), (_RELATIVE_LU, True)):
        if relative:
            floor_lufs += _lufs(gates)
        gates = gates[gates > 10.0 ** ((floor_lufs - _OFFSET_LUFS) / 10.0)]
        if not len(gates):
            return None
    return _lufs(gates)


def _lufs(powers: np.ndarray) -> float:
    return _OFFSET_LUFS + 10.0 * float(np.log10(powers.mean()))


def _reduced_db(peaks_db: np.ndarray, gain_db: float, ceiling_db: float) -> np.ndarray:
    """What the limiter does to each window, ≤ 0: down in the window of a peak, and up again at its steady rate."""
    needed = np.minimum(0.0, ceiling_db - gain_db - peaks_db.astype(np.float64))
    line = RELEASE_DB_PER_S * WINDOW_S * np.arange(len(needed))
    return np.minimum(np.minimum.accumulate(needed - line) + line, 0.0).astype(np.float32)
