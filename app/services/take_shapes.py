"""The shapes of takes: growing while they are spoken, measured in the background when they are older."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from app.model.block import Block
from app.model.take import Take
from app.services.excerpt import Excerpt, heard_shape
from app.services.overview import Overview

log = logging.getLogger(__name__)


class TakeShapes:
    """Shapes by take id. Asked and told on the project's thread; measuring happens on a thread of its own."""

    def __init__(self, post: Callable[[Callable[[], None]], None], known: Callable[[Block, Take, int], None]) -> None:
        """
        Args:
            known: called through `post` with the samples from first to last speech when a take was measured.
        """
        self._post, self._known = post, known
        self._shapes: dict[str, Overview] = {}
        self._measuring: set[str] = set()
        self._measurer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="measure")

    def of(self, take_id: str | None) -> Overview | None:
        return self._shapes.get(take_id) if take_id else None

    def begin(self, take_id: str) -> Overview:
        """The shape of a take that is being made; whoever makes it adds to it."""
        self._shapes[take_id] = shape = Overview()
        return shape

    def put(self, take_id: str, shape: Overview) -> None:
        self._shapes[take_id] = shape

    def forget(self) -> None:
        """Another project."""
        self._shapes.clear()
        self._measuring.clear()

    def is_known(self, take: Take) -> bool:
        """Whether it is known or will be."""
        return take.id in self._shapes or take.id in self._measuring

    def measure(self, block: Block, take: Take, excerpt: Excerpt, take_reader: Any) -> None:
        """Find out the shape of a stored take."""
        self._measuring.add(take.id)
        self._measurer.submit(self._measure, block, take, excerpt, take_reader)

    def close(self) -> None:
        self._measurer.shutdown(wait=True, cancel_futures=True)

    def _measure(self, block: Block, take: Take, excerpt: Excerpt, take_reader: Any) -> None:
        try:
            samples, shape = heard_shape(excerpt, block, None, take_reader)
        except Exception as error:  # a damaged take is told where it is heard
            log.info("a take could not be measured: %s", error)
            return

        def known() -> None:
            if take.id in self._measuring:  # else the project was closed meanwhile
                self._measuring.discard(take.id)
                self._shapes[take.id] = shape
                self._known(block, take, samples)

        self._post(known)
