"""Clients that mean harm or are broken: the service refuses them in words and goes on serving others."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from served import TOKEN, WORDS_FRAMES, Served, client_of, data_uri, make_clip

from app.services.serve import asked, routes, speaker
from app.services.serve.shelf import Shelf, ShelfError, clear_left_behind, folder_for_clips
from engine import FRAME_SAMPLES, ModelCard

SPEECH = "/v1/audio/speech"
REFUSED = (b"HTTP/1.1 4", b"HTTP/1.0 4")


def still_speaks(served) -> bool:
    with client_of(served) as client:
        return client.post(SPEECH, json={"input": "one"}).status_code == 200


def raw_answer(served, request: bytes, *, then: bytes = b"", wait_s: float = 5.0) -> bytes:
    """What comes back for bytes that no client library would send."""
    with socket.create_connection(("127.0.0.1", served.service.port), timeout=wait_s) as connection:
        connection.sendall(request)
        if then:
            connection.sendall(then)
        got = b""
        with contextlib.suppress(TimeoutError, ConnectionError):
            while part := connection.recv(65536):
                got += part
                if b"\r\n\r\n" in got:
                    break
        return got


def head(served, *more: str, path: str = SPEECH, token: str = TOKEN) -> bytes:
    lines = [f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{served.service.port}", f"Authorization: Bearer {token}", *more]
    return "\r\n".join([*lines, "", ""]).encode()


# -- too much -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [routes.LONGEST_INPUT + 1, 10_000_000])
def test_a_text_that_is_too_long_is_refused_at_once(ask_sglang, sglang, length):
    before = len(sglang.backend.seen)
    answer = ask_sglang.post(SPEECH, json={"input": "word " * (length // 5 + 1)})
    error = answer.json()["error"]
    assert (answer.status_code, error["type"], error["param"]) == (413, "RequestTooLargeError", "input")
    assert str(routes.LONGEST_INPUT) in error["message"] and "parts" in error["message"]
    assert len(sglang.backend.seen) == before, "nothing of it reaches the model"


def test_a_long_text_in_a_batch_fails_alone(ask_sglang):
    items = [{"input": "one"}, {"input": "word " * (routes.LONGEST_INPUT // 5 + 1)}]
    results = ask_sglang.post(f"{SPEECH}/batch", json={"items": items}).json()["results"]
    assert [each["status"] for each in results] == ["success", "error"]
    assert "characters" in results[1]["error"]["message"]


def test_a_body_without_end_is_cut_off(sglang):
    answer = raw_answer(sglang, head(sglang, f"Content-Length: {1 << 40}"), then=b"x" * (65 << 20))
    assert b" 413 " in answer.partition(b"\r\n")[0]
    assert still_speaks(sglang)


def test_a_body_that_comes_drop_by_drop_is_given_up(sglang, monkeypatch):
    monkeypatch.setattr(routes, "BODY_S", 0.3)
    answer = raw_answer(sglang, head(sglang, "Content-Length: 100"), then=b'{"input"')
    assert b" 408 " in answer.partition(b"\r\n")[0] and b"did not come" in answer
    form = head(sglang, "Content-Type: multipart/form-data; boundary=B", "Content-Length: 100", path="/v1/audio/voices")
    assert b" 408 " in raw_answer(sglang, form, then=b"--B\r\n").partition(b"\r\n")[0]
    assert still_speaks(sglang)


def test_nothing_is_read_of_those_without_the_token(sglang):
    answer = raw_answer(sglang, head(sglang, f"Content-Length: {1 << 40}", token="wrong"), wait_s=3)
    assert b" 401 " in answer.partition(b"\r\n")[0], "it is answered before the body comes"


@pytest.mark.parametrize("key", [TOKEN, "wrong"])
def test_a_body_that_is_not_packed_as_it_says_is_refused_and_not_noted(sglang, key, caplog):
    headers = {"Authorization": f"Bearer {key}", "Content-Encoding": "gzip"}
    answer = httpx.post(f"{sglang.address}{SPEECH}", content=b'{"input": "a"}', headers=headers, trust_env=False)
    assert answer.status_code == (400 if key == TOKEN else 401)
    assert still_speaks(sglang)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


@pytest.mark.parametrize(
    "body",
    [b"zz\r\nx\r\n", b"-1\r\n\r\n", b"ffffffffffffffffff\r\nx", b"5\r\nab", b"1" * 70_000],
)
def test_chunks_that_are_none_are_refused_and_not_noted(sglang, body, caplog):
    answer = raw_answer(sglang, head(sglang, "Transfer-Encoding: chunked"), then=body, wait_s=1)
    assert answer == b"" or answer.startswith(REFUSED)
    assert still_speaks(sglang)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


@pytest.mark.parametrize(
    "request_",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"GET " + b"/" * 100_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: " + b"b" * 100_000 + b"\r\n\r\n",
        b"GET /health HTTP/1.1\r\n\r\n",
        b"POST /v1/audio/speech HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST /v1/audio/speech HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
)
def test_requests_that_are_none_are_refused(sglang, request_):
    answer = raw_answer(sglang, request_, wait_s=2)
    assert answer == b"" or answer.startswith(REFUSED)
    assert still_speaks(sglang)


def test_many_connections_that_ask_nothing_keep_nobody_out(sglang):
    with contextlib.ExitStack() as opened:
        for _ in range(200):
            connection = opened.enter_context(socket.create_connection(("127.0.0.1", sglang.service.port), timeout=5))
            connection.sendall(b"POST /v1/audio/speech HTTP/1.1\r\nHost: 127")
        assert still_speaks(sglang)


# -- many at once ---------------------------------------------------------------------------------------------------


def test_clients_that_go_away_together_leave_the_engine_idle():
    served = Served("sglang")
    try:
        served.backend.pace_s = 0.002

        def ask_and_go() -> None:
            with client_of(served) as client, contextlib.suppress(httpx.HTTPError):
                body = {"input": "endless", "stream": True, "response_format": "pcm", "max_new_tokens": 4096}
                with client.stream("POST", SPEECH, json=body) as answer:
                    next(answer.iter_raw())

        threads = [threading.Thread(target=ask_and_go) for _ in range(24)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        end = time.monotonic() + 10
        while served.backend._jobs and time.monotonic() < end:
            time.sleep(0.01)
        assert not served.backend._jobs and still_speaks(served)
    finally:
        served.close()


@pytest.mark.parametrize("form", ["audio", "sse"])
def test_a_client_that_takes_nothing_of_its_stream_is_given_up(monkeypatch, form):
    monkeypatch.setattr(routes, "READ_S", 0.5)
    served = Served("sglang")
    try:
        body = {"input": "endless", "stream": True, "stream_format": form, "response_format": "pcm"}
        with client_of(served) as client, client.stream("POST", SPEECH, json=body | {"max_new_tokens": 4096}) as answer:
            assert answer.status_code == 200
            end = time.monotonic() + 30
            while not served.backend.cancelled and time.monotonic() < end:
                time.sleep(0.02)
            assert served.backend.cancelled, "what nobody takes is not made to its end"
            with pytest.raises(httpx.HTTPError):
                answer.read()
        assert still_speaks(served)
    finally:
        served.close()


# -- what a model cannot read ---------------------------------------------------------------------------------------


@pytest.fixture(params=["sglang", "vllm"])
def plain(request):
    """A service whose model reads English in ASCII, as the starter does."""
    served = Served(request.param)
    served.backend.card = ModelCard("Small", languages=("English",), characters="ascii")
    yield served
    served.close()


@pytest.mark.parametrize(
    ("text", "script", "letter"),
    [
        ("مرحبا بالعالم", "Arabic", "م"),
        ("你好，世界", "Chinese", "你"),
        ("こんにちは", "Japanese", "こ"),
        ("Привет", "Cyrillic", "П"),
    ],
)
def test_a_script_that_the_model_cannot_read_is_named_with_what_it_reads(plain, text, script, letter, tmp_path):
    clip = data_uri(make_clip(tmp_path / "clip.wav"))
    with client_of(plain) as client:
        answer = client.post(SPEECH, json={"input": text, "ref_audio": clip})
    message = answer.json()["error"]["message"]
    assert answer.status_code == 400 and answer.json()["error"]["type"] == "BadRequestError"
    assert f"{script} script" in message and letter in message and "English only" in message and "Small" in message


def test_a_text_without_words_is_told_apart_from_one_that_cannot_be_read(plain, tmp_path):
    clip = data_uri(make_clip(tmp_path / "clip.wav"))
    with client_of(plain) as client:
        message = client.post(SPEECH, json={"input": "...", "ref_audio": clip}).json()["error"]["message"]
    assert "no words" in message and "script" not in message


def test_what_was_left_out_of_a_text_is_told_in_a_header(plain, tmp_path):
    clip = data_uri(make_clip(tmp_path / "clip.wav"))
    with client_of(plain) as client:
        answer = client.post(SPEECH, json={"input": "Hello مرحبا", "ref_audio": clip})
        plainly = client.post(SPEECH, json={"input": "Hello", "ref_audio": clip})
    (warning,) = json.loads(answer.headers["X-Moss-Warnings"])
    assert answer.status_code == 200 and warning["code"] == "unreadable" and "م" in warning["message"]
    assert "X-Moss-Warnings" not in plainly.headers


# -- clips on the disk ----------------------------------------------------------------------------------------------


def test_the_clip_of_a_request_is_gone_when_it_has_ended(tmp_path):
    served = Served("sglang", clips=tmp_path / "clips")
    try:
        clip = make_clip(tmp_path / "clip.wav")
        with client_of(served) as client:
            assert client.post(SPEECH, json={"input": "one", "ref_audio": data_uri(clip)}).status_code == 200
            assert client.post(SPEECH, json={"input": "broken", "ref_audio": data_uri(clip)}).status_code == 500
            bad = "data:audio/wav;base64," + base64.b64encode(b"no sound").decode()
            assert client.post(SPEECH, json={"input": "one", "ref_audio": bad}).status_code in (400, 500)
        assert served.backend.clips[0] == clip.read_bytes()
        (folder,) = (tmp_path / "clips").iterdir()
        assert list(folder.iterdir()) == [] and folder.stat().st_mode & 0o077 == 0
    finally:
        served.close()
    assert list((tmp_path / "clips").iterdir()) == []


def test_a_clip_stays_while_any_request_needs_it(tmp_path):
    shelf = Shelf(tmp_path)
    clip = make_clip(tmp_path.with_name("clip.wav")).read_bytes()
    first, second = shelf.lend(), shelf.lend()
    path = first.keep(clip)
    assert second.keep(clip) == path
    first.end()
    assert path.is_file()
    second.end()
    assert not path.exists()
    voice, _ = shelf.add("ana", clip, "audio/wav", "mine")
    loan = shelf.lend()
    assert loan.hold(voice) == voice.path and shelf.remove("ana") and voice.path.is_file()
    loan.end()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ShelfError):
        loan.keep(clip)
    assert list(tmp_path.iterdir()) == [], "a request that ended leaves nothing"


def test_the_clip_of_a_voice_that_was_overwritten_goes(tmp_path):
    shelf = Shelf(tmp_path)
    for seed in (1, 2):
        clip = make_clip(tmp_path.with_name("clip.wav"), seed=seed).read_bytes()
        voice, _ = shelf.add("ana", clip, "audio/wav", "mine")
    assert list(tmp_path.iterdir()) == [voice.path]


def test_what_a_killed_service_left_is_deleted_and_what_a_living_one_has_stays(tmp_path):
    living = folder_for_clips(tmp_path)
    (living / "clip").write_bytes(b"x")
    code = "import sys; from pathlib import Path; from app.services.serve.shelf import folder_for_clips;"
    code += "folder = folder_for_clips(Path(sys.argv[1])); (folder / 'clip').write_bytes(b'secret');"
    code += "print(folder, flush=True);"
    code += "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    killed = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, timeout=60)
    left = Path(killed.stdout.strip())
    assert killed.returncode == -signal.SIGKILL and (left / "clip").is_file()
    (tmp_path / "not one of ours").mkdir()
    clear_left_behind(tmp_path)
    assert not left.exists() and (living / "clip").is_file() and (tmp_path / "not one of ours").is_dir()


def test_the_command_keeps_clips_in_the_profile_and_clears_them_at_its_next_start(tmp_path):
    environment = {**os.environ, "MOSS_SERVE_TOKEN": "mine", "OMP_NUM_THREADS": "1", "TMPDIR": str(tmp_path / "tmp")}
    (tmp_path / "tmp").mkdir()
    clips = tmp_path / "profile" / "cache" / "served clips"

    def serve() -> subprocess.Popen:
        command = [sys.executable, "-m", "app.cli", "--profile", str(tmp_path / "profile"), "serve", "--json"]
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True, "env": environment}
        process = subprocess.Popen(command, **options)
        told.append(json.loads(process.stdout.readline()))
        return process

    told: list[dict] = []
    clip = make_clip(tmp_path / "clip.wav")
    process = serve()
    try:
        answer = httpx.post(
            f"{told[0]['address']}/v1/audio/voices",
            data={"name": "ana", "consent": "mine"},
            files={"audio_sample": ("clip.wav", clip.read_bytes(), "audio/wav")},
            headers={"Authorization": "Bearer mine"},
            trust_env=False,
            timeout=30,
        )
        assert answer.status_code == 200
    finally:
        process.kill()
        process.wait(20)
    (left,) = clips.iterdir()
    assert [path.read_bytes() for path in left.iterdir()] == [clip.read_bytes()]
    assert not [path for path in (tmp_path / "tmp").rglob("*") if path.is_file() and path.stat().st_size > 10_000]
    process = serve()
    try:
        assert not left.exists()
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    assert list(clips.iterdir()) == []


def test_a_long_text_is_heard_before_all_of_it_is_planned(monkeypatch):
    may_plan, sentence = threading.Event(), "one two three four five six seven eight. "
    plan_of = asked.plan_of

    def later(wish, card):
        assert may_plan.wait(30), "the first sound waits for the plan of everything"
        return plan_of(wish, card)

    monkeypatch.setattr(speaker, "plan_of", later)
    monkeypatch.setattr(asked, "plan_of", later)
    served = Served("sglang")
    served.backend.card = replace(served.backend.card, longest_piece_s=15)
    body = {"input": sentence * 800, "stream": True, "response_format": "pcm", "seed": 1}
    try:
        with client_of(served) as client, client.stream("POST", SPEECH, json=body) as answer:
            parts = answer.iter_raw()
            first = next(parts)
            may_plan.set()
            size = len(first) + sum(map(len, parts))
    finally:
        served.close()
    assert size == 2 * FRAME_SAMPLES * WORDS_FRAMES * 8 * 800
