"""A step of thousands of edits that is done some at a time, and is one step all the same."""

from __future__ import annotations

import time
from collections.abc import Callable

from app.model.command import Command, Compound
from app.model.errors import ProjectError
from app.model.project import Project

MANY = 200  # commands; fewer are done in one go


class LongStep:
    """Made by `History`, which has the rest done before anything else changes the project.

    Attributes:
        over: all is done and kept, or, where an edit did not fit, all was taken back.
    """

    def __init__(
        self,
        project: Project,
        command: Compound,
        apply: Callable[[Command], Command],
        done: Callable[[Compound], None],
        failed: Callable[[ProjectError], None],
    ) -> None:
        """
        Args:
            done: gets what takes the whole step back.
            failed: told why nothing was changed; may raise.
        """
        self._project, self._apply = project, apply
        self._tell_done, self._tell_failed = done, failed
        self._left = list(reversed(command.commands))
        self._words = command.words
        self._inverses: list[Command] = []
        self.over = False

    def advance(self, seconds: float) -> None:
        """Do some of it, for about so long; an editor lays out its text once for all of these."""
        ends_at_s = time.perf_counter() + seconds
        failure: ProjectError | None = None
        self._project.many_edits.emit(True)
        try:
            while self._left and time.perf_counter() < ends_at_s:
                self._inverses.append(self._apply(self._left.pop()))
        except ProjectError as error:
            failure = error
            while self._inverses:
                self._apply(self._inverses.pop())
        finally:
            self._project.many_edits.emit(False)
        if failure is not None:
            self.over = True
            self._tell_failed(failure)
        elif not self._left:
            self.over = True
            self._tell_done(Compound(tuple(reversed(self._inverses)), self._words))

    def finish(self) -> None:
        """Do all that is left now."""
        if not self.over:
            self.advance(float("inf"))
