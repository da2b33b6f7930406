"""Steps become graphs one after the other; where one cannot, all of its kind stay single launches."""

from __future__ import annotations

import pytest
import torch

from engine.runtime import capture
from engine.runtime.capture import Graphs


class MadeUpGraph:
    """What a card would give."""

    def __init__(self, pool: object) -> None:
        self._pool = pool or (0, 1)

    def pool(self) -> object:
        return self._pool


@pytest.fixture
def pools(monkeypatch) -> list[object]:
    """The pools that captures were asked to use; a step that raises fails as on a card."""
    asked: list[object] = []

    def captured(step, pool, stream):
        step()
        asked.append(pool)
        return MadeUpGraph(pool)

    monkeypatch.setattr(capture, "captured", captured)
    return asked


def broken() -> None:
    raise torch.OutOfMemoryError("the card is full")


def test_graphs_of_a_kind_share_the_pool_of_the_first(pools) -> None:
    graphs: Graphs[int] = Graphs("never ({})")
    beside: Graphs[int] = Graphs("never ({})", beside=graphs)
    for size in (4, 2):
        graphs.capture(size, lambda: None)
    beside.capture(7, lambda: None)
    assert pools == [None, (0, 1), (0, 1)] and set(graphs) == {4, 2} and set(beside) == {7}
    assert graphs.fallback == beside.fallback == ""


def test_one_that_fails_leaves_none_of_its_kind_and_a_reason(pools) -> None:
    graphs: Graphs[int] = Graphs("no graphs ({}); slower")
    beside: Graphs[int] = Graphs("nor here ({})", beside=graphs)
    graphs.capture(4, lambda: None)
    graphs.capture(2, broken)
    graphs.capture(1, lambda: None)
    beside.capture(7, lambda: None)
    assert not graphs and graphs.fallback == "no graphs (the card is full); slower"
    assert set(beside) == {7} and beside.fallback == ""


def test_a_mistake_of_ours_is_no_reason_to_be_slow(pools) -> None:
    def mistaken() -> None:
        raise TypeError("wrong")

    with pytest.raises(TypeError):
        Graphs("never ({})").capture(1, mistaken)
