"""Keys and values in pages of 256 rows: allocated once, handed to requests as they grow, taken back when they end."""

from __future__ import annotations

import torch

from engine.errors import DeviceError
from engine.lm.config import BackboneConfig

PAGE_ROWS = 256


class PagedCache:
    """Pages at fixed addresses and the table that says whose they are.

    Page 0 belongs to nobody: rows of the bucket that are free write there.

    Attributes:
        keys, values: `[layers, pages, kv_heads, PAGE_ROWS, head_dim]`.
        table: int32 `[rows, pages_per_row + 1]` on the device, at a fixed address; graphs read it.
    """

    def __init__(
        self, config: BackboneConfig, *, pages: int, rows: int, longest: int, device: torch.device, dtype: torch.dtype
    ) -> None:
        shape = (config.layers, pages + 1, config.kv_heads, PAGE_ROWS, config.head_dim)
        self.keys = torch.zeros(shape, device=device, dtype=dtype)
        self.values = torch.zeros(shape, device=device, dtype=dtype)
        self.pages_per_row = -(-longest // PAGE_ROWS)
        # One column more than a row may own: a finished row's next position may lie there, in page 0, and not in the row below.
        self.table = torch.zeros(rows, self.pages_per_row + 1, device=device, dtype=torch.int32)
        self._free = list(range(pages, 0, -1))
        self._owned: list[list[int]] = [[] for _ in range(rows)]

    @staticmethod
    def page_bytes(config: BackboneConfig, itemsize: int) -> int:
        return 2 * config.layers * config.kv_heads * PAGE_ROWS * config.head_dim * itemsize

    @property
    def free_pages(self) -> int:
        return len(self._free)

    def reserve(self, row: int, positions: int) -> None:
        """Give `row` pages for so many positions. Raises DeviceError when none is left or the row would be longer than any may be."""
        owned = self._owned[row]
        needed = -(-positions // PAGE_ROWS)
        if needed > self.pages_per_row:
            raise DeviceError(
                f"The text with its audio is longer than the model can hold ({self.pages_per_row * PAGE_ROWS} rows).",
                "Split the text.",
            )
        if needed - len(owned) > len(self._free):
            raise DeviceError("The device has no room left for a text of this length.", "Wait for other blocks to finish, or split it.")
        while len(owned) < needed:
            page = self._free.pop()
            self.table[row, len(owned)] = page
            owned.append(page)

    def release(self, row: int) -> None:
        """Take the pages of `row` back."""
        self._free.extend(reversed(self._owned[row]))
        self._owned[row] = []
        self.table[row].zero_()

    def pages_of(self, row: int) -> list[int]:
        return list(self._owned[row])

    def write(self, layer: int, row: int, start: int, keys: torch.Tensor, values: torch.Tensor) -> None:
        """Store `[T, kv_heads, head_dim]` at positions start..start+T of a row whose pages are reserved."""
        positions = torch.arange(start, start + keys.shape[0], device=keys.device)
        pages = self.table[row, positions // PAGE_ROWS].long()
        offsets = positions % PAGE_ROWS
        self.keys[layer, pages, :, offsets] = keys
        self.values[layer, pages, :, offsets] = values

    def read(self, layer: int, row: int, length: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Keys and values `[kv_heads, length, head_dim]` of a row's first positions."""
        pages = self.table[row, : -(-length // PAGE_ROWS)].long()

        def gather(store: torch.Tensor) -> torch.Tensor:
            chosen = store[layer, pages]  # [P, kv_heads, PAGE_ROWS, head_dim]
            return chosen.transpose(0, 1).flatten(1, 2)[:, :length]

        return gather(self.keys), gather(self.values)
