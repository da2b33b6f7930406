"""What the routes ask of an interface: checks, headers, events and error bodies in its own words."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from aiohttp import web

from app.services.serve.shelf import ShelvedVoice
from app.services.serve.wish import ApiError, Spoken, Wish


class Flavour(Protocol):
    """One interface.

    Attributes:
        name: sglang or vllm. stream_channels: 1 where streams are mixed down. chunk_frames: of the first and of later
            pieces of a stream. empty_is_error: a generation without sound is told as an error.
        fold_voice_names: voices are found whatever the case. outcome_route: GET /v1/audio/speech/{id} is there.
        paths_allowed: a reference may be a file of this machine. continues: a transcript turns a clone into a
        continuation.
    """

    name: str
    stream_channels: int
    chunk_frames: tuple[int, int]
    empty_is_error: bool
    fold_voice_names: bool
    outcome_route: bool
    paths_allowed: bool
    continues: bool

    def read(self, body: Any, model: str) -> Wish: ...

    def check_content_type(self, content_type: str) -> None: ...

    def to_int16(self, samples: np.ndarray) -> np.ndarray: ...

    def at_speed(self, samples: np.ndarray, speed: float) -> np.ndarray: ...

    def whole_headers(self, speech_id: str, wish: Wish, spoken: Spoken) -> dict[str, str]: ...

    def stream_headers(self, speech_id: str, wish: Wish) -> dict[str, str]: ...

    def delta(self, audio: str, wish: Wish) -> bytes: ...

    def done(self, spoken: Spoken) -> bytes: ...

    def failed(self, error: ApiError, heard: bool) -> bytes: ...

    def error(self, error: ApiError) -> web.Response: ...

    def refuse(self, status: int, message: str) -> web.Response: ...

    def bad_request(self, message: str, param: str | None = None) -> ApiError: ...

    def server_error(self, message: str, status: int = 500) -> ApiError: ...

    def models(self, model: str, started_s: int) -> dict[str, Any]: ...

    def voices(self, shelved: list[ShelvedVoice], names_only: bool) -> dict[str, Any]: ...

    def missing_field(self, name: str) -> web.Response: ...

    def check_voice(self, name: str, mime_type: str | None, file_name: str) -> str: ...

    def uploaded(self, voice: ShelvedVoice, replaced: bool) -> dict[str, Any]: ...

    def no_voice(self, name: str) -> web.Response: ...

    def removed(self, name: str) -> dict[str, Any]: ...

    def batch_wishes(self, body: Any, model: str) -> list[Wish | ApiError]: ...

    def batch_success(self, index: int, audio: str, wish: Wish, spoken: Spoken) -> dict[str, Any]: ...

    def batch_failure(self, index: int, error: ApiError) -> dict[str, Any]: ...

    def batch_id(self) -> str: ...
