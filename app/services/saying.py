"""The whole way of `say`: text and options in, an audio file and figures out."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from app.paths import Paths
from app.services.audio_writer import AudioWriter, check_target
from app.services.library import open_library
from app.services.model_choice import open_engine
from app.services.speech import Manner, Speech, continuation_clip, language_or_error, paragraphs, with_sampling
from engine import FRAME_RATE, Clip, EngineClosedError, Priority, SpeechWarning, StopReason, TextError

if TYPE_CHECKING:
    from engine import Engine, ModelCard

LARGEST_TEXT_BYTES = 64 << 20
_WAIT_S = 0.1
_STOPPED_EARLY = "Stopped before anything was spoken."


@dataclass(frozen=True)
class Wish:
    """What a person asked for, as it was typed.

    Attributes:
        text: what to speak.
        output: a file, or a binary stream that is listened to.
        voice: a voice's name or a clip's path; None is the model's own voice.
        transcript: of that clip, or of continue_from.
        seconds, frames: wanted length; at most one of them.
        the rest: as the options of `say` are called.
    """

    text: str
    output: Path | BinaryIO
    voice: str | None = None
    transcript: str = ""
    continue_from: Path | None = None
    language: str | None = None
    instruction: str | None = None
    seconds: float | None = None
    frames: int | None = None
    seed: int = 0
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    repetition_penalty: float | None = None
    natural_pauses: bool = False
    model: str | None = None
    codec: Path | None = None
    device: str = "auto"
    precision: str = "auto"


class Saying:
    """One run of `say`.

    Attributes:
        figures: what `--json` prints; complete after `run`.
        on_progress: called with a phrase for people, often.
    """

    def __init__(self, wish: Wish, paths: Paths, on_progress: Callable[[str], None]) -> None:
        self.wish = wish
        self.figures: dict[str, Any] = {}
        self.on_progress = on_progress
        self._paths = paths
        self._speech: Speech | None = None
        self._cancelled = False
        self._unused: list[SpeechWarning] = []  # what was asked for and belongs to nothing that was given

    def cancel(self) -> None:
        """End soon; what was spoken is written. May be called from a signal handler."""
        self._cancelled = True
        if self._speech is not None:
            self._speech.cancel()

    def run(self) -> bool:
        """Speak and write; True when everything was spoken.

        Raises:
            SpeechError: bad input, a missing model or device, a failed piece; the file holds what was spoken.
        """
        wish = self.wish
        if isinstance(wish.output, Path):
            check_target(wish.output)
        text = paragraphs(wish.text)
        if not text:
            raise TextError("There is nothing to speak.", "Give a text, - for standard input, or @FILE.")
        language = language_or_error(wish.language)
        voice_name, references = self._voice()
        engine = open_engine(
            self._paths,
            model=wish.model,
            codec=wish.codec,
            device=wish.device,
            precision=wish.precision,
            on_status=lambda progress: self.on_progress(f"{progress.stage} … {progress.fraction:.0%}"),
        )
        try:
            manner = self._manner(engine.card, references, language)
            if manner.tokens is not None:
                text = [" ".join(text)]  # one length is for all of it
            self._wait_for(engine)
            self._speak(engine, text, manner)
            self._fill_figures(engine, voice_name)
        finally:
            engine.close()
        return self._speech is not None and self._speech.spoken.stop_reason is StopReason.STOP

    # -- inside -------------------------------------------------------------------------------------------------

    def _voice(self) -> tuple[str | None, tuple[Clip, ...]]:
        """Name and clips of the voice: one of the library, or else a file."""
        wanted = self.wish.voice
        library = open_library(self._paths) if wanted is not None else None
        voice = library.find(wanted) if library is not None and wanted is not None else None
        if self.wish.transcript and self.wish.continue_from is None and (wanted is None or voice is not None):
            message = "The transcript was not used: it belongs to a clip that is given as a file."
            self._unused.append(SpeechWarning("unused_transcript", message))
        if library is None or wanted is None:
            return None, ()
        if voice is not None:
            return voice.name, library.clips(voice)
        path = Path(wanted).expanduser()
        if path.is_file():
            return str(path), (Clip(path=path, transcript=self.wish.transcript),)
        library.get(wanted)  # raises, naming the voices there are
        raise AssertionError

    def _manner(self, card: ModelCard, references: tuple[Clip, ...], language: str | None) -> Manner:
        wish = self.wish
        continued = None
        if wish.continue_from is not None:
            clip = Clip(path=wish.continue_from.expanduser(), transcript=wish.transcript)
            continued = continuation_clip(clip, card.continuation, card.name)
        listened = not isinstance(wish.output, Path)
        return Manner(
            references=references,
            language=language,
            seed=wish.seed,
            sampling=with_sampling(
                card.sampling,
                temperature=wish.temperature,
                top_p=wish.top_p,
                top_k=wish.top_k,
                repetition_penalty=wish.repetition_penalty,
            ),
            instruction=wish.instruction,
            tokens=wish.frames if wish.seconds is None else max(1, round(wish.seconds * FRAME_RATE)),
            continue_from=continued,
            natural_pauses=wish.natural_pauses,
            priority=Priority.LISTENING if listened else Priority.EXPORTING,
            lead_s=self._lead_s if listened else None,
        )

    def _lead_s(self) -> float:
        """Audio that a reader of the pipe has not had time to play."""
        if self._speech is None or not self._speech.spoken.samples:
            return 0.0
        return self._speech.spoken.seconds - (time.monotonic() - self._first_written_s)

    def _wait_for(self, engine: Engine) -> None:
        while not engine.ready(_WAIT_S):
            if self._cancelled:
                raise EngineClosedError(_STOPPED_EARLY)

    def _speak(self, engine: Engine, text: list[str], manner: Manner) -> None:
        speech = self._speech = Speech(engine, text, manner)
        if self._cancelled:
            speech.cancel()
        self._first_written_s = time.monotonic()
        with AudioWriter(self.wish.output) as writer:
            for samples in speech:
                if not writer.samples:
                    self._first_written_s = time.monotonic()
                writer.write(samples)
                self.on_progress(f"{speech.spoken.seconds:.1f} s spoken")
        if self._cancelled and not writer.samples:
            raise EngineClosedError(_STOPPED_EARLY)  # no file was made

    def _fill_figures(self, engine: Engine, voice_name: str | None) -> None:
        assert self._speech is not None
        spoken = self._speech.spoken
        self.figures = {
            "output": str(self.wish.output) if isinstance(self.wish.output, Path) else "-",
            "seconds": round(spoken.seconds, 4),
            "frames": spoken.frames,
            "ttfa_ms": None if spoken.ttfa_ms is None else round(spoken.ttfa_ms, 1),
            "rtf": round(spoken.rtf, 4),
            "seed": self.wish.seed,
            "stop_reason": spoken.stop_reason.value,
            "model": engine.card.name,
            "voice": voice_name,
            "warnings": [{"code": one.code, "message": one.message} for one in (*self._unused, *spoken.warnings)],
            "incomplete": spoken.incomplete,
        }


def read_text(given: str, stdin: BinaryIO) -> str:
    """The text that TEXT, `-` or `@FILE` stands for.

    Raises:
        TextError: the file is missing, too large, or no text.
    """
    if given == "-":
        content, shown = stdin.read(LARGEST_TEXT_BYTES + 1), "standard input"
    elif given.startswith("@") and len(given) > 1:
        path = Path(given[1:]).expanduser()
        shown = str(path)
        try:
            with path.open("rb") as file:
                content = file.read(LARGEST_TEXT_BYTES + 1)
        except OSError as error:
            raise TextError(f"{path} cannot be read ({error.strerror}).", "Check the path.") from error
    else:
        return given
    if len(content) > LARGEST_TEXT_BYTES:
        raise TextError(f"The text in {shown} is larger than {LARGEST_TEXT_BYTES >> 20} MiB.", "Cut it into parts.")
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise TextError(f"{shown} is not a text in UTF-8.", "Save it as plain text in UTF-8.") from error
