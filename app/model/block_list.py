"""The ordered blocks of a script, found by index, by id and by position in the text at a cost that hardly grows with
the script."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from app.model.block import Block

_FULL = 128  # blocks a chunk may hold before it is cut in two


class _Chunk:
    """Neighbouring blocks and the sum of their characters, each with the line feed that ends it."""

    __slots__ = ("blocks", "chars")

    def __init__(self, blocks: list[Block]) -> None:
        self.blocks = blocks
        self.chars = sum(len(block.text) + 1 for block in blocks)


class BlockList(Sequence[Block]):
    """Blocks in chunks of at most 128: a lookup by position walks the sums of the chunks, then one chunk.

    At 5,000 blocks that is about 80 + 64 steps, some microseconds; an edit touches one chunk. Ids are unique. By index,
    as views ask at every repaint, a chunk is found by halving.
    """

    def __init__(self, blocks: Iterable[Block] = ()) -> None:
        self._chunks: list[_Chunk] = []
        self._chunk_of: dict[str, _Chunk] = {}
        self._block_of: dict[str, Block] = {}
        self._count = 0
        self._firsts: list[int] = []  # index of the first block of each chunk; empty: to be counted again
        self._fill(0, list(blocks))

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Block]:
        for chunk in self._chunks:
            yield from chunk.blocks

    @overload
    def __getitem__(self, index: int) -> Block: ...
    @overload
    def __getitem__(self, index: slice) -> list[Block]: ...
    def __getitem__(self, index: int | slice) -> Block | list[Block]:
        if isinstance(index, slice):
            first, end, step = index.indices(self._count)
            if step != 1:
                return [self[each] for each in range(first, end, step)]
            return self._span(first, max(0, end - first))
        at = index + self._count if index < 0 else index
        if not 0 <= at < self._count:
            raise IndexError(index)
        number, at = self._locate(at)
        return self._chunks[number].blocks[at]

    def __contains__(self, item: object) -> bool:
        return isinstance(item, Block) and item.id in self._chunk_of and self.by_id(item.id) == item

    def has(self, block_id: str) -> bool:
        return block_id in self._chunk_of

    def by_id(self, block_id: str) -> Block:
        """Raises KeyError."""
        return self._block_of[block_id]

    def index_of(self, block_id: str) -> int:
        """Raises KeyError."""
        home = self._chunk_of[block_id]
        before = 0
        for chunk in self._chunks:
            if chunk is home:
                break
            before += len(chunk.blocks)
        return before + next(at for at, block in enumerate(home.blocks) if block.id == block_id)

    @property
    def characters(self) -> int:
        """Length of the script: texts joined by line feeds."""
        return max(0, sum(chunk.chars for chunk in self._chunks) - 1)

    def start_of(self, index: int) -> int:
        """Position in the script where the block begins; `len(self)` gives one past the end plus the missing line
        feed."""
        at, chars = index, 0
        for chunk in self._chunks:
            if at < len(chunk.blocks):
                return chars + sum(len(block.text) + 1 for block in chunk.blocks[:at])
            at -= len(chunk.blocks)
            chars += chunk.chars
        if at:
            raise IndexError(index)
        return chars

    def at_position(self, position: int) -> tuple[int, int]:
        """(index, offset) of a position 0..characters; a position just before a line feed belongs to the block it
        ends."""
        if position < 0:
            raise IndexError(position)
        before, left = 0, position
        for chunk in self._chunks:
            if left < chunk.chars:
                for at, block in enumerate(chunk.blocks):
                    if left <= len(block.text):
                        return before + at, left
                    left -= len(block.text) + 1
            left -= chunk.chars
            before += len(chunk.blocks)
        raise IndexError(position)

    def put(self, block: Block) -> None:
        """Replace the block of the same id. Raises KeyError."""
        chunk = self._chunk_of[block.id]
        at = next(at for at, each in enumerate(chunk.blocks) if each.id == block.id)
        chunk.chars += len(block.text) - len(chunk.blocks[at].text)
        chunk.blocks[at] = self._block_of[block.id] = block

    def splice(self, first: int, count: int, blocks: Sequence[Block]) -> list[Block]:
        """Replace `count` blocks from `first` on by others; returns what was there. Raises ValueError for an id that is
        taken."""
        if not 0 <= first <= first + count <= self._count:
            raise IndexError(first)
        removed = self._span(first, count)
        gone = {block.id for block in removed}
        fresh = {block.id for block in blocks}
        if len(fresh) != len(blocks) or any(each in self._chunk_of and each not in gone for each in fresh):
            raise ValueError("Two blocks cannot have one id.")
        self._cut(first, count)
        self._fill(first, list(blocks))
        return removed

    def _span(self, first: int, count: int) -> list[Block]:
        found: list[Block] = []
        if not self._chunks:
            return found
        number, at = self._locate(first)
        for chunk in self._chunks[number:]:
            if len(found) == count:
                break
            found += chunk.blocks[at : at + count - len(found)]
            at = 0
        return found

    def _locate(self, index: int) -> tuple[int, int]:
        """(chunk number, offset in it); the end of the list is the end of its last chunk. There is a chunk."""
        if not self._firsts:
            count = 0
            for chunk in self._chunks:
                self._firsts.append(count)
                count += len(chunk.blocks)
        number = bisect_right(self._firsts, index) - 1
        return number, index - self._firsts[number]

    def _cut(self, first: int, count: int) -> None:
        if not count:
            return
        number, at = self._locate(first)
        self._firsts.clear()
        left = count
        while left:
            chunk = self._chunks[number]
            taken = chunk.blocks[at : at + left]
            for block in taken:
                del self._chunk_of[block.id], self._block_of[block.id]
            chunk.chars -= sum(len(block.text) + 1 for block in taken)
            del chunk.blocks[at : at + left]
            left -= len(taken)
            if chunk.blocks:
                number, at = number + 1, 0
            else:
                del self._chunks[number]
                at = 0
        self._count -= count

    def _fill(self, first: int, blocks: list[Block]) -> None:
        if not blocks:
            return
        if not self._chunks:
            self._chunks.append(_Chunk([]))
        number, at = self._locate(first)
        self._firsts.clear()
        chunk = self._chunks[number]
        chunk.blocks[at:at] = blocks
        self._count += len(blocks)
        self._block_of.update((block.id, block) for block in blocks)
        if len(chunk.blocks) <= _FULL:
            chunk.chars += sum(len(block.text) + 1 for block in blocks)
            for block in blocks:
                self._chunk_of[block.id] = chunk
            return
        parts = [_Chunk(chunk.blocks[start : start + _FULL // 2]) for start in range(0, len(chunk.blocks), _FULL // 2)]
        self._chunks[number : number + 1] = parts
        for part in parts:
            for block in part.blocks:
                self._chunk_of[block.id] = part
