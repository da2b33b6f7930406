"""Builds the rows of a prompt exactly as the model was trained on them (MODEL §3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from engine.errors import ClipError
from engine.lm.config import LMConfig
from engine.lm.tokenizer import Tokenizer, Typed


@dataclass(frozen=True)
class Message:
    """What is to be said, and how. Blank or absent fields are written as `None`, as in training.

    Attributes:
        text: all of it; in continuation the transcript of `continue_from` comes first.
        references: codes `[T, C]` of each clip, in order.
        language: full English name.
        tokens: wanted length in frames.
        continue_from: codes `[T, C]` that the speech goes on from.
        keep_references: keep reference rows in continuation; the reference implementation drops them.
    """

    text: str
    references: tuple[np.ndarray | torch.Tensor, ...] = ()
    language: str | None = None
    tokens: int | None = None
    instruction: str | None = None
    quality: str | None = None
    sound_event: str | None = None
    ambient_sound: str | None = None
    continue_from: np.ndarray | torch.Tensor | None = None
    keep_references: bool = False


@dataclass(frozen=True)
class Prompt:
    """int64 rows `[T, C+1]`: a text id, then C codes. `prefix` depends on the voice alone; `rest` follows it."""

    prefix: torch.Tensor
    rest: torch.Tensor

    @property
    def rows(self) -> torch.Tensor:
        return torch.cat((self.prefix, self.rest))

    def __len__(self) -> int:
        return len(self.prefix) + len(self.rest)


class PromptBuilder:
    """Prompts of one model. Raises CheckpointError when the tokenizer does not belong to it."""

    def __init__(self, config: LMConfig, tokenizer: Tokenizer) -> None:
        tokenizer.check(config)
        self.config, self.tokenizer = config, tokenizer

    def build(self, message: Message) -> Prompt:
        """The prompt after which generation starts. Raises ClipError for codes that this model has no table for."""
        config, encode = self.config, self.tokenizer.encode
        continued = message.continue_from
        references = message.references if continued is None or message.keep_references else ()

        prefix = [self._text([config.im_start_id]), self._text(encode("user\n"))]
        prefix.append(self._text(encode("<user_inst>\n- Reference(s):\n")))
        for codes in references:
            prefix.append(self._text([config.audio_start_id]))
            prefix.append(self._audio(config.user_slot_id, codes))
            prefix.append(self._text([config.audio_end_id]))
        if not references:
            prefix.append(self._text(encode("None")))

        ids = [
            *encode(
                "\n- Instruction:\n",
                *_value(message.instruction),
                "\n- Tokens:\n",
                *_value(message.tokens),
                "\n- Quality:\n",
                *_value(message.quality),
                "\n- Sound Event:\n",
                *_value(message.sound_event),
                "\n- Ambient Sound:\n",
                *_value(message.ambient_sound),
                "\n- Language:\n",
                *_value(message.language),
                "\n- Text:\n",
            ),
            *encode(Typed(message.text)),
            *encode("\n</user_inst>"),
            config.im_end_id,
            *encode("\n"),
            config.im_start_id,
            *encode("assistant\n"),
            config.audio_start_id,
        ]
        rest = [self._text(ids)]
        if continued is not None:
            rest.append(self._audio(config.assistant_slot_id, continued))
        return Prompt(torch.cat(prefix), torch.cat(rest))

    def _text(self, ids: list[int]) -> torch.Tensor:
        rows = torch.full((len(ids), self.config.codebooks + 1), self.config.pad_code, dtype=torch.int64)
        rows[:, 0] = torch.tensor(ids, dtype=torch.int64)
        return rows

    def _audio(self, slot_id: int, codes: np.ndarray | torch.Tensor) -> torch.Tensor:
        codes = torch.as_tensor(codes).to(torch.int64)
        sizes = torch.tensor(self.config.codebook_sizes)
        if codes.ndim != 2 or codes.shape[1] != len(sizes):
            raise ClipError(
                f"The clip was encoded to codes of shape {list(codes.shape)}; the model takes [frames, {len(sizes)}].",
                "Encode the clip with the model's own codec.",
            )
        if bool(((codes < 0) | (codes >= sizes)).any()):
            raise ClipError(
                "The clip was encoded to codes that the model has no table for.",
                "Encode the clip with the model's own codec.",
            )
        return torch.cat((torch.full((len(codes), 1), slot_id), codes), dim=1)


def _value(value: str | int | None) -> tuple[str] | tuple[Typed]:
    """`None`, and a number, are the frame's own words; anything else was typed."""
    text = "" if value is None else str(value).strip()
    if not text:
        return ("None",)
    return (text,) if isinstance(value, int) else (Typed(text),)
