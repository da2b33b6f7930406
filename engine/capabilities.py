"""What a request asks against what the card says: refused, left out with a warning, or completed."""

from __future__ import annotations

from dataclasses import replace

from engine.card import ModelCard
from engine.errors import CapabilityError, TextError
from engine.requests import FRAME_RATE, MAX_FRAMES, SpeechRequest, SpeechWarning

_FIELDS = {
    "tokens": ("length", "a wanted length"),
    "instruction": ("instruction", "an instruction"),
    "quality": ("quality", "a quality"),
    "sound_event": ("sound_event", "a sound event"),
    "ambient_sound": ("ambient_sound", "an ambient sound"),
}


def fit_to_card(request: SpeechRequest, card: ModelCard) -> tuple[SpeechRequest, tuple[SpeechWarning, ...]]:
    """The request with what the model ignores left out and what was left open filled in.

    Returns:
        the request with `sampling`, `language`, `estimate_frames` and `max_frames` set; what a person should know.

    Raises:
        TextError: nothing to speak, or a number out of its range. CapabilityError: something that cannot be left out.
    """
    if not request.text.strip():
        raise TextError("There is nothing to speak.", "Type some text first.")
    if not 0 <= request.seed < 2**63:
        raise TextError(f"The seed {request.seed} is not between 0 and 2^63-1.", "Choose another seed.")
    for frames in (request.tokens, request.max_frames):
        if frames is not None and not 1 <= frames <= MAX_FRAMES:
            raise TextError(f"{frames} frames cannot be spoken.", f"Choose 1 to {MAX_FRAMES} frames of 80 ms.")
    if not card.speaks(request.language):
        raise CapabilityError(
            f"“{card.name}” speaks {', '.join(card.languages)}, not {request.language}.",
            "Choose one of its languages, or another model.",
        )
    if request.references and card.cloning == "none":
        raise CapabilityError(f"“{card.name}” has one voice and takes no clips.", "Choose a model that clones voices.")
    if not request.references and card.needs_reference and request.continue_from is None:
        raise CapabilityError(f"“{card.name}” speaks only in the voice of a clip.", "Choose a voice first.")
    if request.continue_from is not None and not card.continuation:
        raise CapabilityError(
            f"“{card.name}” cannot go on from other audio.",
            "Choose a model that continues, such as MOSS-TTS-Local v1.5.",
        )
    warnings = []
    left_out = {}
    for field, (ability, shown) in _FIELDS.items():
        if getattr(request, field) is not None and not getattr(card, ability):
            left_out[field] = None
            warnings.append(
                SpeechWarning(f"ignored_{field}", f"“{card.name}” does not follow {shown}; it was left out.")
            )
    request = replace(request, **left_out)
    # A length that the model follows is what to expect; the text's natural length would judge it wrongly.
    estimate = request.tokens or request.estimate_frames or _estimate_frames(request)
    # A model of one language was trained with its name in the prompt.
    language = request.language or (card.languages[0] if len(card.languages) == 1 else None)
    completed = replace(
        request,
        language=language,
        sampling=request.sampling or card.sampling,
        estimate_frames=estimate,
        max_frames=min(request.max_frames or frame_budget(estimate, request.own_pause_s), MAX_FRAMES),
    )
    return completed, tuple(warnings)


def frame_budget(estimate_frames: int, own_pause_s: float) -> int:
    """A budget no honest speech reaches: the watchdog ends a runaway long before; this bounds memory."""
    return min(4 * estimate_frames + 75 + round(2 * own_pause_s * FRAME_RATE), MAX_FRAMES)


def _estimate_frames(request: SpeechRequest) -> int:
    from engine.text.duration import estimate_frames  # the text package is not needed where requests are complete

    return max(1, estimate_frames(request.text, request.language))
