"""Speaks text of any length through an engine and the mixer, in bounded memory, as it comes."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from app.services.mixer import Mixer, MixSettings
from app.services.programme import join_s
from engine import (
    FRAME_RATE,
    LANGUAGES,
    CapabilityError,
    Clip,
    Pause,
    Piece,
    Priority,
    Sampling,
    SpeechRequest,
    SpeechWarning,
    StopReason,
    TextError,
    language_name,
    plan_speech,
)

if TYPE_CHECKING:
    from engine import Engine, SpeechPlan, SpeechResult, Stream

PARAGRAPH_S = 0.45
_FIRST_WITHOUT_SPACES = 0x2E80  # CJK and what follows it
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
LONGEST_PLANNED = 50_000  # characters: planning that many takes a moment
_PART_SLACK, _LONGEST_TAG = 5_000, 700
_BRACKETS = ("[]", "【】", "［］", "<>")
_SENTENCE_END = re.compile(r"[.!?…؟।][\"'”’»)\]]*\s+|[。！？][」』”’]*")
_SPACE = re.compile(r"\s+")
_LINE_END = re.compile(r"\r\n|[\r\u2028\u2029\x85]")


@dataclass(frozen=True)
class Manner:
    """How a text is to be spoken.

    Attributes:
        references: the voice; empty is the model's own.
        language: full English name, or None.
        seed, sampling, instruction, tokens: as in SpeechRequest; `tokens` is for the whole text.
        continue_from: audio that the first piece goes on from.
        continue_pieces: a piece goes on from the one before it in its paragraph, where the card allows it.
        natural_pauses: the model makes the pauses that it can; else they are exact.
        paragraph_s: pause between paragraphs.
        lexicon: (written, spoken) pairs.
        priority: see Priority.
        lead_s: audio ready ahead of a listener; None where nobody listens.
    """

    references: tuple[Clip, ...] = ()
    language: str | None = None
    seed: int = 0
    sampling: Sampling | None = None
    instruction: str | None = None
    tokens: int | None = None
    continue_from: Clip | None = None
    continue_pieces: bool = True
    natural_pauses: bool = False
    paragraph_s: float = PARAGRAPH_S
    lexicon: tuple[tuple[str, str], ...] = ()
    priority: Priority = Priority.EXPORTING
    lead_s: Callable[[], float] | None = field(default=None, compare=False)


@dataclass
class Spoken:
    """What came of it so far.

    Attributes:
        pieces, frames: spoken so far. samples: of the programme, pauses included.
        busy_s: time spent making speech; ttfa_ms: submit to first audio of the first piece.
        stop_reason: STOP while every piece was complete, else why the first of the others was not.
        incomplete: text of the pieces that are not complete.
        warnings: each once.
    """

    pieces: int = 0
    frames: int = 0
    samples: int = 0
    busy_s: float = 0.0
    speech_s: float = 0.0
    ttfa_ms: float | None = None
    stop_reason: StopReason = StopReason.STOP
    incomplete: list[str] = field(default_factory=list)
    warnings: dict[SpeechWarning, None] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        return self.samples / 48_000

    @property
    def rtf(self) -> float:
        """Time spent making the speech / its length."""
        return self.busy_s / self.speech_s if self.speech_s else 0.0


@dataclass
class _Asked:
    """A piece that was submitted."""

    piece: Piece
    stream: Stream


class Speech:
    """One text on its way through the engine; iterating it gives the programme, float32 `[n, 2]`, in order.

    Only a few pieces are in the engine at once, and paragraphs are planned as they are reached, so a book takes no more
    memory than a page. The iteration ends early, with what is complete, after `cancel`.

    Attributes:
        spoken: figures, right at every moment.
    """

    def __init__(
        self, engine: Engine, paragraphs: Iterable[str], manner: Manner, mix: MixSettings | None = None
    ) -> None:
        self.spoken = Spoken()
        self._engine = engine
        self._manner = manner
        self._paragraphs = iter(paragraphs)
        self._mixer = Mixer(mix)
        self._asked: deque[_Asked | Pause] = deque()
        self._cancelled = False
        self._continues = manner.continue_pieces and engine.card.continuation

    def cancel(self) -> None:
        """End as soon as the running frame is made; may be called from any thread and from a signal handler."""
        self._cancelled = True
        for asked in list(self._asked):
            if isinstance(asked, _Asked):
                asked.stream.cancel()

    def __iter__(self) -> Iterator[np.ndarray]:
        """Raises SpeechError: a piece failed, or there is nothing to speak. What was given before is sound."""
        items = self._items()
        try:
            while True:
                self._look_ahead(items)
                if not self._asked:
                    break
                if not self.spoken.pieces and not any(isinstance(item, _Asked) for item in self._asked):
                    break  # nothing but pauses: no file of silence is made
                item = self._asked[0]
                if isinstance(item, Pause):
                    yield from self._counted(self._mixer.pause(item.seconds))
                else:
                    yield from self._speak(item)
                self._asked.popleft()
                if self._cancelled:
                    self.spoken.stop_reason = StopReason.CANCELLED
                    break
            yield from self._counted(self._mixer.flush())
        finally:
            for asked in self._asked:
                if isinstance(asked, _Asked):
                    asked.stream.cancel()
        if not self.spoken.pieces and not self._cancelled:
            why = [each.message for each in self.spoken.warnings if each.code in ("unreadable", "broken_tag")]
            remedy = "" if why else "Write some words."
            raise TextError(" ".join(["There is nothing to speak in this text.", *why]), remedy)

    # -- inside -------------------------------------------------------------------------------------------------

    def _speak(self, asked: _Asked) -> Iterator[np.ndarray]:
        spoken = self.spoken
        self._mixer.begin_piece("", spoken.pieces)
        try:
            for chunk in asked.stream:
                yield from self._counted(self._mixer.feed(chunk.samples))
        except Exception:
            yield from self._counted(self._mixer.flush())
            raise
        yield from self._counted(self._mixer.end_piece())
        self._note(asked.piece, asked.stream.result())

    def _note(self, piece: Piece, result: SpeechResult) -> None:
        spoken = self.spoken
        if not spoken.pieces:
            spoken.ttfa_ms = result.ttfa_ms
        spoken.pieces += 1
        spoken.frames += result.frames
        spoken.speech_s += result.seconds
        spoken.busy_s += result.rtf * result.seconds
        spoken.warnings.update(dict.fromkeys(result.warnings))
        if not result.complete:
            spoken.incomplete.append(piece.text)
            if spoken.stop_reason is StopReason.STOP:
                spoken.stop_reason = result.stop_reason

    def _counted(self, samples: np.ndarray) -> Iterator[np.ndarray]:
        if len(samples):
            self.spoken.samples += len(samples)
            yield samples

    def _look_ahead(self, items: Iterator[_Asked | Pause]) -> None:
        """Keep the engine busy: one piece more than it has places, where pieces do not wait for each other."""
        ahead = 0 if self._continues else self._engine.backend.capacity
        while not self._cancelled and sum(isinstance(item, _Asked) for item in self._asked) <= ahead:
            item = next(items, None)
            if item is None:
                return
            self._asked.append(item)

    def _items(self) -> Iterator[_Asked | Pause]:
        """Pieces, submitted as they are reached, and pauses between them."""
        gap: Pause | None = None
        continue_from = self._manner.continue_from
        for paragraph in self._paragraphs:
            before: Piece | Pause | None = None
            previous: _Asked | None = None
            for plan in self._plans(paragraph):
                self.spoken.warnings.update(dict.fromkeys(plan.warnings))
                tokens = self._tokens(plan)
                for item in plan.items:
                    if isinstance(item, Pause):
                        yield item
                    else:
                        if isinstance(before, Piece):
                            yield Pause(join_s(before.text, before.ends_sentence), item.start, item.start)
                        elif before is None and gap is not None:
                            yield gap
                        if previous is not None:
                            continue_from = self._continuation(previous)
                        previous = self._ask(item, next(tokens), continue_from)
                        continue_from = None
                        yield previous
                    before = item
            if before is not None:
                ends_in_pause = isinstance(before, Pause)
                gap = None if ends_in_pause else Pause(self._manner.paragraph_s, len(paragraph), len(paragraph))

    def _plans(self, paragraph: str) -> Iterator[SpeechPlan]:
        """The plan of a paragraph; of one as long as a book a plan for each part, as it is reached."""
        whole = self._manner.tokens is not None  # one length is for all of it
        for part in [paragraph] if whole else parts(paragraph):
            yield self._plan(part)

    def _plan(self, paragraph: str) -> SpeechPlan:
        return plan_speech(
            paragraph,
            self._engine.card,
            language=self._manner.language,
            lexicon=self._manner.lexicon,
            pauses="natural" if self._manner.natural_pauses else "exact",
        )

    def _tokens(self, plan: SpeechPlan) -> Iterator[int | None]:
        """Frames wanted of each piece: the wanted length less the pauses, shared by expected length."""
        wanted = self._manner.tokens
        if wanted is None and plan.length_s is not None:
            wanted = round(plan.length_s * FRAME_RATE)
        if wanted is None:
            return iter([None] * len(plan.pieces))
        pauses_s = sum(item.seconds for item in plan.items if isinstance(item, Pause))
        speech = max(1.0, wanted - pauses_s * FRAME_RATE)
        total = sum(piece.estimate_frames for piece in plan.pieces) or 1
        return iter([max(1, round(speech * piece.estimate_frames / total)) for piece in plan.pieces])

    def _continuation(self, previous: _Asked) -> Clip | None:
        """The piece before, to go on from; it has to be finished for that."""
        if not self._continues:
            return None
        result = previous.stream.result()
        if not result.complete:
            return None
        return Clip(codes=result.codes, transcript=_before_more(previous.piece.text))

    def _ask(self, piece: Piece, tokens: int | None, continue_from: Clip | None) -> _Asked:
        manner = self._manner
        request = SpeechRequest(
            piece.text,
            references=manner.references,
            language=manner.language,
            tokens=tokens,
            instruction=manner.instruction,
            continue_from=continue_from,
            sampling=manner.sampling,
            seed=manner.seed,
            estimate_frames=piece.estimate_frames,
            own_pause_s=piece.own_pause_s,
            priority=manner.priority,
        )
        return _Asked(piece, self._engine.submit(request, lead_s=manner.lead_s))


def paragraphs(text: str) -> list[str]:
    """Paragraphs of a text: parted by blank lines where it has any (lines inside are joined), else by line ends."""
    text = _LINE_END.sub("\n", text)
    if _BLANK_LINE.search(text.strip()):
        parts = (" ".join(part.split("\n")) for part in _BLANK_LINE.split(text))
    else:
        parts = iter(text.split("\n"))
    return [part.strip() for part in parts if part.strip()]


def parts(paragraph: str, longest: int = LONGEST_PLANNED) -> Iterator[str]:
    """A paragraph, or what it is planned in if it is longer: cut at a sentence's end, else a space, never in a tag."""
    start = 0
    while len(paragraph) - start > longest:
        end = _part_end(paragraph, start, start + longest)
        yield paragraph[start:end]
        start = end
    yield paragraph[start:]


def _part_end(text: str, start: int, limit: int) -> int:
    earliest = max(start + 1, limit - _PART_SLACK)
    for pattern in (_SENTENCE_END, _SPACE):
        ends = [match.end() for match in pattern.finditer(text, earliest, limit)]
        found = next((end for end in reversed(ends) if _tag_around(text, end) is None), None)
        if found is not None:
            return found
    tag = _tag_around(text, limit)
    return tag if tag is not None and tag > start else limit


def _tag_around(text: str, at: int) -> int | None:
    """Where a tag begins that does not end before `at`."""
    first = max(0, at - _LONGEST_TAG)
    last = [(text.rfind(opening, first, at), text.rfind(closing, first, at)) for opening, closing in _BRACKETS]
    return min((opened for opened, closed in last if opened > closed), default=None)


def language_or_error(given: str | None) -> str | None:
    """The full English name of a language given by name or code. Raises TextError."""
    if given is None or given.strip().casefold() in ("", "auto"):
        return None
    name = language_name(given)
    if name is None:
        raise TextError(
            f"The language “{given}” is not known.", f"Known are: {', '.join(one.name for one in LANGUAGES)}."
        )
    return name


def with_sampling(card_sampling: Sampling, **changes: float | None) -> Sampling | None:
    """The card's sampling with the audio settings that a person gave; None when none was given."""
    own = {name: value for name, value in changes.items() if value is not None}
    return replace(card_sampling, audio=replace(card_sampling.audio, **own)) if own else None


def continuation_clip(clip: Clip, card_continues: bool, model_name: str) -> Clip:
    """A clip to go on from. Its transcript has to be exact: the model reads it together with the new text.

    Raises:
        CapabilityError: the model does not continue. TextError: the transcript is missing.
    """
    if not card_continues:
        raise CapabilityError(
            f"“{model_name}” cannot go on from other audio.",
            "Choose a model that continues, such as MOSS-TTS-Local v1.5.",
        )
    if not clip.transcript.strip():
        raise TextError("To go on from a clip, its words must be known.", "Give them with --transcript.")
    return replace(clip, transcript=_before_more(clip.transcript))


def _before_more(text: str) -> str:
    """A text that another follows: the model joins them as they are, and most scripts part sentences by a space."""
    text = text.strip()
    return text if text and ord(text[-1]) >= _FIRST_WITHOUT_SPACES else text + " "
