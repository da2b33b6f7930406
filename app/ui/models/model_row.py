"""One model in the list: what it is, how far its download is, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.services.machine import Fit
from app.services.models import Row
from app.ui.messages import local
from app.ui.models.words import duration, size
from app.ui.theme import GRID, HALF, theme
from app.ui.widgets.dialog import note
from app.ui.words import counted

_ICONS = {"starter": "sparkle", "catalogue": "download", "folder": "folder", "server": "globe"}


class Glyph(QWidget):
    """An icon in a colour of the theme; `set_look` changes both."""

    def __init__(self, icon: str, colour: str = "accent", side_px: int = 20) -> None:
        super().__init__()
        self._icon, self._colour, self._side = icon, colour, side_px
        self.setFixedSize(side_px + 16, side_px + 16)

    def set_look(self, icon: str, colour: str) -> None:
        if (icon, colour) != (self._icon, self._colour):
            self._icon, self._colour = icon, colour
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().alpha(self._colour, 0.14))
        painter.drawRoundedRect(QRectF(self.rect()), 8, 8)
        theme().paint_icon(painter, QRectF(8, 8, self._side, self._side), self._icon, self._colour)


class ModelRow(QFrame):
    """A card for one model. `show_row` fills it anew; buttons call what `deeds` says.

    Attributes:
        row: what is shown.
        buttons: by deed: use, download, pause, remove, forget.
    """

    TEXTS = ("use", "download", "pause", "remove", "forget")

    def __init__(self, deeds: dict[str, Callable[[Row], object]]) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.row: Row | None = None
        self._deeds = deeds
        across = QHBoxLayout(self)
        across.setContentsMargins(GRID * 2, GRID + HALF, GRID * 2, GRID + HALF)
        across.setSpacing(GRID * 2)
        self.glyph = Glyph("chip")
        across.addWidget(self.glyph, 0, Qt.AlignmentFlag.AlignTop)
        middle = QVBoxLayout()
        middle.setSpacing(HALF)
        head = QHBoxLayout()
        head.setSpacing(GRID)
        self.name = QLabel()
        self.name.setProperty("role", "heading")
        self.badge = QLabel()
        self.badge.setProperty("role", "small")
        head.addWidget(self.name)
        head.addWidget(self.badge)
        head.addStretch(1)
        middle.addLayout(head)
        self.summary = note("", "small")
        self.facts = note("", "faint")
        self.fit = note("", "small")
        self.fault = note("", "warning")
        for label in (self.summary, self.facts, self.fit, self.fault):
            middle.addWidget(label)
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.figures = QLabel()
        self.figures.setProperty("role", "small")
        self.figures.setFont(theme().figures_font(-1))
        middle.addWidget(self.bar)
        middle.addWidget(self.figures)
        across.addLayout(middle, 1)
        self.buttons: dict[str, QPushButton] = {}
        column = QVBoxLayout()
        column.setSpacing(HALF)
        for deed in self.TEXTS:
            button = QPushButton()
            button.setAutoDefault(False)
            button.setMinimumWidth(96)
            button.clicked.connect(lambda _=False, deed=deed: self._do(deed))
            self.buttons[deed] = button
            column.addWidget(button)
        column.addStretch(1)
        self.buttons["use"].setProperty("kind", "primary")
        self.buttons["remove"].setProperty("kind", "danger")
        across.addLayout(column)

    def _do(self, deed: str) -> None:
        if self.row is not None:
            self._deeds[deed](self.row)

    def show_row(self, row: Row, *, chosen: bool, loading: bool, fit: Fit | None) -> None:
        """Fill in what is known of a model; `fit` is how this machine would run it."""
        self.row = row
        state = {
            "ready": self.tr("Speaks now")
            if chosen and not loading
            else self.tr("Loading…")
            if chosen
            else self.tr("Installed"),
            "absent": self.tr("Not downloaded"),
            "partial": self.tr("Download stopped"),
            "loading": self.tr("Downloading"),
            "damaged": self.tr("Damaged"),
            "cached": self.tr("In the hub’s cache on this machine"),
        }[row.state]
        self.name.setText(row.name)
        self.badge.setText(state)
        colour = {"damaged": "error", "partial": "warning", "absent": "text_faint"}.get(row.state, "accent")
        self.glyph.set_look(_ICONS[row.kind] if row.state in ("absent", "loading", "partial") else "chip", colour)
        self.setAccessibleName(f"{row.name}: {state}")
        self._words(self.summary, local(row.summary))
        self._words(self.facts, " · ".join(self._facts_of(row)))
        self._words(self.fit, local(fit.words) if fit is not None else "")
        self.fit.setProperty("role", "warning" if fit is not None and fit.level == "no" else "small")
        self.fit.style().polish(self.fit)
        self._words(self.fault, local(row.fault))
        self._show_progress(row)
        usable = row.state in ("ready", "cached")
        shown = {
            "use": usable and not chosen,
            "download": row.state in ("absent", "partial") or (row.state == "damaged" and row.kind == "catalogue"),
            "pause": row.state == "loading",
            "remove": row.kind == "catalogue" and row.state in ("ready", "damaged", "partial"),
            "forget": row.kind == "folder",
        }
        words = {
            "use": self.tr("Use"),
            "download": {"partial": self.tr("Go on"), "damaged": self.tr("Repair")}.get(row.state, self.tr("Download")),
            "pause": self.tr("Pause"),
            "remove": self.tr("Remove…"),
            "forget": self.tr("Forget"),
        }
        for deed, button in self.buttons.items():
            button.setVisible(shown[deed])
            button.setText(words[deed])
            button.setAccessibleName(f"{words[deed].rstrip('…')}: {row.name}")

    def _facts_of(self, row: Row) -> list[str]:
        facts = []
        if row.entry is not None:
            facts += [size(row.size_bytes), row.entry.licence]
            facts.append(counted(len(row.entry.languages), self.tr("1 language"), self.tr("%1 languages")))
        elif row.kind == "starter":
            facts.append(self.tr("Comes with the studio; English; five voices"))
        elif row.size_bytes:
            facts.append(size(row.size_bytes))
        if row.folder is not None and row.kind != "starter":
            facts.append(str(row.folder))
        return [fact for fact in facts if fact]

    def _show_progress(self, row: Row) -> None:
        progress = row.progress
        shown = progress is not None and row.state in ("loading", "partial")
        self.bar.setVisible(shown)
        self.figures.setVisible(shown)
        if progress is None or not shown:
            return
        self.bar.setValue(round(1000 * progress.fraction))
        self.bar.setAccessibleName(self.tr("Download of %1").replace("%1", row.name))
        words = (
            [f"{size(progress.done_bytes)} / {size(progress.total_bytes)}"]
            if progress.total_bytes
            else [self.tr("Asking the hub…")]
        )
        if row.state == "loading" and progress.stage == "moving":
            words.append(self.tr("moving what had come to its new folder"))
        elif row.state == "loading" and progress.stage == "checking":
            words.append(self.tr("checking %1").replace("%1", progress.file))
        elif row.state == "loading" and progress.bytes_per_s:
            words.append(f"{size(progress.bytes_per_s)}/s")
            if progress.left_s is not None:
                words.append(self.tr("%1 left").replace("%1", duration(progress.left_s)))
        self.figures.setText("   ".join(words))

    @staticmethod
    def _words(label: QLabel, text: str) -> None:
        label.setText(text)
        label.setVisible(bool(text))

    def sizeHint(self) -> QSize:
        return super().sizeHint().expandedTo(QSize(420, 72))
