"""Keeps what voices' prompt prefixes computed to, within so many bytes; the voice that was not heard for longest
leaves first."""

from __future__ import annotations

from collections import OrderedDict

import torch

from engine.runtime.paged import PagedCache


class PrefixStore:
    """Keys and values of prefixes, by the prefix's rows, beside the pages that they are pasted into.

    Attributes:
        most_bytes: what all of them may take; the memory plan counts it.
    """

    def __init__(self, cache: PagedCache, most_bytes: int) -> None:
        self.cache, self.most_bytes = cache, most_bytes
        self._kept: OrderedDict[bytes, torch.Tensor] = OrderedDict()

    @property
    def nbytes(self) -> int:
        return sum(each.nbytes for each in self._kept.values())

    def paste(self, prefix: torch.Tensor, row: int) -> bool:
        """Put a prefix (int64 rows `[T, C + 1]` on the host) into the pages of `row`, which are reserved; False when
        it is not kept."""
        key = prefix.numpy().tobytes()
        kept = self._kept.get(key)
        if kept is None:
            return False
        self._kept.move_to_end(key)
        self.cache.paste(row, kept)
        return True

    def keep(self, prefix: torch.Tensor, row: int) -> None:
        """Keep what was just computed into `row`. One larger than the whole store, or than the memory left, is not
        kept."""
        size = len(prefix) * self.cache.position_bytes
        if size > self.most_bytes:
            return
        while self.nbytes + size > self.most_bytes:
            self._kept.popitem(last=False)
        try:
            self._kept[prefix.numpy().tobytes()] = self.cache.copy(row, len(prefix))
        except torch.OutOfMemoryError:
            return
