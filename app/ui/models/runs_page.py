"""The page of what was spoken: rates, lengths and speeds over time, and every run."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
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
from app.settings import Settings
from app.ui.models.days_chart import DaysChart
from app.ui.models.words import duration
from app.ui.studio import Studio
from app.ui.theme import GRID, theme
from app.ui.widgets.fields import Segments

DAYS = 30
Index = QModelIndex | QPersistentModelIndex


class RunsPage(QWidget):
    """Read from the log when the page is shown."""

    def __init__(self, studio: Studio, settings: Settings) -> None:
        super().__init__()
        self._studio, self._settings = studio, settings
        self._days = DAYS
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
        self.table.setModel(self.rows)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.horizontalHeader().setStretchLastSection(True)
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
        """Read the log anew."""
        log = self._log
        if log is None:
            return
        log.flush(1.0)
        since_s = time.time() - self._days * 86_400
        self._show(log.summary(since_s))
        self.chart.show_days(log.days(time.time() - min(self._days, 92) * 86_400))
        self.rows.show_runs(log.runs(500, since_s))

    def _show(self, summary: Summary) -> None:
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

    # -- deeds --------------------------------------------------------------------------------------------------

    def _browse(self) -> None:
        target, _ = QFileDialog.getSaveFileName(
            self, self.tr("Export the log"), "runs.csv", self.tr("Table (*.csv);;JSON (*.json)")
        )
        if target:
            self.export(Path(target))

    def export(self, target: Path) -> None:
        """Write every run to a file."""
        try:
            count = self._log.export(target) if self._log is not None else 0
        except OSError as error:
            self._studio.say(
                "error", self.tr("%1 could not be written: %2").replace("%1", target.name).replace("%2", str(error))
            )
            return
        self._studio.say("done", self.tr("%n runs were written.", "", count))

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
        """Forget every run."""
        if self._log is not None:
            self._log.clear()
        self.look()


class _Runs(QAbstractTableModel):
    """Runs as rows."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._runs: list[Run] = []
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

    def show_runs(self, runs: list[Run]) -> None:
        self.beginResetModel()
        self._runs = runs
        self.endResetModel()

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
            time.strftime("%d.%m. %H:%M:%S", time.localtime(run.at_s)),
            self._outcomes.get(run.outcome, run.outcome),
            f"{run.seconds:.1f} s",
            "" if run.rtf is None else f"{run.rtf:.2f} ×",
            "" if run.ttfa_ms is None else f"{run.ttfa_ms:.0f} ms",
            str(run.seed),
            run.model,
            run.text if run.text is not None else self.tr("%n characters", "", run.characters),
        )
