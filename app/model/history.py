"""Undo and redo: the one history of a project."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import NoReturn

from app.model.checks import from_json_text
from app.model.command import Command, Compound, command_from_json
from app.model.errors import CommandError, FormatError, ProjectError
from app.model.long_step import LongStep, in_parts
from app.model.project import Project, Touched
from app.model.signal import Signal

LIMIT = 1_000
MAX_WEIGHT = 100_000_000  # characters that all steps may hold together; a book is about a million
PAUSE_S = 1.0  # typing merges within a word, and whatever comes within this time


@dataclass
class Step:
    """One entry of the history.

    Attributes:
        number: grows with every step; the key in the file.
        label: English words for menus.
        command: what to do next with it: its inverse while it can be undone, the way back once it was; or its JSON
            text, read only when it is needed.
        weight: about how many characters it holds.
    """

    number: int
    label: str
    command: Command | str
    weight: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.put(self.command)

    def put(self, command: Command | str) -> None:
        self.command = command
        self.weight = len(command) if isinstance(command, str) else command.weight


@dataclass(frozen=True)
class Recorded:
    """One change of project and history together, to be written as one.

    Attributes:
        touched: what changed in the project.
        steps: steps that are new or have another command now.
        forgotten: numbers of steps that are no longer there.
        done: number of the last step that can be undone; 0 for none.
    """

    touched: Touched
    steps: tuple[Step, ...] = ()
    forgotten: tuple[int, ...] = ()
    done: int = 0


@dataclass
class _Merge:
    """What the last step may still be merged with."""

    key: str | None = None
    started_s: float = 0.0
    last_s: float = 0.0
    step: Step | None = field(default=None)


class History:
    """Applies commands to a project and can take them back.

    Attributes:
        project: what is changed.

    Signals:
        changed(): whether and what can be undone or redone.
        recorded(Recorded): after every change, for the store; exactly once a change, whole.
    """

    def __init__(
        self,
        project: Project,
        *,
        steps: Iterable[Step] = (),
        done: int | None = None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.project = project
        self.changed = Signal()
        self.recorded = Signal()
        self._steps = sorted(steps, key=lambda step: step.number)
        self._done = len(self._steps) if done is None else sum(step.number <= done for step in self._steps)
        self._last_number = self._steps[-1].number if self._steps else 0
        self._merge = _Merge()
        self._now_s = now_s
        self._busy = False
        self._long: LongStep | None = None

    @property
    def can_undo(self) -> bool:
        return self._done > 0

    @property
    def can_redo(self) -> bool:
        return self._done < len(self._steps)

    @property
    def done(self) -> int:
        """Number of the last step that can be undone; 0 for none."""
        return self._steps[self._done - 1].number if self._done else 0

    @property
    def in_long_step(self) -> bool:
        """Whether a step is done some at a time: who can wait with a change does, else the rest is done at once."""
        return self._long is not None

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(self._steps)

    def do(self, command: Command, merge_key: str | None = None) -> None:
        """Apply a command as a step that can be undone.

        Args:
            merge_key: a step with the same key just before takes this one in: typing word by word or within a second,
                other edits (a dragged slider) within a second.

        Raises:
            CommandError: it does not fit; nothing was changed.
            RuntimeError: called from within another change (a listener of the project's signals).
        """
        self.finish()
        self._keep(command, self._apply(command), merge_key)

    def begin(self, command: Command) -> LongStep | None:
        """As `do`, some of it at a time; whatever else changes the project first has the rest done. None: there was
        little to do, and it is done."""
        self.finish()
        parts = in_parts(self.project, command)
        if not parts:
            self.do(command)
            return None

        def fail(error: ProjectError) -> None:
            self._long = None
            raise error

        def keep(inverse: Command) -> None:
            self._long = None
            self._keep(command, inverse, None)

        self._long = LongStep(self.project, parts, command.label, self._apply, keep, fail)
        return self._long

    def finish(self) -> None:
        """Do what is left of a long step. Raises CommandError when it does not fit: then nothing of it was done."""
        if self._long is not None and not self._busy:
            self._long.finish()

    def _keep(self, command: Command, inverse: Command, merge_key: str | None) -> None:
        """A step that was done; what had been undone cannot be done again."""
        now = self._now_s()
        forgotten = tuple(step.number for step in self._steps[self._done :])
        del self._steps[self._done :]
        step = self._merged(command, inverse, merge_key, now)
        if step is None:
            self._last_number += 1
            step = Step(self._last_number, command.label, inverse)
            self._steps.append(step)
            self._merge = _Merge(merge_key, now, now, step)
        forgotten += self._forget_oldest()
        self._done = len(self._steps)
        self._record((step,), forgotten)

    def note(self, command: Command) -> None:
        """Apply and keep a command that is not for undo: what the studio did itself, such as a finished take.

        Raises: as `do`.
        """
        self.finish()
        self._apply(command)
        self._record()

    def undo(self) -> None:
        """Take back the last step; nothing when there is none. Raises CommandError when the file's history does not
        fit."""
        step = self.begin_undo()
        if step is not None:
            step.finish()

    def redo(self) -> None:
        """Do again what was undone last; nothing when there is none."""
        step = self.begin_redo()
        if step is not None:
            step.finish()

    def begin_undo(self) -> LongStep | None:
        """As `undo`, some of it at a time; None: there was little or nothing to do, and it is done."""
        self.finish()
        return self._turn(self._steps[self._done - 1], -1) if self.can_undo else None

    def begin_redo(self) -> LongStep | None:
        """As `redo`; see `begin_undo`."""
        self.finish()
        return self._turn(self._steps[self._done], 1) if self.can_redo else None

    def end_merge(self) -> None:
        """The next edit begins a step of its own (the caret was moved, the field was left)."""
        self._merge = _Merge()

    def clear(self) -> None:
        """Forget all steps."""
        self.finish()
        forgotten = tuple(step.number for step in self._steps)
        self._steps, self._done, self._merge = [], 0, _Merge()
        self._record((), forgotten)

    def _turn(self, step: Step, direction: int) -> LongStep | None:
        try:
            command = (
                command_from_json(from_json_text(step.command, "A step"))
                if isinstance(step.command, str)
                else step.command
            )
            parts = in_parts(self.project, command)
            if parts:
                turned = partial(self._turned, step, direction)
                self._long = LongStep(self.project, parts, step.label, self._apply, turned, self._distrust)
                return self._long
            back = self._apply(command)
        except (CommandError, FormatError) as error:
            self._distrust(error)
        else:
            self._turned(step, direction, back)
        return None

    def _turned(self, step: Step, direction: int, back: Command) -> None:
        self._long = None
        step.put(back)
        self._done += direction
        self._merge = _Merge()
        self._record((step,))

    def _distrust(self, error: ProjectError) -> NoReturn:
        """Only a file changed by something else can bring this about: what cannot be trusted is forgotten."""
        self._long = None
        self.clear()
        raise CommandError("The steps before this cannot be taken back.", "The script stays as it is.") from error

    def _apply(self, command: Command) -> Command:
        if self._busy:
            raise RuntimeError("A project cannot be changed while it tells of another change.")
        self._busy = True
        try:
            return command.apply(self.project)
        finally:
            self._busy = False

    def _merged(self, command: Command, inverse: Command, key: str | None, now: float) -> Step | None:
        """The last step with the new edit in it, or None when a new step begins."""
        merge = self._merge
        step = merge.step
        if key is None or key != merge.key or step is None or not self._steps or self._steps[-1] is not step:
            return None
        typed = getattr(command, "inserted", None)
        if typed is not None:
            new_word = not typed or _begins_word(self.project, command.position)  # type: ignore[attr-defined]
            if now - merge.started_s > PAUSE_S and (new_word or now - merge.last_s > 5 * PAUSE_S):
                return None
        elif now - merge.last_s > PAUSE_S:
            return None
        older = step.command
        both = older.after(inverse) if isinstance(older, Command) else None
        if both is None:
            if typed is not None or not isinstance(older, Command):
                return None
            both = Compound((inverse, older), command.label)
        step.put(both)
        merge.last_s = now
        return step

    def _forget_oldest(self) -> tuple[int, ...]:
        """Keep the last thousand steps, and fewer when they hold very much; the newest always stays."""
        weight = sum(step.weight for step in self._steps)
        old = max(0, len(self._steps) - LIMIT)
        weight -= sum(step.weight for step in self._steps[:old])
        while weight > MAX_WEIGHT and old < len(self._steps) - 1:
            weight -= self._steps[old].weight
            old += 1
        numbers = tuple(each.number for each in self._steps[:old])
        del self._steps[:old]
        return numbers

    def _record(self, steps: tuple[Step, ...] = (), forgotten: tuple[int, ...] = ()) -> None:
        self.recorded.emit(Recorded(self.project.take_touched(), steps, forgotten, self.done))
        self.changed.emit()


def _begins_word(project: Project, position: int) -> bool:
    """Whether what was typed at a position starts a word: it follows white space or the beginning, and is none
    itself."""
    around = project.text_between(max(0, position - 1), position + 1)
    before, typed = (around[0], around[1:]) if position else ("\n", around)
    return before.isspace() and not typed[:1].isspace()
