"""The socket of the service: text comes bit by bit, each sentence is spoken as soon as it is whole."""

from __future__ import annotations

import json
import re
import uuid
from contextlib import aclosing
from typing import Any

from aiohttp import WSMsgType, web

from app.services.serve.flavour import Flavour
from app.services.serve.routes import Routes, read_json
from app.services.serve.wish import ApiError, Spoken, Wish

CONFIG_S, IDLE_S = 10.0, 30.0
LARGEST_CONFIG, LARGEST_TEXT, LARGEST_BUFFER = 15_029_592, 131_072, 256 * 1024
_SENTENCE = re.compile(r"[^.!?。！？]*[.!?。！？]+[”’\"')\]）」』]*")
_CLAUSE = re.compile(r"[^.!?。！？,，;；]*[.!?。！？,，;；]+[”’\"')\]）」』]*")


class _End(Exception):
    """The connection is to be closed."""


class SocketRoute:
    """Handles `/v1/audio/speech/stream`, in the manner of either interface."""

    def __init__(self, routes: Routes, flavour: Flavour, model: str) -> None:
        self._routes, self._flavour, self._model = routes, flavour, model

    async def handle(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(max_msg_size=LARGEST_CONFIG, heartbeat=None)
        await socket.prepare(request)
        session = _Session(socket, self._routes, self._flavour, self._model)
        try:
            await session.run()
        except (_End, ConnectionError):
            pass
        finally:
            await socket.close()
        return socket


class _Session:
    """One connection from its configuration to its end."""

    def __init__(self, socket: web.WebSocketResponse, routes: Routes, flavour: Flavour, model: str) -> None:
        self._socket, self._routes, self._flavour, self._model = socket, routes, flavour, model
        self._sglang = flavour.name == "sglang"
        self._id = f"session-{uuid.uuid4()}"
        self._base: dict[str, Any] = {}
        self._stream_audio = False
        self._split = "sentence"
        self._buffer = ""
        self._sentences = 0
        self._segment = 0
        self._segment_sentences = 0
        self._utterance = 0

    async def run(self) -> None:
        await self._configure()
        while True:
            message = await self._receive(IDLE_S, LARGEST_TEXT)
            match message.get("type"):
                case "input.text" if isinstance(message.get("text"), str):
                    await self._take(message["text"])
                case "input.commit" if self._sglang:
                    await self._flush()
                    told = {"type": "input.committed", "session_id": self._id, "segment_index": self._segment}
                    counts = {"segment_sentences": self._segment_sentences, "total_sentences": self._sentences}
                    await self._send(told | counts)
                    self._segment, self._segment_sentences = self._segment + 1, 0
                case "input.done":
                    await self._done()
                case "session.close" if not self._sglang:
                    return
                case other:
                    await self._error(self._flavour.bad_request(f"unknown message: {other}"[:200], "type"))

    async def _done(self) -> None:
        await self._flush()
        if self._sglang:
            await self._send({"type": "session.done", "session_id": self._id, "total_sentences": self._sentences})
            raise _End
        told = {"type": "session.done", "utterance_index": self._utterance, "total_sentences": self._sentences}
        await self._send(told)
        self._utterance, self._sentences = self._utterance + 1, 0

    # -- configuration ------------------------------------------------------------------------------------------

    async def _configure(self) -> None:
        message = await self._receive(CONFIG_S, LARGEST_CONFIG)
        try:
            if message.get("type") != "session.config":
                raise self._flavour.bad_request("the first message must be session.config", "type")
            inner = message.get("session")
            config = inner if self._sglang and isinstance(inner, dict) else message
            config = {name: value for name, value in config.items() if name not in ("type", "session")}
            self._stream_audio = config.pop("stream_audio", None) is True
            splits = ("sentence", "clause") if self._sglang else ("none", "sentence", "clause")
            self._split = config.pop("split_granularity", None) or splits[0]
            if self._split not in splits:
                raise self._flavour.bad_request(
                    f"split_granularity must be one of {', '.join(splits)}", "split_granularity"
                )
            for name in ("stream", "stream_format", "input"):
                config.pop(name, None)
            self._base = {"response_format": "pcm" if self._sglang else "wav"} | config
            wish = self._wish("probe")
            if self._stream_audio and (wish.response_format != "pcm" or wish.speed != 1.0):
                raise self._flavour.bad_request(
                    "stream_audio needs response_format 'pcm' and speed 1.0", "response_format"
                )
        except ApiError as error:
            await self._error(error)
            raise _End from None
        if self._sglang:
            told = {"type": "session.configured", "session_id": self._id, "response_format": wish.response_format}
            await self._send(told | {"stream_audio": self._stream_audio, "split_granularity": self._split})

    def _wish(self, text: str) -> Wish:
        return self._flavour.read({**self._base, "input": text}, self._model)

    # -- text and sound -----------------------------------------------------------------------------------------

    async def _take(self, text: str) -> None:
        self._buffer += text
        if len(self._buffer) > LARGEST_BUFFER:
            await self._error(self._flavour.bad_request("the text buffer is full", "text"))
            raise _End
        if self._split == "none":
            return
        pattern = _CLAUSE if self._split == "clause" else _SENTENCE
        while match := pattern.match(self._buffer):
            rest = self._buffer[match.end() :]
            last = match[0].rstrip("”’\"')]）」』")[-1:]
            if last.isascii() and rest and not rest[0].isspace() and not self._sglang:
                break  # a decimal, an abbreviation
            if last.isascii() and not rest:
                break  # a quote or a digit may follow
            self._buffer = rest
            await self._speak(match[0].strip())

    async def _flush(self) -> None:
        rest, self._buffer = self._buffer.strip(), ""
        if rest:
            await self._speak(rest)

    async def _speak(self, sentence: str) -> None:
        if not sentence:
            return
        index, self._sentences = self._sentences, self._sentences + 1
        self._segment_sentences += 1
        where: dict[str, Any] = (
            {"id": f"speech-{uuid.uuid4()}"} if self._sglang else {"utterance_index": self._utterance}
        )
        where["sentence_index"] = index
        spoken, total, begun = Spoken(), 0, False

        async def begin(wish: Wish) -> None:
            nonlocal begun
            begun = True
            start = {"type": "audio.start", **where, "sentence_text": sentence, "format": wish.response_format}
            if self._sglang:
                start["sample_rate"] = 48_000
            elif self._stream_audio:
                start["sample_rate"] = 24_000  # so says the other server, wrongly; a client must not believe it
            await self._send(start)

        try:
            wish = self._wish(sentence)
            if not self._sglang:
                await begin(wish)
            self._routes.check(wish)
            async with aclosing(self._routes.chunks(wish, spoken)) as chunks:
                if self._stream_audio:
                    async for samples in chunks:
                        if not begun:
                            await begin(wish)
                        raw = self._routes.pcm(samples)
                        total += len(raw)
                        await self._socket.send_bytes(raw)
                else:
                    body = await self._routes.whole(wish, spoken, chunks)
                    if not begun:
                        await begin(wish)
                    total = len(body)
                    await self._socket.send_bytes(body)
        except ConnectionError:
            raise
        except Exception as error:
            await self._error(self._routes.told(error), heard=total > 0)
            await self._send({"type": "audio.done", **where, "total_bytes": total, "error": True})
            return
        await self._send({"type": "audio.done", **where, "total_bytes": total, "error": False})

    # -- messages -----------------------------------------------------------------------------------------------

    async def _receive(self, timeout_s: float, largest: int) -> dict[str, Any]:
        try:
            message = await self._socket.receive(timeout_s)
        except TimeoutError:
            await self._error(self._flavour.bad_request("Idle timeout: no message received"))
            raise _End from None
        if message.type is not WSMsgType.TEXT:
            raise _End
        try:
            value = read_json(message.data) if len(message.data) <= largest else None
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            await self._error(self._flavour.bad_request("a message must be a JSON object that is not too long"))
            if not self._base:
                raise _End
            return {"type": "input.text", "text": ""}
        return value

    async def _send(self, value: dict[str, Any]) -> None:
        await self._socket.send_str(json.dumps(value, ensure_ascii=False))

    async def _error(self, error: ApiError, heard: bool = False) -> None:
        told: dict[str, Any] = {"type": "error", "message": error.message}
        if self._sglang:
            told |= {"error_type": error.type}
            told |= {name: value for name, value in (("param", error.param), ("code", error.code)) if value is not None}
        elif heard:
            told |= {"partial_audio": True, "action": "discard"}
        await self._send(told)
