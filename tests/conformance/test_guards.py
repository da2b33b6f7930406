"""Who may use the service: programs of this machine that know the token."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import httpx
import pytest
from served import TOKEN, Served, client_of

from app.services.serve.service import Service
from engine import DeviceError


@pytest.fixture(params=["sglang", "vllm"])
def served(request, sglang, vllm):
    return {"sglang": sglang, "vllm": vllm}[request.param]


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x"])
def test_without_the_token_nothing_is_answered(served, given):
    with httpx.Client(base_url=served.address, trust_env=False) as client:
        for method, path in (
            ("POST", "/v1/audio/speech"),
            ("GET", "/v1/models"),
            ("GET", "/v1/audio/voices"),
            ("GET", "/v1/audio/speech/stream"),
        ):
            headers = {"Authorization": given} if given else {}
            assert client.request(method, path, headers=headers).status_code == 401


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1", "http://localhost:1", "http://[::1"]
)
def test_a_web_page_is_not_answered(served, origin):
    with client_of(served, Origin=origin) as client:
        assert client.get("/v1/models").status_code == 403
        assert client.get("/health").status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost:1", "127.0.0.1.evil.example"])
def test_a_name_that_was_bent_to_this_machine_is_not_answered(served, host):
    connection = http.client.HTTPConnection("127.0.0.1", served.service.port)
    connection.putrequest("GET", "/v1/models", skip_host=True)
    connection.putheader("Host", host)
    connection.putheader("Authorization", f"Bearer {TOKEN}")
    connection.endheaders()
    assert connection.getresponse().status == 403
    connection.close()


def test_its_own_names_are_answered(served):
    port = served.service.port
    with client_of(served, Host=f"localhost:{port}", Origin=f"http://127.0.0.1:{port}") as client:
        assert client.get("/v1/models").status_code == 200


def test_only_this_machine_can_connect(served):
    try:
        known = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
    except socket.gaierror:
        pytest.skip("this machine's name has no address")
    here = {str(address[4][0]) for address in known} - {"127.0.0.1", "127.0.1.1"}
    for address in here:
        with pytest.raises(OSError):
            socket.create_connection((address, served.service.port), timeout=1)


def test_a_taken_port_is_told(served):
    with pytest.raises(DeviceError, match="Choose another"):
        Service(served.engine, port=served.service.port).start()


def test_a_full_queue_is_told():
    served = Served("sglang", most_waiting=1)
    try:
        served.backend.gate.clear()
        with client_of(served) as client, _pending(served):
            answer = client.post("/v1/audio/speech", json={"input": "x"})
        assert answer.status_code == 503
        assert answer.json()["error"] == {
            "message": "The request queue is full.",
            "type": "server_error",
            "param": None,
            "code": None,
        }
    finally:
        served.close()


@contextlib.contextmanager
def _pending(served):
    """A request that is under way while the `with` lasts."""

    def ask() -> None:
        with contextlib.suppress(httpx.HTTPError), client_of(served) as client:
            client.post("/v1/audio/speech", json={"input": "one"})

    thread = threading.Thread(target=ask)
    thread.start()
    end = time.monotonic() + 5
    while not served.backend.seen and time.monotonic() < end:
        time.sleep(0.01)
    yield
    served.backend.gate.set()
    thread.join(5)


@pytest.mark.parametrize("token", ["", " ", "two words", "schl\u00fcssel", "\udcff", "a\nb"])
def test_a_token_that_no_header_can_carry_is_refused(served, token):
    with pytest.raises(DeviceError, match="token"):
        Service(served.service._engine, token=token)


def test_closing_ends_what_is_under_way():
    served = Served("sglang")
    served.backend.gate.clear()
    with _pending(served):
        begun = time.monotonic()
        served.close()
        assert time.monotonic() - begun < 8
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", served.service.port), timeout=1)


def test_the_command_serves_with_the_starter_until_it_is_stopped(tmp_path):
    environment = {**os.environ, "MOSS_SERVE_TOKEN": "mine", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "app.cli", "--profile", str(tmp_path), "serve", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        told = json.loads(process.stdout.readline())
        assert told["token"] is None, "a token that was given is not printed"
        answer = httpx.post(
            f"{told['address']}/v1/audio/speech",
            json={"input": "Hello.", "seed": 1},
            headers={"Authorization": "Bearer mine"},
            timeout=120,
            trust_env=False,
        )
        assert answer.status_code == 200 and len(answer.content) > 40_000
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
