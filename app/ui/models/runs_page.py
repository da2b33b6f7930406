"""The page of what was spoken: rates, lengths and speeds over time, and every run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QMessageBox,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.services.runlog import RunLog
from app.services.runs import Run, Summary
from app.services.tasks import Task
from app.settings import Settings
from app.ui.messages import local
from app.ui.models.days_chart import DaysChart
from app.ui.models.words import duration
from app.ui.studio import Studio
from app.ui.theme import GRID, theme
from app.ui.widgets.fields import Segments
from app.ui.words import counted

DAYS = 30
MOST_DAYS = 92  # bars of the chart
PAGE = 200  # rows of the table that are read at once
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class _Read:
    """What was read of the log for one choice of time: figures, days of the chart, and the newest runs."""

    since_s: float
    summary: Summary
    days: list[tuple[str, Summary]]
    runs: list[Run]


class RunsPage(QWidget):
    """Read from the log on a background task when the page is shown; more runs are read when they are scrolled to."""

    def __init__(self, studio: Studio, settings: Settings) -> None:
        super().__init__()
        self._studio, self._settings = studio, settings
        self._days = DAYS
        self._since_s = 0.0
        self._reading: Task[Any] | None = None
        self._paging: Task[Any] | None = None
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(GRID)
        top = QHBoxLayout()
        self.span = Segments(
            self.tr("Time"),
            ((self.tr("Today"), 1), (self.tr("Week"), 7), (self.tr("Month"), DAYS), (self.tr("All"), 36_500)),
        )
        self.span.show_value(self._days)
        self.span.edited.connect(self._choose)
        self.span.setFixedWidth(280)
        top.addWidget(self.span)
        top.addStretch(1)
        outer.addLayout(top)
        self._tiles = QGridLayout()
        self._tiles.setSpacing(GRID)
        self._values: dict[str, QLabel] = {}
        for at, (name, words) in enumerate(
            (
                ("runs", self.tr("spoken")),
                ("seconds", self.tr("of speech")),
                ("failed", self.tr("failed")),
                ("suspicious", self.tr("suspicious")),
                ("rtf", self.tr("of real time")),
                ("ttfa", self.tr("to first sound")),
            )
        ):
            self._tiles.addWidget(self._tile(name, words), 0, at)
        outer.addLayout(self._tiles)
        self.chart = DaysChart()
        outer.addWidget(self.chart)
        self.table = QTableView()
        self.table.setAccessibleName(self.tr("Every run, newest first"))
        self.rows = _Runs(self)
        self.rows.more_wanted.connect(self._read_more)
        self.table.setModel(self.rows)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)  # as the cells
        self.table.setToolTip(self.tr("Enter or a double click shows the line in the script of this project."))
        self.table.activated.connect(self._show_line)
        outer.addWidget(self.table, 1)
        outer.addLayout(self._wishes())

    def _tile(self, name: str, words: str) -> QFrame:
        frame = QFrame()
        frame.setProperty("role", "card")
        column = QVBoxLayout(frame)
        column.setContentsMargins(GRID + 4, GRID, GRID + 4, GRID)
        column.setSpacing(0)
        value = QLabel("–")
        value.setFont(theme().figures_font(3))
        label = QLabel(words)
        label.setProperty("role", "faint")
        column.addWidget(value)
        column.addWidget(label)
        self._values[name] = value
        return frame

    def _wishes(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(GRID * 2)
        self.keep_text = QCheckBox(self.tr("Keep texts"))
        self.keep_text.setToolTip(self.tr("Otherwise only their length and a mark that tells equal texts."))
        self.keep_text.setChecked(self._settings.privacy.log_text)
        self.keep_text.toggled.connect(lambda on: self._settings.change("privacy", log_text=on))
        self.keep_audio = QCheckBox(self.tr("Keep sound"))
        self.keep_audio.setChecked(self._settings.privacy.log_audio)
        self.keep_audio.toggled.connect(lambda on: self._settings.change("privacy", log_audio=on))
        row.addWidget(self.keep_text)
        row.addWidget(self.keep_audio)
        row.addStretch(1)
        for name, words, deed in (
            ("export_button", self.tr("Export…"), self._browse),
            ("clear_button", self.tr("Clear…"), self._ask_to_clear),
        ):
            button = QPushButton(words)
            button.setAutoDefault(False)
            button.clicked.connect(deed)
            setattr(self, name, button)
            row.addWidget(button)
        return row

    # -- showing ------------------------------------------------------------------------------------------------

    @property
    def _log(self) -> RunLog | None:
        return getattr(self._studio, "run_log", None)

    def _choose(self, days: int) -> None:
        self._days = days
        self.span.show_value(days)
        self.look()

    def look(self) -> None:
        """Read the log anew, in the background; what was being read for another choice is not shown any more."""
        now_s, days = time.time(), self._days

        def work(log: RunLog) -> _Read:
            log.flush(1.0)
            since_s = now_s - days * 86_400
            by_day = log.days(now_s - min(days, MOST_DAYS) * 86_400)
            return _Read(since_s, log.summary(since_s), by_day, log.runs(PAGE, since_s))

        for before in (self._reading, self._paging):
            if before is not None:
                before.cancel()
        self._reading = self._read(work, self._show)

    def _read_more(self, before_id: int) -> None:
        if self._reading is not None and self._reading.state in ("waiting", "running"):
            return  # these rows are about to be others
        since_s = self._since_s
        self._paging = self._read(lambda log: log.runs(PAGE, since_s, before_id), self.rows.add_runs)

    def _read(self, work: Callable[[RunLog], Any], show: Callable[[Any], None]) -> Task[Any] | None:
        log, tasks = self._log, self._studio.tasks
        if log is None or tasks is None:
            return None
        return tasks.run(lambda _: work(log), show, title=self.tr("Reading the log"), owner=self)

    def _show(self, read: _Read) -> None:
        self._since_s = read.since_s
        self.chart.show_days(read.days)
        self.rows.show_runs(read.runs)
        summary = read.summary
        values = {
            "runs": str(summary.runs),
            "seconds": duration(summary.seconds),
            "failed": f"{summary.failure_rate:.1%}",
            "suspicious": f"{summary.suspicious_rate:.1%}",
            "rtf": "–" if summary.rtf is None else f"{summary.rtf:.2f} ×",
            "ttfa": "–" if summary.ttfa_ms is None else f"{summary.ttfa_ms:.0f} ms",
        }
        for name, value in values.items():
            self._values[name].setText(value)

    def _show_line(self, index: QModelIndex) -> None:
        """Show the line whose take a run became, where it is in the open project."""
        take = self._studio.project.takes.get(self.rows.run(index.row()).take)
        if take is not None and self._studio.project.has_block(take.block_id):
            self._studio.jump_requested.emit(take.block_id)
        else:
            self._studio.say("warning", self.tr("This line is not in the open project."))

    # -- deeds --------------------------------------------------------------------------------------------------

    def _browse(self) -> None:
        target, _ = QFileDialog.getSaveFileName(
            self, self.tr("Export the log"), "runs.csv", self.tr("Table (*.csv);;JSON (*.json)")
        )
        if target:
            self.export(Path(target))

    def export(self, target: Path) -> None:
        """Write every run to a file, in the background."""
        log, tasks, studio = self._log, self._studio.tasks, self._studio
        if log is None or tasks is None:
            return

        # Not `self.tr`: it may end, and is told, when the page is gone.
        def written(count: int) -> None:
            one = QCoreApplication.translate("RunsPage", "1 run was written.")
            many = QCoreApplication.translate("RunsPage", "%1 runs were written.")
            studio.say("done", counted(count, one, many))

        def failed(error: BaseException) -> None:
            message = QCoreApplication.translate("RunsPage", "%1 could not be written: %2")
            studio.say("error", message.replace("%1", target.name).replace("%2", local(str(error))))

        tasks.run(lambda _: log.export(target), written, failed, title=self.tr("Exporting the log"))

    def _ask_to_clear(self) -> None:
        box = QMessageBox(
            QMessageBox.Icon.Question,
            self.tr("Clear the log"),
            self.tr("Forget everything in this log, and the sound kept with it? Takes and projects stay."),
            QMessageBox.StandardButton.Cancel,
            self,
        )
        box.addButton(self.tr("Clear"), QMessageBox.ButtonRole.DestructiveRole).clicked.connect(self.clear)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    def clear(self) -> None:
        """Forget every run, in the background."""
        log, tasks = self._log, self._studio.tasks
        if log is not None and tasks is not None:
            tasks.run(lambda _: log.clear(), self._cleared, title=self.tr("Clearing the log"), owner=self)

    def _cleared(self, _: None) -> None:
        self.look()


class _Runs(QAbstractTableModel):
    """Runs as rows, some at a time.

    Signals:
        more_wanted(id): runs before this one are to be read; `add_runs` takes them.
    """

    more_wanted = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._runs: list[Run] = []
        self._ended, self._asked = True, False
        self._titles = (
            self.tr("When"), self.tr("Outcome"), self.tr("Length"), self.tr("Speed"), self.tr("First sound"),
            self.tr("Seed"), self.tr("Model"), self.tr("Text"),
        )  # fmt: skip
        self._outcomes = {
            "done": self.tr("good"),
            "suspicious": self.tr("suspicious"),
            "failed": self.tr("failed"),
            "cancelled": self.tr("stopped"),
        }

    def run(self, row: int) -> Run:
        return self._runs[row]

    def show_runs(self, runs: list[Run]) -> None:
        self.beginResetModel()
        self._runs = list(runs)
        self._ended, self._asked = len(runs) < PAGE, False
        self.endResetModel()

    def add_runs(self, runs: list[Run]) -> None:
        self._ended, self._asked = len(runs) < PAGE, False
        if runs:
            self.beginInsertRows(QModelIndex(), len(self._runs), len(self._runs) + len(runs) - 1)
            self._runs += runs
            self.endInsertRows()

    def canFetchMore(self, parent: Index) -> bool:
        return not parent.isValid() and not self._ended and not self._asked

    def fetchMore(self, parent: Index) -> None:
        if self.canFetchMore(parent):
            self._asked = True
            self.more_wanted.emit(self._runs[-1].id)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._runs)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._titles)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        return None

    def data(self, index: Index, role: int = 0) -> Any:
        run = self._runs[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cells(run)[index.column()]
        if role == Qt.ItemDataRole.ForegroundRole and index.column() == 1 and run.outcome != "done":
            return theme().colour({"failed": "error", "suspicious": "warning"}.get(run.outcome, "text_faint"))
        if role == Qt.ItemDataRole.ToolTipRole:
            return run.error or None
        return None

    def _cells(self, run: Run) -> tuple[str, ...]:
        return (
            time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(run.at_s)),
            self._outcomes.get(run.outcome, run.outcome),
            f"{run.seconds:.1f} s",
            "" if run.rtf is None else f"{run.rtf:.2f} ×",
            "" if run.ttfa_ms is None else f"{run.ttfa_ms:.0f} ms",
            str(run.seed),
            run.model,
            counted(run.characters, self.tr("1 character"), self.tr("%1 characters")) if run.text is None else run.text,
        )
