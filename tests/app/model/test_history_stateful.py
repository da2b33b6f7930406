"""Any edits, splits, joins, cuts, pastes and moves, taken back and done again, leave everything as it was."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from app.model.clipboard import copied, pasting
from app.model.commands import (
    ChooseTake,
    Compound,
    DropTake,
    MoveBlocks,
    PutTake,
    ReplaceText,
    SetBlockSettings,
    SetLexicon,
    SetProjectSettings,
    SetVoice,
    command_from_json,
)
from app.model.history import History, Step
from app.model.project import Project
from app.model.take import Take
from app.model.voice import Voice

TEXT = st.text(alphabet="ab #/\né😀", max_size=8)


def state(project: Project) -> tuple:
    return (
        tuple(project.blocks),
        dict(project.takes),
        dict(project.voices),
        project.lexicon,
        project.settings,
    )


class Editing(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.project = Project()
        self.clock = 0.0
        self.history = History(self.project, now_s=lambda: self.clock)
        self.text = ""  # what an editor shows that only listens to text_replaced
        self.order = [
            block.id for block in self.project.blocks
        ]  # what an outline shows that only listens to blocks_changed
        self.project.text_replaced.connect(self._text_replaced)
        self.project.blocks_changed.connect(self._blocks_changed)
        self.states = [state(self.project)]
        self.at = 0
        self.clipping = b""
        self.number = 0

    def _text_replaced(self, position: int, removed: int, inserted: str) -> None:
        self.text = self.text[:position] + inserted + self.text[position + removed :]

    def _blocks_changed(self, first: int, removed: tuple[str, ...], added: tuple[str, ...]) -> None:
        assert tuple(self.order[first : first + len(removed)]) == removed
        self.order[first : first + len(removed)] = added

    def _do(self, command) -> None:
        self.clock += 100.0  # nothing merges
        self.history.do(command_from_json(json.loads(json.dumps(command.to_json()))))
        del self.states[self.at + 1 :]
        self.states.append(state(self.project))
        self.at += 1

    def _range(self, data) -> tuple[int, int]:
        start = data.draw(st.integers(0, self.project.characters))
        return start, data.draw(st.integers(start, min(self.project.characters, start + 12)))

    def _block(self, data):
        return self.project.blocks[data.draw(st.integers(0, len(self.project.blocks) - 1))]

    @initialize(text=TEXT)
    def begin(self, text: str) -> None:
        self._do(ReplaceText(0, "", text))

    @rule(data=st.data(), text=TEXT)
    def replace(self, data, text: str) -> None:
        start, end = self._range(data)
        whole = self.project.text()
        self._do(ReplaceText(start, whole[start:end], text))
        assert self.project.text() == whole[:start] + text + whole[end:]

    @rule(data=st.data())
    def cut(self, data) -> None:
        start, end = self._range(data)
        self.clipping = copied(self.project, start, end)
        self._do(ReplaceText(start, self.project.text_between(start, end), ""))

    @rule(data=st.data())
    def copy(self, data) -> None:
        self.clipping = copied(self.project, *self._range(data))

    @rule(data=st.data())
    def paste(self, data) -> None:
        if self.clipping:
            start, end = self._range(data)
            whole = self.project.text()
            plain = "\n".join(line["text"] for line in json.loads(self.clipping)["lines"])
            self._do(pasting(self.clipping, self.project, start, end - start))
            assert self.project.text() == whole[:start] + plain + whole[end:]

    @rule(data=st.data())
    def move(self, data) -> None:
        total = len(self.project.blocks)
        first = data.draw(st.integers(0, total - 1))
        count = data.draw(st.integers(1, total - first))
        self._do(MoveBlocks(first, count, data.draw(st.integers(0, total - count))))

    @rule(data=st.data(), locked=st.booleans())
    def settings_of_blocks(self, data, locked: bool) -> None:
        ids = (self._block(data).id, self._block(data).id)
        self._do(SetBlockSettings(ids, {"voice": f"v{len(self.states)}", "locked": locked}))

    @rule(data=st.data(), choose=st.booleans())
    def take(self, data, choose: bool) -> None:
        self.number += 1
        block = self._block(data)
        self._do(PutTake(Take(id=f"t{self.number}", block_id=block.id, state="done", created_at_s=self.number), choose))

    @rule(data=st.data())
    def take_ends(self, data) -> None:
        """Like a take that is noted with a later time when it is finished; the order is that of a project that is read
        again."""
        if self.project.takes:
            take = self.project.takes[data.draw(st.sampled_from(sorted(self.project.takes)))]
            self.number += 1
            self._do(PutTake(replace(take, seconds=1.0, created_at_s=self.number)))
            read = Project(self.project.blocks, takes=self.project.takes.values())
            assert tuple(read.blocks) == tuple(self.project.blocks)

    @rule(data=st.data())
    def drop_or_choose_take(self, data) -> None:
        block = self._block(data)
        if block.takes:
            take = data.draw(st.sampled_from(block.takes))
            other = next((each for each in block.takes if each != take), None)
            self._do(data.draw(st.sampled_from([DropTake(take, other), ChooseTake(block.id, take)])))

    @rule(data=st.data(), name=st.sampled_from("xy"))
    def whole_project(self, data, name: str) -> None:
        self._do(
            Compound(
                (
                    SetVoice(Voice(id=name, name=str(self.at))),
                    SetLexicon(((name, "z"),)),
                    SetProjectSettings({"seed": self.at, "pauses": {"paragraph_s": 1.0}}),
                    ReplaceText(0, "", name + "\n"),
                )
            )
        )

    @rule()
    def undo(self) -> None:
        if self.history.can_undo:
            self.history.undo()
            self.at -= 1

    @rule()
    def redo(self) -> None:
        if self.history.can_redo:
            self.history.redo()
            self.at += 1

    @rule()
    def restart(self) -> None:
        """The history comes back from JSON, as after a restart."""
        steps = [Step(each.number, each.label, _json(each)) for each in self.history.steps]
        done = self.history.steps[self.at - 1].number if self.at else 0
        self.history = History(self.project, steps=steps, done=done, now_s=lambda: self.clock)

    @invariant()
    def everything_is_as_it_was(self) -> None:
        assert state(self.project) == self.states[self.at]

    @invariant()
    def listeners_saw_it_all(self) -> None:
        assert self.text == self.project.text()
        assert self.order == [block.id for block in self.project.blocks]

    @invariant()
    def places_agree(self) -> None:
        start = 0
        for index, block in enumerate(self.project.blocks):
            assert self.project.start_of(index) == start
            assert self.project.index(block.id) == index
            assert self.project.at_position(start) == (index, 0)
            assert self.project.at_position(start + len(block.text)) == (index, len(block.text))
            start += len(block.text) + 1
        assert self.project.characters == start - 1


def _json(step: Step) -> str:
    return step.command if isinstance(step.command, str) else json.dumps(step.command.to_json())


TestEditing = Editing.TestCase
TestEditing.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
