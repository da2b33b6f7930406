"""What this machine is made of, and how it would run a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine import CatalogueEntry


@dataclass(frozen=True)
class Machine:
    """Graphics cards that work (name, GB), memory and free memory in GB, cores."""

    gpus: tuple[tuple[str, float], ...]
    memory_gb: float
    free_gb: float
    cores: int


@dataclass(frozen=True)
class Fit:
    """How a machine runs a model: good, slow or no, and that in words."""

    level: Literal["good", "slow", "no"]
    words: str


def look_at_machine() -> Machine:
    """Ask the system; imports torch, so it belongs on a background thread."""
    import psutil
    import torch

    from engine import cuda_works, usable_cores

    gpus: tuple[tuple[str, float], ...] = ()
    if cuda_works():
        facts = [torch.cuda.get_device_properties(index) for index in range(torch.cuda.device_count())]
        gpus = tuple((fact.name, fact.total_memory / 2**30) for fact in facts)
    memory = psutil.virtual_memory()
    return Machine(gpus, memory.total / 2**30, memory.available / 2**30, usable_cores())


def fit_of(entry: CatalogueEntry, machine: Machine) -> Fit:
    """How a machine would run a model of the catalogue."""
    best = max(machine.gpus, key=lambda gpu: gpu[1], default=None)
    if best is not None and best[1] >= entry.gpu_gb:
        return Fit("good", f"Runs on {best[0]} ({best[1]:.0f} GB).")
    card = (
        "No graphics card that can run it"
        if best is None
        else f"{best[0]} has {best[1]:.0f} GB; it takes {entry.gpu_gb:.0f}"
    )
    if machine.memory_gb >= entry.memory_gb:
        return Fit("slow", f"{card}. On the processor it takes about {entry.cpu_speed:.0f} s for a second of speech.")
    return Fit(
        "no",
        f"{card}, and the processor has {machine.memory_gb:.0f} GB of memory of the {entry.memory_gb:.0f} GB it takes. "
        "Use a speech server for it.",
    )
