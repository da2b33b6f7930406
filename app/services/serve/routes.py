"""The HTTP routes of the service, the same for every interface; what differs is asked of the flavour."""

from __future__ import annotations

import asyncio
import base64
import json
import time
import uuid
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import numpy as np
from aiohttp import MultipartReader, web

from app.services.serve.flavour import Flavour
from app.services.serve.shelf import LARGEST_BYTES, ShelfError
from app.services.serve.sound import MEDIA_TYPES, encode, wav_header
from app.services.serve.speaker import QueueFull, RefusedReference, Speaker
from app.services.serve.wish import ApiError, Spoken, Wish, words_of
from engine import FRAME_SAMPLES, CapabilityError, ClipError, SpeechError, TextError

OUTCOMES_KEPT = 1024
WARNINGS = "X-Moss-Warnings"
LARGEST_UPLOAD = 10_551_296
LONGEST_INPUT = 100_000  # characters; about two hours of speech
LARGE_JSON = 1 << 20  # larger bodies are read beside the loop, which others wait for
READ_S = 300.0  # a client that takes nothing of its stream is given up
BODY_S = 60.0  # a client that sends its body drop by drop is not waited for longer


def read_json(data: str | bytes) -> Any:
    """What a client wrote. Raises ValueError, also where a string of it holds half a surrogate pair, which no text
    is; RecursionError."""
    value = json.loads(data)
    if "\\ud" in data.lower() if isinstance(data, str) else b"\\ud" in data.lower():
        json.dumps(value, ensure_ascii=False).encode()
    return value


def warned(spoken: Spoken) -> dict[str, str]:
    """A header of our own where something of the text was left out or is not as it was asked for; else none."""
    told = [{"code": each.code, "message": each.message[:200]} for each in spoken.warnings[:5]]
    return {WARNINGS: json.dumps(told)} if told else {}


class Routes:
    """Handlers of one service. Belongs to the service's loop."""

    def __init__(self, speaker: Speaker, flavour: Flavour, model: str) -> None:
        self._speaker = speaker
        self._flavour = flavour
        self._model = model
        self._started_s = int(time.time())
        self._outcomes: OrderedDict[str, Spoken] = OrderedDict()

    def table(self) -> list[web.RouteDef]:
        routes = [
            web.get("/health", self.health),
            web.get("/v1/models", self.models),
            web.post("/v1/audio/speech", self.speech),
            web.post("/v1/audio/speech/batch", self.batch),
            web.get("/v1/audio/voices", self.voices),
            web.post("/v1/audio/voices", self.upload),
            web.delete("/v1/audio/voices/{name}", self.delete),
        ]
        if self._flavour.outcome_route:
            routes.append(web.get("/v1/audio/speech/{id}", self.outcome))
        return routes

    async def health(self, request: web.Request) -> web.Response:
        state = self._speaker.engine.status().get("state")
        if state == "ready":
            return web.json_response({"status": "healthy"})
        return web.json_response({"status": "starting" if state in ("loading", "new") else "unhealthy"}, status=503)

    async def models(self, request: web.Request) -> web.Response:
        return web.json_response(self._flavour.models(self._model, self._started_s))

    # -- speech -------------------------------------------------------------------------------------------------

    async def speech(self, request: web.Request) -> web.StreamResponse:
        spoken = Spoken()
        try:
            wish = self._flavour.read(await self._json(request), self._model)
            self.check(wish)
            chunks = self.chunks(wish, spoken)
            if not wish.stream:
                async with aclosing(chunks):
                    return await self._whole(wish, spoken, chunks)
            first = await anext(chunks, None)  # what is refused is refused before the headers are sent
        except Exception as error:
            return self._flavour.error(self.told(error))
        async with aclosing(chunks):
            return await self._stream(request, wish, spoken, first, chunks)

    async def chunks(self, wish: Wish, spoken: Spoken) -> AsyncIterator[np.ndarray]:
        """The speech of a wish in the pieces in which the interface streams. Raises ApiError where there is no
        sound."""
        first, later = self._flavour.chunk_frames
        first = later if wish.first_frames == 0 else min(wish.first_frames or first, later)
        want, held, heard = first * FRAME_SAMPLES, [], False
        async with aclosing(self._speaker.speak(wish, spoken)) as made:
            async for samples in made:
                held.append(samples)
                while sum(map(len, held)) >= want:
                    joined = np.concatenate(held)
                    yield joined[:want]
                    held, heard, want = [joined[want:]], True, later * FRAME_SAMPLES
        rest = np.concatenate(held) if held else np.zeros((0, 2), np.float32)
        if len(rest):
            yield rest
        elif not heard and self._flavour.empty_is_error:
            raise self._flavour.server_error("generated no audio frames")

    async def whole(self, wish: Wish, spoken: Spoken, chunks: AsyncIterator[np.ndarray]) -> bytes:
        """The file of a wish."""
        parts = [part async for part in chunks]
        samples = np.concatenate(parts) if parts else np.zeros((0, 2), np.float32)

        def make() -> bytes:
            values = self._flavour.to_int16(self._flavour.at_speed(samples, wish.speed))
            return (
                encode(values, wish.response_format) if len(values) or wish.response_format in ("wav", "pcm") else b""
            )

        return await self._speaker.in_thread(make)

    async def _whole(self, wish: Wish, spoken: Spoken, chunks: AsyncIterator[np.ndarray]) -> web.Response:
        body = await self.whole(wish, spoken, chunks)
        headers = self._flavour.whole_headers(f"speech-{uuid.uuid4()}", wish, spoken) | warned(spoken)
        return web.Response(body=body, headers=headers | {"Content-Type": MEDIA_TYPES[wish.response_format]})

    def pcm(self, samples: np.ndarray) -> bytes:
        """Streamed samples as the interface sends them."""
        mixed = samples.mean(axis=1, keepdims=True) if self._flavour.stream_channels == 1 else samples
        return self._flavour.to_int16(mixed).tobytes()

    async def _stream(
        self,
        request: web.Request,
        wish: Wish,
        spoken: Spoken,
        first: np.ndarray | None,
        chunks: AsyncIterator[np.ndarray],
    ) -> web.StreamResponse:
        events = wish.stream == "sse"
        speech_id = f"speech-{uuid.uuid4()}"
        kind = "text/event-stream; charset=utf-8" if events else MEDIA_TYPES[wish.response_format]
        headers = self._flavour.stream_headers(speech_id, wish) | warned(spoken) | {"Content-Type": kind}
        response = web.StreamResponse(headers=headers)
        response.enable_chunked_encoding()
        await response.prepare(request)

        async def send(raw: bytes) -> None:
            sent = self._flavour.delta(base64.b64encode(raw).decode("ascii"), wish) if events else raw
            try:
                async with asyncio.timeout(READ_S):
                    await response.write(sent)
            except TimeoutError:
                if request.transport is not None:
                    request.transport.abort()
                raise ConnectionResetError("the client takes nothing of its stream") from None

        heard = first is not None
        try:
            if first is not None:
                if wish.response_format == "wav":
                    await send(wav_header(self._flavour.stream_channels))
                await send(self.pcm(first))
            async for samples in chunks:
                await send(self.pcm(samples))
        except (ConnectionError, asyncio.CancelledError):
            raise
        except Exception as error:
            if not events:
                # A raw stream has no word for failure: it ends without its last chunk.
                if request.transport is not None:
                    request.transport.abort()
                return response
            await response.write(self._flavour.failed(self.told(error), heard))
        else:
            if events:
                await response.write(self._flavour.done(spoken))
            else:
                self._remember(speech_id, spoken)
        await response.write_eof()
        return response

    def _remember(self, speech_id: str, spoken: Spoken) -> None:
        self._outcomes[speech_id] = spoken
        if len(self._outcomes) > OUTCOMES_KEPT:
            self._outcomes.popitem(last=False)

    async def outcome(self, request: web.Request) -> web.Response:
        speech_id = request.match_info["id"]
        spoken = self._outcomes.get(speech_id)
        if spoken is None:
            return web.json_response({"detail": f"Speech request '{speech_id}' not found"}, status=404)
        return web.json_response(
            {"request_id": speech_id, "finish_reason": spoken.finish_reason, "usage": spoken.usage}
        )

    async def batch(self, request: web.Request) -> web.Response:
        try:
            wishes = self._flavour.batch_wishes(await self._json(request), self._model)
        except Exception as error:
            return self._flavour.error(self.told(error))
        results = await asyncio.gather(*(self._batch_item(at, wish) for at, wish in enumerate(wishes)))
        succeeded = sum(result["status"] == "success" for result in results)
        return web.json_response(
            {
                "id": self._flavour.batch_id(),
                "results": results,
                "total": len(results),
                "succeeded": succeeded,
                "failed": len(results) - succeeded,
            }
        )

    async def _batch_item(self, index: int, wish: Wish | ApiError) -> dict[str, Any]:
        try:
            if isinstance(wish, ApiError):
                raise wish
            self.check(wish)
            spoken = Spoken()
            async with aclosing(self.chunks(wish, spoken)) as chunks:
                body = await self.whole(wish, spoken, chunks)
            return self._flavour.batch_success(index, base64.b64encode(body).decode("ascii"), wish, spoken)
        except Exception as error:
            return self._flavour.batch_failure(index, self.told(error))

    # -- voices -------------------------------------------------------------------------------------------------

    async def voices(self, request: web.Request) -> web.Response:
        names_only = request.query.get("names_only", "").lower() in ("true", "1")
        told = self._flavour.voices(self._speaker.shelf.voices(), names_only)
        if "voices" in told:
            own = (voice.name for voice in self._speaker.engine.card.voices)
            told["voices"] += [name for name in own if name not in told["voices"]]
        return web.json_response(told)

    async def upload(self, request: web.Request) -> web.Response:
        flavour = self._flavour
        if (request.content_length or 0) > LARGEST_UPLOAD:
            too_large = ApiError(413, "The request is too large.", "RequestTooLargeError", "audio_sample", 413)
            return flavour.error(too_large)
        try:
            async with self._in_time():
                fields, clip, mime_type, file_name = await self._form(request)
            missing = [] if clip is not None else ["audio_sample"]
            missing += [name for name in ("consent", "name") if not fields.get(name)]
            if missing:
                return flavour.missing_fields(missing)
            assert clip is not None
            mime_type = flavour.check_voice(fields["name"], mime_type, file_name)
            add = self._speaker.shelf.add
            more = (fields.get("ref_text", ""), fields.get("speaker_description", ""))
            voice, replaced = await self._speaker.in_thread(
                add, fields["name"], clip, mime_type, fields["consent"], *more
            )
        except Exception as error:
            return flavour.error(self.told(error))
        return web.json_response(flavour.uploaded(voice, replaced))

    async def _form(self, request: web.Request) -> tuple[dict[str, str], bytes | None, str | None, str]:
        """Text fields, and of the clip its bytes, kind and file name; nothing of a body that is no form."""
        fields: dict[str, str] = {}
        clip, mime_type, file_name = None, None, ""
        try:
            if request.content_type == "application/x-www-form-urlencoded":
                return {name: str(value) for name, value in (await request.post()).items()}, None, None, ""
            if request.content_type != "multipart/form-data":
                return {}, None, None, ""
            async for part in await request.multipart():
                if isinstance(part, MultipartReader):
                    raise ValueError("a form within the form")
                data = bytes(await part.read())
                if len(data) > LARGEST_BYTES:
                    raise ShelfError(f"File size exceeds maximum limit of {LARGEST_BYTES} bytes")
                if part.name == "audio_sample":
                    clip, mime_type, file_name = data, part.headers.get("Content-Type"), part.filename or ""
                elif part.name:
                    fields[part.name] = data.decode("utf-8")
        except (ValueError, AssertionError, KeyError) as error:
            raise self._flavour.bad_request("The body must be multipart/form-data.") from error
        return fields, clip, mime_type, file_name

    async def delete(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        if not self._speaker.shelf.remove(name):
            return self._flavour.no_voice(name)
        return web.json_response(self._flavour.removed(name))

    # -- inside -------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def _in_time(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(BODY_S):
                yield
        except TimeoutError as error:
            message = f"The request body did not come within {BODY_S:g} s."
            raise ApiError(408, message, "RequestTimeoutError", None, 408) from error

    async def _json(self, request: web.Request) -> Any:
        self._flavour.check_content_type(request.headers.get("Content-Type", ""))
        async with self._in_time():
            data = await request.read()
        try:
            return read_json(data) if len(data) < LARGE_JSON else await self._speaker.in_thread(read_json, data)
        except (ValueError, RecursionError) as error:
            raise self._flavour.bad_request(f"The request body is no JSON: {error}") from error

    def check(self, wish: Wish) -> None:
        """A text that is too long is refused at once; an unknown voice is told, never replaced by another."""
        if len(wish.text) > LONGEST_INPUT:
            message = f"input has {len(wish.text)} characters; at most {LONGEST_INPUT} are taken. Send it in parts."
            raise ApiError(413, message, "RequestTooLargeError", "input", 413)
        known = not wish.voice or self._speaker.has_voice(wish.voice)
        if self._flavour.name == "vllm":
            if not wish.ref_audio and (not wish.voice or not known):
                from app.services.serve.vllm import NEEDS_REFERENCE

                raise self._flavour.bad_request(NEEDS_REFERENCE)
        elif not known:
            raise self._flavour.bad_request(f"Unknown voice: {wish.voice}"[:200], "voice")

    def told(self, error: BaseException) -> ApiError:
        """An error as the interface tells it."""
        if isinstance(error, ApiError):
            return error
        if isinstance(error, QueueFull):
            return self._flavour.server_error("The request queue is full.", 503)
        if isinstance(error, web.HTTPRequestEntityTooLarge):
            return ApiError(413, "The request is too large.", "RequestTooLargeError", None, 413)
        if isinstance(error, web.RequestPayloadError):
            return self._flavour.bad_request("The request body cannot be read.")
        if isinstance(error, RefusedReference):
            make = self._flavour.bad_request if error.status == 400 else None
            return (
                make(str(error), "ref_audio")
                if make
                else ApiError(error.status, str(error), "InternalServerError", None, error.status)
            )
        if isinstance(error, ShelfError):
            return self._flavour.bad_request(str(error), "audio_sample")
        if isinstance(error, TextError):
            return self._flavour.bad_request(words_of(error), "input")
        if isinstance(error, CapabilityError | ClipError):
            return self._flavour.bad_request(words_of(error))
        return self._flavour.server_error(words_of(error) if isinstance(error, SpeechError) else type(error).__name__)
