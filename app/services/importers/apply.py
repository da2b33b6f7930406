"""From a preview that a person agreed to, to the one command that brings it into a project."""

from __future__ import annotations

from collections.abc import Mapping

from app.model.block import Block, BlockSettings
from app.model.commands import PasteBlocks
from app.model.identity import Incoming
from app.model.project import Project
from app.services.importers.preview import ImportPreview


def import_command(
    project: Project,
    preview: ImportPreview,
    *,
    position: int | None = None,
    removed_chars: int = 0,
    voices: Mapping[str, str] | None = None,
    fit: bool = True,
) -> PasteBlocks:
    """The command that puts the blocks of a preview into the script; undoing it takes all of them out again.

    Args:
        position: where in the script; None is its end, on lines of their own.
        removed_chars: how much of the script is replaced there.
        voices: speaker to id of a voice of the project. Lines of speakers that are not in it keep their name as text;
            None keeps all names.
        fit: lines with a length are stretched a little to fit it; else the length is only asked of the model.
    """
    lines = []
    for imported in preview.blocks:
        voice = (voices or {}).get(imported.speaker) if imported.speaker else None
        keeps_name = bool(imported.speaker) and voice is None and imported.target_s is None
        settings = BlockSettings(voice=voice)
        if imported.target_s is not None:
            settings = settings.changed({"length": "fit" if fit else "target", "target_s": imported.target_s})
        text = imported.as_written if keeps_name else imported.text
        lines.append(Incoming(text, Block(text=text, settings=settings)))
    if position is None:
        position = project.characters
        if position:
            last = project.blocks[-1].text
            lines = [Incoming(""), *lines] if last else lines
    return PasteBlocks(position, project.text_between(position, position + removed_chars), tuple(lines))
