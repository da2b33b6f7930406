"""Which speech server is asked, how, and what a server of each kind can do."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal
from urllib.parse import urlsplit

from engine.card import ModelCard, PauseTags
from engine.errors import ServerError

ServerKind = Literal["auto", "sglang", "vllm"]

_PAUSES = PauseTags(0.1, 10.0, 0.1)

# Both servers put the text in the prompt as it is, so the model follows its pause tags. Neither has fields for quality,
# sound event and ambience, and neither gives codes back to continue from.
SGLANG_CARD = ModelCard(
    name="SGLang-Omni server",
    summary="A speech server. Listening is in mono, as the server streams; lines made without listening are stereo.",
    longest_reference_s=100.0,
    pause_tags=_PAUSES,
    quality=False,
    sound_event=False,
    ambient_sound=False,
    continuation=False,
)
# It needs a clip of 1 to 30 s, and its sampling is fixed.
VLLM_CARD = ModelCard(
    name="vLLM-Omni server",
    summary="A speech server that speaks only in the voice of a clip; its sampling and lengths cannot be set.",
    longest_reference_s=30.0,
    pause_tags=_PAUSES,
    length=False,
    instruction=False,
    quality=False,
    sound_event=False,
    ambient_sound=False,
    continuation=False,
    sampling_fields=(),
    needs_reference=True,
)
_CARDS = {"sglang": SGLANG_CARD, "vllm": VLLM_CARD}


@dataclass(frozen=True)
class ServerSpec:
    """A speech server and how to use it.

    Attributes:
        address: http(s) address, without the path of the interface.
        kind: whose interface it has; `auto` asks it.
        name: for people; empty shows the address.
        model: the model to ask for; empty leaves it to the server.
        key: sent as a bearer token; never shown.
        parallel: requests in flight at once.
        stream_format: `audio` (raw samples) or `sse` (events).
        references: clips go along with each request (`inline`), or are uploaded once as voices (`upload`).
        stereo_listening: listen to whole lines in stereo instead of streams in mono.
        use_batch: lines that nobody listens to and that wait together are sent as one batch.
        may_change_seed: an answer without sound is asked for again with the next seed.
        attempts: how often a busy or starting server is asked. back_off_s: the first wait; it doubles.
        connect_timeout_s, first_timeout_s, silence_timeout_s: to connect; to the first byte; between bytes.
    """

    address: str
    kind: ServerKind = "auto"
    name: str = ""
    model: str = ""
    key: str = field(default="", repr=False, compare=False)
    parallel: int = 4
    stream_format: Literal["audio", "sse"] = "audio"
    references: Literal["inline", "upload"] = "inline"
    stereo_listening: bool = False
    use_batch: bool = False
    may_change_seed: bool = False
    attempts: int = 5
    back_off_s: float = 0.5
    connect_timeout_s: float = 10.0
    first_timeout_s: float = 600.0
    silence_timeout_s: float = 60.0

    @property
    def shown(self) -> str:
        return self.name or self.address.strip().rstrip("/").partition("://")[2] or self.address

    @property
    def base(self) -> str:
        """The address that paths are put behind. Raises ServerError: it is no address."""
        text = self.address.strip()
        text = (text if "://" in text else f"http://{text}").rstrip("/").removesuffix("/v1")
        try:
            parts = urlsplit(text)
            valid = (
                parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.query and not parts.fragment
            )
            valid = valid and (parts.port is None or parts.port > 0) and text.isprintable() and " " not in text
        except ValueError:
            valid = False
        if not valid:
            raise ServerError(f"“{self.address}” is no address of a server.", "Write one like http://localhost:8000.")
        if "@" in parts.netloc:
            raise ServerError("The address holds a name or password.", "Give the server's key in its own field.")
        return text

    @property
    def authorisation(self) -> dict[str, str]:
        """The header that shows the key, where there is one. Raises ServerError: no header can carry it."""
        if not (self.key.isascii() and self.key.isprintable()):
            raise ServerError(
                "The key holds signs that no key has.", "Copy it again: it is of plain letters, digits and signs."
            )
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    @property
    def is_local(self) -> bool:
        """Whether it runs on this machine."""
        return (urlsplit(self.base).hostname or "") in ("localhost", "127.0.0.1", "::1")


def card_of(spec: ServerSpec, kind: str | None = None) -> ModelCard:
    """What the server can do, under its own name; before its kind is known it may do what every kind can."""
    card = _CARDS.get(kind or spec.kind, SGLANG_CARD)
    return replace(card, name=spec.shown)
