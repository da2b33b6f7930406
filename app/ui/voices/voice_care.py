"""Looks after one voice: the part of its clip that counts, its words, tags, and what the clip doctor says."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.model.voice import Voice, VoiceClip
from app.services.clip_doctor import Examination, examine, repaired
from app.services.overview import Overview
from app.services.recorder import write_clip
from app.ui.language_names import shown_language
from app.ui.messages import local
from app.ui.studio import Studio
from app.ui.theme import GRID, HALF, theme
from app.ui.voices.adding import longest_clip_s
from app.ui.voices.clip_view import ClipView
from app.ui.voices.whole_card import WholeCard
from app.ui.widgets.dock import small_button
from app.ui.widgets.labels import show_words
from app.ui.widgets.putting_away import put_away
from engine import LANGUAGES, SpeechError, load_clip

_COLOUR_OF = {"good": "done", "note": "warning", "bad": "error"}
_MARK_OF = {"good": "✓", "note": "!", "bad": "✕"}


class VoiceCare(WholeCard):
    """A card at the foot of the voices dock; what is changed is kept at once.

    Attributes:
        voice: the one that is shown, or None.
        clip_view, words, language, tags: the controls. findings: what the doctor found, one label each. repair:
            mends it.
    """

    def __init__(self, studio: Studio, hear: Callable[[str], None], back_to: QWidget) -> None:
        """`back_to` has the keyboard when the card is left."""
        super().__init__()
        self._studio = studio
        self._back_to = back_to
        self._number = 0
        self._examination: Examination | None = None
        self.voice: Voice | None = None
        self.setAccessibleName(self.tr("Care for a voice"))
        column = QVBoxLayout(self)
        column.setContentsMargins(GRID + HALF, GRID, GRID, GRID)
        column.setSpacing(HALF + 2)
        top = QHBoxLayout()
        self._title = QLabel()
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._title.setProperty("role", "heading")
        self._title.setWordWrap(True)  # a long name must not widen the dock
        top.addWidget(self._title, 1)
        play = small_button("play", self.tr("Hear the part that counts"))
        play.clicked.connect(lambda: hear(self.voice.id) if self.voice is not None else None)
        top.addWidget(play)
        close = small_button("close", self.tr("Done with this voice"))
        close.clicked.connect(self.leave)
        top.addWidget(close)
        column.addLayout(top)
        self.clip_view = ClipView()
        self.setFocusProxy(self.clip_view)
        self.clip_view.range_changed.connect(self._range_changed)
        column.addWidget(self.clip_view)
        self._doctor = QGridLayout()
        self._doctor.setSpacing(2)
        self._doctor.setHorizontalSpacing(GRID)
        column.addLayout(self._doctor)
        self.findings: list[QLabel] = []
        self.repair = QPushButton(self.tr("Repair"))
        self.repair.clicked.connect(self._repair)
        self.repair.hide()
        column.addWidget(self.repair, 0, Qt.AlignmentFlag.AlignLeft)
        self.words = QPlainTextEdit()
        self.words.setObjectName("field")
        self.words.setPlaceholderText(self.tr("What is said in this part of the clip (optional)"))
        self.words.setAccessibleName(self.tr("Words of the clip"))
        self.words.setAccessibleDescription(
            self.tr("Used only when a model goes on from the clip; cloning a voice needs no words.")
        )
        self.words.setToolTip(self.words.accessibleDescription())
        self.words.setTabChangesFocus(True)
        self.words.setFixedHeight(56)
        self.words.installEventFilter(self)
        column.addWidget(self.words)
        self._words_note = QLabel()
        self._words_note.setProperty("role", "faint")
        self._words_note.setWordWrap(True)
        column.addWidget(self._words_note)
        row = QHBoxLayout()
        row.setSpacing(HALF)
        self.language = QComboBox()
        self.language.setAccessibleName(self.tr("Language of the clip"))
        self.language.addItem(self.tr("Language"), None)
        for language in LANGUAGES:
            self.language.addItem(shown_language(language.name), language.name)
        # Long names must not widen the dock.
        self.language.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.language.setMinimumContentsLength(6)
        self.language.activated.connect(lambda _: self._change_clip(language=self.language.currentData()))
        self.tags = QLineEdit()
        self.tags.setPlaceholderText(self.tr("Tags, with commas"))
        self.tags.setAccessibleName(self.tr("Tags"))
        self.tags.editingFinished.connect(self._tags_changed)
        row.addWidget(self.language, 1)
        row.addWidget(self.tags, 1)
        column.addLayout(row)
        theme().changed.connect(self._show_findings)
        self.hide()

    # -- showing ------------------------------------------------------------------------------------------------

    def care_for(self, voice: Voice) -> None:
        """Show an own voice that has a clip."""
        self._keep_words()
        self.voice = voice
        clip = voice.references[0]
        self._title.setText(voice.name)
        self.words.setPlainText(clip.transcript)
        self.language.setCurrentIndex(max(0, self.language.findData(clip.language)))
        self.tags.setText(", ".join(voice.tags))
        self._note_words(False)
        self.clip_view.show_clip(None, 48_000, clip.start_s, clip.end_s, voice.colour)
        self._examination = None
        self._show_findings()
        self.show()
        self._look_in_background(voice, clip)

    def refresh(self, voice: Voice | None) -> None:
        """The library changed; None: the voice is gone."""
        if self.voice is None or voice is None:
            self.leave()
        elif voice.references and voice.references[0].sha256 != self.voice.references[0].sha256:
            self.care_for(voice)
        else:
            self.voice = voice
            self._title.setText(voice.name)

    def leave(self) -> None:
        if self.voice is not None:
            self._keep_words()
        self.voice = None
        self._number += 1
        put_away(self, self._back_to)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        else:
            super().keyPressEvent(event)

    def _look_in_background(self, voice: Voice, clip: VoiceClip) -> None:
        self._number += 1
        number, post = self._number, self._studio.bridge.post
        path = self._studio.library.clip_path(voice, clip)
        longest_s = longest_clip_s(self._studio.card)

        def work() -> None:
            try:
                samples, rate = load_clip(path)
                shape = Overview()
                shape.add(samples)
                part = _part(samples, rate, clip.start_s, clip.end_s)
                found = examine(part, rate, longest_s=longest_s)
            except SpeechError as error:
                words = local(str(error))
                post(lambda: self._studio.say("warning", words) if number == self._number else None)
                return
            post(lambda: self._looked(number, shape, rate, found))

        threading.Thread(target=work, name="clip doctor", daemon=True).start()

    def _looked(self, number: int, shape: Overview, rate: int, found: Examination) -> None:
        if number != self._number or self.voice is None:
            return
        clip = self.voice.references[0]
        self.clip_view.show_clip(shape, rate, clip.start_s, clip.end_s, self.voice.colour)
        self._examination = found
        self._show_findings()

    def _show_findings(self) -> None:
        while self._doctor.count():
            widget = self._doctor.takeAt(0).widget()
            if widget is not None:
                widget.deleteLater()
        self.findings = []
        found = self._examination
        for row, finding in enumerate(found.findings if found is not None else ()):
            mark = QLabel(_MARK_OF[finding.severity])
            mark.setStyleSheet(f"color: {theme().colour(_COLOUR_OF[finding.severity]).name()}; font-weight: 600;")
            mark.setFixedWidth(14)
            words = QLabel(local(finding.words))
            words.setProperty("role", "small")
            words.setWordWrap(True)
            words.setAccessibleName(
                {"good": self.tr("Good"), "note": self.tr("Note"), "bad": self.tr("Bad")}[finding.severity]
                + ": "
                + local(finding.words)
            )
            self._doctor.addWidget(mark, row, 0, Qt.AlignmentFlag.AlignTop)
            self._doctor.addWidget(words, row, 1)
            self.findings.append(words)
        self._doctor.setColumnStretch(1, 1)
        repairs = [local(finding.repair) for finding in found.findings if finding.repair] if found is not None else []
        self.repair.setVisible(bool(repairs))
        self.repair.setToolTip("\n".join(repairs))
        self.repair.setAccessibleDescription(" ".join(repairs))

    # -- changing -----------------------------------------------------------------------------------------------

    def _range_changed(self, start_s: float, end_s: float, finished: bool) -> None:
        if not finished or self.voice is None:
            return
        whole = self.clip_view.whole
        had_words = bool(self.words.toPlainText().strip())
        self._change_clip(start_s=None if whole else round(start_s, 3), end_s=None if whole else round(end_s, 3))
        self._note_words(had_words)
        self._look_in_background(self.voice, self.voice.references[0])

    def _note_words(self, range_changed: bool) -> None:
        if range_changed:
            words, role = self.tr("The part changed: the words must be those of this part alone."), "warning"
        else:
            words, role = self.tr("Used only when a model goes on from the clip."), "faint"
        show_words(self._words_note, words, role)

    def _keep_words(self) -> None:
        if self.voice is not None:
            words = " ".join(self.words.toPlainText().split())
            if words != self.voice.references[0].transcript:
                self._change_clip(transcript=words)
                self._note_words(False)

    def _tags_changed(self) -> None:
        if self.voice is not None:
            tags = tuple(dict.fromkeys(tag for part in self.tags.text().split(",") if (tag := " ".join(part.split()))))
            if tags != self.voice.tags:
                self._update(replace(self.voice, tags=tags))

    def _change_clip(self, **changes: Any) -> None:
        if self.voice is not None:
            first, *rest = self.voice.references
            changed = replace(first, **changes)
            if changed != first:
                self._update(replace(self.voice, references=(changed, *rest)))

    def _update(self, voice: Voice) -> None:
        try:
            self.voice = self._studio.library.update(voice)
        except SpeechError as error:
            self._studio.say("warning", str(error))

    def _repair(self) -> None:
        voice = self.voice
        if voice is None:
            return
        library, post, clip, longest_s = (
            self._studio.library,
            self._studio.bridge.post,
            voice.references[0],
            longest_clip_s(self._studio.card),
        )
        self.repair.setEnabled(False)

        def work() -> None:
            try:
                samples, rate = load_clip(library.clip_path(voice, clip), clip.start_s, clip.end_s)
                mended, done = repaired(samples, rate, longest_s=longest_s)
                with tempfile.TemporaryDirectory(prefix="mended-") as folder:
                    library.replace_clip(voice.id, clip.sha256, write_clip(Path(folder) / "mended.wav", mended, rate))
                level, words = "done", " ".join(done)
            except (SpeechError, OSError) as error:
                level, words = "warning", str(error)
            post(lambda: self._repaired(level, words))

        threading.Thread(target=work, name="mend clip", daemon=True).start()

    def _repaired(self, level: str, words: str) -> None:
        self.repair.setEnabled(True)
        self._studio.say(level, words or self.tr("There was nothing to mend."))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.words and event.type() == QEvent.Type.FocusOut:
            self._keep_words()
        return False


def _part(samples: Any, rate: int, start_s: float | None, end_s: float | None) -> Any:
    start = int((start_s or 0.0) * rate)
    end = len(samples) if end_s is None else int(end_s * rate)
    return samples[start:end]
