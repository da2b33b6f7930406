"""vLLM-Omni's interface (MODEL §6.2): lax types, a clip always, stereo streams without headers, named events."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

import numpy as np
from aiohttp import web

from app.services.serve.shelf import ShelvedVoice
from app.services.serve.sound import MEDIA_TYPES, stretched_to_speed, to_int16_flooring
from app.services.serve.wish import ApiError, Spoken, Wish

MOST_ITEMS = 32
_FORMATS = ("wav", "pcm", "flac", "mp3", "opus")
_VOICE_TYPES = frozenset(
    ["audio/mpeg", "audio/wav", "audio/x-wav", "audio/ogg", "audio/aac", "audio/flac", "audio/webm", "audio/mp4"]
)
_SUFFIX_TYPES = {
    "mp3": "audio/mpeg",
    "ogg": "audio/ogg",
    "aac": "audio/aac",
    "flac": "audio/flac",
    "webm": "audio/webm",
    "mp4": "audio/mp4",
}
NEEDS_REFERENCE = "MOSS-TTS-Local-Transformer requires 'ref_audio' (reference audio for voice cloning)."
_TRUE, _FALSE = ("true", "t", "yes", "y", "on", "1"), ("false", "f", "no", "n", "off", "0")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("Input should be a valid string")
    return value


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float) and value in (0, 1):
        return bool(value)
    if isinstance(value, str) and value.lower() in (*_TRUE, *_FALSE):
        return value.lower() in _TRUE
    raise ValueError("Input should be a valid boolean, unable to interpret input")


def _number(value: Any) -> float:
    if isinstance(value, bool | int | float | str):
        try:
            return float(value)
        except (ValueError, OverflowError):
            pass
    raise ValueError("Input should be a valid number")


def _whole(value: Any) -> int:
    if isinstance(value, bool | int):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        try:
            return int(value)
        except ValueError:
            pass
    raise ValueError("Input should be a valid integer")


def _one_of(*names: str) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if value not in names or not isinstance(value, str):
            raise ValueError(f"Input should be {' or '.join(map(repr, names))}")
        return value

    return check


def _between(read: Callable[[Any], Any], low: float, high: float) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        number = read(value)
        if not low <= number <= high:
            raise ValueError(f"Input should be between {low} and {high}")
        return number

    return check


def _voice(value: Any) -> str:
    return _text(value.get("id")) if isinstance(value, Mapping) else _text(value)


_FIELDS: dict[str, Callable[[Any], Any]] = {
    "model": _text,
    "input": _text,
    "voice": _voice,
    "speaker": _voice,
    "ref_text": _text,
    "language": _text,
    "response_format": _one_of(*_FORMATS),
    "stream": _flag,
    "stream_format": _one_of("sse", "audio"),
    "speed": _between(_number, 0.25, 4.0),
    "max_new_tokens": _between(_whole, 1, 2**63 - 1),
    "seed": _between(_whole, -(2**63), 2**63 - 1),
    "sample_rate": _between(_whole, 1, 2**63 - 1),
    "word_timestamps": _flag,
    "instructions": _text,
    "initial_codec_chunk_frames": _between(_whole, 0, 2**63 - 1),
    "task_type": _one_of("Base", "CustomVoice", "VoiceDesign"),
    "x_vector_only_mode": _flag,
    "non_streaming_mode": _flag,
}
_BATCH_DROPS = frozenset({"seed", "extra_params", "references", "stream", "stream_format"})


class Vllm:
    """See `app.services.serve.flavour.Flavour`."""

    name = "vllm"
    stream_channels = 2
    chunk_frames = (1, 15)
    empty_is_error = False
    fold_voice_names = True
    outcome_route = False
    continues = True
    paths_allowed = False

    # -- requests -----------------------------------------------------------------------------------------------

    def check_content_type(self, content_type: str) -> None:
        if content_type.partition(";")[0].strip().lower() != "application/json":
            raise self._schema("Unsupported Media Type: Only 'application/json' is allowed", None)

    def read(self, body: Any, model: str) -> Wish:
        if not isinstance(body, Mapping):
            raise self._schema("Input should be a valid dictionary or object to extract fields from", None)
        given = self._checked({name: value for name, value in body.items() if value is not None})
        if given.get("model", model) != model:
            name = given["model"]
            raise ApiError(404, f"The model `{name}` does not exist.", "NotFoundError", "model", 404)
        if not given["input"].strip():
            raise self.bad_request("Input text cannot be empty")
        stream = given.get("stream_format") or ("sse" if given.get("stream") else "")
        form = given.get("response_format", "wav")
        if stream and form not in ("pcm", "wav"):
            raise self._schema("Value error, streaming requires response_format='pcm' or 'wav'", None)
        if "sample_rate" in given:
            raise self.bad_request("sample_rate is not supported by the current TTS model")
        if given.get("word_timestamps"):
            raise self.bad_request("word_timestamps needs a server that was started with --forced-aligner")
        speed = given.get("speed", 1.0)
        if stream and speed != 1.0:
            kind = "SSE streaming" if stream == "sse" else "Streaming"
            raise self.bad_request(
                f"{kind} is not supported with speed adjustment. "
                "Use a non-streaming request or remove the speed parameter."
            )
        reference, ref_text = self._reference(body, given)
        seed = given.get("seed")
        return Wish(
            text=given["input"],
            voice=given.get("voice") or given.get("speaker") or "",
            ref_audio=reference,
            ref_text=ref_text.strip(),
            response_format=form,
            speed=speed,
            stream=stream,
            language=given.get("language") or None,
            max_frames=given.get("max_new_tokens"),
            seed=None if seed is None else seed % 2**63,
        )

    def _checked(self, given: dict[str, Any]) -> dict[str, Any]:
        if "input" not in given:
            raise self._schema("Field required", "input")
        found = {}
        for name, read in _FIELDS.items():
            if name in given:
                try:
                    found[name] = read(given[name])
                except ValueError as error:
                    raise self._schema(str(error), name) from None
        return found

    def _reference(self, body: Mapping[str, Any], given: Mapping[str, Any]) -> tuple[str, str]:
        reference, ref_text = body.get("ref_audio"), given.get("ref_text", "")
        if body.get("references") is not None:
            listed = body["references"]
            if not isinstance(listed, list) or len(listed) != 1 or not isinstance(listed[0], Mapping):
                raise self.bad_request("references must hold exactly one object")
            if reference or ref_text:
                raise self.bad_request("references cannot be combined with ref_audio or ref_text")
            reference, ref_text = listed[0].get("audio_path"), listed[0].get("text") or ""
            if not reference:
                raise self.bad_request("a reference needs audio_path")
            if not isinstance(ref_text, str):
                raise self._schema("Input should be a valid string", "references")
        if isinstance(reference, list):
            raise self.bad_request("ref_audio must be a string for this model")
        if reference is not None and not isinstance(reference, str):
            raise self._schema("Input should be a valid string", "ref_audio")
        reference = reference or ""
        if reference and not reference.lower().startswith(("http://", "https://", "data:", "file:")):
            raise self.bad_request(
                "ref_audio must be a URL (http/https), base64 data URL (data:...), or file URI (file://...)"
            )
        return reference, ref_text

    # -- answers ------------------------------------------------------------------------------------------------

    def to_int16(self, samples: np.ndarray) -> np.ndarray:
        return to_int16_flooring(samples)

    def at_speed(self, samples: np.ndarray, speed: float) -> np.ndarray:
        return stretched_to_speed(samples, speed)

    def whole_headers(self, speech_id: str, wish: Wish, spoken: Spoken) -> dict[str, str]:
        usage = spoken.usage or {
            "input_tokens": 0,
            "output_tokens": spoken.output_tokens,
            "total_tokens": spoken.output_tokens,
        }
        return {
            "X-VLLM-OMNI-INPUT-TOKENS": str(usage["input_tokens"]),
            "X-VLLM-OMNI-OUTPUT-TOKENS": str(usage["output_tokens"]),
            "X-VLLM-OMNI-TOTAL-TOKENS": str(usage["total_tokens"]),
            "X-VLLM-OMNI-INPUT-TEXT-TOKENS": str(usage["input_tokens"]),
            "X-VLLM-OMNI-INPUT-AUDIO-TOKENS": "0",
        }

    def stream_headers(self, speech_id: str, wish: Wish) -> dict[str, str]:
        return {}

    def delta(self, audio: str, wish: Wish) -> bytes:
        return _event({"type": "speech.audio.delta", "audio": audio, "response_format": wish.response_format})

    def done(self, spoken: Spoken) -> bytes:
        return _event({"type": "speech.audio.done", "usage": _usage(spoken)})

    def failed(self, error: ApiError, heard: bool) -> bytes:
        told: dict[str, Any] = error.fields() | {"type": "server_error"}
        return _event(
            {
                "type": "speech.audio.error",
                "error": told | ({"partial_audio": True, "action": "discard"} if heard else {}),
            }
        )

    def error(self, error: ApiError) -> web.Response:
        return web.json_response(error.body or {"error": error.fields()}, status=error.status)

    def refuse(self, status: int, message: str) -> web.Response:
        return web.json_response({"error": message}, status=status)

    def no_route(self, status: int, headers: dict[str, str]) -> web.Response:
        phrase = HTTPStatus(status).phrase
        answer = self.error(ApiError(status, phrase, phrase, None, status))
        answer.headers.update(headers)
        return answer

    def bad_request(self, message: str, param: str | None = None) -> ApiError:
        return ApiError(400, message, "BadRequestError", None, 400)

    def server_error(self, message: str, status: int = 500) -> ApiError:
        return ApiError(status, f"Speech generation failed: {message}", "InternalServerError", None, status)

    def _schema(self, message: str, field: str | None) -> ApiError:
        param = f"body.{field}" if field else None
        return ApiError(400, f"1 validation error:\n  {param or 'body'}: {message}", "Bad Request", param, 400)

    # -- models, voices -----------------------------------------------------------------------------------------

    def models(self, model: str, started_s: int) -> dict[str, Any]:
        entry = {
            "id": model,
            "object": "model",
            "created": started_s,
            "owned_by": "vllm",
            "root": model,
            "parent": None,
            "max_model_len": 4096,
            "permission": [],
        }
        return {"object": "list", "data": [entry]}

    def voices(self, shelved: list[ShelvedVoice], names_only: bool) -> dict[str, Any]:
        described = [voice.described() | {"embedding_source": "audio", "embedding_dim": None} for voice in shelved]
        return {"voices": sorted({*(voice.name for voice in shelved), "default"}), "uploaded_voices": described}

    def missing_fields(self, names: list[str]) -> web.Response:
        # A voice may come without a clip there, as numbers; so the clip is missed last.
        return self.error(self._schema("Field required", min(names, key=lambda name: name == "audio_sample")))

    def check_voice(self, name: str, mime_type: str | None, file_name: str) -> str:
        if not name.strip() or name.strip() in (".", "..") or any(mark in name for mark in "/\\\0"):
            raise self.bad_request("Invalid voice name")
        kind = (mime_type or "").partition(";")[0].strip().lower()
        if kind == "application/octet-stream":
            kind = _SUFFIX_TYPES.get(file_name.rpartition(".")[2].lower(), "audio/wav")
        if kind not in _VOICE_TYPES:
            raise self.bad_request(f"Unsupported MIME type: {mime_type}. Allowed: {', '.join(sorted(_VOICE_TYPES))}")
        return kind

    def uploaded(self, voice: ShelvedVoice, replaced: bool) -> dict[str, Any]:
        return {"success": True, "voice": voice.described()}

    def no_voice(self, name: str) -> web.Response:
        return self.error(ApiError(404, f"Voice '{name}' not found", "NotFoundError", None, 404))

    def removed(self, name: str) -> dict[str, Any]:
        return {"success": True, "message": f"Voice '{name}' deleted successfully"}

    # -- batches ------------------------------------------------------------------------------------------------

    def batch_wishes(self, body: Any, model: str) -> list[Wish | ApiError]:
        if not isinstance(body, Mapping) or not isinstance(body.get("items"), list) or not body["items"]:
            raise self._schema("List should have at least 1 item", "items")
        items = body["items"]
        if len(items) > MOST_ITEMS:
            message = f"Batch contains {len(items)} items, exceeding the maximum of {MOST_ITEMS}."
            raise ApiError(400, message, "Bad Request", None, 400)
        shared = {name: value for name, value in body.items() if name != "items" and name not in _BATCH_DROPS}
        found: list[Wish | ApiError] = []
        for item in items:
            if not isinstance(item, Mapping):
                raise self._schema("Input should be a valid dictionary", "items")
            own = {name: value for name, value in item.items() if name not in _BATCH_DROPS and value is not None}
            try:
                found.append(self.read({**shared, **own}, model))
            except ApiError as error:
                if error.type != "BadRequestError":
                    raise
                found.append(error)
        return found

    def batch_success(self, index: int, audio: str, wish: Wish, spoken: Spoken) -> dict[str, Any]:
        return {
            "index": index,
            "status": "success",
            "audio_data": audio,
            "media_type": MEDIA_TYPES[wish.response_format],
            "usage": _usage(spoken),
        }

    def batch_failure(self, index: int, error: ApiError) -> dict[str, Any]:
        return {"index": index, "status": "error", "error": error.message}

    def batch_id(self) -> str:
        return f"speech-batch-{uuid.uuid4().hex}"


def _usage(spoken: Spoken) -> dict[str, Any]:
    text = spoken.input_tokens or 0
    return {
        "input_tokens": text,
        "output_tokens": spoken.output_tokens,
        "total_tokens": text + spoken.output_tokens,
        "input_token_details": {"text_tokens": text, "audio_tokens": 0},
    }


def _event(value: dict[str, Any]) -> bytes:
    return f"event: {value['type']}\ndata: {json.dumps(value, separators=(',', ':'))}\n\n".encode()
