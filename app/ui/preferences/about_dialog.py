"""What this is, which model speaks, and under which licences."""

from __future__ import annotations

import importlib.metadata
import platform

from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt, qVersion
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.ui.studio import Studio
from app.ui.theme import theme
from app.ui.widgets.dialog import Dialog, card, note


class _Picture(QWidget):
    def sizeHint(self) -> QSize:
        return QSize(72, 72)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme().paint_icon(QPainter(self), QRectF(0, 0, 72, 72), "studio")


class AboutDialog(Dialog):
    """Facts for people and for reports."""

    def __init__(self, studio: Studio, parent: QWidget) -> None:
        super().__init__(
            parent,
            "Moss Voice Studio",
            QCoreApplication.translate("AboutDialog", "Speech made by an open model, on your own machine."),
            width=480,
        )
        picture = _Picture()
        picture.setFixedSize(72, 72)
        self.body.addWidget(picture)
        try:
            version = importlib.metadata.version("moss-voice-studio")
        except importlib.metadata.PackageNotFoundError:
            version = "–"
        frame, inside = card()
        card_of_model = studio.card
        lines = [
            self.tr("Version %1").replace("%1", version),
            f"Python {platform.python_version()} · Qt {qVersion()} · {platform.system()}",
        ]
        if card_of_model is not None:
            lines.append(
                self.tr("Model: %1 (%2)").replace("%1", card_of_model.name).replace("%2", card_of_model.licence or "–")
            )
        for line in lines:
            inside.addWidget(note(line, ""))
        self.body.addWidget(frame)
        self.body.addWidget(
            note(
                self.tr(
                    "Generated speech is synthetic: say so where you publish it. "
                    "Use a voice only with the consent of its owner."
                ),
                "small",
            )
        )
        self.add_button(self.tr("Close"), primary=True).clicked.connect(self.accept)
        self.setWindowFlag(Qt.WindowType.WindowContextHelpButtonHint, False)
