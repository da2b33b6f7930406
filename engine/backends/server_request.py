"""One request to a speech server from its clip to its last sample."""

from __future__ import annotations

import base64
import binascii
import logging
from dataclasses import replace
from functools import partial
from typing import Protocol

import httpx
import numpy as np

from engine.backends.pcm import PcmDecoder, WavDecoder
from engine.backends.server_batches import Batches
from engine.backends.server_client import ServerClient
from engine.backends.server_connection import Busy
from engine.backends.server_dialect import Dialect, SentReference, stop_reason
from engine.backends.server_voices import ServerVoices
from engine.backends.sse import SseReader
from engine.errors import EngineFailedError, ServerError, SpeechError
from engine.requests import FRAME_SAMPLES, MAX_FRAMES, SAMPLE_RATE, SpeechRequest, StopReason

_log = logging.getLogger(__name__)

SEEDS_TRIED = 3
MOST_SAMPLES = MAX_FRAMES * FRAME_SAMPLES  # no line is longer
_DECODED_BYTES = 1 << 18


class Reporter(Protocol):
    """Who is told what becomes of a request; called on the loop's thread, in order."""

    def reference_ready(self) -> None: ...

    def audio(self, samples: np.ndarray) -> None:
        """More of it, float32 `[n, 2]` at 48 kHz."""

    def warn(self, code: str, message: str) -> None: ...

    def seed(self, seed: int) -> None:
        """Another seed than the one asked for is used from now on."""

    def finish(self, reason: StopReason) -> None: ...

    def fail(self, error: Exception) -> None: ...


class _NoSound(ServerError):
    """The server said that all is well and sent nothing."""


class ServerRequest:
    """Asks, reads, and tells a Reporter.

    Cancelling the task that runs it closes the connection, which ends the work there.
    """

    def __init__(
        self,
        client: ServerClient,
        dialect: Dialect,
        voices: ServerVoices,
        batches: Batches | None,
        request: SpeechRequest,
        report: Reporter,
        *,
        model: str,
        listened: bool,
    ) -> None:
        self._client = client
        self._dialect = dialect
        self._voices = voices
        self._batches = batches
        self._request = request
        self._report = report
        self._model = model
        self._listened = listened
        self._samples = 0

    @property
    def _shown(self) -> str:
        return self._client.spec.shown

    async def run(self) -> None:
        """Never raises but when it is cancelled."""
        try:
            reason = await self._speak()
        except SpeechError as error:
            if self._samples:
                # What was heard is kept, and says that it is not all.
                self._report.warn("server_broke_off", f"{error.message} What had come was kept. {error.remedy}".strip())
                self._report.finish(StopReason.FAILED)
            else:
                self._report.fail(error)
        except Exception as error:
            _log.exception("A request to a speech server failed")
            made = EngineFailedError(
                f"The server's answer could not be used ({type(error).__name__}: {error}).",
                "Try again; the log has the details.",
            )
            made.__cause__ = error
            self._report.fail(made)
        else:
            self._report.finish(reason)

    # -- asking -------------------------------------------------------------------------------------------------

    async def _speak(self) -> StopReason:
        reference = await self._reference()
        spec, tries, sent_again = self._client.spec, 0, False
        while True:
            try:
                return await self._client.retrying(partial(self._ask, reference), self._waiting)
            except _NoSound as error:
                tries += 1
                if not spec.may_change_seed or tries >= SEEDS_TRIED:
                    raise
                seed = (self._request.seed + 1) % 2**63
                self._request = replace(self._request, seed=seed)
                self._report.seed(seed)
                self._report.warn("seed_changed", f"{error.message} It was made with the next seed, {seed}.")
            except ServerError:
                if reference is None or not reference.voice or self._samples or sent_again:
                    raise
                # A server that was started again has lost the voices that were uploaded to it.
                sent_again = True
                self._voices.forget()
                reference = await self._reference()

    async def _reference(self) -> SentReference | None:
        if not self._request.references:
            return None
        clip = self._request.references[0]
        if len(self._request.references) > 1:
            self._report.warn("one_reference", f"“{self._shown}” takes one clip; the first was used.")
        sent = await self._client.retrying(lambda: self._voices.send(clip), self._waiting)
        self._report.reference_ready()
        return sent

    def _waiting(self, seconds: float, why: str) -> None:
        _log.info("Asking again in %.1f s: %s", seconds, why)

    async def _ask(self, reference: SentReference | None) -> StopReason:
        body = self._dialect.body(self._request, reference, self._model)
        try:
            if self._listened and not (self._client.spec.stereo_listening and self._dialect.mono_stream):
                reason = await self._stream(body)
            else:
                reason = await self._whole(body)
        except Busy as busy:
            if self._samples:  # nothing is asked again once something was heard
                raise ServerError(busy.message, busy.remedy) from busy
            raise
        if not self._samples:
            raise _NoSound(
                f"“{self._shown}” answered without any sound.", "Speak the line again: another seed usually helps."
            )
        return reason

    # -- reading ------------------------------------------------------------------------------------------------

    async def _whole(self, body: dict) -> StopReason:
        if self._batches is not None:
            data, finish_reason = await self._batches.ask(body)
        else:
            data, finish_reason = await self._client.whole(body)
        if not data:
            return StopReason.STOP
        wav = WavDecoder(self._dialect.full_scale)
        self._decode(wav, data)
        self._hand_over(wav.flush())
        if wav.decoder is not None and not wav.complete:
            raise ServerError(f"“{self._shown}” sent less sound than it had announced.", "Try again.")
        return stop_reason(finish_reason)

    async def _stream(self, body: dict) -> StopReason:
        stream_format = self._client.spec.stream_format
        async with self._client.stream(self._dialect.stream_body(body, stream_format)) as response:
            self._client.check_stream(response, stream_format)
            form = self._dialect.raw_format(response.headers)
            decoder = (
                WavDecoder(self._dialect.full_scale)
                if form.header
                else PcmDecoder(form.rate, form.channels, full_scale=self._dialect.full_scale)
            )
            read = self._read_events if stream_format == "sse" else self._read_raw
            reason = await read(response, decoder)
        self._hand_over(decoder.flush())
        if decoder.left_bytes:
            self._report.warn("odd_bytes", f"“{self._shown}” ended within a sample; it was left out.")
        if self._dialect.mono_stream and self._samples:
            self._report.warn(
                "mono_stream", f"“{self._shown}” streams in mono. Speak the line without listening to it for stereo."
            )
        return reason

    async def _read_raw(self, response: httpx.Response, decoder: PcmDecoder | WavDecoder) -> StopReason:
        async for part in self._client.bytes_of(response):
            self._decode(decoder, part)
        speech_id = response.headers.get("X-SGLang-Omni-Speech-Id") or response.headers.get("X-Request-Id")
        if self._dialect.tells_outcome and speech_id:
            return stop_reason(await self._client.outcome(speech_id))
        return StopReason.STOP

    async def _read_events(self, response: httpx.Response, decoder: PcmDecoder | WavDecoder) -> StopReason:
        reader = SseReader()
        async for part in self._client.bytes_of(response):
            for event in reader.feed(part):
                outcome = self._dialect.read_event(event)
                if outcome.failed:
                    raise ServerError(
                        f"“{self._shown}” says: {self._client.masked(outcome.failed)[:2000]}",
                        "Try again; its own log has the details.",
                    )
                if outcome.audio:
                    self._decode(decoder, _decoded(outcome.audio))
                if outcome.done:
                    return stop_reason(outcome.finish_reason)
        raise ServerError(f"“{self._shown}” ended the stream without saying that it is complete.", "Try again.")

    def _decode(self, decoder: PcmDecoder | WavDecoder, data: bytes) -> None:
        """Bytes to samples, a part at a time: few bytes of a low rate are many samples."""
        for at in range(0, len(data), _DECODED_BYTES):
            self._hand_over(decoder.feed(data[at : at + _DECODED_BYTES]))

    def _hand_over(self, samples: np.ndarray) -> None:
        if not len(samples):
            return
        room = MOST_SAMPLES - self._samples
        if room > 0:
            self._samples += len(samples[:room])
            self._report.audio(samples[:room])
        if len(samples) > room:
            raise ServerError(
                f"“{self._shown}” goes on sending after {MOST_SAMPLES / SAMPLE_RATE / 60:.0f} minutes of sound.",
                "Try another seed, or shorter pieces.",
            )


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ServerError("The server sent sound that is damaged.", "Try again.") from error
