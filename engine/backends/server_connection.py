"""How a speech server is reached over HTTP: time limits, answers that are bounded, busy servers, and what it said when
it refuses."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import httpx

from engine.backends.server_dialect import said
from engine.backends.server_spec import ServerSpec
from engine.errors import ServerError

T = TypeVar("T")

_BUSY = frozenset({429, 503})
_LARGEST_ERROR = 64 << 10
_LARGEST_JSON = 16 << 20
_LONGEST_WAIT_S = 30.0
# A server that closes an idle connection just when it is used again, or is being started: nothing was done yet.
_NOT_REACHED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)


class Busy(ServerError):
    """The server may answer if it is asked again after `wait_s` (None: it did not say)."""

    def __init__(self, message: str, remedy: str, wait_s: float | None = None) -> None:
        super().__init__(message, remedy)
        self.wait_s = wait_s


class ServerConnection:
    """The way to one server. Every method belongs to one asyncio loop and raises ServerError.

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

    async def ask(
        self, method: str, path: str, *, timeout: float | None = None, most: int | None = None, **content: Any
    ) -> httpx.Response:
        """A whole answer that is not a stream.

        Args:
            timeout: seconds for each step; all of it may take three times as long. None: as for speech.
            most: bytes; a longer answer is an error. None: what a list or an answer in words may have.
        """
        most = _LARGEST_JSON if most is None else most
        more = {} if timeout is None else {"timeout": timeout}
        try:
            async with (
                asyncio.timeout(None if timeout is None else 3 * timeout),
                self.answer(method, path, **content, **more) as response,
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

    @asynccontextmanager
    async def answer(self, method: str, path: str, **content: Any) -> AsyncIterator[httpx.Response]:
        """An answer whose body is still to come, as it was sent; leaving early closes the connection."""
        request = self._http.build_request(method, path, **content)
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

    async def check(self, response: httpx.Response) -> None:
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

    def object_of(self, response: httpx.Response) -> dict[str, Any] | None:
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


def _words(error: BaseException) -> str:
    return str(error).strip() or type(error).__name__
