"""SGLang-Omni's interface (MODEL §6.1): strict types, mono streams, bare events."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import numpy as np
from aiohttp import web

from app.services.serve.shelf import ShelvedVoice
from app.services.serve.sound import MEDIA_TYPES, resampled_to_speed, to_int16_truncating
from app.services.serve.wish import ApiError, Spoken, Wish
from engine import LANGUAGES

MOST_ITEMS = 32
LARGEST_COUNT, LARGEST_FACTOR = 2**31 - 1, 1e6  # what an engine can reckon with; nobody means more
_TOKEN_PREFIX = re.compile(r"^\$\{token:(\d+)\}")
_NAME = re.compile(r"(?=.*[A-Za-z0-9])[A-Za-z0-9_.-]+\Z")
_VOICE_TYPES = frozenset(
    [
        "audio/aac",
        "audio/flac",
        "audio/mp4",
        "audio/m4a",
        "audio/x-m4a",
        "audio/mpeg",
        "audio/mp3",
        "audio/ogg",
        "audio/wav",
        "audio/x-wav",
        "audio/webm",
        "video/mp4",
        "video/webm",
    ]
)
_SUFFIX_TYPES = {"aac": "audio/aac", "flac": "audio/flac", "m4a": "audio/mp4", "mp4": "audio/mp4", "mp3": "audio/mpeg",
                 "ogg": "audio/ogg", "wav": "audio/wav", "webm": "audio/webm"}  # fmt: skip
_LANGUAGES = {language.name.casefold(): language.name for language in LANGUAGES}


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# Field: its kind for people, whether a value is of it, and whether a value of it will do.
_FIELDS: dict[str, tuple[str, Any, Any]] = {
    "model": ("a string", _is_text, None),
    "input": ("a string", _is_text, None),
    "voice": ("a string", _is_text, None),
    "speaker": ("a string", _is_text, None),
    "response_format": ("a string", _is_text, None),
    "speed": ("a number", _is_number, lambda value: 0.25 <= value <= 4.0),
    "stream": ("a boolean", _is_flag, None),
    "stream_format": ("a string", _is_text, lambda value: value in ("audio", "sse")),
    "task_type": ("a string", _is_text, lambda value: value in ("Base", "CustomVoice", "VoiceDesign")),
    "language": ("a string", _is_text, None),
    "instructions": ("a string", _is_text, None),
    "ref_audio": ("a string", _is_text, None),
    "ref_text": ("a string", _is_text, None),
    "references": ("a list", lambda value: isinstance(value, list), None),
    "token_count": ("an integer", _is_whole, lambda value: 0 < value <= LARGEST_COUNT),
    "duration_tokens": ("an integer", _is_whole, lambda value: 0 < value <= LARGEST_COUNT),
    "initial_codec_chunk_frames": ("an integer", _is_whole, lambda value: value >= 0),
    "max_new_tokens": ("an integer", _is_whole, lambda value: value > 0),
    "temperature": ("a number", _is_number, lambda value: 0 <= value <= LARGEST_FACTOR),
    "top_p": ("a number", _is_number, lambda value: 0 < value <= 1),
    "top_k": ("an integer", _is_whole, lambda value: 0 <= value <= LARGEST_COUNT),
    "repetition_penalty": ("a number", _is_number, lambda value: 0 < value <= LARGEST_FACTOR),
    "seed": ("an integer", _is_whole, lambda value: 0 <= value < 2**63),
    "stage_params": ("an object", lambda value: isinstance(value, dict), None),
    "x_vector_only_mode": ("a boolean", _is_flag, None),
    "stream_codec_output": ("a boolean", _is_flag, None),
    "suppress_bootstrap_silence": ("a boolean", _is_flag, None),
}


class Sglang:
    """See `app.services.serve.flavour.Flavour`."""

    name = "sglang"
    stream_channels = 1
    chunk_frames = (5, 25)
    empty_is_error = True
    fold_voice_names = False
    outcome_route = True
    continues = False
    paths_allowed = True

    # -- requests -----------------------------------------------------------------------------------------------

    def check_content_type(self, content_type: str) -> None:
        """Any will do; the body decides."""

    def read(self, body: Any, model: str) -> Wish:
        if not isinstance(body, Mapping):
            raise self.bad_request("The request body must be a JSON object.")
        given = {name: value for name, value in body.items() if value is not None}
        for name, (kind, fits, allowed) in _FIELDS.items():
            if name not in given:
                continue
            if not fits(given[name]):
                raise self.bad_request(f"{name} must be {kind}", name)
            if allowed is not None and not allowed(given[name]):
                raise self.bad_request(f"{name} is out of range: {given[name]!r}"[:200], name)
        text = given.get("input", "")
        if not text.strip():
            raise self.bad_request("input must not be empty", "input")
        tokens = given.get("token_count", given.get("duration_tokens"))
        prefix = _TOKEN_PREFIX.match(text)
        if prefix:
            text = text[prefix.end() :].lstrip()
            if len(prefix[1]) > 9:
                raise self.bad_request("${token:N} is out of range", "input")
            tokens = int(prefix[1]) or tokens
            if not text:
                raise self.bad_request("input must not be empty", "input")
        form = given.get("response_format", "wav").strip().lower()
        if form not in MEDIA_TYPES:
            raise self.bad_request(f"response_format must be one of {', '.join(MEDIA_TYPES)}", "response_format")
        stream = ""
        if given.get("stream") or given.get("stream_format") == "sse":
            stream = given.get("stream_format", "audio")
            if form != "pcm":
                raise self.bad_request("stream=true requires response_format='pcm'", "response_format")
        reference, ref_text = self._reference(given)
        voice = given.get("voice", given.get("speaker", "default")).strip()
        return Wish(
            text=text,
            voice="" if voice == "default" or reference else voice,
            ref_audio=reference,
            ref_text="",  # it is taken, and never used for this model
            response_format=form,
            speed=float(given.get("speed", 1.0)),
            stream=stream,
            language=self._language(given.get("language")),
            instructions=given.get("instructions") or None,
            tokens=tokens,
            max_frames=given.get("max_new_tokens", 4096),
            seed=given.get("seed"),
            sampling={
                name: given[name] for name in ("temperature", "top_p", "top_k", "repetition_penalty") if name in given
            },
            first_frames=given.get("initial_codec_chunk_frames"),
        )

    def _language(self, given: str | None) -> str | None:
        if given is None or given.strip().casefold() in ("", "auto"):
            return None
        if given.strip().casefold() not in _LANGUAGES:
            raise self.bad_request(f"language must be one of Auto, {', '.join(_LANGUAGES.values())}", "language")
        return _LANGUAGES[given.strip().casefold()]

    def _reference(self, given: Mapping[str, Any]) -> tuple[str, str]:
        for at, item in enumerate(given.get("references", [])[:1]):
            if not isinstance(item, Mapping):
                raise self.bad_request("references must be a list of objects", f"references.{at}")
            text = item.get("text") or ""
            for name in ("audio_path", "ref_audio", "audio"):
                if isinstance(item.get(name), str) and item[name]:
                    return item[name], text
            if isinstance(item.get("data"), str):
                return f"data:{item.get('media_type') or 'audio/wav'};base64,{item['data']}", text
            raise self.bad_request("a reference needs audio", f"references.{at}")
        return given.get("ref_audio", "").strip(), given.get("ref_text", "")

    # -- answers ------------------------------------------------------------------------------------------------

    def to_int16(self, samples: np.ndarray) -> np.ndarray:
        return to_int16_truncating(samples)

    def at_speed(self, samples: np.ndarray, speed: float) -> np.ndarray:
        return resampled_to_speed(samples, speed)

    def whole_headers(self, speech_id: str, wish: Wish, spoken: Spoken) -> dict[str, str]:
        headers = {
            "Content-Disposition": f'attachment; filename="speech.{wish.response_format}"',
            "X-Request-Id": speech_id,
            "X-Finish-Reason": spoken.finish_reason,
            "X-Engine-Time": f"{spoken.engine_s:.6f}",
        }
        usage = spoken.usage
        if usage is not None:
            headers |= {
                "X-Prompt-Tokens": str(usage["input_tokens"]),
                "X-Completion-Tokens": str(usage["output_tokens"]),
                "X-SGLang-Omni-Input-Tokens": str(usage["input_tokens"]),
                "X-SGLang-Omni-Output-Tokens": str(usage["output_tokens"]),
                "X-SGLang-Omni-Total-Tokens": str(usage["total_tokens"]),
            }
        return headers

    def stream_headers(self, speech_id: str, wish: Wish) -> dict[str, str]:
        headers = {"X-Request-Id": speech_id, "X-Sample-Rate": "48000", "X-Channels": "1", "X-Bit-Depth": "16"}
        return headers if wish.stream == "sse" else headers | {"X-SGLang-Omni-Speech-Id": speech_id}

    def delta(self, audio: str, wish: Wish) -> bytes:
        return _event({"type": "speech.audio.delta", "audio": audio})

    def done(self, spoken: Spoken) -> bytes:
        return _event({"type": "speech.audio.done", "usage": spoken.usage, "finish_reason": spoken.finish_reason})

    def failed(self, error: ApiError, heard: bool) -> bytes:
        return _event({"type": "error", "error": error.fields()})

    def error(self, error: ApiError) -> web.Response:
        return web.json_response(error.body or {"error": error.fields()}, status=error.status)

    def refuse(self, status: int, message: str) -> web.Response:
        kind = "AuthenticationError" if status == 401 else "PermissionDeniedError"
        return self.error(ApiError(status, message, kind, None, status))

    def no_route(self, status: int, headers: dict[str, str]) -> web.Response:
        return web.json_response({"detail": HTTPStatus(status).phrase}, status=status, headers=headers)

    def bad_request(self, message: str, param: str | None = None) -> ApiError:
        return ApiError(400, message, "BadRequestError", param, 400)

    def server_error(self, message: str, status: int = 500) -> ApiError:
        return ApiError(status, message, "server_error")

    # -- models, voices -----------------------------------------------------------------------------------------

    def models(self, model: str, started_s: int) -> dict[str, Any]:
        return {
            "object": "list",
            "data": [{"id": model, "object": "model", "created": started_s, "owned_by": "sglang-omni", "root": model}],
        }

    def voices(self, shelved: list[ShelvedVoice], names_only: bool) -> dict[str, Any]:
        if names_only:
            return {"uploaded_voice_names": [voice.name for voice in shelved]}
        return {
            "voices": ["default", *(voice.name for voice in shelved)],
            "uploaded_voices": [voice.described() for voice in shelved],
            "cache_stats": {"entries": len(shelved), "max_entries": 1000},
        }

    def missing_fields(self, names: list[str]) -> web.Response:
        detail = [{"type": "missing", "loc": ["body", name], "msg": "Field required", "input": None} for name in names]
        return web.json_response({"detail": detail}, status=422)

    def check_voice(self, name: str, mime_type: str | None, file_name: str) -> str:
        if not _NAME.match(name):
            raise self.bad_request("name must match ^[A-Za-z0-9_.-]+$ and hold a letter or digit", "name")
        if name == "default":
            raise self.bad_request("the name 'default' is reserved", "name")
        kind = (mime_type or "").partition(";")[0].strip().lower()
        if kind in ("", "application/octet-stream"):
            kind = _SUFFIX_TYPES.get(file_name.rpartition(".")[2].lower(), "")
        if kind not in _VOICE_TYPES:
            raise self.bad_request(f"audio_sample has an unsupported type: {mime_type!r}", "audio_sample")
        return kind

    def uploaded(self, voice: ShelvedVoice, replaced: bool) -> dict[str, Any]:
        return voice.described() | ({"warning": f"Voice '{voice.name}' overwritten"} if replaced else {})

    def no_voice(self, name: str) -> web.Response:
        return web.json_response({"success": False, "error": f"Voice '{name}' not found"}, status=404)

    def removed(self, name: str) -> dict[str, Any]:
        return {"success": True, "message": f"Voice '{name}' deleted successfully"}

    # -- batches ------------------------------------------------------------------------------------------------

    def batch_wishes(self, body: Any, model: str) -> list[Wish | ApiError]:
        if not isinstance(body, Mapping) or not isinstance(body.get("items"), list):
            raise self.bad_request("items must be a list", "items")
        items = body["items"]
        if not 1 <= len(items) <= MOST_ITEMS:
            raise self.bad_request(f"items must hold 1 to {MOST_ITEMS} entries", "items")
        shared = {name: value for name, value in body.items() if name != "items"}
        found: list[Wish | ApiError] = []
        for item in items:
            try:
                if not isinstance(item, Mapping):
                    raise self.bad_request("an item must be an object")
                own = {name: value for name, value in item.items() if value is not None}
                wish = self.read(shared | own, model)
                if wish.stream:
                    raise self.bad_request("stream is not allowed in a batch", "stream")
                found.append(wish)
            except ApiError as error:
                found.append(error)
        return found

    def batch_success(self, index: int, audio: str, wish: Wish, spoken: Spoken) -> dict[str, Any]:
        return {
            "index": index,
            "status": "success",
            "audio_data": audio,
            "format": wish.response_format,
            "media_type": MEDIA_TYPES[wish.response_format],
            "finish_reason": spoken.finish_reason,
        }

    def batch_failure(self, index: int, error: ApiError) -> dict[str, Any]:
        fields = {name: value for name, value in error.fields().items() if value is not None}
        if error.param:
            fields["param"] = f"items.{index}.{error.param}"
        return {"index": index, "status": "error", "error": fields}

    def batch_id(self) -> str:
        return f"speech-batch-{uuid.uuid4()}"


def _event(value: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()
