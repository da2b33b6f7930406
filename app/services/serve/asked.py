"""What the engine is asked for a wish: its text in pieces, of a long one the first before the rest is planned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from app.services.serve.unread import unread
from app.services.serve.wish import Wish
from engine import MAX_FRAMES, Clip, ModelCard, Pause, Piece, SpeechPlan, SpeechRequest, plan_speech

BEGINNING = 4_000  # characters: a dozen pieces, planned within milliseconds
LONG = 5 * BEGINNING  # a shorter text is planned before anybody notices


def plan_of(wish: Wish, card: ModelCard) -> SpeechPlan:
    """The text, cut only where the model could not speak it at once. Raises TextError: it can read nothing of it."""
    plan = plan_speech(wish.text, card, language=wish.language, pauses="natural")
    if not plan.pieces:
        raise unread(wish.text, card)
    return plan


def beginning_of(wish: Wish, card: ModelCard) -> SpeechPlan | None:
    """What a long text begins with, up to its first piece; None where it is short, or where all of it must be known.

    A length that is asked for is shared out over all pieces; warnings of a whole file are of all its text.
    """
    if len(wish.text) < LONG or wish.tokens is not None or not wish.stream:
        return None
    plan = plan_speech(_without_half_a_tag(wish.text[:BEGINNING]), card, language=wish.language, pauses="natural")
    firsts = [at for at, item in enumerate(plan.items) if isinstance(item, Piece)]
    # The last two pieces lean on what comes behind them.
    return replace(plan, items=plan.items[: firsts[0] + 1]) if len(firsts) > 3 else None


def rest_of(wish: Wish, card: ModelCard, beginning: SpeechPlan) -> SpeechPlan:
    """What comes behind a beginning, as it would have come had all been planned at once."""
    plan = plan_of(wish, card)
    spoken = len(beginning.items)
    if [_heard(item) for item in plan.items[:spoken]] == [_heard(item) for item in beginning.items]:
        return replace(plan, items=plan.items[spoken:])
    # One sentence longer than the beginning is cut otherwise when its end is known; what was said of it stands.
    left = wish.text[beginning.items[-1].end :]
    return replace(plan_speech(left, card, language=wish.language, pauses="natural"), warnings=plan.warnings)


def _without_half_a_tag(text: str) -> str:
    """A text that was cut off anywhere, before a tag that may be open there: it is not half written."""
    opened = max(map(text.rfind, "[［【<"))
    return text[:opened] if opened > max(map(text.rfind, "]］】>")) else text


def _heard(item: Piece | Pause) -> str | float:
    return item.text if isinstance(item, Piece) else item.seconds


class Asked:
    """Turns items of plans into requests, in order.

    Args:
        clip: of the voice, if any. continues: it is gone on from instead of cloned, where its words are known.
    """

    def __init__(self, wish: Wish, card: ModelCard, clip: Clip | None, *, continues: bool) -> None:
        self._wish = wish
        self._card = card
        self._clip = clip
        self._is_continued = continues and clip is not None and bool(clip.transcript) and card.continuation

    def requests(self, plan: SpeechPlan) -> Iterator[SpeechRequest | Pause]:
        """Of a plan, or of a part of one; with a wanted length, of a whole one."""
        total = sum(piece.estimate_frames for piece in plan.pieces) or 1
        for item in plan.items:
            yield item if isinstance(item, Pause) else self._request(item, item.estimate_frames / total)

    def _request(self, piece: Piece, share: float) -> SpeechRequest:
        wish, card, clip, continued = self._wish, self._card, self._clip, self._is_continued
        audio = replace(card.sampling.audio, **wish.sampling)
        if continued:  # only the first piece goes on from the clip
            self._clip, self._is_continued = None, False
        return SpeechRequest(
            text=piece.text,
            references=() if clip is None or continued else (replace(clip, transcript=""),),
            continue_from=clip if continued else None,
            language=wish.language,
            instruction=wish.instructions,
            tokens=None if wish.tokens is None else max(1, round(wish.tokens * share)),
            sampling=replace(card.sampling, audio=audio) if wish.sampling else None,
            seed=wish.seed if wish.seed is not None else int.from_bytes(np.random.bytes(4), "little") >> 1,
            max_frames=None if wish.max_frames is None else min(wish.max_frames, MAX_FRAMES),
            own_pause_s=piece.own_pause_s,
            label="served",
        )
