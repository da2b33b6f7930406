"""Shows what a file would bring before anything is changed: lines, chapters, speakers, and what is left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QLabel,
    QProgressBar,
    QRadioButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.model.command import Command, Compound
from app.model.content_commands import SetProjectSettings
from app.services.importers import preview_file
from app.services.importers.apply import import_command
from app.services.importers.preview import ImportPreview
from app.ui.import_messages import left_out_words
from app.ui.messages import local
from app.ui.studio import Studio
from app.ui.theme import GRID
from app.ui.voice_menu import voice_dot, voices_of
from app.ui.widgets.dialog import Dialog, card, note
from app.ui.widgets.fields import Choice
from app.ui.widgets.scroll import Scrolled
from app.ui.words import counted
from engine.errors import SpeechError
from engine.requests import FRAME_S
from engine.text.duration import estimate_frames

MOST_SHOWN = 60
MOST_OF_A_LINE = 1_000  # characters; a line of a megabyte would take minutes to lay out
MOST_SPEAKERS = 40


class ImportDialog(Dialog):
    """Reads the file in the background; nothing is changed until Import is pressed, and undo takes all of it back.

    Signals:
        new_project_wanted(): the text shall go into a project of its own.
    """

    new_project_wanted = Signal()

    def __init__(self, studio: Studio, path: Path, parent: QWidget) -> None:
        super().__init__(
            parent, QCoreApplication.translate("ImportDialog", "Import %1").replace("%1", path.name), width=620
        )
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._studio = studio
        self._path = path
        self.preview: ImportPreview | None = None
        self._speakers: dict[str, Choice] = {}
        self._stack = QStackedWidget()
        self.body.addWidget(self._stack, 1)
        waiting = QWidget()
        column = QVBoxLayout(waiting)
        column.addWidget(note(self.tr("Reading…")))
        bar = QProgressBar()
        bar.setRange(0, 0)
        bar.setAccessibleName(self.tr("Reading"))
        column.addWidget(bar)
        column.addStretch(1)
        self._stack.addWidget(waiting)
        self._cancel = self.add_button(self.tr("Cancel"))
        self._cancel.clicked.connect(self.reject)
        self.accept_button = self.add_button(self.tr("Import"), primary=True)
        self.accept_button.setEnabled(False)
        self.accept_button.clicked.connect(self._import)
        self._task = studio.tasks.run(
            lambda task: preview_file(path, lambda: task.is_cancelled),
            self._show,
            self._refuse,
            title=self.windowTitle(),
        )
        self.finished.connect(lambda _: self._task.cancel())
        self.resize(620, 560)

    def _refuse(self, error: BaseException) -> None:
        message = local(getattr(error, "message", str(error)))
        remedy = local(getattr(error, "remedy", ""))
        self.set_sentence("")
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(note(message, ""))
        column.addWidget(note(remedy))
        column.addStretch(1)
        self._stack.addWidget(page)
        self._stack.setCurrentWidget(page)
        self._cancel.setText(self.tr("Close"))

    def _show(self, preview: ImportPreview) -> None:
        self.preview = preview
        words = sum(len(block.text.split()) for block in preview.blocks)
        seconds = sum(estimate_frames(block.text) for block in preview.blocks) * FRAME_S
        facts = [
            counted(len(preview.blocks), self.tr("1 line"), self.tr("%1 lines")),
            counted(words, self.tr("1 word"), self.tr("%1 words")),
            self.tr("about %1 of speech").replace("%1", _hours(seconds)),
        ]
        if preview.chapters:
            facts.insert(0, counted(len(preview.chapters), self.tr("1 chapter"), self.tr("%1 chapters")))
        self.heading.setText(preview.title or self._path.stem)
        self.set_sentence(" · ".join(facts))
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID + 4)
        column.addWidget(self._text_view(preview), 1)
        if preview.left_out or preview.warnings:
            frame, inside = card()
            if preview.left_out:
                inside.addWidget(note(self.tr("Left out: %1.").replace("%1", left_out_words(preview.left_out))))
            for warning in preview.warnings:
                inside.addWidget(note(local(warning), "warning"))
            column.addWidget(frame)
        if preview.speakers:
            column.addWidget(self._speakers_view(preview))
        column.addWidget(self._where())
        self._stack.addWidget(page)
        self._stack.setCurrentWidget(page)
        self.grow()
        self.accept_button.setEnabled(True)
        self.accept_button.setFocus()

    def _text_view(self, preview: ImportPreview) -> QWidget:
        lines: list[str] = []
        for block in preview.blocks[:MOST_SHOWN]:
            text = block.as_written
            if len(text) > MOST_OF_A_LINE:
                text = text[:MOST_OF_A_LINE] + "…"
            text = text.replace("&", "&amp;").replace("<", "&lt;")
            if text.startswith("# "):
                lines.append(f"<p style='margin:8px 0 4px 0'><b>{text[2:]}</b></p>")
            elif text.startswith("## "):
                lines.append(f"<p style='margin:6px 0 2px 0'><b>{text[3:]}</b></p>")
            else:
                lines.append(f"<p style='margin:2px 0'>{text}</p>")
        if len(preview.blocks) > MOST_SHOWN:
            rest = len(preview.blocks) - MOST_SHOWN
            more = counted(rest, self.tr("… and 1 more line"), self.tr("… and %1 more lines"))
            lines.append(f"<p style='margin:6px 0'><i>{more}</i></p>")
        label = QLabel("".join(lines))
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.RichText)
        label.setAlignment(Qt.AlignmentFlag.AlignTop)
        label.setContentsMargins(GRID * 2, GRID, GRID * 2, GRID)
        label.setAccessibleName(self.tr("The text to be imported"))
        scroll = Scrolled(label, self.tr("The text to be imported"))
        scroll.setMinimumHeight(150)
        frame, inside = card(margins=0)
        inside.addWidget(scroll)
        return frame

    def _speakers_view(self, preview: ImportPreview) -> QWidget:
        frame, inside = card()
        inside.addWidget(note(self.tr("Speakers: give each a voice, or keep the name in the text.")))
        grid = QGridLayout()
        grid.setHorizontalSpacing(GRID * 2)
        grid.setVerticalSpacing(GRID)
        grid.setColumnStretch(1, 1)
        voices = voices_of(self._studio)
        entries: list[Any] = [(self.tr("Keep the name in the text"), None, None)]
        entries += [(voice.name, voice.id, voice_dot(voice.colour)) for voice in voices]
        for row, (speaker, count) in enumerate(list(preview.speakers.items())[:MOST_SPEAKERS]):
            label = QLabel(f"{speaker}  ({count})")
            choice = Choice(self.tr("Voice of %1").replace("%1", speaker))
            same = next((voice.id for voice in voices if voice.name.casefold() == speaker.casefold()), None)
            choice.show_values(entries, same)
            self._speakers[speaker] = choice
            grid.addWidget(label, row, 0)
            grid.addWidget(choice, row, 1)
        inside.addLayout(grid)
        return frame

    def _where(self) -> QWidget:
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID // 2)
        self._places = QButtonGroup(holder)
        empty = self._studio.project is None or not self._studio.project.characters
        for text, where in (
            (self.tr("Into this project, at its end"), "end"),
            (self.tr("Instead of this project’s text"), "instead"),
            (self.tr("Into a new project"), "new"),
        ):
            button = QRadioButton(text)
            button.setProperty("where", where)
            self._places.addButton(button)
            column.addWidget(button)
            if where == "new" and not empty or where == "end" and empty:
                button.setChecked(True)
        holder.setVisible(not empty)
        return holder

    def _import(self) -> None:
        preview = self.preview
        if preview is None:
            return
        where = self._places.checkedButton().property("where")
        if where == "new":
            self.new_project_wanted.emit()
        project = self._studio.project
        voices = {speaker: choice.currentData() for speaker, choice in self._speakers.items() if choice.currentData()}
        commands: list[Command] = []
        for voice_id in dict.fromkeys(voices.values()):
            adopt = self._studio.adopt_voice(voice_id)
            if adopt is not None:
                commands.append(adopt)
        instead = where in ("instead", "new") or not project.characters
        commands.append(
            import_command(
                project,
                preview,
                position=0 if instead else None,
                removed_chars=project.characters if instead else 0,
                voices=voices,
            )
        )
        if instead and not project.settings.title:
            commands.append(SetProjectSettings({"title": preview.title, "author": preview.author}))
        try:
            self._studio.do(Compound(tuple(commands), "Import") if len(commands) > 1 else commands[0])
        except SpeechError as error:
            self._studio.say("error", str(error))
            return
        one = self.tr("1 line imported. Undo takes it out again.")
        many = self.tr("%1 lines imported. Undo takes them out again.")
        self._studio.say("done", counted(len(preview.blocks), one, many))
        self.accept()


def _hours(seconds: float) -> str:
    hours, minutes = divmod(max(1, round(seconds / 60)), 60)
    if not hours:
        return QCoreApplication.translate("ImportDialog", "%1 min").replace("%1", str(minutes))
    words = QCoreApplication.translate("ImportDialog", "%1 h %2 min")
    return words.replace("%1", str(hours)).replace("%2", f"{minutes:02d}")
