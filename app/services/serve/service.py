"""The service itself: it listens on this machine alone, in a thread of its own, from `start` to `close`."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import shutil
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from app.services.serve.flavour import Flavour
from app.services.serve.guards import guard, known_routes
from app.services.serve.routes import LARGEST_UPLOAD, Routes
from app.services.serve.sglang import Sglang
from app.services.serve.shelf import Shelf, folder_for_clips
from app.services.serve.socket import SocketRoute
from app.services.serve.speaker import Speaker
from app.services.serve.vllm import Vllm
from engine import DeviceError, Engine

_log = logging.getLogger(__name__)
# What is no HTTP, or no body, is answered so; it is not copied into the log, which anybody on this machine could fill.
_NOT_NOTED = (HttpProcessingError, web.RequestPayloadError)
_log.addFilter(lambda record: not (record.exc_info and isinstance(record.exc_info[1], _NOT_NOTED)))

FLAVOURS: dict[str, Callable[[], Flavour]] = {"sglang": Sglang, "vllm": Vllm}
HOST = "127.0.0.1"
MODEL = "OpenMOSS-Team/MOSS-TTS-Local-Transformer-v1.5"
# A clip of 10 MiB in base64 in each item of a batch would be more than anybody needs at once.
LARGEST_BODY = 64 << 20
START_S, CLOSE_S = 10.0, 5.0
IDLE_S = 75.0  # a connection that asks nothing is closed


class Service:
    """An engine that other programs of this machine may use.

    Attributes:
        token: what they have to show. port, address: where it listens, once it is started.
    """

    def __init__(
        self,
        engine: Engine,
        flavour: str = "sglang",
        *,
        port: int = 0,
        token: str | None = None,
        model: str = MODEL,
        most_waiting: int = 64,
        count_tokens: Callable[[str], int] | None = None,
        clips: Path | None = None,
    ) -> None:
        """
        Args:
            clips: where clips of clients are while they are needed, and are looked for after a service was killed; None
                takes the system's temporary folder.

        Raises:
            DeviceError: no header can carry the token.
        """
        if token is not None and not (token.isascii() and token.isprintable() and token and " " not in token):
            raise DeviceError("This token cannot be sent in a header.", "Use letters, digits and signs without spaces.")
        self.token = token or secrets.token_urlsafe(24)
        self.port = port
        self._engine = engine
        self._flavour = FLAVOURS[flavour]()
        self._model = model
        self._most_waiting = most_waiting
        self._count_tokens = count_tokens
        self._clips = clips
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="service", daemon=True)
        self._started = threading.Event()
        self._failure: BaseException | None = None
        self._ended: asyncio.Event | None = None

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}"

    def start(self) -> None:
        """Listen. Raises DeviceError: the port is taken."""
        self._thread.start()
        self._started.wait(START_S)
        if isinstance(self._failure, OSError):
            reason = os.strerror(self._failure.errno) if self._failure.errno else str(self._failure)
            raise DeviceError(f"Port {self.port} cannot be used ({reason}).", "Choose another with --port.")
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """Stop listening and end what is under way; the engine stays open."""
        if self._thread.is_alive() and self._ended is not None:
            self._loop.call_soon_threadsafe(self._ended.set)
            self._thread.join(CLOSE_S)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        except Exception as error:
            self._failure = error
        finally:
            self._started.set()
            self._loop.close()

    async def _serve(self) -> None:
        own = self._clips
        folder = Path(tempfile.mkdtemp(prefix="served-clips-")) if own is None else folder_for_clips(own)
        shelf = Shelf(folder, fold_case=self._flavour.fold_voice_names)
        speaker = Speaker(
            self._engine,
            shelf,
            paths_allowed=self._flavour.paths_allowed,
            continues=self._flavour.continues,
            most_waiting=self._most_waiting,
            count_tokens=self._count_tokens,
        )
        routes = Routes(speaker, self._flavour, self._model)
        app = web.Application(
            middlewares=[guard(self.token, self._flavour.refuse), known_routes(self._flavour.no_route)],
            client_max_size=max(LARGEST_BODY, LARGEST_UPLOAD),
        )
        app.add_routes(routes.table())
        app.add_routes([web.get("/v1/audio/speech/stream", SocketRoute(routes, self._flavour, self._model).handle)])
        self._ended = asyncio.Event()
        # A client that goes away cancels its handler, which cancels the speech.
        runner = web.AppRunner(
            app,
            handler_cancellation=True,
            access_log=None,
            logger=_log,
            shutdown_timeout=1.0,
            keepalive_timeout=IDLE_S,
        )
        try:
            await runner.setup()
            site = web.TCPSite(runner, HOST, self.port, reuse_address=True)
            try:
                await site.start()
            except OSError as error:
                self._failure = error
                return
            self.port = runner.addresses[0][1]
            self._started.set()
            await self._ended.wait()
        finally:
            await runner.cleanup()
            speaker.close()
            shutil.rmtree(folder, ignore_errors=True)
