"""vLLM-Omni's speech interface, from the client's side (MODEL §6.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.backends.server_dialect import SentReference, SseOutcome, StreamFormat, common_body, event_json, said
from engine.backends.server_spec import VLLM_CARD
from engine.backends.sse import SseEvent
from engine.requests import SpeechRequest


class VllmDialect:
    """See `engine.backends.server_dialect.Dialect`.

    `ref_text` is never sent: it would turn the clone into a continuation, which repeats the clip where the transcript
    is not exact. Streams are asked for as WAV, since its raw samples come without rate and channels.
    """

    kind = "vllm"
    card = VLLM_CARD
    full_scale = 32768.0
    mono_stream = False
    tells_outcome = False
    batch_takes_seeds = False

    def body(self, request: SpeechRequest, reference: SentReference | None, model: str) -> dict[str, Any]:
        return common_body(request, reference, model)

    def stream_body(self, body: dict[str, Any], stream_format: str) -> dict[str, Any]:
        return {**body, "stream": True, "stream_format": stream_format, "response_format": "wav"}

    def raw_format(self, headers: Mapping[str, str]) -> StreamFormat:
        return StreamFormat(header=True)

    def read_event(self, event: SseEvent) -> SseOutcome:
        value = event_json(event)
        match value.get("type"):
            case "speech.audio.delta":
                return SseOutcome(audio=str(value.get("audio") or ""))
            case "speech.audio.done":
                return SseOutcome(done=True)
            case "speech.audio.error" | "error":
                return SseOutcome(failed=said(value.get("error")) or "The server met an error.")
        return SseOutcome()
