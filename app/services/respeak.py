"""Speaks sentences of a take anew: the audio of all the others stays as it is, sample for sample."""

from __future__ import annotations

import bisect
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import numpy as np

from app.model.take import PieceAudio, Take
from app.model.take_key import take_key
from app.services.maker import Made, TakeMaking, before_more, ended
from app.services.mixer import TrimRule, speech_bounds
from app.services.programme import take_pieces
from app.services.silences import SilenceFinder
from app.services.word_times import split_words, time_words
from engine import SAMPLE_RATE, Clip, SpeechError, SpeechResult, StopReason, estimate_frames, sentence_ends

if TYPE_CHECKING:
    from app.model.block import Block
    from app.services.block_states import BlockStates
    from app.services.speaking import Speech
    from engine import Piece, SpeechPlan, SpeechRequest

TakeReader = Callable[[str, int, int], np.ndarray]

log = logging.getLogger(__name__)

_RATE = SAMPLE_RATE
_TRIM = TrimRule()
_HEAD = round(_TRIM.head_ms * _RATE / 1000)
_TAIL = round(_TRIM.tail_ms * _RATE / 1000)
_FADE = 240  # 5 ms
_CONTEXT_S = 20.0  # of what precedes, at most: enough for the tone, and quickly read
_GRID = np.float32(2**23)


@dataclass(frozen=True)
class Sentences:
    """Which sentences of a line are wanted anew.

    Attributes:
        take: whose other sentences stay; of the present text, with the audio of every piece.
        start, end: range in `take.text`, code points; every sentence that it touches is meant.
    """

    take: Take
    start: int
    end: int


@dataclass(frozen=True)
class Stretch:
    """Sentences in a row that are spoken in one go: a range in the text of a piece."""

    start: int
    end: int


@dataclass(frozen=True)
class _Cut:
    """A border of sentences: its offset in the text of the piece, and the silence there in samples of its audio."""

    offset: int
    quiet: int
    loud: int

    @property
    def middle(self) -> int:
        return (self.quiet + self.loud) // 2


def can_be_base(take: Take | None, text: str, plan: SpeechPlan) -> bool:
    """Whether sentences of a take can be replaced: it says this text, and lacks no piece of it."""
    return take is not None and take.text == text and bool(take.pieces) and len(take.pieces) == len(plan.pieces)


def touched(plan: SpeechPlan, language: str | None, start: int, end: int) -> dict[int, Stretch]:
    """The sentences that a range of a block's text touches, by the number of their piece.

    A range that touches none (a caret at the end, a pause) stands for the sentence before it, or else the first.
    """
    found: dict[int, Stretch] = {}
    before: tuple[int, Stretch] | None = None
    for number, piece in enumerate(plan.pieces):
        sentences = list(pairwise([0, *sentence_ends(piece.text, language)]))
        inside = [
            (a, b) for a, b in sentences if piece.to_source(a) < max(end, start + 1) and piece.to_source(b) > start
        ]
        if inside:
            found[number] = Stretch(inside[0][0], inside[-1][1])
        for a, b in sentences:
            if before is None or piece.to_source(a) <= start:
                before = number, Stretch(a, b)
    return found or dict([before] if before is not None else [])


def is_everything(plan: SpeechPlan, stretches: dict[int, Stretch]) -> bool:
    """Whether no sentence would stay."""
    return all(stretches.get(number) == Stretch(0, len(piece.text)) for number, piece in enumerate(plan.pieces))


def chosen_sentences(states: BlockStates, block: Block, start: int, end: int) -> Sentences | None:
    """The sentences of a block that a range of its text touches; None where nothing would stay beside them."""
    manner, take = states.manner(block), states.take(block)
    if manner is None or take is None or states.is_stale(block, take):
        return None
    plan = manner.plan(block)
    if not can_be_base(take, block.text, plan):
        return None
    chosen = touched(plan, manner.language(block), start, end)
    return Sentences(take, start, end) if chosen and not is_everything(plan, chosen) else None


def key_of(speech: Speech, sentences: Sentences) -> str:
    """The key of a take of which some sentences are new: the old take, what of it is new, and with which seed."""
    return take_key(
        {
            "mode": "sentences",
            "of": sentences.take.key or sentences.take.id,
            "range": [sentences.start, sentences.end],
            "whole": speech.key,
        }
    )


def respeak(making: TakeMaking, read_take: TakeReader) -> Made:
    """Make a take of `job.sentences`: what stays is copied, what is wanted anew is spoken and put in its place.

    Runs on a worker thread, never raises, and leaves the writer to be finished, as `maker.make_take` does. A take that
    was stopped or failed before its end is nothing worth keeping: the one before is still there.
    """
    job, take = making.job, making.take
    speech, live, sentences = job.speech, job.live, job.sentences
    assert speech is not None and live is not None and sentences is not None
    language = speech.manner.language(speech.block)
    context = min(_CONTEXT_S, speech.manner.card.longest_reference_s) if speech.manner.continues else None
    wanted = touched(speech.plan, language, sentences.start, sentences.end)
    results: list[SpeechResult] = []
    pieces: list[PieceAudio] = []
    before: tuple[np.ndarray, str] | None = None
    at = 0

    def speak(request: SpeechRequest) -> np.ndarray:
        if job.stop.is_set():
            raise _StoppedError(StopReason.CANCELLED)
        stream = making.submit(request)
        chunks = [chunk.samples for chunk in stream]
        result = stream.result()
        results.append(result)
        if result.stop_reason is StopReason.CANCELLED or not chunks:
            raise _StoppedError(result.stop_reason)
        return np.concatenate(chunks)

    try:
        old = zip(sentences.take.pieces, take_pieces(sentences.take, read_take), strict=True)
        for number, (old_piece, blocks) in enumerate(old):
            if number not in wanted:
                parts: Iterator[np.ndarray] = blocks
            else:
                audio = np.concatenate(list(blocks))
                parts = _replaced(
                    audio, speech.plan.pieces[number], wanted[number], speech.requests[number], language,
                    before, context, speak,
                )  # fmt: skip
            made = []
            for part in parts:
                making.hand_on(number, part)
                made.append(part)
            samples = sum(map(len, made))
            pieces.append(PieceAudio(at, samples, old_piece.item))
            at += samples
            live.end_piece(number)
            if speech.continues:
                before = (np.concatenate(made), speech.plan.pieces[number].text)
    except _StoppedError as stopped:
        live.end()
        return Made(None, "" if stopped.reason is StopReason.CANCELLED else "Nothing was spoken. Try it again.")
    except SpeechError as error:
        live.end(str(error))
        return Made(None, str(error))
    except Exception as error:
        log.exception("sentences could not be spoken again")
        failed = f"The sentences could not be spoken ({type(error).__name__}: {error})."
        live.end(failed)
        return Made(None, failed)
    finally:
        job.stream = None
    reason = next((result.stop_reason for result in results if not result.complete), StopReason.STOP)
    made_take = ended(take, reason, at, tuple(pieces), results, speech)
    if made_take.state == "done" and sentences.take.state != "done" and len(wanted) < len(pieces):
        # What was wrong with the take may be in what stayed of it.
        made_take = replace(made_take, state=sentences.take.state, stop_reason=sentences.take.stop_reason)
    live.end()
    return Made(None if job.dropped else made_take)


class _StoppedError(Exception):
    """Speaking ended with nothing to put in."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason.value)
        self.reason = reason


def _replaced(
    audio: np.ndarray,
    piece: Piece,
    stretch: Stretch,
    request: SpeechRequest,
    language: str | None,
    before: tuple[np.ndarray, str] | None,
    context: float | None,
    speak: Callable[[SpeechRequest], np.ndarray],
) -> Iterator[np.ndarray]:
    """The audio of a piece with a stretch of it spoken anew, in parts.

    Args:
        before: audio and text of the piece before. context: seconds of what precedes that the new speech goes on from;
            None where the model or the person does not want that.
    """
    cuts = cuts_of(audio, piece.text, language)
    first = next((cut for cut in reversed(cuts) if cut.offset <= stretch.start), None)
    last = next((cut for cut in cuts if cut.offset >= stretch.end), None)
    text = piece.text[first.offset if first else 0 : last.offset if last else len(piece.text)].strip()
    cut_in = max(first.middle, first.loud - _HEAD) if first else 0
    cut_out = min(last.middle, last.quiet + _TAIL) if last else len(audio)
    if first is not None or last is not None:
        request = _shorter(request, text, language, (cut_out - cut_in) / len(audio))
    if context is not None and first is not None:
        before = (audio[:cut_in], piece.text[: first.offset])
    if context is not None and before is not None:
        known = cuts if first is not None else cuts_of(*before, language)
        request = replace(request, continue_from=_context(*before, known, context))
    yield from _parts(audio[:cut_in])
    new = speak(request)
    bounds = speech_bounds(new, _TRIM)
    if bounds is not None:
        # The silence around it is as long as it was, so that the rhythm of the line stays.
        begin = max(0, bounds[0] - (first.loud - cut_in)) if first else 0
        end = min(len(new), bounds[1] + (cut_out - last.quiet)) if last else len(new)
        new = new[begin:end].copy()
    if first:
        _fade(new, audio[cut_in : cut_in + _FADE], at_start=True)
    if last:
        _fade(new, audio[max(0, cut_out - _FADE) : cut_out], at_start=False)
    yield from _parts(new)
    yield from _parts(audio[cut_out:])


def cuts_of(audio: np.ndarray, text: str, language: str | None) -> list[_Cut]:
    """The borders of sentences inside a piece at which its audio can be cut: those that fall into a silence."""
    borders = sentence_ends(text, language)[:-1]
    bounds = speech_bounds(audio, _TRIM)
    if not borders or bounds is None:
        return []
    finder = SilenceFinder()
    finder.feed(audio)
    silences = tuple((a / _RATE, b / _RATE) for a, b in finder.found)
    words = split_words(text)
    timed = time_words(words, bounds[0] / _RATE, bounds[1] / _RATE, silences)
    ends = list(accumulate(map(len, words)))
    cuts = []
    for border in borders:
        word = bisect.bisect_left(ends, len(text[:border].rstrip()))
        if word + 1 < len(timed):
            quiet, loud = round(timed[word].end_s * _RATE), round(timed[word + 1].start_s * _RATE)
            if loud - quiet > 2 * _FADE:
                cuts.append(_Cut(border, quiet, loud))
    return cuts


def _shorter(request: SpeechRequest, text: str, language: str | None, share: float) -> SpeechRequest:
    """The request of a piece for a share of its audio."""
    tokens = None if request.tokens is None else max(1, round(request.tokens * share))
    return replace(request, text=text, tokens=tokens, estimate_frames=estimate_frames(text, language))


def _context(audio: np.ndarray, text: str, cuts: list[_Cut], most_s: float) -> Clip | None:
    """The last whole sentences of what precedes, as far as they are no longer than `most_s`."""
    earliest = len(audio) - most_s * _RATE
    start, offset = 0, 0
    if earliest > 0:
        cut = next((cut for cut in cuts if cut.offset < len(text) and cut.middle >= earliest), None)
        if cut is None:
            return None
        start, offset = cut.middle, cut.offset
    return Clip(samples=audio[start:], rate=_RATE, transcript=before_more(text[offset:]))


def _fade(new: np.ndarray, old: np.ndarray, *, at_start: bool) -> None:
    """Let the old sound go over into the new one within the new one's edge; on the 24-bit grid."""
    n_samples = min(len(new) // 2, len(old))
    if not n_samples:
        return
    rise = ((np.arange(n_samples, dtype=np.float32) + np.float32(0.5)) / np.float32(n_samples))[:, None]
    if at_start:
        edge, beside, weight = new[:n_samples], old[:n_samples], rise
    else:
        edge, beside, weight = new[len(new) - n_samples :], old[len(old) - n_samples :], rise[::-1]
    edge[:] = np.rint((edge * weight + beside * (np.float32(1.0) - weight)) * _GRID) / _GRID


def _parts(audio: np.ndarray) -> Iterator[np.ndarray]:
    """A second at a time: whoever draws or plays it need not wait for all."""
    for at in range(0, len(audio), _RATE):
        yield audio[at : at + _RATE]
