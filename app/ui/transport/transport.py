"""The left part of the toolbar: buttons, the time, the meters."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QFontMetrics
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from app.services.playing import PlayerSnapshot, PlayState
from app.ui.studio import Studio
from app.ui.theme import GRID, HALF, theme
from app.ui.transport.meter import MeterView
from app.ui.transport.output_button import OutputButton
from app.ui.transport.playback import playback_of
from app.ui.transport.speed import SpeedButton


class Transport(QWidget):
    """Buttons for the play actions, the time of the programme, the meters.

    Attributes:
        playback: what the buttons drive.
        time: shows `position / length`.
    """

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self.playback = playback_of(studio)
        self.setAccessibleName(self.tr("Transport"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        self.play = self._button("play_pause", "play", big=True)
        self.stop = self._button("stop", "stop")
        self.previous = self._button("previous_block", "previous")
        self.next = self._button("next_block", "next")
        self.loop = self._button("loop", "loop")
        self.record = self._button("record_voice", "record", colour="record")
        for button in (self.play, self.stop, self.previous, self.next, self.loop):
            row.addWidget(button)
        row.addSpacing(GRID)
        row.addWidget(self.record)
        row.addSpacing(GRID)
        self.time = _Time()
        row.addWidget(self.time)
        row.addSpacing(HALF)
        self.speed = SpeedButton(studio)
        row.addWidget(self.speed)
        row.addSpacing(HALF)
        self.meter = MeterView()
        row.addWidget(self.meter)
        self.output = OutputButton(studio)
        row.addWidget(self.output)
        row.addStretch(1)
        self.playback.ticked.connect(self._show)
        self.playback.timeline_changed.connect(self._show_time)
        studio.current_block_changed.connect(self._show_time)
        theme().changed.connect(self._tint)
        self._tint()
        self._show(self.playback.snapshot)

    def _button(self, action_id: str, icon: str, *, big: bool = False, colour: str = "icon") -> QToolButton:
        action: QAction = self._studio.actions.action(action_id)
        button = QToolButton()
        button.setDefaultAction(action)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        button.setIconSize(QSize(22, 22) if big else QSize(18, 18))
        button.setFixedSize(QSize(40, 36) if big else QSize(32, 32))
        button.setAccessibleName(action.text().replace("&", "").rstrip("…"))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setProperty("icon_name", icon)
        button.setProperty("icon_colour", colour)
        return button

    def _tint(self) -> None:
        # An own icon per button: the action's own is the menu's.
        for button in (self.stop, self.previous, self.next, self.loop, self.record):
            button.setIcon(theme().icon(button.property("icon_name"), button.property("icon_colour")))
        self._show_play(self.playback.snapshot.state)

    def _show_play(self, state: PlayState) -> None:
        plays = state in (PlayState.PLAYING, PlayState.BUFFERING) and not self.playback.previewing
        self.play.setIcon(theme().icon("pause" if plays else "play", "accent"))
        self.play.setAccessibleName(self.tr("Pause") if plays else self.tr("Play"))

    def _show(self, snapshot: PlayerSnapshot) -> None:
        self._show_play(snapshot.state)
        if snapshot.state is PlayState.STOPPED and self.stop.hasFocus():
            self.play.setFocus(Qt.FocusReason.OtherFocusReason)  # it is about to be disabled
        self.meter.show_levels(snapshot.levels, snapshot.state is PlayState.PLAYING)
        self._show_time()

    def _show_time(self, *_: object) -> None:
        timeline = self.playback.timeline
        total_s = timeline.total_s if timeline is not None else 0.0
        measured = timeline is not None and bool(timeline.measured.all())
        self.time.show_time(
            self.playback.position_s(), total_s, measured, self.playback.snapshot.state is PlayState.BUFFERING
        )


class _Time(QWidget):
    """Position in figures of one width, length beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(HALF)
        self.position = QLabel()
        self.length = QLabel()
        self.length.setProperty("role", "soft")
        for label in (self.position, self.length):
            label.setAlignment(Qt.AlignmentFlag.AlignVCenter)
            row.addWidget(label)
        self.position.setAccessibleName(self.tr("Position"))
        self.length.setAccessibleName(self.tr("Length of the programme"))
        self._fonts()
        theme().changed.connect(self._fonts)
        self.show_time(0.0, 0.0, True, False)

    def _fonts(self) -> None:
        big, small = theme().figures_font(3.0), theme().figures_font(0.0)
        self.position.setFont(big)
        self.length.setFont(small)
        self.position.setMinimumWidth(QFontMetrics(big).horizontalAdvance("00:00.00"))
        self.length.setMinimumWidth(QFontMetrics(small).horizontalAdvance("/ ~00:00"))

    def show_time(self, position_s: float, total_s: float, measured: bool, waiting: bool) -> None:
        self.position.setText(clock(position_s, hundredths=True))
        self.position.setEnabled(not waiting)
        self.length.setText(f"/ {'' if measured else '~'}{clock(total_s)}")
        self.length.setToolTip(
            "" if measured else self.tr("Estimated: some lines were not spoken yet, or were changed since.")
        )


def clock(seconds: float, *, hundredths: bool = False) -> str:
    """00:12.48, 03:41, 1:02:03."""
    hundredth = int(max(0.0, seconds) * 100 + (0 if hundredths else 50))
    whole, rest = divmod(hundredth, 100)
    minutes, s = divmod(whole, 60)
    hours, m = divmod(minutes, 60)
    text = f"{hours}:{m:02d}:{s:02d}" if hours else f"{m:02d}:{s:02d}"
    return f"{text}.{rest:02d}" if hundredths else text
