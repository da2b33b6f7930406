"""The voices dock: search, hear, name, add by dropping, drag onto lines, delete to the trash."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QFileDialog,
    QLabel,
    QLayout,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.model.voice import Voice
from app.services.overview import Overview
from app.services.speaking import cannot_speak
from app.services.voice_archive import SUFFIX as ARCHIVE_SUFFIX
from app.ui.dropping import SOUND_SUFFIXES, local_files, sort_files
from app.ui.messages import local
from app.ui.studio import Studio
from app.ui.theme import GRID, HALF, theme
from app.ui.throttle import Throttle
from app.ui.transport.playback import playback_of
from app.ui.voices.adding import Added, add_in_background, cloning_notes
from app.ui.voices.consent_panel import ConsentPanel
from app.ui.voices.drop_hint import DropHint
from app.ui.voices.menus import VoiceMenus
from app.ui.voices.preview import ClipSource, at_48k
from app.ui.voices.record_panel import RecordPanel
from app.ui.voices.thumbnails import Thumbnails
from app.ui.voices.voice_care import VoiceCare
from app.ui.voices.voice_delegate import VoiceDelegate
from app.ui.voices.voice_list import VoiceList
from app.ui.voices.voice_model import VOICE_ROLE, VoiceModel
from app.ui.voices.whole_card import CardRoom, WholeCard, least_height
from app.ui.widgets.dock import small_button
from app.ui.widgets.putting_away import holds_keyboard
from app.ui.widgets.search_field import SearchField
from engine import SAMPLE_RATE, SpeechError

_ROOM_FOR_BOTH_PX = 560
_LIST_PX = 220


class Voices(QWidget):
    """One for a studio.

    Attributes:
        search: what is typed there filters the list. list, model: the voices.
        menus: what can be done with a voice.
        consent: asks about new voices; care: looks after one; recording: records one. All three in place.
    """

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self._playback = playback_of(studio)
        self._disconnects: list[Callable[[], None]] = []
        self._heard = ""
        self.setAccessibleName(self.tr("Voices"))
        self.setAcceptDrops(True)
        column = QVBoxLayout(self)
        column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)  # see `minimumSizeHint`
        column.setContentsMargins(GRID, HALF, GRID, GRID)
        column.setSpacing(GRID)
        self.search = SearchField(self.tr("Search voices and tags"))
        column.addWidget(self.search)
        self.menus = VoiceMenus(studio, self)
        self.model = VoiceModel(studio)
        self.list = VoiceList(self)
        self.list.setModel(self.model)
        self._thumbnails = Thumbnails(studio.bridge.post, self.list.viewport().update)
        self.destroyed.connect(self._thumbnails.close)
        self.delegate = VoiceDelegate(self._shape_of, self._clicked, self.list)
        self.list.setItemDelegate(self.delegate)
        column.addWidget(self.list, 1)
        self._nothing = QLabel(self.tr("No voice matches."))
        self._nothing.setProperty("role", "soft")
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._nothing.hide()
        column.addWidget(self._nothing)
        self.care = VoiceCare(studio, self.preview, self.list)
        column.addWidget(CardRoom(self.care))
        self.recording = RecordPanel(studio, lambda path: self.add_files([path]), self._hear_samples, self.list)
        column.addWidget(CardRoom(self.recording))
        self.consent = ConsentPanel(self._consent_given, self.list)
        column.addWidget(self.consent)
        self.hint = DropHint(self.tr("Drop clips here to make voices"), self.tr("or choose files…"), self.ask_for_files)
        column.addWidget(self.hint)
        self._room = QWidget()
        self._room.hide()
        column.addWidget(self._room, 1)
        for card in (self.care, self.recording):
            card.installEventFilter(self)
        self.search.textChanged.connect(self._searched)
        self.list.customContextMenuRequested.connect(self._open_menu)
        self.list.activated.connect(self._give)
        self._count_soon = Throttle(self.model.count_uses, 500, self, at_once=False)
        studio.audio_dropped.connect(self.add_files)
        studio.services_changed.connect(self._attach)
        studio.project_replaced.connect(self._attach)
        studio.card_changed.connect(self._card_changed)
        self._playback.ticked.connect(self._ticked)
        theme().changed.connect(self.list.viewport().update)
        actions = studio.actions
        if actions is not None:
            actions.bind("add_voice", self.ask_for_files)
            actions.bind("record_voice", self.record)
        self._attach()

    def title_buttons(self) -> list[QToolButton]:
        """For the dock's title bar."""
        add = small_button("add", self.tr("Add a voice from a file"))
        add.clicked.connect(self.ask_for_files)
        more = small_button("more", self.tr("More about voices"))
        menu = QMenu(more)
        menu.addAction(self.tr("Import a voice file…"), self.ask_for_archive)
        menu.addMenu(self.menus.trash)
        more.setMenu(menu)
        more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        return [add, more]

    # -- adding -------------------------------------------------------------------------------------------------

    def ask_for_files(self) -> None:
        patterns = " ".join(f"*{suffix}" for suffix in sorted((*SOUND_SUFFIXES, ARCHIVE_SUFFIX)))
        names, _ = QFileDialog.getOpenFileNames(
            self, self.tr("Clips of voices"), "", self.tr("Sound and voices (%1)").replace("%1", patterns)
        )
        if names:
            self.add_files([Path(name) for name in names])

    def ask_for_archive(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(
            self, self.tr("Voice files"), "", self.tr("Voices (%1)").replace("%1", f"*{ARCHIVE_SUFFIX}")
        )
        if names:
            self.add_files([Path(name) for name in names])

    def add_files(self, files: Sequence[Path]) -> None:
        """Make a voice of each file, in the background."""
        library = self._studio.library
        if library is None:
            self._studio.say("warning", self.tr("Voices are not ready yet. Drop the clip again in a moment."))
            return
        self.hint.set_busy(True)
        longest_s = self._studio.card.longest_reference_s if self._studio.card is not None else 100.0
        add_in_background(library, list(files), longest_s, self._studio.bridge.post, self._added)

    def _added(self, added: Added) -> None:
        self.hint.set_busy(False)
        for name, reason in added.refused:
            self._studio.say(
                "error", self.tr("%1 did not become a voice: %2").replace("%1", name).replace("%2", reason)
            )
        fresh = [voice for voice in added.voices if voice.id not in added.known]
        if added.voices:
            self.select(added.voices[-1].id)
        cannot = cloning_notes(self._studio.card, added.voices)
        unfit = [
            local(finding.words)
            for voice in fresh
            if (found := added.examinations.get(voice.id)) is not None
            for finding in found.findings
            if finding.severity == "bad"
        ]
        if cannot:
            self._studio.say("warning", self.tr("Kept, but: %1").replace("%1", cannot))
        elif unfit:
            self._studio.say("warning", " ".join(dict.fromkeys(unfit)))
        elif len(fresh) == 1 and not added.refused:
            self._studio.say(
                "done", self.tr("“%1” is ready. Drag it onto lines to let it speak them.").replace("%1", fresh[0].name)
            )
        elif fresh and not added.refused:
            self._studio.say("done", self.tr("%1 voices are ready.").replace("%1", str(len(fresh))))
        elif added.known and not added.refused:
            self._studio.say("info", self.tr("This voice is here already."))
        self.consent.ask([voice for voice in fresh if voice.known is None and "whose" not in voice.consent])

    def _consent_given(self, voices: Sequence[Voice], answer: dict[str, Any]) -> None:
        for voice in voices:
            self.update_voice(voice.id, lambda now: replace(now, consent={**now.consent, **answer}))

    # -- one voice ----------------------------------------------------------------------------------------------

    def select(self, voice_id: str) -> None:
        self.model.refresh()
        if self.model.row_of(voice_id) < 0:
            self.search.clear()
        row = self.model.row_of(voice_id)
        if row >= 0:
            self.list.setCurrentIndex(self.model.index(row))

    def current(self) -> Voice | None:
        index = self.list.currentIndex()
        return index.data(VOICE_ROLE) if index.isValid() else None

    def preview(self, voice_id: str) -> None:
        """Hear the voice's clip; again stops it."""
        if self._heard == voice_id:
            self._playback.stop()
            return
        voice = next((each for each in self.model.voices if each.id == voice_id), None)
        if voice is None or not voice.references:
            return
        clip = voice.references[0]
        library = self._studio.library
        self._heard = self.delegate.previewing = voice_id
        self._playback.preview(lambda: ClipSource.of_file(library.clip_path(voice, clip), clip.start_s, clip.end_s))
        self.list.viewport().update()

    def record(self) -> None:
        """Open the recorder, where it can be seen."""
        self.care.leave()
        dock = self.parent()
        while dock is not None and not isinstance(dock, QDockWidget):
            dock = dock.parent()
        if dock is not None:
            dock.show()
            dock.raise_()
        self.recording.open()

    def care_for(self, voice_id: str) -> None:
        """Trim the clip, write its words, see what the doctor says."""
        voice = next((each for each in self.model.voices if each.id == voice_id), None)
        if voice is not None and self.model.is_own(voice) and voice.references:
            self.list.setCurrentIndex(self.model.index(self.model.row_of(voice_id)))
            self.recording.leave()
            self.care.care_for(voice)

    def _hear_samples(self, samples: np.ndarray) -> None:
        self._heard = "recording"
        self._playback.preview(lambda: ClipSource(at_48k(samples, SAMPLE_RATE)))

    def rename(self, voice_id: str) -> None:
        row = self.model.row_of(voice_id)
        if row >= 0:
            self.list.edit(self.model.index(row))

    def delete(self, voice_id: str) -> None:
        """Into the trash; lines that use it keep it, since the project holds its own copy."""
        voice = self._studio.library.voice(voice_id)
        try:
            self._studio.library.remove(voice_id)
        except SpeechError as error:
            self._studio.say("warning", str(error))
            return
        self._studio.say("info", self.tr("“%1” is in the trash of the voices.").replace("%1", voice.name))

    def toggle_favourite(self, voice_id: str) -> None:
        self.update_voice(voice_id, lambda voice: replace(voice, favourite=not voice.favourite))

    def export(self, voice_id: str) -> None:
        voice = self._studio.library.voice(voice_id)
        name, _ = QFileDialog.getSaveFileName(
            self, self.tr("Save the voice"), f"{voice.name}{ARCHIVE_SUFFIX}", f"*{ARCHIVE_SUFFIX}"
        )
        if name:
            try:
                path = self._studio.library.export(voice_id, Path(name))
            except SpeechError as error:
                self._studio.say("error", str(error))
                return
            self._studio.say("done", self.tr("Saved as %1").replace("%1", str(path)))

    # -- inside -------------------------------------------------------------------------------------------------

    def update_voice(self, voice_id: str, change: Callable[[Voice], Voice]) -> None:
        """Change a voice of the library; that it cannot be kept is told."""
        library = self._studio.library
        try:
            library.update(change(library.voice(voice_id)))
        except SpeechError as error:
            self._studio.say("warning", str(error))

    def _attach(self) -> None:
        for disconnect in self._disconnects:
            disconnect()
        self._disconnects = []
        library, project = self._studio.library, self._studio.project
        if library is not None:
            self._disconnects.append(library.voices_changed.connect(lambda: self._studio.bridge.post(self._refresh)))
        if project is not None:
            self._disconnects += [
                project.voices_changed.connect(self._refresh),
                project.block_changed.connect(lambda _: self._count_soon()),
                project.blocks_changed.connect(lambda *_: self._count_soon()),
                project.settings_changed.connect(self._count_soon),
            ]
        self._refresh()
        self.model.count_uses()

    def _refresh(self) -> None:
        current = self.current()
        self.model.refresh()
        if current is not None and (row := self.model.row_of(current.id)) >= 0:
            self.list.setCurrentIndex(self.model.index(row))
        self._nothing.setVisible(not self.model.voices and bool(self.search.text()))
        if self.care.voice is not None:
            library = self._studio.library
            self.care.refresh(next((each for each in library.voices if each.id == self.care.voice.id), None))

    def _card_changed(self) -> None:
        self._refresh()
        self.list.viewport().update()

    def _searched(self, text: str) -> None:
        self.model.search(text)
        self._nothing.setVisible(not self.model.voices and bool(text.strip()))

    def _shape_of(self, voice_id: str) -> Overview | None:
        voice = next((each for each in self.model.voices if each.id == voice_id), None)
        library = self._studio.library
        if voice is None or library is None or not voice.references:
            return None
        clip = voice.references[0]
        return self._thumbnails.of(library.clip_path(voice, clip), clip)

    def _clicked(self, voice_id: str, what: str) -> None:
        if what == "play":
            self.preview(voice_id)
        elif self.model.is_own(self._studio.library.voice(voice_id)):
            self.toggle_favourite(voice_id)
        else:
            self._studio.say("info", self.tr("Voices that come with the model stay as they are."))

    def _give(self, index: QModelIndex) -> None:
        voice = index.data(VOICE_ROLE)
        if voice is not None and self._studio.selection:
            reason = cannot_speak(self._studio.card, voice)
            self._studio.give_voice(self._studio.selection, voice.id)
            if reason:
                self._studio.say("warning", reason)

    def _ticked(self, _snapshot: object) -> None:
        if self._heard and not self._playback.previewing:
            self._heard = self.delegate.previewing = ""
            self.list.viewport().update()

    def _open_menu(self, at: QPoint) -> None:
        index = self.list.indexAt(at)
        if index.isValid():
            self.menus.of(index.data(VOICE_ROLE)).popup(self.list.viewport().mapToGlobal(at))

    def _open_card(self) -> WholeCard | None:
        return next((card for card in (self.care, self.recording) if not card.isHidden()), None)

    def minimumSizeHint(self) -> QSize:
        """An open card needs its room, the list beside it none: it gives way."""
        needed, card = super().minimumSizeHint(), self._open_card()
        if card is None:
            return needed
        margins = self.contentsMargins() + self.layout().contentsMargins()
        return QSize(needed.width(), least_height(card) + margins.top() + margins.bottom())

    def _arrange(self) -> None:
        """In a low dock an open card takes the place of the list."""
        card = self._open_card()
        covered = card is not None and self.height() < max(_ROOM_FOR_BOTH_PX, card.minimumHeight() + _LIST_PX)
        above = (self.search, self.list, self.hint)
        goes_on = covered and any(map(holds_keyboard, above))
        for widget in above:
            widget.setVisible(not covered)
        self._room.setVisible(covered)
        if goes_on and card is not None:
            card.setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self._arrange()
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    # -- dropping onto the dock

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        sounds, _ = sort_files(local_files(event.mimeData()))
        if sounds:
            event.acceptProposedAction()
            self.hint.set_hot(True)

    def dragLeaveEvent(self, event) -> None:
        self.hint.set_hot(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self.hint.set_hot(False)
        sounds, _ = sort_files(local_files(event.mimeData()))
        if sounds:
            event.acceptProposedAction()
            self.add_files(sounds)
