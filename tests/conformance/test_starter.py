"""The starter through the local backend and through the service: the same speech."""

from __future__ import annotations

import numpy as np
import pytest
from served import TOKEN, Served, client_of, data_uri

from app.paths import starter
from engine import Clip, Priority, ServerSpec, SpeechRequest, open_local, open_server, read_card

STEP = 1 / 32767 + 2**-22
TEXT = "Hello there."


@pytest.fixture(scope="module")
def local():
    engine = open_local(starter())
    engine.start()
    assert engine.ready(120)
    yield engine
    engine.close()


def spoken(engine, **wish) -> np.ndarray:
    stream = engine.submit(SpeechRequest(TEXT, language="English", seed=3, max_frames=60, **wish))
    return np.concatenate([chunk.samples for chunk in stream.chunks(120)])


@pytest.fixture(scope="module")
def kumo():
    voice = next(voice for voice in read_card(starter()).voices if voice.id == "kumo")
    return Clip(path=voice.path)


@pytest.mark.parametrize("flavour", ["sglang", "vllm"])
def test_the_voices_of_the_model_are_had_by_name(local, kumo, flavour):
    served = Served(flavour, engine=local)
    try:
        with client_of(served) as client:
            assert {"default", "Kumo", "Joe light"} <= set(client.get("/v1/audio/voices").json()["voices"])
            body = {"input": TEXT, "seed": 3, "language": "English"}
            named = client.post("/v1/audio/speech", json=body | {"voice": "kumo"})
            clip = client.post("/v1/audio/speech", json=body | {"ref_audio": data_uri(kumo.path)})
            assert named.status_code == 200 and named.content == clip.content
            assert client.post("/v1/audio/speech", json=body | {"voice": "nobody"}).status_code == 400
    finally:
        served.service.close()


@pytest.mark.parametrize("flavour", ["sglang", "vllm"])
def test_a_line_is_the_same_through_a_server(local, kumo, flavour):
    here = spoken(local, references=(kumo,))
    served = Served(flavour, engine=local)
    engine = open_server(ServerSpec(served.address, key=TOKEN))
    try:
        engine.start()
        assert engine.ready(20)
        # The starter samples by its own settings; a server is told which.
        sampling = None if flavour == "vllm" else local.card.sampling
        whole = spoken(engine, references=(kumo,), sampling=sampling, priority=Priority.EXPORTING)
        streamed = spoken(engine, references=(kumo,), sampling=sampling, priority=Priority.LISTENING)
    finally:
        engine.close()
        served.service.close()
    assert whole.shape == here.shape and np.abs(whole - here).max() <= STEP
    expected = here if flavour == "vllm" else np.repeat(here.mean(axis=1, keepdims=True), 2, axis=1)
    assert streamed.shape == here.shape and np.abs(streamed - expected).max() <= STEP
