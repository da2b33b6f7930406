"""Where the parts of a model lie: a studio model with its card, or a checkpoint as it was published."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.card import FULL_SIZE_CARD, ModelCard, read_card
from engine.errors import CheckpointError

CODEC_TYPE = "moss-audio-tokenizer"
CODEC_NAMES = ("codec", "MOSS-Audio-Tokenizer-v2", "moss-audio-tokenizer-v2", "audio_tokenizer")


@dataclass(frozen=True)
class ModelLayout:
    """The folders of one model.

    Attributes:
        folder: what was asked for.
        model, codec: checkpoint folders of the language model and of the codec.
        card: its own, or that of the published model.
    """

    folder: Path
    model: Path
    codec: Path
    card: ModelCard


def find_layout(folder: Path, codec_folder: Path | None = None) -> ModelLayout:
    """The parts of the model in `folder`; nothing but small JSON files is read.

    Args:
        codec_folder: the codec; None looks inside the folder, then beside it.

    Raises:
        CheckpointError: there is no model there, or its codec is missing.
    """
    folder = Path(folder).expanduser()
    card = read_card(folder)
    if card is not None:
        raw = _object(folder / "card.json")
        model = _inside(folder, raw.get("model", "model"))
        codec = codec_folder or _inside(folder, raw.get("codec", "codec"))
        return ModelLayout(folder, model, _codec(codec), card)
    if not (folder / "config.json").is_file():
        raise CheckpointError(
            f"There is no model in {folder}.", "Give the folder that holds card.json, or config.json and its weights."
        )
    _check_is_model(folder / "config.json")
    card = replace(FULL_SIZE_CARD, name=folder.resolve().name or FULL_SIZE_CARD.name)
    return ModelLayout(folder, folder, _codec(codec_folder) if codec_folder else _find_codec(folder), card)


def _check_is_model(config: Path) -> None:
    """What is no speech model at all is said before its codec is missed. Raises CheckpointError."""
    found = _object(config)
    kind, architectures = found.get("model_type"), found.get("architectures")
    if not kind and not architectures:
        raise CheckpointError(
            f"{config} names no architecture, so it is not of a speech model.",
            "Give the folder of MOSS-TTS-Local, or download the model again.",
        )
    if kind == CODEC_TYPE:
        raise CheckpointError(f"{config.parent} holds a codec, not a model.", "Give the folder of MOSS-TTS-Local.")


def _find_codec(folder: Path) -> Path:
    for parent in (folder, folder.resolve().parent):
        for name in CODEC_NAMES:
            if _is_codec(parent / name):
                return parent / name
    raise CheckpointError(
        f"The codec of the model in {folder} was not found.",
        "Download MOSS-Audio-Tokenizer-v2 beside it, or give its folder with --codec.",
    )


def _codec(folder: Path) -> Path:
    if not _is_codec(folder):
        raise CheckpointError(f"There is no codec in {folder}.", "Give the folder of MOSS-Audio-Tokenizer-v2.")
    return folder


def _is_codec(folder: Path) -> bool:
    config = folder / "config.json"
    return config.is_file() and _object(config).get("model_type") == CODEC_TYPE


def _inside(folder: Path, name: object) -> Path:
    """A folder named by a card, which may come from anywhere: it cannot point out of its own folder."""
    inner = folder / str(name)
    if not inner.resolve().is_relative_to(folder.resolve()):
        raise CheckpointError(f"The card in {folder} points outside its folder ({name}).", "Install the model again.")
    return inner


def _object(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text("utf-8"))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise CheckpointError(f"{path} cannot be read ({reason}).", "Check that it may be read.") from error
    except (ValueError, RecursionError) as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error
        raise CheckpointError(f"{path} is not readable JSON ({reason}).", "Install the model again.") from error
    if not isinstance(value, dict):
        raise CheckpointError(f"{path} is not readable JSON: it holds no object.", "Install the model again.")
    return value
