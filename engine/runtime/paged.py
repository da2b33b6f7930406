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
        keys, values: `[layers, pages, kv_heads, PAGE_ROWS, head_dim]`, parts of one tensor.
        table: int32 `[rows, pages_per_row + 1]` on the device, at a fixed address; graphs read it.
    """

    def __init__(
        self, config: BackboneConfig, *, pages: int, rows: int, longest: int, device: torch.device, dtype: torch.dtype
    ) -> None:
        shape = (2, config.layers, pages + 1, config.kv_heads, PAGE_ROWS, config.head_dim)
        both = torch.zeros(shape, device=device, dtype=dtype)
        self.keys, self.values = both[0], both[1]
        self._words = both.view(torch.int64)  # the same bytes, copied eight at a time
        self.pages_per_row = -(-longest // PAGE_ROWS)
        # One column more than a row may own: a finished row's next position may lie there, in page 0, and not in the
        # row below.
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
        """Give `row` pages for so many positions. Raises DeviceError when none is left or the row would be longer
        than any may be."""
        owned = self._owned[row]
        needed = -(-positions // PAGE_ROWS)
        if needed > self.pages_per_row:
            raise DeviceError(
                f"The text with its audio is longer than the model can hold ({self.pages_per_row * PAGE_ROWS} rows).",
                "Split the text.",
            )
        if needed - len(owned) > len(self._free):
            raise DeviceError(
                "The device has no room left for a text of this length.",
                "Wait for other blocks to finish, or split it.",
            )
        while len(owned) < needed:
            page = self._free.pop()
            self.table[row, len(owned)].fill_(page)  # a launch; assignment would wait for the device
            owned.append(page)

    def release(self, row: int) -> None:
        """Take the pages of `row` back."""
        self._free.extend(reversed(self._owned[row]))
        self._owned[row] = []
        self.table[row].zero_()

    def pages_of(self, row: int) -> list[int]:
        return list(self._owned[row])

    @property
    def position_bytes(self) -> int:
        """Bytes of the keys and values of one position in all layers."""
        return 2 * self.keys.shape[0] * self.keys.shape[2] * self.keys.shape[4] * self.keys.itemsize

    def copy(self, row: int, length: int) -> torch.Tensor:
        """Keys and values of a row's first positions, `[2, layers, kv_heads, length, …]`, for `paste`. One copy a
        page."""
        words = self._words
        kept = words.new_empty(*words.shape[:2], words.shape[3], length, words.shape[5])
        for at, page in self._places(row, length):
            part = kept[..., at : at + PAGE_ROWS, :]
            part.copy_(words[:, :, page, :, : part.shape[3]])
        return kept

    def paste(self, row: int, kept: torch.Tensor) -> None:
        """Store what `copy` gave at the first positions of a row whose pages are reserved."""
        for at, page in self._places(row, kept.shape[3]):
            part = kept[..., at : at + PAGE_ROWS, :]
            self._words[:, :, page, :, : part.shape[3]].copy_(part)

    def _places(self, row: int, length: int) -> list[tuple[int, int]]:
        """(first position, page) of the pages that hold a row's first positions."""
        return list(zip(range(0, length, PAGE_ROWS), self._owned[row]))
