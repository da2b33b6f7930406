"""Who may talk to the service: programs of this machine that know the token, and no web page; and of what."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_OPEN = frozenset({"/health"})
_NAMES = ("localhost", "127.0.0.1", "[::1]")


def _is_own(origin: str, hosts: set[str]) -> bool:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme == "http" and parts.netloc.lower() in hosts


def guard(token: str, refuse: Callable[[int, str], web.Response]):
    """A middleware that checks Host and Origin (a page of a browser could be led here), then the token."""
    expected = token.encode()

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        port = request.transport.get_extra_info("sockname")[1] if request.transport is not None else 0
        hosts = {f"{name}:{port}" for name in _NAMES} | ({*_NAMES} if port == 80 else set())
        if request.headers.get("Host", "").lower() not in hosts:
            return refuse(403, "This service answers on this machine's own address only.")
        origin = request.headers.get("Origin")
        if origin is not None:
            if not _is_own(origin, hosts):
                return refuse(403, "This service does not answer web pages.")
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        known = scheme.lower() == "bearer" and hmac.compare_digest(given.encode("utf-8", "surrogateescape"), expected)
        if request.path not in _OPEN and not known:
            return refuse(401, "Unauthorized")
        return await handler(request)

    return check


def known_routes(tell: Callable[[int, dict[str, str]], web.Response]):
    """A middleware that has the interface tell that there is nothing at an address, or not by this method.

    Args:
        tell: makes the answer from its status and headers.
    """

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        except web.HTTPMethodNotAllowed as error:
            return tell(405, {"Allow": ", ".join(sorted(error.allowed_methods))})
        except web.HTTPNotFound:
            return tell(404, {})

    return check
