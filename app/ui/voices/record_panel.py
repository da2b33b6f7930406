"""Records a voice in place: level, countdown, record, hear, keep."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtCore import QT_TRANSLATE_NOOP, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.services.clip_doctor import examine
from app.services.recorder import write_clip
from app.services.voice_records import clean_name
from app.ui.messages import local
from app.ui.studio import Studio
from app.ui.theme import GRID, HALF, theme
from app.ui.throttle import UI_RATE_HZ
from app.ui.transport.transport import clock
from app.ui.voices.adding import longest_clip_s
from app.ui.voices.whole_card import WholeCard
from app.ui.widgets.dock import small_button
from app.ui.widgets.putting_away import put_away
from engine import SAMPLE_RATE, SpeechError

COUNTDOWN_S = 3
_SENTENCES = QT_TRANSLATE_NOOP(
    "RecordPanel",
    "Read this in your usual voice: The harbour lay quiet in the morning light, and a few boats rocked at their ropes. "
    "Who would have thought that a day like this could bring so much? Nobody, I suppose, and that was the best of it.",
)


class RecordPanel(WholeCard):
    """A card at the foot of the voices dock. The microphone is open only while the card is.

    Attributes:
        state: closed, opening, ready, countdown, recording or recorded.
    """

    def __init__(
        self, studio: Studio, keep: Callable[[Path], None], hear: Callable[[np.ndarray], None], back_to: QWidget
    ) -> None:
        """
        Args:
            keep: takes over a recording, which lies in a folder of its own. hear: plays one, `[n, channels]` at 48 kHz.
            back_to: has the keyboard when the card is left.
        """
        super().__init__()
        self._studio = studio
        self._back_to = back_to
        self._keep_file, self._hear = keep, hear
        self.state = "closed"
        self._left_s = 0
        self._samples = np.zeros((0, 1), np.float32)
        self.setAccessibleName(self.tr("Record a voice"))
        column = QVBoxLayout(self)
        column.setContentsMargins(GRID + HALF, GRID, GRID, GRID)
        column.setSpacing(HALF + 2)
        top = QHBoxLayout()
        title = QLabel(self.tr("Record a voice"))
        title.setProperty("role", "heading")
        top.addWidget(title, 1)
        close = small_button("close", self.tr("Leave recording"))
        close.clicked.connect(self.leave)
        top.addWidget(close)
        column.addLayout(top)
        self._text = QLabel(self.tr(_SENTENCES))
        self._text.setProperty("role", "soft")
        self._text.setWordWrap(True)
        column.addWidget(self._text)
        self.level = _Level()
        column.addWidget(self.level)
        self.says = QLabel()
        self.says.setProperty("role", "small")
        self.says.setWordWrap(True)
        column.addWidget(self.says)
        row = QHBoxLayout()
        row.setSpacing(HALF)
        self.main = QPushButton()
        self.main.clicked.connect(self._main_clicked)
        self.setFocusProxy(self.main)
        self.listen = QPushButton(self.tr("Listen"))
        self.listen.clicked.connect(lambda: self._hear(self._samples))
        row.addWidget(self.main)
        row.addWidget(self.listen)
        row.addStretch(1)
        column.addLayout(row)
        keep_row = QHBoxLayout()
        keep_row.setSpacing(HALF)
        self.name = QLineEdit()
        self.name.setPlaceholderText(self.tr("Name of the voice"))
        self.name.setAccessibleName(self.tr("Name of the voice"))
        self.name.setMaxLength(120)
        self.name.returnPressed.connect(self._keep)
        self.keep = QPushButton(self.tr("Keep"))
        self.keep.setProperty("kind", "primary")
        self.keep.clicked.connect(self._keep)
        keep_row.addWidget(self.name, 1)
        keep_row.addWidget(self.keep)
        column.addLayout(keep_row)
        self._timer = QTimer(self)
        self._timer.setInterval(1000 // UI_RATE_HZ)
        self._timer.timeout.connect(self._tick)
        self._second = QTimer(self)
        self._second.setInterval(1000)
        self._second.timeout.connect(self._count)
        self._show()
        self.hide()

    def open(self) -> None:
        """Show the card and open the microphone, in the background."""
        recorder = self._studio.recorder
        if recorder is None:
            self._studio.say("warning", self.tr("Recording is not ready yet. Try again in a moment."))
            return
        if self.state != "closed":
            return
        self._set("opening")
        self.show()
        post = self._studio.bridge.post

        def work() -> None:
            try:
                recorder.open()
                post(lambda: self._opened(""))
            except SpeechError as error:
                words = local(str(error))
                post(lambda: self._opened(words))

        threading.Thread(target=work, name="open microphone", daemon=True).start()

    def leave(self) -> None:
        """Close the microphone; what was recorded and not kept is gone."""
        recorder = self._studio.recorder
        self._timer.stop()
        self._second.stop()
        was, self.state = self.state, "closed"
        if recorder is not None and was != "closed":
            recorder.stop()
            threading.Thread(target=recorder.close, name="close microphone", daemon=True).start()
        put_away(self, self._back_to)

    # -- inside

    def _opened(self, problem: str) -> None:
        if self.state != "opening":
            return
        if problem:
            self.state = "closed"
            self.says.setText(problem)
            self.main.setEnabled(False)
            return
        self._set("ready")
        self._timer.start()

    def _main_clicked(self) -> None:
        if self.state in ("ready", "recorded"):
            self._left_s = COUNTDOWN_S
            self._set("countdown")
            self._second.start()
        elif self.state == "countdown":
            self._second.stop()
            self._set("ready")
        elif self.state == "recording":
            self._stop()

    def _count(self) -> None:
        self._left_s -= 1
        if self._left_s > 0:
            self._show()
            return
        self._second.stop()
        self._studio.recorder.start()
        self._set("recording")

    def _stop(self) -> None:
        self._samples = self._studio.recorder.stop()
        self._set("recorded")
        # A first look; the whole one follows in the background when it becomes a voice.
        longest_s = longest_clip_s(self._studio.card)
        found = examine(self._samples, SAMPLE_RATE, longest_s=longest_s, listen=False)
        wrong = [local(finding.words) for finding in found.findings if finding.severity != "good"]
        self.says.setText(" ".join(wrong) or self.tr("%1 s, a good recording.").replace("%1", f"{found.seconds:.1f}"))
        self.name.setFocus()

    def _keep(self) -> None:
        if self.state != "recorded" or not len(self._samples):
            return
        name = clean_name(self.name.text().replace("/", " ").replace("\\", " ").replace(":", " ")) or self.tr(
            "My voice"
        )
        folder = Path(tempfile.mkdtemp(prefix="recorded-"))
        try:
            self._keep_file(write_clip(folder / f"{name}.wav", self._samples))
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            self._studio.say("error", self.tr("The recording could not be kept: %1").replace("%1", local(str(error))))
            return
        self.name.clear()
        self.leave()

    def _tick(self) -> None:
        recorder = self._studio.recorder
        self.level.show_level(recorder.level_db)
        if self.state == "recording":
            self.says.setText(self.tr("Recording  %1").replace("%1", clock(recorder.seconds, hundredths=True)))
            if recorder.full:
                self._stop()

    def _set(self, state: str) -> None:
        self.state = state
        self._show()

    def _show(self) -> None:
        words = {
            "opening": self.tr("Opening the microphone…"),
            "ready": self.tr("Speak: the level should reach the green. 6 to 20 s are best."),
            "countdown": self.tr("Recording starts in %1…").replace("%1", str(self._left_s)),
            "recording": "",
            "recorded": "",
        }.get(self.state, "")
        if words:
            self.says.setText(words)
        self.main.setText(
            {
                "countdown": self.tr("Wait"),
                "recording": self.tr("Stop"),
                "recorded": self.tr("Record again"),
            }.get(self.state, self.tr("Record"))
        )
        self.main.setIcon(theme().icon("stop" if self.state == "recording" else "record", "record"))
        self.main.setEnabled(self.state != "opening")
        recorded = self.state == "recorded"
        for widget in (self.listen, self.name, self.keep):
            widget.setVisible(recorded)


class _Level(QWidget):
    """One bar from -60 to 0 dBFS, green where speech should be."""

    def __init__(self) -> None:
        super().__init__()
        self._db = -120.0
        self.setFixedHeight(10)
        self.setAccessibleName(self.tr("Level of the microphone"))

    def sizeHint(self) -> QSize:
        return QSize(200, 10)

    def show_level(self, level_db: float) -> None:
        if abs(level_db - self._db) > 0.2:
            self._db = level_db
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        bar = QRectF(0, 2, self.width(), 6)
        painter.setBrush(theme().colour("pressed"))
        painter.drawRoundedRect(bar, 3, 3)
        share = max(0.0, min(1.0, (self._db + 60) / 60))
        colour = "error" if self._db > -1 else "accent" if self._db > -24 else "warning"
        painter.setBrush(theme().colour(colour))
        painter.drawRoundedRect(QRectF(0, 2, bar.width() * share, 6), 3, 3)
