"""What a client asks for, and how it is told that it may not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from engine import SpeechError, SpeechWarning


class ApiError(Exception):
    """Answered as an error of the interface.

    Attributes:
        status, message, type, param, code: as the interface has them. body: sent instead of the envelope, where it
        differs.
    """

    def __init__(
        self,
        status: int,
        message: str,
        type: str,
        param: str | None = None,
        code: int | None = None,
        *,
        body: Any = None,
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.type, self.param, self.code, self.body = (
            status,
            message,
            type,
            param,
            code,
            body,
        )

    def fields(self) -> dict[str, Any]:
        return {"message": self.message, "type": self.type, "param": self.param, "code": self.code}


@dataclass(frozen=True)
class Wish:
    """A checked request for speech.

    Attributes:
        text: what to speak. voice: name of an uploaded voice, or "". ref_audio: where the clip is, or "".
        ref_text: what is said in it; continues where the interface does so.
        response_format: wav, pcm, flac, mp3, aac or opus. speed: 0.25 to 4.
        stream: "" whole, "audio" raw samples, "sse" events.
        language: full name or None. instructions, tokens, max_frames, seed: None where not given.
        sampling: audio settings that were given, by name.
        first_frames: frames before the first piece of a stream; None is the interface's own.
    """

    text: str
    voice: str = ""
    ref_audio: str = ""
    ref_text: str = ""
    response_format: str = "wav"
    speed: float = 1.0
    stream: str = ""
    language: str | None = None
    instructions: str | None = None
    tokens: int | None = None
    max_frames: int | None = None
    seed: int | None = None
    sampling: dict[str, float] = field(default_factory=dict)
    first_frames: int | None = None


@dataclass
class Spoken:
    """What became of a wish: why it ended (stop, length), what is to be said of its text, how much went in and out."""

    finish_reason: str = "stop"
    warnings: tuple[SpeechWarning, ...] = ()
    input_tokens: int | None = None
    output_tokens: int = 0
    engine_s: float = 0.0

    @property
    def usage(self) -> dict[str, int] | None:
        if self.input_tokens is None:
            return None
        return {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "total_tokens": self.input_tokens + self.output_tokens,
        }


def words_of(error: BaseException) -> str:
    """An error in one line for a client."""
    return (
        f"{error.message} {error.remedy}".strip()
        if isinstance(error, SpeechError)
        else f"{type(error).__name__}: {error}"
    )
