"""Numbers that order the blocks in the file, so that a new paragraph writes one row and not all that follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from app.model.block import Block

STEP = 1 << 24  # between neighbours that are written in order
_FAR = 1 << 40  # between a moved or pasted stretch and the end of the script


class Ranks:
    """The rank of every block of a script; ranks grow along it."""

    def __init__(self, ranks: Iterable[tuple[str, int]] = ()) -> None:
        self._ranks = dict(ranks)

    def __getitem__(self, block_id: str) -> int:
        return self._ranks[block_id]

    def __contains__(self, block_id: str) -> bool:
        return block_id in self._ranks

    def forget(self, block_ids: Iterable[str]) -> None:
        for block_id in block_ids:
            self._ranks.pop(block_id, None)

    def place(self, blocks: Sequence[Block], placed: set[str], index_of: Callable[[str], int]) -> set[str]:
        """Give ranks to blocks that are new or moved; returns the ids whose rank is another now.

        Args:
            blocks: the whole script.
            placed: ids that may stand elsewhere than before.
            index_of: function from id to index.
        """
        if not placed:
            return set()
        if len(placed) > 64:
            order = [at for at, block in enumerate(blocks) if block.id in placed]
        else:
            order = sorted(index_of(block_id) for block_id in placed)
        changed: set[str] = set()
        start = 0
        while start < len(order):
            end = start
            while end + 1 < len(order) and order[end + 1] == order[end] + 1:
                end += 1
            run = blocks[order[start] : order[end] + 1]
            left = self._ranks.get(blocks[order[start] - 1].id) if order[start] else None
            right = self._ranks.get(blocks[order[end] + 1].id) if order[end] + 1 < len(blocks) else None
            if not self._spread(run, left, right):
                return self._number_all(blocks)
            changed.update(block.id for block in run)
            start = end + 1
        return changed

    def _spread(self, run: Sequence[Block], left: int | None, right: int | None) -> bool:
        """Ranks between two others; False when there is no room."""
        count = len(run)
        if left is None:
            if right is None:
                return False  # the whole script: number it with wide gaps
            left = right - (count + 1) * STEP
        step = STEP if right is None else min(STEP, (right - left) // (count + 1))
        if step < 1 or not -(1 << 62) < left < (1 << 62):
            return False
        for number, block in enumerate(run, 1):
            self._ranks[block.id] = left + number * step
        return True

    def _number_all(self, blocks: Sequence[Block]) -> set[str]:
        self._ranks = {block.id: number * _FAR for number, block in enumerate(blocks, 1)}
        return set(self._ranks)
