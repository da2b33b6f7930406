"""The export dialog: choices, then progress that can be cancelled at once, then what was written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLabel, QProgressBar, QStackedWidget, QVBoxLayout, QWidget

from app.services.export_job import prepare_export
from app.services.exporter_plan import REASONS, BlocksNotReady, Problem, shortened
from app.services.exporter_request import ExportReport, Progress
from app.ui.export.choices import ExportChoices
from app.ui.messages import local
from app.ui.slices import Slices
from app.ui.studio import Studio
from app.ui.theme import GRID
from app.ui.widgets.dialog import Dialog, card, note
from app.ui.window_state import WindowState
from app.ui.words import counted, in_minutes
from engine.errors import SpeechError

_LINES_AT_ONCE = 50


class ExportDialog(Dialog):
    """Remembers its choices with the project. Work goes on while it exports; the dialog may stay open or be closed.

    Attributes:
        choices: what is asked for.
    """

    def __init__(self, studio: Studio, state: WindowState, parent: QWidget) -> None:
        super().__init__(parent, QCoreApplication.translate("ExportDialog", "Export"), width=600)
        self._studio = studio
        self._state = state
        self._ids: tuple[str, ...] | None = None
        self._task: Any = None
        self._report: ExportReport | None = None
        self._slices = Slices(self)
        self._stack = QStackedWidget()
        self.body.addWidget(self._stack, 1)
        self.choices = ExportChoices(studio, state)
        self._stack.addWidget(self.choices)
        self._stack.addWidget(self._make_progress())
        self._stack.addWidget(self._make_outcome())
        self._back = self.add_button(self.tr("Back"), left=True)
        self._back.clicked.connect(self._show_choices)
        self._folder_button = self.add_button(self.tr("Show in folder"))
        self._folder_button.clicked.connect(self._open_folder)
        self._cancel = self.add_button(self.tr("Cancel"))
        self._cancel.clicked.connect(self.reject)
        self._go = self.add_button(self.tr("Export"), primary=True)
        self._go.clicked.connect(self.start)
        self.choices.has_place.connect(self._go.setEnabled)
        self._show_choices()
        studio.project_replaced.connect(self.reject)
        self.resize(600, 540)

    # Building

    def _make_progress(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, GRID * 2, 0, 0)
        column.setSpacing(GRID)
        self._stage = QLabel()
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setAccessibleName(self.tr("Export"))
        self._left = QLabel()
        self._left.setProperty("role", "small")
        for widget in (self._stage, self.bar, self._left):
            column.addWidget(widget)
        column.addWidget(note(self.tr("You can go on writing. What you change now is not in this export."), "small"))
        column.addStretch(1)
        return page

    def _make_outcome(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        frame, inside = card()
        self._outcome = note("", "")
        self._outcome.setTextFormat(Qt.TextFormat.RichText)
        inside.addWidget(self._outcome)
        column.addWidget(frame)
        column.addStretch(1)
        return page

    def set_blocks(self, block_ids: Sequence[str] | None) -> None:
        """What is exported; None is the whole script."""
        self._ids = tuple(block_ids) if block_ids is not None else None
        if self._task is None:
            self._show_choices()

    # Work

    def start(self) -> None:
        """Begin; what is missing is spoken first."""
        try:
            request = self.choices.request(self._ids)
        except SpeechError as error:
            self._studio.say("error", str(error))
            return
        self.choices.keep()
        self._state.export_folder = str(request.out.parent)
        renderer = self._studio.renderer
        run = prepare_export(renderer, request, self._studio.bridge.post, render_first=self._studio.engine is not None)

        def work(task: Any) -> ExportReport:
            def tell(progress: Progress) -> None:
                self._studio.bridge.post_latest(("export", id(self)), lambda: self._told(progress))

            return run(tell, lambda: task.is_cancelled)

        self._task = self._studio.tasks.run(work, self._done, self._failed, title=self.tr("Export"))
        self._stage.setText(self.tr("Starting…"))
        self.bar.setValue(0)
        self._left.setText("")
        self._stack.setCurrentIndex(1)
        self._buttons()

    def _told(self, progress: Progress) -> None:
        if self._task is None:
            return
        words = {
            "rendering": self.tr("Speaking what is missing…"),
            "measuring": self.tr("Measuring loudness…"),
            "writing": self.tr("Writing…"),
            "checking": self.tr("Checking what was written…"),
        }
        self._stage.setText(words.get(progress.stage, progress.stage))
        self.bar.setValue(round(progress.fraction * 1000))
        if progress.left_s is not None:
            self._left.setText(self.tr("About %1 left").replace("%1", in_minutes(progress.left_s)))

    def _done(self, report: ExportReport) -> None:
        self._task = None
        self._report = report
        lines = []
        for file in report.files[:8]:
            level = f" · {file.measured.lufs:.1f} LUFS" if file.measured is not None else ""
            lines.append(f"<b>{escape(file.path.name)}</b> &nbsp; {in_minutes(file.seconds)}{level}")
            lines += [f"<span>⚠ {escape(local(str(fault)))}</span>" for fault in file.faults]
        if len(report.files) > 8:
            rest = len(report.files) - 8
            lines.append(counted(rest, self.tr("and 1 more file"), self.tr("and %1 more files")))
        lines += [escape(path.name) for path in report.texts[:6]]
        if report.left_out:
            lines.append("")
            count = len(report.left_out)
            lines.append(counted(count, self.tr("Left out: 1 line"), self.tr("Left out: %1 lines")))
            lines += [escape(_words(problem)) for problem in report.left_out[:5]]
        if report.doubtful:
            lines.append("")
            count = len(report.doubtful)
            lines.append(counted(count, self.tr("Listen to 1 line:"), self.tr("Listen to %1 lines:")))
            lines += [escape(_words(problem)) for problem in report.doubtful[:5]]
        self._outcome.setText("<br>".join(lines))
        words = counted(len(report.files), self.tr("1 file is written."), self.tr("%1 files are written."))
        self.set_sentence(words)
        self._stack.setCurrentIndex(2)
        self._buttons()
        if not self.isVisible():
            self._studio.say("done", self.tr("Export finished: %1").replace("%1", words))

    def _failed(self, error: BaseException) -> None:
        self._task = None
        self._report = None
        if isinstance(error, BlocksNotReady):
            first = error.problems[0]
            lines = [f"• {escape(_words(problem))}" for problem in error.problems[:8]]
            if len(error.problems) > 8:
                lines.append(self.tr("and %1 more").replace("%1", str(len(error.problems) - 8)))
            self._outcome.setText("<br>".join(lines))
            self.set_sentence(
                self.tr("Nothing was written: these lines are not ready. Make them, or choose to leave them out.")
            )
            self._studio.jump_requested.emit(first.block_id)
        else:
            message = local(getattr(error, "message", str(error)))
            remedy = local(getattr(error, "remedy", ""))
            self._outcome.setText(f"{escape(message)}<br>{escape(remedy)}")
            self.set_sentence(self.tr("Nothing was written."))
        self._stack.setCurrentIndex(2)
        self._buttons()

    def _show_choices(self) -> None:
        self._stack.setCurrentIndex(0)
        self.choices.check()
        if self._ids is None:
            self.set_sentence(self.tr("The whole script"))
        else:
            self.set_sentence(counted(len(self._ids), self.tr("1 line"), self.tr("%1 lines")))
        self._slices.start(self._counting())
        self._buttons()

    def _counting(self) -> Iterator[None]:
        """Tells what an export of these lines begins with; of a whole book it is found bit by bit."""
        project, renderer = self._studio.project, self._studio.renderer
        ids = self._ids if self._ids is not None else tuple(block.id for block in project.blocks)
        missing = mono = again = 0
        for number, block_id in enumerate(ids if renderer is not None else (), 1):
            if project.has_block(block_id):
                block, states = project.block(block_id), renderer.states
                missing += states.needs_speaking(block)
                if states.is_mono(block):
                    mono += 1
                    again += self._studio.engine is not None and states.needs_stereo(block)
            if number % _LINES_AT_ONCE == 0:
                yield
        words = []
        if missing and self._studio.engine is not None:
            words.append(counted(missing, self.tr("1 line is spoken first."), self.tr("%1 lines are spoken first.")))
        elif missing:
            one = self.tr("1 line is not spoken yet, and no model is loaded.")
            many = self.tr("%1 lines are not spoken yet, and no model is loaded.")
            words.append(counted(missing, one, many))
        elif not again:
            words.append(self.tr("Everything is spoken."))
        if again:
            one = self.tr("1 line that a server streamed in mono is spoken again in stereo first.")
            many = self.tr("%1 lines that a server streamed in mono are spoken again in stereo first.")
            words.append(counted(again, one, many))
        if mono > again:
            one = self.tr("1 line is in mono, as a server streamed it.")
            many = self.tr("%1 lines are in mono, as a server streamed them.")
            words.append(counted(mono - again, one, many))
        self.choices.missing.setText(" ".join(words))

    def _buttons(self) -> None:
        page = self._stack.currentIndex()
        self._go.setVisible(page == 0)
        self._back.setVisible(page == 2)
        self._folder_button.setVisible(page == 2 and self._report is not None)
        self._cancel.setText(self.tr("Cancel") if page < 2 else self.tr("Close"))

    def _open_folder(self) -> None:
        if self._report is not None and self._report.files:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._report.files[0].path.parent)))

    def reject(self) -> None:
        """Cancel works at once; nothing half written stays."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        super().reject()


def _words(problem: Problem) -> str:
    """What stands in the way, in the language of the window; the line's own words stay as they are."""
    words = QCoreApplication.translate("ExportDialog", "line %1 “%2”: %3").replace("%1", str(problem.number))
    why = local(problem.detail or REASONS[problem.reason])
    return words.replace("%3", why).replace("%2", shortened(problem.text))
