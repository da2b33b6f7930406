"""From the clips of a request to codes: what the card knows, what the cache holds, what has to be encoded."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from engine.card import ModelCard
from engine.errors import CapabilityError, ClipError
from engine.reference_cache import ReferenceCache
from engine.references import PreparedClip, file_sha256, prepare_clip
from engine.requests import Clip, SpeechWarning

if TYPE_CHECKING:
    from engine.codec.model import Codec

_REMEMBERED = 1024

_Made = TypeVar("_Made")
Slices = Generator[None, None, _Made]  # work that hands control back after every slice, and what it comes to


@dataclass(frozen=True)
class EncodedClip:
    """Codes int16 `[T, C]`, or None where the model speaks in this voice without a reference; and what was repaired."""

    codes: np.ndarray | None
    warnings: tuple[SpeechWarning, ...] = ()


class ClipEncoder:
    """Codes of clips for one model. Used on the engine's thread alone.

    A file that did not change is not even read again: its size and times stand for its content here, while the codes
    themselves are kept by content in the reference cache.
    """

    def __init__(self, card: ModelCard, codec: Codec, cache: ReferenceCache, identity: str, codebooks: int) -> None:
        self._card = card
        self._codec = codec
        self._cache = cache
        self._identity = identity
        self._codebooks = codebooks
        self._seen: OrderedDict[tuple[object, ...], EncodedClip] = OrderedDict()

    def encoded(self, clip: Clip) -> EncodedClip | None:
        """What is known of a clip without any work; None when it has to be encoded."""
        key = _file_key(clip)
        if key is None or key not in self._seen:
            return None
        self._seen.move_to_end(key)
        return self._seen[key]

    def references(self, clips: Sequence[Clip]) -> Slices[list[EncodedClip]]:
        """Clips as the voice of a request, made in slices of work; those that nobody knows are encoded as one batch.

        Raises:
            ClipError: one cannot serve. CapabilityError: the model does not know this voice and cannot learn it.
        """
        made: dict[int, EncodedClip] = {}
        for number, clip in enumerate(clips):
            known = self.encoded(clip)
            if known is None and self._card.cloning == "known_voices" and clip.codes is None:
                if self._check_known(clip):
                    known = self._remember(clip, EncodedClip(None))
                yield
            if known is not None:
                made[number] = known
        missing = [number for number in range(len(clips)) if number not in made]
        encoded = yield from self._encode([clips[number] for number in missing])
        for number, each in zip(missing, encoded, strict=True):
            made[number] = self._remember(clips[number], each)
        return [made[number] for number in range(len(clips))]

    def prefix(self, clip: Clip) -> Slices[EncodedClip]:
        """A clip as the audio that a request goes on from, made in slices; any voice may be continued."""
        return (yield from self._encode([clip]))[0]

    def _check_known(self, clip: Clip) -> bool:
        """Whether the model speaks in this voice without a reference. Raises CapabilityError: it does not know it."""
        voice = self._card.known_voice(file_sha256(clip.path)) if clip.path is not None else None
        if voice is None:
            names = ", ".join(known.name for known in self._card.voices)
            raise CapabilityError(
                f"“{self._card.name}” speaks only in its own voices ({names}) and cannot learn another from a clip.",
                "Choose one of them, or a model that clones any voice: MOSS-TTS-Local v1.5.",
            )
        return voice.sent_as_no_reference

    def _encode(self, clips: Sequence[Clip]) -> Slices[list[EncodedClip]]:
        made: dict[int, EncodedClip] = {}
        prepared: dict[int, PreparedClip] = {}
        for number, clip in enumerate(clips):
            if clip.codes is not None:
                made[number] = self._given_codes(clip.codes)
            else:
                prepared[number] = self._prepared(clip)
                yield
        with self._cache.claim(list(prepared.values()), self._identity, self._codebooks) as claim:
            if claim.missing:
                samples = [clip.samples for clip in claim.missing]
                claim.settle((yield from self._codec.encode_in_slices(samples, self._codebooks)))
        for (number, clip), codes in zip(prepared.items(), claim.codes(), strict=True):
            made[number] = EncodedClip(codes, clip.repairs)
        return [made[number] for number in range(len(clips))]

    def _given_codes(self, codes: np.ndarray) -> EncodedClip:
        try:
            return EncodedClip(self._codec.check_codes(codes).astype(np.int16))
        except ValueError as error:
            raise ClipError(f"The clip's codes do not fit this model ({error}).", "Encode the clip again.") from error

    def _prepared(self, clip: Clip) -> PreparedClip:
        prepared = prepare_clip(clip, self._codec.config)
        if prepared.seconds > self._card.longest_reference_s:
            raise ClipError(
                f"The clip is {prepared.seconds:.1f} s long; “{self._card.name}” takes at most "
                f"{self._card.longest_reference_s:.1f} s.",
                "Choose a shorter part of it.",
            )
        return prepared

    def _remember(self, clip: Clip, made: EncodedClip) -> EncodedClip:
        key = _file_key(clip)
        if key is not None:
            self._seen[key] = made
            if len(self._seen) > _REMEMBERED:
                self._seen.popitem(last=False)
        return made


def _file_key(clip: Clip) -> tuple[object, ...] | None:
    """What a file's clip is remembered by; None when it is no file, or cannot be asked."""
    if clip.path is None or clip.codes is not None:
        return None
    try:
        stat = clip.path.stat()
    except OSError:
        return None
    return (clip.path.absolute(), stat.st_size, stat.st_mtime_ns, stat.st_ino, clip.start_s, clip.end_s)
