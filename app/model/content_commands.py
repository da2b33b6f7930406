"""Commands on takes, voices, lexicon and the settings of the project."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from app.model import checks
from app.model.command import Command
from app.model.errors import CommandError, FormatError
from app.model.project import Project
from app.model.project_settings import Lexicon, ProjectSettings, json_of, lexicon_from_json
from app.model.take import Take
from app.model.voice import Voice

_IDS = {
    "take_id": "The id of a take",
    "block_id": "The id of a block",
    "voice_id": "The id of a voice",
    "chosen": "The chosen take",
}


def _id_in(given: dict[str, Any], name: str) -> str:
    return checks.identifier(given.get(name), _IDS[name])


def _id_or_none_in(given: dict[str, Any], name: str) -> str | None:
    return checks.optional(checks.identifier, given.get(name), _IDS[name])


@dataclass(frozen=True)
class PutTake(Command):
    """Add a take or replace the one of the same id; `choose` makes it the one that is heard.

    The renderer notes these (`History.note`): they are kept, but undo is for what a person did.
    """

    type: ClassVar[str] = "put_take"
    label: ClassVar[str] = "Take"
    take: Take
    choose: bool = False

    def apply(self, project: Project) -> Command:
        before = project.takes.get(self.take.id)
        block_id = self.take.block_id
        chosen = project.block(block_id).chosen if project.has_block(block_id) else None
        project.put_take(self.take)
        if self.choose and project.has_block(block_id) and chosen != self.take.id:
            project.put_block(replace(project.block(block_id), chosen=self.take.id))
        if before is not None:
            return PutTake(before, choose=chosen == before.id)
        return DropTake(self.take.id, chosen)

    def to_json(self) -> dict[str, Any]:
        return {"type": self.type, "take": self.take.to_json(), "choose": self.choose}

    @classmethod
    def read(cls, given: dict[str, Any]) -> Command:
        return cls(Take.from_json(given.get("take")), checks.boolean(given.get("choose", False), "choose"))


@dataclass(frozen=True)
class DropTake(Command):
    """Take a take off its block, which is heard with `chosen` from then on if it was heard with this one.

    The audio stays in the file until the project is compacted, so undo brings it back.
    """

    type: ClassVar[str] = "drop_take"
    label: ClassVar[str] = "Delete take"
    take_id: str
    chosen: str | None = None

    def apply(self, project: Project) -> Command:
        take = project.takes.get(self.take_id)
        if take is None:
            raise CommandError("This take is not there any more.")
        was_chosen = project.has_block(take.block_id) and project.block(take.block_id).chosen == take.id
        project.drop_take(take.id)
        if was_chosen and self.chosen is not None:
            ChooseTake(take.block_id, self.chosen).apply(project)
        return PutTake(take, choose=was_chosen)

    @classmethod
    def read(cls, given: dict[str, Any]) -> Command:
        return cls(_id_in(given, "take_id"), _id_or_none_in(given, "chosen"))


@dataclass(frozen=True)
class ChooseTake(Command):
    """Decide which take of a block is heard; None for none."""

    type: ClassVar[str] = "choose_take"
    label: ClassVar[str] = "Choose take"
    block_id: str
    take_id: str | None

    def apply(self, project: Project) -> Command:
        if not project.has_block(self.block_id):
            raise CommandError("This paragraph is not there any more.")
        block = project.block(self.block_id)
        if self.take_id is not None and self.take_id not in block.takes:
            raise CommandError("This take is not there any more.")
        if block.chosen != self.take_id:
            project.put_block(replace(block, chosen=self.take_id))
        return ChooseTake(self.block_id, block.chosen)

    @classmethod
    def read(cls, given: dict[str, Any]) -> Command:
        return cls(_id_in(given, "block_id"), _id_or_none_in(given, "take_id"))


@dataclass(frozen=True)
class SetVoice(Command):
    """Add a voice or replace the one of the same id."""

    type: ClassVar[str] = "set_voice"
    label: ClassVar[str] = "Change voice"
    voice: Voice

    def apply(self, project: Project) -> Command:
        before = project.voices.get(self.voice.id)
        project.put_voice(self.voice)
        return DropVoice(self.voice.id) if before is None else SetVoice(before)

    def to_json(self) -> dict[str, Any]:
        return {"type": self.type, "voice": self.voice.to_json()}

    @classmethod
    def read(cls, given: dict[str, Any]) -> Command:
        return cls(Voice.from_json(given.get("voice")))


@dataclass(frozen=True)
class DropVoice(Command):
    """Remove a voice from the project. Blocks keep its id and say that it is missing: no other voice replaces it
    unasked."""

    type: ClassVar[str] = "drop_voice"
    label: ClassVar[str] = "Remove voice"
    voice_id: str

    def apply(self, project: Project) -> Command:
        if self.voice_id not in project.voices:
            raise CommandError("This voice is not there any more.")
        return SetVoice(project.drop_voice(self.voice_id))

    @classmethod
    def read(cls, given: dict[str, Any]) -> Command:
        return cls(_id_in(given, "voice_id"))


@dataclass(frozen=True)
class SetLexicon(Command):
    """Replace the whole lexicon."""

    type: ClassVar[str] = "set_lexicon"
    label: ClassVar[str] = "Change lexicon"
    entries: Lexicon

    @property
    def weight(self) -> int:
        return 100 + sum(len(written) + len(spoken) for written, spoken in self.entries)

    def apply(self, project: Project) -> Command:
        before = project.lexicon
        project.put_lexicon(tuple((written, spoken) for written, spoken in self.entries))
        return SetLexicon(before)

    def to_json(self) -> dict[str, Any]:
        return {"type": self.type, "entries": [list(each) for each in self.entries]}

    @classmethod
    def read(cls, given: dict[str, Any]) -> Command:
        return cls(lexicon_from_json(given.get("entries")))


@dataclass(frozen=True)
class SetProjectSettings(Command):
    """Change some settings of the project: `SetProjectSettings({"seed": 7})`."""

    type: ClassVar[str] = "set_project_settings"
    label: ClassVar[str] = "Change project settings"
    changes: dict[str, Any]

    def apply(self, project: Project) -> Command:
        before: ProjectSettings = project.settings
        try:
            project.put_settings(before.changed(self.changes))
        except FormatError as error:
            raise CommandError(error.message) from error
        return SetProjectSettings({name: json_of(getattr(before, name)) for name in self.changes})

    def after(self, newer: Command) -> Command | None:
        same = isinstance(newer, SetProjectSettings) and newer.changes.keys() == self.changes.keys()
        return self if same else None

    def to_json(self) -> dict[str, Any]:
        return {"type": self.type, "changes": {name: json_of(value) for name, value in self.changes.items()}}

    @classmethod
    def read(cls, given: dict[str, Any]) -> Command:
        return cls(checks.mapping(checks.plain(given.get("changes"), "Changes", 5_000), "Changes", 100))
