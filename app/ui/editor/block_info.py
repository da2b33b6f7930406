"""What the gutter, the outline and the inspector tell about a block: who speaks, how long, in what state."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.model.block import Block, BlockKind
from app.model.take import Take
from app.services.kept_tags import LONG_TEXT, parts_of, tags_in
from app.services.programme import is_spoken
from app.ui.words import listed
from engine.requests import FRAME_S
from engine.text.duration import estimate_frames

# What a fit may leave, and how near a model that follows lengths comes.
_FITTED_S, _AIMED_S = 0.06, 0.15
# Farther from the natural length than this, and the model hurries, drags or drops words.
SHORTEST_SHARE, LONGEST_SHARE = 0.72, 1.5

# State -> (icon, colour, words).
STATES: dict[str, tuple[str, str, str]] = {
    "none": ("", "text_faint", QT_TRANSLATE_NOOP("BlockState", "Not spoken yet")),
    "wordless": ("", "text_faint", QT_TRANSLATE_NOOP("BlockState", "Nothing to speak")),
    "queued": ("clock", "text_faint", QT_TRANSLATE_NOOP("BlockState", "Waiting to be spoken")),
    "speaking": ("waveform", "accent", QT_TRANSLATE_NOOP("BlockState", "Being spoken")),
    "ready": ("check", "done", QT_TRANSLATE_NOOP("BlockState", "Spoken")),
    "stale": ("again", "warning", QT_TRANSLATE_NOOP("BlockState", "Changed since it was spoken")),
    "suspicious": ("suspicious", "warning", QT_TRANSLATE_NOOP("BlockState", "May be wrong: listen to it")),
    "failed": ("error", "error", QT_TRANSLATE_NOOP("BlockState", "Could not be spoken")),
    "locked": ("lock", "text_soft", QT_TRANSLATE_NOOP("BlockState", "Locked")),
}
KINDS: dict[BlockKind, str] = {
    BlockKind.CHAPTER: QT_TRANSLATE_NOOP("BlockKind", "Chapter"),
    BlockKind.SCENE: QT_TRANSLATE_NOOP("BlockKind", "Scene"),
    BlockKind.NOTE: QT_TRANSLATE_NOOP("BlockKind", "Note"),
}


@dataclass(frozen=True)
class BlockInfo:
    """One row of the gutter.

    Attributes:
        kind: of the block.
        spoken: whether it is ever spoken (notes, silent headings and empty lines are not).
        voice: name of who speaks; "" where nobody does.
        colour: "#rrggbb" of the voice, "" for none.
        length: "3.4 s", "~3.1 s" for an estimate, "4.0 s" for a wanted length.
        wanted: the length is one a person asked for.
        state: see STATES.
        warning: why the wanted length will not work, or "".
    """

    kind: BlockKind
    spoken: bool
    voice: str
    colour: str
    length: str
    wanted: bool
    state: str
    warning: str

    @property
    def state_words(self) -> str:
        return QCoreApplication.translate("BlockState", STATES[self.state][2])

    def sentence(self) -> str:
        """All of it in words, for tool tips and screen readers."""
        if not self.spoken:
            kind = KINDS.get(self.kind)
            if kind is None:
                return QCoreApplication.translate("BlockInfo", "Empty line")
            return QCoreApplication.translate("BlockInfo", "%1, not spoken").replace(
                "%1", QCoreApplication.translate("BlockKind", kind)
            )
        parts = [part for part in (self.voice, self.length, self.state_words, self.warning) if part]
        return listed(parts)


def wanted_s(block: Block) -> float | None:
    """The length a person asked for: in the settings, else by a tag in the text."""
    if block.settings.length != "natural" and block.settings.target_s is not None:
        return block.settings.target_s
    return next((tag.seconds for tag in tags_in(block.text) if tag.kind == "length"), None)


def _speech_estimate_s(text: str, language: str | None) -> float:
    spoken: list[str] = []
    pauses_s = 0.0
    at = 0
    for tag in tags_in(text):
        spoken.append(text[at : tag.start])
        if tag.kind == "pause":
            pauses_s += tag.seconds or 0.0
        elif tag.kind == "say":
            spoken.append(tag.spoken)
        at = tag.end
    spoken.append(text[at:])
    words = " ".join(spoken).lstrip("#/ ").strip()
    return (estimate_frames(words, language) * FRAME_S if words else 0.0) + pauses_s


# More are kept than a book has lines, else each would be forgotten before it is asked for again.
_kept_estimate_s = lru_cache(maxsize=32_768)(_speech_estimate_s)


def estimate_s(project: Any, block: Block) -> float:
    """How long the block will last at its natural pace, pauses included."""
    text, language = block.text, block.settings.language or project.settings.language
    if len(text) <= LONG_TEXT:
        return _kept_estimate_s(text, language)
    return _kept_long_estimate_s(text, language)


@lru_cache(maxsize=16)
def _kept_long_estimate_s(text: str, language: str | None) -> float:
    """Each key in a text as long as a book makes another: only the part that it changed is judged anew."""
    return sum(_kept_estimate_s(part, language) for part in parts_of(text))


def spoken_s(studio: Any, block: Block) -> float | None:
    """How long what was spoken of the block as it is now is heard; None where that is not known."""
    states = studio.renderer.states if studio.renderer is not None else None
    if states is None or states.store is None or states.rest_state(block) not in ("ready", "suspicious", "locked"):
        return None
    take = states.take(block)
    if take is None or states.is_stale(block, take):
        return None
    seconds, measured = states.length_s(block)
    return seconds if measured else None


def heard_s(studio: Any, block: Block, take: Take) -> float:
    """How long the chosen take is heard: with its pauses, without the silence around it."""
    states = studio.renderer.states if studio.renderer is not None else None
    return states.length_s(block)[0] if states is not None and states.store is not None else take.seconds


def length_warning(studio: Any, block: Block) -> str:
    """Why text, or what was spoken of it, and wanted length disagree, or ""."""
    project, wanted = studio.project, wanted_s(block)
    if wanted is None:
        return ""
    lasts = spoken_s(studio, block)
    if lasts is not None:
        if abs(lasts - wanted) <= (_FITTED_S if block.settings.length == "fit" else max(_AIMED_S, 0.04 * wanted)):
            return ""
        text = (
            QCoreApplication.translate(
                "BlockInfo", "It lasts %1 s, %2 s too long. Shorten the text or give it more time."
            )
            if lasts > wanted
            else QCoreApplication.translate(
                "BlockInfo", "It lasts %1 s, %2 s too short. Add a pause or ask for less time."
            )
        )
        return text.replace("%1", f"{lasts:.1f}").replace("%2", f"{abs(lasts - wanted):.1f}")
    natural = estimate_s(project, block)
    if natural <= 0:
        return ""
    share = wanted / natural
    if share < SHORTEST_SHARE:
        text = QCoreApplication.translate(
            "BlockInfo", "The text needs about %1 s: too much for %2 s. Shorten it or give it more time."
        )
    elif share > LONGEST_SHARE:
        text = QCoreApplication.translate(
            "BlockInfo", "The text needs about %1 s: too little for %2 s. Add a pause or ask for less time."
        )
    else:
        return ""
    return text.replace("%1", f"{natural:.1f}").replace("%2", f"{wanted:.1f}")


def voice_of(studio: Any, block: Block) -> tuple[str, str]:
    """(name, colour) of who speaks the block."""
    project = studio.project
    voice = project.voice_of(block)
    if voice is not None:
        return voice.name, voice.colour
    wanted = block.settings.voice or project.settings.default_voice
    if wanted:
        return QCoreApplication.translate("BlockInfo", "missing voice"), ""
    return QCoreApplication.translate("BlockInfo", "Model’s voice"), ""


def info_of(studio: Any, block: Block) -> BlockInfo:
    project = studio.project
    spoken = is_spoken(project, block)
    if not spoken:
        return BlockInfo(block.kind, False, "", "", "", False, "none", "")
    name, colour = voice_of(studio, block)
    state = studio.block_state(block.id)
    if block.settings.locked and state in ("ready", "none"):
        state = "locked"
    wanted = wanted_s(block)
    take = project.takes.get(block.chosen) if block.chosen else None
    if wanted is not None:
        length = f"{wanted:.1f} s"
    elif take is not None and take.text == block.text and take.seconds:
        length = f"{heard_s(studio, block, take):.1f} s"
    else:
        natural = estimate_s(project, block)
        length = f"~{natural:.0f} s" if natural >= 10 else f"~{natural:.1f} s"
    return BlockInfo(block.kind, True, name, colour, length, wanted is not None, state, length_warning(studio, block))
