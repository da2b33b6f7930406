"""Makes one take: asks the engine piece by piece, and hands every chunk to disk and listeners as it comes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from app.model.take import PieceAudio, Take, TakeState
from app.model.take_key import take_key
from app.services.render_job import RenderJob
from engine import SAMPLE_RATE, Clip, Event, Piece, SpeechError, SpeechResult, StopReason

if TYPE_CHECKING:
    from app.services.live_take import LiveTake
    from app.services.speaking import Speech
    from app.services.store_takes import TakeWriter
    from engine import SpeechRequest, Stream

log = logging.getLogger(__name__)

UNREADABLE = "unreadable"  # the model cannot read all of the text: what it cannot was left out
MONO = "mono_stream"  # a server streamed it in mono, for somebody who listened
_STATE_OF: dict[StopReason, TakeState] = {
    StopReason.STOP: "done",
    StopReason.RUNAWAY: "suspicious",
    StopReason.EARLY_END: "incomplete",
    StopReason.LENGTH: "incomplete",
    StopReason.CANCELLED: "incomplete",
    StopReason.FAILED: "failed",
}


@dataclass
class Made:
    """What came out: the finished take (None: nothing worth keeping) and why it failed, or ""."""

    take: Take | None
    failed: str = ""


class Submits(Protocol):
    """An engine, as far as the making of a take needs it."""

    def submit(
        self, request: SpeechRequest, on_event: Callable[[Event], None] | None, lead_s: Callable[[], float] | None, /
    ) -> Stream: ...


@dataclass(frozen=True)
class TakeMaking:
    """What the making of one take needs. Used on its worker thread alone.

    Attributes:
        job: with `speech` and `live` set. take: as it was begun.
        engine: speaks. writer: where the audio goes; finished by whoever began it, on the project's thread.
        on_event: hears the engine, on its thread. on_grown: hears of new audio, float32 `[n, 2]` at 48 kHz.
        lead_s: asks the listener how much is ahead; None where nobody listens.
    """

    job: RenderJob
    take: Take
    engine: Submits
    writer: TakeWriter
    on_event: Callable[[Event], None]
    on_grown: Callable[[np.ndarray], None]
    lead_s: Callable[[], float] | None

    def submit(self, request: SpeechRequest) -> Stream:
        """Ask for speech; a job that is stopped meanwhile stops it."""
        self.job.stream = stream = self.engine.submit(request, self.on_event, self.lead_s)
        if self.job.stop.is_set():
            stream.cancel()
        return stream

    def hand_on(self, piece: int, samples: np.ndarray) -> None:
        """Audio of a piece, to disk and to all who listen."""
        assert self.job.live is not None
        self.writer.append(samples)
        self.job.live.add(piece, samples)
        self.on_grown(samples)


def make_take(making: TakeMaking) -> Made:
    """Speak a job's pieces into the writer and `job.live`. Runs on a worker thread; returns when it has ended, never
    raises.

    Every piece that ends other than by the model's own stop ends the take, which is then marked, never `done`.
    """
    job, speech, live = making.job, making.job.speech, making.job.live
    assert speech is not None and live is not None
    items = [index for index, item in enumerate(speech.plan.items) if isinstance(item, Piece)]
    pieces: list[PieceAudio] = []
    results: list[SpeechResult] = []
    reason, failed, at = StopReason.STOP, "", 0
    try:
        for number, request in enumerate(speech.requests):
            if speech.continues and results and len(results[-1].codes):
                before = Clip(codes=results[-1].codes, transcript=before_more(speech.requests[number - 1].text))
                request = replace(request, continue_from=before)
            if job.stop.is_set():
                reason = StopReason.CANCELLED
                break
            started_at = at
            stream = making.submit(request)
            for chunk in stream:
                at += len(chunk.samples)
                making.hand_on(number, chunk.samples)
            result = stream.result()
            results.append(result)
            pieces.append(PieceAudio(started_at, at - started_at, items[number]))
            live.end_piece(number)
            if not result.complete:
                reason = result.stop_reason
                break
    except SpeechError as error:
        reason, failed = StopReason.FAILED, str(error)
    except Exception as error:
        log.exception("making a take failed")
        reason, failed = StopReason.FAILED, f"The line could not be spoken ({type(error).__name__}: {error})."
    finally:
        job.stream = None
    if failed and at > sum(piece.n_samples for piece in pieces):
        done = sum(piece.n_samples for piece in pieces)
        pieces.append(PieceAudio(done, at - done, items[len(pieces)]))
    return _finish(making, reason, failed, at, tuple(pieces), results)


def _finish(
    making: TakeMaking,
    reason: StopReason,
    failed: str,
    samples: int,
    pieces: tuple[PieceAudio, ...],
    results: list[SpeechResult],
) -> Made:
    job, take = making.job, making.take
    assert job.speech is not None and job.live is not None
    finished = ended(take, reason, samples, pieces, results, job.speech)
    if failed:
        finished = replace(finished, warnings=(*finished.warnings, failed))
    if any(warning.code == MONO for result in results for warning in result.warnings):
        # The key promises what the same request would give in stereo: this take must not be found for it.
        key = take_key({"mode": MONO, "of": take.key})
        finished = replace(finished, key=key, figures={**finished.figures, "mono": True})
    job.live.end(failed)
    if job.dropped or not samples:
        return Made(None, failed)
    return Made(finished, failed)


def ended(
    take: Take,
    reason: StopReason,
    samples: int,
    pieces: tuple[PieceAudio, ...],
    results: list[SpeechResult],
    speech: Speech,
) -> Take:
    """A take with how it came out."""
    messages = [one.message for one in speech.plan.warnings]
    messages += [one.message for result in results for one in result.warnings]
    lacks_words = reason is StopReason.STOP and any(one.code == UNREADABLE for one in speech.plan.warnings)
    return replace(
        take,
        state="suspicious" if lacks_words else _STATE_OF[reason],
        stop_reason=UNREADABLE if lacks_words else reason.value,
        seconds=samples / SAMPLE_RATE,
        pieces=pieces,
        figures=figures_of(results),
        warnings=tuple(dict.fromkeys(messages)),
    )


def before_more(text: str) -> str:
    """The words of a piece that another follows: the model reads both as one text, and most scripts need a space
    between."""
    return text if not text or ord(text[-1]) >= 0x2E80 else text.rstrip() + " "


def figures_of(results: list[SpeechResult]) -> dict[str, Any]:
    """`ttfa_ms` of the first piece, `rtf` over all, `frames`, `waited_ms`, and the engine's identity."""
    if not results:
        return {}
    seconds = sum(result.seconds for result in results)
    spent = sum(result.rtf * result.seconds for result in results)
    return {
        "ttfa_ms": results[0].ttfa_ms,
        "waited_ms": results[0].waited_ms,
        "rtf": spent / seconds if seconds else 0.0,
        "frames": sum(result.frames for result in results),
        "identity": dict(results[0].identity),
    }


def copy_take(source: Iterator[np.ndarray], writer: TakeWriter, live: LiveTake, found: Take, take: Take) -> Made:
    """A take that was made before for the same key, for another block: its audio again, nothing rendered."""
    cuts = [piece.start_sample + piece.n_samples for piece in found.pieces]
    number, at = 0, 0
    for block in source:
        writer.append(block)
        while len(block) and number < len(cuts):
            part = block[: cuts[number] - at]
            live.add(number, part)
            at += len(part)
            block = block[len(part) :]
            if at == cuts[number]:
                live.end_piece(number)
                number += 1
    finished = replace(
        take,
        state=found.state,
        stop_reason=found.stop_reason,
        seconds=found.seconds,
        pieces=found.pieces,
        figures=dict(found.figures),
        warnings=found.warnings,
    )
    live.end()
    return Made(finished)
