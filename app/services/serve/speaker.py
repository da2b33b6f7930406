"""Carries wishes through the engine: text and clip in, chunks out, cancelled when nobody waits any more."""

from __future__ import annotations

import asyncio
import base64
import binascii
import re
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np

from app.services.serve.shelf import LARGEST_BYTES, Loan, Shelf
from app.services.serve.unread import unread
from app.services.serve.wish import Spoken, Wish
from engine import (
    FRAME_SAMPLES,
    MAX_FRAMES,
    SAMPLE_RATE,
    Clip,
    Engine,
    KnownVoice,
    Pause,
    SpeechRequest,
    StopReason,
    plan_speech,
)

STREAM_LEAD_S = 0.5
_DATA_URI = re.compile(r"data:([^,;]*)((?:;[^,;]*)*),", re.IGNORECASE)
_END = object()


class RefusedReference(Exception):
    """A clip that the interface does not take; the message is for the client, `status` the HTTP status."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class QueueFull(Exception):
    """More wait than may."""


class Speaker:
    """One engine for many clients. Belongs to the service's loop.

    Attributes:
        shelf: clips by name and by content.
        paths_allowed: references may be files of this machine.
        continues: a clip with a transcript is continued instead of cloned.
    """

    def __init__(
        self,
        engine: Engine,
        shelf: Shelf,
        *,
        paths_allowed: bool,
        continues: bool,
        most_waiting: int = 64,
        count_tokens: Callable[[str], int] | None = None,
    ) -> None:
        self.engine = engine
        self.shelf = shelf
        self.paths_allowed = paths_allowed
        self.continues = continues
        self._most_waiting = most_waiting
        self._count_tokens = count_tokens
        self._under_way = 0
        self._threads = ThreadPoolExecutor(max_workers=most_waiting + 8, thread_name_prefix="serve")

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def in_thread(self, work: Callable[..., object], *args: object):
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *args)

    async def speak(self, wish: Wish, spoken: Spoken) -> AsyncIterator[np.ndarray]:
        """Chunks of a wish, float32 `[n, 2]` at 48 kHz; `spoken` is filled in meanwhile.

        Raises:
            QueueFull, RefusedReference, SpeechError.
        """
        if self._under_way >= self._most_waiting:
            raise QueueFull
        self._under_way += 1
        begun_s = time.monotonic()
        loan = self.shelf.lend()
        try:
            requests = await self.in_thread(self._requests, wish, spoken, loan)
            if self._count_tokens is not None:
                spoken.input_tokens = await self.in_thread(self._count_tokens, wish.text)
            for request in requests:
                if isinstance(request, Pause):
                    yield np.zeros((round(request.seconds * SAMPLE_RATE), 2), np.float32)
                    continue
                async with aclosing(self._piece(request, wish, spoken)) as chunks:
                    async for chunk in chunks:
                        yield chunk
                if spoken.finish_reason != "stop":
                    break
        finally:
            loan.end()
            self._under_way -= 1
            spoken.engine_s = time.monotonic() - begun_s

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

    def _requests(self, wish: Wish, spoken: Spoken, loan: Loan) -> list[SpeechRequest | Pause]:
        """What to ask the engine for; the text is cut only where the model could not speak it at once."""
        card = self.engine.card
        plan = plan_speech(wish.text, card, language=wish.language, pauses="natural")
        if not plan.pieces:
            raise unread(wish.text, card)
        spoken.warnings = plan.warnings
        clip = self._clip(wish, loan)
        continued = self.continues and clip is not None and bool(clip.transcript) and card.continuation
        sampling = (
            replace(card.sampling, audio=replace(card.sampling.audio, **wish.sampling)) if wish.sampling else None
        )
        total = sum(piece.estimate_frames for piece in plan.pieces) or 1
        requests: list[SpeechRequest | Pause] = []
        for item in plan.items:
            if isinstance(item, Pause):
                requests.append(item)
                continue
            share = item.estimate_frames / total
            requests.append(
                SpeechRequest(
                    text=item.text,
                    references=() if clip is None or continued else (replace(clip, transcript=""),),
                    continue_from=clip if continued else None,
                    language=wish.language,
                    instruction=wish.instructions,
                    tokens=None if wish.tokens is None else max(1, round(wish.tokens * share)),
                    sampling=sampling,
                    seed=wish.seed if wish.seed is not None else int.from_bytes(np.random.bytes(4), "little") >> 1,
                    max_frames=None if wish.max_frames is None else min(wish.max_frames, MAX_FRAMES),
                    own_pause_s=item.own_pause_s,
                    label="served",
                )
            )
            clip = None if continued else clip
            continued = False
        return requests

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
