"""The page about this machine: what was found, what to do about each, and a report to copy."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.services.doctor import Finding, examine, report_text
from app.ui.messages import local
from app.ui.models.model_row import Glyph
from app.ui.studio import Studio
from app.ui.theme import GRID
from app.ui.widgets.dialog import note
from app.ui.widgets.scroll import Scrolled
from app.ui.words import counted

_LOOKS = {"ok": ("check", "done"), "note": ("info", "warning"), "missing": ("warning", "error")}


class DoctorPage(QWidget):
    """Findings come one by one as they are made, on a background task.

    Attributes:
        findings: what was found so far.
    """

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self._running = False
        self.findings: list[Finding] = []
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(GRID)
        self.verdict = QLabel()
        self.verdict.setProperty("role", "heading")
        outer.addWidget(self.verdict)
        inside = QWidget()
        self._column = QVBoxLayout(inside)
        self._column.setContentsMargins(0, 0, GRID, 0)
        self._column.setSpacing(GRID)
        self._column.addStretch(1)
        outer.addWidget(Scrolled(inside, self.tr("What was found")), 1)
        row = QHBoxLayout()
        self.again = QPushButton(self.tr("Look again"))
        self.again.setAutoDefault(False)
        self.again.clicked.connect(self.examine)
        self.copy = QPushButton(self.tr("Copy the report"))
        self.copy.setToolTip(self.tr("Without names and folders of yours."))
        self.copy.setAutoDefault(False)
        self.copy.clicked.connect(self._copy)
        row.addWidget(self.again)
        row.addWidget(self.copy)
        row.addStretch(1)
        outer.addLayout(row)

    def look(self) -> None:
        """The page is shown: look once by itself."""
        if not self.findings:
            self.examine()

    def examine(self) -> None:
        """Look at everything anew."""
        if self._running or self._studio.tasks is None:
            return
        self._running = True
        self.again.setEnabled(False)
        self.findings = []
        while self._column.count() > 1:
            self._column.takeAt(0).widget().deleteLater()
        self.verdict.setText(self.tr("Looking…"))

        def work(task) -> None:
            for finding in examine(self._studio.paths):
                task.check()
                self._studio.bridge.post(lambda finding=finding: self._found(finding))

        self._studio.tasks.run(
            work, lambda _: self._done(), lambda _: self._done(), title=self.tr("Looking at this machine"), owner=self
        )

    def _found(self, finding: Finding) -> None:
        self.findings.append(finding)
        row = QWidget()
        across = QHBoxLayout(row)
        across.setContentsMargins(0, 0, 0, 0)
        across.setSpacing(GRID)
        glyph = Glyph(*_LOOKS[finding.state], 16)
        across.addWidget(glyph, 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(note(local(finding.message), ""))
        if finding.remedy:
            words.addWidget(note(local(finding.remedy), "small"))
        across.addLayout(words, 1)
        state = {"ok": self.tr("good"), "note": self.tr("a limit"), "missing": self.tr("missing")}[finding.state]
        row.setAccessibleName(f"{state}: {local(finding.message)} {local(finding.remedy)}")
        self._column.insertWidget(self._column.count() - 1, row)

    def _done(self) -> None:
        self._studio.bridge.post(self._conclude)  # after the last finding, which waits in the same queue

    def _conclude(self) -> None:
        self._running = False
        self.again.setEnabled(True)
        missing = sum(finding.state == "missing" for finding in self.findings)
        self.verdict.setText(
            self.tr("Everything that is needed is there.")
            if not missing
            else counted(missing, self.tr("1 thing is missing."), self.tr("%1 things are missing."))
        )

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(report_text(self.findings, self._studio.paths))
        self._studio.say("done", self.tr("The report is on the clipboard."))
