"""What a person says of an export: format, files, loudness, subtitles, names, and where it goes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QGridLayout, QHBoxLayout, QLabel, QLineEdit, QPushButton, QWidget

from app.model.content_commands import SetProjectSettings
from app.services.exporter_formats import EXTENSIONS, AudioFormat, FileTags
from app.services.exporter_names import safe_name
from app.services.exporter_request import ExportRequest
from app.services.loudness import LUFS_TARGETS, target_for
from app.ui.export.more_choices import MoreChoices
from app.ui.studio import Studio
from app.ui.theme import GRID
from app.ui.widgets.dialog import note
from app.ui.widgets.fields import Choice, Segments
from app.ui.window_state import WindowState

QUALITIES: dict[str, tuple[tuple[str, dict[str, int]], ...]] = {
    "wav": (
        (QT_TRANSLATE_NOOP("ExportChoices", "24 bit, 48 kHz"), {"bits": 24}),
        (QT_TRANSLATE_NOOP("ExportChoices", "16 bit, 44.1 kHz"), {"bits": 16, "rate": 44_100}),
        (QT_TRANSLATE_NOOP("ExportChoices", "32 bit float, 48 kHz"), {"bits": 32}),
    ),
    "flac": (
        (QT_TRANSLATE_NOOP("ExportChoices", "24 bit, 48 kHz"), {"bits": 24}),
        (QT_TRANSLATE_NOOP("ExportChoices", "16 bit, 44.1 kHz"), {"bits": 16, "rate": 44_100}),
    ),
    "mp3": (
        ("192 kbit/s", {"kbps": 192}),
        ("320 kbit/s", {"kbps": 320}),
        ("128 kbit/s", {"kbps": 128}),
        ("64 kbit/s", {"kbps": 64}),
    ),
    "opus": (("96 kbit/s", {"kbps": 96}), ("64 kbit/s", {"kbps": 64}), ("32 kbit/s", {"kbps": 32})),
    "m4b": (("128 kbit/s", {"kbps": 128}), ("192 kbit/s", {"kbps": 192}), ("64 kbit/s", {"kbps": 64})),
}


class ExportChoices(QWidget):
    """The fields of the export dialog.

    Attributes:
        kind, quality, split, loudness, srt, vtt, title_field, author_field, place, skip, more: the fields.
        missing: what must be spoken first, for the dialog to fill in. replaced: what is there already.

    Signals:
        has_place(bool): whether a place is named.
    """

    has_place = Signal(bool)

    def __init__(self, studio: Studio, state: WindowState) -> None:
        super().__init__()
        self._studio, self._state = studio, state
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GRID * 2)
        grid.setVerticalSpacing(GRID + 4)
        grid.setColumnStretch(1, 1)
        grid.setColumnMinimumWidth(0, 96)
        self.kind = Segments(
            self.tr("Format"), (("WAV", "wav"), ("FLAC", "flac"), ("MP3", "mp3"), ("M4B", "m4b"), ("Opus", "opus"))
        )
        self.kind.edited.connect(self._kind_chosen)
        self.quality = Choice(self.tr("Quality"))
        self.split = Segments(
            self.tr("Files"),
            (
                (self.tr("One file"), "programme"),
                (self.tr("One a chapter"), "chapter"),
                (self.tr("One a line"), "block"),
                (self.tr("One a voice"), "voice"),
            ),
        )
        self.split.edited.connect(self._split_chosen)
        self.loudness = Choice(self.tr("Loudness"))
        names = {
            -16.0: self.tr("podcast"),
            -14.0: self.tr("streaming"),
            -23.0: self.tr("broadcast"),
            -19.0: self.tr("mono podcast"),
        }
        entries: list[Any] = [(self.tr("As it is"), "off", None)]
        for value in LUFS_TARGETS:
            name = names.get(float(value))
            entries.append((f"{value:g} LUFS" + (f" ({name})" if name else ""), f"{value:g}", None))
        entries.append((self.tr("ACX audiobook"), "acx", None))
        self.loudness.show_values(entries, "off")
        self.srt, self.vtt = QCheckBox("SRT"), QCheckBox("WebVTT")
        self.srt.setAccessibleName(self.tr("Subtitles as SRT"))
        self.vtt.setAccessibleName(self.tr("Subtitles as WebVTT"))
        self.title_field, self.author_field = QLineEdit(), QLineEdit()
        self.title_field.setAccessibleName(self.tr("Title"))
        self.author_field.setAccessibleName(self.tr("Author"))
        self.place = QLineEdit()
        self.place.setAccessibleName(self.tr("Where to"))
        self.place.textChanged.connect(self.check)
        browse = QPushButton(self.tr("Choose…"))
        browse.clicked.connect(self._choose_place)
        self.skip = QCheckBox(self.tr("Leave out lines that cannot be made"))
        subtitles, where = QHBoxLayout(), QHBoxLayout()
        for layout, widgets in ((subtitles, (self.srt, self.vtt)), (where, (self.place, browse))):
            layout.setSpacing(GRID * 2 if layout is subtitles else GRID)
            for widget in widgets:
                layout.addWidget(widget, 1 if widget is self.place else 0)
        subtitles.addStretch(1)
        rows: tuple[tuple[str, Any], ...] = (
            (self.tr("Format"), self.kind),
            (self.tr("Quality"), self.quality),
            (self.tr("Files"), self.split),
            (self.tr("Loudness"), self.loudness),
            (self.tr("Subtitles"), subtitles),
            (self.tr("Title"), self.title_field),
            (self.tr("Author"), self.author_field),
            (self.tr("Where to"), where),
        )
        for row, (words, field) in enumerate(rows):
            label = QLabel(words)
            label.setProperty("role", "soft")
            grid.addWidget(label, row, 0)
            if isinstance(field, QHBoxLayout):
                grid.addLayout(field, row, 1)
            else:
                grid.addWidget(field, row, 1)
        grid.addWidget(self.skip, len(rows), 1)
        self.more = MoreChoices()
        grid.addWidget(self.more, len(rows) + 1, 0, 1, 2)
        self.missing = note("", "small")
        grid.addWidget(self.missing, len(rows) + 2, 1)
        self.replaced = note("", "warning")
        grid.addWidget(self.replaced, len(rows) + 3, 1)
        grid.setRowStretch(len(rows) + 4, 1)
        self.load()

    def load(self) -> None:
        """As the project was exported last."""
        settings = self._studio.project.settings
        kept = settings.export
        kind = kept.get("kind", "wav")
        self._kind = kind if kind in QUALITIES else "wav"
        self._split = kept.get("split", "programme")
        self.kind.show_value(self._kind)
        self._fill_quality(kept.get("quality", ""))
        if self._split not in self.split.buttons:
            self._split = "programme"
        self.split.show_value(self._split)
        self.loudness.setCurrentIndex(max(0, self.loudness.findData(kept.get("loudness", "off"))))
        self.srt.setChecked(bool(kept.get("srt", False)))
        self.vtt.setChecked(bool(kept.get("vtt", False)))
        self.title_field.setText(settings.title)
        self.author_field.setText(settings.author)
        self.more.load(kept)
        self.more.fit(self._kind, self._split)
        self._suggest_place()

    def keep(self) -> None:
        """The choices travel with the project."""
        kept = {
            "kind": self._kind,
            "quality": next(
                (text for text, values in QUALITIES[self._kind] if values == self.quality.currentData()), ""
            ),
            "split": self._split,
            "loudness": self.loudness.currentData(),
            "srt": self.srt.isChecked(),
            "vtt": self.vtt.isChecked(),
            **self.more.kept(),
        }
        changes = {"export": kept, "title": self.title_field.text().strip(), "author": self.author_field.text().strip()}
        settings = self._studio.project.settings
        changed = {name: value for name, value in changes.items() if getattr(settings, name) != value}
        if changed:
            self._studio.history.note(SetProjectSettings(changed))

    def _kind_chosen(self, kind: str) -> None:
        self._kind = kind
        self._fill_quality("")
        self.more.fit(self._kind, self._split)
        self._suggest_place()

    def _fill_quality(self, wanted: str) -> None:
        entries: list[Any] = [(self.tr(text), values, None) for text, values in QUALITIES[self._kind]]
        # Kept by its name in the source, whatever the language of the window.
        named = dict(QUALITIES[self._kind])
        self.quality.show_values(entries, named.get(wanted, entries[0][1]))

    def _split_chosen(self, split: str) -> None:
        self._split = split
        self.more.fit(self._kind, self._split)
        self._suggest_place()

    def _suggest_place(self) -> None:
        store = self._studio.store
        folder = (
            Path(self._state.export_folder)
            if self._state.export_folder
            else (Path.home() if store.is_untitled else store.path.parent)
        )
        title = self.title_field.text().strip() or (self.tr("Untitled") if store.is_untitled else store.path.stem)
        name = safe_name(title) or "export"
        if self._split == "programme":
            self.place.setText(str(folder / (name + EXTENSIONS[self._kind])))  # type: ignore[index]
        else:
            self.place.setText(str(folder / name))

    def _choose_place(self) -> None:
        if self._split == "programme":
            extension = EXTENSIONS[self._kind]  # type: ignore[index]
            name, _ = QFileDialog.getSaveFileName(self, self.tr("Export as"), self.place.text(), f"*{extension}")
        else:
            name = QFileDialog.getExistingDirectory(self, self.tr("Folder for the files"), self.place.text())
        if name:
            self.place.setText(name)

    def check(self) -> None:
        """Tell whether there is a place, and what would be replaced there."""
        self.has_place.emit(bool(self.place.text().strip()))
        out = self._out()
        there = self._split == "programme" and out.is_file()
        words = self.tr("%1 is there already. Exporting replaces it.").replace("%1", out.name)
        self.replaced.setText(words if there else "")
        self.replaced.setVisible(there)

    def _out(self) -> Path:
        """The file or folder that is written, as far as its name is typed."""
        out = Path(self.place.text().strip()).expanduser()
        extension = EXTENSIONS[self._kind]  # type: ignore[index]
        if self._split == "programme" and out.name and out.suffix.lower() != extension:
            out = out.with_name(out.name + extension)
        return out

    def request(self, block_ids: tuple[str, ...] | None) -> ExportRequest:
        """What is asked for, as it stands; None is the whole script. Raises SpeechError for what cannot be done."""
        out = self._out()
        boxes = (("srt", self.srt), ("vtt", self.vtt), ("json", self.more.cues))
        subtitles = [kind for kind, box in boxes if box.isChecked()]
        loudness, quality = target_for(self.loudness.currentData()), dict(self.quality.currentData())
        if loudness is not None and loudness.rms_db is not None and self._kind == "mp3":
            quality["rate"] = 44_100  # as ACX takes it
        title, author = self.title_field.text().strip(), self.author_field.text().strip()
        return ExportRequest(
            out=out,
            audio=AudioFormat(self._kind, channels=self.more.channel_count, **quality),  # type: ignore[arg-type]
            split=self._split,
            template=self.more.template,
            block_ids=block_ids,
            loudness=loudness,
            subtitles=frozenset(subtitles),  # type: ignore[arg-type]
            tags=FileTags(
                title=title,
                album=title,
                artist=author,
                cover=self.more.cover_file,
                synthetic=self.more.synthetic.isChecked(),
            ),
            skip=self.skip.isChecked(),
        )
