"""Who listens, and which blocks must be spoken before they get there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from app.model.block import Block
from app.services.block_states import BlockStates


class Listener(Protocol):
    """Somebody who hears blocks in order; the renderer speaks ahead of them."""

    def ahead(self) -> Iterable[str]:
        """Ids of the blocks to hear, from the one that is heard now on."""

    def lead_s(self) -> float:
        """Audio ready ahead of the playhead. May be asked from any thread."""


class Ahead:
    """What the one listener will need. For the project's thread.

    Attributes:
        listener: None when nobody listens. seconds: how far ahead of them speech is made.
        tried: blocks that were made or failed for this listener and are not tried again.
    """

    def __init__(self, states: BlockStates, seconds: float) -> None:
        self._states = states
        self.seconds = seconds
        self.listener: Listener | None = None
        self.tried: set[str] = set()

    def listen(self, listener: Listener | None) -> None:
        self.listener = listener
        self.tried.clear()

    def wants(self, block: Block) -> bool:
        """Whether the block will be spoken before it is heard: it needs it and was not tried for this listener yet."""
        return self._states.needs_speaking(block) and block.id not in self.tried

    def is_heard(self, block_id: str) -> bool:
        """The block that is heard right now is spoken to its end, whatever is typed in it."""
        return self.listener is not None and next(iter(self.listener.ahead()), None) == block_id

    def wanted(self, most: int) -> list[str]:
        """The next blocks that must be spoken, none of them further than `seconds` from where the listener is."""
        found: list[str] = []
        if self.listener is None or self._states.store is None:
            return found
        project = self._states.project
        ahead_s = self.listener.lead_s()
        for block_id in self.listener.ahead():
            if ahead_s > self.seconds or not project.has_block(block_id):
                break
            block = project.block(block_id)
            if self.wants(block):
                found.append(block_id)
                if len(found) >= most:
                    break
            ahead_s += self._states.length_s(block)[0]
        return found
