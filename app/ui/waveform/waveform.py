"""The waveform of the programme: grows while it is spoken, shows what is heard, takes clicks and drags."""

from __future__ import annotations

from collections.abc import Callable

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QRectF, Qt, QTimer
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QStackedLayout, QToolButton, QWidget

from app.services.overview import Overview
from app.services.playing import PlayerSnapshot, PlayState
from app.ui.editor.block_info import voice_of
from app.ui.studio import Studio
from app.ui.theme import theme
from app.ui.throttle import Throttle
from app.ui.transport.playback import playback_of
from app.ui.transport.transport import clock
from app.ui.waveform.columns import NEUTRAL, Shapes
from app.ui.waveform.programme_item import ProgrammeItem
from app.ui.waveform.time_box import TimeBox
from app.ui.widgets.dock import small_button
from app.ui.widgets.empty_state import EmptyState
from app.ui.words import words_of

_FIRST_SEEN_S = 60.0
_MEASURED_AT_ONCE = 60
_GROW_EVERY_MS = 100


class Waveform(QWidget):
    """One for a studio.

    Attributes:
        plot, box: pyqtgraph's view and its time axis.
        item: draws the blocks. playhead, selection: lines over it.
    """

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self._playback = playback_of(studio)
        self._by_hand = False
        self._disconnects: list[Callable[[], None]] = []
        self.setAccessibleName(self.tr("Waveform"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(96)
        self._layers = QStackedLayout(self)
        self._layers.setContentsMargins(0, 0, 0, 0)
        self.box = TimeBox()
        self.ruler = _Ruler()
        self.plot = pg.PlotWidget(viewBox=self.box, axisItems={"top": self.ruler}, background=None)
        self.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.plot.setAccessibleName(self.tr("Waveform"))
        self.plot.viewport().setAccessibleName(self.tr("Waveform"))
        self.plot.setFrameShape(pg.QtWidgets.QFrame.Shape.NoFrame)
        self.plot.getPlotItem().hideButtons()
        self.plot.showAxis("top")
        for side in ("left", "bottom", "right"):
            self.plot.hideAxis(side)
        self.plot.getPlotItem().setContentsMargins(0, 0, 0, 0)
        self.plot.getPlotItem().layout.setContentsMargins(8, 0, 8, 6)
        self.item = ProgrammeItem(Shapes(self._shape_of, self._colour_of, self._is_measured), self._look_of)
        self.box.addItem(self.item)
        self.selection = pg.LinearRegionItem(movable=False)
        self.selection.hide()
        self.box.addItem(self.selection, ignoreBounds=True)
        self.playhead = pg.InfiniteLine(0.0, movable=False)
        self.playhead.setZValue(20)
        self.box.addItem(self.playhead, ignoreBounds=True)
        self._empty = EmptyState(
            "waveform",
            self.tr("Nothing to hear yet"),
            self.tr("Write a line and press Ctrl+Enter: its sound grows here."),
            small=True,
        )
        self._layers.addWidget(self.plot)
        self._layers.addWidget(self._empty)
        self._focus_ring = _FocusRing(self)
        self._measure_soon = QTimer(self)
        self._measure_soon.setSingleShot(True)
        self._measure_soon.setInterval(150)
        self._measure_soon.timeout.connect(self._measure)
        self._refresh = Throttle(self._show, _GROW_EVERY_MS, self, at_once=False)
        self.box.clicked.connect(self._clicked)
        self.box.double_clicked.connect(self._double_clicked)
        self.box.dragged.connect(self._dragged)
        self.box.moved_by_hand.connect(self._moved_by_hand)
        self.box.sigXRangeChanged.connect(lambda *_: self._measure_soon.start())
        self._playback.ticked.connect(self._ticked)
        self._playback.timeline_changed.connect(self._refresh)
        self._playback.grown.connect(self._block_changed)
        studio.block_state_changed.connect(self._block_changed)
        self._playback.selected_changed.connect(self._show_selection)
        studio.current_block_changed.connect(lambda _: self._show_playhead())
        studio.project_replaced.connect(self._project_replaced)
        studio.services_changed.connect(self._refresh)
        theme().changed.connect(self._tint)
        self._tint()
        self._project_replaced()

    def title_buttons(self) -> list[QToolButton]:
        """For the dock's title bar."""
        made = []
        for icon, name, deed in (
            ("remove", self.tr("Show more time"), lambda: self.box.zoom(1.6)),
            ("add", self.tr("Show less time"), lambda: self.box.zoom(0.625)),
            ("fit", self.tr("Show the whole programme"), self.show_all),
        ):
            button = small_button(icon, name)
            button.clicked.connect(deed)
            made.append(button)
        return made

    def show_all(self) -> None:
        timeline = self._playback.timeline
        self._by_hand = True
        self.box.show_stretch(0.0, max(10.0, timeline.total_s * 1.02 if timeline else 0.0))

    # -- showing ------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        timeline = self._playback.timeline
        total_s = timeline.total_s if timeline is not None else 0.0
        self._layers.setCurrentWidget(self.plot if total_s > 0 else self._empty)
        self.box.set_end(total_s)
        self.item.set_timeline(timeline)
        if not self._by_hand:
            (start_s, _), _ = self.box.viewRange()
            seen_s = min(max(10.0, total_s * 1.02), _FIRST_SEEN_S)
            start_s = min(start_s, max(0.0, total_s - seen_s))
            self.box.show_stretch(start_s, start_s + seen_s)
        self._show_playhead()
        self._measure_soon.start()

    def _show_playhead(self) -> None:
        position_s = self._playback.position_s()
        self.playhead.setPos(position_s)
        self.setAccessibleDescription(self.tr("Position %1").replace("%1", clock(position_s)))

    def _ticked(self, snapshot: PlayerSnapshot) -> None:
        self._show_playhead()
        self.item.set_playing(self._studio.playing_block)
        if snapshot.state is PlayState.PLAYING and not self._playback.previewing:
            self._follow(self._playback.position_s())

    def _follow(self, position_s: float) -> None:
        (start_s, end_s), _ = self.box.viewRange()
        if not start_s <= position_s <= end_s - 0.04 * (end_s - start_s):
            self.box.show_stretch(position_s - 0.08 * (end_s - start_s), position_s + 0.92 * (end_s - start_s))

    def _show_selection(self) -> None:
        stretch = self._playback.selected_s
        self.selection.setVisible(stretch is not None)
        if stretch is not None:
            self.selection.setRegion(stretch)

    def _tint(self) -> None:
        self.ruler.tint()
        self.playhead.setPen(QPen(theme().colour("text"), 0))
        accent = theme().alpha("accent", 0.16)
        self.selection.setBrush(accent)
        for line in self.selection.lines:
            line.setPen(QPen(theme().colour("accent"), 0))
        self.item.refresh()

    # -- what the views ask -------------------------------------------------------------------------------------

    def _shape_of(self, block_id: str) -> Overview | None:
        renderer, project = self._studio.renderer, self._studio.project
        if renderer is None or project is None or not project.has_block(block_id):
            return None
        return renderer.shape(project.block(block_id))

    def _is_measured(self, block_id: str) -> bool:
        renderer, project = self._studio.renderer, self._studio.project
        if renderer is None or renderer.store is None or project is None or not project.has_block(block_id):
            return True
        return renderer.is_measured(project.block(block_id))

    def _look_of(self, block_id: str) -> tuple[str, str]:
        project = self._studio.project
        if project is None or not project.has_block(block_id):
            return "", "none"
        block = project.block(block_id)
        words = f"{voice_of(self._studio, block)[0]}  {words_of(block.text[:200], 60)}"
        return words, self._studio.block_state(block_id)

    def _colour_of(self, block_id: str) -> str:
        project = self._studio.project
        if project is None or not project.has_block(block_id):
            return NEUTRAL
        voice = project.voice_of(project.block(block_id))
        return voice.colour if voice is not None else NEUTRAL

    def _block_changed(self, block_id: str) -> None:
        self.item.forget(block_id)
        self._refresh()

    def _blocks_changed(self, _first: int, removed: tuple[str, ...], _added: tuple[str, ...]) -> None:
        # A line that was split, joined or put back keeps its id and has other words.
        for block_id in removed:
            self.item.forget(block_id)

    def _forget_all(self) -> None:
        self.item.forget()
        self._refresh()

    def _measure(self) -> None:
        renderer = self._studio.renderer
        if renderer is not None and renderer.store is not None:
            renderer.measure(
                [each for each in self.item.unknown(_MEASURED_AT_ONCE) if self._studio.project.has_block(each)]
            )

    # -- what a person does -------------------------------------------------------------------------------------

    def _clicked(self, seconds: float) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self._playback.select_stretch(None)
        self._playback.seek(seconds)

    def _double_clicked(self, seconds: float) -> None:
        timeline = self._playback.timeline
        place = timeline.place_at(seconds) if timeline is not None else None
        if place is not None:
            self._playback.play_from(place.block_id, place.offset_samples)

    def _dragged(self, start_s: float, end_s: float, finished: bool) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        timeline = self._playback.timeline
        end_s = min(end_s, timeline.total_s if timeline is not None else 0.0)
        if end_s - start_s > 0.05:
            self._playback.select_stretch((start_s, end_s))
            if finished and self._studio.actions is not None and self._studio.actions.action("loop").isChecked():
                self._playback.play_selection()
        elif finished:
            self._playback.select_stretch(None)

    def _moved_by_hand(self) -> None:
        self._by_hand = True

    def _project_replaced(self) -> None:
        self._by_hand = False
        self.item.forget()
        for disconnect in self._disconnects:
            disconnect()
        project = self._studio.project
        self._disconnects = [] if project is None else [
            project.voices_changed.connect(self._forget_all), project.settings_changed.connect(self._forget_all),
            project.blocks_changed.connect(self._blocks_changed),
        ]  # fmt: skip
        self._show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, shift = event.key(), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        position_s = self._playback.position_s()
        timeline = self._playback.timeline
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            step_s = (5.0 if shift else 1.0) * (1 if key == Qt.Key.Key_Right else -1)
            self._playback.seek(max(0.0, position_s + step_s))
        elif key == Qt.Key.Key_Home:
            self._playback.seek(0.0)
        elif key == Qt.Key.Key_End and timeline is not None:
            self._playback.seek(timeline.total_s)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.box.zoom(0.625, position_s)
        elif key == Qt.Key.Key_Minus:
            self.box.zoom(1.6, position_s)
        elif key == Qt.Key.Key_0:
            self.show_all()
        elif key == Qt.Key.Key_Escape and self._playback.selected_s is not None:
            self._playback.select_stretch(None)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._playback.play_selection()
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self.ruler.tint()
        super().changeEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._focus_ring.show()
        self._focus_ring.raise_()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._focus_ring.hide()
        super().focusOutEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._focus_ring.setGeometry(self.rect())
        super().resizeEvent(event)


class _FocusRing(QWidget):
    """Lies over a view that is painted by others and shows that it has the keyboard."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme().colour("focus"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(2.5, 0.5, -2.5, -2.5), 5, 5)


class _Ruler(pg.AxisItem):
    """Time in minutes and seconds along the top."""

    def __init__(self) -> None:
        super().__init__("top")
        self.setStyle(tickLength=5, autoExpandTextSpace=False, tickTextOffset=3)

    def tint(self) -> None:
        font = theme().figures_font(-2.0)
        self.setTickFont(font)
        self.setHeight(QFontMetrics(font).height() + 9)
        self.setPen(QPen(theme().colour("border_strong"), 0))
        self.setTextPen(theme().colour("text_faint"))

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        wanted = (high - low) * 90 / max(size, 1)
        for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200):
            if step >= wanted:
                return [(step, 0), (step / 5, 0)]
        return [(14_400, 0)]

    def tickStrings(self, values: list[float], _scale: float, spacing: float) -> list[str]:
        return [clock(value + 0.0005, hundredths=spacing < 1) for value in values]
