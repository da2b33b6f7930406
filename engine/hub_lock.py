"""One download of a model at a time, in this program and beside it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from engine.hub_access import HubError

LOCK = ".lock"
WAIT_S = 2.0
_running: set[Path] = set()
_running_lock = threading.Lock()


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Nobody else downloads into the folder meanwhile. Raises HubError: somebody does."""
    from huggingface_hub.utils import WeakFileLock

    key = folder.resolve()
    with _running_lock:
        if key in _running:
            raise HubError("This model is being downloaded already.", "Wait for it, or stop it first.")
        _running.add(key)
    try:
        with ExitStack() as held:
            try:
                held.enter_context(WeakFileLock(folder / LOCK, timeout=WAIT_S))
            except TimeoutError as error:
                message = "Another program is downloading this model here."
                raise HubError(message, "Wait for it, then try again.") from error
            yield
    finally:
        with _running_lock:
            _running.discard(key)
