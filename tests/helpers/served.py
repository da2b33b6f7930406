"""A speech service for tests: a fast engine whose sound follows from its request, behind the real routes."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import socket
import threading
import time
from pathlib import Path

import aiohttp
import httpx
import numpy as np
import soundfile
from scripted_backend import ScriptedBackend

from app.services.serve.service import Service
from engine import FRAME_SAMPLES, Engine, Job, ModelCard, PauseTags, SpeechRequest, StopReason
from engine.audio import load_clip
from engine.job import to_grid

TOKEN = "token-of-the-test"
WORDS_FRAMES = 3


class WordsBackend(ScriptedBackend):
    """Each word is three frames of stereo noise that follows from word, seed and clip; left and right differ.

    A text with `nothing` stops at once, one with `endless` never does (its budget ends it), one fails after the word
    `broken`. `gate` holds frames back while it is cleared; each takes at least `pace_s`.

    Attributes:
        clips: what the clips of every request held, as it was started.
    """

    name = "words"

    def __init__(self) -> None:
        super().__init__()
        self.card = ModelCard(name="Words", pause_tags=PauseTags(0.1, 10.0, 0.1), longest_piece_s=600)
        self.capacity = 8
        self.pace_s = 0.0
        self.clips: list[bytes] = []

    def start(self, job: Job) -> None:
        for clip in job.request.references:
            assert clip.path is not None
            load_clip(clip.path)
            self.clips.append(clip.path.read_bytes())
        super().start(job)

    def step(self, timeout_s: float) -> None:
        if self.gate.wait(0.01):
            time.sleep(self.pace_s)
            super().step(timeout_s)

    def verdict(self, request: SpeechRequest, frame: int) -> StopReason | Exception | None:
        words = request.text.split()
        if "broken" in words and frame == WORDS_FRAMES * (words.index("broken") + 1):
            return RuntimeError("the device is gone")
        if "nothing" in words or (frame >= WORDS_FRAMES * len(words) and "endless" not in words):
            return StopReason.STOP
        return StopReason.LENGTH if request.max_frames is not None and frame >= request.max_frames else None

    def sound(self, request: SpeechRequest, frame: int) -> np.ndarray:
        return sound_of(request, frame)

    def close(self) -> None:
        super().close()
        self.gate.set()


def sound_of(request, frame: int) -> np.ndarray:
    """The frame of a request, float32 `[3840, 2]`, its loudest at 0.5."""
    word = (request.text.split() or [""])[min(frame // WORDS_FRAMES, len(request.text.split()) - 1)]
    clip = request.references[0].path.read_bytes() if request.references else b""
    digest = hashlib.sha256(f"{word} {request.seed} {frame}".encode() + clip).digest()
    noise = np.random.default_rng(int.from_bytes(digest[:8], "little"))
    return to_grid(noise.uniform(-0.5, 0.5, (FRAME_SAMPLES, 2)))


class Served:
    """An engine and the service in front of it.

    Attributes:
        service, engine, backend.
    """

    def __init__(self, flavour: str = "sglang", engine: Engine | None = None, **options) -> None:
        self.backend = WordsBackend()
        self.engine = engine or Engine(self.backend)
        self.engine.start()
        assert self.engine.ready(60)
        counter = options.pop("count_tokens", lambda text: len(text.encode()))
        self.service = Service(self.engine, flavour, token=TOKEN, count_tokens=counter, **options)
        self.service.start()

    @property
    def address(self) -> str:
        return self.service.address

    def close(self) -> None:
        self.service.close()
        self.engine.close()


def client_of(served: Served, **headers: str) -> httpx.Client:
    """A client that has the token."""
    headers = {"Authorization": f"Bearer {TOKEN}"} | headers
    return httpx.Client(base_url=served.address, headers=headers, timeout=30, trust_env=False)


class Relay:
    """Stands between a client and a service and spoils the connection on the way back.

    Attributes:
        cut_after: bytes of an answer after which the connection is torn; None never.
        piece: size of the pieces in which an answer is passed on; 0 as they come.
        delay_s: before each piece. replaced: pairs of bytes replaced in answers.
        refuse: how many connections are closed at once, unanswered.
    """

    def __init__(self, port: int) -> None:
        self.cut_after: int | None = None
        self.piece = 0
        self.delay_s = 0.0
        self.replaced: list[tuple[bytes, bytes]] = []
        self.refuse = 0
        self.connections = 0
        self._target = port
        self._closing = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        self._closing.set()
        self._listener.close()

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            if self.refuse:
                self.refuse -= 1
                client.close()
                continue
            threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", self._target)) as server:
            threading.Thread(target=self._forward, args=(client, server), daemon=True).start()
            passed = 0
            while data := _read(server):
                for old, new in self.replaced:
                    data = data.replace(old, new)
                size = self.piece or len(data)
                for at in range(0, len(data), size):
                    part = data[at : at + size]
                    if self._closing.wait(self.delay_s):
                        return
                    if self.cut_after is not None and passed + len(part) > self.cut_after:
                        _write(client, part[: self.cut_after - passed])
                        client.shutdown(socket.SHUT_RDWR)
                        return
                    if not _write(client, part):
                        server.shutdown(socket.SHUT_RDWR)
                        return
                    passed += len(part)

    def _forward(self, client: socket.socket, server: socket.socket) -> None:
        host = f"127.0.0.1:{self.port}".encode()
        while data := _read(client):
            if not _write(server, data.replace(host, f"127.0.0.1:{self._target}".encode())):
                return
        try:
            server.shutdown(socket.SHUT_RDWR)  # the client is gone: so is the request
        except OSError:
            return


def _read(source: socket.socket) -> bytes:
    try:
        return source.recv(65536)
    except OSError:
        return b""


def _write(target: socket.socket, data: bytes) -> bool:
    try:
        target.sendall(data)
    except OSError:
        return False
    return True


def data_uri(path: Path) -> str:
    """A clip as it goes along with a request."""
    return "data:audio/wav;base64," + base64.b64encode(path.read_bytes()).decode()


def talk(served: Served, messages: list[dict], until: str) -> list:
    """What the socket answers to these messages, up to one of the type `until`: objects and bytes."""

    async def run():
        got = []
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"{served.address}/v1/audio/speech/stream", headers=headers) as socket,
        ):
            for message in messages:
                await socket.send_str(json.dumps(message))
            async for message in socket:
                got.append(json.loads(message.data) if message.type is aiohttp.WSMsgType.TEXT else message.data)
                if isinstance(got[-1], dict) and got[-1]["type"] == until:
                    break
        return got

    return asyncio.run(asyncio.wait_for(run(), 20))


def make_clip(path: Path, seconds: float = 2.0, seed: int = 1) -> Path:
    """A clip of noise that sounds like nobody, 48 kHz mono."""
    noise = np.random.default_rng(seed).uniform(-0.3, 0.3, round(48_000 * seconds))
    soundfile.write(path, noise, 48_000, subtype="PCM_16")
    return path
