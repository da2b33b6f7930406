"""Which lines were to be spoken when a project was left, so that it can be gone on with after a restart."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from app.model import checks
from app.model.errors import FormatError
from app.services.store_rows import Batch

_NAME = "asked"


class Asked:
    """A row beside the project: no edit, and not for undo."""

    def __init__(self, meta: Mapping[str, str]) -> None:
        self._text = meta.get(_NAME, "[]")

    @property
    def block_ids(self) -> list[str]:
        """In order; none where what is written cannot be read."""
        try:
            raw = checks.from_json_text(self._text, "The lines to make", 16_000_000)
            return [checks.identifier(each, "A line") for each in checks.items(raw, "The lines to make", 200_000)]
        except FormatError:
            return []

    def keep(self, block_ids: Sequence[str]) -> Batch:
        """What is to be written so that these are kept; empty where that changes nothing."""
        text = json.dumps(list(block_ids))
        if text == self._text:
            return Batch()
        self._text = text
        return Batch(meta={_NAME: text})
