"""What the two speech interfaces have in common, seen from the client."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from engine.backends.sse import SseEvent
from engine.card import ModelCard
from engine.requests import SpeechRequest, StopReason


@dataclass(frozen=True)
class SentReference:
    """A clip as it goes to the server.

    Attributes:
        data_uri: the clip itself; empty when `voice` names it.
        voice: the name under which it was uploaded.
    """

    data_uri: str = ""
    voice: str = ""


@dataclass(frozen=True)
class SseOutcome:
    """What one event of a stream says.

    Attributes:
        audio: base64 of bytes that go on from those before; empty for none.
        done: the speech is complete. finish_reason: why, where the server says it.
        failed: what the server said went wrong, or "".
    """

    audio: str = ""
    done: bool = False
    finish_reason: str | None = None
    failed: str = ""


@dataclass(frozen=True)
class StreamFormat:
    """How a raw stream is to be read: `header` is a WAV header before the samples; else rate and channels as given."""

    header: bool
    rate: int = 48_000
    channels: int = 2


class Dialect(Protocol):
    """One server's way to be asked and to answer.

    Attributes:
        kind, card: see ServerSpec. full_scale: the integer that stands for 1.0 in its 16-bit samples.
        mono_stream: a stream has one channel though the speech has two.
        tells_outcome: a raw stream's finish reason can be asked for afterwards.
        batch_takes_seeds: its batches honour sampling and seeds.
    """

    kind: str
    card: ModelCard
    full_scale: float
    mono_stream: bool
    tells_outcome: bool
    batch_takes_seeds: bool

    def body(self, request: SpeechRequest, reference: SentReference | None, model: str) -> dict[str, Any]:
        """The JSON of a request whose whole answer is wanted, as WAV."""

    def stream_body(self, body: dict[str, Any], stream_format: str) -> dict[str, Any]:
        """The same, streamed as raw samples (`audio`) or as events (`sse`)."""

    def raw_format(self, headers: Mapping[str, str]) -> StreamFormat:
        """How the raw stream with these headers is to be read."""

    def read_event(self, event: SseEvent) -> SseOutcome:
        """What an event says; events of other types say nothing."""


def common_body(request: SpeechRequest, reference: SentReference | None, model: str) -> dict[str, Any]:
    """The fields that both servers know by the same names."""
    text = request.text.encode("utf-8", "replace").decode("utf-8")  # half a surrogate pair is no character
    body: dict[str, Any] = {"input": text, "response_format": "wav", "seed": request.seed}
    if model:
        body["model"] = model
    if request.language is not None:
        body["language"] = request.language
    if request.max_frames is not None:
        body["max_new_tokens"] = request.max_frames
    if reference is not None:
        body |= {"voice": reference.voice} if reference.voice else {"ref_audio": reference.data_uri}
    return body


def event_json(event: SseEvent) -> dict[str, Any]:
    """The object in an event; empty for what is none."""
    try:
        value = json.loads(event.data)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def stop_reason(finish_reason: str | None) -> StopReason:
    """What a server's finish reason means; no reason given is a complete end."""
    if finish_reason in (None, "", "stop", "eos"):
        return StopReason.STOP
    return StopReason.LENGTH if finish_reason in ("length", "max_tokens") else StopReason.FAILED


def said(error: Any) -> str:
    """The words of an error object of whatever shape."""
    if isinstance(error, Mapping):
        for name in ("message", "error", "detail"):
            if error.get(name):
                return said(error[name])
        return ""
    if isinstance(error, list):  # field errors of a validator
        return "; ".join(
            text for each in error[:5] if (text := said(each.get("msg") if isinstance(each, Mapping) else each))
        )
    return str(error).strip() if error is not None else ""
