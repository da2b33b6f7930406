"""Subtitles and cue sheets from the spans of a programme: SRT, WebVTT and JSON."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from app.services.word_times import TimedWord, ends_sentence, split_words, time_words

LINE_CHARACTERS = 42
LINES = 2
LONGEST_CUE_S = 7.0

_SPACES = re.compile(r"\s+")


@dataclass(frozen=True)
class SpokenPiece:
    """A piece as it is heard: its text as a person wrote it (without tags), and in seconds where its speech lies and
    the silences inside."""

    text: str
    start_s: float
    end_s: float
    silences: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class SpokenBlock:
    """A block as it is heard; its borders are exact, those of words inside a piece are estimated."""

    block_id: str
    kind: str
    voice: str
    chapter: str
    pieces: tuple[SpokenPiece, ...]

    @property
    def start_s(self) -> float:
        return self.pieces[0].start_s

    @property
    def end_s(self) -> float:
        return self.pieces[-1].end_s

    @property
    def text(self) -> str:
        return " ".join(piece.text for piece in self.pieces)


@dataclass(frozen=True)
class Cue:
    """What stands on the screen from `start_s` to `end_s`: one or two lines."""

    start_s: float
    end_s: float
    lines: tuple[str, ...]


def words_of(piece: SpokenPiece) -> list[TimedWord]:
    """The words of a piece with estimated times."""
    return time_words(split_words(piece.text), piece.start_s, piece.end_s, piece.silences)


def cues_of(blocks: Iterable[SpokenBlock]) -> list[Cue]:
    """Cues of at most two lines of 42 characters and about seven seconds. No cue spans two blocks or a pause that was
    asked for."""
    cues: list[Cue] = []
    for block in blocks:
        for piece in block.pieces:
            cues += _cues_of_piece(piece)
    return cues


def _cues_of_piece(piece: SpokenPiece) -> list[Cue]:
    texts = split_words(_fitting(piece.text))
    words = time_words(texts, piece.start_s, piece.end_s, piece.silences)
    groups: list[list[int]] = []
    for index in range(len(texts)):
        group = groups[-1] if groups else None
        if group is not None:
            joined = "".join(texts[group[0] : index + 1]).strip()
            ended = ends_sentence(texts[index - 1])
            too_long = words[index].end_s - words[group[0]].start_s > LONGEST_CUE_S
            fits = len(wrap(joined)) <= LINES
            # A new sentence starts a new cue once there is a line to show.
            if not fits or too_long or (ended and len("".join(texts[group[0] : index])) > LINE_CHARACTERS):
                group = None
        if group is None:
            groups.append([index])
        else:
            group.append(index)
    return [
        Cue(words[group[0]].start_s, words[group[-1]].end_s, tuple(wrap("".join(texts[i] for i in group).strip())))
        for group in groups
    ]


def _fitting(text: str) -> str:
    """Words longer than a line are broken, since nothing else could show them."""
    return re.sub(rf"(\S{{{LINE_CHARACTERS}}})(?=\S)", r"\1 ", _SPACES.sub(" ", text).strip())


def wrap(text: str) -> list[str]:
    """Lines of at most 42 characters, two of about the same length where two are enough."""
    if len(text) <= LINE_CHARACTERS:
        return [text] if text else []
    words = split_words(text)
    best: tuple[int, list[str]] | None = None
    for cut in range(1, len(words)):
        first, second = "".join(words[:cut]).strip(), "".join(words[cut:]).strip()
        if max(len(first), len(second)) <= LINE_CHARACTERS:
            uneven = abs(len(first) - len(second)) - (10 if first[-1:] in ",;:.!?，。；" else 0)
            if best is None or uneven < best[0]:
                best = (uneven, [first, second])
    if best is not None:
        return best[1]
    lines, line = [], ""
    for word in words:
        if line and len((line + word).strip()) > LINE_CHARACTERS:
            lines.append(line.strip())
            line = word
        else:
            line += word
    return [*lines, line.strip()]


def srt(cues: Sequence[Cue]) -> str:
    """SubRip text."""
    parts = []
    for number, cue in enumerate(cues, 1):
        lines = "\n".join(line.replace("-->", "→") for line in cue.lines)
        parts.append(f"{number}\n{_stamp(cue.start_s, ',')} --> {_stamp(cue.end_s, ',')}\n{lines}\n")
    return "\n".join(parts)


def vtt(cues: Sequence[Cue], *, note: str = "") -> str:
    """WebVTT text; `note` becomes a comment at its head."""
    parts = ["WEBVTT\n"]
    if note:
        parts.append("NOTE " + note.replace("-->", "→").replace("\n", " ") + "\n")
    for cue in cues:
        lines = "\n".join(html.escape(line, quote=False) for line in cue.lines)
        parts.append(f"{_stamp(cue.start_s, '.')} --> {_stamp(cue.end_s, '.')}\n{lines}\n")
    return "\n".join(parts)


def _stamp(seconds: float, mark: str) -> str:
    total_ms = max(0, round(seconds * 1000))
    minutes, ms = divmod(total_ms, 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{ms // 1000:02}{mark}{ms % 1000:03}"


def cue_sheet(blocks: Iterable[SpokenBlock], *, seconds: float, file: str = "", synthetic: bool = True) -> str:
    """A JSON document for other programs: borders of blocks and pieces are exact, those of words are marked as
    estimated."""
    listed: list[dict[str, Any]] = []
    for block in blocks:
        listed.append(
            {
                "block": block.block_id,
                "kind": block.kind,
                "chapter": block.chapter,
                "voice": block.voice,
                "text": block.text,
                "start_s": _rounded(block.start_s),
                "end_s": _rounded(block.end_s),
                "pieces": [
                    {
                        "text": piece.text,
                        "start_s": _rounded(piece.start_s),
                        "end_s": _rounded(piece.end_s),
                        "words_estimated": True,
                        "words": [
                            {"text": word.text, "start_s": _rounded(word.start_s), "end_s": _rounded(word.end_s)}
                            for word in words_of(piece)
                        ],
                    }
                    for piece in block.pieces
                ],
            }
        )
    sheet = {"version": 1, "file": file, "seconds": _rounded(seconds), "synthetic": synthetic, "blocks": listed}
    return json.dumps(sheet, ensure_ascii=False, indent=1) + "\n"


def _rounded(seconds: float) -> float:
    return round(seconds, 4)
