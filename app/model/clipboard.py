"""Cut and copy of paragraphs with their identity, and how they are pasted."""

from __future__ import annotations

from dataclasses import replace

from app.model import checks
from app.model.commands import PasteBlocks, lines_from_json, lines_to_json
from app.model.errors import FormatError
from app.model.identity import Incoming
from app.model.project import Project

MIME_TYPE = "application/x-moss-voice-studio-blocks+json"
MAX_BYTES = 32 * 1024 * 1024


def copied(project: Project, start: int, end: int) -> bytes:
    """The clipping of a stretch of the script, for `MIME_TYPE`; its plain text is `project.text_between(start, end)`.

    Paragraphs that are inside as a whole carry id and settings; the ends of a selection that begin or stop inside one
    are text.
    """
    first, offset = project.at_position(start)
    last, stop = project.at_position(end)
    lines = []
    for index, block in enumerate(project.blocks[first : last + 1], first):
        left = offset if index == first else 0
        right = stop if index == last else len(block.text)
        text = block.text[left:right]
        # An empty end behind a line feed is where the selection stops, no paragraph.
        whole = left == 0 and right == len(block.text) and (block.text or first < index < last or first == last)
        lines.append(Incoming(text, replace(block, takes=()) if whole else None))
    return checks.to_json_text({"version": 1, "lines": lines_to_json(lines)}).encode("utf-8")


def pasting(data: bytes, project: Project, position: int, removed_chars: int = 0) -> PasteBlocks:
    """The command that pastes a clipping over `removed_chars` characters at a position.

    Raises:
        FormatError: the data is no clipping of this version; paste the plain text instead.
    """
    given = checks.mapping(checks.from_json_text(data, "What was copied", MAX_BYTES), "What was copied", 10)
    if given.get("version") != 1:
        raise FormatError("What was copied comes from another version of the studio.", "Paste it as plain text.")
    removed = project.text_between(position, position + removed_chars)
    return PasteBlocks(position, removed, lines_from_json(given.get("lines")))
