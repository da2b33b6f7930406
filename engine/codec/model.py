"""The codec: 48 kHz stereo (or whatever its config says) to codes and back, from a published checkpoint (MODEL §5)."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from engine.codec.blocks import block_at
from engine.codec.config import CodecConfig
from engine.codec.layers import STEP_FRAMES, Rows, Stack, StreamState
from engine.codec.quantizer import Quantizer
from engine.codec.weights import CodecWeights
from engine.errors import CapabilityError
from engine.runtime.checkpoint import Checkpoint, Progress

if TYPE_CHECKING:
    from engine.runtime.codec_clips import ClipGraphs

SPEECH_CODEBOOKS = 12  # what the language model speaks in


class Codec:
    """Encoder, quantizer and decoder of one checkpoint.

    Attributes:
        config: see CodecConfig.
        device, dtype: where and in what type it computes; the quantizer, residual streams and norms are float32 always.
        codebooks: how many were loaded; codes may use 1 up to this many.
        encoder, decoder: None when loaded without.
        clips: what encodes them in graphs, on a device that has those.
    """

    def __init__(
        self,
        config: CodecConfig,
        quantizer: Quantizer,
        encoder: Stack | None,
        decoder: Stack | None,
        checkpoint: Checkpoint,
        device: torch.device,
        dtype: torch.dtype,
    ) -> None:
        self.config = config
        self.quantizer = quantizer
        self.encoder = encoder
        self.decoder = decoder
        self.device = device
        self.dtype = dtype
        self.codebooks = quantizer.codebooks
        self._checkpoint = checkpoint
        self.clips: ClipGraphs | None = None

    @property
    def identity(self) -> str:
        """SHA-256 of config and weights; waits for the hash that has been computed since loading began."""
        return self._checkpoint.digest()

    def encode(self, batch: Sequence[np.ndarray], codebooks: int | None = None) -> list[np.ndarray]:
        """Codes of prepared clips.

        Args:
            batch: float32 `[channels, N]` each, at the codec's rate.
            codebooks: how many; None is the 12 of the language model, or all where the codec has fewer.

        Returns:
            int16 `[floor(N / hop), codebooks]` each. A last part of a frame is never encoded: its codes would not
            be audio (§5.5). On a CPU each clip is computed alone, so that its codes do not depend on its neighbours.
        """
        slices = self.encode_in_slices(batch, codebooks)
        while True:
            try:
                next(slices)
            except StopIteration as done:
                return done.value

    def encode_in_slices(
        self, batch: Sequence[np.ndarray], codebooks: int | None = None
    ) -> Generator[None, None, list[np.ndarray]]:
        """As `encode`, handing control back after every `STEP_FRAMES` frames."""
        encoder = _loaded(self.encoder, "encoder")
        count = min(SPEECH_CODEBOOKS, self.codebooks) if codebooks is None else self._allowed(codebooks)
        frames = [self._frames_of(clip) for clip in batch]
        if self.clips is not None:
            made = []
            for clip in batch:
                made.append((yield from self.clips.encode(clip, count)))
            return made
        codes = [np.zeros((length, count), np.int16) for length in frames]
        longest_first = sorted(range(len(batch)), key=lambda index: -frames[index])
        width = 1 if self.device.type == "cpu" else max(1, len(batch))
        for at in range(0, len(batch), width):
            members = [index for index in longest_first[at : at + width] if frames[index]]
            state = encoder.new_state(len(members))
            for start in range(0, max((frames[index] for index in members), default=0), STEP_FRAMES):
                live = [index for index in members if frames[index] > start]
                self._encode_slice(encoder, state, start, live, batch, codes)
                yield
        return codes

    @torch.inference_mode()
    def _encode_slice(
        self,
        encoder: Stack,
        state: StreamState,
        start: int,
        live: list[int],
        batch: Sequence[np.ndarray],
        codes: list[np.ndarray],
    ) -> None:
        """The next frames of clips that are not over yet, in the order of falling length: each keeps its row."""
        hop, width = self.config.hop, self.config.frame_values
        frames = min(STEP_FRAMES, len(codes[live[0]]) - start)
        signal = np.zeros((len(live), frames * hop, width // hop), np.float32)
        for row, index in enumerate(live):
            end = min(start + frames, len(codes[index]))
            signal[row, : (end - start) * hop] = batch[index][:, start * hop : end * hop].T
        hidden = encoder.step(
            torch.from_numpy(signal).to(self.device),
            frames,
            state,
            slice(0, len(live)),
            youngest=start,
            oldest=start,
        )
        found = self.quantizer.encode(hidden, codes[live[0]].shape[1]).to(torch.int16).cpu().numpy()
        for row, index in enumerate(live):
            end = min(start + frames, len(codes[index]))
            codes[index][start:end] = found[row, : end - start]

    @torch.inference_mode()
    def decode(self, codes: np.ndarray) -> np.ndarray:
        """Audio of codes `[T, q]` (any integer type, 1 <= q <= codebooks): float32 `[channels, T * hop]`.

        Raises:
            ValueError: a code outside 0..size-1, no codebook or more than were loaded.
        """
        ready = self.check_codes(codes)
        audio = np.empty((len(codes) * self.config.hop, self.config.channels), np.float32)
        state = self.new_decode_state(1)
        start = 0
        while start < len(codes):
            end = block_at(start)[1] if self.in_blocks else start + STEP_FRAMES
            if self.in_blocks:
                samples = self.decode_block(ready[start:end], start, state)
            else:
                chunk = torch.from_numpy(ready[None, start:end]).to(self.device)
                samples = self.decode_step(chunk, state, youngest=start, oldest=start)[0]
            audio[start * self.config.hop :][: len(samples)] = samples.cpu().numpy()
            start = end
        return np.ascontiguousarray(audio.T)

    @property
    def in_blocks(self) -> bool:
        """Whether streams are computed block by block (`engine.codec.blocks`): on a CPU, where that costs little."""
        return self.device.type == "cpu"

    def decode_block(self, codes: np.ndarray, position: int, state: StreamState, row: int = 0) -> torch.Tensor:
        """The block that begins at frame `position`, of one row alone, or its beginning.

        Args:
            codes: int64 `[F, q]`, at most the block. With fewer the row stays where it was, to be given them again.

        Returns:
            float32 `[F * hop, channels]`: the same bits for a frame whether its block is full or not.
        """
        start, end = block_at(position)
        missing = end - start - len(codes)
        if missing:
            codes = np.concatenate((codes, np.zeros((missing, codes.shape[1]), np.int64)))
            state = state.for_a_look()
        chunk = torch.from_numpy(codes[None])
        samples = self.decode_step(chunk, state, slice(row, row + 1), youngest=position, oldest=position)[0]
        return samples[: (end - start - missing) * self.config.hop]

    def new_decode_state(self, rows: int) -> StreamState:
        """State of `rows` independent streams for `decode_step`."""
        return _loaded(self.decoder, "decoder").new_state(rows)

    def decode_step(
        self,
        codes: torch.Tensor,
        state: StreamState,
        rows: Rows = slice(None),
        *,
        youngest: int = 0,
        oldest: int | None = None,
    ) -> torch.Tensor:
        """The next frames of some streams, without any transfer: int64 `[B, F, q]` -> float32 `[B, F * hop, channels]`.

        `rows`, `youngest`, `oldest` as in `Stack.step`. Call it in `torch.inference_mode()`.
        """
        batch, frames, _ = codes.shape
        hidden = self.quantizer.decode(codes)
        signal = _loaded(self.decoder, "decoder").step(hidden, frames, state, rows, youngest=youngest, oldest=oldest)
        return signal.reshape(batch, frames * self.config.hop, self.config.channels)

    def check_codes(self, codes: np.ndarray) -> np.ndarray:
        """Codes as contiguous int64 `[T, q]`. Raises ValueError for a shape or a code that no codebook has."""
        codes = np.asarray(codes)
        if codes.ndim != 2 or codes.dtype.kind not in "iu":
            raise ValueError(f"codes must be whole numbers [T, q], not {codes.dtype} {list(codes.shape)}")
        self._allowed(codes.shape[1])
        if codes.size and not (0 <= codes.min() and codes.max() < self.config.codebook_size):
            largest = self.config.codebook_size - 1
            raise ValueError(f"codes must lie in 0..{largest}, found {codes.min()}..{codes.max()}")
        return np.ascontiguousarray(codes, dtype=np.int64)

    def _allowed(self, codebooks: int) -> int:
        if not 1 <= codebooks <= self.codebooks:
            raise ValueError(f"{codebooks} codebooks asked for, 1..{self.codebooks} were loaded")
        return codebooks

    def _frames_of(self, clip: np.ndarray) -> int:
        if clip.ndim != 2 or clip.shape[0] != self.config.channels:
            raise ValueError(f"a clip must be [{self.config.channels}, N], not {list(clip.shape)}")
        return clip.shape[1] // self.config.hop


def load_codec(
    folder: Path,
    *,
    device: torch.device | str = "cpu",
    dtype: torch.dtype | None = None,
    encoder: bool = True,
    decoder: bool = True,
    codebooks: int | None = None,
    progress: Progress | None = None,
) -> Codec:
    """Load a codec; names and shapes are checked before memory is spent.

    Args:
        dtype: of the linear layers; None is float32 on a CPU and what the checkpoint asks for elsewhere.
        encoder, decoder: which sides are wanted.
        codebooks: how many of the checkpoint's codebooks; None is all.
        progress: called with 0..1.

    Raises:
        CheckpointError: damaged, incomplete, or of another architecture.
        CapabilityError: more codebooks than the checkpoint has.
    """
    config = CodecConfig.read(folder)
    if codebooks is not None and not 1 <= codebooks <= config.codebooks:
        raise CapabilityError(
            f"This codec has {config.codebooks} codebooks; {codebooks} were asked for.",
            "Choose the codec that belongs to the model.",
        )
    device = torch.device(device)
    if dtype is None:
        by_name = {"bf16": torch.bfloat16, "bfloat16": torch.bfloat16, "fp16": torch.float16, "float16": torch.float16}
        dtype = torch.float32 if device.type == "cpu" else by_name.get(config.compute, torch.float32)
    checkpoint = Checkpoint(Path(folder))
    weights = CodecWeights(checkpoint, config, codebooks or config.codebooks, device, dtype)
    weights.check(encoder=encoder, decoder=decoder)
    with torch.inference_mode():
        sides = {
            "encoder": weights.stack("encoder", config.encoder, progress, decoder) if encoder else None,
            "decoder": weights.stack("decoder", config.decoder, progress, encoder) if decoder else None,
        }
        quantizer = weights.quantizer(encoder=encoder)
    return Codec(config, quantizer, sides["encoder"], sides["decoder"], checkpoint, device, dtype)


def _loaded(stack: Stack | None, side: str) -> Stack:
    if stack is None:
        raise RuntimeError(f"this codec was loaded without its {side}")
    return stack
