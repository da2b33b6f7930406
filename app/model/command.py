"""What every edit is: a small frozen command that knows its inverse and its JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from app.model import checks
from app.model.errors import FormatError, ProjectError
from app.model.project import Project


class Command:
    """Base of the commands.

    Attributes:
        type: the name in JSON.
        label: English words for what it does ("Typing"), kept with each step.
        known: every command by its type.
    """

    type: ClassVar[str] = ""
    label: ClassVar[str] = ""
    known: ClassVar[dict[str, type[Command]]] = {}

    def __init_subclass__(cls) -> None:
        Command.known[cls.type] = cls

    def apply(self, project: Project) -> Command:
        """Change the project and return what undoes it exactly. Raises CommandError and changes nothing if it does not
        fit."""
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values with `type`: the fields as they are, where these are plain."""
        return {"type": self.type, **vars(self)}

    @classmethod
    def read(cls, given: dict[str, Any]) -> Command:
        """From `to_json`. Raises FormatError."""
        raise NotImplementedError

    @property
    def weight(self) -> int:
        """About how many characters it holds, so that a history of large edits stays small."""
        return 100

    def after(self, newer: Command) -> Command | None:
        """For inverses: one command that does `newer` and then this; None when they do not merge into a small one."""
        return None


_FEW = 10


@dataclass(frozen=True)
class Compound(Command):
    """Several commands as one step: all are applied, or none."""

    type: ClassVar[str] = "compound"
    commands: tuple[Command, ...]
    words: str = "Edit"

    @property
    def label(self) -> str:  # type: ignore[override]
        return self.words

    @property
    def weight(self) -> int:
        return sum(each.weight for each in self.commands)

    def apply(self, project: Project) -> Command:
        inverses: list[Command] = []
        many = len(self.commands) > _FEW
        if many:
            project.many_edits.emit(True)
        try:
            for command in self.commands:
                inverses.append(command.apply(project))
        except ProjectError:
            for inverse in reversed(inverses):
                inverse.apply(project)
            raise
        finally:
            if many:
                project.many_edits.emit(False)
        return Compound(tuple(reversed(inverses)), self.words)

    def to_json(self) -> dict[str, Any]:
        return {"type": self.type, "words": self.words, "commands": [each.to_json() for each in self.commands]}

    @classmethod
    def read(cls, given: dict[str, Any]) -> Command:
        commands = tuple(command_from_json(each) for each in checks.items(given.get("commands"), "Commands"))
        return cls(commands, checks.string(given.get("words", "Edit"), "The name of a step", 100))


def command_from_json(raw: object) -> Command:
    """Any command. Raises FormatError, also for a type that is not known."""
    given = checks.mapping(raw, "A command", 50)
    kind = Command.known.get(checks.string(given.get("type"), "The type of a command", 64))
    if kind is None:
        raise FormatError("This edit was made by a later version of the studio.")
    try:
        return kind.read(given)
    except RecursionError as error:
        raise FormatError("An edit is nested too deeply.") from error
