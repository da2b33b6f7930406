"""A CUDA stream of one part's own: its kernels run beside those of others."""

from __future__ import annotations

import contextlib

import torch


class Queue:
    """Use it as a context: what is launched inside goes to its stream, on its device. Not to be entered twice at once.

    Attributes:
        stream: urgent, before the default one; None on a CPU (Triton's interpreter), where everything happens in turn.
    """

    def __init__(self, device: torch.device) -> None:
        self.stream: torch.cuda.Stream | None = None
        if device.type == "cuda":
            self.stream = torch.cuda.Stream(device, priority=-1)
            # Waits here are short, and a thread that sleeps wakes up a third of a millisecond late.
            self._done = torch.cuda.Event()
            # What others wrote before now, weights above all, is there when this queue begins.
            self.stream.wait_stream(torch.cuda.current_stream(device))
        self._entered = contextlib.ExitStack()

    def pinned(self, count: int, *, dtype: torch.dtype) -> torch.Tensor:
        """Zeros on the host that copies need not wait for."""
        return torch.zeros(count, dtype=dtype, pin_memory=self.stream is not None)

    def __enter__(self) -> Queue:
        if self.stream is not None:
            self._entered.enter_context(torch.cuda.device(self.stream.device))
            self._entered.enter_context(torch.cuda.stream(self.stream))
        return self

    def __exit__(self, *error: object) -> None:
        self._entered.close()

    def wait(self) -> None:
        """Return when all that was launched has happened."""
        if self.stream is not None:
            self._done.record(self.stream)
            self._done.synchronize()
