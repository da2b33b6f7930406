"""The menus of the voices dock: what can be done with a voice, and the trash."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QMenu

from app.model.voice import Voice
from app.ui.studio import Studio
from app.ui.theme import VOICE_COLOURS, theme
from app.ui.voice_menu import voice_dot
from engine.errors import SpeechError

if TYPE_CHECKING:
    from app.ui.voices.voices import Voices


class VoiceMenus(QObject):
    """Makes the menus; the deeds are the dock's own and those of `Voices.deeds`.

    Attributes:
        trash: voices that were deleted, read when it is opened.
    """

    def __init__(self, studio: Studio, voices: Voices) -> None:
        super().__init__(voices)
        self._studio, self._voices = studio, voices
        self.trash = QMenu(self.tr("Trash"), voices)
        self.trash.aboutToShow.connect(self.fill_trash)

    def of(self, voice: Voice) -> QMenu:
        """What can be done with a voice."""
        voices, studio = self._voices, self._studio
        menu = QMenu(voices)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        own = voices.model.is_own(voice)
        menu.addAction(theme().icon("play"), self.tr("Hear its clip"), lambda: voices.preview(voice.id))
        give = menu.addAction(
            self.tr("Give it to the selected lines"), lambda: studio.give_voice(studio.selection, voice.id)
        )
        give.setEnabled(bool(studio.selection))
        menu.addSeparator()
        care = menu.addAction(self.tr("Clip, words and tags…"), lambda: voices.care_for(voice.id))
        rename = menu.addAction(self.tr("Rename"), lambda: voices.rename(voice.id))
        star = menu.addAction(
            self.tr("No favourite any more") if voice.favourite else self.tr("Favourite"),
            lambda: voices.deeds.toggle_favourite(voice.id),
        )
        colours = menu.addMenu(self.tr("Colour"))
        for colour, name in zip(VOICE_COLOURS, self._colour_names(), strict=True):
            entry = colours.addAction(voice_dot(colour), name)
            entry.setCheckable(True)
            entry.setChecked(colour == voice.colour)
            entry.triggered.connect(
                lambda _=False, colour=colour: voices.deeds.update(voice.id, lambda now: replace(now, colour=colour))
            )
        menu.addSeparator()
        menu.addAction(self.tr("Save as a file…"), lambda: voices.deeds.export(voice.id))
        delete = menu.addAction(theme().icon("trash"), self.tr("Delete"), lambda: voices.deeds.delete(voice.id))
        for entry in (care, rename, star, delete):
            entry.setEnabled(own)
        colours.setEnabled(own)
        return menu

    def _colour_names(self) -> tuple[str, ...]:
        """In the order of VOICE_COLOURS."""
        return (
            self.tr("Sea green"), self.tr("Orange"), self.tr("Blue"), self.tr("Orchid"), self.tr("Gold"),
            self.tr("Turquoise"), self.tr("Rose"), self.tr("Violet"), self.tr("Leaf green"), self.tr("Brown"),
            self.tr("Teal"), self.tr("Grey"),
        )  # fmt: skip

    def fill_trash(self) -> None:
        """Show what is in the trash now."""
        self.trash.clear()
        library = self._studio.library
        removed = library.trash() if library is not None else ()
        for key, voice in removed[:20]:
            self.trash.addAction(
                voice_dot(voice.colour),
                self.tr("Restore “%1”").replace("%1", voice.name),
                lambda key=key: self._restore(key),
            )
        if removed:
            self.trash.addSeparator()
            self.trash.addAction(self.tr("Empty the trash"), library.empty_trash)
        else:
            self.trash.addAction(self.tr("The trash is empty")).setEnabled(False)

    def _restore(self, key: str) -> None:
        try:
            voice = self._studio.library.restore(key)
        except SpeechError as error:
            self._studio.say("warning", str(error))
            return
        self._voices.select(voice.id)
