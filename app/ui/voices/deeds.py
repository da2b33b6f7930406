"""What is done to a voice of the library: changed, deleted, saved as a file. What fails is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from app.model.voice import Voice
from app.services.voice_archive import SUFFIX as ARCHIVE_SUFFIX
from app.ui.studio import Studio
from engine import SpeechError


class VoiceDeeds(QObject):
    """For the list, the menus and the cards of the voices dock."""

    def __init__(self, studio: Studio, dock: QWidget) -> None:
        super().__init__(dock)
        self._studio, self._dock = studio, dock

    def update(self, voice_id: str, change: Callable[[Voice], Voice]) -> None:
        """Change a voice of the library; that it cannot be kept is told."""
        library = self._studio.library
        try:
            library.update(change(library.voice(voice_id)))
        except SpeechError as error:
            self._studio.say("warning", str(error))

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
        self.update(voice_id, lambda voice: replace(voice, favourite=not voice.favourite))

    def export(self, voice_id: str) -> None:
        voice = self._studio.library.voice(voice_id)
        name, _ = QFileDialog.getSaveFileName(
            self._dock, self.tr("Save the voice"), f"{voice.name}{ARCHIVE_SUFFIX}", f"*{ARCHIVE_SUFFIX}"
        )
        if name:
            try:
                path = self._studio.library.export(voice_id, Path(name))
            except SpeechError as error:
                self._studio.say("error", str(error))
                return
            self._studio.say("done", self.tr("Saved as %1").replace("%1", str(path)))
