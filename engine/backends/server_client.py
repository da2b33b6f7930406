"""Talks HTTP with a speech server: health, models, voices, speech; says what the server said when it refuses."""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar
from urllib.parse import quote

import httpx

from engine.backends.server_clips import PackedClip
from engine.backends.server_dialect import Dialect, said
from engine.backends.server_sglang import SglangDialect
from engine.backends.server_spec import ServerSpec
from engine.backends.server_vllm import VllmDialect
from engine.errors import ServerError

T = TypeVar("T")
DIALECTS: Mapping[str, Callable[[], Dialect]] = {"sglang": SglangDialect, "vllm": VllmDialect}

_BUSY = frozenset({429, 503})
_LARGEST_ERROR = 64 << 10
_LARGEST_JSON = 16 << 20
_LARGEST_SPEECH = 256 << 20  # ten minutes in stereo of 32 bits
_LARGEST_BATCH = 512 << 20
_LONGEST_WAIT_S = 30.0
# A server that closes an idle connection just when it is used again, or is being started: nothing was done yet.
_NOT_REACHED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)


class Busy(ServerError):
    """The server may answer if it is asked again after `wait_s` (None: it did not say)."""

    def __init__(self, message: str, remedy: str, wait_s: float | None = None) -> None:
        super().__init__(message, remedy)
        self.wait_s = wait_s


class ServerClient:
    """One server. Every method belongs to one asyncio loop and raises ServerError.

    Attributes:
        spec: which server.
    """

    def __init__(self, spec: ServerSpec, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self.spec = spec
        base = spec.base
        # Compressed answers would be small for speech, and can be bombs.
        headers = spec.authorisation | {"Accept-Encoding": "identity"}
        timeout = httpx.Timeout(
            spec.silence_timeout_s, connect=spec.connect_timeout_s, pool=None, read=spec.first_timeout_s, write=60.0
        )
        limits = httpx.Limits(max_connections=spec.parallel + 4, max_keepalive_connections=spec.parallel)
        # Redirects are not followed: a key must not go to another host. A server on this machine needs no proxy.
        self._http = httpx.AsyncClient(
            base_url=base,
            headers=headers,
            timeout=timeout,
            limits=limits,
            follow_redirects=False,
            trust_env=not spec.is_local,
            transport=transport,
        )

    async def close(self) -> None:
        await self._http.aclose()

    # -- what it is ---------------------------------------------------------------------------------------------

    async def health(self) -> None:
        """Raises Busy while it starts, ServerError when it is unwell or not there."""
        response = await self._ask("GET", "/health", timeout=self.spec.connect_timeout_s)
        if response.status_code == 404:
            return  # an interface without it; the speech endpoint will tell
        await self._check(response)

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
        response = await self._ask("GET", "/v1/audio/voices", timeout=self.spec.connect_timeout_s)
        if 300 <= response.status_code < 400 or response.status_code in (401, 403):
            await self._check(response)
        if response.status_code == 200 and "cache_stats" in (self._object(response) or {}):
            return SglangDialect()
        raise ServerError(
            f"“{self.spec.shown}” does not say what kind of speech server it is.",
            "Choose SGLang-Omni or vLLM-Omni in the server's settings, or check the address.",
        )

    async def _models(self) -> list[Mapping[str, Any]]:
        response = await self._ask("GET", "/v1/models", timeout=self.spec.connect_timeout_s)
        if response.status_code == 404:
            return []
        await self._check(response)
        data = (self._object(response) or {}).get("data")
        return [each for each in data if isinstance(each, Mapping)] if isinstance(data, list) else []

    # -- voices -------------------------------------------------------------------------------------------------

    async def voices(self) -> tuple[Mapping[str, Any], ...]:
        """Voices uploaded to it, as it describes them; each has a `name`."""
        response = await self._ask("GET", "/v1/audio/voices", timeout=self.spec.connect_timeout_s)
        await self._check(response)
        listed = (self._object(response) or {}).get("uploaded_voices")
        return tuple(each for each in listed or () if isinstance(each, Mapping) and each.get("name"))

    async def upload_voice(self, name: str, clip: PackedClip, consent: str) -> None:
        """Put a clip on the server under a name, over one of the same name.

        Args:
            consent: whose agreement there is; the server keeps it with the voice.
        """
        response = await self._ask(
            "POST",
            "/v1/audio/voices",
            data={"name": name, "consent": consent},
            files={"audio_sample": (clip.file_name, clip.data, clip.media_type)},
        )
        await self._check(response)

    async def delete_voice(self, name: str) -> None:
        """Take a voice off the server; one that is not there is no error."""
        response = await self._ask("DELETE", f"/v1/audio/voices/{_quoted(name)}")
        if response.status_code != 404:
            await self._check(response)

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
        async with self._answer(self._http.build_request("POST", "/v1/audio/speech", json=dict(body))) as response:
            await self._check(response)
            yield response

    @asynccontextmanager
    async def _answer(self, request: httpx.Request) -> AsyncIterator[httpx.Response]:
        """An answer whose body is still to come, as it was sent."""
        response = await self._reached(lambda: self._http.send(request, stream=True))
        try:
            coding = response.headers.get("Content-Encoding", "").strip().lower()
            if coding not in ("", "identity"):
                raise ServerError(
                    f"“{self.spec.shown}” sends its answers compressed ({coding[:20]}), which nobody asked for.",
                    "Turn that off in the server, or in the proxy before it.",
                )
            yield response
        finally:
            await response.aclose()

    async def bytes_of(self, response: httpx.Response) -> AsyncIterator[bytes]:
        """The body in the pieces in which it comes.

        Raises:
            ServerError: it broke off, or nothing came for too long.
        """
        parts = response.aiter_bytes()
        waits_s = self.spec.first_timeout_s
        while True:
            try:
                async with asyncio.timeout(waits_s):
                    part = await anext(parts, None)
            except TimeoutError:
                raise ServerError(
                    f"“{self.spec.shown}” sent nothing for {waits_s:.0f} s.", "Look whether the server still works."
                ) from None
            except httpx.TimeoutException as error:
                raise ServerError(f"“{self.spec.shown}” sends nothing more.", "Look whether it still works.") from error
            except (httpx.HTTPError, httpx.StreamError, OSError) as error:
                raise ServerError(
                    f"“{self.spec.shown}” broke off in the middle ({_words(error)}).",
                    "Look whether it still runs; then try again.",
                ) from error
            if part is None:
                return
            waits_s = self.spec.silence_timeout_s
            if part:
                yield part

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
            response = await self._ask(
                "GET", f"/v1/audio/speech/{_quoted(speech_id)}", timeout=self.spec.connect_timeout_s
            )
        except ServerError:
            return None
        value = self._object(response) if response.status_code == 200 else None
        reason = (value or {}).get("finish_reason")
        return reason if isinstance(reason, str) else None

    async def batch(self, bodies: Sequence[Mapping[str, Any]]) -> list[tuple[bytes, str | None] | ServerError]:
        """Several requests at once: for each, in order, its WAV and finish reason, or why it failed."""
        items = [{name: value for name, value in body.items() if name not in ("model", "stream")} for body in bodies]
        asked: dict[str, Any] = {"items": items}
        if bodies and bodies[0].get("model"):
            asked["model"] = bodies[0]["model"]
        response = await self._ask("POST", "/v1/audio/speech/batch", most=_LARGEST_BATCH, json=asked)
        await self._check(response)
        results = (self._object(response) or {}).get("results")
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

    # -- how it is asked ----------------------------------------------------------------------------------------

    async def retrying(self, deed: Callable[[], Awaitable[T]], on_wait: Callable[[float, str], None]) -> T:
        """Do something, again while the server is busy or starting, with growing waits.

        Args:
            on_wait: told before each wait: its seconds, and why.

        Raises:
            ServerError: the last one, when the server stayed busy.
        """
        wait_s = self.spec.back_off_s
        for attempt in range(1, self.spec.attempts + 1):
            try:
                return await deed()
            except Busy as busy:
                if attempt == self.spec.attempts:
                    raise
                pause_s = min(_LONGEST_WAIT_S, wait_s if busy.wait_s is None else max(busy.wait_s, 0.0))
                on_wait(pause_s, busy.message)
                await asyncio.sleep(pause_s)
                wait_s *= 2
        raise AssertionError("attempts is at least 1")

    async def _ask(
        self, method: str, path: str, *, timeout: float | None = None, most: int = _LARGEST_JSON, **content: Any
    ) -> httpx.Response:
        """A whole answer that is not a stream.

        Args:
            timeout: seconds for each step; all of it may take three times as long. None: as for speech.
            most: bytes; a longer answer is an error.
        """
        more = {} if timeout is None else {"timeout": timeout}
        try:
            async with (
                asyncio.timeout(None if timeout is None else 3 * timeout),
                self._answer(self._http.build_request(method, path, **content, **more)) as response,
            ):
                raw = bytearray()
                async for part in self.bytes_of(response):
                    raw += part
                    if len(raw) > most:
                        raise ServerError(f"“{self.spec.shown}” answered with far too much.", "Check the address.")
        except TimeoutError as error:
            raise ServerError(
                f"“{self.spec.shown}” did not answer in time.", "Look whether it is overloaded."
            ) from error
        return httpx.Response(response.status_code, headers=response.headers, content=bytes(raw))

    async def _reached(self, send: Callable[[], Awaitable[httpx.Response]]) -> httpx.Response:
        try:
            return await send()
        except httpx.ReadTimeout as error:
            raise ServerError(
                f"“{self.spec.shown}” did not answer in time.", "Look whether it is overloaded."
            ) from error
        except _NOT_REACHED as error:
            if isinstance(error, httpx.RemoteProtocolError) and "disconnected" not in str(error):
                raise ServerError(
                    f"What “{self.spec.shown}” answers is no HTTP ({_words(error)[:200]}).", "Check the address."
                ) from error
            cause = error.__cause__ or error.__context__
            if isinstance(cause, ssl.SSLError) or "CERTIFICATE" in str(error):
                raise ServerError(
                    f"The certificate of “{self.spec.shown}” is not trusted ({_words(error)}).", "Check it."
                ) from error
            raise Busy(
                f"No server answers at {self.spec.base} ({_words(error)}).",
                "Start it, or check its address under Models & Servers.",
            ) from error
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise ServerError(
                f"“{self.spec.shown}” cannot be asked ({_words(error)}).", "Check its address."
            ) from error

    async def _check(self, response: httpx.Response) -> None:
        """Raises what the server said when it refused."""
        status = response.status_code
        if status < 300:
            return
        if status < 400:
            target = response.headers.get("Location", "somewhere else")
            raise ServerError(
                f"“{self.spec.shown}” points to {self.masked(target)[:200]}.", "Give that address itself."
            )
        words = self.masked(await self._words_of(response))
        message = f"“{self.spec.shown}” says: {words}" if words else f"“{self.spec.shown}” refused (HTTP {status})."
        if status in _BUSY:
            raise Busy(message, "It is busy or starting: try again in a while.", _retry_after_s(response))
        raise ServerError(message, _remedy(status))

    def masked(self, words: str) -> str:
        """What a server said, without the key, which it may repeat."""
        return words.replace(self.spec.key, "…") if self.spec.key else words

    async def _words_of(self, response: httpx.Response) -> str:
        raw = b""
        try:
            async for part in response.aiter_bytes():
                raw += part
                if len(raw) > _LARGEST_ERROR:
                    break
        except httpx.StreamConsumed:
            raw = response.content
        except (httpx.HTTPError, httpx.StreamError):
            pass  # what came of the explanation is used
        text = raw.decode("utf-8", errors="replace").strip()
        try:
            return said(json.loads(text))[:2000]
        except (ValueError, RecursionError):
            return "" if text.startswith("<") else text[:500]

    def _object(self, response: httpx.Response) -> dict[str, Any] | None:
        try:
            value = json.loads(response.content)
        except (ValueError, RecursionError) as error:
            if response.status_code == 200:
                message = f"“{self.spec.shown}” answered with something that is no JSON."
                raise ServerError(message, "Check the address.") from error
            return None
        return value if isinstance(value, dict) else None


def _remedy(status: int) -> str:
    if status in (401, 403):
        return "Check the server's key under Models & Servers."
    if status == 404:
        return "Check the address and the model's name under Models & Servers."
    if status == 413:
        return "Choose a shorter clip."
    return "Change what it names and try again." if status < 500 else "Try again; the server's own log has the details."


def _retry_after_s(response: httpx.Response) -> float | None:
    text = response.headers.get("Retry-After", "").strip()
    return float(text) if text.isascii() and text.isdigit() and len(text) < 6 else None


def _is_index(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _words(error: BaseException) -> str:
    return str(error).strip() or type(error).__name__


def _quoted(name: str) -> str:
    return quote(name, safe="")
