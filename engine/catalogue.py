"""The published checkpoints that the studio knows by name."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from engine.card import FULL_SIZE_CARD, ModelCard
from engine.text.languages import LANGUAGES


@dataclass(frozen=True)
class Part:
    """One repository of a model: where it is published, and the folder it goes to inside the model's own ("" is
    that)."""

    repo_id: str
    folder: str = ""
    revision: str = "main"


@dataclass(frozen=True)
class CatalogueEntry:
    """A model that can be had.

    Attributes:
        id: also the name of its folder. name, summary, licence, source: for people; `source` is its page.
        parts: the language model first, then its codec.
        size_bytes: about, of all that is fetched.
        card: what it can do. languages: for people; the card's, or every one of the model's.
        gpu_gb, memory_gb: what it takes on a graphics card, and on a processor without one.
        cpu_speed: seconds of work for a second of speech on an ordinary processor, about; for people.
    """

    id: str
    name: str
    summary: str
    licence: str
    source: str
    parts: tuple[Part, ...]
    size_bytes: int
    card: ModelCard = field(compare=False)
    languages: tuple[str, ...] = ()
    gpu_gb: float = 0.0
    memory_gb: float = 0.0
    cpu_speed: float = 1.0


LOCAL_V15 = CatalogueEntry(
    id="MOSS-TTS-Local-Transformer-v1.5",
    name="MOSS-TTS-Local v1.5",
    summary="Clones any voice from a short clip, speaks 31 languages, follows lengths and instructions; 48 kHz stereo.",
    licence="Apache-2.0",
    source="https://huggingface.co/OpenMOSS-Team/MOSS-TTS-Local-Transformer-v1.5",
    parts=(
        Part("OpenMOSS-Team/MOSS-TTS-Local-Transformer-v1.5"),
        Part("OpenMOSS-Team/MOSS-Audio-Tokenizer-v2", "MOSS-Audio-Tokenizer-v2"),
    ),
    size_bytes=18_000_000_000,
    card=replace(FULL_SIZE_CARD),
    languages=tuple(language.name for language in LANGUAGES),
    gpu_gb=14.0,
    memory_gb=32.0,
    cpu_speed=6.0,
)

CATALOGUE: tuple[CatalogueEntry, ...] = (LOCAL_V15,)


def catalogue_entry(entry_id: str) -> CatalogueEntry | None:
    """The entry with this id, or None."""
    return next((entry for entry in CATALOGUE if entry.id == entry_id), None)
