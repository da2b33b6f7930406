"""SRT and WebVTT: cues become blocks that are to last as long as their slot, with the gaps between them as pauses."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from app.services.importers.preview import ImportedBlock, ImportPreview, ImportRefused, LeftOut, Watch
from engine import format_pause

_TIME = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
_TIMES = re.compile(rf"^[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}(?:[ \t].*)?$")
_VOICE = re.compile(r"<v(?:\.[^\s>]{0,80})?[ \t]+([^>\n]{1,80})>")
_TAG = re.compile(r"</?[a-zA-Z0-9:.][^<>\n]{0,200}>|\{\\[^{}\n]{0,200}\}")
_SOUND = re.compile(r"\s*(?:\[[^\[\]]{1,120}\]|\([^()]{1,120}\)|[♪♫#][^♪♫]*[♪♫#]?|[♪♫\s]+)\s*\Z")
_DASH = re.compile(r"^[-–—]\s?(?=\S)")
_LONGEST_TAG_S = 10.0
_SHORTEST_TARGET_S = 0.2
_LONGEST_TARGET_S = 600.0  # what a line can be asked to last


@dataclass(frozen=True)
class _Slot:
    start_s: float
    end_s: float
    text: str
    speaker: str


def read_subtitles(text: str, name: str, watch: Watch) -> ImportPreview:
    """Blocks of subtitles. Raises ImportRefused when there is no cue."""
    left_out, warnings = LeftOut(), list[str]()
    slots = _slots(text, left_out, watch)
    if not slots:
        raise ImportRefused(f"{name} has no subtitles that could be read.", "Check that it is an SRT or WebVTT file.")
    ordered = sorted(slots, key=lambda slot: slot.start_s)
    if ordered != slots:
        warnings.append("The cues were not in the order of time; they are now.")
    blocks: list[ImportedBlock] = []
    at_s = 0.0
    overlaps = endless = 0
    for slot in ordered:
        gap_s = slot.start_s - at_s
        overlaps += gap_s < -0.02
        # The gap stands before the line. As a line that is to fit lasts its time even where its speech is shorter,
        # every line begins at its time, however far the first one is, until one needs more time than it has.
        tags = _pause_tags(max(0.0, gap_s)) if blocks or gap_s > 0 else ""
        begins_s = max(slot.start_s, at_s)
        target_s = max(_SHORTEST_TARGET_S, slot.end_s - begins_s)
        endless += target_s > _LONGEST_TARGET_S
        asked_s = round(target_s, 3) if target_s <= _LONGEST_TARGET_S else None
        blocks.append(ImportedBlock(f"{tags} {slot.text}".strip(), slot.speaker, asked_s, slot.text))
        at_s = begins_s + target_s
    if overlaps == 1:
        warnings.append("1 cue begins before the one before has ended; they are spoken one after the other.")
    elif overlaps:
        warnings.append(f"{overlaps} cues begin before the one before has ended; they are spoken one after the other.")
    if endless == 1:
        warnings.append("1 cue stands for more than ten minutes; its line has no length of its own.")
    elif endless:
        warnings.append(f"{endless} cues stand for more than ten minutes; their lines have no length of their own.")
    return ImportPreview("", blocks, left_out=left_out.phrases(), warnings=warnings)


def _pause_tags(seconds: float) -> str:
    tags = []
    while seconds > _LONGEST_TAG_S:
        tags.append(format_pause(_LONGEST_TAG_S))
        seconds -= _LONGEST_TAG_S
    return "".join([*tags, format_pause(round(seconds, 3))])


def _slots(text: str, left_out: LeftOut, watch: Watch) -> list[_Slot]:
    slots: list[_Slot] = []
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        match = _TIMES.match(line) if "-->" in line else None
        at += 1
        if match is None:
            if line.startswith(("NOTE", "STYLE", "REGION")) and line.split(None, 1)[0] in ("NOTE", "STYLE", "REGION"):
                left_out.add("note or style", "notes and styles")
                while at < len(lines) and lines[at].strip():
                    at += 1
            continue
        said = []
        while at < len(lines) and lines[at].strip() and "-->" not in lines[at]:
            said.append(lines[at])
            at += 1
        if at < len(lines) and "-->" in lines[at] and said and said[-1].strip().isdigit():
            said.pop()  # the number of the next cue, where the empty line between them is missing
        watch.check(sum(map(len, said)))
        start_s, end_s = _seconds(match.groups()[:4]), _seconds(match.groups()[4:])
        slot = _slot(start_s, end_s, said, left_out)
        if slot is not None:
            slots.append(slot)
    return slots


def _slot(start_s: float, end_s: float, said: list[str], left_out: LeftOut) -> _Slot | None:
    whole = "\n".join(said)
    voice = _VOICE.search(whole)
    plain = html.unescape(_TAG.sub("", whole))
    kept = []
    for line in plain.split("\n"):
        line = " ".join(_DASH.sub("", line.strip()).split())
        if not line:
            continue
        if _SOUND.match(line):
            left_out.add("sound or song", "sounds and songs")
            continue
        kept.append(line)
    if end_s <= start_s:
        left_out.add("cue without a length", "cues without a length")
        return None
    if not kept:
        return None
    return _Slot(start_s, end_s, " ".join(kept), " ".join(voice[1].split()) if voice else "")


def _seconds(parts: tuple[str, ...]) -> float:
    hours, minutes, seconds, fraction = parts
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds) + int(fraction.ljust(3, "0")) / 1000
