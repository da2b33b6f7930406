"""Kernels are tried before anybody relies on them: compilers and cards may fail in any way."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from engine.errors import DeviceError, SpeechError, is_out_of_memory

if TYPE_CHECKING:
    from engine.runtime.capture import Capturing

_log = logging.getLogger(__name__)

Steps = Sequence[Callable[[], object]]


class Trial:
    """What runs on kernels, unless they fail on this card; then it is dropped, and `failure` says why.

    Attributes:
        parts: the frame loop, or the decoding streams and what encodes; empty where they failed.
    """

    def __init__(self, deed: str, device: str, make: Callable[[], list[Capturing]]) -> None:
        """`deed`: what is done slower without."""
        self.failure = ""
        self._deed, self._device = deed, device
        self.parts: list[Capturing] = self._attempt(make) or []

    @property
    def warning(self) -> str:
        return f"{self._deed} by plain operations, slower: the kernels failed ({self.failure})."

    @property
    def fallbacks(self) -> list[str]:
        return [reason for part in self.parts for reason in part.fallbacks]

    def rehearsal(self) -> Steps:
        return self._here(step for part in self.parts for step in part.rehearsal())

    def prove(self) -> None:
        """Run every kernel once: the first request must not be what finds one that cannot."""
        for part in self.parts:
            if not self.failure:
                self._attempt(part.prove)
        if self.failure:
            self.parts = []

    def captures(self) -> Steps:
        return self._here(capture for part in self.parts for capture in part.captures())

    def _attempt(self, do: Callable[[], Any]) -> Any:
        try:
            return self._on_device(do)
        except Exception as error:
            _raise_unless_kernels(error)
            _log.warning("%s without kernels", self._deed, exc_info=error)
            # The words alone: the traceback would keep what was made in the card's memory.
            self.failure = _short(error)
            return None

    def _here(self, steps: Iterable[Callable[[], object]]) -> Steps:
        return [functools.partial(self._on_device, step) for step in steps]

    def _on_device(self, do: Callable[[], Any]) -> Any:
        with torch.cuda.device(self._device):
            return do()


def compile_all(kernels: Sequence[Trial], progress: Callable[[float], None] = lambda share: None) -> None:
    """Compile the kernels of all parts, side by side. What fails in this, in any way, is met again where it is tried.

    The last part comes first: kernels of the codec take longest, and one that is left to the end has no company.
    `progress` is told the share that is under way; what it raises is raised.
    """
    steps = [functools.partial(_rehearsed, step) for each in reversed(kernels) for step in each.rehearsal()]
    if steps:
        from engine.runtime.kernels.launch import rehearse

        rehearse(steps, progress)


def _rehearsed(step: Callable[[], object]) -> None:
    try:
        step()
    except Exception as error:
        _log.info("A step could not be rehearsed", exc_info=error)


def _raise_unless_kernels(error: Exception) -> None:
    """Compilers and launches may fail in any way; a lack of memory, and what is told to people, is another matter."""
    if isinstance(error, SpeechError):
        raise error
    if is_out_of_memory(error):
        raise DeviceError(
            "The graphics card has less room than it said.", "Close programs that use it, or choose precision int8."
        ) from error


def _short(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[-1][:160]}" if lines else type(error).__name__
