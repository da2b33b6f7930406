"""Turns changes of a project into rows to be written."""

from __future__ import annotations

import time

from app.model import checks
from app.model.history import History, Recorded
from app.model.project import Project
from app.services.store_ranks import Ranks
from app.services.store_rows import Batch, Rows

_FEW = 64


class Changes:
    """Knows where every paragraph stands in the file, and what of a project has to be written after a change.

    Belongs to the thread of the project.
    """

    def __init__(self, project: Project, history: History, rows: Rows) -> None:
        self._project = project
        self._history = history
        self._ranks = Ranks((block.id, rank) for block, rank in rows.blocks)
        # A script without a row has its one empty paragraph.
        missing = {block.id for block in project.blocks if block.id not in self._ranks}
        self._ranks.place(project.blocks, missing, project.index)

    def first_batch(self, meta: dict[str, str]) -> Batch:
        """The rows of a project that has no paragraph in its file, so that the id of its first one survives too."""
        return Batch(blocks=self.state("").blocks, meta=dict(meta))

    def batch_of(self, recorded: Recorded) -> Batch:
        """What one change, with its part of the history, writes."""
        touched, project = recorded.touched, self._project
        changed = self._ranks.place(project.blocks, touched.placed, project.index)
        self._ranks.forget(touched.removed_blocks)
        batch = Batch()
        wanted = {**touched.blocks, **dict.fromkeys(changed)}
        if len(wanted) > _FEW:  # one walk is cheaper than many searches
            blocks = [block for block in project.blocks if block.id in wanted]
        else:
            blocks = [project.block(block_id) for block_id in wanted]
        for block in blocks:
            batch.blocks[block.id] = (block, self._ranks[block.id])
        for block_id in touched.removed_blocks:
            batch.blocks[block_id] = None
        for take_id in touched.takes:
            batch.takes[take_id] = project.takes.get(take_id)
        for voice_id in touched.voices:
            batch.voices[voice_id] = project.voices.get(voice_id)
        if touched.lexicon:
            batch.meta["lexicon"] = self._lexicon()
        if touched.settings:
            batch.meta["settings"] = self._settings()
        for step in recorded.steps:
            batch.steps[step.number] = (step.label, step.command)
        for number in recorded.forgotten:
            batch.steps[number] = None
        batch.meta["done"] = str(recorded.done)
        batch.meta["changed_at_s"] = str(time.time())
        return batch

    def state(self, project_id: str) -> Batch:
        """The whole project as it is in memory, without audio and clips."""
        project, history = self._project, self._history
        return Batch(
            blocks={block.id: (block, self._ranks[block.id]) for block in project.blocks},
            takes=dict(project.takes),
            voices=dict(project.voices),
            meta={
                "project": project_id,
                "lexicon": self._lexicon(),
                "settings": self._settings(),
                "done": str(history.done),
            },
            steps={step.number: (step.label, step.command) for step in history.steps},
        )

    def _lexicon(self) -> str:
        return checks.to_json_text([list(each) for each in self._project.lexicon])

    def _settings(self) -> str:
        return checks.to_json_text(self._project.settings.to_json())
