"""What is heard of a line as a shape: from its take, or growing while it is spoken."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from app.model.block import Block
from app.model.take import Take
from app.services.block_states import BlockStates
from app.services.excerpt import Excerpt
from app.services.overview import Overview
from app.services.take_shapes import TakeShapes
from app.services.work_in_hand import WorkInHand


class LineShapes:
    """For the project's thread.

    Attributes:
        takes: the shapes that are known, by take.
    """

    def __init__(
        self,
        states: BlockStates,
        work: WorkInHand,
        deliver: Callable[[Callable[[], None]], None],
        cache: Path | None,
        changed: Callable[[str], None],
    ) -> None:
        """
        Args:
            deliver: brings what was measured to the project's thread.
            cache: where shapes are kept.
            changed: told of a block that was measured.
        """
        self.takes = TakeShapes(deliver, self._measured, cache)
        self._states, self._work, self._tell_changed = states, work, changed

    def of(self, block: Block) -> Overview | None:
        """The shape of what is heard of a block, where it is known: growing while it is spoken."""
        live = self._work.live(block.id)
        if live is not None and live.seconds:
            return self.takes.of(live.take_id)
        return self.takes.of(block.chosen)

    def is_measured(self, block: Block) -> bool:
        """Whether `of` is, or soon will be, that of what is heard now; it is not when a pause was made longer."""
        take = self._states.take(block)
        if take is None or self._work.live(block.id) is not None:
            return True
        return self.takes.is_known(take, self._states.heard_as(block, take))

    def measure(self, block_ids: Iterable[str]) -> None:
        """Find out the shape and length of takes that were made earlier, in the background."""
        states = self._states
        for block_id in block_ids:
            block = states.project.block(block_id)
            take = states.take(block)
            if take is None or self._work.jobs_of(block_id):
                continue
            heard_as = states.heard_as(block, take)
            if self.takes.is_known(take, heard_as):
                continue
            excerpt = Excerpt(states.project, [block_id], states.manner)
            if not excerpt.lacks_model:
                self.takes.measure(block, take, heard_as, excerpt, states.store.read_take)

    def _measured(self, block: Block, take: Take, heard_as: str, samples: int) -> None:
        self._states.measured_samples[take.id] = (heard_as, samples)
        self._tell_changed(block.id)
