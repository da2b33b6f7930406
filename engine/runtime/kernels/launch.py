"""Launches kernels; in a rehearsal compiles them instead, many at once."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any

import torch
import triton

_MOST_THREADS = 16
_rehearsing: ContextVar[bool] = ContextVar("rehearsing", default=False)


def launch(kernel: Any, grid: tuple[int, ...]) -> Callable[..., Any]:
    """What is called with the kernel's arguments: `kernel[grid]`, or in a rehearsal its compilation."""
    return functools.partial(kernel.warmup, grid=grid) if _rehearsing.get() else kernel[grid]


def rehearse(steps: Iterable[Callable[[], object]]) -> None:
    """Call `steps`, none of whose kernels run: what they would launch is compiled, as many at once as there are processors.

    One compilation takes a second or more and is a single thread's work, and a model's first start needs a hundred. Steps see
    the results of kernels that did not run: their values do not matter, and they must not depend on them. Older Triton without
    this is no error: kernels are then compiled as they are met.
    """
    if not hasattr(triton, "AsyncCompileMode"):
        return
    token = _rehearsing.set(True)
    try:
        threads = min(_MOST_THREADS, os.cpu_count() or 1)
        with ThreadPoolExecutor(threads, "compile") as pool, triton.AsyncCompileMode(pool, ignore_errors=True):
            for step in steps:
                step()
    finally:
        _rehearsing.reset(token)


def prove(steps: Iterable[Callable[[], object]]) -> None:
    """Run `steps` one after the other. Raises whatever keeps a kernel from running: compilers, launches, a lack of room."""
    for step in steps:
        step()
    if torch.cuda.is_initialized():  # not in Triton's interpreter
        torch.cuda.synchronize()
