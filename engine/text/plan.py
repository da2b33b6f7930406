"""From what a person wrote to what the model reads: pieces and pauses, each knowing where in the text it came from."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from engine.card import ModelCard
from engine.requests import FRAME_RATE, FRAME_S, SpeechWarning
from engine.text.charset import count_numbers, readable, unreadable_warning
from engine.text.duration import estimate_frames
from engine.text.languages import language_name
from engine.text.lexicon import say_as
from engine.text.mapped import FREE, SAID, TAG, MappedText, SourceMap
from engine.text.markup import Tag, find_tags, format_pause
from engine.text.normalize import normalise_mapped
from engine.text.pieces import cut_into_pieces
from engine.text.segment import sentence_ends

PauseMode = Literal["exact", "natural"]

_DIGIT = re.compile(r"\d")
_SPEAKABLE = re.compile(r"[^\W_]|[%&+=@$€£¥]")
_SENTENCE_END = re.compile(r"[.!?…。！？｡؟۔।॥։៕။‽][\"'”’»›)\]}」』】〉》＂）\s]*$")
_ORPHAN_MARKS = re.compile(r"\s*[,;:.!?…，。、！？；：،؛؟।]+(?=\s|$)")


@dataclass(frozen=True)
class Piece:
    """What one model call speaks.

    Attributes:
        text: what the model reads.
        start, end: its range in the block's text, tags that were said or followed included.
        estimate_frames: expected length in frames of 80 ms, followed pauses included.
        own_pause_s: longest silence that the text itself asks the model for; 0 when it asks for none.
        ends_sentence: the piece ends where a sentence or the block ends, so that the voice may fall.
        source_map: runs `(start, end, source start, source end)` covering `text`: of equal length, character for
            character; otherwise every character stands for the whole source range.
    """

    text: str
    start: int
    end: int
    estimate_frames: int
    own_pause_s: float
    ends_sentence: bool
    source_map: SourceMap

    def to_source(self, offset: int) -> int:
        """Where `text[offset]` came from; never falling as `offset` rises; `end` at the end of the text."""
        if offset >= len(self.text) or not self.source_map:
            return self.end
        at = bisect.bisect_right(self.source_map, max(0, offset), key=lambda run: run[0]) - 1
        start, end, source_start, source_end = self.source_map[max(0, at)]
        return source_start + max(0, offset - start) if end - start == source_end - source_start else source_start

    def from_source(self, offset: int) -> int:
        """The offset in `text` that speaks `offset` of the block's text: the nearest behind it when nothing does."""
        at = bisect.bisect_right(self.source_map, offset, key=lambda run: run[3])
        if at == len(self.source_map):
            return len(self.text)
        start, end, source_start, source_end = self.source_map[at]
        if end - start == source_end - source_start:
            return start + max(0, offset - source_start)
        return start


@dataclass(frozen=True)
class Pause:
    """Silence of exactly `seconds` between pieces, asked for in `text[start:end]` of the block."""

    seconds: float
    start: int
    end: int


@dataclass(frozen=True)
class SpeechPlan:
    """A block of text as it will be spoken.

    Attributes:
        items: pieces and pauses in order. No pieces: there is nothing to speak.
        length_s: what `[length 4.0s]` asks for the whole block, or None.
        warnings: what the person should know about the text.
    """

    items: tuple[Piece | Pause, ...]
    length_s: float | None = None
    warnings: tuple[SpeechWarning, ...] = ()

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        return tuple(item for item in self.items if isinstance(item, Piece))

    @property
    def estimate_s(self) -> float:
        """Expected length of everything, pauses included, or the length asked for."""
        if self.length_s is not None:
            return self.length_s
        return sum(i.seconds if isinstance(i, Pause) else i.estimate_frames * FRAME_S for i in self.items)

    def to_source(self, piece_index: int, offset: int) -> int:
        """Offset in the block's text of `pieces[piece_index].text[offset]`."""
        return self.pieces[piece_index].to_source(offset)

    def from_source(self, offset: int) -> tuple[int, int] | None:
        """`(index in pieces, offset in its text)` that speaks this place of the text, or the next that is spoken.

        Behind the last piece it is that piece's end; None when there are no pieces.
        """
        if not self.pieces:
            return None
        index = bisect.bisect_right(self.pieces, offset, key=lambda piece: piece.end)
        if index == len(self.pieces):
            return index - 1, len(self.pieces[-1].text)
        return index, self.pieces[index].from_source(offset)


def plan_speech(
    text: str,
    card: ModelCard,
    *,
    language: str | None = None,
    lexicon: Iterable[tuple[str, str]] = (),
    pauses: PauseMode = "exact",
    normalise: bool = False,
    longest_piece_s: float | None = None,
) -> SpeechPlan:
    """How `text` (one block, or any text) will be spoken by the model of `card`.

    Args:
        language: any name or code; used for estimates and sentence ends.
        lexicon: (written, spoken) pairs; see `lexicon.say_as`.
        pauses: `exact` cuts the text at every pause; `natural` leaves pauses to the model where its card follows them,
            in the card's spelling and step, and cuts at the others.
        normalise: apply `normalize` first.
        longest_piece_s: another limit than the card's, as far as the card allows it.

    Never raises for any text. Time is linear in its length. Warning codes: `broken_tag`, `pause_limited`,
    `pause_rounded`, `length_limited`, `several_lengths`, `unreadable`, `long_sentence`, `long_word`,
    `several_numbers`, `nothing_to_speak`.
    """
    tags = find_tags(text)
    lengths = [tag for tag in tags if tag.kind == "length"]
    warnings = _tag_warnings(tags, lengths)
    limit_s = card.piece_limit_s(longest_piece_s)
    language = language_name(language)
    entries = list(lexicon)
    sections, followed = _sections(text, tags, card, pauses, warnings)
    items: list[Piece | Pause] = []
    left_out = ""
    long_sentences = long_words = 0
    last_words = next((section for section in reversed(sections) if isinstance(section, MappedText)), None)
    numbers = 0
    for section in sections:
        if isinstance(section, Pause):
            items.append(section)
            continue
        at_end = section is last_words
        section = say_as(section, entries)
        if normalise:
            section = normalise_mapped(section)
        section, unread = readable(section, card)
        left_out += unread
        cut = cut_into_pieces(section, language, limit_s * FRAME_RATE, followed)
        long_sentences += cut.long_sentences
        long_words += cut.long_words
        for start, end in cut.ranges:
            piece = section.slice(start, end)
            items += _piece_items(piece, language, followed, at_end=at_end and end == len(section))
            numbers = max(numbers, _most_numbers(piece, language)) if card.characters == "ascii" else 0
    if left_out:
        warnings.append(unreadable_warning(left_out, card))
    if any(isinstance(item, Piece) for item in items):
        warnings += _length_warnings(long_sentences, long_words, limit_s)
    if numbers > 1:
        message = "Several numbers in one sentence may be read wrong by this model: write them as words."
        warnings.append(SpeechWarning("several_numbers", message))
    if text.strip() and not items:
        warnings.append(
            SpeechWarning("nothing_to_speak", "There is nothing here that can be spoken: write some words.")
        )
    return SpeechPlan(tuple(items), lengths[-1].seconds if lengths else None, tuple(warnings))


def _tag_warnings(tags: Sequence[Tag], lengths: Sequence[Tag]) -> list[SpeechWarning]:
    codes = {"broken": "broken_tag", "pause": "pause_limited", "length": "length_limited"}
    warnings = [SpeechWarning(codes[tag.kind], tag.problem) for tag in tags if tag.problem]
    if len(lengths) > 1:
        message = f"A block has one length; the last one counts ({lengths[-1].seconds:g} s). Remove the others."
        warnings.append(SpeechWarning("several_lengths", message))
    return warnings


def _sections(
    text: str, tags: Sequence[Tag], card: ModelCard, pauses: PauseMode, warnings: list[SpeechWarning]
) -> tuple[list[MappedText | Pause], dict[int, float]]:
    """The text between exact pauses, said words in place of their tags; seconds of followed tags by source start."""
    sections: list[MappedText | Pause] = []
    parts: list[MappedText] = []
    followed: dict[int, float] = {}
    done = 0

    def end_section() -> None:
        section = MappedText.join(parts)
        orphan = _ORPHAN_MARKS.match(section.text) if sections else None
        if orphan:  # "Hello [pause 1s], world": the comma belongs to what is before
            section = section.slice(orphan.end(), len(section))
        if section.text.strip():
            sections.append(section.stripped())
        parts.clear()

    i = 0
    while i < len(tags):
        first, tag, last = i, tags[i], tags[i]
        seconds = tag.seconds or 0.0
        parts.append(MappedText.of_source(text, done, tag.start))
        if tag.kind == "pause" and pauses == "natural":
            while i + 1 < len(tags) and tags[i + 1].kind == "pause" and not text[last.end : tags[i + 1].start].strip():
                i += 1
                last = tags[i]
                seconds += last.seconds or 0.0
        written = _card_pause(seconds, card) if tag.kind == "pause" and pauses == "natural" else None
        if written is not None:
            spelled, rounded_s = written
            if abs(rounded_s - seconds) > 1e-6:
                message = f"This model's own pauses go in steps: {seconds:g} s is spoken as {rounded_s:g} s."
                warnings.append(SpeechWarning("pause_rounded", message))
            followed[tag.start] = seconds
            parts.append(_spaced(text, tag.start, last.end, spelled, TAG))
        elif tag.kind == "pause":
            end_section()
            sections += [Pause(t.seconds or 0.0, t.start, t.end) for t in tags[first : i + 1]]
        elif tag.kind == "say":
            parts.append(MappedText.of_replacement(tag.spoken, tag.start, tag.end, SAID))
        else:
            parts.append(_spaced(text, tag.start, tag.end, "", FREE))
        done = last.end
        i += 1
    parts.append(MappedText.of_source(text, done, len(text)))
    end_section()
    return sections, followed


def _card_pause(seconds: float, card: ModelCard) -> tuple[str, float] | None:
    """How the card's model wants this pause written and what it then lasts, or None when it does not follow it."""
    tags = card.pause_tags
    if tags is None:
        return None
    steps = round(seconds / tags.step_s)
    rounded_s = round(steps * tags.step_s, 6)
    if steps < 1 or not tags.min_s - 1e-9 <= rounded_s <= tags.max_s + 1e-9:
        return None
    return format_pause(rounded_s), rounded_s


def _spaced(text: str, start: int, end: int, new: str, mark: int) -> MappedText:
    """`new` in place of a tag, with a space where the tag held two words apart or touched one."""
    before = start > 0 and not text[start - 1].isspace()
    after = end < len(text) and not text[end].isspace()
    if not new:
        glued = before and after and text[start - 1].isalnum() and text[end].isalnum()
        return MappedText.of_replacement(" " if glued else "", start, end, FREE)
    inner = MappedText.of_replacement(new, start, end, mark)
    left = MappedText.of_replacement(" " if before else "", start, end, FREE)
    right = MappedText.of_replacement(" " if after else "", start, end, FREE)
    return MappedText.join((left, inner, right))


def _piece_items(
    piece: MappedText, language: str | None, followed: dict[int, float], *, at_end: bool
) -> list[Piece | Pause]:
    """The piece, with pauses at its very ends taken out as exact ones: a model's silence there would be trimmed."""
    before, piece = _peel(piece, followed, first=True)
    after, piece = _peel(piece, followed, first=False)
    spoken = _without_tags(piece)
    if not _SPEAKABLE.search(spoken):
        inner = [Pause(followed[start], start, end) for start, end in _tag_ranges(piece)]
        return [*before, *inner, *after]
    own_pauses = [followed[start] for start, _ in _tag_ranges(piece)]
    frames = estimate_frames(spoken, language) + round(sum(own_pauses) * FRAME_RATE)
    ends_sentence = (at_end and not after) or _SENTENCE_END.search(spoken[-64:]) is not None
    made = Piece(
        piece.text,
        piece.starts[0],
        piece.ends[-1],
        frames,
        max(own_pauses, default=0.0),
        ends_sentence,
        piece.source_map(),
    )
    return [*before, made, *after]


def _peel(piece: MappedText, followed: dict[int, float], *, first: bool) -> tuple[list[Pause], MappedText]:
    pauses: list[Pause] = []
    piece = piece.stripped()
    while piece.marks and piece.marks[0 if first else -1] == TAG:
        edge = 0 if first else len(piece) - 1
        start, end = piece.starts[edge], piece.ends[edge]
        pauses.append(Pause(followed[start], start, end))
        kept = [i for i in (range(len(piece)) if first else range(len(piece) - 1, -1, -1)) if piece.starts[i] != start][
            :1
        ]
        piece = (
            (piece.slice(kept[0], len(piece)) if first else piece.slice(0, kept[0] + 1)) if kept else piece.slice(0, 0)
        )
        piece = piece.stripped()
    return (pauses if first else pauses[::-1]), piece


def _tag_ranges(piece: MappedText) -> list[tuple[int, int]]:
    if TAG not in piece.marks:
        return []
    return list(dict.fromkeys((piece.starts[i], piece.ends[i]) for i in range(len(piece)) if piece.marks[i] == TAG))


def _length_warnings(long_sentences: int, long_words: int, limit_s: float) -> list[SpeechWarning]:
    warnings: list[SpeechWarning] = []
    if long_sentences:
        what = "A sentence is" if long_sentences == 1 else f"{long_sentences} sentences are"
        message = (
            f"{what} longer than the {limit_s:g} s this model speaks at once, and cut inside. Write shorter sentences."
        )
        warnings.append(SpeechWarning("long_sentence", message))
    if long_words:
        message = (
            f"A run of characters without a space is longer than {limit_s:g} s and cut anywhere. Put spaces into it."
        )
        warnings.append(SpeechWarning("long_word", message))
    return warnings


def _most_numbers(piece: MappedText, language: str | None) -> int:
    """The number of numbers in that sentence of the piece that has the most."""
    text = _without_tags(piece)
    most = start = 0
    if _DIGIT.search(text):
        for end in sentence_ends(text, language):
            most = max(most, count_numbers(text[start:end]))
            start = end
    return most


def _without_tags(piece: MappedText) -> str:
    if TAG not in piece.marks:
        return piece.text
    return "".join(character for character, mark in zip(piece.text, piece.marks, strict=True) if mark != TAG)
