"""SGLang-Omni's speech interface, from the client's side (MODEL §6.1)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from engine.backends.server_dialect import SentReference, SseOutcome, StreamFormat, common_body, event_json, said
from engine.backends.server_spec import SGLANG_CARD
from engine.backends.sse import SseEvent
from engine.errors import ServerError
from engine.requests import SpeechRequest

_TOKEN_PREFIX = re.compile(r"\$\{token:\d+\}")


class SglangDialect:
    """See `engine.backends.server_dialect.Dialect`."""

    kind = "sglang"
    card = SGLANG_CARD
    full_scale = 32767.0  # it multiplies by 32767 and truncates
    mono_stream = True
    tells_outcome = True
    batch_takes_seeds = True

    def body(self, request: SpeechRequest, reference: SentReference | None, model: str) -> dict[str, Any]:
        body = common_body(request, reference, model)
        if _TOKEN_PREFIX.match(request.text):
            body["input"] = " " + body["input"]  # at the very beginning the server would take it for a length
        if request.tokens is not None:
            body["token_count"] = request.tokens
        if request.instruction is not None:
            body["instructions"] = request.instruction
        if request.sampling is not None:
            audio = request.sampling.audio
            body |= {
                "temperature": audio.temperature,
                "top_p": audio.top_p,
                "top_k": audio.top_k,
                "repetition_penalty": audio.repetition_penalty,
            }
        return body

    def stream_body(self, body: dict[str, Any], stream_format: str) -> dict[str, Any]:
        return {**body, "stream": True, "stream_format": stream_format, "response_format": "pcm"}

    def raw_format(self, headers: Mapping[str, str]) -> StreamFormat:
        """Rate and channels as the headers say; without them, what the server is known to send."""
        numbers = []
        for name, usual in (("X-Sample-Rate", 48_000), ("X-Channels", 1), ("X-Bit-Depth", 16)):
            text = headers.get(name, str(usual)).strip()
            if not re.fullmatch(r"[0-9]{1,6}", text):
                raise ServerError(f"The server sends a stream whose {name} is “{text[:40]}”.", "Update the server.")
            numbers.append(int(text))
        if numbers[2] != 16:
            raise ServerError(f"The server sends {numbers[2]} bits a sample; 16 are expected.", "Update the server.")
        return StreamFormat(header=False, rate=numbers[0], channels=numbers[1])

    def read_event(self, event: SseEvent) -> SseOutcome:
        value = event_json(event)
        match value.get("type"):
            case "speech.audio.delta":
                return SseOutcome(audio=str(value.get("audio") or ""))
            case "speech.audio.done":
                return SseOutcome(done=True, finish_reason=value.get("finish_reason"))
            case "error":
                return SseOutcome(failed=said(value.get("error")) or "The server met an error.")
        return SseOutcome()
