"""Progress of one background task, shown only when it takes longer than a moment."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLabel, QProgressBar, QWidget

from app.services.tasks import Task
from app.ui.widgets.dialog import Dialog

SHOWN_AFTER_MS = 500


class ProgressDialog(Dialog):
    """Closes with its task; Cancel works at once."""

    def __init__(self, parent: QWidget, task: Task[Any]) -> None:
        super().__init__(parent, task.title, width=420)
        self._task: Task[Any] | None = task
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setAccessibleName(task.title)
        self.body.addWidget(self.bar)
        self._left = QLabel()
        self._left.setProperty("role", "small")
        self.body.addWidget(self._left)
        self.add_button(self.tr("Cancel")).clicked.connect(self.reject)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.show)
        self._timer.start(SHOWN_AFTER_MS)
        task.progressed.connect(self._progressed)

    def end(self) -> None:
        """The task is over."""
        self._timer.stop()
        self._task = None
        self.close()
        self.deleteLater()

    def reject(self) -> None:
        """Give the task up. Nobody hears of its end any more, so the dialog is gone, too."""
        self._timer.stop()
        if self._task is not None:
            self._task.cancel()
            self._task = None
        super().reject()
        self.deleteLater()

    def _progressed(self, task: Task[Any]) -> None:
        if self._task is None or task.fraction is None:
            return
        self.bar.setRange(0, 1000)
        self.bar.setValue(round(task.fraction * 1000))
        if task.remaining_s is not None:
            self._left.setText(self.tr("About %1 s left").replace("%1", f"{task.remaining_s:.0f}"))
