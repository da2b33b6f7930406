"""The mixer: pieces of speech and pauses become one programme, sample by sample, for the player and for the export
alike."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from app.services.room_tone import room_tone

RATE = 48_000
CHANNELS = 2


@dataclass(frozen=True)
class TrimRule:
    """What counts as silence at the ends of a piece, and what is kept of it.

    A piece is judged in windows of its own sample positions, so that the way it is cut into chunks changes nothing. A
    window is
    speech when its RMS over both channels reaches the threshold.

    Attributes:
        threshold_db: dBFS, measured before any gain.
        window_samples: 5 ms; the resolution of the borders of speech.
        head_ms, tail_ms: what is kept before and after speech, so that faint consonants survive. They lie inside the
            pause
            and never lengthen it.
        hold_ms: how much of a possible tail is held back while the piece may go on.
    """

    threshold_db: float = -45.0
    window_samples: int = 240
    head_ms: float = 40.0
    tail_ms: float = 60.0
    hold_ms: float = 500.0


@dataclass(frozen=True)
class MixSettings:
    """How pieces are put together.

    Attributes:
        trim: see `TrimRule`.
        join_ms: length of the equal-power fades inside the kept edges.
        declick_ms: shortest fade, used where a piece has no silent edge at all.
        room_tone_db: RMS in dBFS of the noise in pauses; None is digital silence.
        room_tone_tilt_db: its fall in dB an octave above 200 Hz.
    """

    trim: TrimRule = field(default_factory=TrimRule)
    join_ms: float = 15.0
    declick_ms: float = 3.0
    room_tone_db: float | None = None
    room_tone_tilt_db: float = -4.0


@dataclass(frozen=True)
class Span:
    """Where the speech of a piece lies in the programme: `start_sample` is its first sample, `end_sample` one past its
    last."""

    block_id: str
    piece_index: int
    start_sample: int
    end_sample: int


@lru_cache(maxsize=64)
def _ramp(n_samples: int) -> np.ndarray:
    """Rising half of an equal-power fade, float32 `[n, 1]`; its mirror image has the complementary power."""
    # A table, so that a sample's weight can never depend on how the vector around it was cut.
    ramp = np.sin((np.arange(n_samples) + 0.5) * (math.pi / 2.0 / max(1, n_samples))).astype(np.float32)[:, None]
    ramp.setflags(write=False)
    return ramp


_EMPTY = np.zeros((0, CHANNELS), np.float32)
_EMPTY.setflags(write=False)


def _samples(ms: float) -> int:
    return round(ms * RATE / 1000.0)


def gain_factor(gain_db: float) -> np.float32:
    return np.float32(10.0 ** (gain_db / 20.0))


def loud_windows(samples: np.ndarray, rule: TrimRule) -> np.ndarray:
    """Indices of the windows of `samples` (float32 `[n, 2]`) that are speech; the last window may be short."""
    if not len(samples):
        return np.zeros(0, np.int64)
    # Compared as integers of 16 bits, whose sum of squares is exact in any order.
    loud = math.ceil((10.0 ** (rule.threshold_db / 20.0) * 32_768.0) ** 2 * rule.window_samples * CHANNELS)
    levels = np.rint(samples * np.float32(32_768.0)).astype(np.int64)
    levels *= levels
    power = levels[:, 0] + levels[:, 1]
    return np.flatnonzero(np.add.reduceat(power, np.arange(0, len(power), rule.window_samples)) >= loud)


def speech_bounds(samples: np.ndarray, rule: TrimRule) -> tuple[int, int] | None:
    """Where the speech of a whole piece starts and ends, as the mixer sees it; None where there is none."""
    loud = loud_windows(samples, rule)
    if not len(loud):
        return None
    return int(loud[0]) * rule.window_samples, min(len(samples), (int(loud[-1]) + 1) * rule.window_samples)


class Mixer:
    """Turns `begin_piece / feed … / end_piece / pause / flush` into final samples, each returned once and in order.

    The gap between the last speech of a piece and the first speech of the next is the sum of the pauses between them,
    to the
    window of the trimming rule (5 ms at each side). Kept edges lie inside the gap; where it is shorter than they are,
    they
    are shortened and crossfaded. Silence that an open piece had to release (it was longer than `hold_ms`) counts
    towards the
    pause after it. A piece without any speech leaves no trace, and the pauses around it add up.

    Memory: at most `hold_ms` of audio, the edges, and what one call returns. All samples are float32 `[n, 2]` at 48
    kHz.

    Attributes:
        position: samples returned so far.
    """

    def __init__(self, settings: MixSettings | None = None) -> None:
        self.settings = settings or MixSettings()
        trim = self.settings.trim
        self._window = trim.window_samples
        self._head = _samples(trim.head_ms)
        self._tail = _samples(trim.tail_ms)
        self._hold = max(_samples(trim.hold_ms), self._tail)
        self._join = _samples(self.settings.join_ms)
        self._declick = min(_samples(self.settings.declick_ms), self._window)
        self.position = 0
        self._out: list[np.ndarray] = []
        self._spans: list[Span] = []
        self._spans_seen: tuple[Span, ...] = ()
        self._open = False
        # Between pieces. The gap starts where the last speech (or released silence) ended.
        self._gap_from = 0
        self._gap = 0
        self._credit = 0  # released silence that the next pause need not make again
        self._left = _EMPTY  # end of the last piece: a few samples of speech, then its tail
        self._left_speech = 0

    @property
    def spans(self) -> tuple[Span, ...]:
        """The speech of every piece that has ended, in order."""
        if len(self._spans_seen) != len(self._spans):
            self._spans_seen = tuple(self._spans)
        return self._spans_seen

    @property
    def open_span(self) -> Span | None:
        """The speech so far of the open piece; None before its first speech."""
        if not self._open or self._speech_start < 0:
            return None
        return Span(*self._id, self._origin + self._speech_start, self._origin + self._speech_end)

    def begin_piece(self, block_id: str, piece_index: int, gain_db: float = 0.0) -> None:
        """A new piece starts; what follows in `feed` belongs to it. Raises RuntimeError while another is open."""
        if self._open:
            raise RuntimeError("end_piece() must come before the next begin_piece()")
        self._open = True
        self._id = (block_id, piece_index)
        self._gain = gain_factor(gain_db)
        self._waiting: list[np.ndarray] = []  # not yet judged: less than a window
        self._waiting_n = 0
        self._judged = 0  # piece position up to which windows were judged
        self._edge = _EMPTY  # judged silence before the first speech: the possible head
        self._speech_start = -1  # piece positions
        self._speech_end = -1
        self._origin = 0  # programme position minus piece position
        self._held = _EMPTY  # judged, with gain, not yet returned
        self._held_from = 0  # piece position of its first sample

    def feed(self, samples: np.ndarray) -> np.ndarray:
        """Audio of the open piece, float32 `[n, 2]`, any n. Returns what became final."""
        if not self._open:
            raise RuntimeError("begin_piece() must come before feed()")
        if samples.ndim != 2 or samples.shape[1] != CHANNELS:
            raise ValueError(f"expected samples [n, {CHANNELS}], got {list(samples.shape)}")
        if len(samples):
            self._waiting.append(np.array(samples, np.float32))
            self._waiting_n += len(samples)
        if self._waiting_n >= self._window:
            self._judge(self._waiting_n // self._window * self._window)
        return self._take_out()

    def end_piece(self) -> np.ndarray:
        """The open piece is complete. Its tail stays held until the gap after it is known. Returns what became
        final."""
        if not self._open:
            raise RuntimeError("no piece is open")
        self._judge(self._waiting_n)
        self._open = False
        if self._speech_start < 0:
            at = self._gap_from + self._gap
            self._spans.append(Span(*self._id, at, at))
            return self._take_out()
        self._spans.append(Span(*self._id, self._origin + self._speech_start, self._origin + self._speech_end))
        certain = self._certain()
        self._left_speech = certain - self._held_from
        self._left = self._held[: self._left_speech + self._tail]
        self._gap_from = self._origin + certain
        self._gap = 0
        self._credit = certain - self._speech_end
        return self._take_out()

    def pause(self, seconds: float) -> np.ndarray:
        """The gap here grows by `seconds` (≥ 0). Returns what became final."""
        if not (math.isfinite(seconds) and seconds >= 0.0):
            raise ValueError(f"a pause must be 0 s or longer, got {seconds}")
        if self._open:
            raise RuntimeError("a pause cannot be put inside a piece")
        n_samples = round(seconds * RATE)
        used = min(self._credit, n_samples)
        self._credit -= used
        self._gap += n_samples - used
        if self._gap >= self._tail + self._head:
            self._fill_gap(self._gap - self._head)
        return self._take_out()

    def flush(self) -> np.ndarray:
        """The programme is complete: returns the rest. An open piece is ended first; without a pause after it, it
        keeps its tail."""
        before = self.end_piece() if self._open else _EMPTY
        self._gap = max(self._gap, len(self._left) - self._left_speech)
        self._fill_gap(self._gap)
        self._gap_from, self._gap, self._credit = self.position, 0, 0
        return np.concatenate((before, self._take_out()))

    # -- inside a piece

    def _judge(self, n_samples: int) -> None:
        """Judges the first `n_samples` that wait: finds speech, and releases what can no longer be a tail."""
        waiting = np.concatenate(self._waiting) if self._waiting else _EMPTY
        fresh, rest = waiting[:n_samples], waiting[n_samples:]
        self._waiting, self._waiting_n = [rest], len(rest)
        loud = loud_windows(fresh, self.settings.trim) * self._window
        start = self._judged
        self._judged += n_samples
        if self._speech_start < 0:
            first = int(loud[0]) if len(loud) else n_samples
            edge = np.concatenate((self._edge, fresh[max(0, first - self._head) : first]))
            self._edge = edge[max(0, len(edge) - self._head) :]
            if not len(loud):
                return
            self._start_speech(start + first)
            fresh = fresh[first:]
        if len(loud):
            self._speech_end = min(self._judged, start + int(loud[-1]) + self._window)
        self._hold_back(fresh)
        self._release(self._certain() - self._declick)

    def _start_speech(self, at: int) -> None:
        """The first speech of the piece is at piece position `at`: the gap before it is known now."""
        self._credit = 0
        if self.position == 0 and self._gap == 0 and not len(self._left):
            self._gap = len(self._edge)  # nothing is before it, so its edge needs no pause to lie in
        edge = self._edge[max(0, len(self._edge) - self._gap) :] * self._gain
        self._fade_n = max(self._declick, min(self._join, len(edge)))
        ramp = _ramp(self._fade_n)[: len(edge)]
        edge[: len(ramp)] *= ramp
        self._faded = len(ramp)  # the fade goes on inside speech where there is no edge for it
        self._fill_gap(self._gap, edge)
        self._speech_start = self._held_from = at
        self._origin = self._gap_from + self._gap - at
        self._left, self._edge = _EMPTY, _EMPTY

    def _hold_back(self, fresh: np.ndarray) -> None:
        held = fresh * self._gain
        ramp = _ramp(self._fade_n)[self._faded : self._faded + len(held)]
        held[: len(ramp)] *= ramp
        self._faded += len(ramp)
        self._held = np.concatenate((self._held, held)) if len(self._held) else held

    def _certain(self) -> int:
        """Piece position up to which the piece is part of the programme, whatever comes."""
        return max(self._speech_end, self._judged - self._hold)

    def _release(self, until: int) -> None:
        n_samples = until - self._held_from
        if n_samples > 0:
            self._put_out(self._held[:n_samples])
            self._held = self._held[n_samples:]
            self._held_from = until

    # -- between pieces

    def _fill_gap(self, until: int, edge: np.ndarray = _EMPTY) -> None:
        """Makes the programme up to `until` samples after the start of the gap: tail, silence or room tone, and `edge`
        at its end."""
        n_samples = self._gap_from + until - self.position
        if n_samples <= 0:
            return
        mixed = np.zeros((n_samples, CHANNELS), np.float32)
        covered = np.zeros((n_samples, 1), np.float32)  # power weight of the pieces; the room tone has the rest
        if len(self._left):
            tail = self._left[: self._left_speech + self._gap].copy()
            fade_n = min(len(tail), max(self._declick, min(self._join, len(tail) - self._left_speech)))
            fall = _ramp(fade_n)[::-1]
            tail[len(tail) - fade_n :] *= fall
            mixed[: len(tail)] = tail
            covered[: len(tail) - fade_n] = 1.0
            covered[len(tail) - fade_n : len(tail)] = fall * fall
            self._left = _EMPTY
        if len(edge):
            mixed[n_samples - len(edge) :] += edge
            rise = np.ones((len(edge), 1), np.float32)
            ramp = _ramp(self._fade_n)[: len(edge)]
            rise[: len(ramp)] = ramp
            covered[n_samples - len(edge) :] += rise * rise
        if self.settings.room_tone_db is not None:
            tone = room_tone(
                self.position, n_samples, self.settings.room_tone_db, tilt_db=self.settings.room_tone_tilt_db
            )
            mixed += tone * np.sqrt(np.maximum(np.float32(0.0), np.float32(1.0) - covered))
        self._put_out(mixed)

    # -- out

    def _put_out(self, samples: np.ndarray) -> None:
        self._out.append(samples)
        self.position += len(samples)

    def _take_out(self) -> np.ndarray:
        out, self._out = self._out, []
        if len(out) == 1:
            return out[0]
        return np.concatenate(out) if out else _EMPTY
