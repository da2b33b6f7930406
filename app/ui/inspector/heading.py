"""The top of the inspector: which lines are selected, in what state they are, and whether they are locked."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.model.block import Block
from app.ui.editor.block_info import STATES, info_of
from app.ui.inspector.lines import SelectedLines
from app.ui.messages import local
from app.ui.studio import Studio
from app.ui.theme import GRID, theme
from app.ui.widgets.fields import MIXED, common


class Heading(QWidget):
    """
    Attributes:
        title: the number of the line, or how many lines. lock: for all of them.
    """

    def __init__(self, studio: Studio, lines: SelectedLines) -> None:
        super().__init__()
        self._studio = studio
        row = QHBoxLayout()
        row.setSpacing(GRID)
        self._glyph = _Glyph()
        self.title = QLabel()
        self.title.setProperty("role", "heading")
        self.lock = QCheckBox(self.tr("Locked"))
        self.lock.setToolTip(self.tr("A locked line keeps its take when others are made again."))
        self.lock.clicked.connect(lambda on: lines.set("locked", bool(on)))
        row.addWidget(self._glyph)
        row.addWidget(self.title, 1)
        row.addWidget(self.lock)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(row)
        self._state = QLabel()
        self._state.setWordWrap(True)
        self._state.setProperty("role", "small")
        column.addWidget(self._state)

    def show_lines(self, blocks: list[Block], states: list[str]) -> None:
        """Args: states: of each block, as `Studio.block_state` tells."""
        if len(blocks) == 1:
            self._show_line(blocks[0])
        else:
            self.title.setText(self.tr("%1 lines").replace("%1", str(len(blocks))))
            self._glyph.show_state(states[0] if common(states) is not MIXED else "none")
            done = sum(state in ("ready", "locked") for state in states)
            self._state.setText(self.tr("%1 of %2 are spoken").replace("%1", str(done)).replace("%2", str(len(blocks))))
        locked = common([block.settings.locked for block in blocks])
        self.lock.setTristate(locked is MIXED)
        self.lock.setCheckState(
            Qt.CheckState.PartiallyChecked
            if locked is MIXED
            else Qt.CheckState.Checked
            if locked
            else Qt.CheckState.Unchecked
        )

    def _show_line(self, block: Block) -> None:
        number = self._studio.project.index(block.id) + 1
        self.title.setText(self.tr("Line %1").replace("%1", str(number)))
        info = info_of(self._studio, block)
        words = info.state_words if info.spoken else info.sentence()
        renderer = self._studio.renderer
        if info.state in ("suspicious", "failed") and renderer is not None:
            words = local(renderer.reason(block.id)) or words
        self._glyph.show_state(info.state if info.spoken else "none")
        self._state.setText(words)


class _Glyph(QWidget):
    """The state of the selected blocks."""

    def __init__(self) -> None:
        super().__init__()
        self._state = "none"

    def sizeHint(self) -> QSize:
        return QSize(18, 18)

    def show_state(self, state: str) -> None:
        self._state = state
        self.setVisible(bool(STATES[state][0]))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        icon, colour, _ = STATES[self._state]
        if icon:
            theme().paint_icon(QPainter(self), QRectF(0, (self.height() - 18) / 2, 18, 18), icon, colour)
