"""What a caller holds of a request: chunks as they come, cancel, the result."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator

import numpy as np

from engine.requests import Chunk, SpeechRequest, SpeechResult

_END = object()


class Stream:
    """One request as its caller sees it; every method may be called from any thread.

    Chunks wait here until they are taken; who wants only the result need not take them.

    Attributes:
        id: unique in the engine.
        request: what was asked.
        copies: where the samples of every chunk are put as well, float32 `[n, 2]`, however late it is taken; or None.
    """

    def __init__(self, request_id: str, request: SpeechRequest, on_cancel: Callable[[str], None]) -> None:
        self.id = request_id
        self.request = request
        self.copies: list[np.ndarray] | None = None
        self._on_cancel = on_cancel
        self._chunks: queue.SimpleQueue[Chunk | object] = queue.SimpleQueue()
        self._ended = threading.Event()
        self._settle = threading.Lock()
        self._result: SpeechResult | None = None
        self._error: Exception | None = None

    @property
    def done(self) -> bool:
        """Whether the request has ended, in whatever way."""
        return self._ended.is_set()

    def __iter__(self) -> Iterator[Chunk]:
        return self.chunks()

    def chunks(self, timeout_s: float | None = None) -> Iterator[Chunk]:
        """Chunks in order until the request ends.

        Args:
            timeout_s: longest wait for one chunk; None waits for ever.

        Raises:
            SpeechError: why the request failed. TimeoutError: nothing came in time.
        """
        while True:
            try:
                chunk = self._chunks.get(timeout=timeout_s)
            except queue.Empty:
                raise TimeoutError(f"No audio came within {timeout_s} s.") from None
            if chunk is _END:
                self._chunks.put(_END)  # whoever iterates again ends as well
                if self._error is not None:
                    raise self._error
                return
            assert isinstance(chunk, Chunk)
            yield chunk

    def cancel(self) -> None:
        """End the request within one frame. What was handed over stays; the result says CANCELLED."""
        if not self.done:
            self._on_cancel(self.id)

    def result(self, timeout_s: float | None = None) -> SpeechResult:
        """How the request ended, also when it was cancelled; waits for the end.

        Raises:
            SpeechError: why it failed.
            TimeoutError: it has not ended in time.
        """
        if not self._ended.wait(timeout_s):
            raise TimeoutError(f"The speech was not finished within {timeout_s} s.")
        if self._error is not None:
            raise self._error
        assert self._result is not None
        return self._result

    # -- the engine's side --------------------------------------------------------------------------------------

    def _put(self, chunk: Chunk) -> None:
        if self.copies is not None:
            self.copies.append(chunk.samples)
        self._chunks.put(chunk)

    def _end(self, result: SpeechResult | None, error: Exception | None) -> bool:
        """Settle the request once; False when it was settled already."""
        with self._settle:
            if self._ended.is_set():
                return False
            self._result, self._error = result, error
            self._ended.set()
        self._chunks.put(_END)
        return True
