"""A few blocks of a project, frozen, so that another thread can mix them while the person goes on writing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.model.block import Block
from app.model.project_settings import ProjectSettings
from app.model.take import Take
from app.services.live_take import LiveTake
from app.services.mixer import Mixer, MixSettings
from app.services.overview import Overview
from app.services.programme import mix, programme
from app.services.speaking import Manner

if TYPE_CHECKING:
    from app.model.project import Project
    from engine import SpeechPlan


class Excerpt:
    """What `programme` reads of a project, for consecutive blocks.

    Attributes:
        block_ids, settings, takes: see Project.
    """

    def __init__(self, project: Project, block_ids: list[str], manner_of: Callable[[Block], Manner | None]) -> None:
        self.block_ids = tuple(block_ids)
        self.settings: ProjectSettings = project.settings
        self._blocks = {block_id: project.block(block_id) for block_id in block_ids}
        self._order = {block_id: number for number, block_id in enumerate(block_ids)}
        self._manners = {block_id: manner_of(block) for block_id, block in self._blocks.items()}
        self.takes: dict[str, Take] = {}
        for block in self._blocks.values():
            take = project.takes.get(block.chosen) if block.chosen else None
            if take is not None:
                self.takes[take.id] = take

    def block(self, block_id: str) -> Block:
        return self._blocks[block_id]

    def index(self, block_id: str) -> int:
        return self._order[block_id]

    @property
    def lacks_model(self) -> bool:
        """No model is known yet, so nothing can be planned."""
        return any(manner is None for manner in self._manners.values())

    def with_text(self, block_id: str, text: str) -> None:
        """A take of this text is being made: what it speaks counts, though the block was edited since."""
        self._blocks[block_id] = replace(self._blocks[block_id], text=text)

    def plan(self, block: Block, text: str) -> SpeechPlan:
        manner = self._manners[block.id]
        if manner is None:
            raise RuntimeError("no model is known")
        return manner.plan(block, text)


def mix_settings(settings: ProjectSettings) -> MixSettings:
    """How the pieces of a project are put together."""
    return MixSettings(room_tone_db=settings.room_tone_db)


def heard_shape(excerpt: Excerpt, block: Block, live: LiveTake | None, take_reader: Any) -> tuple[int, Overview]:
    """Samples from the first to the last speech of one block as it is heard, and the shape of them before its gain,
    as it is drawn while the take is made: the gain may be changed at any time.

    `live` is a take that has ended and is still in memory; None reads the chosen one with `take_reader`.
    """
    mixer = Mixer(mix_settings(excerpt.settings))

    def spoken(_block: Block) -> Iterator[Iterator[np.ndarray]] | None:
        if live is None:
            return None
        return (live.heard(piece) for piece in range(live.piece_count))

    actions = programme(
        excerpt,  # type: ignore[arg-type]
        [block.id],
        take_reader,
        excerpt.plan,
        live=spoken,
        gain_db=lambda each: -excerpt.settings.gain_db(each),
    )
    made = list(mix(actions, mixer))
    spans = [span for span in mixer.spans if span.end_sample > span.start_sample]
    shape = Overview()
    if not spans:
        return 0, shape
    start, end = spans[0].start_sample, spans[-1].end_sample
    shape.add(np.concatenate(made)[start:end])
    return end - start, shape
