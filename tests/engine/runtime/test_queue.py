"""A wait for the card sleeps through its first part, and is late at most once where sleep is."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from engine.runtime import queue
from engine.runtime.queue import Queue


class Card:
    """Time that passes only in sleep and in waits. `oversleeps_s`: how much longer than asked each sleep takes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, oversleeps_s: float = 0.0) -> None:
        self.now_s, self._done_s, self._oversleeps_s = 0.0, 0.0, oversleeps_s
        self.slept_s: list[float] = []
        monkeypatch.setattr(queue, "time", SimpleNamespace(perf_counter=lambda: self.now_s, sleep=self._sleep))
        self.queue = Queue(torch.device("cpu"))
        self.queue.stream = object()  # type: ignore[assignment]
        self.queue._done = SimpleNamespace(  # type: ignore[assignment]
            record=lambda stream: None, query=lambda: self.now_s >= self._done_s, synchronize=self._synchronize
        )

    def _sleep(self, seconds: float) -> None:
        self.slept_s.append(seconds)
        self.now_s += seconds + self._oversleeps_s

    def _synchronize(self) -> None:
        self.now_s = max(self.now_s, self._done_s)

    def wait_for(self, work_s: float) -> float:
        """Seconds that a wait for so much work took."""
        begun_s = self.now_s
        self._done_s = begun_s + work_s
        self.queue.wait()
        return self.now_s - begun_s


def test_a_wait_sleeps_through_a_part_of_what_the_last_one_took(monkeypatch: pytest.MonkeyPatch) -> None:
    card = Card(monkeypatch)
    assert [card.wait_for(0.003) for _ in range(3)] == pytest.approx([0.003] * 3)
    assert card.slept_s == pytest.approx([0.0012] * 2)


def test_short_waits_do_not_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    card = Card(monkeypatch)
    assert [card.wait_for(0.001) for _ in range(3)] == pytest.approx([0.001] * 3)
    assert card.slept_s == []


def test_a_long_wait_makes_the_next_one_sleep_no_longer_than_a_short_step_takes(monkeypatch) -> None:
    card = Card(monkeypatch)
    card.wait_for(0.4)
    assert card.wait_for(0.0025) == pytest.approx(0.0025)


def test_a_timer_that_oversleeps_makes_every_second_wait_late_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    card = Card(monkeypatch, oversleeps_s=0.015)
    took_s = [card.wait_for(0.003) for _ in range(6)]
    assert took_s[0::2] == pytest.approx([0.003] * 3)
    assert len(card.slept_s) == 3
