"""Steps of kernels as graphs: the one way in which frames, prompts, the codec and clips are captured."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from typing import Protocol, TypeVar

import torch

Key = TypeVar("Key", bound=Hashable)
Pool = tuple[int, int]
Capture = Callable[[], None]


class Graphs(dict[Key, torch.cuda.CUDAGraph]):
    """The graphs of one kind of step. What has none runs eagerly: the same kernels, the same bits.

    Attributes:
        fallback: why there are none and never will be, or "".
        pool: the memory that they share; None before the first.
    """

    def __init__(self, sentence: str, *, beside: Graphs | None = None) -> None:
        """`sentence`: says what failed and what is done instead, with the cause for its {}. `beside`: graphs whose pool
        is used, as these are never replayed while those run."""
        super().__init__()
        self.fallback = ""
        self._sentence = sentence
        self._pools: list[Pool] = [] if beside is None else beside._pools

    @property
    def pool(self) -> Pool | None:
        return self._pools[0] if self._pools else None

    def capture(self, key: Key, step: Callable[[], object], stream: torch.cuda.Stream | None = None) -> None:
        """Capture a step, the largest of its kind first: smaller ones then find room in the pool.

        The step runs once before, which compiles what is not compiled yet, and may write into whatever it writes into:
        nobody must be served meanwhile. Failure leaves eager steps for all of this kind, and `fallback`.

        Args:
            stream: where it is captured; None is one of the current device's.
        """
        if self.fallback:
            return
        try:
            graph = captured(step, self.pool, stream)
        except RuntimeError as error:
            self.clear()
            self.fallback = self._sentence.format(error)
        else:
            self._pools[:] = [graph.pool()]
            self[key] = graph


class Capturing(Protocol):
    """What has steps of kernels. In this order, once: compile `rehearsal`, `prove`, then at leisure the `captures`.

    Attributes:
        fallbacks: why something is not captured.
    """

    @property
    def fallbacks(self) -> list[str]: ...

    def rehearsal(self) -> list[Callable[[], object]]:
        """Every step, for `kernels.launch.rehearse`."""

    def prove(self) -> None:
        """Run every kernel once, for nobody. Raises whatever keeps one from running on this device."""

    def captures(self) -> list[Capture]:
        """What turns the steps into graphs, a few at each call, in this order. Nobody may be served during one."""


def captured(
    step: Callable[[], object], pool: Pool | None, stream: torch.cuda.Stream | None = None
) -> torch.cuda.CUDAGraph:
    """A step as a graph, after it ran once. Raises RuntimeError."""
    step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool, stream=stream or _capture_stream(torch.cuda.current_device())):
        step()
    return graph


@functools.cache
def _capture_stream(device: int) -> torch.cuda.Stream:
    """Torch has one such stream for a process, on the device of its first capture: graphs of a second card would be
    captured there, and be empty."""
    return torch.cuda.Stream(device)
