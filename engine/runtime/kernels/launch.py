"""Launches kernels; in a rehearsal compiles them instead, many at once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any

import torch
import triton

from engine.runtime.devices import usable_cores
from engine.runtime.kernels.workers import compile_apart, described

_MOST_THREADS = 16
_rehearsed: ContextVar[set[Hashable] | None] = ContextVar("rehearsed", default=None)  # None outside of rehearsals


def launch(kernel: Any, grid: tuple[int, ...]) -> Callable[..., Any]:
    """What is called with the kernel's arguments: `kernel[grid]`, or in a rehearsal its compilation."""
    rehearsed = _rehearsed.get()
    return kernel[grid] if rehearsed is None else functools.partial(_warm_up, rehearsed, kernel, grid)


def _warm_up(rehearsed: set[Hashable], kernel: Any, grid: tuple[int, ...], *args: Any, **options: Any) -> None:
    """Have a kernel compiled unless it was for the like: to ask Triton takes a third of a millisecond, each time."""
    key = (kernel, *map(_kind, args), *sorted(options.items()))
    if key not in rehearsed:
        rehearsed.add(key)
        kernel.warmup(*args, grid=grid, **options)


def _kind(argument: Any) -> Hashable:
    """What Triton compiles for, or more finely."""
    if isinstance(argument, torch.Tensor):
        return argument.dtype, argument.data_ptr() % 16 == 0
    if isinstance(argument, int):  # some are constants of the kernel
        return type(argument), argument
    return type(argument)


class _Later(Executor):
    """Takes tasks, and begins with them once told so."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Future[Any], Callable[[], Any]]] = []

    def submit(self, task: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._waiting.append((future, functools.partial(task, *args, **options) if args or options else task))
        return future

    def run(self, threads: int, progress: Callable[[float], None]) -> None:
        """Return when all is done. What `progress` raises is raised, and leaves the rest undone."""
        launchers: set[str] = set()
        apart = (described(task, launchers) for _, task in self._waiting)
        try:
            compile_apart([task for task in apart if task is not None], threads, progress=progress)
        except BaseException:
            for future, _ in self._waiting:
                future.set_exception(RuntimeError("nobody waits for it any more"))
            raise
        with ThreadPoolExecutor(threads, "compile") as pool:
            for future, task in self._waiting:
                pool.submit(_fulfil, future, task)


def _fulfil(future: Future[Any], task: Callable[[], Any]) -> None:
    try:
        future.set_result(task())
    except Exception as error:
        future.set_exception(error)


def rehearse(steps: Iterable[Callable[[], object]], progress: Callable[[float], None] = lambda share: None) -> None:
    """Call `steps`, none of whose kernels run: what they would launch is compiled, as many at once as there are processors.

    One compilation takes a second or more, and a model's first start needs a hundred. Processes of their own fill Triton's
    disk cache (`kernels.workers`); threads of this one take the kernels from there, and compile what is missing. All steps
    are called before any of that begins: beside threads that compile, each of their many short calls would wait for the
    interpreter. Steps see the results of kernels that did not run: their values do not matter, and they must not
    depend on them. Older Triton without this is no error: kernels are then compiled as they are met.

    `progress` is told the share that is under way; what it raises ends the rehearsal.
    """
    if not hasattr(triton, "AsyncCompileMode"):
        return
    later = _Later()
    with triton.AsyncCompileMode(later, ignore_errors=True):
        token = _rehearsed.set(set())
        try:
            for step in steps:
                step()
        finally:
            _rehearsed.reset(token)
            later.run(min(_MOST_THREADS, usable_cores()), progress)


def prove(steps: Iterable[Callable[[], object]]) -> None:
    """Run `steps` one after the other. Raises whatever keeps a kernel from running: compilers, launches, a lack of room."""
    for step in steps:
        step()
    if torch.cuda.is_initialized():  # not in Triton's interpreter
        torch.cuda.synchronize()
