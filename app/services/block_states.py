"""What can be said of a block without making anything: its voice, its take, whether that is stale, how long it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from app.model.block import Block
from app.model.take import Take
from app.services.kept_tags import tags_in
from app.services.programme import heard_text, is_spoken
from app.services.speaking import Habits, Manner
from engine import SAMPLE_RATE

if TYPE_CHECKING:
    from app.model.project import Project
    from engine import ModelCard

_CHARACTERS_A_SECOND = 14.0
# A letter or digit before anything that may begin a tag.
_BEGINS_WITH_WORDS = re.compile(r"[^\[［【<]*?[^\W_]")
_BEGINS_TAG = re.compile(r"[\[［【<]")
_WORDLESS = ("pause", "length")
_BROKEN_OFF = ("cancelled", "failed", "")


class BlockStates:
    """Facts about the blocks of one project, kept until something they depend on changes. For the project's thread.

    Attributes:
        store, card, clips, habits: what it looks at; call `forget` after changing one.
        measured_samples: (`heard_as`, samples from first to last speech) of takes that were measured later, by take id.
    """

    def __init__(self, clips: Any = None) -> None:
        self.store: Any = None
        self.card: ModelCard | None = None
        self.clips = clips
        self.habits = Habits()
        self._stale: dict[str, tuple[Block, Take, bool]] = {}
        self._heard_texts: dict[str, tuple[Block, Take, str]] = {}
        self._failures: dict[str, tuple[Block, str]] = {}
        self.measured_samples: dict[str, tuple[str, int]] = {}

    @property
    def project(self) -> Project:
        return self.store.project

    def forget(self) -> None:
        """Voices, settings or the model changed."""
        self._stale.clear()
        self._heard_texts.clear()

    def forget_project(self) -> None:
        self.forget()
        self._failures.clear()
        self.measured_samples.clear()

    def manner(self, block: Block) -> Manner | None:
        """How the block would be spoken now; None before a model is known."""
        if self.card is None:
            return None
        project = self.project
        voice_id = block.settings.voice or project.settings.default_voice
        voice = project.voice_of(block)
        if voice is None and voice_id and self.clips is not None:
            voice = self.clips.find(voice_id)
        missing = bool(voice_id) and voice is None
        return Manner(self.card, project.settings, project.lexicon, voice, missing, self.habits)

    def take(self, block: Block) -> Take | None:
        """The take that is heard."""
        take = self.project.takes.get(block.chosen) if block.chosen else None
        return take if take is not None and take.seconds else None

    def is_stale(self, block: Block, take: Take) -> bool:
        """Whether the block would sound different now."""
        kept = self._stale.get(block.id)
        if kept is not None and kept[0] is block and kept[1] is take:
            return kept[2]
        manner = self.manner(block)
        stale = manner.is_stale(block, take) if manner is not None else take.text != block.text
        self._stale[block.id] = (block, take, stale)
        return stale

    def needs_speaking(self, block: Block) -> bool:
        """Whether there is nothing to hear, or only what broke off; locked blocks never need it.

        A suspicious take is something to hear: whether to speak it again is for a person to say.
        """
        if block.settings.locked or not is_spoken(self.project, block):
            return False
        take = self.take(block)
        if take is None:
            return has_words(block.text)
        if take.state == "failed" or (take.state == "incomplete" and take.stop_reason in _BROKEN_OFF):
            return True
        return self.is_stale(block, take)

    def is_mono(self, block: Block) -> bool:
        """Whether what is heard came in mono from a server that streamed it to a listener."""
        take = self.take(block)
        return take is not None and bool(take.figures.get("mono")) and is_spoken(self.project, block)

    def needs_stereo(self, block: Block) -> bool:
        """Whether a file should have another rendering than what is heard: it is mono, and its model can do better.

        Another model than the one that spoke it would have another voice; it is left as it is then.
        """
        take = self.take(block)
        if take is None or self.card is None or block.settings.locked or not self.is_mono(block):
            return False
        return take.settings.get("model") == self.card.name and not self.is_stale(block, take)

    def needs_export(self, block: Block) -> bool:
        """Whether a block is to be spoken before it goes into a file."""
        return self.needs_speaking(block) or self.needs_stereo(block)

    def rest_state(self, block: Block) -> str:
        """The state of a block of which nothing is being made: none, wordless (it will never be spoken), ready, stale,
        suspicious, failed or locked."""
        if block.settings.locked:
            return "locked"
        if self.failure(block.id):
            return "failed"
        take = self.take(block)
        if not is_spoken(self.project, block):
            return "none"
        if take is None:
            return "none" if has_words(block.text) else "wordless"
        if self.is_stale(block, take):
            return "stale"
        return {"incomplete": "suspicious", "suspicious": "suspicious", "failed": "failed"}.get(take.state, "ready")

    def fail(self, block: Block, reason: str) -> None:
        self._failures[block.id] = (block, reason)

    def forget_failure(self, block_id: str) -> None:
        self._failures.pop(block_id, None)

    def failure(self, block_id: str) -> str:
        """Why the last try failed, for people; "" when it did not or the block was changed since."""
        block, reason = self._failures.get(block_id, (None, ""))
        if block is None or not self.project.has_block(block_id):
            return ""
        now = self.project.block(block_id)
        return reason if (now.text, now.settings) == (block.text, block.settings) else ""

    def length_s(self, block: Block) -> tuple[float, bool]:
        """Seconds from the first to the last speech of a block, and whether that was measured."""
        if not is_spoken(self.project, block):
            return 0.0, True
        take = self.take(block)
        if take is None:
            return len(block.text) / _CHARACTERS_A_SECOND, False
        measured, heard = self.measured_samples.get(take.id, (take.text, take.figures.get("heard_samples")))
        if isinstance(heard, int):
            if measured == self.heard_as(block, take):
                return heard / SAMPLE_RATE, True
            if block.settings.length != "fit":
                longer_s = _pauses_s(self.heard_text(block, take)) - _pauses_s(measured)
                return max(0.0, heard / SAMPLE_RATE + longer_s), False
        return take.seconds, False

    def lasts_s(self, block: Block, length_s: float) -> float:
        """Seconds that a block takes in the programme, from its first speech on, when its speech is `length_s` long.

        One with a length to fit is followed by silence up to that."""
        settings = block.settings
        return max(length_s, settings.target_s) if settings.length == "fit" and settings.target_s else length_s

    def edge_pauses_s(self, block: Block) -> tuple[float | None, float | None]:
        """Seconds of the pauses written before the first word of what is heard of a block, and after its last.

        None where there are none. Of a block without words all are before."""
        take = self.take(block)
        text = block.text if take is None else self.heard_text(block, take)
        tags = tags_in(text)
        before_s: float | None = None
        at = first = 0
        for tag in tags:
            if tag.kind not in _WORDLESS or any(map(str.isalnum, text[at : tag.start])):
                break
            before_s = _more_s(before_s, tag.seconds if tag.kind == "pause" else None)
            at, first = tag.end, first + 1
        after_s: float | None = None
        at = len(text)
        for tag in reversed(tags[first:]):
            if tag.kind not in _WORDLESS or any(map(str.isalnum, text[tag.end : at])):
                break
            after_s = _more_s(after_s, tag.seconds if tag.kind == "pause" else None)
            at = tag.start
        return before_s, after_s

    def heard_text(self, block: Block, take: Take) -> str:
        """See `programme.heard_text`; without a model the take's own."""
        if take.text == block.text or not (_BEGINS_TAG.search(block.text) or _BEGINS_TAG.search(take.text)):
            return take.text  # of thousands of lines nearly all are so: there is no pause, whichever it is
        kept = self._heard_texts.get(block.id)
        if kept is not None and kept[0] is block and kept[1] is take:
            return kept[2]
        manner = self.manner(block)
        text = heard_text(block, take, manner.plan) if manner is not None else take.text
        self._heard_texts[block.id] = (block, take, text)
        return text

    def heard_as(self, block: Block, take: Take) -> str:
        """All that decides what is heard of a take beside itself: the pauses of a text, and a length it is fitted
        to."""
        text, settings = self.heard_text(block, take), block.settings
        return f"{text}\0{settings.target_s}" if settings.length == "fit" and settings.target_s else text


def _more_s(so_far_s: float | None, seconds: float | None) -> float | None:
    return so_far_s if seconds is None else (so_far_s or 0.0) + seconds


def _pauses_s(text: str) -> float:
    return sum(tag.seconds or 0.0 for tag in tags_in(text.split("\0")[0]) if tag.kind == "pause")


def has_words(text: str) -> bool:
    """Whether there is anything to speak beside tags and marks."""
    if _BEGINS_WITH_WORDS.match(text):
        return True  # thousands of lines are asked about at once, and nearly all of them are so
    at, words = 0, []
    for tag in tags_in(text):
        words.append(text[at : tag.start])
        at = tag.end
        if tag.kind in ("say", "broken"):
            return True
    return any(map(str.isalnum, "".join((*words, text[at:]))))
