"""A step of thousands of edits that is done some at a time, and is one step all the same."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

from app.model.command import Command, Compound
from app.model.commands import PasteBlocks, ReplaceBlocks, ReplaceText, check_removed, range_replaced
from app.model.errors import ProjectError
from app.model.identity import Incoming, trimmed
from app.model.project import Project

PART = 100  # blocks
_MOST_WEIGHT = 100_000  # of what is done at once: an editor lays it out after that, which takes longer than doing it
MANY = 2 * PART  # edits or blocks; with fewer a command is applied in one go


def in_parts(project: Project, command: Command) -> tuple[Command, ...]:
    """Commands that do the same one after the other, each of them quickly; empty for what is quick as it is.

    Raises:
        CommandError: it does not fit.
    """
    if isinstance(command, Compound):
        if len(command.commands) > MANY:
            return command.commands
        # Parts of a step that was in parts; what else stands together may look at what the one before did.
        heavy = sum(len(each.blocks) for each in command.commands if isinstance(each, ReplaceBlocks)) > MANY
        return command.commands if heavy else ()
    if isinstance(command, ReplaceText | PasteBlocks):
        count = command.inserted.count("\n") if isinstance(command, ReplaceText) else len(command.lines)
        if count <= MANY:
            return ()
        check_removed(project, command.position, command.removed)
        position, removed = command.position, command.removed
        if isinstance(command, PasteBlocks):
            lines = command.lines
        else:
            position, removed, inserted = trimmed(position, removed, command.inserted)
            lines = tuple(Incoming(line) for line in inserted.split("\n"))
        command = range_replaced(project, position, len(removed), lines)
    if not isinstance(command, ReplaceBlocks) or len(command.blocks) <= MANY:
        return ()
    first, blocks = command.first, command.blocks
    rest = (ReplaceBlocks(first + at, 0, blocks[at : at + PART]) for at in range(PART, len(blocks), PART))
    return (ReplaceBlocks(first, command.count, blocks[:PART]), *rest)


class LongStep:
    """Made by `History`, which has the rest done before anything else changes the project.

    Attributes:
        over: all is done and kept, or, where an edit did not fit, all was taken back.
    """

    def __init__(
        self,
        project: Project,
        parts: Sequence[Command],
        label: str,
        apply: Callable[[Command], Command],
        done: Callable[[Compound], None],
        failed: Callable[[ProjectError], None],
    ) -> None:
        """
        Args:
            parts: see `in_parts`. label: of the step.
            done: gets what takes the whole step back.
            failed: told why nothing was changed; may raise.
        """
        self._project, self._apply = project, apply
        self._tell_done, self._tell_failed = done, failed
        self._left = list(reversed(parts))
        self._label = label
        self._inverses: list[Command] = []
        self.over = False

    def advance(self, seconds: float) -> None:
        """Do some of it, for about so long; an editor lays out its text once for all of these."""
        ends_at_s = time.perf_counter() + seconds
        weight = 0.0
        most = _MOST_WEIGHT if math.isfinite(seconds) else math.inf
        failure: ProjectError | None = None
        self._project.many_edits.emit(True)
        try:
            while self._left and time.perf_counter() < ends_at_s and weight < most:
                part = self._left.pop()
                weight += part.weight
                self._inverses.append(self._apply(part))
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
            self._tell_done(Compound(tuple(reversed(self._inverses)), self._label))

    def finish(self) -> None:
        """Do all that is left now."""
        if not self.over:
            self.advance(math.inf)
