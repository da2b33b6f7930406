"""What can go wrong with a project, each with what to do about it."""

from __future__ import annotations

from engine.errors import SpeechError


class ProjectError(SpeechError):
    """Base of the errors about projects and their files; carries `message`, `remedy` and `exit_status`."""


class FormatError(ProjectError):
    """A value that was read is of the wrong type, too large or impossible."""


class CommandError(ProjectError):
    """A command does not fit the project as it is now; nothing was changed."""
