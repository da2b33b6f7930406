"""What the gutter shows of each line, kept until it is another, and when that is painted again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.ui.editor.block_info import BlockInfo, info_of
from app.ui.throttle import Throttle

if TYPE_CHECKING:
    from app.ui.editor.script_editor import ScriptEditor

PULSE_MS = 120


class RowInfos(QObject):
    """Asked at every painting of the gutter.

    Attributes:
        pulse: grows while a line is being spoken; its sign moves with it. repaint_soon: text and gutter, as they are.
    """

    def __init__(self, editor: ScriptEditor) -> None:
        super().__init__(editor)
        self._editor = editor
        self.pulse = 0.0
        self._kept: dict[str, BlockInfo] = {}
        self._dirty: set[str] = set()
        self.repaint_soon = Throttle(self._repaint_now, parent=self)
        self._repaint_blocks = Throttle(self._repaint_dirty, parent=self)
        self._pulse_timer = QTimer(self)
        self._pulse_timer.setInterval(PULSE_MS)
        self._pulse_timer.timeout.connect(self._beat)

    def forget(self) -> None:
        """All may be others."""
        self._kept.clear()

    def start_pulse(self) -> None:
        self._pulse_timer.start()

    def info(self, block_id: str) -> BlockInfo:
        """What the gutter shows of a block, kept until the block changes."""
        if block_id not in self._kept:
            self._kept[block_id] = info_of(self._editor.studio, self._editor.project.block(block_id))
        return self._kept[block_id]

    def block_changed(self, block_id: str) -> None:
        self._kept.pop(block_id, None)
        self._dirty.add(block_id)
        self._repaint_blocks()

    def _repaint_dirty(self) -> None:
        dirty, self._dirty = self._dirty, set()
        blocks = self._editor.project.blocks
        for number, rect in self._editor.rows.visible():
            if number < len(blocks) and blocks[number].id in dirty:
                self._editor.gutter.update(0, int(rect.top()) - 1, self._editor.gutter.width(), int(rect.height()) + 2)
                if self.info(blocks[number].id).state == "speaking" and not self._pulse_timer.isActive():
                    self._pulse_timer.start()

    def everything_changed(self) -> None:
        self._kept.clear()
        self.repaint_soon()

    def _beat(self) -> None:
        self.pulse += 0.7
        self._editor.gutter.update()
        if not self._editor.studio.playing_block and not any(info.state == "speaking" for info in self._kept.values()):
            self._pulse_timer.stop()

    def _repaint_now(self) -> None:
        self._editor.viewport().update()
        self._editor.gutter.update()
        if not self._pulse_timer.isActive() and any(info.state == "speaking" for info in self._kept.values()):
            self._pulse_timer.start()
