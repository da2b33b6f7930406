"""Which device, precision and number of threads a model is run with."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import DeviceError

if TYPE_CHECKING:
    import torch

NARROW = ("int8", "fp8", "int4")  # how weights may be stored while the arithmetic stays that of the card
PRECISIONS = ("auto", "fp32", "bf16", "fp16", *NARROW)
FP8_CAPABILITY = (8, 9)  # the first cards that read e4m3
MOST_THREADS = 8


@dataclass(frozen=True)
class DevicePlan:
    """How a model is run.

    Attributes:
        device: `cpu`, `mps` or `cuda:N`.
        dtype: of the language model's arithmetic.
        precision: `fp32`, `bf16` or `fp16`: the name of `dtype`; or one of `NARROW`: so are the weights stored.
        threads: of torch on a CPU.
        name: of the device, for people.
        narrower: precisions that may be stepped down to where memory asks for it; none where the person chose one.
        codec_device: where the codec computes: `device`, or a second card.
        kind: the class of the device in identities: `cpu`, `mps`, or `cuda` with its compute capability.
        profile: part of a take's identity: what decides about bits besides model and request.
    """

    device: str
    dtype: torch.dtype
    precision: str
    threads: int
    name: str
    narrower: tuple[str, ...] = ()
    codec_device: str = ""
    kind: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "codec_device", self.codec_device or self.device)
        object.__setattr__(self, "kind", self.kind or self.device.split(":")[0])

    @property
    def profile(self) -> str:
        return self.profile_of(self.precision)

    def profile_of(self, precision: str) -> str:
        """The profile if the weights are stored so."""
        return f"{self.kind}-{precision}"


def choose_device(device: str = "auto", precision: str = "auto") -> DevicePlan:
    """The plan for what a person asked for; `auto` takes the first CUDA device that works, else the CPU.

    Raises:
        DeviceError: the device is missing, or does not compute in this precision.
    """
    if precision not in PRECISIONS:
        raise DeviceError(f"There is no precision {precision!r}.", f"Choose one of {', '.join(PRECISIONS)}.")
    wanted = device.strip().lower()
    if wanted == "auto":
        wanted = "cuda" if cuda_works() else "cpu"
    if wanted == "cpu":
        return _cpu_plan(precision)
    if wanted == "mps":
        return _mps_plan(precision)
    cards = [_card_index(part) for part in wanted.split("+")]
    if len(cards) <= 2 and None not in cards:
        return _cuda_plan(cards[0] or 0, precision, codec_index=cards[-1] or 0)
    raise DeviceError(
        f"There is no device {device!r}.",
        "Choose auto, cpu, cuda, cuda:1, or cuda:0+cuda:1 for the codec on a second card.",
    )


def _card_index(name: str) -> int | None:
    if name == "cuda":
        return 0
    return int(name[5:]) if name.startswith("cuda:") and name[5:].isdecimal() else None


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


def used_and_total_gb(device: torch.device | None) -> tuple[float, float]:
    """Memory in use, and all there is: of the graphics card that computes, else of this process and machine."""
    if device is not None and device.type == "cuda":
        import torch

        free, total = torch.cuda.mem_get_info(device)
        return (total - free) / 2**30, total / 2**30
    import psutil

    return psutil.Process().memory_info().rss / 2**30, psutil.virtual_memory().total / 2**30


def give_memory_back() -> None:
    """Return what torch keeps of a graphics card's memory without using it."""
    import torch

    if torch.cuda.is_initialized():
        torch.cuda.empty_cache()


def _cpu_plan(precision: str) -> DevicePlan:
    import torch

    if precision in ("fp16", *NARROW):
        raise DeviceError(f"A CPU does not compute in {precision} at a useful speed.", "Choose fp32 or bf16.")
    chosen = "fp32" if precision == "auto" else precision
    dtype = torch.float32 if chosen == "fp32" else torch.bfloat16
    # One core stays free for playing and for the window: threads that wait for a busy core cost more than they bring.
    threads = max(1, min(torch.get_num_threads(), usable_cores() - 1, MOST_THREADS))
    return DevicePlan("cpu", dtype, chosen, threads, "CPU")


def _mps_plan(precision: str) -> DevicePlan:
    import torch

    if not torch.backends.mps.is_available():
        raise DeviceError("There is no Apple GPU that this build of torch can use.", "Choose cpu.")
    try:
        # What the frame loop cannot do without: 64-bit noise keys and float64 logarithms (`engine.lm.sampling`).
        probe = torch.arange(2, device="mps", dtype=torch.int64)
        (probe * probe).double().log()
    except (RuntimeError, TypeError) as error:
        message = f"This build of torch lacks what speech needs on an Apple GPU ({error})."
        raise DeviceError(message, "Choose cpu.") from error
    if precision in ("bf16", *NARROW):
        raise DeviceError(f"An Apple GPU is not run in {precision} here.", "Choose fp32 or fp16.")
    chosen = "fp32" if precision == "auto" else precision
    dtype = torch.float32 if chosen == "fp32" else torch.float16
    # The codec's angles are complex128, which Apple GPUs lack.
    return DevicePlan("mps", dtype, chosen, usable_cores(), "Apple GPU", codec_device="cpu")


def _cuda_plan(index: int, precision: str, *, codec_index: int) -> DevicePlan:
    import torch

    if not cuda_works() or max(index, codec_index) >= torch.cuda.device_count():
        raise DeviceError(
            f"There is no CUDA device {max(index, codec_index)} that this build of torch can use.",
            "Choose cpu, or install a driver and a build of torch that fit the card.",
        )
    major, minor = torch.cuda.get_device_capability(index)
    half = "bf16" if major >= 8 else "fp16"
    chosen = half if precision == "auto" else precision
    if chosen == "bf16" and major < 8:
        raise DeviceError("This card does not compute in bf16.", "Choose fp16 or fp32.")
    if chosen == "fp8" and (major, minor) < FP8_CAPABILITY:
        raise DeviceError("This card does not read fp8.", "Choose int8: it takes as little and is closer to bf16.")
    name = half if chosen in NARROW else chosen
    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[name]
    return DevicePlan(
        f"cuda:{index}",
        dtype,
        chosen,
        usable_cores(),
        torch.cuda.get_device_name(index),
        narrower=("int8",) if precision == "auto" else (),
        codec_device=f"cuda:{codec_index}",
        kind=f"cuda{major}{minor}",
    )
