"""Voices kept on a server: listed, uploaded from the library, deleted."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QMenu, QMessageBox, QPushButton, QWidget

from app.model.voice import Voice
from app.ui.models.words import size
from app.ui.studio import Studio
from app.ui.theme import GRID
from app.ui.voice_menu import voice_dot
from app.ui.widgets.dialog import note
from app.ui.widgets.fields import Section
from engine import ServerSpec, ServerVoice, delete_voice, upload_voice
from engine.errors import SpeechError

_NAME = Qt.ItemDataRole.UserRole
_NOT_IN_A_NAME = re.compile(r"[^\w.-]+")


class ServerVoices(Section):
    """Nothing is sent before a voice is chosen in the menu, and only one whose owner is known.

    Attributes:
        list: the voices, by name. upload, forget: the buttons. menu: voices of the library, while it is open.
    """

    def __init__(self, studio: Studio, changed: Callable[[], None], refused: Callable[[BaseException], None]) -> None:
        """
        Args:
            changed: the server has other voices now. refused: it did not do what was asked.
        """
        super().__init__(QCoreApplication.translate("ServerVoices", "Voices kept on the server"))
        self._studio, self._changed, self._refused = studio, changed, refused
        self._spec: ServerSpec | None = None
        self.menu: QMenu | None = None
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Voices kept on the server"))
        self.list.setMaximumHeight(110)
        self.list.itemSelectionChanged.connect(self._mark)
        self.add_wide(self.list)
        self._none = note(self.tr("None yet. A voice that is kept there need not be sent with every line."), "small")
        self.add_wide(self._none)
        buttons = QWidget()
        row = QHBoxLayout(buttons)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        self.upload = QPushButton(self.tr("Upload a voice…"))
        self.upload.clicked.connect(self._choose)
        self.forget = QPushButton(self.tr("Delete from the server…"))
        self.forget.clicked.connect(self._ask_to_forget)
        for button in (self.upload, self.forget):
            button.setAutoDefault(False)
            row.addWidget(button)
        row.addStretch(1)
        self.add_wide(buttons)

    def show_voices(self, spec: ServerSpec, voices: Sequence[ServerVoice]) -> None:
        """What a server has; requests go there from now on."""
        self._spec = spec
        self.list.clear()
        for voice in voices:
            item = QListWidgetItem(f"{voice.name}   {size(voice.size_bytes)}" if voice.size_bytes else voice.name)
            item.setData(_NAME, voice.name)
            self.list.addItem(item)
        self.list.setVisible(bool(voices))
        self._none.setVisible(not voices)
        self._mark()
        self.show()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.EnabledChange:
            self._mark()

    def _mark(self) -> None:
        self.forget.setEnabled(bool(self.list.selectedItems()))

    def _choose(self) -> None:
        """A menu of the voices that can be sent; why others cannot is said there."""
        self.menu = QMenu(self)
        voices = [voice for voice in self._studio.library.voices if voice.references]
        for voice in voices:
            entry = self.menu.addAction(voice_dot(voice.colour), voice.name)
            if voice.known is None and "whose" not in voice.consent:
                entry.setEnabled(False)
                entry.setText(self.tr("%1: say first whose voice it is").replace("%1", voice.name))
            entry.triggered.connect(lambda _=False, voice=voice: self.send(voice))
        if not voices:
            self.menu.addAction(self.tr("Add a voice to the voices panel first")).setEnabled(False)
        self.menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.menu.popup(self.upload.mapToGlobal(self.upload.rect().bottomLeft()))

    def send(self, voice: Voice) -> None:
        """Put the clip of a voice on the server, over one of the same name."""
        try:
            clip = self._studio.library.clips(voice)[0]
        except SpeechError as error:
            self._refused(error)
            return
        name = _NOT_IN_A_NAME.sub("-", voice.name).strip("-.") or voice.id
        consent = str(voice.consent.get("whose") or voice.consent.get("licence") or "")
        self._run(lambda spec: upload_voice(spec, name, clip, consent), self.tr("Uploading a voice"))

    def _ask_to_forget(self) -> None:
        item = self.list.currentItem()
        if item is None:
            return
        name = item.data(_NAME)
        box = QMessageBox(
            QMessageBox.Icon.Question,
            self.tr("Delete a voice"),
            self.tr("Delete “%1” from the server? Others who use the server lose it, too.").replace("%1", name),
            QMessageBox.StandardButton.Cancel,
            self,
        )
        box.addButton(self.tr("Delete"), QMessageBox.ButtonRole.DestructiveRole).clicked.connect(
            lambda: self._run(lambda spec: delete_voice(spec, name), self.tr("Deleting a voice"))
        )
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    def _run(self, deed: Callable[[ServerSpec], Any], title: str) -> None:
        spec = self._spec
        if spec is None:
            return
        self.setEnabled(False)

        def done(_: object) -> None:
            self.setEnabled(True)
            if self._spec is spec:
                self._changed()

        def failed(error: BaseException) -> None:
            self.setEnabled(True)
            if self._spec is spec:
                self._refused(error)

        self._studio.tasks.run(lambda _: deed(spec), done, failed, title=title, owner=self)
