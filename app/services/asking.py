"""What a person asks to be spoken: which lines need it, which are spoken again, and how much of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from app.services.block_states import BlockStates
from app.services.programme import is_spoken
from app.services.render_job import RenderJob
from app.services.respeak import Sentences
from app.services.work_in_hand import WorkInHand
from engine import Priority


class Asking:
    """Puts what is asked for among what waits. For the project's thread."""

    def __init__(self, states: BlockStates, work: WorkInHand, changed: Callable[[str], None]) -> None:
        self._states, self._work, self._tell_changed = states, work, changed

    def render(self, block_ids: Iterable[str], priority: Priority) -> int:
        """Those of these blocks that need it; returns how many."""
        states, work = self._states, self._work
        needs = states.needs_speaking if priority is not Priority.EXPORTING else states.needs_export
        wanted = [block_id for block_id in block_ids if needs(states.project.block(block_id))]
        work.begin_asking()
        for block_id in wanted:
            states.forget_failure(block_id)
            work.asked[block_id] = max(1, work.asked.get(block_id, 0))
            if not work.jobs_of(block_id):
                work.waiting.add(RenderJob(block_id, priority))
                self._tell_changed(block_id)
        return len(wanted)

    def again(self, block_id: str, wishes: Sequence[Sentences | None], priority: Priority) -> bool:
        """One more take of a block for each wish: of these sentences, or of all; False where none may be made."""
        states, work = self._states, self._work
        block = states.project.block(block_id)
        if block.settings.locked or not is_spoken(states.project, block):
            return False
        work.begin_asking()
        states.forget_failure(block_id)
        work.asked[block_id] = work.asked.get(block_id, 0) + len(wishes)
        for sentences in wishes:
            work.add(RenderJob(block_id, priority, again=True, sentences=sentences))
        return True
