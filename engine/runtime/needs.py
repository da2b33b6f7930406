"""How much memory a model will take, told from its headers, and refused before it is spent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.errors import DeviceError
from engine.runtime.checkpoint import FLOAT_BYTES, Checkpoint

if TYPE_CHECKING:
    from engine.layout import ModelLayout
    from engine.runtime.devices import DevicePlan

GB = 2**30
WORKING_BYTES = 0.4 * GB  # activations, caches of one stream, and what libraries take
_TIED = ("audio_lm_heads.", "text_lm_head.")  # stored as copies, not kept


@dataclass(frozen=True)
class Needs:
    """Bytes that a model takes while it speaks: weights of the language model and of the codec, and room to work."""

    model: float
    codec: float

    @property
    def total(self) -> float:
        return self.model + self.codec + WORKING_BYTES


def needs_of(layout: ModelLayout, plan: DevicePlan) -> Needs:
    """Read from the headers of the weights alone. Raises CheckpointError."""
    model = Checkpoint(layout.model).tensors
    elements = sum(tensor.elements for name, tensor in model.items() if not name.startswith(_TIED))
    # The compiled decoder keeps a copy of its own, as narrow as the stored one.
    copied = sum(tensor.elements * FLOAT_BYTES.get(tensor.dtype, 4) for tensor in model.values())
    codec = sum(tensor.elements for tensor in Checkpoint(layout.codec).tensors.values()) * 4.0
    both = elements * plan.dtype.itemsize + (copied if plan.device == "cpu" and plan.precision == "fp32" else 0)
    return Needs(float(both), codec)


def check_memory(layout: ModelLayout, plan: DevicePlan, free_bytes: float | None = None) -> None:
    """Refuse a model that cannot fit; a system that runs out of memory ends programs without a word.

    Args:
        free_bytes: None asks the device.

    Raises:
        DeviceError: naming the nearest plan that fits. CheckpointError: the weights cannot be read.
    """
    needed = needs_of(layout, plan)
    free = _free_bytes(plan) if free_bytes is None else free_bytes
    if needed.total <= free:
        return
    raise DeviceError(
        f"“{layout.card.name}” needs about {needed.total / GB:.1f} GB in {plan.precision} on {plan.name}; "
        f"{free / GB:.1f} GB are free.",
        _remedy(layout, plan, free),
    )


def _remedy(layout: ModelLayout, plan: DevicePlan, free: float) -> str:
    import torch

    if plan.precision == "fp32":
        narrow = replace(plan, precision="bf16", dtype=torch.bfloat16)
        needed = needs_of(layout, narrow)
        if needed.total <= free:
            return f"Choose precision bf16: it needs {needed.total / GB:.1f} GB."
    if plan.device != "cpu" and needs_of(layout, replace(plan, device="cpu")).total <= _free_bytes(None):
        return "Choose the device cpu, close programs that use the card, or choose the starter."
    return "Close other programs, or choose the starter, which runs anywhere."


def _free_bytes(plan: DevicePlan | None) -> float:
    if plan is None or not plan.device.startswith("cuda"):
        import psutil

        return float(psutil.virtual_memory().available)
    import torch

    return float(torch.cuda.mem_get_info(plan.device)[0])
