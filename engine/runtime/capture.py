"""A step of kernels as a graph: the one way in which frames, prompts, the codec and clips are captured."""

from __future__ import annotations

from collections.abc import Callable

import torch

Pool = tuple[int, int]


def captured(
    step: Callable[[], object], pool: Pool | None, stream: torch.cuda.Stream | None = None
) -> torch.cuda.CUDAGraph:
    """A step as a graph; it runs once before, which compiles what is not compiled yet.

    Args:
        pool: memory that graphs share; None begins one.
        stream: where it is captured; None is one of torch's own.
    """
    step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool, stream=stream):
        step()
    return graph
