"""The ordered blocks of a script, found by index, by id and by position in the text at a cost that hardly grows with
the script."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import overload

from app.model.block import Block

_FULL = 128  # blocks a chunk may hold before it is cut in two


class _Chunk:
    """Neighbouring blocks and the sum of their characters, each with the line feed that ends it.

    Where each begins and what its id is are found once and kept until blocks or texts are others.
    """

    __slots__ = ("_ids", "_starts", "blocks", "chars")

    def __init__(self, blocks: list[Block]) -> None:
        self.blocks = blocks
        self.count()

    def count(self) -> None:
        """Other blocks are in it."""
        self.chars = sum(len(block.text) + 1 for block in self.blocks)
        self._ids: list[str] | None = None
        self._starts: list[int] | None = None

    def put(self, at: int, block: Block) -> int:
        """Another state of the same block; by how many characters it is longer."""
        grown = len(block.text) - len(self.blocks[at].text)
        self.blocks[at] = block
        if grown:
            self.chars += grown
            self._starts = None
        return grown

    def index_of(self, block_id: str) -> int:
        if self._ids is None:
            self._ids = [block.id for block in self.blocks]
        return self._ids.index(block_id)

    def starts(self) -> list[int]:
        """Of each block, from the beginning of the chunk."""
        if self._starts is None:
            self._starts = list(accumulate((len(block.text) + 1 for block in self.blocks[:-1]), initial=0))
        return self._starts


class BlockList(Sequence[Block]):
    """Blocks in chunks of at most 128; a chunk, and a block in it, is found by halving. Ids are unique.

    An edit touches one chunk. Where the chunks begin is counted again from that one on when it is asked for, so a step
    of thousands of edits from the end of a script to its beginning counts hardly anything twice.
    """

    def __init__(self, blocks: Iterable[Block] = ()) -> None:
        self._chunks: list[_Chunk] = []
        self._chunk_of: dict[str, _Chunk] = {}
        self._block_of: dict[str, Block] = {}
        self._count = 0
        self._total = 0  # characters, each block with its line feed
        self._firsts: list[int] = []  # index of the first block of each chunk; empty: to be counted again
        self._begins: list[int] = []  # position at which each chunk begins, as far as it is known
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
        return before + home.index_of(block_id)

    @property
    def characters(self) -> int:
        """Length of the script: texts joined by line feeds."""
        return max(0, self._total - 1)

    def start_of(self, index: int) -> int:
        """Position in the script where the block begins; `len(self)` gives one past the end plus the missing line
        feed."""
        if index == self._count:
            return self._total
        if not 0 <= index < self._count:
            raise IndexError(index)
        number, at = self._locate(index)
        return self._begin_of(number) + self._chunks[number].starts()[at]

    def at_position(self, position: int) -> tuple[int, int]:
        """(index, offset) of a position 0..characters; a position just before a line feed belongs to the block it
        ends."""
        if not 0 <= position < self._total:
            raise IndexError(position)
        while (not self._begins or self._begins[-1] <= position) and len(self._begins) < len(self._chunks):
            self._begin_of(len(self._begins))
        number = bisect_right(self._begins, position) - 1
        starts, left = self._chunks[number].starts(), position - self._begins[number]
        at = bisect_right(starts, left) - 1
        return self._chunk_firsts()[number] + at, left - starts[at]

    def put(self, block: Block) -> None:
        """Replace the block of the same id. Raises KeyError."""
        chunk = self._chunk_of[block.id]
        grown = chunk.put(chunk.index_of(block.id), block)
        self._block_of[block.id] = block
        if grown:
            self._total += grown
            self._keep_begins(next(number for number, each in enumerate(self._chunks) if each is chunk) + 1)

    def _begin_of(self, number: int) -> int:
        """Position at which a chunk begins."""
        begins = self._begins
        while len(begins) <= number:
            begins.append(begins[-1] + self._chunks[len(begins) - 1].chars if begins else 0)
        return begins[number]

    def _keep_begins(self, count: int) -> None:
        del self._begins[count:]

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

    def _chunk_firsts(self) -> list[int]:
        if not self._firsts:
            self._firsts = list(accumulate((len(chunk.blocks) for chunk in self._chunks[:-1]), initial=0))
        return self._firsts

    def _locate(self, index: int) -> tuple[int, int]:
        """(chunk number, offset in it); the end of the list is the end of its last chunk. There is a chunk."""
        firsts = self._chunk_firsts()
        number = bisect_right(firsts, index) - 1
        return number, index - firsts[number]

    def _cut(self, first: int, count: int) -> None:
        if not count:
            return
        number, at = self._locate(first)
        self._firsts.clear()
        self._keep_begins(number + 1)
        left = count
        while left:
            chunk = self._chunks[number]
            taken = chunk.blocks[at : at + left]
            for block in taken:
                del self._chunk_of[block.id], self._block_of[block.id]
            del chunk.blocks[at : at + left]
            left -= len(taken)
            self._total -= chunk.chars
            chunk.count()
            self._total += chunk.chars
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
        self._keep_begins(number + 1)
        chunk = self._chunks[number]
        chunk.blocks[at:at] = blocks
        self._total += sum(len(block.text) + 1 for block in blocks)
        self._count += len(blocks)
        self._block_of.update((block.id, block) for block in blocks)
        if len(chunk.blocks) <= _FULL:
            chunk.count()
            for block in blocks:
                self._chunk_of[block.id] = chunk
            return
        parts = [_Chunk(chunk.blocks[start : start + _FULL // 2]) for start in range(0, len(chunk.blocks), _FULL // 2)]
        self._chunks[number : number + 1] = parts
        for part in parts:
            for block in part.blocks:
                self._chunk_of[block.id] = part
