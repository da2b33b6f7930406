"""A CUDA stream of one part's own: its kernels run beside those of others."""

from __future__ import annotations

import contextlib
import time

import torch

_SLEPT, _MOST_SLEPT_S = 0.4, 0.0015  # of what the last wait took; at most
_SHORT_S = 0.002


class Queue:
    """Use it as a context: what is launched inside goes to its stream, on its device. Not to be entered twice at once.

    Attributes:
        stream: urgent, before the default one; None on a CPU (Triton's interpreter), where everything happens in turn.
    """

    def __init__(self, device: torch.device) -> None:
        self.stream: torch.cuda.Stream | None = None
        if device.type == "cuda":
            self.stream = torch.cuda.Stream(device, priority=-1)
            self._done = torch.cuda.Event()
            # What others wrote before now, weights above all, is there when this queue begins.
            self.stream.wait_stream(torch.cuda.current_stream(device))
        self._entered = contextlib.ExitStack()
        self._waited_s = 0.0

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
        """Return when all that was launched has happened.

        A thread that sleeps until then wakes up a third of a millisecond late, one that watches takes a core: it sleeps
        through the first part, and watches the rest.
        """
        if self.stream is not None:
            self._done.record(self.stream)
            began_s = time.perf_counter()
            if self._waited_s > _SHORT_S:
                time.sleep(min(_SLEPT * self._waited_s, _MOST_SLEPT_S))
            late = self._done.query()
            self._done.synchronize()
            # Whoever came late knows nothing of how long it took.
            self._waited_s = 0.0 if late else time.perf_counter() - began_s
