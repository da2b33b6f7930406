"""The backend of speech servers, driven through the engine against the product's own service."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import httpx
import numpy as np
import pytest
from served import TOKEN, Relay, Served, make_clip, sound_of

from engine import (
    CapabilityError,
    Clip,
    ClipError,
    Engine,
    Priority,
    ServerError,
    ServerSpec,
    SpeechRequest,
    StopReason,
    delete_voice,
    inspect_server,
    open_server,
    upload_voice,
)
from engine.backends.server import ServerBackend

STEP = 1 / 32767 + 2**-22  # one step of 16 bits, and the rounding of float32


@pytest.fixture(scope="module")
def served():
    both = {flavour: Served(flavour) for flavour in ("sglang", "vllm")}
    yield both
    for each in both.values():
        each.close()


@pytest.fixture
def opened():
    engines: list[Engine] = []

    def open_(spec: ServerSpec) -> Engine:
        engine = open_server(spec)
        engines.append(engine)
        engine.start()
        assert engine.ready(20)
        return engine

    yield open_
    for engine in engines:
        engine.close()


@pytest.fixture
def relay(served):
    between = Relay(served["sglang"].service.port)
    yield between
    between.close()


@pytest.fixture
def clip(tmp_path):
    return Clip(path=make_clip(tmp_path / "clip.wav"))


def spec_of(served, flavour="sglang", **changes) -> ServerSpec:
    return replace(ServerSpec(served[flavour].address, key=TOKEN, back_off_s=0.02), **changes)


def spoken(engine: Engine, text: str, **wish):
    stream = engine.submit(SpeechRequest(text, **{"priority": Priority.EXPORTING, **wish}))
    chunks = [chunk.samples for chunk in stream.chunks(20)]
    return np.concatenate(chunks) if chunks else np.zeros((0, 2), np.float32), stream.result(20)


def expected(text: str, seed: int = 0, clip: Clip | None = None) -> np.ndarray:
    request = SpeechRequest(text, seed=seed, references=(clip,) if clip else ())
    return np.concatenate([sound_of(request, frame) for frame in range(3 * len(text.split()))])


LISTENING = {"priority": Priority.LISTENING}


@pytest.mark.parametrize("flavour", ["sglang", "vllm"])
def test_speech_that_nobody_listens_to_comes_whole_and_in_stereo(served, opened, clip, flavour):
    samples, result = spoken(opened(spec_of(served, flavour)), "one two three four", seed=7, references=(clip,))
    assert result.complete and result.seconds == pytest.approx(0.96)
    assert np.abs(samples - expected("one two three four", 7, clip)).max() <= STEP
    assert not result.warnings


@pytest.mark.parametrize("form", ["audio", "sse"])
def test_sglang_streams_the_mean_of_both_channels(served, opened, form):
    samples, result = spoken(opened(spec_of(served, stream_format=form)), "one two three four", seed=7, **LISTENING)
    mean = expected("one two three four", 7).mean(axis=1)
    assert result.complete
    assert np.array_equal(samples[:, 0], samples[:, 1])
    assert np.abs(samples[:, 0] - mean).max() <= STEP
    assert [warning.code for warning in result.warnings] == ["mono_stream"]


@pytest.mark.parametrize("form", ["audio", "sse"])
def test_vllm_streams_stereo(served, opened, clip, form):
    engine = opened(spec_of(served, "vllm", stream_format=form))
    samples, result = spoken(engine, "one two three four", seed=7, references=(clip,), **LISTENING)
    assert result.complete and not result.warnings
    assert np.abs(samples - expected("one two three four", 7, clip)).max() <= STEP


def test_the_kind_is_found_by_asking(served):
    for flavour in ("sglang", "vllm"):
        report = inspect_server(spec_of(served, flavour))
        assert report.kind == flavour and report.models
    assert inspect_server(spec_of(served, "vllm")).card.needs_reference


def test_audio_is_heard_while_the_rest_is_made(served, opened):
    backend = served["sglang"].backend
    stream = opened(spec_of(served)).submit(SpeechRequest("endless", max_frames=500, **LISTENING))
    first = next(iter(stream))
    assert len(first.samples) and not stream.done
    stream.cancel()
    assert stream.result(5).stop_reason is StopReason.CANCELLED
    wait_for(lambda: not backend._jobs)


@pytest.mark.parametrize("priority", [Priority.LISTENING, Priority.EXPORTING])
def test_cancelling_closes_the_connection_and_ends_the_work_there(served, opened, priority):
    backend = served["sglang"].backend
    backend.cancelled.clear()
    backend.gate.clear()
    try:
        stream = opened(spec_of(served)).submit(SpeechRequest("endless", max_frames=7000, priority=priority))
        wait_for(lambda: backend._jobs or backend.seen)
        time.sleep(0.1)
        stream.cancel()
        assert stream.result(5).stop_reason is StopReason.CANCELLED
    finally:
        backend.gate.set()
    wait_for(lambda: backend.cancelled)


def test_everything_that_was_asked_for_reaches_the_model(served, opened):
    engine = opened(spec_of(served))
    sampling = replace(engine.card.sampling, audio=replace(engine.card.sampling.audio, temperature=0.5, top_k=9))
    spoken(
        engine,
        "words",
        language="French",
        tokens=40,
        instruction="Softly.",
        sampling=sampling,
        seed=2**62,
        max_frames=99,
    )
    seen = served["sglang"].backend.seen[-1]
    assert (seen.language, seen.tokens, seen.instruction, seen.seed, seen.max_frames) == (
        "French",
        40,
        "Softly.",
        2**62,
        99,
    )
    assert (seen.sampling.audio.temperature, seen.sampling.audio.top_k, seen.sampling.audio.top_p) == (0.5, 9, 0.8)


def test_text_that_looks_like_a_length_is_spoken(served, opened):
    spoken(opened(spec_of(served)), "${token:5} words")
    seen = served["sglang"].backend.seen[-1]
    assert seen.text.strip() == "${token:5} words" and seen.tokens is None


def test_half_a_character_is_spoken_as_a_question_mark(served, opened):
    assert spoken(opened(spec_of(served)), "one \ud800 two")[1].complete
    assert served["sglang"].backend.seen[-1].text == "one ? two"


def test_several_requests_are_in_flight_and_none_gets_anothers_sound(served, opened):
    engine = opened(spec_of(served, parallel=4))
    texts = [" ".join(f"w{number}x{word}" for word in range(1 + number % 5)) for number in range(12)]
    streams = [engine.submit(SpeechRequest(text, seed=3, priority=Priority.EXPORTING)) for text in texts]
    for text, stream in zip(texts, streams, strict=True):
        samples = np.concatenate([chunk.samples for chunk in stream.chunks(20)])
        assert np.abs(samples - expected(text, 3)).max() <= STEP, text


def test_a_batch_gives_each_its_own_in_order(served, opened):
    engine = opened(spec_of(served, parallel=8, use_batch=True))
    texts = ["one", "broken two", "three four", "nothing", "five"]
    streams = [engine.submit(SpeechRequest(text, priority=Priority.EXPORTING)) for text in texts]
    for text, stream in zip(texts, streams, strict=True):
        if text.startswith(("broken", "nothing")):
            with pytest.raises(ServerError):
                stream.result(20)
        else:
            samples = np.concatenate([chunk.samples for chunk in stream.chunks(20)])
            assert np.abs(samples - expected(text)).max() <= STEP


def test_clips_can_be_uploaded_once_as_voices(served, opened, clip):
    engine = opened(spec_of(served, references="upload"))
    for _ in range(2):
        samples, _ = spoken(engine, "one two", references=(clip,))
        assert np.abs(samples - expected("one two", 0, clip)).max() <= STEP
    names = [voice.name for voice in inspect_server(spec_of(served)).voices]
    assert len([name for name in names if name.startswith("studio-")]) == 1


def test_a_server_that_lost_its_voices_gets_them_again(served, opened, clip):
    engine = opened(spec_of(served, references="upload"))
    assert spoken(engine, "one", references=(clip,))[1].complete
    for voice in inspect_server(spec_of(served)).voices:
        delete_voice(spec_of(served), voice.name)
    assert inspect_server(spec_of(served)).voices == ()
    samples, result = spoken(engine, "one two", references=(clip,))
    assert result.complete and np.abs(samples - expected("one two", 0, clip)).max() <= STEP


def test_voices_can_be_kept_on_a_server_by_hand(served, clip):
    upload_voice(spec_of(served), "by-hand", clip, "mine")
    assert "by-hand" in [voice.name for voice in inspect_server(spec_of(served)).voices]
    delete_voice(spec_of(served), "by-hand")
    delete_voice(spec_of(served), "by-hand")
    assert "by-hand" not in [voice.name for voice in inspect_server(spec_of(served)).voices]
    with pytest.raises(ServerError, match="must match"):
        upload_voice(spec_of(served), "a b", clip, "mine")


def test_part_of_a_clip_is_what_is_sent(served, opened, clip):
    samples, result = spoken(opened(spec_of(served)), "one", references=(replace(clip, start_s=0.2, end_s=1.6),))
    sent = served["sglang"].backend.clips[-1]
    assert result.complete and sent[:4] == b"fLaC"


def test_clips_of_a_wrong_length_are_refused_before_they_are_sent(served, opened, tmp_path):
    engine = opened(spec_of(served, "vllm"))
    for seconds in (0.6, 31):
        long = Clip(path=make_clip(tmp_path / f"{seconds}.wav", seconds))
        with pytest.raises(ClipError, match="takes 1 to 30 s"):
            spoken(engine, "one", references=(long,))


def test_vllm_cannot_speak_without_a_clip(served, opened):
    with pytest.raises(CapabilityError, match="voice of a clip"):
        spoken(opened(spec_of(served, "vllm")), "one")


@pytest.mark.parametrize("flavour", ["sglang", "vllm"])
@pytest.mark.parametrize("form", ["audio", "sse"])
def test_a_server_that_fails_in_the_middle_leaves_what_came_marked(served, opened, clip, flavour, form):
    engine = opened(spec_of(served, flavour, stream_format=form, attempts=1))
    samples, result = spoken(engine, "long " * 12 + "broken", max_frames=600, references=(clip,), **LISTENING)
    assert result.stop_reason is StopReason.FAILED and not result.complete
    # Pieces of a stream are whole: what the server had made since the last one never came.
    assert len(samples) and len(samples) <= 39 * 3840
    assert "server_broke_off" in [warning.code for warning in result.warnings]


def test_a_connection_that_breaks_in_the_middle_keeps_what_came(served, opened, relay):
    relay.cut_after = 60_000
    samples, result = spoken(
        opened(ServerSpec(relay.address, kind="sglang", key=TOKEN, attempts=1)), "word " * 20, **LISTENING
    )
    assert result.stop_reason is StopReason.FAILED and not result.complete
    assert 0 < len(samples) < 60 * 3840
    assert np.abs(samples[:, 0] - expected("word " * 20).mean(axis=1)[: len(samples)]).max() <= STEP
    assert "server_broke_off" in [warning.code for warning in result.warnings]


def test_a_whole_answer_that_breaks_off_is_a_failure(served, opened, relay):
    relay.cut_after = 60_000
    with pytest.raises(ServerError, match="broke off|answers"):
        spoken(opened(ServerSpec(relay.address, kind="sglang", key=TOKEN, attempts=1)), "word " * 20)


@pytest.mark.parametrize("piece", [1, 3, 1001])
def test_samples_cut_anywhere_are_put_together(served, opened, relay, piece):
    relay.piece = piece
    text = "a b" if piece == 1 else "one two three four five"
    for form in ("audio", "sse"):
        engine = opened(ServerSpec(relay.address, kind="sglang", key=TOKEN, stream_format=form))
        samples, result = spoken(engine, text, **LISTENING)
        assert result.complete
        assert np.abs(samples[:, 0] - expected(text).mean(axis=1)).max() <= STEP


def test_refused_connections_are_tried_again(served, opened, relay):
    engine = opened(ServerSpec(relay.address, kind="sglang", key=TOKEN, back_off_s=0.01))
    relay.refuse = 3
    for flight in range(6):  # past the connections that are still open
        assert spoken(engine, "one")[1].complete, flight


def test_a_slow_server_is_waited_for_and_a_silent_one_is_not(served, opened, relay):
    relay.delay_s, relay.piece = 0.01, 8192
    spec = ServerSpec(relay.address, kind="sglang", key=TOKEN, silence_timeout_s=0.4)
    engine = opened(spec)
    assert spoken(engine, "one two three", **LISTENING)[1].complete
    relay.piece, relay.delay_s = 30_000, 0.9
    samples, result = spoken(engine, "word " * 10, **LISTENING)
    assert result.stop_reason is StopReason.FAILED and len(samples)


def test_a_wrong_key_is_told_as_the_server_says_it(served):
    engine = open_server(spec_of(served, kind="sglang", key="wrong"))
    engine.start()
    try:
        with pytest.raises(ServerError, match="Unauthorized.*key"):
            engine.ready(10)
    finally:
        engine.close()


def test_nobody_at_the_address_says_what_to_do():
    engine = open_server(ServerSpec("http://127.0.0.1:9", attempts=2, back_off_s=0.01))
    engine.start()
    try:
        with pytest.raises(ServerError, match="No server answers.*Start it"):
            engine.ready(10)
    finally:
        engine.close()


def test_closing_while_the_server_is_waited_for_returns_soon():
    engine = open_server(ServerSpec("http://127.0.0.1:9", attempts=9, back_off_s=5))
    engine.start()
    time.sleep(0.2)
    begun = time.monotonic()
    engine.close()
    assert time.monotonic() - begun < 2.9, "the thread was left behind"


@pytest.mark.parametrize(
    "address",
    ["", "ftp://host", "http://", "http://user:secret@host", "http://host:99999", "http://host?x=1", "http://a b",
     "http://host\nX", "http://host/\x00"],
)  # fmt: skip
def test_what_is_no_address_is_refused_at_once(address):
    with pytest.raises(ServerError):
        open_server(ServerSpec(address))


def test_a_key_is_in_no_text_that_a_spec_becomes():
    assert "secret" not in repr(ServerSpec("http://host", key="secret"))


# -- answers that our own service never gives -----------------------------------------------------------------------


class Scripted:
    """An HTTP server made of a function, and what it was asked."""

    def __init__(self, answer):
        self.asked: list[dict] = []
        self.answer = answer

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/health":
            return httpx.Response(200, json={"status": "healthy"})
        if request.url.path == "/v1/models":
            return httpx.Response(200, json={"data": [{"id": "m"}]})
        if request.method == "POST":
            self.asked.append(json.loads(request.content))
        return self.answer(request, len(self.asked))


def against(answer, opened_engines, **options) -> tuple[Engine, Scripted]:
    script = Scripted(answer)
    engine = Engine(
        ServerBackend(
            ServerSpec("http://scripted", kind="sglang", back_off_s=0.01, **options), httpx.MockTransport(script)
        )
    )
    opened_engines.append(engine)
    engine.start()
    assert engine.ready(10)
    return engine, script


@pytest.fixture
def engines():
    made: list[Engine] = []
    yield made
    for engine in made:
        engine.close()


def pcm(values: np.ndarray) -> bytes:
    return values.astype("<i2").tobytes()


def test_busy_answers_are_waited_out_as_long_as_the_server_says(engines):
    wav = httpx.Response(
        200,
        content=b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\xbb\0\0\0w\1\0\x02\0\x10\0data\xff\xff\xff\xff"
        + pcm(np.full(48000, 9000)),
        headers={"Content-Type": "audio/wav"},
    )
    engine, script = against(
        lambda request, count: (
            httpx.Response([429, 503][count - 1], headers={"Retry-After": "0"}) if count < 3 else wav
        ),
        engines,
    )
    samples, result = spoken(engine, "one", estimate_frames=10)
    assert len(script.asked) == 3 and result.complete and len(samples) == 48000


def test_busy_for_good_is_told_with_the_servers_words(engines):
    body = {"error": {"message": "The request queue is full.", "type": "server_error", "param": None, "code": None}}
    engine, script = against(lambda request, count: httpx.Response(503, json=body), engines, attempts=3)
    with pytest.raises(ServerError, match="queue is full"):
        spoken(engine, "one")
    assert len(script.asked) == 3


@pytest.mark.parametrize("status", [400, 401, 404, 500])
def test_other_refusals_are_not_repeated(engines, status):
    engine, script = against(
        lambda request, count: httpx.Response(status, json={"error": {"message": "so says the server"}}), engines
    )
    with pytest.raises(ServerError, match="so says the server"):
        spoken(engine, "one")
    assert len(script.asked) == 1


@pytest.mark.parametrize(
    ("rate", "channels", "seconds"),
    [(48000, 1, 1.0), (24000, 1, 1.0), (44100, 2, 1.0), (16000, 1, 1.0), (48000, 6, 1.0)],
)
def test_the_rate_and_channels_of_the_answer_are_believed(engines, rate, channels, seconds):
    tone = np.sin(np.arange(int(rate * seconds)) * 2 * np.pi * 440 / rate) * 10000
    content = pcm(np.repeat(tone[:, None], channels, axis=1))
    headers = {
        "Content-Type": "audio/pcm",
        "X-Sample-Rate": str(rate),
        "X-Channels": str(channels),
        "X-Bit-Depth": "16",
    }
    engine, _ = against(lambda request, count: httpx.Response(200, content=content, headers=headers), engines)
    samples, result = spoken(engine, "one", estimate_frames=12, **LISTENING)
    assert result.seconds == pytest.approx(seconds, abs=0.002)
    spectrum = np.abs(np.fft.rfft(samples[4800:-4800, 0]))
    assert np.argmax(spectrum) * 48000 / len(samples[4800:-4800]) == pytest.approx(440, abs=2)


@pytest.mark.parametrize(
    ("header", "value"),
    [("X-Sample-Rate", "fast"), ("X-Channels", "0"), ("X-Bit-Depth", "8"), ("X-Sample-Rate", "9" * 30)],
)
def test_impossible_formats_are_refused(engines, header, value):
    headers = {"Content-Type": "audio/pcm", header: value}
    engine, _ = against(lambda request, count: httpx.Response(200, content=b"\0" * 1000, headers=headers), engines)
    with pytest.raises(ServerError):
        spoken(engine, "one", **LISTENING)


@pytest.mark.parametrize("priority", [Priority.LISTENING, Priority.EXPORTING])
def test_a_web_page_is_not_played(engines, priority):
    engine, _ = against(
        lambda request, count: httpx.Response(200, text="<html>login</html>", headers={"Content-Type": "text/html"}),
        engines,
    )
    with pytest.raises(ServerError, match="text/html"):
        spoken(engine, "one", priority=priority)


def empty_then_sound(request, count):
    content = b"" if count < 3 else pcm(np.full(48000, 9000))
    return httpx.Response(
        200, content=content, headers={"Content-Type": "audio/pcm", "X-Sample-Rate": "48000", "X-Channels": "1"}
    )


def test_an_answer_without_sound_is_a_failure(engines):
    engine, script = against(empty_then_sound, engines)
    with pytest.raises(ServerError, match="without any sound"):
        spoken(engine, "one", **LISTENING)
    assert len(script.asked) == 1


def test_where_the_seed_may_change_the_next_ones_are_tried_and_told(engines):
    engine, script = against(empty_then_sound, engines, may_change_seed=True)
    _, result = spoken(engine, "one", seed=5, estimate_frames=12, **LISTENING)
    assert [asked["seed"] for asked in script.asked] == [5, 6, 7]
    assert result.seed == 7 and [warning.code for warning in result.warnings].count("seed_changed") == 2


def test_a_redirect_is_not_followed_with_the_key(engines):
    engine, script = against(
        lambda request, count: httpx.Response(307, headers={"Location": "http://elsewhere/"}), engines, key="secret"
    )
    with pytest.raises(ServerError, match="elsewhere"):
        spoken(engine, "one")
    assert len(script.asked) == 1


def test_a_budget_that_ran_out_is_not_complete(served, opened, clip):
    for flavour in ("sglang", "vllm"):
        _, result = spoken(opened(spec_of(served, flavour)), "endless", max_frames=9, references=(clip,))
        assert result.stop_reason is StopReason.LENGTH, flavour


def wait_for(condition, timeout_s: float = 5.0) -> None:
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


def test_another_take_that_nobody_listens_to_while_it_is_made_is_stereo(served, opened):
    engine = opened(spec_of(served))
    stereo, _ = spoken(engine, "one two", priority=Priority.PREVIEW)
    assert not np.array_equal(stereo[:, 0], stereo[:, 1])
    stream = engine.submit(SpeechRequest("one two", priority=Priority.PREVIEW), lead_s=lambda: 1.0)
    heard = np.concatenate([chunk.samples for chunk in stream.chunks(20)])
    assert np.array_equal(heard[:, 0], heard[:, 1])


def test_a_person_may_want_stereo_while_listening(served, opened):
    stereo, result = spoken(opened(spec_of(served, stereo_listening=True)), "one two", **LISTENING)
    assert not np.array_equal(stereo[:, 0], stereo[:, 1]) and not result.warnings
