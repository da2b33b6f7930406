"""What the actions on takes, rendering and export do: the selection goes in, services do the work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QDialog

from app.model.block import Block
from app.model.commands import SetBlockSettings
from app.model.content_commands import ChooseTake, DropTake
from app.model.outline import outline
from app.services.programme import is_spoken
from app.ui.engine_loader import EngineLoader
from app.ui.status.unfinished import Unfinished
from app.ui.studio import Studio
from app.ui.window import Window
from app.ui.words import counted, in_minutes, sentence

_ASKED_AT_ONCE = 100
_BETWEEN_ASKING_MS = 4


@dataclass
class _Asking:
    """A wish for many lines on its way to the renderer.

    Attributes:
        left: lines that are still to be asked for. cancels: of the renderer when this began.
        wanted, audio_s: takes that were asked for, and about how much speech that is.
        takes: new ones of each line; 0: one of those lines that need it.
    """

    left: list[str]
    cancels: int
    wanted: int = 0
    audio_s: float = 0.0
    takes: int = 0

    def next(self, count: int) -> list[str]:
        now, self.left = self.left[:count], self.left[count:]
        return now


class Work(QObject):
    """Binds actions that belong to no single region."""

    def __init__(self, studio: Studio, window: Window, loader: EngineLoader) -> None:
        super().__init__(window)
        self._studio = studio
        self._window = window
        self._loader = loader
        self._heard_before: dict[str, str] = {}  # block -> the take chosen before the present one
        self._asked = 0
        self._asking: _Asking | None = None
        self._dialogs: dict[str, QDialog] = {}
        bind = studio.actions.bind
        bind("again", lambda: self._again(1))
        bind("three_takes", lambda: self._again(3))
        bind("again_sentences", self._again_sentences)
        bind("next_take", lambda: self._step_take(1))
        bind("previous_take", lambda: self._step_take(-1))
        bind("compare_takes", self._compare)
        bind("delete_take", self._delete_take)
        bind("lock", self._lock)
        bind("next_suspicious", lambda: self._go_suspicious(1))
        bind("previous_suspicious", lambda: self._go_suspicious(-1))
        bind("render_stale", lambda: self.render([block.id for block in studio.project.blocks]))
        bind("render_selection", lambda: self.render(studio.selection))
        bind("render_chapter", lambda: self.render(self.chapter_ids()))
        bind("pause_making", self._pause_making)
        bind("cancel_making", lambda: studio.renderer.cancel())
        bind("insert_length", self._edit_length)
        bind("lexicon", self.open_lexicon)
        bind("export", lambda: self.open_export(None))
        bind("export_chapter", lambda: self.open_export(self.chapter_ids()))
        bind("export_selection", lambda: self.open_export(studio.selection))
        bind("preferences", lambda: self.open_preferences("appearance"))
        bind("shortcuts", lambda: self.open_preferences("shortcuts"))
        bind("about", self._open_about)
        bind("models", self.open_models)
        window.script.editor.length_requested.connect(self._edit_length)
        studio.jump_requested.connect(self._jump)
        studio.project_replaced.connect(self._attach)
        outline_dock = window.docks.get("outline")
        if outline_dock is not None:
            outline_dock.content.render_requested.connect(self.render)
            outline_dock.content.export_requested.connect(self.open_export)
        unfinished = window.findChild(Unfinished)
        if unfinished is not None:
            unfinished.render_requested.connect(self.render)
        if studio.renderer is not None:
            studio.renderer.queue_changed.connect(self._queue_changed)
        self._disconnect: Callable[[], None] = lambda: None
        self._attach()

    def _attach(self) -> None:
        self._disconnect()
        self._heard_before.clear()
        self._asking = None
        self._chosen: dict[str, str | None] = {}
        if self._studio.project is not None:
            self._disconnect = self._studio.project.block_changed.connect(self._remember_choice)

    # The selection

    def _blocks(self) -> list[Block]:
        project = self._studio.project
        found = [project.block(each) for each in self._studio.selection if project.has_block(each)]
        return [block for block in found if is_spoken(project, block)]

    def chapter_ids(self) -> tuple[str, ...]:
        """Blocks of the chapter with the caret."""
        project = self._studio.project
        if not self._studio.current_block:
            return ()
        index = project.index(self._studio.current_block)
        for chapter in outline(project):
            if chapter.first <= index < chapter.end:
                return tuple(block.id for block in project.blocks[chapter.first : chapter.end])
        return ()

    def _jump(self, block_id: str) -> None:
        self._window.script.editor.select_block(block_id)
        self._window.script.editor.setFocus()

    # Takes

    def _again(self, count: int) -> None:
        """More takes of the selected lines; many are asked for a few at a time."""
        blocks = self._blocks()
        free = [block.id for block in blocks if not block.settings.locked]
        if len(free) < len(blocks):
            self._say_locked()
        elif not blocks:
            self._studio.say("info", self.tr("Notes and empty lines are never spoken."))
        if free:
            self._asked = 0 if len(free) == 1 and count == 1 else len(free) * count
            self._asking = _Asking(free, self._studio.renderer.cancels, takes=count)
            self._ask()

    def _say_locked(self) -> None:
        self._studio.say("info", self.tr("Locked lines keep their takes. Unlock them to speak them again."))

    def _again_sentences(self) -> None:
        """A new take of each line with selected text, in which only the sentences that were touched are new."""
        project, editor = self._studio.project, self._window.script.editor
        whole = 0
        for block_id, start, end in editor.chosen_text():
            block = project.block(block_id)
            if not is_spoken(project, block):
                continue
            if block.settings.locked:
                self._say_locked()
                continue
            whole += not self._studio.renderer.respeak(block_id, start, end)
        if whole:
            self._studio.say("info", self.tr("Nothing of the line would stay, so it is spoken again as a whole."))

    def _remember_choice(self, block_id: str) -> None:
        block = self._studio.project.block(block_id)
        before = self._chosen.get(block_id)
        if block.chosen != before:
            if before is not None:
                self._heard_before[block_id] = before
            self._chosen[block_id] = block.chosen

    def _step_take(self, direction: int) -> None:
        block = self._studio.project.block(self._studio.current_block)
        if not block.takes:
            return
        at = block.takes.index(block.chosen) if block.chosen in block.takes else (-1 if direction > 0 else 0)
        self._studio.do(ChooseTake(block.id, block.takes[(at + direction) % len(block.takes)]))

    def _compare(self) -> None:
        """Choose the take heard before, and play the line: A, B, A, B."""
        block = self._studio.project.block(self._studio.current_block)
        other = self._heard_before.get(block.id)
        if other not in block.takes or other == block.chosen:
            others = [each for each in block.takes if each != block.chosen]
            if not others:
                return
            other = others[-1]
        self._heard_before[block.id] = block.chosen or other
        self._studio.do(ChooseTake(block.id, other))
        if not self._studio.actions.why_not("play_selection"):
            self._studio.actions.trigger("play_selection")

    def _delete_take(self) -> None:
        block = self._studio.project.block(self._studio.current_block)
        take_id = block.chosen or (block.takes[-1] if block.takes else None)
        if take_id is None:
            return
        others = [each for each in block.takes if each != take_id]
        self._studio.do(DropTake(take_id, others[-1] if others else None))
        self._studio.say("info", self.tr("Take deleted. Undo brings it back."))

    def _lock(self, on: bool) -> None:
        ids = tuple(block.id for block in self._blocks())
        if ids:
            self._studio.do(SetBlockSettings(ids, {"locked": on}))

    def _go_suspicious(self, direction: int) -> None:
        project, studio = self._studio.project, self._studio
        count = len(project.blocks)
        start = project.index(studio.current_block) if studio.current_block else 0
        for step in range(1, count + 1):
            block = project.blocks[(start + direction * step) % count]
            if studio.block_state(block.id) in ("suspicious", "failed"):
                self._jump(block.id)
                return
        studio.say("done", self.tr("No line is suspicious."))

    def _edit_length(self) -> None:
        dock = self._window.docks.get("inspector")
        if dock is not None:
            dock.show()
            dock.raise_()
            dock.content.focus_length()

    # Rendering

    def render(self, block_ids: Sequence[str]) -> None:
        """Make what is missing of these blocks, and say how much that is; many are asked for a few at a time."""
        if self._studio.engine is None:
            self._studio.say("info", self.tr("The model is still loading. Try again in a moment."))
            return
        self._asking = _Asking(list(block_ids), self._studio.renderer.cancels)
        self._ask()

    def _pause_making(self, on: bool) -> None:
        renderer = self._studio.renderer
        (renderer.pause if on else renderer.resume)()

    def _ask(self) -> None:
        """The next slice of what was asked for; work on it begins at once."""
        asking, studio = self._asking, self._studio
        if asking is None or studio.project is None or studio.renderer is None:
            return
        if studio.renderer.cancels != asking.cancels:
            self._asking = None
            return
        renderer, project = studio.renderer, studio.project
        ids = [each for each in asking.next(_ASKED_AT_ONCE) if project.has_block(each)]
        if asking.takes:
            for block_id in ids:
                renderer.again(block_id, asking.takes)
        else:
            wanted = [each for each in ids if renderer.states.needs_speaking(project.block(each))]
            asking.wanted += len(wanted)
            asking.audio_s += renderer.estimate(wanted)[0]
            if wanted:
                renderer.render(wanted)
        if asking.left:
            QTimer.singleShot(_BETWEEN_ASKING_MS, self._ask)
            return
        self._asking = None
        if asking.takes:
            self._queue_changed()
        else:
            self._say_asked(asking)

    def _say_asked(self, asking: _Asking) -> None:
        if not asking.wanted:
            self._studio.say("done", self.tr("Everything here is spoken already."))
            return
        one = self.tr("1 line is being made: about %2 of speech")
        many = self.tr("%1 lines are being made: about %2 of speech")
        text = counted(asking.wanted, one, many).replace("%2", in_minutes(asking.audio_s))
        rtf = self._studio.renderer.rtf
        if rtf is not None:
            text += self.tr(", ready in about %1").replace("%1", in_minutes(asking.audio_s * rtf))
        self._asked = asking.wanted
        self._studio.say("info", sentence(text))
        self._queue_changed()

    def _queue_changed(self) -> None:
        """When a batch that was asked for is over, report what became of it."""
        renderer = self._studio.renderer
        self._studio.actions.action("pause_making").setChecked(renderer.paused)
        if not self._asked or self._asking is not None or renderer.is_busy:
            return
        report = renderer.report()
        self._asked = 0
        if report.waiting:
            return
        count = len(report.done)
        parts = [counted(count, self.tr("1 line spoken"), self.tr("%1 lines spoken"))]
        if report.suspicious:
            parts.append(self.tr("%1 suspicious (F8 goes to the next)").replace("%1", str(len(report.suspicious))))
        if report.failed:
            parts.append(self.tr("%1 failed").replace("%1", str(len(report.failed))))
        self._studio.say("warning" if report.suspicious or report.failed else "done", sentence(*parts))

    # Dialogs

    def _show(self, name: str, make: Callable[[], QDialog]) -> QDialog:
        """One dialog of a kind at a time; it does not block the window."""
        dialog = self._dialogs.get(name)
        if dialog is None:
            dialog = self._dialogs[name] = make()
            dialog.finished.connect(lambda _: self._dialogs.pop(name, None))
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()
        return dialog

    def open_lexicon(self, word: str = "") -> Any:
        from app.ui.editor.lexicon_dialog import LexiconDialog  # late: dialogs cost nothing until they are wanted

        dialog = self._show("lexicon", lambda: LexiconDialog(self._studio, self._window))
        if word:
            dialog.add_word(word)
        return dialog

    def open_export(self, block_ids: Sequence[str] | None) -> Any:
        from app.ui.export.export_dialog import ExportDialog

        dialog = self._show("export", lambda: ExportDialog(self._studio, self._window.state, self._window))
        dialog.set_blocks(block_ids)
        return dialog

    def open_preferences(self, page: str) -> Any:
        from app.ui.preferences.preferences_dialog import PreferencesDialog

        dialog = self._show("preferences", lambda: PreferencesDialog(self._studio, self._window, page))
        dialog.show_page(page)
        return dialog

    def open_models(self) -> Any:
        from app.ui.models.models_dialog import ModelsDialog

        return self._show("models", lambda: ModelsDialog(self._studio, self._loader, self._window.state, self._window))

    def _open_about(self) -> None:
        from app.ui.preferences.about_dialog import AboutDialog

        self._show("about", lambda: AboutDialog(self._studio, self._window))
