"""Kernels are compiled in processes of their own; what fails there is left to this one."""

from __future__ import annotations

import ast
import importlib.util
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.runtime.kernels import workers

TASKS = [f"task {number}" for number in range(20)]


def worker(tmp_path: Path, body: str) -> tuple[str, ...]:
    """A command that runs `body` for each `line`, with `done(line)` writing it into a file of its own."""
    script = tmp_path / "worker.py"
    script.write_text(
        textwrap.dedent(
            f"""
            import os, sys, time
            def done(line):
                with open({str(tmp_path)!r} + f"/{{os.getpid()}}.done", "a") as file:
                    file.write(line)
            for line in sys.stdin:
            """
        )
        + textwrap.indent(textwrap.dedent(body), "    "),
        "utf-8",
    )
    return sys.executable, str(script)


def done(tmp_path: Path) -> list[list[str]]:
    """What each worker did."""
    return [path.read_text("utf-8").splitlines() for path in tmp_path.glob("*.done")]


def test_each_task_is_given_to_one_of_several_workers(tmp_path: Path) -> None:
    waits = f"""
        done(line)
        while len([name for name in os.listdir({str(tmp_path)!r}) if name.endswith(".done")]) < 3:
            time.sleep(0.01)
        print("compiled", flush=True)
    """
    workers.compile_apart(TASKS, 3, worker(tmp_path, waits))
    each = done(tmp_path)
    assert sorted(sum(each, [])) == sorted(TASKS) and len(each) == 3
    assert all(lines == sorted(lines, key=TASKS.index) for lines in each)


def test_a_worker_that_dies_keeps_the_others_from_nothing(tmp_path: Path) -> None:
    dies = "sys.exit(1) if line == 'task 4\\n' else (done(line), print('compiled', flush=True))"
    workers.compile_apart(TASKS, 3, worker(tmp_path, dies))
    assert sorted(sum(done(tmp_path), [])) == sorted(set(TASKS) - {"task 4"})


@pytest.mark.parametrize("command", [("there-is-no-such-program",), (sys.executable, "-c", "raise SystemExit(3)")])
def test_workers_that_do_not_start_are_no_error(command: tuple[str, ...]) -> None:
    workers.compile_apart(TASKS, 2, command)


def test_progress_is_told_and_what_it_raises_ends_the_workers(tmp_path: Path) -> None:
    seen: list[float] = []
    workers.compile_apart(
        TASKS, 2, worker(tmp_path, "time.sleep(0.02); print('compiled', flush=True)"), progress=seen.append
    )
    assert seen == sorted(seen) and seen[-1] == 1.0

    def closing(share: float) -> None:
        if list(tmp_path.glob("*.done")):
            raise KeyboardInterrupt

    endless = worker(tmp_path, "done(line); time.sleep(3600)")
    with pytest.raises(KeyboardInterrupt):
        workers.compile_apart(TASKS, 2, endless, progress=closing)
    for path in tmp_path.glob("*.done"):
        ended(int(path.stem))


def ended(process: int) -> None:
    """Return once there is no such process; it is a child that a thread waits for."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)
    raise AssertionError(f"process {process} is still there")


def test_workers_that_hang_are_given_up(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(workers, "_PATIENCE_S", 0.3)
    workers.compile_apart(TASKS, 2, worker(tmp_path, "time.sleep(3600)"))


def test_a_few_kernels_are_not_worth_a_worker(tmp_path: Path) -> None:
    few = TASKS[:7]
    workers.compile_apart(few, 4, worker(tmp_path, "done(line); print('compiled', flush=True)"))
    workers.compile_apart(TASKS, 1, worker(tmp_path, "done(line); print('compiled', flush=True)"))
    assert done(tmp_path) == []


def test_a_task_of_another_kind_is_not_described() -> None:
    number = 3
    launchers: set[str] = set()
    assert workers.described(lambda: number, launchers) is None and workers.described(int, launchers) is None
    assert not launchers


def compilation(argument: str) -> Callable[[], object]:
    """As Triton hands it to an executor, of a kernel that takes one `argument`."""
    src = SimpleNamespace(
        fn=SimpleNamespace(module="kernels", fn=done), signature={"x": argument}, constants={(1,): 16}, attrs={}
    )
    target = SimpleNamespace(backend="cuda", arch=80, warp_size=32)
    options, env_vars = SimpleNamespace(extern_libs=(("libdevice", "C:\\Users\\Jörg 语音\\libdevice.10.bc"),)), {}
    return lambda: (src, target, options, env_vars)


def test_a_description_survives_any_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_is_cached", lambda *_: False)
    text = workers.described(compilation("*fp32"), set())
    assert text is not None and text.isascii()
    assert ast.literal_eval(text)[-2]["extern_libs"][0][1] == "C:\\Users\\Jörg 语音\\libdevice.10.bc"


def test_the_launcher_of_like_arguments_is_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_is_cached", lambda *_: False)
    launchers: set[str] = set()
    texts = [workers.described(compilation(argument), launchers) for argument in ("*fp32", "*fp32", "i32", "*fp32")]
    assert [ast.literal_eval(text or "")[-1] for text in texts] == [True, False, True, False]


@pytest.mark.parametrize("error", [None, ImportError("no such driver"), RuntimeError("no C compiler")])
def test_a_worker_builds_the_launcher_of_what_it_compiled_if_it_can(
    monkeypatch: pytest.MonkeyPatch, error: Exception | None
) -> None:
    built = []

    def launcher(src: object, metadata: object) -> None:
        built.append((src, metadata))
        if error is not None:
            raise error

    monkeypatch.setitem(sys.modules, "triton.backends.nvidia.driver", SimpleNamespace(CudaLauncher=launcher))
    workers._build_launcher(SimpleNamespace(src="source", metadata="metadata"))
    assert built == [("source", "metadata")]


def test_a_worker_imports_nothing_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ast.py").write_text(f"open({str(tmp_path / 'imported')!r}, 'w')\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    workers.compile_apart(TASKS, 2)
    assert not (tmp_path / "imported").exists()


@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed")
def test_a_worker_compiles_what_it_is_told_and_goes_on_after_what_it_cannot(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    types = {"*fp32": "angles_ptr", "*i64": "places_ptr", "*i32": "firsts_ptr frames_ptr slots_ptr"}
    types_after = {"*fp32": "cos_high sin_high cos_low sin_low", "i32": "M COUNT PER_FRAME CAPACITY"}
    signature = {
        name: kind
        for each in (types, types_after, {"constexpr": "HEADS DIM BLOCK_M PDL"})
        for kind, names in each.items()
        for name in names.split()
    }
    sound = ("engine.runtime.kernels.layer", "places_kernel", signature, {(13,): 2, (14,): 32, (15,): 16, (16,): False},
             {}, ("cuda", 80, 32), {"num_warps": 4}, True)  # fmt: skip
    broken = (sound[0], "no_such_kernel", *sound[2:])
    answers = subprocess.run(
        [sys.executable, "-m", "engine.runtime.kernels.workers"],
        input=f"{broken!r}\n{sound!r}\n", capture_output=True, text=True, timeout=240, check=True,
    ).stdout.split()  # fmt: skip
    assert answers == ["AttributeError", "compiled"]
    assert list(tmp_path.rglob("places_kernel.cubin"))


@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed")
def test_what_compilers_print_is_taken_for_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noise = "import os\ndef __getattr__(name):\n    os.write(1, b'ptxas\\n')\n    print('a program')\n    raise KeyError(name)"
    (tmp_path / "noisy_kernels.py").write_text(noise, "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    task = ("noisy_kernels", "kernel", {}, {}, {}, ("cuda", 80, 32), {}, False)
    answers = subprocess.run(
        [sys.executable, "-m", "engine.runtime.kernels.workers"],
        input=f"{task!r}\n{task!r}\n", capture_output=True, text=True, timeout=240, check=True,
    ).stdout.split()  # fmt: skip
    assert answers == ["KeyError", "KeyError"]
