"""From a block to what the engine is asked: plan, voice, requests, and the key of the take."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from app.model.block import Block
from app.model.project_settings import Lexicon, ProjectSettings
from app.model.take import Take
from app.model.take_key import take_key
from app.model.voice import Voice
from app.services.kept_tags import tags_in
from engine import (
    FRAME_RATE,
    NORMALISER_VERSION,
    CapabilityError,
    Clip,
    ModelCard,
    Pause,
    Priority,
    Sampling,
    SpeechRequest,
    plan_speech,
)

if TYPE_CHECKING:
    from app.settings import Settings
    from engine import SpeechPlan


class Clips(Protocol):
    """Who knows where the audio of a voice is."""

    def clips(self, voice: Voice) -> Sequence[Clip]:
        """Clips of a voice, first the one that is sent. Raises SpeechError."""


@dataclass(frozen=True)
class Habits:
    """How a person wants blocks to be made, whatever the project.

    Attributes:
        continuation: each piece of a block is conditioned on the one before, where the model can.
        longest_piece_s: another limit for one piece than the model's usual, as far as its card allows; or None.
        fresh_seeds: every making takes another seed; else the project's is used, and one timbre lasts over a book.
    """

    continuation: bool = True
    longest_piece_s: float | None = None
    fresh_seeds: bool = False


def habits_of(settings: Settings) -> Habits:
    """What the settings of a profile say."""
    generation = settings.generation
    return Habits(
        generation.continuation, generation.longest_piece_s or None, fresh_seeds=generation.seed_policy == "new"
    )


@dataclass(frozen=True)
class Manner:
    """Everything besides the text that decides how a block sounds; frozen, so that another thread may use it.

    Attributes:
        card: of the model that will speak.
        settings, lexicon: of the project.
        voice: who speaks, or None for the model's own voice.
        voice_missing: the block names a voice that is not there.
        habits: of the person.
    """

    card: ModelCard
    settings: ProjectSettings
    lexicon: Lexicon
    voice: Voice | None
    voice_missing: bool = False
    habits: Habits = Habits()

    def language(self, block: Block) -> str | None:
        return block.settings.language or self.settings.language

    def plan(self, block: Block, text: str | None = None) -> SpeechPlan:
        """The plan of a block's text, or of another text as if it stood there."""
        return plan_speech(
            _without_heading_mark(block.text if text is None else text),
            self.card,
            language=self.language(block),
            lexicon=self.lexicon,
            pauses="natural" if self.settings.pauses_mode == "natural" else "exact",
            normalise=self.settings.normalise,
            longest_piece_s=self.habits.longest_piece_s,
        )

    @property
    def continues(self) -> bool:
        """Whether a piece goes on from the one before."""
        return self.habits.continuation and self.card.continuation

    def describe(self, block: Block) -> dict[str, Any]:
        """What a take remembers of how it was asked for, as plain JSON; without text and seed.

        Differing later means stale. What the model does not follow is left out: changing it changes nothing.
        """
        settings, card = block.settings, self.card
        asked = {name: getattr(settings, name) for name in card.sampling_fields if hasattr(settings, name)}
        return {
            "voice": _voice_content(self.voice),
            "language": self.language(block),
            "instruction": (settings.instruction or None) if card.instruction else None,
            "target_s": self._wanted_s(block) if card.length else None,
            **asked,
            "continues": self.continues,
            "longest_piece_s": self.habits.longest_piece_s,
            "pauses": self.settings.pauses_mode,
            "normalise": NORMALISER_VERSION if self.settings.normalise else False,
            "lexicon": _digest(self.lexicon) if self.lexicon else "",
        }

    @staticmethod
    def _wanted_s(block: Block) -> float | None:
        """The length asked for: of the settings, else of a tag in the text."""
        if block.settings.length != "natural":
            return block.settings.target_s
        if "length" not in block.text.lower():
            return None  # thousands of lines are asked about at once
        return next((tag.seconds for tag in reversed(tags_in(block.text)) if tag.kind == "length"), None)

    def is_stale(self, block: Block, take: Take) -> bool:
        """Whether the block would sound different now. Pauses and gain alone change nothing that was spoken."""
        now = self.describe(block)
        then = {name: value for name, value in take.settings.items() if name in now}
        if len(take.settings.get("spoken") or ()) < 2:
            then.pop("continues", None)  # there is no piece before
        if then:
            words = ("lexicon", "longest_piece_s", "normalise", "pauses")
            if any(then.get(name, now[name]) != now[name] for name in now if name not in words):
                return True
            if take.text == block.text and all(then.get(name, now[name]) == now[name] for name in words):
                return False
        elif take.text == block.text:
            return False
        spoken = take.settings.get("spoken") or [piece.text for piece in self.plan(block, take.text).pieces]
        return [piece.text for piece in self.plan(block).pieces] != list(spoken)


@dataclass(frozen=True)
class Speech:
    """A block ready to be spoken.

    Attributes:
        block: as it was when this was made.
        manner: see there.
        plan: its pieces and pauses.
        requests: one for each piece; those after the first continue from the one before where `continues`.
        seed, key: of the take. settings: what the take remembers.
    """

    block: Block
    manner: Manner
    plan: SpeechPlan
    requests: tuple[SpeechRequest, ...]
    continues: bool
    seed: int
    key: str
    settings: dict[str, Any]


def prepare(
    block: Block,
    manner: Manner,
    clips: Clips | None,
    identity: Mapping[str, str],
    *,
    seed: int,
    priority: Priority,
) -> Speech:
    """What to ask the engine for a block.

    Raises:
        CapabilityError: the model cannot speak with this voice; it is never replaced by another.
        SpeechError: a clip is gone.
    """
    plan = manner.plan(block)
    references = references_for(manner, clips)
    sampling = _sampling(block, manner.card)
    continues = manner.continues and len(plan.pieces) > 1
    tokens = _tokens(block, plan) if manner.card.length else [None] * len(plan.pieces)
    language = manner.language(block)
    requests = tuple(
        SpeechRequest(
            text=piece.text,
            references=references,
            language=language,
            tokens=wanted,
            instruction=(block.settings.instruction or None) if manner.card.instruction else None,
            sampling=sampling,
            seed=seed,
            estimate_frames=piece.estimate_frames,
            own_pause_s=piece.own_pause_s,
            priority=priority,
            label=block.id,
        )
        for piece, wanted in zip(plan.pieces, tokens, strict=True)
    )
    settings = {**manner.describe(block), "model": manner.card.name, "spoken": [piece.text for piece in plan.pieces]}
    key = _key(requests, manner.voice if references else None, continues, identity)
    return Speech(block, manner, plan, requests, continues, seed, key, settings)


def references_for(manner: Manner, clips: Clips | None) -> tuple[Clip, ...]:
    """The clip to send, or none for the model's own voice.

    Raises:
        CapabilityError, SpeechError: see `prepare`.
    """
    card, voice = manner.card, manner.voice
    if manner.voice_missing:
        raise CapabilityError(
            "The voice of this line is not here any more.",
            "Give the line another voice, or bring the voice back from the trash.",
        )
    if voice is None:
        if card.needs_reference:
            raise CapabilityError(f"“{card.name}” speaks only in the voice of a clip.", "Give the line a voice first.")
        return ()
    reason = cannot_speak(card, voice)
    if reason:
        raise CapabilityError(reason, "Choose another voice for the line, or another model.")
    known = known_voice(card, voice)
    if known is not None:
        return () if known.sent_as_no_reference else (Clip(path=known.path, transcript=known.transcript),)
    if clips is None:
        raise CapabilityError(f"The clip of “{voice.name}” is not here.", "Add the clip to the voice again.")
    return tuple(clips.clips(voice)[:1])


def known_voice(card: ModelCard, voice: Voice) -> Any:
    """The entry of the card that this voice is, or None: recognised by content, so a renamed or copied clip is still
    known."""
    if voice.references:
        first = voice.references[0]
        if first.start_s is None and first.end_s is None:
            return card.known_voice(first.sha256)
        return None
    return next((known for known in card.voices if known.id == voice.known), None)


def cannot_speak(card: ModelCard | None, voice: Voice) -> str:
    """Why this model cannot speak with this voice, for people; "" when it can."""
    if card is None or card.cloning == "zero_shot" or known_voice(card, voice) is not None:
        return ""
    if card.cloning == "none":
        return f"“{card.name}” has one voice of its own and cannot speak as “{voice.name}”."
    return (
        f"“{card.name}” speaks only with the voices that come with it and cannot clone “{voice.name}”. "
        "A model that clones can, such as MOSS-TTS-Local v1.5."
    )


def _sampling(block: Block, card: ModelCard) -> Sampling | None:
    own = {name: value for name in card.sampling_fields if (value := getattr(block.settings, name, None)) is not None}
    return replace(card.sampling, audio=replace(card.sampling.audio, **own)) if own else None


def _tokens(block: Block, plan: SpeechPlan) -> list[int | None]:
    """Frames wanted of each piece, so that all of them and the pauses between last as long as asked."""
    settings = block.settings
    wanted_s = settings.target_s if settings.length != "natural" else plan.length_s
    if not wanted_s:
        return [None] * len(plan.pieces)
    pauses_s = sum(item.seconds for item in plan.items if isinstance(item, Pause))
    frames = max(1.0, (wanted_s - pauses_s) * FRAME_RATE)
    total = sum(piece.estimate_frames for piece in plan.pieces) or 1
    return [max(1, round(frames * piece.estimate_frames / total)) for piece in plan.pieces]


def _key(requests: Sequence[SpeechRequest], voice: Voice | None, continues: bool, identity: Mapping[str, str]) -> str:
    return take_key(
        {
            "pieces": [
                {
                    "text": one.text,
                    "language": one.language,
                    "tokens": one.tokens,
                    "instruction": one.instruction,
                    "budget": one.max_frames,
                    "sampling": None if one.sampling is None else _plain_sampling(one.sampling),
                }
                for one in requests
            ],
            "mode": "continuation" if continues else "single",
            "reference": _voice_content(voice),
            "seed": requests[0].seed if requests else 0,
            "identity": dict(identity),
        }
    )


def _plain_sampling(sampling: Sampling) -> dict[str, Any]:
    return {
        kind: [options.temperature, options.top_p, options.top_k, options.repetition_penalty]
        for kind, options in (("audio", sampling.audio), ("stop", sampling.stop))
    }


def _without_heading_mark(text: str) -> str:
    """`# ` and `## ` are marks, not words; spaces in their place leave all positions as they are."""
    for mark in ("## ", "# "):
        if text.startswith(mark):
            return " " * len(mark) + text[len(mark) :]
    return text


def _voice_content(voice: Voice | None) -> list[Any] | None:
    """What is sent of a voice: content and range of its first clip, never its name."""
    if voice is None:
        return None
    if not voice.references:
        return [voice.known or voice.id]
    first = voice.references[0]
    return [first.sha256, first.start_s, first.end_s]


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()[:16]
