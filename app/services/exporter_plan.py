"""What an export consists of: which blocks go into which file, what stands in the way, and what is heard where."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from app.model.block import Block
from app.model.outline import outline
from app.model.project import Project
from app.model.take import Take
from app.services.exporter_formats import ExportError
from app.services.exporter_names import Names, check_template, fill
from app.services.mixer import RATE, Span
from app.services.programme import PlanFn, heard_take, is_spoken, plan_of_take
from app.services.subtitles import SpokenBlock, SpokenPiece
from engine import find_tags

Split = Literal["programme", "chapter", "block", "voice"]
TEMPLATES: dict[str, str] = {"chapter": "{number:02} {chapter}", "block": "{number:04} {text}", "voice": "{voice}"}
Reason = Literal["missing", "making", "stale", "incomplete", "failed", "suspicious", "unreadable"]
IsStale = Callable[[Block, Take], bool]
REASONS: dict[str, str] = {
    "missing": "not spoken yet",
    "making": "still being spoken",
    "stale": "changed since it was spoken",
    "incomplete": "ended before its text did",
    "failed": "could not be spoken",
    "suspicious": "may not be what the text says",
    "unreadable": "has words that this model cannot read",
}
_MOST_LISTED = 20


@dataclass(frozen=True)
class Problem:
    """A block that cannot go into an export as it is. `number` counts the lines of the script from 1; `detail` is why,
    if known."""

    block_id: str
    number: int
    text: str
    reason: Reason
    detail: str = ""

    def __str__(self) -> str:
        return f"line {self.number} “{shortened(self.text)}”: {self.detail or REASONS[self.reason]}"


class BlocksNotReady(ExportError):
    """Blocks stop an export; `problems` lists them all."""

    exit_status = 5

    def __init__(self, problems: Sequence[Problem]) -> None:
        listed = "\n".join(f"  {problem}" for problem in problems[:_MOST_LISTED])
        more = len(problems) - _MOST_LISTED
        listed += f"\n  and {more} more" if more > 0 else ""
        one = "One line is not ready to be exported:"
        many = f"{len(problems)} lines are not ready to be exported:"
        super().__init__(
            f"{one if len(problems) == 1 else many}\n{listed}\n",
            "Render them, or leave them out (--skip, or the switch in the export window).",
        )
        self.problems = tuple(problems)


@dataclass(frozen=True)
class ExportFile:
    """One file of an export.

    Attributes:
        name: without folder and ending, safe.
        title: for its tags.
        number: from 1.
        block_ids: what it goes through.
        voice: the only voice heard in it, or None for all; the others are silent, so that files by voice fit together.
    """

    name: str
    title: str
    number: int
    block_ids: tuple[str, ...]
    voice: str | None = None


def shortened(text: str, most: int = 40) -> str:
    words = " ".join(text.split())
    return words if len(words) <= most else words[: most - 1] + "…"


def plain_text(text: str) -> str:
    """What a person reads of a block: without heading marks and tags; a pronunciation shows the written word."""
    out, at = [], 0
    for tag in find_tags(text):
        out.append(text[at : tag.start])
        if tag.kind == "say":
            out.append(tag.written)
        elif tag.kind == "broken":
            out.append(text[tag.start : tag.end])
        at = tag.end
    out.append(text[at:])
    plain = " ".join("".join(out).split())
    return plain.removeprefix("## ").removeprefix("# ")


def audible(project: Project, block_ids: Iterable[str], plan_fn: PlanFn) -> list[Block]:
    """The blocks of these that make sound, in the order of the script."""
    return [block for block in _in_order(project, block_ids) if plan_fn(block, block.text).pieces]


def _in_order(project: Project, block_ids: Iterable[str]) -> list[Block]:
    """The blocks of these that are to be spoken, in the order of the script."""
    blocks = sorted(
        (project.block(each) for each in dict.fromkeys(block_ids)), key=lambda block: project.index(block.id)
    )
    return [block for block in blocks if is_spoken(project, block)]


def problems_of(
    project: Project, block_ids: Iterable[str], plan_fn: PlanFn, is_stale: IsStale | None = None
) -> tuple[list[Problem], list[Problem]]:
    """(what stops an export, what a person should hear first).

    The first are blocks without a complete take of what they are now (locked blocks may be stale), and those of whose
    words the model can read none. The second are complete takes that are suspicious, or lack words it cannot read.
    """
    stopping, doubtful = [], []

    def problem(block: Block, reason: Reason, detail: str = "") -> Problem:
        return Problem(block.id, project.index(block.id) + 1, block.text, reason, detail)

    for block in _in_order(project, block_ids):
        plan = plan_fn(block, block.text)
        unread = " ".join(warning.message for warning in plan.warnings if warning.code == "unreadable")
        if not plan.pieces:
            # Ornaments between paragraphs are no words.
            if unread and any(character.isalnum() for character in plain_text(block.text)):
                stopping.append(problem(block, "unreadable", unread))
            continue
        reason = _reason(project, block, plan_fn, is_stale)
        if reason not in (None, "suspicious"):
            stopping.append(problem(block, reason))
        elif unread:
            doubtful.append(problem(block, "unreadable", unread))
        elif reason is not None:
            doubtful.append(problem(block, reason))
    return stopping, doubtful


def _reason(project: Project, block: Block, plan_fn: PlanFn, is_stale: IsStale | None) -> Reason | None:
    take = project.takes.get(block.chosen) if block.chosen else None
    if take is None:
        return "missing"
    if take.state in ("making", "incomplete", "failed"):
        return take.state  # type: ignore[return-value]
    if take.seconds <= 0.0:
        return "missing"
    if not block.settings.locked:
        if is_stale is not None:
            stale = is_stale(block, take)
        else:
            stale = take.text != block.text and plan_of_take(block, take, plan_fn) != plan_fn(block, block.text)
        if stale:
            return "stale"
    return "suspicious" if take.state == "suspicious" else None


def files_of(
    project: Project,
    block_ids: Sequence[str],
    split: Split,
    template: str | None,
    plan_fn: PlanFn,
    title: str,
    taken: Sequence[str] = (),
) -> list[ExportFile]:
    """The files of an export in order; a group in which nothing is heard makes none."""
    if split == "programme":
        return [ExportFile("", title, 1, tuple(block_ids))]
    template = template or TEMPLATES[split]
    check_template(template)
    names = Names(taken)
    files: list[ExportFile] = []
    wanted = set(block_ids)
    blocks = audible(project, block_ids, plan_fn)
    chapter_of = chapters_by_block(project)

    def add(group: Sequence[str], heading: str, block: Block, voice: str | None = None) -> None:
        number = len(files) + 1
        values = {
            "number": number,
            "title": title,
            "chapter": chapter_of.get(block.id, "") or title or "programme",
            "voice": _voice_name(project, block),
            "text": shortened(plain_text(block.text), 60),
            "block": project.index(block.id) + 1,
        }
        files.append(ExportFile(names.take(fill(template, values)), heading, number, tuple(group), voice))

    if split == "chapter":
        for chapter in outline(project):
            group = [block.id for block in project.blocks[chapter.first : chapter.end] if block.id in wanted]
            heard = next((block for block in blocks if chapter.first <= project.index(block.id) < chapter.end), None)
            if heard is not None:
                add(group, plain_text(chapter.title) or title, heard)
    elif split == "block":
        for block in blocks:
            add([block.id], shortened(plain_text(block.text), 60), block)
    else:
        seen: dict[str, Block] = {}
        for block in blocks:
            seen.setdefault(voice_id(project, block), block)
        for voice, block in seen.items():
            add(block_ids, _voice_name(project, block), block, voice)
    return files


def chapters_by_block(project: Project) -> dict[str, str]:
    """The title of the chapter in which each block stands."""
    titles: dict[str, str] = {}
    for chapter in outline(project):
        for block in project.blocks[chapter.first : chapter.end]:
            titles[block.id] = plain_text(chapter.title)
    return titles


def voice_id(project: Project, block: Block) -> str:
    return block.settings.voice or project.settings.default_voice or ""


def _voice_name(project: Project, block: Block) -> str:
    voice = project.voice_of(block)
    return voice.name if voice is not None and voice.name else "voice"


def spoken_blocks(
    project: Project,
    spans: Sequence[Span],
    silences: Sequence[tuple[int, int]],
    plan_fn: PlanFn,
    *,
    voice: str | None = None,
) -> list[SpokenBlock]:
    """What is heard where, from the spans of a mixer and the silences of what it made, both in samples at 48 kHz."""
    chapter_of = chapters_by_block(project)
    starts = [start for start, _ in silences]
    pieces: dict[str, list[SpokenPiece]] = {}
    for span in spans:
        block = project.block(span.block_id)
        if voice is not None and voice_id(project, block) != voice:
            continue
        if span.end_sample > span.start_sample:
            text = _piece_text(project, block, span.piece_index, plan_fn)
            first, last = bisect.bisect(starts, span.start_sample), bisect.bisect(starts, span.end_sample)
            quiet = tuple((start / RATE, end / RATE) for start, end in silences[first:last])
            spoken = SpokenPiece(text, span.start_sample / RATE, span.end_sample / RATE, quiet)
            pieces.setdefault(block.id, []).append(spoken)
    heard = []
    for block_id, spoken in pieces.items():
        block = project.block(block_id)
        heard.append(
            SpokenBlock(
                block_id, block.kind.value, _voice_name(project, block), chapter_of.get(block_id, ""), tuple(spoken)
            )
        )
    return heard


def _piece_text(project: Project, block: Block, index: int, plan_fn: PlanFn) -> str:
    """What a person wrote for a piece of the take that is heard."""
    take = heard_take(project, block)
    if take is None:
        return plain_text(block.text)
    plan = plan_of_take(block, take, plan_fn)
    source = block.text if plan == plan_fn(block, block.text) else take.text
    if not take.pieces:
        return plain_text(source)
    if index >= len(plan.pieces):
        return ""
    piece = plan.pieces[index]
    return plain_text(source[piece.start : piece.end])
