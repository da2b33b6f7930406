"""Faster and slower with the pitch kept, in a stream (FFmpeg's atempo)."""

from __future__ import annotations

from fractions import Fraction

import av
import numpy as np

from engine import CHANNELS, SAMPLE_RATE


class Stretch:
    """A running tempo change of stereo sound at 48 kHz. `speed` 0.5..2; at 1 samples pass untouched."""

    def __init__(self, speed: float) -> None:
        self.speed = speed
        self._at = 0
        self._graph: av.filter.Graph | None = None
        if speed != 1.0:
            graph = av.filter.Graph()
            source = graph.add_abuffer(
                sample_rate=SAMPLE_RATE, format="flt", layout="stereo", time_base=Fraction(1, SAMPLE_RATE)
            )
            tempo = graph.add("atempo", f"{speed:.4f}")
            sink = graph.add("abuffersink")
            source.link_to(tempo)
            tempo.link_to(sink)
            graph.configure()
            self._graph, self._source, self._sink = graph, source, sink

    def feed(self, samples: np.ndarray) -> np.ndarray:
        """Float32 `[n, 2]` in, what is ready of the result out `[m, 2]`."""
        if self._graph is None or not len(samples):
            return samples
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples, np.float32).reshape(1, -1), "flt", "stereo")
        frame.sample_rate = SAMPLE_RATE
        frame.pts = self._at
        frame.time_base = Fraction(1, SAMPLE_RATE)
        self._at += len(samples)
        self._source.push(frame)
        return self._pull()

    def flush(self) -> np.ndarray:
        """The rest, after the last feed."""
        if self._graph is None or not self._at:
            return np.zeros((0, CHANNELS), np.float32)
        self._source.push(None)
        return self._pull()

    def _pull(self) -> np.ndarray:
        made = []
        while True:
            try:
                made.append(self._sink.pull().to_ndarray().reshape(-1, CHANNELS))
            except (av.error.BlockingIOError, av.error.EOFError):
                break
        return np.concatenate(made) if made else np.zeros((0, CHANNELS), np.float32)


class Tempo:
    """A stretch that knows which sample of the source its output stands for.

    Attributes:
        speed: see Stretch. sample: the source sample that the next output starts at. running: something was fed.
    """

    def __init__(self, speed: float) -> None:
        self.speed = speed
        self.running = False
        self._stretch = Stretch(speed)
        self._from = self._made = 0

    @property
    def sample(self) -> int:
        return int(self._from + self._made * self.speed)

    def feed(self, block: np.ndarray | None, at: int) -> tuple[float, np.ndarray]:
        """Samples read at `at` (None: the end) in; source sample and sound out, which may be empty."""
        if not self.running:
            self._from, self.running = at, True
        sample = self._from + self._made * self.speed
        sound = self._stretch.flush() if block is None else self._stretch.feed(block)
        self._made += len(sound)
        return sample, sound
