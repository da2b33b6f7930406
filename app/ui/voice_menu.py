"""Voices as menu entries and as entries of a box, each with its colour."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QCoreApplication, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QMenu

from app.ui.studio import Studio
from app.ui.theme import theme


def voice_dot(colour: str, size_px: int = 16) -> QIcon:
    """A disc in the voice's colour."""
    return theme().kept_icon(("dot", colour, str(size_px)), lambda: _make_dot(colour, size_px))


def _make_dot(colour: str, size_px: int) -> QIcon:
    icon = QIcon()
    for scale in (1, 2):
        pixmap = QPixmap(size_px * scale, size_px * scale)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour or "#8a948f"))
        inset = size_px * scale * 0.2
        painter.drawEllipse(QRectF(inset, inset, size_px * scale - 2 * inset, size_px * scale - 2 * inset))
        painter.end()
        icon.addPixmap(pixmap)
    return icon


def voices_of(studio: Studio) -> list[Any]:
    """Every voice that can be given: those of the library, and those that came with the project only."""
    found: dict[str, Any] = {}
    if studio.library is not None:
        for voice in studio.library.voices:
            found[voice.id] = voice
    if studio.project is not None:
        for voice in studio.project.voices.values():
            found.setdefault(voice.id, voice)
    return sorted(found.values(), key=lambda voice: (not voice.favourite, voice.name.casefold()))


def default_voice_words() -> str:
    return QCoreApplication.translate("Voices", "Project’s voice")


def fill_voice_menu(menu: QMenu, studio: Studio, choose: Callable[[str | None], object]) -> None:
    """One entry a voice; the first gives the project's own."""
    first = menu.addAction(voice_dot(""), default_voice_words())
    first.triggered.connect(lambda: choose(None))
    menu.addSeparator()
    for voice in voices_of(studio):
        entry = menu.addAction(voice_dot(voice.colour), voice.name)
        entry.triggered.connect(lambda _=False, voice_id=voice.id: choose(voice_id))
