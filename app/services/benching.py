"""The figures of the engine, and beside them what a person meets: a short `say` from a cold process."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from app.paths import Paths
from app.services.model_choice import model_folder
from engine.bench import FULL_RANDOM, Figure, figures_of, measure


def all_figures(
    paths: Paths,
    *,
    model: str | None,
    codec: Path | None,
    device: str,
    precision: str,
    repeats: int,
    on_progress: Callable[[str], None],
) -> Iterator[Figure]:
    """The whole table, line by line. Raises SpeechError."""
    if model == FULL_RANDOM:
        yield from figures_of(FULL_RANDOM, device, precision, repeats, on_progress)
        return
    yield from measure(
        model_folder(model, paths),
        codec_folder=codec,
        device=device,
        precision=precision,
        repeats=repeats,
        on_progress=on_progress,
    )
    if model is None:
        on_progress("Speaking from a cold process")
        yield Figure("say “Hello.”, cold process", cold_say_s(), "s")


def cold_say_s() -> float:
    """Seconds from starting a process to its finished file; the best of two, for the system caches files."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "app.cli",
            "--profile",
            folder,
            "say",
            "Hello.",
            "-o",
            str(Path(folder) / "a.wav"),
        ]
        spent = []
        for _ in range(2):
            started_s = time.monotonic()
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
            spent.append(time.monotonic() - started_s)
    return min(spent)
