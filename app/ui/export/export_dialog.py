"""The export dialog: choices, then progress that can be cancelled at once, then what was written."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.model.content_commands import SetProjectSettings
from app.services.export_job import prepare_export
from app.services.exporter_formats import EXTENSIONS, AudioFormat, FileTags
from app.services.exporter_names import safe_name
from app.services.exporter_plan import BlocksNotReady
from app.services.exporter_request import ExportReport, ExportRequest, Progress
from app.services.loudness import LUFS_TARGETS, target_for
from app.ui.messages import local
from app.ui.studio import Studio
from app.ui.theme import GRID
from app.ui.widgets.dialog import Dialog, card, note
from app.ui.widgets.fields import Choice, Segments
from app.ui.window_state import WindowState
from engine.errors import SpeechError

QUALITIES: dict[str, tuple[tuple[str, dict[str, int]], ...]] = {
    "wav": (
        ("24 bit, 48 kHz", {"bits": 24}),
        ("16 bit, 44.1 kHz", {"bits": 16, "rate": 44_100}),
        ("32 bit float, 48 kHz", {"bits": 32}),
    ),
    "flac": (("24 bit, 48 kHz", {"bits": 24}), ("16 bit, 44.1 kHz", {"bits": 16, "rate": 44_100})),
    "mp3": (
        ("192 kbit/s", {"kbps": 192}),
        ("320 kbit/s", {"kbps": 320}),
        ("128 kbit/s", {"kbps": 128}),
        ("64 kbit/s", {"kbps": 64}),
    ),
    "opus": (("96 kbit/s", {"kbps": 96}), ("64 kbit/s", {"kbps": 64}), ("32 kbit/s", {"kbps": 32})),
    "m4b": (("128 kbit/s", {"kbps": 128}), ("192 kbit/s", {"kbps": 192}), ("64 kbit/s", {"kbps": 64})),
}


class ExportDialog(Dialog):
    """Remembers its choices with the project. Work goes on while it exports; the dialog may stay open or be closed."""

    def __init__(self, studio: Studio, state: WindowState, parent: QWidget) -> None:
        super().__init__(parent, QCoreApplication.translate("ExportDialog", "Export"), width=600)
        self._studio = studio
        self._state = state
        self._ids: tuple[str, ...] | None = None
        self._task: Any = None
        self._report: ExportReport | None = None
        self._stack = QStackedWidget()
        self.body.addWidget(self._stack, 1)
        self._stack.addWidget(self._make_choices())
        self._stack.addWidget(self._make_progress())
        self._stack.addWidget(self._make_outcome())
        self._back = self.add_button(self.tr("Back"), left=True)
        self._back.clicked.connect(self._show_choices)
        self._folder_button = self.add_button(self.tr("Show in folder"))
        self._folder_button.clicked.connect(self._open_folder)
        self._cancel = self.add_button(self.tr("Cancel"))
        self._cancel.clicked.connect(self.reject)
        self._go = self.add_button(self.tr("Export"), primary=True)
        self._go.clicked.connect(self.start)
        self._load()
        self._show_choices()
        studio.project_replaced.connect(self.reject)
        self.resize(600, 540)

    # Building

    def _make_choices(self) -> QWidget:
        page = QWidget()
        grid = QGridLayout(page)
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
        self.place.textChanged.connect(self._check)
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
        self._missing = note("", "small")
        grid.addWidget(self._missing, len(rows) + 1, 1)
        self.replaced = note("", "warning")
        grid.addWidget(self.replaced, len(rows) + 2, 1)
        grid.setRowStretch(len(rows) + 3, 1)
        return page

    def _make_progress(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, GRID * 2, 0, 0)
        column.setSpacing(GRID)
        self._stage = QLabel()
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setAccessibleName(self.tr("Export"))
        self._left = QLabel()
        self._left.setProperty("role", "small")
        for widget in (self._stage, self.bar, self._left):
            column.addWidget(widget)
        column.addWidget(note(self.tr("You can go on writing. What you change now is not in this export."), "small"))
        column.addStretch(1)
        return page

    def _make_outcome(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        frame, inside = card()
        self._outcome = note("", "")
        self._outcome.setTextFormat(Qt.TextFormat.RichText)
        inside.addWidget(self._outcome)
        column.addWidget(frame)
        column.addStretch(1)
        return page

    # Choices

    def set_blocks(self, block_ids: Sequence[str] | None) -> None:
        """What is exported; None is the whole script."""
        self._ids = tuple(block_ids) if block_ids is not None else None
        if self._task is None:
            self._show_choices()

    def _load(self) -> None:
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
        self._suggest_place()

    def _keep(self) -> None:
        """The choices travel with the project."""
        kept = {
            "kind": self._kind,
            "quality": self.quality.currentText(),
            "split": self._split,
            "loudness": self.loudness.currentData(),
            "srt": self.srt.isChecked(),
            "vtt": self.vtt.isChecked(),
        }
        changes = {"export": kept, "title": self.title_field.text().strip(), "author": self.author_field.text().strip()}
        settings = self._studio.project.settings
        changed = {name: value for name, value in changes.items() if getattr(settings, name) != value}
        if changed:
            self._studio.history.note(SetProjectSettings(changed))

    def _kind_chosen(self, kind: str) -> None:
        self._kind = kind
        self._fill_quality("")
        self._suggest_place()

    def _fill_quality(self, wanted: str) -> None:
        entries: list[Any] = [(text, values, None) for text, values in QUALITIES[self._kind]]
        self.quality.show_values(entries, next((data for text, data, _ in entries if text == wanted), entries[0][1]))

    def _split_chosen(self, split: str) -> None:
        self._split = split
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

    def _check(self) -> None:
        self._go.setEnabled(bool(self.place.text().strip()))
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

    def request(self) -> ExportRequest:
        """What is asked for, as it stands. Raises SpeechError for what cannot be done."""
        out = self._out()
        subtitles = [kind for kind, box in (("srt", self.srt), ("vtt", self.vtt)) if box.isChecked()]
        title, author = self.title_field.text().strip(), self.author_field.text().strip()
        return ExportRequest(
            out=out,
            audio=AudioFormat(self._kind, **self.quality.currentData()),  # type: ignore[arg-type]
            split=self._split,
            block_ids=self._ids,
            loudness=target_for(self.loudness.currentData()),
            subtitles=frozenset(subtitles),  # type: ignore[arg-type]
            tags=FileTags(title=title, album=title, artist=author),
            skip=self.skip.isChecked(),
        )

    # Work

    def start(self) -> None:
        """Begin; what is missing is spoken first."""
        try:
            request = self.request()
        except SpeechError as error:
            self._studio.say("error", str(error))
            return
        self._keep()
        self._state.export_folder = str(request.out.parent)
        renderer = self._studio.renderer
        run = prepare_export(renderer, request, self._studio.bridge.post, render_first=self._studio.engine is not None)

        def work(task: Any) -> ExportReport:
            def tell(progress: Progress) -> None:
                self._studio.bridge.post_latest(("export", id(self)), lambda: self._told(progress))

            return run(tell, lambda: task.is_cancelled)

        self._task = self._studio.tasks.run(work, self._done, self._failed, title=self.tr("Export"))
        self._stage.setText(self.tr("Starting…"))
        self.bar.setValue(0)
        self._left.setText("")
        self._stack.setCurrentIndex(1)
        self._buttons()

    def _told(self, progress: Progress) -> None:
        if self._task is None:
            return
        words = {
            "rendering": self.tr("Speaking what is missing…"),
            "measuring": self.tr("Measuring loudness…"),
            "writing": self.tr("Writing…"),
            "checking": self.tr("Checking what was written…"),
        }
        self._stage.setText(words.get(progress.stage, progress.stage))
        self.bar.setValue(round(progress.fraction * 1000))
        if progress.left_s is not None:
            self._left.setText(self.tr("About %1 left").replace("%1", _clock(progress.left_s)))

    def _done(self, report: ExportReport) -> None:
        self._task = None
        self._report = report
        lines = []
        for file in report.files[:8]:
            level = f" · {file.measured.lufs:.1f} LUFS" if file.measured is not None else ""
            lines.append(f"<b>{escape(file.path.name)}</b> &nbsp; {_clock(file.seconds)}{level}")
            lines += [f"<span>⚠ {escape(local(str(fault)))}</span>" for fault in file.faults]
        if len(report.files) > 8:
            lines.append(self.tr("and %1 more files").replace("%1", str(len(report.files) - 8)))
        lines += [escape(path.name) for path in report.texts[:6]]
        if report.left_out:
            lines.append("")
            lines.append(self.tr("Left out: %1 lines").replace("%1", str(len(report.left_out))))
            lines += [escape(str(problem)) for problem in report.left_out[:5]]
        self._outcome.setText("<br>".join(lines))
        count = len(report.files)
        words = (
            self.tr("1 file is written.") if count == 1 else self.tr("%1 files are written.").replace("%1", str(count))
        )
        self.set_sentence(words)
        self._stack.setCurrentIndex(2)
        self._buttons()
        if not self.isVisible():
            self._studio.say("done", self.tr("Export finished: %1").replace("%1", words))

    def _failed(self, error: BaseException) -> None:
        self._task = None
        self._report = None
        if isinstance(error, BlocksNotReady):
            first = error.problems[0]
            lines = [f"• {escape(str(problem))}" for problem in error.problems[:8]]
            if len(error.problems) > 8:
                lines.append(self.tr("and %1 more").replace("%1", str(len(error.problems) - 8)))
            self._outcome.setText("<br>".join(lines))
            self.set_sentence(
                self.tr("Nothing was written: these lines are not ready. Make them, or choose to leave them out.")
            )
            self._studio.jump_requested.emit(first.block_id)
        else:
            message = local(getattr(error, "message", str(error)))
            remedy = getattr(error, "remedy", "")
            self._outcome.setText(f"{escape(message)}<br>{escape(remedy)}")
            self.set_sentence(self.tr("Nothing was written."))
        self._stack.setCurrentIndex(2)
        self._buttons()

    def _show_choices(self) -> None:
        self._stack.setCurrentIndex(0)
        self._check()
        what = (
            self.tr("The whole script") if self._ids is None else self.tr("%1 lines").replace("%1", str(len(self._ids)))
        )
        self.set_sentence(what)
        ids = self._ids if self._ids is not None else tuple(block.id for block in self._studio.project.blocks)
        renderer = self._studio.renderer
        blocks = [self._studio.project.block(each) for each in ids] if renderer else []
        missing = sum(map(renderer.states.needs_speaking, blocks)) if renderer else 0
        mono = list(filter(renderer.states.is_mono, blocks)) if renderer else []
        again = sum(map(renderer.states.needs_stereo, mono)) if renderer and self._studio.engine is not None else 0
        words = []
        if missing and self._studio.engine is not None:
            words.append(self.tr("%1 lines are spoken first.").replace("%1", str(missing)))
        elif missing:
            words.append(self.tr("%1 lines are not spoken yet, and no model is loaded.").replace("%1", str(missing)))
        elif not again:
            words.append(self.tr("Everything is spoken."))
        if again:
            text = self.tr("%1 lines that a server streamed in mono are spoken again in stereo first.")
            words.append(text.replace("%1", str(again)))
        if len(mono) > again:
            text = self.tr("%1 lines are in mono, as a server streamed them.")
            words.append(text.replace("%1", str(len(mono) - again)))
        self._missing.setText(" ".join(words))
        self._buttons()

    def _buttons(self) -> None:
        page = self._stack.currentIndex()
        self._go.setVisible(page == 0)
        self._back.setVisible(page == 2)
        self._folder_button.setVisible(page == 2 and self._report is not None)
        self._cancel.setText(self.tr("Cancel") if page < 2 else self.tr("Close"))

    def _open_folder(self) -> None:
        if self._report is not None and self._report.files:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._report.files[0].path.parent)))

    def reject(self) -> None:
        """Cancel works at once; nothing half written stays."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        super().reject()


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
