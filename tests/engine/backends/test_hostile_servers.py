"""Servers that mean harm or are broken: no key goes astray, no memory is filled, and the words say what happened."""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import struct
import threading
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from engine import Engine, Priority, ServerError, ServerSpec, SpeechRequest, StopReason, inspect_server
from engine.backends import server_connection, server_request
from engine.backends.server import ServerBackend

KEY = "the-key-of-the-test"
SOUND = (np.sin(np.arange(48_000) * 0.05) * 9000).astype("<i2").tobytes()
PCM_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: audio/pcm\r\nX-Sample-Rate: 48000\r\nX-Channels: 1\r\n"


class RawServer:
    """Answers each request with bytes made by a function of its path, and notes what it was asked.

    Attributes:
        requests: heads of requests. answer: (path, send) -> None; the connection is closed after it.
        has_models: the list of models is an ordinary one.
    """

    has_models = True

    def __init__(self, answer: Callable[[str, Callable[[bytes], None]], None]) -> None:
        self.requests: list[str] = []
        self.answer = answer
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self._talk, args=(self._listener.accept()[0],), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            data = b""
            while b"\r\n\r\n" not in data:
                data += connection.recv(65536)
            head, _, body = data.partition(b"\r\n\r\n")
            named = [line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
            length = int(named[0][15:]) if named else 0
            while len(body) < length:
                body += connection.recv(65536)
            text = head.decode("latin-1")
            self.requests.append(text)
            path = text.split(" ", 2)[1]
            if path == "/health":
                connection.sendall(whole(200, b'{"status": "healthy"}', "application/json"))
            elif path == "/v1/models" and self.has_models:
                connection.sendall(whole(200, b'{"data": [{"id": "m"}]}', "application/json"))
            else:
                self.answer(path, connection.sendall)

    def close(self) -> None:
        self._listener.close()


class AllRaw(RawServer):
    """The same, but that its list of models is the function's too."""

    has_models = False


def whole(status: int, body: bytes, kind: str, more: str = "") -> bytes:
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n"
    return f"{head}{more}\r\n".encode() + body


@pytest.fixture
def serving():
    made: list[RawServer] = []

    def serve(answer, kind=RawServer) -> RawServer:
        made.append(kind(answer))
        return made[-1]

    yield serve
    for each in made:
        each.close()


@pytest.fixture
def speak():
    engines: list[Engine] = []

    def speak_(server: RawServer, priority=Priority.LISTENING, **options):
        spec = ServerSpec(server.address, kind="sglang", key=KEY, attempts=1, back_off_s=0.01, **options)
        engine = Engine(ServerBackend(spec))
        engines.append(engine)
        engine.start()
        assert engine.ready(10)
        stream = engine.submit(SpeechRequest("one two", priority=priority, estimate_frames=13))
        samples = [chunk.samples for chunk in stream.chunks(30)]
        return np.concatenate(samples) if samples else np.zeros((0, 2), np.float32), stream.result(30)

    yield speak_
    for engine in engines:
        engine.close()


# -- too much -------------------------------------------------------------------------------------------------------


def test_a_stream_without_end_ends_and_what_came_is_kept(serving, speak, monkeypatch):
    monkeypatch.setattr(server_request, "MOST_SAMPLES", 100_000)
    sent = []

    def forever(path, send):
        send(PCM_HEAD + b"\r\n")
        while True:
            send(SOUND)
            sent.append(len(SOUND))

    server = serving(forever)
    samples, result = speak(server)
    assert len(samples) == 100_000 and result.stop_reason is StopReason.FAILED
    assert any("goes on sending" in warning.message for warning in result.warnings)
    count = len(sent)
    time.sleep(0.2)
    assert len(sent) <= count + 1, "the connection is closed"


@pytest.mark.parametrize("priority", [Priority.LISTENING, Priority.EXPORTING])
def test_compressed_answers_are_neither_asked_for_nor_opened(serving, speak, priority):
    bomb = gzip.compress(b"\0" * (200 << 20), 9)
    kind = "audio/pcm" if priority is Priority.LISTENING else "audio/wav"
    server = serving(lambda path, send: send(whole(200, bomb, kind, "Content-Encoding: gzip\r\n")))
    with pytest.raises(ServerError, match="compressed"):
        speak(server, priority)
    assert all("accept-encoding: identity" in request.lower() for request in server.requests)


def test_a_compressed_bomb_instead_of_models_is_not_opened(serving):
    bomb = gzip.compress(b" " * (200 << 20), 9)
    answer = whole(200, bomb, "application/json", "Content-Encoding: gzip\r\n")
    server = serving(lambda path, send: send(answer), AllRaw)
    tracemalloc.start()
    try:
        with pytest.raises(ServerError, match="compressed"):
            inspect_server(ServerSpec(server.address))
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("status", [200, 500])
def test_words_without_end_are_cut_off(serving, monkeypatch, status):
    monkeypatch.setattr(server_connection, "_LARGEST_JSON", 1 << 20)

    def forever(path, send):
        send(f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n\r\n".encode())
        while True:
            send(b" " * 65536)

    with pytest.raises(ServerError) as caught:
        inspect_server(ServerSpec(serving(forever, AllRaw).address))
    assert "far too much" in caught.value.message


def test_an_error_without_end_is_told_by_its_beginning(serving, speak):
    def forever(path, send):
        send(b"HTTP/1.1 500 X\r\nContent-Type: text/plain\r\n\r\n")
        while True:
            send(b"no, no, " * 8192)

    with pytest.raises(ServerError, match="no, no") as caught:
        speak(serving(forever))
    assert len(caught.value.message) < 1000


def test_words_that_come_drop_by_drop_are_not_waited_for(serving):
    def drops(path, send):
        send(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n")
        while True:
            send(b" ")
            time.sleep(0.05)

    begun_s = time.monotonic()
    with pytest.raises(ServerError, match="in time"):
        inspect_server(ServerSpec(serving(drops, AllRaw).address, connect_timeout_s=0.2))
    assert time.monotonic() - begun_s < 60, "it would go on for ever"


@pytest.mark.parametrize("priority", [Priority.LISTENING, Priority.EXPORTING])
def test_few_bytes_of_a_low_rate_do_not_fill_the_memory(serving, speak, monkeypatch, priority):
    monkeypatch.setattr(server_request, "MOST_SAMPLES", 480_000)
    data = b"\1\2" * (2 << 20)  # 35 minutes at 1 kHz, 100 million samples at 48 kHz
    form = struct.pack("<HHIIHH", 1, 1, 1000, 2000, 2, 16)
    wav = b"RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0" + form + b"data\xff\xff\xff\xff" + data
    low = "X-Sample-Rate: 1000\r\nX-Channels: 1\r\n"
    listening = priority is Priority.LISTENING
    body = whole(200, data, "audio/pcm", low) if listening else whole(200, wav, "audio/wav")
    samples, result = speak(serving(lambda path, send: send(body)), priority)
    assert len(samples) == 480_000 and result.stop_reason is StopReason.FAILED


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: %s\r\n" % (at, b"a" * 1000) for at in range(300)) + b"\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 500_000 + b"\r\n\r\n",
        b"HTTP/1.1 999999 no\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: audio/pcm\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\nContent-Type: audio/pcm\r\n\r\n",
    ],
)
def test_what_is_no_http_is_told_in_words(serving, speak, head):
    with pytest.raises(ServerError) as caught:
        speak(serving(lambda path, send: send(head)))
    assert caught.value.remedy and "Traceback" not in caught.value.message and len(caught.value.message) < 600


# -- nonsense -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_samples_that_are_no_numbers_are_not_played(serving, speak, value):
    samples = np.full(48_000, 0.1, "<f4")
    samples[40_000] = value
    form = struct.pack("<HHIIHH", 3, 1, 48_000, 192_000, 4, 32)
    wav = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0" + form + b"data" + struct.pack("<I", samples.nbytes) + samples.tobytes()
    with pytest.raises(ServerError, match="no numbers"):
        speak(serving(lambda path, send: send(whole(200, wav, "audio/wav"))), Priority.EXPORTING)


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        (b"<html><body>Bad gateway</body></html>", "text/html", "HTTP 502"),
        (b'{"error": {"message": "<b>no</b> room"}}', "text/html", "<b>no</b> room"),
        (b'{"error": {"message": {"error": {"detail": "deep"}}}}', "application/json", "deep"),
        (b'{"error": ' + b"[" * 50_000, "application/json", "says"),
        (b'{"error": null}', "application/json", "HTTP 502"),
        (b"\xff\xfe\xfd", "application/json", "says"),
        (b"", "application/json", "HTTP 502"),
        (b'{"detail": [{"msg": "field required"}, {"msg": 5}, "x", null]}', "application/json", "field required"),
    ],
)
def test_errors_of_any_shape_become_words(serving, speak, body, kind, said):
    with pytest.raises(ServerError, match="502|says") as caught:
        speak(serving(lambda path, send: send(whole(502, body, kind))))
    assert said in caught.value.message and len(caught.value.message) < 2_200


@pytest.mark.parametrize(
    "models",
    [
        b"[]",
        b"5",
        b"null",
        b'{"data": 5}',
        b'{"data": [5, null, {"id": null}, {"id": {"a": 1}}]}',
        b'{"data": {"id": "m"}}',
    ],
)
def test_lists_of_models_of_any_shape_are_read_or_refused(serving, models):
    def answer(path, send):
        send(whole(200, models if path == "/v1/models" else b'{"cache_stats": {}}', "application/json"))

    report = inspect_server(ServerSpec(serving(answer, AllRaw).address))
    assert report.kind == "sglang" and report.voices == ()


@pytest.mark.parametrize(
    "results",
    [
        5,
        None,
        "x",
        [],
        [5, None],
        [{"index": [1]}],
        [{"index": True, "status": "success"}],
        [{"index": 0}],
        [{"index": 0, "status": "success", "audio_data": {"a": 1}}],
        [{"index": 0, "status": "success", "finish_reason": [1]}],
    ],
)
def test_batches_of_any_shape_are_read_or_refused(serving, speak, results):
    body = json.dumps({"results": results}).encode()
    server = serving(lambda path, send: send(whole(200, body, "application/json")))
    with pytest.raises(ServerError):
        speak(server, Priority.EXPORTING, use_batch=True)
    assert any("/v1/audio/speech/batch" in request for request in server.requests)


# -- the key --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("path", ["/v1/models", "/v1/audio/speech", "/v1/audio/voices"])
def test_no_redirect_takes_the_key_to_another_host(serving, status, path):
    thief = serving(lambda path, send: send(whole(200, b"{}", "application/json")), AllRaw)

    def answer(asked, send):
        if asked.startswith(path):
            send(whole(status, b"", "text/plain", f"Location: {thief.address}/x\r\n"))
        else:
            send(whole(200, b'{"data": [{"id": "m"}]}', "application/json"))

    server = serving(answer, AllRaw)
    engine = Engine(ServerBackend(ServerSpec(server.address, kind="sglang", key=KEY, attempts=1)))
    engine.start()
    try:
        with pytest.raises(ServerError, match="points to") as caught:
            engine.ready(10)
            if path == "/v1/audio/voices":
                inspect_server(ServerSpec(server.address, key=KEY))
            engine.submit(SpeechRequest("one")).result(10)
        assert KEY not in str(caught.value)
    finally:
        engine.close()
    assert not thief.requests and any(f"Bearer {KEY}" in request for request in server.requests)


@pytest.mark.parametrize("form", ["audio", "sse"])
def test_a_server_that_repeats_the_key_does_not_get_it_into_messages(serving, speak, form):
    error = {"error": {"message": f"the key {KEY} is wrong"}}
    event = b"data: " + json.dumps({"type": "error", **error}).encode() + b"\n\n"
    body = whole(200, event, "text/event-stream") if form == "sse" else whole(401, json.dumps(error).encode(), "a/b")
    with pytest.raises(ServerError, match="the key … is wrong") as caught:
        speak(serving(lambda path, send: send(body)), stream_format=form)
    assert KEY not in str(caught.value)
