"""The shapes of takes: growing while they are spoken, measured in the background when they are older."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from app.model.block import Block
from app.model.take import Take
from app.services.excerpt import Excerpt, heard_shape
from app.services.overview import BIN_SAMPLES, Overview

log = logging.getLogger(__name__)

_MAGIC = b"MVS1"


class TakeShapes:
    """Shapes by take id. Asked and told on the project's thread; measuring happens on a thread of its own."""

    def __init__(
        self,
        post: Callable[[Callable[[], None]], None],
        known: Callable[[Block, Take, str, int], None],
        folder: Path | None = None,
    ) -> None:
        """
        Args:
            folder: where shapes are kept for the next time; may be deleted at any time.
            known: called through `post` with what it was heard as (see `BlockStates.heard_as`) and the samples from
                first to last speech when a take was measured.
        """
        self._post, self._known, self._folder = post, known, folder
        self._shapes: dict[str, Overview] = {}
        self._heard_as: dict[str, str] = {}  # by take id: what the shape is of
        self._measuring: set[str] = set()
        self._measurer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="measure")

    def of(self, take_id: str | None) -> Overview | None:
        return self._shapes.get(take_id) if take_id else None

    def begin(self, take_id: str) -> Overview:
        """The shape of a take that is being made; whoever makes it adds to it."""
        self._shapes[take_id] = shape = Overview()
        return shape

    def put(self, take: Take, heard_as: str, shape: Overview) -> None:
        """The shape of a take that was made, as it is heard with the present pauses of its block."""
        self._shapes[take.id] = shape
        self._heard_as[take.id] = heard_as
        self._measurer.submit(self._keep, take, heard_as, shape)

    def forget(self) -> None:
        """Another project."""
        self._shapes.clear()
        self._heard_as.clear()
        self._measuring.clear()

    def is_known(self, take: Take, heard_as: str) -> bool:
        """Whether its shape with these pauses is known or will be; one that is being measured is waited for."""
        return take.id in self._measuring or (take.id in self._shapes and self._heard_as.get(take.id) == heard_as)

    def measure(self, block: Block, take: Take, heard_as: str, excerpt: Excerpt, take_reader: Any) -> None:
        """Find out the shape of a stored take."""
        self._measuring.add(take.id)
        self._measurer.submit(self._measure, block, take, heard_as, excerpt, take_reader)

    def close(self) -> None:
        self._measurer.shutdown(wait=False, cancel_futures=True)

    def _measure(self, block: Block, take: Take, heard_as: str, excerpt: Excerpt, take_reader: Any) -> None:
        shape = self._kept(take, heard_as)
        if shape is None:
            try:
                _, shape = heard_shape(excerpt, block, None, take_reader)
            except Exception as error:  # a damaged take is told where it is heard
                log.info("a take could not be measured: %s", error)
                return
            self._keep(take, heard_as, shape)
        samples = shape.samples

        def known() -> None:
            if take.id in self._measuring:  # else the project was closed meanwhile
                self._measuring.discard(take.id)
                self._shapes[take.id] = shape
                self._heard_as[take.id] = heard_as
                self._known(block, take, heard_as, samples)

        self._post(known)

    def _path(self, take: Take, heard_as: str) -> Path | None:
        if self._folder is None:
            return None
        # Pauses are in the shape, so it belongs to a text as well as to a take.
        name = hashlib.sha256(f"{take.id}/{heard_as}".encode("utf-8", "surrogatepass")).hexdigest()[:40]
        return self._folder / name[:2] / name

    def _kept(self, take: Take, heard_as: str) -> Overview | None:
        path = self._path(take, heard_as)
        try:
            data = path.read_bytes() if path is not None else b""
        except OSError:
            return None
        if len(data) < 8 or data[:4] != _MAGIC:
            return None
        samples = int.from_bytes(data[4:8], "little")
        return Overview.from_bytes(data[8:], samples) if len(data) - 8 == samples // BIN_SAMPLES * 2 else None

    def _keep(self, take: Take, heard_as: str, shape: Overview) -> None:
        path = self._path(take, heard_as)
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_name(path.name + ".part")
            part.write_bytes(_MAGIC + shape.samples.to_bytes(4, "little") + shape.to_bytes())
            os.replace(part, path)
        except (OSError, OverflowError) as error:
            log.info("the shape of a take was not kept: %s", error)
