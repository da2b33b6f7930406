"""Keys and values of the backbone: one buffer for a bucket of rows, and a store of voice prefixes already computed."""

from __future__ import annotations

import hashlib
from collections import OrderedDict

import torch

from engine.lm.config import BackboneConfig

_FIRST_CAPACITY = 256  # positions; about what one sentence and its prompt take


class KVCache:
    """Keys and values of `rows` independent sequences, each starting at position 0.

    The buffer doubles when a row outgrows it, so a short sentence never pays for ten minutes.

    Attributes:
        kv: `[rows, layers, 2, kv_heads, capacity, head_dim]`; index 2 is keys (after rotation), values.
        lengths: positions filled, one number a row.
    """

    def __init__(self, config: BackboneConfig, rows: int, *, device: torch.device, dtype: torch.dtype) -> None:
        shape = (rows, config.layers, 2, config.kv_heads, _FIRST_CAPACITY, config.head_dim)
        self.kv = torch.zeros(shape, device=device, dtype=dtype)
        self.lengths = [0] * rows

    @property
    def capacity(self) -> int:
        return self.kv.shape[4]

    def reserve(self, positions: int) -> None:
        """Make room for rows of this length; what is stored stays."""
        if positions <= self.capacity:
            return
        capacity = self.capacity
        while capacity < positions:
            capacity *= 2
        grown = self.kv.new_zeros((*self.kv.shape[:4], capacity, self.kv.shape[5]))
        grown[:, :, :, :, : self.capacity] = self.kv
        self.kv = grown

    def clear(self, row: int) -> None:
        self.lengths[row] = 0

    def copy_prefix(self, row: int) -> torch.Tensor:
        """What `row` holds now: `[layers, 2, kv_heads, length, head_dim]`, a copy."""
        return self.kv[row, :, :, :, : self.lengths[row]].clone()

    def paste_prefix(self, row: int, prefix: torch.Tensor) -> None:
        """Start `row` with a copied prefix."""
        length = prefix.shape[3]
        self.reserve(length)
        self.kv[row, :, :, :, :length] = prefix
        self.lengths[row] = length


class PrefixStore:
    """Keys and values of one model's voice prefixes, found by the rows themselves; the least recently used leave first.

    Attributes:
        limit_bytes: most that is kept.
    """

    def __init__(self, limit_bytes: int = 64 << 20) -> None:
        self.limit_bytes = limit_bytes
        self._kept: OrderedDict[bytes, torch.Tensor] = OrderedDict()
        self._bytes = 0

    @staticmethod
    def _key(rows: torch.Tensor) -> bytes:
        return hashlib.sha256(rows.contiguous().numpy().tobytes()).digest()

    def find(self, rows: torch.Tensor) -> torch.Tensor | None:
        """What `KVCache.paste_prefix` takes, for int64 prompt rows `[Tp, C+1]`; None when they are new."""
        key = self._key(rows)
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def keep(self, rows: torch.Tensor, prefix: torch.Tensor) -> None:
        if prefix.nbytes > self.limit_bytes:
            return
        key = self._key(rows)
        if key in self._kept:
            self._bytes -= self._kept.pop(key).nbytes
        self._kept[key] = prefix
        self._bytes += prefix.nbytes
        while self._bytes > self.limit_bytes:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= oldest.nbytes
