"""Gathers requests that nobody listens to into batches of one HTTP request."""

from __future__ import annotations

import asyncio
from typing import Any

from engine.backends.server_client import ServerClient
from engine.errors import ServerError

MOST = 32
GATHER_S = 0.03


class Batches:
    """Requests that come within a moment go together; each gets its own answer. Used on the client's loop alone."""

    def __init__(self, client: ServerClient) -> None:
        self._client = client
        self._waiting: list[tuple[dict[str, Any], asyncio.Future[tuple[bytes, str | None]]]] = []
        self._sending: set[asyncio.Task[None]] = set()

    async def ask(self, body: dict[str, Any]) -> tuple[bytes, str | None]:
        """The WAV of a request and its finish reason. Raises ServerError."""
        answer: asyncio.Future[tuple[bytes, str | None]] = asyncio.get_running_loop().create_future()
        self._waiting.append((body, answer))
        if len(self._waiting) == 1 or len(self._waiting) >= MOST:
            task = asyncio.create_task(self._send(0.0 if len(self._waiting) >= MOST else GATHER_S))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)
        return await answer

    async def _send(self, gather_s: float) -> None:
        await asyncio.sleep(gather_s)
        taken, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
        taken = [(body, answer) for body, answer in taken if not answer.done()]
        if not taken:
            return
        try:
            results = await self._client.batch([body for body, _ in taken])
        except ServerError as error:
            results = [error] * len(taken)
        for (_, answer), result in zip(taken, results, strict=True):
            if answer.done():
                continue
            if isinstance(result, ServerError):
                answer.set_exception(result)
            else:
                answer.set_result(result)
