"""Compiles kernels in processes of their own, whose results Triton's disk cache hands over.

Half of a compilation is Python, which a process does one at a time: sixteen threads get through a hundred kernels little faster than three. A
worker imports Triton and the module of a kernel, no torch, and never touches a device; it is told what to compile in Python literals, a line each.
A C compiler builds what launches a kernel, once for all kernels of like arguments. Triton would do that at the first launch, one after the other.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib
import inspect
import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[3]
_FEWEST = 8  # kernels for which workers are worth their start
_PATIENCE_S = 300.0  # without a task begun; then this process compiles what is left


def described(task: Callable[[], Any], launchers: set[str]) -> str | None:
    """What a compilation that Triton hands to an executor compiles, for a worker; None where this Triton keeps it in another way, or where the
    result is in the disk cache already. The first kernel of like arguments is the one whose worker builds their launcher: it adds itself to
    `launchers`."""
    try:
        known = inspect.getclosurevars(task).nonlocals
        source, target, options = known["src"], known["target"], known["options"].__dict__
        if _is_cached(source, known["env_vars"], target, options):
            return None
        function = source.fn
        text = ascii(  # a path in `options` may have any letters, and a worker's standard input any encoding
            (
                function.module, function.fn.__qualname__, dict(source.signature), dict(source.constants), dict(source.attrs),
                (target.backend, target.arch, target.warp_size), dict(options), (launcher := str(source.signature)) not in launchers,
            )
        )  # fmt: skip
        ast.literal_eval(text)
    except Exception:  # whatever another version of Triton does: kernels are compiled here, then
        return None
    launchers.add(launcher)
    return text


def _is_cached(source: Any, env_vars: Any, target: Any, options: dict[str, Any]) -> bool:
    from triton.compiler import make_backend
    from triton.runtime.cache import get_cache_key, get_cache_manager

    backend = make_backend(target)
    key = get_cache_key(source, backend, backend.parse_options(dict(options)), env_vars=env_vars)
    name = f"{source.name[:150]}.json"
    return name in (get_cache_manager(hashlib.sha256(key.encode()).hexdigest()).get_group(name) or {})


def compile_apart(
    tasks: Iterable[str], processes: int, command: Sequence[str] = (), *, progress: Callable[[float], None] = lambda share: None
) -> None:
    """Have `described` tasks compiled, the first ones first. What fails, or a worker that ends, is left to whoever needs the kernel.

    Args:
        command: starts a worker; by default this module.
        progress: told the share that is under way, a few times a second. What it raises ends all workers, and is raised.
    """
    waiting = deque(tasks)
    total = len(waiting)
    processes = min(processes, total)
    if total < _FEWEST or processes < 2 or not sys.executable:
        return
    command = command or (sys.executable, "-P", "-m", __name__)  # -P: nothing is imported from the current folder
    workers: list[subprocess.Popen[str]] = []
    feeders = [threading.Thread(target=_feed, args=(waiting, command, workers), daemon=True) for _ in range(processes)]
    for feeder in feeders:
        feeder.start()
    left, seen_s = total, time.monotonic()
    try:
        while any(feeder.is_alive() for feeder in feeders):
            time.sleep(0.2)
            progress(1 - len(waiting) / total)
            if len(waiting) != left:
                left, seen_s = len(waiting), time.monotonic()
            if time.monotonic() - seen_s > _PATIENCE_S:
                return
        progress(1.0)
    finally:
        waiting.clear()
        for worker in workers:
            worker.kill()


def _feed(waiting: deque[str], command: Sequence[str], workers: list[subprocess.Popen[str]]) -> None:
    """Start a worker and give it tasks, one at a time, until none is left or it has ended."""
    path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH", ""))))
    with contextlib.suppress(OSError, ValueError), subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": path},
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    ) as worker:
        workers.append(worker)
        assert worker.stdin is not None and worker.stdout is not None
        with contextlib.suppress(IndexError):
            while True:
                print(waiting.popleft(), file=worker.stdin, flush=True)
                if not worker.stdout.readline():
                    break


def main() -> None:
    """A worker: a line for each line, once its kernel is compiled or cannot be."""
    # Triton and ptxas print whole programs when something fails; nobody reads more than a line for each line.
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource, compile

    for line in sys.stdin:
        module, name, signature, constants, attrs, target, options, builds_launcher = ast.literal_eval(line)
        try:
            kernel = getattr(importlib.import_module(module), name)
            compiled = compile(ASTSource(kernel, signature, constants, attrs), target=GPUTarget(*target), options=options)
        except Exception as error:
            print(type(error).__name__, file=answers, flush=True)
        else:
            if builds_launcher:
                _build_launcher(compiled)
            print("compiled", file=answers, flush=True)


def _build_launcher(compiled: Any) -> None:
    """Triton's cache keeps it. Where there is no C compiler or it fails, the first launch says so."""
    with contextlib.suppress(Exception):
        from triton.backends.nvidia.driver import CudaLauncher

        CudaLauncher(compiled.src, compiled.metadata)


if __name__ == "__main__":
    main()
