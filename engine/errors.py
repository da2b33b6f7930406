"""What can go wrong, each with what to do about it."""

from __future__ import annotations


class SpeechError(Exception):
    """Base of every error that may reach a person.

    Attributes:
        message: one or two sentences, plain words, what happened.
        remedy: what the person can do; empty only when the message says it already.
        exit_status: what the command line exits with (0 done, 2 usage, 3 bad input, 4 no memory or device, 5
            incomplete).
    """

    exit_status = 3

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(f"{message} {remedy}".strip())
        self.message = message
        self.remedy = remedy


class TextError(SpeechError):
    """The text cannot be spoken as it stands (empty, longer than a request may be)."""


class ClipError(SpeechError):
    """A clip cannot serve as a reference (missing, corrupt, silent, too short, too long)."""


class CapabilityError(SpeechError):
    """The model's card says it cannot do what was asked; the message names what can."""


class CheckpointError(SpeechError):
    """A checkpoint is damaged, incomplete or of another architecture; the message names file and tensor."""


class DeviceError(SpeechError):
    """The device is missing or has too little memory; the message names the nearest plan that fits."""

    exit_status = 4


class ServerError(SpeechError):
    """A speech server refused or failed; `message` is what it said."""


class RequestCancelled(SpeechError):
    """The request was cancelled before it was complete."""

    exit_status = 5


class EngineClosedError(SpeechError):
    """The engine was closed while the request was waiting or running."""

    exit_status = 5


class EngineFailedError(SpeechError):
    """The engine met an error of its own; `__cause__` is that error."""

    exit_status = 5


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error of the interpreter, of the processor's or of the graphics card's allocator says: no memory."""
    return (
        isinstance(error, MemoryError)
        or type(error).__name__ == "OutOfMemoryError"
        or (isinstance(error, RuntimeError) and "not enough memory" in str(error))
    )


def as_speech_error(error: BaseException) -> SpeechError:
    """An error that may reach a person, with what it came from as its cause."""
    if isinstance(error, SpeechError):
        return error
    made: SpeechError
    if is_out_of_memory(error):
        made = DeviceError(
            "There was not enough memory.", "Speak shorter pieces, close other programs, or choose a smaller model."
        )
    else:
        made = EngineFailedError(
            f"The engine met an error of its own ({type(error).__name__}: {error}).",
            "Try again; the log has the details.",
        )
    made.__cause__ = error
    return made
