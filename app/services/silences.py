"""Silences inside a programme, found as it is mixed: where sentences end, words can be timed."""

from __future__ import annotations

import numpy as np

_WINDOW = 480  # 10 ms
_QUIET = 10.0 ** (-42.0 / 10.0)  # power of a window that counts as silent, of full scale
_SHORTEST = 12  # windows: shorter gaps are parts of words


class SilenceFinder:
    """Collects silences of 0.12 s and more.

    Attributes:
        found: (first sample, one past the last) of every silence that has ended, in order.
    """

    def __init__(self) -> None:
        self.found: list[tuple[int, int]] = []
        self._rest = np.zeros(0, np.float32)
        self._window = 0  # number of the next window
        self._quiet_from = 0  # window at which the present silence began; -1 while there is sound

    def feed(self, samples: np.ndarray) -> None:
        """float32 `[n, 2]`; any split finds the same."""
        mono = np.concatenate((self._rest, np.abs(samples[:, 0]) + np.abs(samples[:, 1]))) * np.float32(0.5)
        self._rest = np.zeros(0, np.float32)
        whole = len(mono) // _WINDOW
        self._rest = mono[whole * _WINDOW :] * np.float32(2.0)
        if not whole:
            return
        quiet = np.square(mono[: whole * _WINDOW]).reshape(whole, _WINDOW).mean(axis=1) < _QUIET
        # Where sound and silence change, the state before the first window included.
        before = np.concatenate(([self._quiet_from >= 0], quiet[:-1]))
        for index in np.flatnonzero(quiet != before):
            at = self._window + int(index)
            if quiet[index]:
                self._quiet_from = at
            else:
                if at - self._quiet_from >= _SHORTEST:
                    self.found.append((self._quiet_from * _WINDOW, at * _WINDOW))
                self._quiet_from = -1
        self._window += whole
