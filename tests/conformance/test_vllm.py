"""The service in vLLM-Omni's manner: where it differs from the other one."""

from __future__ import annotations

import base64
import json
import struct

import numpy as np
import pytest
from served import data_uri, make_clip, sound_of, talk

from engine import Clip, SpeechRequest

SPEECH = "/v1/audio/speech"


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    return make_clip(tmp_path_factory.mktemp("clips") / "clip.wav")


@pytest.fixture
def ask(ask_vllm, clip):
    def ask_(**body):
        body = {"input": "one two", "seed": 1, "ref_audio": data_uri(clip), **body}
        return ask_vllm.post(SPEECH, json={name: value for name, value in body.items() if value is not ...})

    return ask_


def floored(clip, text="one two", seed=1) -> np.ndarray:
    request = SpeechRequest(text, seed=seed, references=(Clip(path=clip),))
    samples = np.concatenate([sound_of(request, frame) for frame in range(3 * len(text.split()))])
    return np.floor(samples.astype(np.float64) * 32768).astype("<i2")


def test_a_whole_answer_is_stereo_with_token_headers_and_nothing_else(ask, clip):
    answer = ask()
    assert answer.headers["content-type"] == "audio/wav" and int(answer.headers["content-length"]) == len(
        answer.content
    )
    assert answer.content[44:] == floored(clip).tobytes()
    assert [
        answer.headers[f"x-vllm-omni-{name}-tokens"]
        for name in ("input", "output", "total", "input-text", "input-audio")
    ] == ["7", "6", "13", "7", "0"]
    for absent in ("content-disposition", "x-request-id", "x-finish-reason", "x-engine-time", "x-sample-rate"):
        assert absent not in answer.headers


def test_streaming_alone_means_events(ask, clip):
    answer = ask(stream=True, response_format="pcm")
    blocks = answer.text.split("\n\n")[:-1]
    assert all(block.startswith("event: speech.audio.") and "\ndata: {" in block for block in blocks)
    first = blocks[0].split("\ndata: ")[1]
    assert first.startswith('{"type":"speech.audio.delta","audio":"') and first.endswith('","response_format":"pcm"}')
    content = b"".join(base64.b64decode(json.loads(block.split("\ndata: ")[1])["audio"]) for block in blocks[:-1])
    assert content == floored(clip).tobytes()
    done = json.loads(blocks[-1].split("\ndata: ")[1])
    assert done["usage"]["input_token_details"] == {"text_tokens": 7, "audio_tokens": 0} and "finish_reason" not in done


def test_a_raw_stream_is_wav_with_open_sizes_unless_asked_otherwise(ask, clip):
    answer = ask(stream_format="audio")
    head = answer.content[:44]
    assert answer.headers["content-type"] == "audio/wav" and "x-sample-rate" not in answer.headers
    assert (
        head
        == b"RIFF\xff\xff\xff\xffWAVEfmt "
        + struct.pack("<IHHIIHH", 16, 1, 2, 48000, 192000, 4, 16)
        + b"data\xff\xff\xff\xff"
    )
    assert answer.content[44:] == floored(clip).tobytes()
    assert ask(stream_format="audio", response_format="pcm").content == floored(clip).tobytes()


def test_the_first_chunk_is_one_frame(ask):
    answer = ask(input="word " * 10, stream=True, response_format="pcm")
    sizes = [
        len(base64.b64decode(json.loads(line[6:])["audio"]))
        for line in answer.text.splitlines()
        if "delta" in line and line.startswith("data")
    ]
    assert sizes == [15_360, 230_400, 30 * 15_360 - 15_360 - 230_400]


def test_types_are_lax_and_unknown_fields_fall(ask, vllm):
    assert (
        ask(max_new_tokens="50", speed="1", stream="false", seed=True, temperature="hot", token_count=3).status_code
        == 200
    )
    seen = vllm.backend.seen[-1]
    assert (seen.max_frames, seen.seed, seen.tokens) == (50, 1, None)
    assert seen.sampling.audio.temperature == vllm.backend.card.sampling.audio.temperature


def test_a_language_goes_as_it_is(ask, vllm):
    ask(language="Klingon")
    assert vllm.backend.seen[-1].language == "Klingon"


def test_a_transcript_turns_the_clone_into_a_continuation(ask, vllm):
    ask(ref_text="so it goes")
    seen = vllm.backend.seen[-1]
    assert (
        seen.continue_from is not None and seen.continue_from.transcript.strip() == "so it goes" and not seen.references
    )
    ask(ref_text="  ")
    assert vllm.backend.seen[-1].continue_from is None and vllm.backend.seen[-1].references


WRONG = [
    ({"ref_audio": ...}, 400, "BadRequestError", None), ({"ref_audio": "/bare/path.wav"}, 400, "BadRequestError", None),
    ({"ref_audio": ["data:,"]}, 400, "BadRequestError", None), ({"ref_audio": ..., "voice": "nobody"}, 400, "BadRequestError", None),
    ({"input": " "}, 400, "BadRequestError", None), ({"input": ...}, 400, "Bad Request", "body.input"), ({"input": 3}, 400, "Bad Request", "body.input"),
    ({"response_format": "WAV"}, 400, "Bad Request", "body.response_format"), ({"response_format": "aac"}, 400, "Bad Request", "body.response_format"),
    ({"stream": True, "response_format": "mp3"}, 400, "Bad Request", None), ({"speed": 9}, 400, "Bad Request", "body.speed"),
    ({"speed": 2, "stream": True}, 400, "BadRequestError", None), ({"sample_rate": 24000}, 400, "BadRequestError", None),
    ({"max_new_tokens": 0}, 400, "Bad Request", "body.max_new_tokens"), ({"model": "other"}, 404, "NotFoundError", "model"),
    ({"ref_audio": "file:///etc/hosts"}, 500, "InternalServerError", None), ({"word_timestamps": True}, 400, "BadRequestError", None),
]  # fmt: skip


@pytest.mark.parametrize(("body", "status", "kind", "param"), WRONG)
def test_refusals_have_the_envelope(ask, body, status, kind, param):
    answer = ask(**body)
    error = answer.json()["error"]
    assert (answer.status_code, error["type"], error["code"]) == (status, kind, status)
    if kind == "Bad Request":
        assert error["param"] == param and error["message"].startswith("1 validation error:")


def test_the_body_must_be_called_json(ask_vllm):
    answer = ask_vllm.post(SPEECH, content=b'{"input": "x"}', headers={"Content-Type": "text/plain"})
    assert (answer.status_code, answer.json()["error"]["type"]) == (400, "Bad Request")


def test_no_sound_is_a_success_without_sound(ask):
    assert ask(input="nothing", response_format="pcm").content == b""
    assert ask(input="nothing", stream_format="audio").content == b""
    events = ask(input="nothing", stream=True).text
    assert "delta" not in events and "speech.audio.done" in events


def test_a_failure_in_the_middle_says_to_discard(ask):
    last = ask(input="word " * 12 + "broken", stream=True, response_format="pcm").text.split("\n\n")[-2]
    assert last.startswith("event: speech.audio.error\n")
    error = json.loads(last.split("data: ")[1])["error"]
    assert (error["type"], error["code"], error["partial_audio"], error["action"]) == (
        "server_error",
        500,
        True,
        "discard",
    )


def test_speed_keeps_the_pitch_and_the_length_is_exact(ask):
    whole, fast = (ask(input="a b c d", response_format="pcm", speed=speed).content for speed in (1.0, 1.5))
    assert len(fast) // 4 == int(len(whole) // 4 / 1.5)


def test_voices_are_found_in_any_case_and_overwritten_silently(ask_vllm, vllm, clip):
    def upload(name, mime="audio/wav"):
        return ask_vllm.post(
            "/v1/audio/voices",
            data={"name": name, "consent": "mine"},
            files={"audio_sample": ("a.wav", clip.read_bytes(), mime)},
        )

    assert upload(" Ana Ünal ").json()["success"] is True
    assert set(upload("ana ünal").json()) == {"success", "voice"}
    listed = ask_vllm.get("/v1/audio/voices").json()
    assert listed["voices"] == ["ana ünal", "default"] and "cache_stats" not in listed
    assert listed["uploaded_voices"][0]["embedding_source"] == "audio"
    assert ask_vllm.post(SPEECH, json={"input": "x", "voice": {"id": "ANA ÜNAL"}}).status_code == 200
    assert vllm.backend.clips[-1] == clip.read_bytes()
    assert ask_vllm.delete("/v1/audio/voices/Ana%20%C3%9Cnal").status_code == 200
    gone = ask_vllm.delete("/v1/audio/voices/ana")
    assert (gone.status_code, gone.json()["error"]["type"]) == (404, "NotFoundError")
    assert upload("x", "audio/mp3").status_code == 400 and upload("..").status_code == 400


def test_a_batch_tells_errors_as_plain_words_and_has_no_seed(ask_vllm, clip):
    body = {
        "items": [{"input": "one", "seed": 4}, {"input": " "}],
        "ref_audio": data_uri(clip),
        "response_format": "pcm",
    }
    answer = ask_vllm.post(f"{SPEECH}/batch", json=body).json()
    good, bad = answer["results"]
    assert good["status"] == "success" and "finish_reason" not in good and good["usage"]["output_tokens"] == 3
    assert isinstance(bad["error"], str)
    many = ask_vllm.post(f"{SPEECH}/batch", json={"items": [{"input": "x"}] * 33})
    assert many.json()["error"]["message"] == "Batch contains 33 items, exceeding the maximum of 32."


def test_there_is_no_outcome_to_ask_for(ask_vllm):
    assert ask_vllm.get(f"{SPEECH}/speech-x").status_code in (404, 405)


def test_the_socket_has_no_greeting_and_stays_open(vllm, clip):
    config = {
        "type": "session.config",
        "ref_audio": data_uri(clip),
        "stream_audio": True,
        "response_format": "pcm",
        "seed": 1,
    }
    messages = [
        config,
        {"type": "input.text", "text": "one"},
        {"type": "input.text", "text": " two"},
        {"type": "input.done"},
    ]
    got = talk(vllm, messages, "session.done")
    assert [each["type"] for each in got if isinstance(each, dict)] == ["audio.start", "audio.done", "session.done"]
    assert got[0]["sentence_text"] == "one two" and got[0]["sample_rate"] == 24000, "it says so, and it is wrong"
    assert b"".join(each for each in got if isinstance(each, bytes)) == floored(clip).tobytes()
    assert got[-1] == {"type": "session.done", "utterance_index": 0, "total_sentences": 1}


def test_a_unit_that_fails_begins_says_why_and_ends(vllm):
    messages = [{"type": "session.config"}, {"type": "input.text", "text": "one"}, {"type": "input.done"}]
    got = talk(vllm, messages, "session.done")
    assert [each["type"] for each in got] == ["audio.start", "error", "audio.done", "session.done"]
    assert got[2]["error"] is True


@pytest.mark.parametrize("more", [{"references": [{"audio_path": "data:,", "text": 5}]}, {"speed": 10**400}])
def test_values_of_no_use_are_faults_of_the_request(ask_vllm, more):
    answer = ask_vllm.post("/v1/audio/speech", json={"input": "one", **more})
    assert (answer.status_code, answer.json()["error"]["type"]) == (400, "Bad Request")


def test_what_is_not_there_has_the_envelope_too(ask_vllm):
    for method, path, status, words in (
        ("GET", "/v1/nothing", 404, "Not Found"),
        ("GET", "/v1/audio/speech", 405, "Method Not Allowed"),
    ):
        answer = ask_vllm.request(method, path)
        assert answer.status_code == status and ("Allow" in answer.headers) == (status == 405)
        assert answer.json() == {"error": {"message": words, "type": words, "param": None, "code": status}}


def test_an_upload_that_is_no_form_is_a_wrong_request(ask_vllm):
    answer = ask_vllm.post("/v1/audio/voices", json={"name": "x"})
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "body.consent")
