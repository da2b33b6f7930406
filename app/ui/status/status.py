"""The line at the bottom: how fast speech comes, what is ahead, what the engine does now."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QWidget

from app.services.playing import PlayState
from app.ui.messages import local
from app.ui.status.queue_panel import QueuePanel
from app.ui.status.unfinished import Unfinished
from app.ui.studio import Studio
from app.ui.theme import GRID, theme
from app.ui.transport.playback import playback_of
from app.ui.widgets.dock import small_button
from app.ui.widgets.labels import show_words

_EVERY_MS = 250


class Status(QWidget):
    """Figures on the left, what is being done on the right. Renewed four times a second while anything happens.

    Attributes:
        figures: labels by name: ttfa, delay, rtf, lead, underruns, memory.
        doing: what happens now. queue: lines to make, opened by `open_queue`.
    """

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self._playback = playback_of(studio)
        self._engine: dict[str, Any] = {}
        self._loading: tuple[str, float] | None = None
        self._problem = ""
        self.setAccessibleName(self.tr("Status"))
        row = QHBoxLayout(self)
        row.setContentsMargins(GRID + 4, 2, GRID + 4, 2)
        row.setSpacing(GRID * 2)
        self.figures: dict[str, QLabel] = {}
        for name, what in (
            ("ttfa", self.tr("Time to first audio: from asking until the first sound is handed over")),
            ("delay", self.tr("Audible delay: time to first audio and the device’s buffer")),
            (
                "rtf",
                self.tr("Real-time factor: time spent for each second of speech; below 1 is faster than listening"),
            ),
            ("lead", self.tr("Lead: speech that is ready ahead of the playhead")),
            ("underruns", self.tr("Underruns: times the sound device ran dry")),
            ("memory", self.tr("Memory the model uses")),
        ):
            label = QLabel()
            label.setToolTip(what)
            label.setAccessibleName(what)
            self.figures[name] = label
            row.addWidget(label)
        row.addStretch(1)
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setFixedWidth(120)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Progress"))
        row.addWidget(self.bar, 0, Qt.AlignmentFlag.AlignVCenter)
        self.doing = QLabel()
        self.doing.setAccessibleName(self.tr("What happens now"))
        self.queue = QueuePanel(studio, self)
        self.open_queue = small_button("queue", self.tr("Lines that are being made"))
        self.open_queue.clicked.connect(lambda: self.queue.open_above(self.mapToGlobal(QPoint(self.width(), 0))))
        self.unfinished = Unfinished(studio)
        row.addWidget(self.doing)
        row.addWidget(self.unfinished)
        row.addWidget(self.open_queue)
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self.show_all)
        studio.engine_loading.connect(self._is_loading)
        studio.engine_ready.connect(self._is_ready)
        studio.engine_failed.connect(self._has_failed)
        studio.engine_status_changed.connect(self._engine_told)
        studio.block_state_changed.connect(self._wake)
        self._playback.ticked.connect(self._wake)
        studio.project_replaced.connect(self.show_all)
        theme().changed.connect(self._fonts)
        self._fonts()
        self.show_all()

    def _fonts(self) -> None:
        for label in (*self.figures.values(), self.doing):
            label.setFont(theme().figures_font(-1.0))

    def _wake(self, *_: object) -> None:
        if not self._timer.isActive():
            self._timer.start()

    def _is_loading(self, stage: str, fraction: float) -> None:
        self._loading, self._problem = (local(stage), fraction), ""
        self.show_all()

    def _is_ready(self) -> None:
        self._loading, self._problem = None, ""
        self.show_all()

    def _has_failed(self, message: str, _remedy: str) -> None:
        self._loading, self._problem = None, local(message)
        self.show_all()

    def _engine_told(self, status: dict[str, Any]) -> None:
        self._engine = status
        if not self._timer.isActive():
            self._show_memory()

    def show_all(self) -> None:
        """Show what is so now."""
        snapshot = self._playback.snapshot
        renderer = self._studio.renderer
        figures = renderer.figures() if renderer is not None and renderer.store is not None else None
        ttfa_ms = figures.ttfa_ms if figures is not None else None
        rtf = figures.rtf if figures is not None else None
        plays = snapshot.state is not PlayState.STOPPED
        # The device's part is known once something was played.
        known = ttfa_ms is not None and snapshot.audible_delay_ms > 0
        audible_ms = ttfa_ms + snapshot.audible_delay_ms if known else None
        gaps = snapshot.underruns + snapshot.waits
        texts = {
            "ttfa": self.tr("TTFA %1").replace("%1", milliseconds(ttfa_ms)),
            "delay": self.tr("audible %1").replace("%1", milliseconds(audible_ms)),
            "rtf": self.tr("RTF %1").replace("%1", "–" if rtf is None else f"{rtf:.2f}"),
            "lead": self.tr("lead %1").replace("%1", f"{snapshot.lead_s:.1f} s" if plays else "–"),
            "underruns": self.tr("underruns %1").replace("%1", str(gaps)),
        }
        for name, text in texts.items():
            show_words(self.figures[name], text, "warning" if name == "underruns" and gaps else "")
        self._show_memory()
        self._show_doing(figures)
        busy = plays or (figures is not None and (figures.speaking or figures.waiting))
        if not busy:
            self._timer.stop()

    def _show_memory(self) -> None:
        used, total = self._engine.get("memory_used_gb"), self._engine.get("memory_total_gb")
        device = str(self._engine.get("device", "")).upper()
        text = ""
        if isinstance(used, (int, float)):
            text = f"{device} {used:.1f}" + (f" / {total:.1f} GB" if isinstance(total, (int, float)) else " GB")
        show_words(self.figures["memory"], text.strip(), "")

    def _show_doing(self, figures: Any) -> None:
        text, role, share = "", "", -1.0
        if self._problem:
            text, role = self._problem, "warning"
        elif self._loading is not None:
            text, share = self.tr("Loading the model: %1").replace("%1", self._loading[0]), self._loading[1]
        elif figures is not None and (figures.speaking or figures.waiting):
            if figures.asked:
                lines, one = figures.lines == figures.asked, figures.asked == 1
                words = self.tr("%1 of %2 lines") if lines else self.tr("%1 of %2 takes")
                if one:
                    words = self.tr("%1 of 1 line") if lines else self.tr("%1 of 1 take")
                text = words.replace("%1", str(figures.finished)).replace("%2", str(figures.asked))
                share = figures.finished / figures.asked
            else:
                text = self.tr("Speaking ahead")
            if self._studio.renderer.paused:
                text = self.tr("Paused: %1").replace("%1", text)
        elif self._playback.snapshot.state is PlayState.BUFFERING:
            text = self.tr("Waiting for speech")
        elif self._studio.engine is not None:
            text = self.tr("Ready")
        show_words(self.doing, text, role)
        self.bar.setVisible(share >= 0)
        if share >= 0:
            self.bar.setValue(round(1000 * share))


def milliseconds(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.0f} ms" if value < 10_000 else f"{value / 1000:.1f} s"
