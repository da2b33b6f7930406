"""Chapters and scenes as the script's own lines tell them."""

from __future__ import annotations

from dataclasses import dataclass

from app.model.block import Block, BlockKind
from app.model.project import Project


@dataclass(frozen=True)
class Scene:
    """A `## ` line and the blocks up to the next scene or chapter: indexes `first`..`end - 1`."""

    block_id: str
    title: str
    first: int
    end: int


@dataclass(frozen=True)
class Chapter:
    """A `# ` line and what follows it; the blocks before the first one are a chapter without title and `block_id`
    None."""

    block_id: str | None
    title: str
    first: int
    end: int
    scenes: tuple[Scene, ...] = ()


def outline(project: Project) -> tuple[Chapter, ...]:
    """The chapters in order, covering every block; a beginning of nothing but empty lines and notes is no chapter."""
    marks = [
        (index, block)
        for index, block in enumerate(project.blocks)
        if block.text.startswith("#") and block.kind in (BlockKind.CHAPTER, BlockKind.SCENE)
    ]
    total = len(project.blocks)
    starts = [index for index, block in marks if block.kind is BlockKind.CHAPTER]
    chapters: list[Chapter] = []
    first_start = starts[0] if starts else total
    if any(block.kind in (BlockKind.SPEECH, BlockKind.SCENE) for block in project.blocks[:first_start]):
        chapters.append(Chapter(None, "", 0, first_start, _scenes(marks, 0, first_start)))
    for start, end in zip(starts, [*starts[1:], total], strict=False):
        block = project.blocks[start]
        chapters.append(Chapter(block.id, block.text[2:].strip(), start, end, _scenes(marks, start, end)))
    return tuple(chapters)


def _scenes(marks: list[tuple[int, Block]], first: int, end: int) -> tuple[Scene, ...]:
    inside = [(index, block) for index, block in marks if first <= index < end and block.kind is BlockKind.SCENE]
    ends = [index for index, _ in inside] + [end]
    return tuple(
        Scene(block.id, block.text[3:].strip(), index, stop)
        for (index, block), stop in zip(inside, ends[1:], strict=True)
    )
