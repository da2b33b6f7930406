"""The voices of library and project as a list that can be searched and dragged from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QCoreApplication, QMimeData, QModelIndex, QPersistentModelIndex, Qt

from app.model.voice import Voice
from app.services.speaking import cannot_speak
from app.ui.dropping import VOICE_MIME, voice_mime
from app.ui.language_names import shown_language
from app.ui.messages import local
from app.ui.studio import Studio
from app.ui.voice_menu import voices_of
from app.ui.words import listed
from engine import SpeechError

VOICE_ROLE = Qt.ItemDataRole.UserRole
REASON_ROLE = Qt.ItemDataRole.UserRole + 1
USED_ROLE = Qt.ItemDataRole.UserRole + 2
Index = QModelIndex | QPersistentModelIndex


class VoiceModel(QAbstractListModel):
    """One row a voice that matches the search: favourites first, then by name.

    Roles beside the usual: VOICE_ROLE the Voice, REASON_ROLE why the model cannot speak with it ("" when it can),
    USED_ROLE how many lines of the script it speaks.
    """

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self._rows: list[Voice] = []
        self._words: list[str] = []
        self._used: dict[str, int] = {}

    @property
    def voices(self) -> Sequence[Voice]:
        return tuple(self._rows)

    def search(self, text: str) -> None:
        """Show voices whose name, tags or language hold every one of these words."""
        self._words = text.casefold().split()
        self.refresh()

    def refresh(self) -> None:
        """Read the voices again; rows of voices that are still there keep their selection."""
        rows = [voice for voice in voices_of(self._studio) if self._matches(voice)]
        if [voice.id for voice in rows] == [voice.id for voice in self._rows]:
            self._rows = rows
            if rows:
                self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def count_uses(self) -> None:
        """Count the lines of each voice; for when blocks changed."""
        used: dict[str, int] = {}
        project = self._studio.project
        if project is not None:
            default = project.settings.default_voice
            for block in project.blocks:
                voice_id = block.settings.voice or default
                if voice_id and block.text:
                    used[voice_id] = used.get(voice_id, 0) + 1
        if used != self._used:
            self._used = used
            if self._rows:
                self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1), [USED_ROLE])

    def voice(self, voice_id: str) -> Voice | None:
        """Of those that are shown."""
        return next((each for each in self._rows if each.id == voice_id), None)

    def row_of(self, voice_id: str) -> int:
        """-1 when it is not shown."""
        return next((row for row, voice in enumerate(self._rows) if voice.id == voice_id), -1)

    def is_own(self, voice: Voice) -> bool:
        """Whether it is the person's, and can be changed."""
        library = self._studio.library
        return (
            library is not None
            and not library.is_built_in(voice.id)
            and any(each.id == voice.id for each in library.voices)
        )

    # -- Qt

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        voice = self._rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return voice.name
        if role == VOICE_ROLE:
            return voice
        if role == REASON_ROLE:
            return local(cannot_speak(self._studio.card, voice))
        if role == USED_ROLE:
            return self._used.get(voice.id, 0)
        if role == Qt.ItemDataRole.ToolTipRole:
            return local(cannot_speak(self._studio.card, voice)) or self._describe(voice)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return listed(
                part
                for part in (voice.name, self._describe(voice), local(cannot_speak(self._studio.card, voice)))
                if part
            )
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        voice = self._rows[index.row()]
        if str(value).strip() == voice.name:
            return False
        try:
            self._studio.library.rename(voice.id, str(value))
        except SpeechError as error:
            self._studio.say("warning", str(error))
            return False
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        if index.isValid():
            flags |= Qt.ItemFlag.ItemIsDragEnabled
            if self.is_own(self._rows[index.row()]):
                flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def mimeTypes(self) -> list[str]:
        return [VOICE_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        voice = self._rows[indexes[0].row()]
        return voice_mime(voice.id, voice.name)

    def supportedDragActions(self) -> Qt.DropAction:
        return Qt.DropAction.CopyAction

    # -- inside

    def _matches(self, voice: Voice) -> bool:
        if not self._words:
            return True
        spoken = [clip.language for clip in voice.references if clip.language]
        languages = [*spoken, *map(shown_language, spoken)]
        text = " ".join((voice.name, *voice.tags, *languages)).casefold()
        return all(word in text for word in self._words)

    def _describe(self, voice: Voice) -> str:
        parts = list(voice.tags)
        language = next((clip.language for clip in voice.references if clip.language), None)
        if language:
            parts.append(shown_language(language))
        library = self._studio.library
        if library is not None and library.is_built_in(voice.id):
            parts.append(QCoreApplication.translate("Voices", "comes with the model"))
        return listed(parts)
