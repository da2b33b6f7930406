"""The voices dock: search, hear, name, add by dropping, drag onto lines, delete to the trash."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QDockWidget, QLabel, QLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from app.model.voice import Voice
from app.services.overview import Overview
from app.services.speaking import cannot_speak
from app.ui.dropping import local_files, sort_files
from app.ui.studio import Studio
from app.ui.theme import GRID, HALF, theme
from app.ui.throttle import Throttle
from app.ui.voices.deeds import VoiceDeeds
from app.ui.voices.hearing import Hearing
from app.ui.voices.menus import VoiceMenus
from app.ui.voices.new_voices import NewVoices
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

_ROOM_FOR_BOTH_PX = 560
_LIST_PX = 220


class Voices(QWidget):
    """One for a studio.

    Attributes:
        search: what is typed there filters the list. list, model: the voices.
        new: brings in voices. deeds, menus: what can be done with one. hearing: plays their clips.
        care: looks after one; recording: records one. Both in place.
    """

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self._disconnects: list[Callable[[], None]] = []
        self.setAccessibleName(self.tr("Voices"))
        self.setAcceptDrops(True)
        column = QVBoxLayout(self)
        column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)  # see `minimumSizeHint`
        column.setContentsMargins(GRID, HALF, GRID, GRID)
        column.setSpacing(GRID)
        self.search = SearchField(self.tr("Search voices and tags"))
        column.addWidget(self.search)
        self.deeds = VoiceDeeds(studio, self)
        self.menus = VoiceMenus(studio, self)
        self.model = VoiceModel(studio)
        self.list = VoiceList(self)
        self.list.setModel(self.model)
        self._thumbnails = Thumbnails(studio.bridge.post, self.list.viewport().update)
        self.destroyed.connect(self._thumbnails.close)
        self.delegate = VoiceDelegate(self._shape_of, self._clicked, self.list)
        self.list.setItemDelegate(self.delegate)
        self.hearing = Hearing(studio, self)
        self.hearing.changed.connect(self._heard_changed)
        self.new = NewVoices(studio, self, self.deeds, self.select, self.list)
        column.addWidget(self.list, 1)
        self._nothing = QLabel(self.tr("No voice matches."))
        self._nothing.setProperty("role", "soft")
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._nothing.hide()
        column.addWidget(self._nothing)
        self.care = VoiceCare(studio, self.preview, self.list)
        column.addWidget(CardRoom(self.care))
        self.recording = RecordPanel(studio, self.new.add_recording, self.hearing.play_samples, self.list)
        column.addWidget(CardRoom(self.recording))
        column.addWidget(self.new.consent)
        column.addWidget(self.new.hint)
        self._room = QWidget()
        self._room.hide()
        column.addWidget(self._room, 1)
        for card in (self.care, self.recording):
            card.installEventFilter(self)
        self.search.textChanged.connect(self._searched)
        self.list.customContextMenuRequested.connect(self._open_menu)
        self.list.activated.connect(self._give)
        self._count_soon = Throttle(self.model.count_uses, 500, self, at_once=False)
        studio.audio_dropped.connect(self.new.add_files)
        studio.services_changed.connect(self._attach)
        studio.project_replaced.connect(self._attach)
        studio.card_changed.connect(self._card_changed)
        theme().changed.connect(self.list.viewport().update)
        actions = studio.actions
        if actions is not None:
            actions.bind("add_voice", self.new.ask_for_files)
            actions.bind("record_voice", self.record)
        self._attach()

    def title_buttons(self) -> list[QToolButton]:
        """For the dock's title bar."""
        add = small_button("add", self.tr("Add a voice from a file"))
        add.clicked.connect(self.new.ask_for_files)
        more = small_button("more", self.tr("More about voices"))
        menu = QMenu(more)
        menu.addAction(self.tr("Import a voice file…"), self.new.ask_for_archive)
        menu.addMenu(self.menus.trash)
        more.setMenu(menu)
        more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        return [add, more]

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
        voice = self.model.voice(voice_id)
        if self.hearing.voice_id == voice_id:
            self.hearing.stop()
        elif voice is not None and voice.references:
            self.hearing.play_clip(voice)

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
        voice = self.model.voice(voice_id)
        if voice is not None and self.model.is_own(voice) and voice.references:
            self.list.setCurrentIndex(self.model.index(self.model.row_of(voice_id)))
            self.recording.leave()
            self.care.care_for(voice)

    def rename(self, voice_id: str) -> None:
        row = self.model.row_of(voice_id)
        if row >= 0:
            self.list.edit(self.model.index(row))

    # -- inside -------------------------------------------------------------------------------------------------

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
        voice = self.model.voice(voice_id)
        library = self._studio.library
        if voice is None or library is None or not voice.references:
            return None
        clip = voice.references[0]
        return self._thumbnails.of(library.clip_path(voice, clip), clip)

    def _clicked(self, voice_id: str, what: str) -> None:
        if what == "play":
            self.preview(voice_id)
        elif self.model.is_own(self._studio.library.voice(voice_id)):
            self.deeds.toggle_favourite(voice_id)
        else:
            self._studio.say("info", self.tr("Voices that come with the model stay as they are."))

    def _give(self, index: QModelIndex) -> None:
        voice = index.data(VOICE_ROLE)
        if voice is not None and self._studio.selection:
            reason = cannot_speak(self._studio.card, voice)
            self._studio.give_voice(self._studio.selection, voice.id)
            if reason:
                self._studio.say("warning", reason, offer="models")

    def _heard_changed(self) -> None:
        self.delegate.previewing = self.hearing.voice_id
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
        above = (self.search, self.list, self.new.hint)
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
            self.new.hint.set_hot(True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.new.hint.set_hot(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self.new.hint.set_hot(False)
        sounds, _ = sort_files(local_files(event.mimeData()))
        if sounds:
            event.acceptProposedAction()
            self.new.add_files(sounds)
