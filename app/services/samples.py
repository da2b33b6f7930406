"""The sample project: a short script that the starter reads well, with two voices, a pause and a chapter."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from app.model.block import BlockSettings
from app.model.command import Command, Compound
from app.model.commands import ReplaceText, RestoreBlockSettings
from app.model.content_commands import SetProjectSettings, SetVoice
from app.model.history import History
from app.model.voice import Voice
from app.paths import resource


def fill_with_sample(history: History, find_voice: Callable[[str], Voice | None], name: str = "welcome") -> None:
    """Turn an empty project into a sample of `resources/samples`; afterwards there is nothing to undo.

    Args:
        find_voice: the library's voice of an id on the model's card; None leaves the project's voice.
    """
    raw: dict[str, Any] = json.loads(resource("samples", f"{name}.json").read_text("utf-8"))
    lines = raw["lines"]
    wanted = dict.fromkeys(line["voice"] for line in lines if line["voice"])
    voices = {each: voice for each in wanted if (voice := find_voice(each)) is not None}
    project = history.project
    commands: list[Command] = [SetVoice(voice) for voice in voices.values()]
    commands.append(ReplaceText(0, project.text(), "\n".join(line["text"] for line in lines)))
    settings: dict[str, Any] = {"title": raw["title"], "language": raw["language"]}
    if voices:
        settings["default_voice"] = next(iter(voices.values())).id
    commands.append(SetProjectSettings(settings))
    history.note(Compound(tuple(commands), "Sample"))
    given = tuple(
        (block.id, BlockSettings(voice=voices[line["voice"]].id))
        for block, line in zip(project.blocks, lines, strict=True)
        if line["voice"] in voices
    )
    if given:
        history.note(RestoreBlockSettings(given))
    history.clear()
