"""Carries wishes through the engine: text and clip in, chunks out, cancelled when nobody waits any more."""

from __future__ import annotations

import asyncio
import base64
import binascii
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np

from app.services.serve.asked import Asked, beginning_of, plan_of, rest_of
from app.services.serve.shelf import LARGEST_BYTES, Loan, Shelf
from app.services.serve.wish import Spoken, Wish
from engine import (
    FRAME_SAMPLES,
    SAMPLE_RATE,
    Clip,
    Engine,
    KnownVoice,
    Pause,
    SpeechPlan,
    SpeechRequest,
    StopReason,
)

STREAM_LEAD_S = 0.5
HEARD_FIRST_SAMPLES = SAMPLE_RATE  # of a long text, before planning its rest takes the processor from the first sound
_DATA_URI = re.compile(r"data:([^,;]*)((?:;[^,;]*)*),", re.IGNORECASE)
_END = object()


class RefusedReference(Exception):
    """A clip that the interface does not take; the message is for the client, `status` the HTTP status."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class QueueFull(Exception):
    """More wait than may."""


@dataclass
class Speaker:
    """One engine for many clients. Belongs to the service's loop.

    Attributes:
        shelf: clips by name and by content.
        paths_allowed: references may be files of this machine.
        continues: a clip with a transcript is continued instead of cloned.
        most_waiting: requests; more are refused. count_tokens: of a text, where that can be told.
    """

    engine: Engine
    shelf: Shelf
    paths_allowed: bool
    continues: bool
    most_waiting: int = 64
    count_tokens: Callable[[str], int] | None = None

    def __post_init__(self) -> None:
        self._under_way = 0
        self._threads = ThreadPoolExecutor(max_workers=self.most_waiting + 8, thread_name_prefix="serve")

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def in_thread(self, work: Callable[..., object], *args: object):
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *args)

    async def speak(self, wish: Wish, spoken: Spoken) -> AsyncIterator[np.ndarray]:
        """Chunks of a wish, float32 `[n, 2]` at 48 kHz; `spoken` is filled in meanwhile.

        Raises:
            QueueFull, RefusedReference, SpeechError.
        """
        if self._under_way >= self.most_waiting:
            raise QueueFull
        self._under_way += 1
        begun_s = time.monotonic()
        loan = self.shelf.lend()
        try:
            async with aclosing(self._pieces(wish, spoken, loan)) as chunks:
                async for chunk in chunks:
                    yield chunk
        finally:
            loan.end()
            self._under_way -= 1
            spoken.engine_s = time.monotonic() - begun_s

    async def _pieces(self, wish: Wish, spoken: Spoken, loan: Loan) -> AsyncIterator[np.ndarray]:
        card = self.engine.card
        beginning = await self.in_thread(beginning_of, wish, card)
        plan = beginning or await self.in_thread(self._planned, wish, spoken, None)
        spoken.warnings = plan.warnings
        clip = await self.in_thread(self._clip, wish, loan)
        asked = Asked(wish, card, clip, continues=self.continues)
        rest: asyncio.Future[SpeechPlan] | None = None
        heard = 0
        async with aclosing(self._spoken(asked.requests(plan), wish, spoken)) as chunks:
            async for chunk in chunks:
                yield chunk
                heard += len(chunk)
                if beginning is not None and rest is None and heard >= HEARD_FIRST_SAMPLES:
                    rest = asyncio.ensure_future(self.in_thread(self._planned, wish, spoken, beginning))
        if beginning is None or spoken.finish_reason != "stop":
            return
        plan = await (rest or self.in_thread(self._planned, wish, spoken, beginning))
        async with aclosing(self._spoken(asked.requests(plan), wish, spoken)) as chunks:
            async for chunk in chunks:
                yield chunk

    def _planned(self, wish: Wish, spoken: Spoken, beginning: SpeechPlan | None) -> SpeechPlan:
        """The plan, or what comes behind its beginning; what there is to say of the whole text goes to `spoken`."""
        card = self.engine.card
        plan = plan_of(wish, card) if beginning is None else rest_of(wish, card, beginning)
        spoken.warnings = plan.warnings
        if self.count_tokens is not None:
            spoken.input_tokens = self.count_tokens(wish.text)
        return plan

    async def _spoken(
        self, requests: Iterator[SpeechRequest | Pause], wish: Wish, spoken: Spoken
    ) -> AsyncIterator[np.ndarray]:
        for request in requests:
            if isinstance(request, Pause):
                yield np.zeros((round(request.seconds * SAMPLE_RATE), 2), np.float32)
                continue
            async with aclosing(self._piece(request, wish, spoken)) as chunks:
                async for chunk in chunks:
                    yield chunk
            if spoken.finish_reason != "stop":
                return

    async def _piece(self, request: SpeechRequest, wish: Wish, spoken: Spoken) -> AsyncIterator[np.ndarray]:
        stream = self.engine.submit(request, lead_s=(lambda: STREAM_LEAD_S) if wish.stream else None)
        try:
            chunks = iter(stream)
            while (chunk := await self.in_thread(next, chunks, _END)) is not _END:
                yield chunk.samples
            result = stream.result()
        finally:
            stream.cancel()  # nobody waits any more, or it has ended anyway
        spoken.output_tokens += result.frames or round(result.seconds * SAMPLE_RATE / FRAME_SAMPLES)
        if result.stop_reason in (StopReason.LENGTH, StopReason.RUNAWAY):
            spoken.finish_reason = "length"
        elif result.stop_reason in (StopReason.CANCELLED, StopReason.FAILED):
            spoken.finish_reason = "abort"

    def _clip(self, wish: Wish, loan: Loan) -> Clip | None:
        if wish.ref_audio:
            return Clip(path=self._reference(wish.ref_audio, loan), transcript=wish.ref_text)
        voice = self.shelf.find(wish.voice) if wish.voice else None
        if voice is not None:
            return Clip(path=loan.hold(voice), transcript=wish.ref_text or voice.ref_text)
        own = self.own_voice(wish.voice)
        return None if own is None else Clip(path=own.path)

    def own_voice(self, name: str) -> KnownVoice | None:
        """A voice that comes with the model, by its name in any case."""
        wanted = name.strip().casefold()
        return next((voice for voice in self.engine.card.voices if wanted and voice.name.casefold() == wanted), None)

    def has_voice(self, name: str) -> bool:
        """Whether a client may ask for this voice: an uploaded one, or one of the model's own."""
        return self.shelf.find(name) is not None or self.own_voice(name) is not None

    def _reference(self, where: str, loan: Loan) -> Path:
        scheme = where.partition(":")[0].lower()
        if scheme == "data":
            return loan.keep(decode_data_uri(where))
        if scheme in ("http", "https"):
            raise RefusedReference("This service fetches nothing from the network; send the clip as a data: URL.")
        if not self.paths_allowed:
            raise RefusedReference(
                "Speech generation failed: Cannot load local files without `--allowed-local-media-path`.", 500
            )
        try:
            path = Path(unquote(urlsplit(where).path)) if scheme == "file" else Path(where)
            if path.is_file():
                return path
        except (OSError, ValueError):
            pass  # no path at all, or a forbidden one
        raise RefusedReference(f"reference audio {where[:200]!r} was not found")


def decode_data_uri(uri: str) -> bytes:
    """The bytes of `data:audio/…;base64,…`. Raises RefusedReference."""
    match = _DATA_URI.match(uri)
    if match is None or not match[2].lower().endswith(";base64"):
        raise RefusedReference("a data: URL of reference audio must be base64")
    if (match[1] and not match[1].lower().startswith("audio/")) or len(uri) > LARGEST_BYTES * 4 // 3 + 200:
        raise RefusedReference("reference audio must be an audio type of at most 10 MiB")
    try:
        data = base64.b64decode(uri[match.end() :], validate=True)
    except (binascii.Error, ValueError):
        raise RefusedReference("the base64 of the reference audio is damaged") from None
    if not data or len(data) > LARGEST_BYTES:
        raise RefusedReference("reference audio must be an audio type of at most 10 MiB")
    return data
