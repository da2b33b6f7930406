"""What a speech server is asked: health, models, voices, speech."""

from __future__ import annotations

import base64
import binascii
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

import httpx

from engine.backends.server_clips import PackedClip
from engine.backends.server_connection import ServerConnection
from engine.backends.server_dialect import Dialect, said
from engine.backends.server_sglang import SglangDialect
from engine.backends.server_vllm import VllmDialect
from engine.errors import ServerError

DIALECTS: Mapping[str, Callable[[], Dialect]] = {"sglang": SglangDialect, "vllm": VllmDialect}

_LARGEST_SPEECH = 256 << 20  # ten minutes in stereo of 32 bits
_LARGEST_BATCH = 512 << 20


class ServerClient(ServerConnection):
    """One server, by what may be asked of it. Every method belongs to one asyncio loop and raises ServerError."""

    # -- what it is ---------------------------------------------------------------------------------------------

    async def health(self) -> None:
        """Raises Busy while it starts, ServerError when it is unwell or not there."""
        response = await self.ask("GET", "/health", timeout=self.spec.connect_timeout_s)
        if response.status_code == 404:
            return  # an interface without it; the speech endpoint will tell
        await self.check(response)

    async def models(self) -> tuple[str, ...]:
        """Ids of the models it serves; empty where it does not tell."""
        data = await self._models()
        return tuple(str(each["id"]) for each in data if each.get("id"))

    async def detect(self) -> Dialect:
        """Whose interface it has: its models' owner tells vLLM, the shape of its voices list SGLang."""
        if self.spec.kind in DIALECTS:
            return DIALECTS[self.spec.kind]()
        if any(each.get("owned_by") == "vllm" for each in await self._models()):
            return VllmDialect()
        response = await self.ask("GET", "/v1/audio/voices", timeout=self.spec.connect_timeout_s)
        if 300 <= response.status_code < 400 or response.status_code in (401, 403):
            await self.check(response)
        if response.status_code == 200 and "cache_stats" in (self.object_of(response) or {}):
            return SglangDialect()
        raise ServerError(
            f"“{self.spec.shown}” does not say what kind of speech server it is.",
            "Choose SGLang-Omni or vLLM-Omni in the server's settings, or check the address.",
        )

    async def _models(self) -> list[Mapping[str, Any]]:
        response = await self.ask("GET", "/v1/models", timeout=self.spec.connect_timeout_s)
        if response.status_code == 404:
            return []
        await self.check(response)
        data = (self.object_of(response) or {}).get("data")
        return [each for each in data if isinstance(each, Mapping)] if isinstance(data, list) else []

    # -- voices -------------------------------------------------------------------------------------------------

    async def voices(self) -> tuple[Mapping[str, Any], ...]:
        """Voices uploaded to it, as it describes them; each has a `name`."""
        response = await self.ask("GET", "/v1/audio/voices", timeout=self.spec.connect_timeout_s)
        await self.check(response)
        listed = (self.object_of(response) or {}).get("uploaded_voices")
        return tuple(each for each in listed or () if isinstance(each, Mapping) and each.get("name"))

    async def upload_voice(self, name: str, clip: PackedClip, consent: str) -> None:
        """Put a clip on the server under a name, over one of the same name.

        Args:
            consent: whose agreement there is; the server keeps it with the voice.
        """
        response = await self.ask(
            "POST",
            "/v1/audio/voices",
            data={"name": name, "consent": consent},
            files={"audio_sample": (clip.file_name, clip.data, clip.media_type)},
        )
        await self.check(response)

    async def delete_voice(self, name: str) -> None:
        """Take a voice off the server; one that is not there is no error."""
        response = await self.ask("DELETE", f"/v1/audio/voices/{_quoted(name)}")
        if response.status_code != 404:
            await self.check(response)

    # -- speech -------------------------------------------------------------------------------------------------

    async def whole(self, body: Mapping[str, Any]) -> tuple[bytes, str | None]:
        """The WAV of a request and its finish reason, where the server gives one."""
        async with self.stream(body) as response:
            self._check_audio(response, ("audio/wav", "audio/x-wav", "audio/wave"))
            parts, size = [], 0
            async for part in self.bytes_of(response):
                parts.append(part)
                size += len(part)
                if size > _LARGEST_SPEECH:
                    raise ServerError(
                        "The server sends more sound than a line can have.", "Speak it in shorter pieces."
                    )
            return b"".join(parts), response.headers.get("X-Finish-Reason")

    @asynccontextmanager
    async def stream(self, body: Mapping[str, Any]) -> AsyncIterator[httpx.Response]:
        """The answer to a request for speech, read as it comes; leaving early closes the connection, which cancels
        it."""
        async with self.answer("POST", "/v1/audio/speech", json=dict(body)) as response:
            await self.check(response)
            yield response

    def _check_audio(self, response: httpx.Response, wanted: Sequence[str]) -> None:
        content = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if content not in wanted:
            raise ServerError(
                f"“{self.spec.shown}” answered with {content or 'something unnamed'} instead of {wanted[0]}.",
                "Check the address: this may be another kind of server.",
            )

    def check_stream(self, response: httpx.Response, stream_format: str) -> None:
        """Whether the answer is the kind of stream that was asked for. Raises ServerError."""
        raw = ("audio/pcm", "audio/wav", "audio/x-wav", "application/octet-stream")
        self._check_audio(response, ("text/event-stream",) if stream_format == "sse" else raw)

    async def outcome(self, speech_id: str) -> str | None:
        """Why a raw stream ended, asked afterwards; None where the server does not know."""
        try:
            response = await self.ask(
                "GET", f"/v1/audio/speech/{_quoted(speech_id)}", timeout=self.spec.connect_timeout_s
            )
        except ServerError:
            return None
        value = self.object_of(response) if response.status_code == 200 else None
        reason = (value or {}).get("finish_reason")
        return reason if isinstance(reason, str) else None

    async def batch(self, bodies: Sequence[Mapping[str, Any]]) -> list[tuple[bytes, str | None] | ServerError]:
        """Several requests at once: for each, in order, its WAV and finish reason, or why it failed."""
        items = [{name: value for name, value in body.items() if name not in ("model", "stream")} for body in bodies]
        asked: dict[str, Any] = {"items": items}
        if bodies and bodies[0].get("model"):
            asked["model"] = bodies[0]["model"]
        response = await self.ask("POST", "/v1/audio/speech/batch", most=_LARGEST_BATCH, json=asked)
        await self.check(response)
        results = (self.object_of(response) or {}).get("results")
        listed = results if isinstance(results, list) else []
        items_told = [each for each in listed if isinstance(each, Mapping) and _is_index(each.get("index"))]
        by_index = {each["index"]: each for each in items_told}
        return [self._batch_item(by_index.get(index)) for index in range(len(bodies))]

    def _batch_item(self, item: Mapping[str, Any] | None) -> tuple[bytes, str | None] | ServerError:
        if item is None:
            return ServerError(f"“{self.spec.shown}” left a line out of a batch.", "Try again.")
        if item.get("status") != "success":
            return ServerError(
                f"“{self.spec.shown}” says: {self.masked(said(item.get('error'))) or 'no reason'}",
                "Change it and try again.",
            )
        try:
            reason = item.get("finish_reason")
            sound = base64.b64decode(str(item.get("audio_data") or ""), validate=True)
            return sound, reason if isinstance(reason, str) else None
        except (binascii.Error, ValueError):
            return ServerError(f"“{self.spec.shown}” sent damaged sound.", "Try again.")


def _is_index(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _quoted(name: str) -> str:
    return quote(name, safe="")
