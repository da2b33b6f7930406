"""What a model can do. Everyone asks the card, never the model's name."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from engine.errors import CheckpointError
from engine.requests import FRAME_RATE, MAX_FRAMES, Sampling, SamplingOptions

Cloning = Literal["none", "known_voices", "zero_shot"]


@dataclass(frozen=True)
class KnownVoice:
    """A clip that comes with the model and that the model was trained on.

    Attributes:
        id, name, gender, language, transcript, source, licence: see the model's voices file.
        path: the clip.
        sha256: of the clip's bytes: a copied or renamed clip is still known.
        sent_as_no_reference: the model speaks so without a reference; none is sent.
    """

    id: str
    name: str
    path: Path
    sha256: str
    transcript: str = ""
    gender: str = ""
    language: str = ""
    source: str = ""
    licence: str = ""
    sent_as_no_reference: bool = False


@dataclass(frozen=True)
class PauseTags:
    """Pause tags the model itself follows: `min_s`..`max_s` in steps of `step_s`. None on the card: it follows none."""

    min_s: float
    max_s: float
    step_s: float


@dataclass(frozen=True)
class ModelCard:
    """What a model can do, how it wants to be asked, and where it came from.

    Attributes:
        name, version, licence, summary: for people.
        languages: full English names (MODEL §3.3); empty means any.
        cloning: `none`, `known_voices` (only `voices`), or `zero_shot`.
        voices: clips listed with the model; `default_voice` is the id of one of them or None.
        longest_reference_s: a longer one is refused or cut by the person.
        longest_piece_s: what one call speaks at most, unless a person wants more.
        most_piece_s: what a person may want; None is no more than that.
        pause_tags: see PauseTags.
        length, instruction, quality, sound_event, ambient_sound, continuation: fields the model follows.
        characters: `any` or `ascii`; lower_capitals: words in capitals are lowered first.
        sampling: the default.
        seed: whether the backend honours one.
        sampling_fields: names of SamplingOptions a person may change; empty when the backend ignores them.
        needs_reference: speaking without one is refused (some servers).
        measured: figures of the card, for people.
    """

    name: str
    version: str = ""
    licence: str = ""
    summary: str = ""
    languages: tuple[str, ...] = ()
    cloning: Cloning = "zero_shot"
    voices: tuple[KnownVoice, ...] = ()
    default_voice: str | None = None
    longest_reference_s: float = 100.0
    longest_piece_s: float = 60.0
    most_piece_s: float | None = None
    pause_tags: PauseTags | None = None
    length: bool = True
    instruction: bool = True
    quality: bool = True
    sound_event: bool = True
    ambient_sound: bool = True
    continuation: bool = True
    characters: Literal["any", "ascii"] = "any"
    lower_capitals: bool = False
    sampling: Sampling = field(
        default_factory=lambda: Sampling(SamplingOptions(1.7, 0.8, 25, 1.0), SamplingOptions(1.0, 1.0, 50, 1.0))
    )
    seed: bool = True
    sampling_fields: tuple[str, ...] = ("temperature", "top_p", "top_k", "repetition_penalty")
    needs_reference: bool = False
    measured: dict[str, Any] = field(default_factory=dict, compare=False)

    def known_voice(self, sha256: str) -> KnownVoice | None:
        """The voice listed with the model whose clip has this content, or None."""
        return next((voice for voice in self.voices if voice.sha256 == sha256), None)

    def piece_limit_s(self, wanted_s: float | None) -> float:
        """What one call speaks at most when a person wants `wanted_s` (None: as usual)."""
        return min(wanted_s or self.longest_piece_s, self.most_piece_s or self.longest_piece_s)

    def speaks(self, language: str | None) -> bool:
        return language is None or not self.languages or language in self.languages


# The published 4B checkpoint: every language of MODEL §3.3, zero-shot, follows everything.
FULL_SIZE_CARD = ModelCard(
    name="MOSS-TTS-Local v1.5",
    version="1.5",
    licence="Apache-2.0",
    summary="Zero-shot voice cloning in 31 languages, 48 kHz stereo.",
    most_piece_s=MAX_FRAMES / FRAME_RATE,
    pause_tags=PauseTags(0.1, 10.0, 0.1),
)


def read_card(folder: Path) -> ModelCard | None:
    """The card in `folder/card.json`, or None where there is none.

    Raises:
        CheckpointError: the file is there but cannot be understood.
    """
    path = folder / "card.json"
    if not path.exists():
        return None
    try:
        raw = json.loads(path.read_text("utf-8"))
        follows, listed = raw["follows"], raw.get("voices")
        voices_path = folder / listed if listed else None
    except _UNREADABLE as error:
        raise _unreadable(f"The model card {path}", error) from error
    try:
        voices = () if voices_path is None else _voices(voices_path, raw)
    except _UNREADABLE as error:
        raise _unreadable(f"The model's list of voices {voices_path}", error) from error
    try:
        return _card_from_json(raw, follows, voices)
    except _UNREADABLE as error:
        raise _unreadable(f"The model card {path}", error) from error


_UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError)


def _unreadable(what: str, error: Exception) -> CheckpointError:
    reason = f"{error} is missing" if isinstance(error, KeyError) else error
    return CheckpointError(f"{what} cannot be read ({reason}).", "Install the model again.")


def _voices(path: Path, card: dict[str, Any]) -> tuple[KnownVoice, ...]:
    silent_default = card.get("default_voice_is_sent_as") == "no reference"
    return tuple(
        KnownVoice(
            id=item["id"],
            name=item["name"],
            path=path.parent / Path(item["file"]).name,
            sha256=item["sha256"],
            transcript=item.get("transcript", ""),
            gender=item.get("gender", ""),
            language=item.get("language", ""),
            source=item.get("source", ""),
            licence=item.get("licence", ""),
            sent_as_no_reference=silent_default and item["id"] == card.get("default_voice"),
        )
        for item in json.loads(path.read_text("utf-8"))["voices"]
    )


def _card_from_json(raw: dict[str, Any], follows: dict[str, Any], voices: tuple[KnownVoice, ...]) -> ModelCard:
    tags = follows.get("pause_tags")
    text = raw.get("text", {})
    frame_rate = float(raw.get("frame_rate", 12.5))
    card = ModelCard(
        name=str(raw["name"]),
        version=str(raw.get("version", "")),
        licence=str(raw.get("licence", "")),
        summary=str(raw.get("summary", "")),
        languages=tuple(raw.get("languages", ())),
        cloning=raw["cloning"],
        voices=voices,
        default_voice=raw.get("default_voice"),
        longest_reference_s=raw.get("longest_reference_frames", 1250) / frame_rate,
        longest_piece_s=float(raw.get("longest_piece_seconds", 60)),
        pause_tags=PauseTags(tags["min_s"], tags["max_s"], tags["step_s"]) if tags else None,
        length=bool(follows.get("length")),
        instruction=bool(follows.get("instruction")),
        quality=bool(follows.get("quality")),
        sound_event=bool(follows.get("sound_event")),
        ambient_sound=bool(follows.get("ambient_sound")),
        continuation=bool(follows.get("continuation")),
        characters=text.get("characters", "any"),
        lower_capitals=bool(text.get("lower_capitals")),
        sampling=Sampling(SamplingOptions(**raw["sampling"]["audio"]), SamplingOptions(**raw["sampling"]["stop"])),
        measured=dict(raw.get("measured", {})),
    )
    _require_sense(card, raw)
    return card


def _require_sense(card: ModelCard, raw: dict[str, Any]) -> None:
    """Raises ValueError or TypeError: a value that would be met only in the middle of speaking."""
    if card.cloning not in get_args(Cloning):
        raise ValueError(f"cloning is {card.cloning!r}")
    if card.characters not in ("any", "ascii"):
        raise ValueError(f"characters is {card.characters!r}")
    if not isinstance(raw.get("languages", []), list):
        raise ValueError("languages is no list")
    if card.voices and card.default_voice not in [None, *(voice.id for voice in card.voices)]:
        raise ValueError(f"default_voice is {card.default_voice!r}, which is none of its voices")
    for name, value in (("a piece", card.longest_piece_s), ("a reference", card.longest_reference_s)):
        if not 0 < value < math.inf:
            raise ValueError(f"{name} may last {value} s")
    tags = card.pause_tags
    if tags is not None and not (0 <= tags.min_s <= tags.max_s < math.inf and 0 < tags.step_s < math.inf):
        raise ValueError("pause_tags has no range")
    for options in (card.sampling.audio, card.sampling.stop):
        if not (0 <= options.temperature < math.inf and 0 <= options.top_p < math.inf and 0 <= options.top_k):
            raise ValueError("sampling is out of range")
        if not (0 < options.repetition_penalty < math.inf and options.top_k == int(options.top_k)):
            raise ValueError("sampling is out of range")
