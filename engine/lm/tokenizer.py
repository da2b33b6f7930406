"""Reads a checkpoint's tokenizer and keeps what a person typed from turning into control tokens."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer as PlainTokenizer

from engine.errors import CheckpointError
from engine.lm.config import LMConfig
from engine.runtime.checkpoint import REMEDY, content_digest, read_json

_TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "vocab.json", "merges.txt", "tokenizer.model")
# Tags that a text may carry, such as [pause 1.5s]: where a tokenizer has it as a token, a typed one is that token.
_TAG = re.compile(r"\[[^\[\]<>|\n]+\]")


def tokenizer_digest(folder: Path) -> str:
    """SHA-256 over the tokenizer's files."""
    return content_digest(Path(folder) / name for name in _TOKENIZER_FILES)


@dataclass(frozen=True)
class Typed:
    """A part of a string that a person wrote."""

    text: str


class Tokenizer:
    """Encodes the parts of a prompt.

    The strings of the prompt's own frame may use every added token of the tokenizer. What a person typed may use only
    tags (`[pause 1.5s]`): a typed `<|im_end|>`, `<think>` or `</user_inst>` comes out as ordinary text.

    Attributes:
        folder: the checkpoint.
        added: id of every added token, by content.
        tags: those of them that a person may type.
    """

    def __init__(self, folder: Path) -> None:
        """Raises CheckpointError when there is no tokenizer that can be read without running its code."""
        self.folder = Path(folder)
        described = _read_description(self.folder)
        try:
            tokens = described.get("added_tokens") or []
            self.added: dict[str, int] = {str(token["content"]): int(token["id"]) for token in tokens}
            self.tags = {
                str(token["content"]) for token in tokens if not token["special"] and _TAG.fullmatch(token["content"])
            }
            # Added tokens are found here, part by part, so the tokenizer itself is read without them.
            plain = {**described, "added_tokens": [], "post_processor": None, "truncation": None, "padding": None}
            self._plain = PlainTokenizer.from_str(json.dumps(plain, ensure_ascii=False))
        except Exception as error:  # the library raises bare Exception on a damaged description
            raise CheckpointError(f"The tokenizer in {self.folder} cannot be read ({error}).", REMEDY) from error
        self._by_first: dict[str, list[str]] = {}
        for content in sorted(filter(None, self.added), key=len, reverse=True):
            self._by_first.setdefault(content[0], []).append(content)
        self._controls = {number for content, number in self.added.items() if content not in self.tags}

    def check(self, config: LMConfig) -> None:
        """Compare with the ids in `config.json`. Raises CheckpointError when the tokenizer belongs to another model."""
        names = {number: content for content, number in self.added.items()}
        ordinary = self._plain.get_vocab_size(with_added_tokens=False)
        if not self._encode_plain("Speak."):
            raise CheckpointError(f"The tokenizer in {self.folder} is damaged: it has no tokens for words.", REMEDY)
        for field, content in (("im_start_token_id", "<|im_start|>"), ("im_end_token_id", "<|im_end|>")):
            wanted, found = config.control_ids[field], self.added.get(content)
            if found != wanted:
                where = "has no such token" if found is None else f"has it as {found}"
                raise CheckpointError(
                    f"The tokenizer in {self.folder} is another model's: {field} is {wanted} ({content}), "
                    f"the tokenizer {where}.",
                    REMEDY,
                )
        for field, number in config.control_ids.items():
            if number < ordinary and number not in names and self._plain.id_to_token(number) is not None:
                raise CheckpointError(
                    f"The tokenizer in {self.folder} is another model's: {field} {number} is the ordinary token "
                    f"{self._plain.id_to_token(number)!r} there.",
                    REMEDY,
                )
        largest = max([ordinary - 1, *names])
        if largest >= config.backbone.vocab:
            raise CheckpointError(
                f"The tokenizer in {self.folder} is another model's: its ids reach {largest}, "
                f"the model has {config.backbone.vocab}.",
                REMEDY,
            )

    def encode(self, *parts: str | Typed) -> list[int]:
        """Ids of the parts, joined to one string before it is encoded; no special tokens are put around it."""
        text = "".join(part.text if isinstance(part, Typed) else part for part in parts)
        typed = _typed_ranges(parts)
        ids: list[int] = []
        position = plain_from = 0
        while position < len(text):
            token = self._added_token_at(text, position, typed)
            if token is None:
                position += 1
                continue
            ids += self._encode_plain(text[plain_from:position])
            ids.append(self.added[token])
            position = plain_from = position + len(token)
        return ids + self._encode_plain(text[plain_from:])

    def _added_token_at(self, text: str, position: int, typed: Sequence[tuple[int, int]]) -> str | None:
        """The longest added token that starts here and may stand here."""
        for content in self._by_first.get(text[position], ()):
            if text.startswith(content, position) and (
                content in self.tags or _is_frame(text, position, position + len(content), typed)
            ):
                return content
        return None

    def _encode_plain(self, text: str) -> list[int]:
        if not text:
            return []
        whole = text.encode("utf-8", "replace").decode()  # a lone surrogate is no text
        ids = self._plain.encode(whole, add_special_tokens=False).ids
        if self._controls.isdisjoint(ids):
            return ids
        # A tokenizer whose ordinary vocabulary also spells a control token: letter by letter it cannot be reached.
        letters = (self._plain.encode(letter, add_special_tokens=False).ids for letter in whole)
        return [number for ids in letters for number in ids if number not in self._controls]


def _typed_ranges(parts: Sequence[str | Typed]) -> list[tuple[int, int]]:
    ranges, position = [], 0
    for part in parts:
        length = len(part.text if isinstance(part, Typed) else part)
        if isinstance(part, Typed) and length:
            ranges.append((position, position + length))
        position += length
    return ranges


def _is_frame(text: str, start: int, end: int, typed: Sequence[tuple[int, int]]) -> bool:
    """Whether text[start:end] belongs to the prompt's frame: it may enclose whole one-line values, no parts."""
    touched = [(a, b) for a, b in typed if a < end and start < b]
    encloses_frame = sum(b - a for a, b in touched) < end - start
    return encloses_frame and all(start <= a and b <= end and "\n" not in text[a:b] for a, b in touched)


def _read_description(folder: Path) -> dict[str, Any]:
    """The tokenizer as a `tokenizer.json` object; other formats are converted by transformers, without remote code."""
    path = folder / "tokenizer.json"
    if path.exists():
        return read_json(path)
    vocabularies = [name for name in _TOKENIZER_FILES if name != "tokenizer_config.json"]
    if not any((folder / name).exists() for name in vocabularies):
        raise CheckpointError(f"{folder} holds no tokenizer ({', '.join(vocabularies)}).", REMEDY)
    try:
        from transformers import AutoTokenizer

        slow_to_import = AutoTokenizer.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
        return json.loads(slow_to_import.backend_tokenizer.to_str())
    except Exception as error:  # whatever transformers raises on a folder without a tokenizer
        reason = (str(error) or type(error).__name__).splitlines()[0].rstrip(":. ")
        raise CheckpointError(f"{folder} holds no tokenizer that can be read ({reason}).", REMEDY) from error
