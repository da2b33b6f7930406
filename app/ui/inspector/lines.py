"""The selected lines, as the inspector reads and changes them."""

from __future__ import annotations

from typing import Any

from app.model.block import Block, BlockKind
from app.model.commands import SetBlockSettings
from app.ui.studio import Studio


class SelectedLines:
    """Notes and empty lines are left out: they are never spoken."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    def blocks(self) -> list[Block]:
        """In script order."""
        project = self._studio.project
        if project is None:
            return []
        found = [project.block(each) for each in self._studio.selection if project.has_block(each)]
        return [block for block in found if block.kind is not BlockKind.NOTE and block.text.strip()]

    def ids(self) -> tuple[str, ...]:
        return tuple(block.id for block in self.blocks())

    def set(self, name: str, value: Any) -> None:
        """Give all of them a setting; what is set again and again (a number that is stepped) is one step back."""
        self.change({name: value}, name)

    def change(self, changes: dict[str, Any], one_step: str = "") -> None:
        """Change settings of all of them. Changes in a row of the same name `one_step` are one step back."""
        ids = self.ids()
        if ids:
            merge_key = f"inspector:{one_step}:{ids[0]}:{len(ids)}" if one_step else None
            self._studio.do(SetBlockSettings(ids, changes), merge_key)
