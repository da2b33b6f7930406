"""How much speech must be ready before playing starts, so that it does not stop again."""

from __future__ import annotations

LEAST_S = 0.16
MOST_S = 12.0


class Cushion:
    """Grows with every time the listener had to wait, and with how far speech is made slower than it is heard."""

    def __init__(self) -> None:
        self._floor_s = LEAST_S

    def needed_s(self, rtf: float, remaining_s: float) -> float:
        """Seconds of audio to wait for.

        Args:
            rtf: time spent / audio made, now; 0 when unknown.
            remaining_s: what is still to be made of what shall be heard without a stop.
        """
        # R seconds still to be made take R*rtf; meanwhile A + R are heard. No stop: A >= R * (rtf - 1).
        behind_s = remaining_s * max(0.0, rtf - 1.0)
        return min(MOST_S, max(self._floor_s, behind_s))

    def had_to_wait(self) -> None:
        self._floor_s = min(MOST_S / 4, self._floor_s * 2)

    def went_well(self) -> None:
        """A programme was heard without a wait: the next may start a little sooner."""
        self._floor_s = max(LEAST_S, self._floor_s * 0.75)
