"""The inspector: how the selected blocks are to be spoken, and their takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from app.ui.editor.block_info import estimate_s, length_warning
from app.ui.inspector.heading import Heading
from app.ui.inspector.length import LengthSection
from app.ui.inspector.lines import SelectedLines
from app.ui.inspector.manner import DirectionSection, SpeakerSection
from app.ui.inspector.sampling import SamplingSection
from app.ui.inspector.takes import TakesSection
from app.ui.slices import Slices
from app.ui.studio import Studio
from app.ui.theme import GRID, theme
from app.ui.throttle import Debounce, Throttle
from app.ui.widgets.empty_state import EmptyState
from app.ui.widgets.fields import common, rule
from app.ui.widgets.scroll import Scrolled

_FACTS_AT_ONCE = 20


class Inspector(QWidget):
    """Shows the selection of the editor; what differs between its blocks is shown as several values.

    What the model cannot do is greyed, with the reason beneath it.

    Attributes:
        heading, speaker, length, takes, direction, sampling: its sections, from top to bottom.
    """

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self._lines = SelectedLines(studio)
        self._disconnects: list[Callable[[], None]] = []
        self.setAccessibleName(self.tr("Inspector"))
        self._stack = QStackedLayout(self)
        self._stack.addWidget(
            EmptyState(
                "inspector",
                self.tr("Nothing selected"),
                self.tr("Put the caret into a line, or click beside it, to see how it is spoken."),
                small=True,
            )
        )
        page = QWidget()
        scroll = Scrolled(page, self.tr("Inspector"))
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.heading = Heading(studio, self._lines)
        self.speaker = SpeakerSection(studio, self._lines)
        self.length = LengthSection(studio, self._lines)
        self.takes = TakesSection(studio)
        self.direction = DirectionSection(studio, self._lines)
        self.sampling = SamplingSection(studio, self._lines)
        column = QVBoxLayout(page)
        column.setContentsMargins(GRID + 4, GRID, GRID + 4, GRID * 2)
        column.setSpacing(GRID + 4)
        column.addWidget(self.heading)
        column.addWidget(self.speaker)
        column.addWidget(rule())
        column.addWidget(self.length)
        column.addWidget(rule())
        column.addWidget(self.takes)
        column.addWidget(rule())
        column.addWidget(self.direction)
        column.addWidget(self.sampling)
        column.addStretch(1)
        self._stack.addWidget(scroll)
        self._slices = Slices(self)
        self._soon = Throttle(self.refresh, 50, self)
        self._after_typing = Debounce(self.refresh, 120, self)
        for signal in (studio.selection_changed, studio.card_changed, studio.services_changed):
            signal.connect(self._soon)
        studio.block_state_changed.connect(self._block_changed)
        studio.project_replaced.connect(self._attach)
        theme().changed.connect(self._soon)
        self._attach()

    def _attach(self) -> None:
        for disconnect in self._disconnects:
            disconnect()
        project = self._studio.project
        self._disconnects = []
        if project is not None:
            self._disconnects = [
                project.block_changed.connect(self._block_changed),
                project.takes_changed.connect(self._block_changed),
                project.settings_changed.connect(self._soon),
                project.voices_changed.connect(self._soon),
            ]
        self.refresh()

    def _block_changed(self, block_id: str) -> None:
        if block_id in self._studio.selection:
            self._after_typing()

    def focus_length(self) -> None:
        """For "length of this line": the number, ready to be typed."""
        if self._lines.blocks():
            self.length.want_number()
            self.refresh()
            self.length.focus_number()

    def refresh(self) -> None:
        """Show what is so now; of a whole book bit by bit."""
        self._slices.start(self._refreshing())

    def _refreshing(self) -> Iterator[None]:
        blocks = self._lines.blocks()
        self._stack.setCurrentIndex(1 if blocks else 0)
        if not blocks:
            return
        many = len(blocks) >= _FACTS_AT_ONCE  # a few lines are shown before this returns
        if many:
            yield
        self.speaker.show_lines(blocks)
        self.direction.show_lines(blocks)
        self.sampling.show_lines(blocks)
        self.takes.show_block(blocks[0] if len(blocks) == 1 else None, len(blocks))
        if many:
            yield
        project = self._studio.project
        states: list[str] = []
        natural_s: list[float] = []
        warnings: list[str] = []
        for block in blocks:
            states.append(self._studio.block_state(block.id))
            natural_s.append(round(estimate_s(project, block), 1))
            warnings.append(length_warning(self._studio, block))
            if len(states) % _FACTS_AT_ONCE == 0:
                yield
        self.heading.show_lines(blocks, states)
        self.length.show_lines(blocks, common(natural_s), [text for text in warnings if text])

    def minimumSizeHint(self) -> QSize:
        needed = super().minimumSizeHint()
        return QSize(max(304, needed.width()), needed.height())
