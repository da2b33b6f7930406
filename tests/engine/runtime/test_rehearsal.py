"""Kernels are compiled side by side before they are needed: each once, and none while steps are still being walked."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch

from engine import runtime

LAUNCH = Path(runtime.__file__).parent / "kernels" / "launch.py"


class Mode:
    """What Triton has: kernels that are asked for inside go to its executor."""

    active: Mode | None = None

    def __init__(self, executor: Any, *, ignore_errors: bool) -> None:
        assert ignore_errors
        self.executor, self.futures = executor, []

    def __enter__(self) -> Mode:
        Mode.active = self
        return self

    def __exit__(self, *error: object) -> None:
        Mode.active = None
        for future in self.futures:
            future.exception(timeout=10)


class Kernel:
    """A kernel whose launches and compilations are written into `seen`."""

    def __init__(self, name: str, seen: list[str], fails: bool = False) -> None:
        self._name, self._seen, self._fails = name, seen, fails

    def __getitem__(self, grid: tuple[int, ...]) -> Callable[..., None]:
        return lambda *args, **options: self._seen.append(f"{self._name} ran")

    def warmup(self, *args: Any, grid: tuple[int, ...], **options: Any) -> None:
        def compiled() -> None:
            self._seen.append(f"{self._name} compiled")
            if self._fails:
                raise RuntimeError("no such instruction")

        assert Mode.active is not None
        Mode.active.futures.append(Mode.active.executor.submit(compiled))


@pytest.fixture
def launch(monkeypatch) -> ModuleType:
    """`engine.runtime.kernels.launch`, which imports Triton, beside one that is made up."""
    monkeypatch.setitem(sys.modules, "triton", SimpleNamespace(AsyncCompileMode=Mode))
    spec = importlib.util.spec_from_file_location("launch_beside_no_triton", LAUNCH)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_all_steps_are_walked_before_anything_is_compiled(launch: ModuleType) -> None:
    seen: list[str] = []
    first, second = Kernel("first", seen), Kernel("second", seen)

    def step() -> None:
        launch.launch(first, (1,))(torch.zeros(4), 7, BLOCK=16)
        seen.append("walked")
        launch.launch(second, (1,))(torch.zeros(4), 7)

    launch.rehearse([step, lambda: seen.append("walked")])
    assert seen[:2] == ["walked", "walked"] and sorted(seen[2:]) == ["first compiled", "second compiled"]
    step()
    assert seen[4:] == ["first ran", "walked", "second ran"]


def test_launches_of_a_kind_are_compiled_once_and_others_apart(launch: ModuleType) -> None:
    seen: list[str] = []
    kernel = Kernel("kernel", seen)
    aligned = torch.zeros(64)
    kinds = [
        ((aligned, 7), {"BLOCK": 16}),
        ((aligned, 1), {"BLOCK": 16}),
        ((aligned, 32), {"BLOCK": 16}),
        ((aligned, 48), {"BLOCK": 16}),  # a constant of the kernel may be given by place
        ((aligned, 2**40 + 1), {"BLOCK": 16}),
        ((aligned[1:], 7), {"BLOCK": 16}),
        ((aligned.half(), 7), {"BLOCK": 16}),
        ((aligned, 7.0), {"BLOCK": 16}),
        ((aligned, 7), {"BLOCK": 32}),
    ]

    def step() -> None:
        for size in (1, 2):
            for args, options in kinds:
                launch.launch(kernel, (size,))(*args, **options)

    launch.rehearse([step, step])
    assert len(seen) == len(kinds)
    launch.rehearse([lambda: launch.launch(kernel, (1,))(*kinds[0][0], **kinds[0][1])])
    assert len(seen) == len(kinds) + 1


def test_no_more_is_compiled_at_once_than_there_are_processors_for_this_process(
    launch: ModuleType, monkeypatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 12)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {1, 4, 5}, raising=False)
    asked: list[int] = []
    monkeypatch.setattr(launch, "compile_apart", lambda tasks, processes, progress: asked.append(processes))
    launch.rehearse([])
    assert asked == [3]


def test_what_cannot_be_compiled_keeps_nothing_else_from_it(launch: ModuleType) -> None:
    seen: list[str] = []
    broken, sound = Kernel("broken", seen, fails=True), Kernel("sound", seen)
    launch.rehearse([lambda: [launch.launch(each, (1,))(1.0) for each in (broken, sound)]])
    assert sorted(seen) == ["broken compiled", "sound compiled"]


def test_a_step_that_fails_ends_the_rehearsal_and_launches_run_again(launch: ModuleType) -> None:
    seen: list[str] = []
    kernel = Kernel("kernel", seen)
    with pytest.raises(ZeroDivisionError):
        launch.rehearse([lambda: launch.launch(kernel, (1,))(1.0), lambda: 1 / 0])
    launch.launch(kernel, (1,))(1.0)
    assert seen == ["kernel compiled", "kernel ran"]


def test_a_rehearsal_that_is_ended_compiles_nothing_more_here(launch: ModuleType, monkeypatch) -> None:
    seen: list[str] = []
    kernel = Kernel("kernel", seen)

    def ended(tasks: list[str], threads: int, *, progress: Callable[[float], None]) -> None:
        progress(0.5)

    def closing(share: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(launch, "compile_apart", ended)
    with pytest.raises(KeyboardInterrupt):
        launch.rehearse([lambda: launch.launch(kernel, (1,))(1.0)], closing)
    assert seen == []
    launch.launch(kernel, (1,))(1.0)
    assert seen == ["kernel ran"]
