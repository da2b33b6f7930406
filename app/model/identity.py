"""Which paragraph is still which after an edit of the script's text."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.model.block import Block, new_id


@dataclass(frozen=True)
class Incoming:
    """A line that comes into the script: its text, and the block it was if it was cut or copied as a whole
    paragraph."""

    text: str
    carried: Block | None = None


def blocks_after(
    old: Sequence[Block], head: str, lines: Sequence[Incoming], tail: str, is_taken: Callable[[str], bool]
) -> list[Block]:
    """The blocks that stand where `old` stood once everything between `head` and `tail` was replaced by `lines`.

    On a split the part with more of the old text keeps the id, on a tie the first; on a join the longer one. Lines in
    the middle keep the id of an old paragraph with the same text, else those of equally many changed paragraphs in
    order. New parts take over the settings of the paragraph they come from, without its length, seed and lock. A
    carried paragraph brings id and settings where nothing of the old paragraph is left; an id that lives already is
    replaced by a new one.

    Args:
        old: the touched blocks, at least one.
        head, tail: what is left of the first before, and of the last behind the edit.
        lines: at least one; the first continues `head`, the last is continued by `tail`.
        is_taken: whether a block outside `old` has this id.
    """
    texts = [line.text for line in lines]
    texts[0] = head + texts[0]
    texts[-1] += tail
    owners: list[Block | None] = [None] * len(texts)
    head_wins = len(head) >= len(tail)
    first, last = old[0], old[-1]
    if len(texts) == 1 or len(old) == 1:
        # All that is left of the old text goes to one owner: the joined line, or the larger part of the split one.
        keeper = first if head_wins else last
        at = 0 if head_wins else len(texts) - 1
        if head or tail or lines[at].carried is None:
            owners[at] = keeper
    else:
        if head or lines[0].carried is None:
            owners[0] = first
        if tail or lines[-1].carried is None:
            owners[-1] = last
        _match_middle(old[1:-1], lines, texts, owners)
    used = {owner.id for owner in owners if owner is not None}
    found: list[Block] = []
    for at, (line, text, owner) in enumerate(zip(lines, texts, owners, strict=True)):
        if owner is not None:
            found.append(owner if owner.text == text else replace(owner, text=text))
            continue
        # At the ends a carried paragraph counts only if nothing of another one is glued to it.
        alone = (at > 0 or not head) and (at < len(texts) - 1 or not tail)
        if line.carried is not None and alone:
            block_id = line.carried.id
            if block_id in used or is_taken(block_id):
                # A second copy is a paragraph of its own; takes of the first are found by content, not by this list.
                block = Block(new_id(), text, line.carried.settings)
            else:
                block = replace(line.carried, text=text)
        else:
            parent = found[-1] if found and len(old) > 1 else first
            block = Block(new_id(), text, parent.settings.for_split())
        used.add(block.id)
        found.append(block)
    return found


def _match_middle(
    old: Sequence[Block], lines: Sequence[Incoming], texts: Sequence[str], owners: list[Block | None]
) -> None:
    """Give old paragraphs to the lines between the first and the last, in order, each at most once."""
    places: dict[str, deque[int]] = {}
    for at, block in enumerate(old):
        places.setdefault(block.text, deque()).append(at)
    free = 0  # old paragraphs before this one are given away or passed
    gap: list[int] = []

    def close_gap(upto: int) -> None:
        if len(gap) == upto - free:
            for line_at, old_at in zip(gap, range(free, upto), strict=True):
                owners[line_at] = old[old_at]
        gap.clear()

    for at in range(1, len(texts) - 1):
        if lines[at].carried is not None:
            continue
        same = places.get(texts[at])
        while same and same[0] < free:
            same.popleft()
        if same:
            found = same.popleft()
            close_gap(found)
            owners[at] = old[found]
            free = found + 1
        else:
            gap.append(at)
    close_gap(len(old))


def trimmed(position: int, removed: str, inserted: str) -> tuple[int, str, str]:
    """The smallest edit that does the same: what both texts begin and end with is no part of it."""
    if not removed or not inserted:
        return position, removed, inserted
    limit = min(len(removed), len(inserted))
    start = common_beginning(removed, inserted, limit)
    removed, inserted = removed[start:], inserted[start:]
    limit -= start
    end = common_beginning(removed[::-1], inserted[::-1], limit)
    return position + start, removed[: len(removed) - end], inserted[: len(inserted) - end]


def common_beginning(one: Sequence[Any], other: Sequence[Any], limit: int | None = None) -> int:
    """With how many equal items, at most `limit`, both begin: found by halving, since slices are compared at memory
    speed."""
    low, high = 0, min(len(one), len(other)) if limit is None else limit
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
