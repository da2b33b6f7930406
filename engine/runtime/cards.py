"""What the full-size model would do on each graphics card of this machine, without loading anything."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import DeviceError


@dataclass(frozen=True)
class CardReport:
    """One card.

    Attributes:
        device: `cuda:N`. name, memory_gb: of the card.
        plan: what the full-size model is run with there, one line; empty when it does not fit.
        limits: what was given up for that, or why it does not fit; empty when nothing was.
    """

    device: str
    name: str
    memory_gb: float
    plan: str
    limits: str


def card_reports() -> list[CardReport]:
    """Every CUDA card, as it is now: what other programs hold is not planned with."""
    import torch

    return [_report(index) for index in range(torch.cuda.device_count())]


def _report(index: int) -> CardReport:
    import torch

    from engine.runtime import cuda, memory
    from engine.runtime.devices import choose_device
    from engine.runtime.random_weights import FULL_CODEC, FULL_LM

    device = f"cuda:{index}"
    facts = torch.cuda.get_device_properties(index)
    total_gb = facts.total_memory / memory.GB
    emulated = memory.emulated_bytes()
    if emulated is not None:
        total_gb = min(total_gb, emulated / memory.GB)
    try:
        plan = choose_device(device)
        found = cuda.plan_for(FULL_LM, FULL_CODEC, plan, rows=1)
    except DeviceError as error:
        return CardReport(device, facts.name, total_gb, "", f"{error.message} {error.remedy}".strip())
    limits = list(found.steps)
    refusal = cuda.kernels_refusal(FULL_LM, torch.cuda.get_device_capability(index))
    if refusal:
        limits.append(f"speech is made by plain operations, slower ({refusal})")
    return CardReport(device, facts.name, total_gb, found.describe(), "; ".join(limits))
