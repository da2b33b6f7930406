"""The list of voices: dragged onto lines, and worked with by keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QListView

if TYPE_CHECKING:
    from app.ui.voices.voices import Voices


class VoiceList(QListView):
    """Keys: Enter gives the voice to the selected lines, F2 renames, Delete deletes, P plays, C cares for the clip."""

    def __init__(self, voices: Voices) -> None:
        super().__init__()
        self._voices = voices
        self.setAccessibleName(self.tr("Voices"))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setDefaultDropAction(Qt.DropAction.CopyAction)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)

    def minimumSizeHint(self) -> QSize:
        return QSize(140, 88)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        voice = self._voices.current()
        if voice is not None and event.key() == Qt.Key.Key_Delete:
            if self._voices.model.is_own(voice):
                self._voices.deeds.delete(voice.id)
        elif voice is not None and event.key() == Qt.Key.Key_P and not event.modifiers():
            self._voices.preview(voice.id)
        elif voice is not None and event.key() == Qt.Key.Key_C and not event.modifiers():
            self._voices.care_for(voice.id)
        else:
            super().keyPressEvent(event)
