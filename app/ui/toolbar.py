"""The bar at the top: transport, who speaks the selection and in which language, the model, export."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QSizePolicy, QToolBar, QToolButton, QWidget

from app.model.commands import SetBlockSettings
from app.ui.editor.block_info import voice_of
from app.ui.language_names import NAMES, shown_language
from app.ui.messages import local
from app.ui.studio import Studio
from app.ui.theme import GRID, HALF, theme
from app.ui.throttle import Throttle
from app.ui.transport import Transport
from app.ui.voice_menu import fill_voice_menu, voice_dot


class Toolbar(QToolBar):
    """Fixed at the top; everything in it is also in a menu or a dock."""

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self.setObjectName("toolbar_main")
        self.setWindowTitle(self.tr("Toolbar"))
        self.setAccessibleName(self.tr("Toolbar"))
        self.setMovable(False)
        self.setFloatable(False)
        self.setIconSize(QSize(20, 20))
        self._transport = Transport(studio)
        self.addWidget(self._transport)
        spacer = QWidget()
        spacer.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(spacer)
        right = QWidget()
        row = QHBoxLayout(right)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(HALF)
        self.voice = _Choice(self.tr("Voice of the selected lines"))
        self.voice.menu().aboutToShow.connect(self._fill_voices)
        self.language = _Choice(self.tr("Language of the selected lines"))
        self.language.setIcon(theme().icon("globe"))
        self.language.menu().aboutToShow.connect(self._fill_languages)
        self.model = ModelButton(studio)
        self._export = export = QPushButton(self.tr("Export…"))
        export.setProperty("kind", "primary")
        export.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        action = studio.actions.action("export")
        export.clicked.connect(action.trigger)
        action.enabledChanged.connect(export.setEnabled)
        export.setEnabled(action.isEnabled())
        for widget in (self.voice, self.language, self.model):
            row.addWidget(widget)
        row.addSpacing(GRID)
        row.addWidget(export)
        self.addWidget(right)
        self._soon = Throttle(self._show, 60, self, at_once=False)
        for signal in (
            studio.selection_changed,
            studio.project_replaced,
            studio.services_changed,
            studio.card_changed,
        ):
            signal.connect(self._soon)
        studio.project_replaced.connect(self._attach)
        theme().changed.connect(self._tint)
        self._disconnects: list = []
        self._attach()

    def _attach(self) -> None:
        for disconnect in self._disconnects:
            disconnect()
        project = self._studio.project
        self._disconnects = (
            [
                signal.connect(self._soon)
                for signal in (project.block_changed, project.voices_changed, project.settings_changed)
            ]
            if project is not None
            else []
        )
        self._show()

    def _tint(self) -> None:
        self.language.setIcon(theme().icon("globe"))
        self._show()

    def _blocks(self) -> list:
        project = self._studio.project
        if project is None:
            return []
        return [project.block(each) for each in self._studio.selection if project.has_block(each)]

    def _show(self) -> None:
        blocks = self._blocks()
        self.voice.setEnabled(bool(blocks))
        self.language.setEnabled(bool(blocks))
        # One line for each voice is asked: a book has thousands of lines.
        by_voice = {block.settings.voice: block for block in blocks}
        voices = {voice_of(self._studio, block) for block in by_voice.values()}
        if len(voices) == 1:
            name, colour = next(iter(voices))
            self.voice.show_value(name, voice_dot(colour))
        else:
            self.voice.show_value(self.tr("Several voices") if voices else self.tr("Voice"), voice_dot(""))
        languages = {block.settings.language or self._studio.project.settings.language for block in blocks}
        if len(languages) == 1:
            only = next(iter(languages))
            self.language.show_value(shown_language(only) if only else self.tr("Any language"))
        else:
            self.language.show_value(self.tr("Several languages") if languages else self.tr("Language"))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Names give way in a narrow window: what does not fit into a tool bar is not shown at all."""
        choices = (self.voice, self.language, self.model)
        fixed = sum(widget.sizeHint().width() for widget in (self._transport, self._export))
        room = self.width() - fixed - sum(choice.frame_px for choice in choices) - GRID * 6
        # The shortest first: what it does not need is for the others.
        for others, choice in zip((3, 2, 1), sorted(choices, key=lambda each: each.wanted_px), strict=True):
            given = max(0, min(choice.wanted_px, room // others))
            choice.give_room(given if given < choice.wanted_px else choice.MOST_PX)
            room -= given
        # What the bar has put aside does not tell it that it became smaller.
        self.layout().invalidate()

    def _fill_voices(self) -> None:
        menu = self.voice.menu()
        menu.clear()
        fill_voice_menu(menu, self._studio, lambda voice_id: self._studio.give_voice(self._studio.selection, voice_id))
        menu.addSeparator()
        menu.addAction(self._studio.actions.action("add_voice"))
        menu.addAction(self._studio.actions.action("record_voice"))

    def _fill_languages(self) -> None:
        menu = self.language.menu()
        menu.clear()
        fill_language_menu(menu, self._studio, self._set_language)

    def _set_language(self, language: str | None) -> None:
        self._studio.do(SetBlockSettings(tuple(self._studio.selection), {"language": language}))


def language_names(studio: Studio) -> list[str]:
    """Languages that can be chosen: the model's, or all when it speaks any."""
    card = studio.card
    return list(card.languages) if card is not None and card.languages else list(NAMES)


def fill_language_menu(menu: QMenu, studio: Studio, choose) -> None:
    first = menu.addAction(QCoreApplication.translate("Toolbar", "Project’s language"))
    first.triggered.connect(lambda: choose(None))
    menu.addSeparator()
    for name in language_names(studio):
        menu.addAction(shown_language(name)).triggered.connect(lambda _=False, name=name: choose(name))


class _Choice(QToolButton):
    """A flat button that shows a value and opens a menu; long names are shortened in the middle of the bar."""

    MOST_PX = 150
    LEAST_PX = 32

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self._value = ""
        self._room_px = self.MOST_PX
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMenu(QMenu(self))
        self.setProperty("choice", True)

    @property
    def wanted_px(self) -> int:
        """Width of the whole value, as far as it may ever be shown."""
        return min(self.MOST_PX, QFontMetrics(self.font()).horizontalAdvance(self._value))

    @property
    def frame_px(self) -> int:
        """Width of everything but the value."""
        return self.sizeHint().width() - QFontMetrics(self.font()).horizontalAdvance(self.text())

    def give_room(self, room_px: int) -> None:
        """Show as much of the value as this; with too little for a word only the icon."""
        self._room_px = min(room_px, self.MOST_PX)
        self._show_text()

    def _show_text(self) -> None:
        room_px = self._room_px if self._room_px >= min(self.LEAST_PX, self.wanted_px) else 0
        self.setText(QFontMetrics(self.font()).elidedText(self._value, Qt.TextElideMode.ElideRight, room_px))

    def show_value(self, value: str, icon=None) -> None:
        self._value = value
        self._show_text()
        if icon is not None:
            self.setIcon(icon)
        self.setAccessibleName(f"{self._name}: {value}")
        self.setToolTip(f"<span>{escape(f'{self._name}: {value}')}</span>")

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        _paint_chevron(self)

    def sizeHint(self) -> QSize:
        return super().sizeHint() + QSize(16, 4)


def _paint_chevron(button: QToolButton) -> None:
    painter = QPainter(button)
    colour = "icon" if button.isEnabled() else "icon_disabled"
    theme().paint_icon(painter, QRectF(button.width() - 18, button.height() / 2 - 6, 12, 12), "chevron-down", colour)


class ModelButton(_Choice):
    """Which model speaks, and how far its loading is: a line that grows under the name."""

    def __init__(self, studio: Studio) -> None:
        super().__init__(QCoreApplication.translate("Toolbar", "Model"))
        self._studio = studio
        self._fraction = -1.0
        self._failed = False
        menu = self.menu()
        menu.addAction(studio.actions.action("models"))
        studio.card_changed.connect(self._show)
        studio.engine_loading.connect(self._loading)
        studio.engine_ready.connect(self._ready)
        studio.engine_failed.connect(self._fail)
        theme().changed.connect(self._show)
        self._stage = ""
        self._show()

    def _loading(self, stage: str, fraction: float) -> None:
        self._stage, self._fraction, self._failed = stage, fraction, False
        self._show()

    def _ready(self) -> None:
        self._fraction, self._stage = -1.0, ""
        self._show()

    def _fail(self, message: str, remedy: str) -> None:
        self._failed, self._fraction, self._stage = True, -1.0, message
        self._show()

    def _show(self) -> None:
        card = self._studio.card
        name = card.name if card is not None else self.tr("No model")
        self.show_value(name, theme().icon("warning" if self._failed else "chip", "error" if self._failed else "icon"))
        words = [f"<b>{escape(name)}</b>"]
        if card is not None and card.summary:
            words.append(escape(local(card.summary)))
        if self._stage:
            words.append(escape(local(self._stage)))
        if self._fraction >= 0:
            percent = f"{self._fraction:.0%}"
            self.setAccessibleDescription(f"{local(self._stage)} {percent}")
            words.append(percent)
        else:
            self.setAccessibleDescription(local(self._stage))
        self.setToolTip("<br>".join(words))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._fraction < 0:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left, width, y = 8.0, self.width() - 16.0, self.height() - 2.5
        painter.setPen(QPen(theme().colour("pressed"), 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(int(left), int(y), int(left + width), int(y))
        painter.setPen(QPen(theme().colour("accent"), 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(int(left), int(y), int(left + width * max(0.04, self._fraction)), int(y))
