"""Speech servers from outside the engine's thread: open one, ask one what it is, look after its voices."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from engine.backends.base import LoadProgress
from engine.backends.server import ServerBackend
from engine.backends.server_client import ServerClient
from engine.backends.server_clips import ClipPacker
from engine.backends.server_spec import ServerSpec, card_of
from engine.card import ModelCard
from engine.engine import Engine
from engine.errors import ServerError
from engine.requests import Clip

T = TypeVar("T")


@dataclass(frozen=True)
class ServerVoice:
    """A voice kept on a server: its name, the size of its clip, and when it was made (seconds since 1970, 0
    unknown)."""

    name: str
    size_bytes: int = 0
    created_at_s: float = 0.0


@dataclass(frozen=True)
class ServerReport:
    """What a server says of itself: its kind, its models, what it can do, and its voices."""

    kind: str
    models: tuple[str, ...]
    card: ModelCard
    voices: tuple[ServerVoice, ...]


def open_server(spec: ServerSpec, *, on_status: Callable[[LoadProgress], None] | None = None) -> Engine:
    """An engine, not started yet, that speaks through a server. Raises ServerError: its address is none."""
    return Engine(ServerBackend(spec), on_status=on_status)


def inspect_server(spec: ServerSpec) -> ServerReport:
    """Ask a server once. Blocks for at most a few connection timeouts. Raises ServerError."""

    async def ask(client: ServerClient) -> ServerReport:
        await client.health()
        dialect = await client.detect()
        models = await client.models()
        if spec.model and models and spec.model not in models:
            raise ServerError(f"“{spec.shown}” has no model “{spec.model}”.", f"It serves: {', '.join(models[:5])}.")
        return ServerReport(dialect.kind, models, card_of(spec, dialect.kind), await _voices(client))

    return _once(spec, ask)


def upload_voice(spec: ServerSpec, name: str, clip: Clip, consent: str) -> None:
    """Keep a clip on a server as a voice. Raises ClipError, ServerError."""
    packed = ClipPacker(card_of(spec)).pack(clip)
    _once(spec, lambda client: client.upload_voice(name, packed, consent))


def delete_voice(spec: ServerSpec, name: str) -> None:
    """Take a voice off a server. Raises ServerError."""
    _once(spec, lambda client: client.delete_voice(name))


async def _voices(client: ServerClient) -> tuple[ServerVoice, ...]:
    def number(value: Any) -> float:
        return float(value) if isinstance(value, int | float) else 0.0

    try:
        listed = await client.voices()
    except ServerError:
        return ()  # a server without voices can speak all the same
    return tuple(
        ServerVoice(str(each["name"]), int(number(each.get("file_size"))), number(each.get("created_at")))
        for each in listed
    )


def _once(spec: ServerSpec, work: Callable[[ServerClient], Coroutine[Any, Any, T]]) -> T:
    async def run() -> T:
        client = ServerClient(spec)
        try:
            return await work(client)
        finally:
            await client.close()

    return asyncio.run(run())
