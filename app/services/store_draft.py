"""A project that is put together in memory, so that its file begins whole."""

from __future__ import annotations

import time

from app.model.block import Block, new_id
from app.model.history import History
from app.model.project import Project
from app.services import store_clips
from app.services.store_changes import Changes
from app.services.store_rows import Batch, Rows


class Draft:
    """What a new project begins with. Its history is not kept: there is nothing to take back in a new project.

    Attributes:
        project, history: what it is put together with.
    """

    def __init__(self) -> None:
        self.project = Project([Block()])
        self.history = History(self.project)
        self._clips: dict[str, tuple[str, bytes]] = {}

    def add_clip(self, data: bytes, name: str) -> str:
        """See `ProjectStore.add_clip`."""
        sha256 = store_clips.checked(data, name)
        self._clips[sha256] = (name[:255], data)
        return sha256

    def first(self) -> tuple[Rows, Batch]:
        """The project as it is read from its file, and as it is written there."""
        project = self.project
        batch = Changes(project, History(project), Rows()).state(new_id())
        batch.meta["created_at_s"] = str(time.time())
        batch.clips = dict(self._clips)
        rows = Rows(
            blocks=[placed for placed in batch.blocks.values() if placed is not None],
            voices=list(project.voices.values()),
            lexicon=project.lexicon,
            settings=project.settings,
            meta=dict(batch.meta),
        )
        return rows, batch
