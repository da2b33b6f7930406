"""The service in SGLang-Omni's manner: what a client of that server relies on, to the byte."""

from __future__ import annotations

import base64
import io
import json
import re
import zlib

import numpy as np
import pytest
import soundfile
from served import data_uri, make_clip, sound_of, talk

from app.services.serve.shelf import Shelf, ShelfError
from engine import SpeechRequest

SPEECH = "/v1/audio/speech"


def ask(client, **body):
    return client.post(SPEECH, json={"input": "one two", "seed": 1, **body})


def made(text="one two", seed=1) -> np.ndarray:
    return np.concatenate([sound_of(SpeechRequest(text, seed=seed), frame) for frame in range(3 * len(text.split()))])


def truncated(samples: np.ndarray) -> np.ndarray:
    return np.trunc(samples.astype(np.float64) * 32767).astype("<i2")


def test_a_whole_answer_has_every_header_and_stereo_wav(ask_sglang):
    answer = ask(ask_sglang)
    assert answer.status_code == 200
    headers = answer.headers
    assert headers["content-type"] == "audio/wav"
    assert headers["content-disposition"] == 'attachment; filename="speech.wav"'
    assert re.fullmatch(r"speech-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", headers["x-request-id"])
    assert headers["x-finish-reason"] == "stop"
    assert (headers["x-prompt-tokens"], headers["x-completion-tokens"]) == ("7", "6")
    names = ("Input", "Output", "Total")
    assert [headers[f"x-sglang-omni-{name}-tokens"] for name in names] == ["7", "6", "13"]
    assert float(headers["x-engine-time"]) >= 0
    samples, rate = soundfile.read(io.BytesIO(answer.content), dtype="int16")
    assert rate == 48000 and np.array_equal(samples, truncated(made()))
    assert answer.content[:4] == b"RIFF" and len(answer.content) == 44 + samples.nbytes


@pytest.mark.parametrize("form", ["wav", "pcm", "flac", "mp3", "aac", "opus", " WAV "])
def test_every_format_is_the_same_speech(ask_sglang, form):
    answer = ask(ask_sglang, response_format=form)
    kinds = {"pcm": "audio/pcm", "flac": "audio/flac", "mp3": "audio/mpeg", "aac": "audio/aac", "opus": "audio/ogg"}
    assert answer.status_code == 200 and answer.headers["content-type"] == kinds.get(form, "audio/wav")
    if form == "flac":
        assert np.array_equal(soundfile.read(io.BytesIO(answer.content), dtype="int16")[0], truncated(made()))
    elif form == "pcm":
        assert answer.content == truncated(made()).tobytes()
    else:
        assert len(answer.content) > 1000


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(ask_sglang):
    first, again, other = (ask(ask_sglang, seed=seed).content for seed in (5, 5, 6))
    assert first == again != other


def test_a_raw_stream_is_mono_with_its_format_in_headers(ask_sglang):
    with ask_sglang.stream(
        "POST", SPEECH, json={"input": "word " * 20, "seed": 1, "stream": True, "response_format": "pcm"}
    ) as answer:
        pieces = list(answer.iter_raw())
        headers = answer.headers
    assert headers["content-type"] == "audio/pcm" and headers["transfer-encoding"] == "chunked"
    assert (headers["x-sample-rate"], headers["x-channels"], headers["x-bit-depth"]) == ("48000", "1", "16")
    assert headers["x-request-id"] == headers["x-sglang-omni-speech-id"]
    content = b"".join(pieces)
    assert len(content) % 2 == 0
    assert content == truncated(made("word " * 20).mean(axis=1)).tobytes()
    outcome = ask_sglang.get(f"{SPEECH}/{headers['x-request-id']}")
    usage = {"input_tokens": 100, "output_tokens": 60, "total_tokens": 160}
    assert outcome.json() == {"request_id": headers["x-request-id"], "finish_reason": "stop", "usage": usage}


def test_events_come_in_order_and_end_with_the_reason(ask_sglang):
    answer = ask(ask_sglang, stream_format="sse", response_format="pcm")
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert "x-sglang-omni-speech-id" not in answer.headers and answer.headers["x-channels"] == "1"
    blocks = answer.text.split("\n\n")
    assert blocks.pop() == "" and all(block.startswith("data: {") and "\n" not in block for block in blocks)
    events = [json.loads(block[6:]) for block in blocks]
    assert [event["type"] for event in events[:-1]] == ["speech.audio.delta"] * (len(events) - 1)
    assert events[-1] == {
        "type": "speech.audio.done",
        "usage": {"input_tokens": 7, "output_tokens": 6, "total_tokens": 13},
        "finish_reason": "stop",
    }
    assert blocks[0].startswith('data: {"type": "speech.audio.delta", "audio": "'), "spaces as json.dumps writes them"
    content = b"".join(base64.b64decode(event["audio"]) for event in events[:-1])
    assert content == truncated(made().mean(axis=1)).tobytes()
    assert ask_sglang.get(f"{SPEECH}/{answer.headers['x-request-id']}").status_code == 404


def test_a_failure_while_events_come_is_an_event(ask_sglang):
    answer = ask(ask_sglang, input="word " * 12 + "broken", stream_format="sse", response_format="pcm")
    last = json.loads(answer.text.strip().split("\n\n")[-1][6:])
    assert last["type"] == "error" and last["error"]["type"] == "server_error" and last["error"]["code"] is None


@pytest.mark.parametrize("stream", [True, False])
def test_a_failure_before_audio_is_an_ordinary_answer(ask_sglang, stream):
    more = {"stream": True, "response_format": "pcm"} if stream else {}
    for text, words in (("nothing", "generated no audio frames"), ("broken", "")):
        answer = ask(ask_sglang, input=text, **more)
        if text == "broken" and not stream:
            pass
        assert answer.status_code == 500
        error = answer.json()["error"]
        assert (
            set(error) == {"message", "type", "param", "code"}
            and error["type"] == "server_error"
            and words in error["message"]
        )


WRONG = [
    ({"input": ""}, "input"), ({"input": "  "}, "input"), ({"input": 5}, "input"), ({"stream": "true"}, "stream"),
    ({"stream": 1}, "stream"), ({"speed": "1.0"}, "speed"), ({"speed": 5}, "speed"), ({"speed": True}, "speed"),
    ({"max_new_tokens": True}, "max_new_tokens"), ({"max_new_tokens": 0}, "max_new_tokens"), ({"max_new_tokens": 1.5}, "max_new_tokens"),
    ({"seed": -1}, "seed"), ({"seed": "1"}, "seed"), ({"token_count": 0}, "token_count"), ({"top_k": 2.5}, "top_k"),
    ({"language": "Klingon"}, "language"), ({"response_format": "exe"}, "response_format"),
    ({"task_type": "Other"}, "task_type"), ({"stream": True}, "response_format"), ({"stream_format": "sse"}, "response_format"),
    ({"references": "x"}, "references"), ({"voice": "nobody"}, "voice"), ({"initial_codec_chunk_frames": -1}, "initial_codec_chunk_frames"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "param"), WRONG)
def test_wrong_fields_are_refused_by_name(ask_sglang, body, param):
    answer = ask(ask_sglang, **body)
    error = answer.json()["error"]
    assert (answer.status_code, error["type"], error["param"], error["code"]) == (400, "BadRequestError", param, 400)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b"[" * 10_000])
def test_a_body_that_is_no_object_is_refused(ask_sglang, body):
    answer = ask_sglang.post(SPEECH, content=body)
    assert answer.status_code == 400 and answer.json()["error"]["type"] == "BadRequestError"


def test_unknown_fields_and_top_level_samplings_of_text_are_dropped(ask_sglang):
    assert ask(ask_sglang, text_temperature=9, whatever=[1]).status_code == 200


def test_language_length_and_sampling_reach_the_model(ask_sglang, sglang):
    ask(ask_sglang, input="${token:30}   hello", language="cantonese", temperature=0.3, top_k=7, instructions="Low.")
    seen = sglang.backend.seen[-1]
    assert (seen.text, seen.tokens, seen.language, seen.instruction) == ("hello", 30, "Cantonese", "Low.")
    assert (seen.sampling.audio.temperature, seen.sampling.audio.top_k) == (0.3, 7)
    ask(ask_sglang, language="Auto", token_count=12)
    assert (sglang.backend.seen[-1].language, sglang.backend.seen[-1].tokens) == (None, 12)


def test_a_frame_budget_that_runs_out_is_told(ask_sglang):
    assert ask(ask_sglang, input="endless", max_new_tokens=4).headers["x-finish-reason"] == "length"


def test_faster_speech_is_shorter(ask_sglang):
    slow, fast = (len(ask(ask_sglang, response_format="pcm", speed=speed).content) for speed in (0.5, 2.0))
    assert slow == pytest.approx(4 * fast, rel=0.01)


def test_the_first_chunk_of_a_stream_may_be_chosen(ask_sglang):
    def first(**more):
        answer = ask(ask_sglang, input="word " * 30, stream_format="sse", response_format="pcm", **more)
        return len(base64.b64decode(json.loads(answer.text.split("\n\n")[0][6:])["audio"])) // 2 // 3840

    assert first() == 5
    assert first(initial_codec_chunk_frames=2) == 2
    assert first(initial_codec_chunk_frames=0) == 25
    assert first(initial_codec_chunk_frames=99) == 25


# -- references and voices ------------------------------------------------------------------------------------------


def test_references_are_taken_from_every_place(ask_sglang, sglang, tmp_path):
    clip = make_clip(tmp_path / "clip.wav")
    raw = base64.b64encode(clip.read_bytes()).decode()
    for body in (
        {"ref_audio": data_uri(clip)}, {"ref_audio": str(clip)}, {"ref_audio": clip.as_uri()},
        {"references": [{"audio_path": str(clip), "text": "hello"}]}, {"references": [{"data": raw, "media_type": "audio/wav"}]},
        {"references": [{"audio": data_uri(clip)}], "ref_audio": "/nowhere.wav"},
    ):  # fmt: skip
        assert ask(ask_sglang, **body).status_code == 200, body
        (reference,) = sglang.backend.seen[-1].references
        assert sglang.backend.clips[-1] == clip.read_bytes() and reference.transcript == ""


@pytest.mark.parametrize(
    "where",
    [
        "/nowhere.wav",
        "data:audio/wav,abc",
        "data:text/plain;base64,AAAA",
        "data:audio/wav;base64,***",
        "http://127.0.0.1:9/x.wav",
    ],
)
def test_references_that_cannot_be_had_are_refused(ask_sglang, where):
    answer = ask(ask_sglang, ref_audio=where)
    assert answer.status_code == 400 and answer.json()["error"]["param"] == "ref_audio"


def upload(client, path, name="ana", **more):
    return client.post(
        "/v1/audio/voices",
        data={"name": name, "consent": "mine", **more},
        files={"audio_sample": (path.name, path.read_bytes(), "audio/wav")},
    )


def test_voices_come_are_used_are_overwritten_and_go(ask_sglang, sglang, tmp_path):
    clip, other = make_clip(tmp_path / "a.wav", seed=1), make_clip(tmp_path / "b.wav", seed=2)
    kept = upload(ask_sglang, clip, ref_text="so it goes")
    assert kept.status_code == 200
    assert {**kept.json(), "created_at": 0} == {
        "name": "ana", "consent": "mine", "created_at": 0, "file_size": clip.stat().st_size, "mime_type": "audio/wav", "ref_text": "so it goes",
    }  # fmt: skip
    assert ask(ask_sglang, voice="ana").status_code == 200
    assert sglang.backend.clips[-1] == clip.read_bytes()
    assert upload(ask_sglang, other).json()["warning"] == "Voice 'ana' overwritten"
    listed = ask_sglang.get("/v1/audio/voices").json()
    assert set(listed) == {"voices", "uploaded_voices", "cache_stats"} and listed["uploaded_voices"][0]["name"] == "ana"
    assert ask_sglang.get("/v1/audio/voices?names_only=true").json() == {"uploaded_voice_names": ["ana"]}
    assert ask_sglang.delete("/v1/audio/voices/ana").json()["success"] is True
    gone = ask_sglang.delete("/v1/audio/voices/ana")
    assert gone.status_code == 404 and gone.json()["success"] is False
    assert ask(ask_sglang, voice="ana").status_code == 400


def test_voices_that_cannot_be_kept_are_refused(ask_sglang, tmp_path):
    clip, short = make_clip(tmp_path / "a.wav"), make_clip(tmp_path / "s.wav", 0.4)
    soundfile.write(tmp_path / "silent.wav", np.zeros(96000), 48000)
    (tmp_path / "text.wav").write_text("hello")
    for path, name in (
        (clip, "default"),
        (clip, "a b"),
        (clip, "..."),
        (short, "s"),
        (tmp_path / "silent.wav", "q"),
        (tmp_path / "text.wav", "t"),
    ):
        assert upload(ask_sglang, path, name).status_code == 400, (path.name, name)
    missing = ask_sglang.post(
        "/v1/audio/voices", data={"name": "x"}, files={"audio_sample": ("a.wav", clip.read_bytes(), "audio/wav")}
    )
    assert missing.status_code == 422 and missing.json()["detail"][0]["loc"] == ["body", "consent"]
    assert ask_sglang.get("/v1/audio/voices?names_only=1").json() == {"uploaded_voice_names": []}


@pytest.mark.parametrize(
    "sent",
    [
        {"json": {"name": "x", "consent": "mine", "audio_sample": "data:"}},
        {"content": b"RIFF....WAVE", "headers": {"Content-Type": "audio/wav"}},
        {"content": b""},
        {"content": b"\xff\xfe", "headers": {"Content-Type": "text/plain"}},
        {"data": {"ref_text": "so it goes"}},
    ],
)
def test_an_upload_that_is_no_form_lacks_every_field(ask_sglang, sent):
    answer = ask_sglang.post("/v1/audio/voices", **sent)
    assert answer.status_code == 422 and answer.headers["content-type"].startswith("application/json")
    lacks = [{"type": "missing", "loc": ["body", name], "msg": "Field required", "input": None}
             for name in ("audio_sample", "consent", "name")]  # fmt: skip
    assert answer.json() == {"detail": lacks}


def test_a_form_without_a_clip_lacks_the_clip_alone(ask_sglang):
    for sent in ({"data": {"name": "x", "consent": "mine"}}, {"files": {"name": (None, "x"), "consent": (None, "me")}}):
        answer = ask_sglang.post("/v1/audio/voices", **sent)
        assert answer.status_code == 422
        assert [each["loc"] for each in answer.json()["detail"]] == [["body", "audio_sample"]]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/", None),
        ("GET", "/v1/audio", None),
        ("POST", "/v1/audio/speech/a/b", None),
        ("GET", "/v1/audio/speech", {"POST"}),
        ("PUT", "/v1/audio/voices", {"GET", "POST"}),
        ("POST", "/health", {"GET"}),
        ("OPTIONS", "/v1/models", {"GET"}),
    ],
)
def test_what_is_not_there_is_told_in_json(ask_sglang, method, path, allowed):
    answer = ask_sglang.request(method, path)
    if allowed is None:
        assert (answer.status_code, answer.json()) == (404, {"detail": "Not Found"})
    else:
        assert (answer.status_code, answer.json()) == (405, {"detail": "Method Not Allowed"})
        assert set(answer.headers["Allow"].split(", ")) - {"HEAD"} == allowed


@pytest.mark.parametrize("absent", [{}, {"voice": None}, {"voice": None, "speaker": None}])
def test_no_voice_is_the_default_one(ask_sglang, absent):
    expected = ask(ask_sglang, input="one two", seed=1, voice="default").content
    assert ask(ask_sglang, input="one two", seed=1, **absent).content == expected
    items = [{"input": "one two", "seed": 1, **absent}]
    shared = ask_sglang.post(f"{SPEECH}/batch", json={"items": items}).json()["results"][0]
    assert base64.b64decode(shared["audio_data"]) == expected


def test_what_is_null_in_an_item_of_a_batch_is_what_all_share(ask_sglang, tmp_path):
    assert upload(ask_sglang, make_clip(tmp_path / "a.wav", seed=3)).status_code == 200
    expected = ask(ask_sglang, input="one", seed=1, voice="ana").content
    body = {"voice": "ana", "seed": 1, "items": [{"input": "one", "voice": None, "seed": None}]}
    made_ = ask_sglang.post(f"{SPEECH}/batch", json=body).json()["results"][0]
    assert base64.b64decode(made_["audio_data"]) == expected
    ask_sglang.delete("/v1/audio/voices/ana")


# -- batches, models, health ----------------------------------------------------------------------------------------


def test_a_batch_keeps_order_and_tells_failures_apart(ask_sglang):
    items = [{"input": "one"}, {"input": " "}, {"input": "two", "seed": 9}, {"input": "broken x"}]
    answer = ask_sglang.post(f"{SPEECH}/batch", json={"items": items, "seed": 1, "response_format": "pcm"}).json()
    assert (answer["total"], answer["succeeded"], answer["failed"]) == (4, 2, 2)
    assert [(each["index"], each["status"]) for each in answer["results"]] == [
        (0, "success"),
        (1, "error"),
        (2, "success"),
        (3, "error"),
    ]
    assert base64.b64decode(answer["results"][2]["audio_data"]) == truncated(made("two", 9)).tobytes()
    assert answer["results"][0]["finish_reason"] == "stop" and answer["results"][0]["media_type"] == "audio/pcm"
    assert answer["results"][1]["error"]["param"] == "items.1.input"
    assert "param" not in answer["results"][3]["error"], "what is null is left out"


@pytest.mark.parametrize(
    ("item", "field"),
    [({"voice": "nobody"}, "voice"), ({"ref_audio": "data:x,"}, "ref_audio"), ({"input": "x" * 100_001}, "input")],
)
def test_what_is_seen_later_in_an_item_is_told_by_its_place_too(ask_sglang, item, field):
    answer = ask_sglang.post(f"{SPEECH}/batch", json={"items": [{"input": "one"}, {"input": "two", **item}]}).json()
    assert answer["results"][1]["error"]["param"] == f"items.1.{field}"


@pytest.mark.parametrize("body", [{}, {"items": []}, {"items": [{"input": "x"}] * 33}, {"items": "x"}])
def test_batches_of_a_wrong_size_are_refused(ask_sglang, body):
    assert ask_sglang.post(f"{SPEECH}/batch", json=body).status_code == 400


def test_models_and_health(ask_sglang):
    assert ask_sglang.get("/health").json()["status"] == "healthy"
    listed = ask_sglang.get("/v1/models").json()
    assert listed["object"] == "list" and listed["data"][0]["object"] == "model"


def test_an_outcome_nobody_knows_is_404(ask_sglang):
    answer = ask_sglang.get(f"{SPEECH}/speech-unknown")
    assert answer.status_code == 404 and "detail" in answer.json()


# -- the socket -----------------------------------------------------------------------------------------------------


def test_the_socket_speaks_sentence_by_sentence(sglang):
    messages = [
        {"type": "session.config", "session": {"seed": 1}},
        {"type": "input.text", "text": "One two. Three"},
        {"type": "input.text", "text": " four"},
        {"type": "input.commit"},
        {"type": "input.done"},
    ]
    got = talk(sglang, messages, "session.done")
    kinds = [each["type"] if isinstance(each, dict) else "sound" for each in got]
    one = ["audio.start", "sound", "audio.done"]
    assert kinds == ["session.configured", *one, *one, "input.committed", "session.done"]
    assert got[0]["response_format"] == "pcm" and got[0]["split_granularity"] == "sentence"
    assert (got[1]["sentence_text"], got[1]["sample_rate"], got[1]["sentence_index"]) == ("One two.", 48000, 0)
    assert got[3]["total_bytes"] == len(got[2]) and got[3]["error"] is False
    assert (got[7]["segment_sentences"], got[7]["total_sentences"]) == (2, 2)


def test_the_socket_tells_what_fails(sglang):
    got = talk(
        sglang,
        [{"type": "session.config"}, {"type": "input.text", "text": "nothing"}, {"type": "input.done"}],
        "session.done",
    )
    assert [each["type"] for each in got] == ["session.configured", "error", "audio.done", "session.done"]
    assert got[1]["error_type"] == "server_error" and got[2]["error"] is True
    wrong = talk(sglang, [{"type": "session.config", "language": "Klingon"}], "error")
    assert wrong[-1]["param"] == "language"


@pytest.mark.parametrize(
    "more",
    [
        {"temperature": float("inf")},
        {"temperature": 1e308},
        {"temperature": 10**400},
        {"repetition_penalty": 1e308},
        {"top_k": -5},
        {"top_k": 10**30},
        {"token_count": 10**400},
        {"input": "${token:" + "9" * 5000 + "}one"},
        {"input": "one \ud800 two"},
        {"ref_audio": "/" + "a" * 5000},
        {"ref_audio": "file://[::1/clip.wav"},
    ],
)
def test_values_that_no_engine_takes_are_faults_of_the_request(ask_sglang, more):
    answer = ask_sglang.post(SPEECH, content=json.dumps({"input": "one", **more}))
    assert (answer.status_code, answer.json()["error"]["type"]) == (400, "BadRequestError")
    assert ask(ask_sglang).status_code == 200


def test_a_body_that_is_too_large_or_damaged_is_told_as_such(ask_sglang):
    large = zlib.compress(b" " * (65 << 20))
    answer = ask_sglang.post(SPEECH, content=large, headers={"Content-Encoding": "deflate"})
    assert (answer.status_code, answer.json()["error"]["type"]) == (413, "RequestTooLargeError")
    answer = ask_sglang.post(SPEECH, content=b"none", headers={"Content-Encoding": "gzip"})
    assert (answer.status_code, answer.json()["error"]["type"]) == (400, "BadRequestError")


def test_a_form_within_the_form_is_refused(ask_sglang):
    body = b"--B\r\nContent-Type: multipart/mixed; boundary=C\r\n\r\n--C\r\n\r\nx\r\n--C--\r\n--B--\r\n"
    headers = {"Content-Type": "multipart/form-data; boundary=B"}
    answer = ask_sglang.post("/v1/audio/voices", content=body, headers=headers)
    assert (answer.status_code, answer.json()["error"]["type"]) == (400, "BadRequestError")


def test_clips_of_refused_and_deleted_voices_are_not_kept(tmp_path):
    shelf = Shelf(tmp_path)
    clip = make_clip(tmp_path.with_name("clip.wav")).read_bytes()
    with pytest.raises(ShelfError, match="audio_sample"):
        shelf.add("bad", b"no sound", "audio/wav", "mine")
    assert list(tmp_path.iterdir()) == []
    voices = [shelf.add(name, clip, "audio/wav", "mine")[0] for name in ("ana", "bo")]
    assert shelf.remove("ana") and voices[1].path.is_file(), "the other has the same clip"
    assert shelf.remove("bo") and list(tmp_path.iterdir()) == [] and not shelf.remove("bo")


def test_half_a_surrogate_pair_is_no_text_of_a_session(sglang):
    messages = [{"type": "session.config"}, {"type": "input.text", "text": "one \ud800"}, {"type": "\udfff"}]
    got = talk(sglang, [*messages, {"type": "input.done"}], "session.done")
    assert [each["type"] for each in got] == ["session.configured", "error", "error", "session.done"]
