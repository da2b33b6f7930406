"""How long the window's thread is away from its events: a heartbeat, with what held it up."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, QTimer

_EVERY_S = 0.005
_UNIT_S = 0.0055  # what `_unit` takes on the slower of the machines that the studio is meant for


@dataclass(frozen=True)
class Beat:
    """The time between two beats.

    Attributes:
        deed: what was done meanwhile. wait_s: by how much the later one came too late.
        cpu_s: what the window's thread computed itself.
    """

    deed: str
    wait_s: float
    cpu_s: float


class WindowWatch:
    """Begins with its making on the window's thread; `stop` ends it."""

    def __init__(self) -> None:
        self.beats: list[Beat] = []
        self._deed = ""
        self._began = self._now()
        self._last = self._began
        self._loads = (_busy_s(), time.process_time())
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start(round(_EVERY_S * 1000))

    def _now(self) -> tuple[float, float]:
        return time.perf_counter(), time.thread_time()

    def _beat(self) -> None:
        now = self._now()
        wall_s, cpu_s = (new - old for new, old in zip(now, self._last, strict=True))
        self.beats.append(Beat(self._deed, wall_s - _EVERY_S, cpu_s))
        self._last = now

    @contextmanager
    def during(self, deed: str) -> Iterator[None]:
        before, self._deed = self._deed, deed
        yield
        self._deed = before

    def stop(self) -> None:
        self._timer.stop()

    def others_share(self) -> float:
        """Cores that other programs kept busy since the beginning; 0 where that cannot be known."""
        busy_s, own_s = _busy_s() - self._loads[0], time.process_time() - self._loads[1]
        return max(0.0, busy_s - own_s) / max(1e-3, time.perf_counter() - self._began[0])

    def worst(self, figure: str) -> Beat:
        return max(self.beats, key=lambda beat: getattr(beat, figure))

    def told(self) -> str:
        """Figures of every deed, in ms."""
        lines = []
        for deed in dict.fromkeys(beat.deed for beat in self.beats):
            mine = [beat for beat in self.beats if beat.deed == deed]
            figures = ("wait_s", "cpu_s")
            worst = (f"{name[:-2]} {1e3 * max(getattr(beat, name) for beat in mine):.1f}" for name in figures)
            lines.append(f"{deed or 'rest'}: {', '.join(worst)} of {len(mine)} beats")
        return "\n".join(lines)


def slowness() -> float:
    """How much slower than meant this machine computes, 1 for one that is not: limits of computing grow with it."""
    return max(1.0, min(_unit() for _ in range(9)) / _UNIT_S)


def _unit() -> float:
    began_s, kept = time.thread_time(), {}
    for number in range(60_000):
        kept[number % 1000] = str(number)
    return time.thread_time() - began_s


def _busy_s() -> float:
    """Seconds that all cores together computed since the machine was started."""
    try:
        ticks = [int(each) for each in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    except OSError:
        return 0.0
    idle = ticks[3] + ticks[4]
    return (sum(ticks) - idle) / 100.0
