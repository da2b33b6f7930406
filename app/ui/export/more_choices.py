"""What is seldom said of an export: channels, names, cue sheet, cover, and the mark of synthetic speech."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QCheckBox, QFileDialog, QLineEdit, QPushButton

from app.services.exporter_names import FIELDS
from app.services.exporter_plan import TEMPLATES
from app.ui.widgets.fields import Section, Segments

WITH_COVER = ("mp3", "m4b")


class MoreChoices(Section):
    """
    Attributes:
        channels: 2 or 1. names: a template for several files; empty is the usual one. cues: whether a JSON cue sheet is
        written. cover: a picture, for the formats that hold one. synthetic: the file says that the voice is.
    """

    def __init__(self) -> None:
        super().__init__(QCoreApplication.translate("MoreChoices", "More"), foldable=True, open_=False)
        self.channels = Segments(self.tr("Channels"), ((self.tr("Stereo"), 2), (self.tr("Mono"), 1)))
        self.add_row(self.tr("Channels"), self.channels)
        self.names = QLineEdit()
        self.names.setAccessibleName(self.tr("Names of the files"))
        self.names.setToolTip(
            self.tr("What can be put in: %1").replace("%1", " ".join(f"{{{field}}}" for field in FIELDS))
        )
        self.add_row(self.tr("Names"), self.names)
        self.cover = QLineEdit()
        self.cover.setAccessibleName(self.tr("Cover"))
        self.cover.setPlaceholderText(self.tr("JPEG or PNG, for MP3 and M4B"))
        browse = QPushButton(self.tr("Choose…"))
        browse.setAccessibleName(self.tr("Choose a cover"))
        browse.setAutoDefault(False)
        browse.clicked.connect(self._choose_cover)
        self._browse = browse
        self.add_row(self.tr("Cover"), self.cover, browse)
        self.cues = QCheckBox(self.tr("Cue sheet: where every line is heard, as JSON"))
        self.add_wide(self.cues)
        self.synthetic = QCheckBox(self.tr("Say in the file that the voice is synthetic"))
        self.add_wide(self.synthetic)

    def load(self, kept: dict[str, Any]) -> None:
        """As the project was exported last."""
        self.channels.show_value(1 if kept.get("channels") == 1 else 2)
        for field, name in ((self.names, "names"), (self.cover, "cover")):
            text = kept.get(name, "")
            field.setText(text if isinstance(text, str) else "")
        self.cues.setChecked(kept.get("cues") is True)
        self.synthetic.setChecked(kept.get("synthetic") is not False)

    def kept(self) -> dict[str, Any]:
        """As plain values, for `load`."""
        return {
            "channels": self.channel_count,
            "names": self.names.text().strip(),
            "cover": self.cover.text().strip(),
            "cues": self.cues.isChecked(),
            "synthetic": self.synthetic.isChecked(),
        }

    def fit(self, kind: str, split: str) -> None:
        """Enable what goes with a format and a way to split."""
        self.names.setEnabled(split != "programme")
        self.names.setPlaceholderText(TEMPLATES.get(split, ""))
        for widget in (self.cover, self._browse):
            widget.setEnabled(kind in WITH_COVER)

    @property
    def channel_count(self) -> int:
        return 1 if self.channels.buttons[1].isChecked() else 2

    @property
    def template(self) -> str | None:
        """None is the usual one."""
        return (self.names.text().strip() or None) if self.names.isEnabled() else None

    @property
    def cover_file(self) -> Path | None:
        text = self.cover.text().strip()
        return Path(text).expanduser() if text and self.cover.isEnabled() else None

    def _choose_cover(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, self.tr("Cover"), self.cover.text(), "*.jpg *.jpeg *.png")
        if name:
            self.cover.setText(name)
