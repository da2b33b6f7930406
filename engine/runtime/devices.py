"""Which device, precision and number of threads a model is run with."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import DeviceError

if TYPE_CHECKING:
    import torch

PRECISIONS = ("auto", "fp32", "bf16", "fp16")
MOST_THREADS = 8


@dataclass(frozen=True)
class DevicePlan:
    """How a model is run.

    Attributes:
        device: `cpu` or `cuda:N`.
        dtype: of the language model's arithmetic.
        precision: `fp32`, `bf16` or `fp16`: the name of `dtype`.
        threads: of torch on a CPU.
        name: of the device, for people.
        profile: part of a take's identity: what decides about bits besides model and request.
    """

    device: str
    dtype: torch.dtype
    precision: str
    threads: int
    name: str

    @property
    def profile(self) -> str:
        return f"{self.device.split(':')[0]}-{self.precision}"


def choose_device(device: str = "auto", precision: str = "auto") -> DevicePlan:
    """The plan for what a person asked for; `auto` takes the first CUDA device that works, else the CPU.

    Raises:
        DeviceError: the device is missing, or does not compute in this precision.
    """
    import torch

    if precision not in PRECISIONS:
        raise DeviceError(f"There is no precision {precision!r}.", f"Choose one of {', '.join(PRECISIONS)}.")
    wanted = device.strip().lower()
    if wanted == "auto":
        wanted = "cuda" if cuda_works() else "cpu"
    if wanted == "cpu":
        return _cpu_plan(precision)
    if wanted == "cuda" or (wanted.startswith("cuda:") and wanted[5:].isdecimal()):
        return _cuda_plan(torch.device(wanted).index or 0, precision)
    raise DeviceError(f"There is no device {device!r}.", "Choose auto, cpu, cuda or cuda:1.")


def cuda_works() -> bool:
    """Whether a CUDA device is there and this build of torch has kernels for it."""
    import torch

    if not torch.cuda.is_available():
        return False
    try:
        return bool((torch.ones(2, device="cuda") + 1).sum().item() == 4)
    except RuntimeError:
        return False


def usable_cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cpu_plan(precision: str) -> DevicePlan:
    import torch

    if precision == "fp16":
        raise DeviceError("A CPU does not compute in fp16 at a useful speed.", "Choose fp32 or bf16.")
    chosen = "fp32" if precision == "auto" else precision
    dtype = torch.float32 if chosen == "fp32" else torch.bfloat16
    # One core stays free for playing and for the window: threads that wait for a busy core cost more than they bring.
    threads = max(1, min(torch.get_num_threads(), usable_cores() - 1, MOST_THREADS))
    return DevicePlan("cpu", dtype, chosen, threads, "CPU")


def _cuda_plan(index: int, precision: str) -> DevicePlan:
    import torch

    if not cuda_works() or index >= torch.cuda.device_count():
        raise DeviceError(
            f"There is no CUDA device {index} that this build of torch can use.",
            "Choose cpu, or install a driver and a build of torch that fit the card.",
        )
    major, _ = torch.cuda.get_device_capability(index)
    chosen = precision if precision != "auto" else ("bf16" if major >= 8 else "fp16")
    if chosen == "bf16" and major < 8:
        raise DeviceError("This card does not compute in bf16.", "Choose fp16 or fp32.")
    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[chosen]
    return DevicePlan(f"cuda:{index}", dtype, chosen, usable_cores(), torch.cuda.get_device_name(index))
