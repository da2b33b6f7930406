"""Streaming decode of many streams whose states are rows of one preallocated state."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch

from engine.codec.blocks import block_at
from engine.codec.layers import Rows
from engine.codec.model import Codec


class DecodeStreams:
    """Slots in which streams are decoded chunk by chunk, each at its own position, none touching another.

    Whatever the split into chunks, a stream's samples are those of `Codec.decode`: bit for bit where the codec computes
    in blocks, to float rounding elsewhere. Not thread-safe.

    Attributes:
        codec: what decodes.
        slots: how many streams there may be at once.
        in_blocks: streams are computed block by block (`engine.codec.blocks`); chunks that end with one cost least.
    """

    def __init__(self, codec: Codec, slots: int = 1, *, together: bool | None = None) -> None:
        """`together`: compute slots with equally many frames as one batch. None: everywhere but on a CPU, where it
        gains little, and where a stream computed alone has the same bits whatever company it has."""
        self.codec = codec
        self.slots = slots
        with torch.inference_mode():
            self._state = codec.new_decode_state(slots)
        self._together = not codec.in_blocks if together is None else together
        self.in_blocks = codec.in_blocks and not self._together
        self._frames: dict[int, int] = {}  # of the open slots: frames decoded, known here without asking the device
        self._begun: dict[int, np.ndarray] = {}  # of the open slots: codes of the block that is not full yet

    @property
    def free(self) -> int:
        """Slots that are not open."""
        return self.slots - len(self._frames)

    def open(self) -> int:
        """Start a stream: the lowest free slot. Raises RuntimeError when none is free."""
        for slot in range(self.slots):
            if slot not in self._frames:
                self.reset(slot)
                return slot
        raise RuntimeError(f"all {self.slots} decoding slots are in use")

    def reset(self, slot: int) -> None:
        """Start a new stream in a slot, open or not."""
        if not 0 <= slot < self.slots:
            raise IndexError(f"slot {slot} of {self.slots}")
        with torch.inference_mode():
            self._state.reset(slot)
        self._frames[slot] = 0
        self._begun.pop(slot, None)

    def close(self, slot: int) -> None:
        """Give a slot back."""
        del self._frames[slot]
        self._begun.pop(slot, None)

    @torch.inference_mode()
    def step(self, chunks: Mapping[int, np.ndarray]) -> dict[int, np.ndarray]:
        """Decode the next frames of some streams.

        Args:
            chunks: for each slot codes `[F, q]` of any F >= 0, which may differ between slots and calls.

        Returns:
            For each slot float32 `[F * hop, channels]`.

        Raises:
            KeyError: a slot that is not open. ValueError: a code out of range, or another number of codebooks inside a
                block. In both cases nothing was decoded.
        """
        batches: dict[tuple[int, ...], list[tuple[int, np.ndarray]]] = {}
        for slot in sorted(chunks):
            if slot not in self._frames:
                raise KeyError(f"slot {slot} is not open")
            codes = self.codec.check_codes(chunks[slot])
            if slot in self._begun and self._begun[slot].shape[1] != codes.shape[1]:
                raise ValueError(f"{codes.shape[1]} codebooks in a block of {self._begun[slot].shape[1]}")
            batch = codes.shape if self._together else (*codes.shape, slot)
            batches.setdefault(batch, []).append((slot, codes))
        decoded: dict[int, np.ndarray] = {}
        for (frames, *_), members in batches.items():
            slots = [slot for slot, _ in members]
            if frames == 0:
                decoded.update({slot: np.zeros((0, self.codec.config.channels), np.float32) for slot in slots})
                continue
            if self.in_blocks:
                decoded[slots[0]] = self._step_in_blocks(slots[0], members[0][1])
                continue
            ages = [self._frames[slot] for slot in slots]
            codes = torch.from_numpy(np.stack([codes for _, codes in members])).to(self.codec.device)
            samples = self.codec.decode_step(
                codes, self._state, self._rows(slots), youngest=min(ages), oldest=max(ages)
            )
            for slot, audio in zip(slots, samples.cpu().numpy(), strict=True):
                self._frames[slot] += frames
                decoded[slot] = audio
        return decoded

    def _step_in_blocks(self, slot: int, codes: np.ndarray) -> np.ndarray:
        """Blocks from the one that was begun on; of that one only what has not been heard is handed over."""
        begun = self._begun.pop(slot, None)
        heard = 0 if begun is None else len(begun)
        codes = codes if begun is None else np.concatenate((begun, codes))
        position = self._frames[slot] - heard
        self._frames[slot] += len(codes) - heard
        parts = []
        while len(codes):
            start, end = block_at(position)
            block, codes = codes[: end - start], codes[end - start :]
            parts.append(self.codec.decode_block(block, position, self._state, slot).numpy())
            if len(block) < end - start:
                self._begun[slot] = block.copy()
            position = end
        return np.concatenate(parts)[heard * self.codec.config.hop :]

    def _rows(self, slots: list[int]) -> Rows:
        """Neighbouring slots as a range, which needs no copy of their state."""
        if slots[-1] - slots[0] == len(slots) - 1:
            return slice(slots[0], slots[-1] + 1)
        return torch.tensor(slots, device=self.codec.device)
