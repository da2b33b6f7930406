"""An export of an open project: frozen on the project's thread, run on another, rendering what is missing in
between."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

from app.model.block import Block
from app.model.take import Take
from app.services.excerpt import Excerpt
from app.services.exporter import export, snapshot
from app.services.exporter_request import Cancelled, ExportReport, ExportRequest, Progress
from app.services.speaking import Manner
from engine import Priority

if TYPE_CHECKING:
    from app.model.project import Project
    from app.services.renderer import Renderer

_T = TypeVar("_T")
_ASK_EVERY_S = 0.1
_LOOK_AGAIN_S = 0.2
Post = Callable[[Callable[[], None]], None]
Run = Callable[[Callable[[Progress], None], Callable[[], bool]], ExportReport]


def prepare_export(renderer: Renderer, request: ExportRequest, post: Post, *, render_first: bool = True) -> Run:
    """What to run on another thread to export the renderer's project as it is now.

    Call it on the project's thread, which must go on running what is posted while the export runs. The model's card
    must be
    known; its engine only where something has to be spoken.

    Args:
        post: brings a call to the project's thread.
        render_first: speak what is missing or stale; else it stops the export.

    Returns:
        `run(progress, cancelled)`, which raises as `exporter.export`.
    """
    project = snapshot(renderer.project)
    ids = [block.id for block in project.blocks]
    excerpt = Excerpt(renderer.project, ids, renderer.states.manner)
    manners: dict[str, Manner | None] = {block.id: renderer.states.manner(block) for block in project.blocks}
    read_take = renderer.store.read_take

    # What was streamed in mono to a listener is spoken again for a file that has two channels.
    card, stereo = renderer.states.card, render_first and request.audio.channels > 1

    def is_stale(block: Block, take: Take) -> bool:
        manner = manners[block.id]
        if stereo and take.figures.get("mono") and card is not None and take.settings.get("model") == card.name:
            return True
        return manner is not None and manner.is_stale(block, take)

    rendering = RenderFirst(renderer, post) if render_first else None

    def run(progress: Callable[[Progress], None], cancelled: Callable[[], bool]) -> ExportReport:
        return export(
            project,
            request,
            read_take,
            excerpt.plan,
            is_stale=is_stale,
            rendering=rendering,
            progress=progress,
            cancelled=cancelled,
        )

    return run


class RenderFirst:
    """Lets the renderer of the studio speak what an export needs, and waits for it on the export's own thread."""

    def __init__(self, renderer: Renderer, post: Post) -> None:
        self._renderer = renderer
        self._post = post
        self._reasons: dict[str, str] = {}
        self._cancelled: Callable[[], bool] = lambda: False

    def render(
        self, block_ids: Sequence[str], progress: Callable[[float], None], cancelled: Callable[[], bool]
    ) -> Project:
        self._cancelled = cancelled
        self._ask(lambda: self._renderer.render(block_ids, Priority.EXPORTING))
        waiting = len(block_ids)
        while waiting:
            if cancelled():
                self._post(lambda: self._renderer.cancel(block_ids))
                raise Cancelled
            waiting = self._ask(lambda: self._waiting(block_ids))
            progress(1.0 - waiting / len(block_ids))
            if waiting:
                time.sleep(_ASK_EVERY_S)
        return self._ask(lambda: self._end(block_ids))

    def reason(self, block_id: str) -> str:
        return self._reasons.get(block_id, "")

    def _waiting(self, block_ids: Sequence[str]) -> int:
        """How many of the blocks are still queued or being spoken; on the project's thread."""
        there = [each for each in block_ids if self._renderer.project.has_block(each)]
        return sum(self._renderer.state(each) in ("queued", "speaking") for each in there)

    def _end(self, block_ids: Sequence[str]) -> Project:
        project = self._renderer.project
        self._reasons = {each: self._renderer.reason(each) for each in block_ids if project.has_block(each)}
        return snapshot(project)

    def _ask(self, question: Callable[[], _T]) -> _T:
        """Runs a call on the project's thread and waits for what it returns. Raises Cancelled, also when nobody
        answers."""
        answer: Future[_T] = Future()

        def call() -> None:
            try:
                answer.set_result(question())
            except BaseException as error:
                answer.set_exception(error)

        self._post(call)
        while True:
            try:
                return answer.result(_LOOK_AGAIN_S)
            except TimeoutError:
                if answer.done():
                    raise
                # A window that was closed meanwhile answers no more.
                if self._cancelled():
                    raise Cancelled from None
