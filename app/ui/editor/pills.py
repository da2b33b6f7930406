"""Pills: painted over the tags of the script, found under the mouse, dragged longer, edited in a small popup."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPen, QTextBlock, QTextLine
from PySide6.QtWidgets import QDoubleSpinBox, QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.ui.editor.styling import ICON_PX, label_of, tags_of
from app.ui.theme import GRID, HALF, theme
from app.ui.widgets.fields import indent
from engine.text.markup import LONGEST_PAUSE_S, Tag

PX_PER_TENTH = 6


@dataclass(frozen=True)
class Pill:
    """One tag as painted.

    Attributes:
        rect: in viewport pixels.
        block_number, tag: where it is.
    """

    rect: QRectF
    block_number: int
    tag: Tag

    def holds(self, point: QPoint) -> bool:
        return self.rect.adjusted(-1, -2, 1, 2).contains(point)


def pills_of(block: QTextBlock, top_left: tuple[float, float]) -> list[Pill]:
    """Pills of a laid-out block whose layout begins at `top_left` of the viewport."""
    pills: list[Pill] = []
    layout = block.layout()
    for tag in tags_of(block.text()):
        if tag.kind == "broken":
            continue
        line = layout.lineForTextPosition(tag.start)
        if not line.isValid():
            continue
        # All its room is in its first letter; a tag that is open begins and ends as its letters do. In a line that
        # runs the other way other words can stand between the first and the last letter of a tag.
        left, right = line.cursorToX(tag.start)[0], line.cursorToX(tag.start, QTextLine.Edge.Trailing)[0]
        if abs(right - left) < ICON_PX:
            right = line.cursorToX(min(tag.end, line.textStart() + line.textLength()))[0]
        height = min(line.ascent() + line.descent(), 26.0)
        middle = line.y() + line.ascent() - line.ascent() * 0.36
        rect = QRectF(top_left[0] + min(left, right), top_left[1] + middle - height / 2, abs(right - left), height)
        pills.append(Pill(rect, block.blockNumber(), tag))
    return pills


def same_pill(one: Pill, other: Pill) -> bool:
    """Whether both are the same tag, at two paintings."""
    return (one.block_number, one.tag.start) == (other.block_number, other.tag.start)


def paint_pill(painter: QPainter, pill: Pill, behind: str, *, hot: bool = False) -> None:
    """Draw a pill over its tag; `behind` is the colour of its row."""
    look = theme()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    body = pill.rect.adjusted(1.5, 1.5, -1.5, -1.5)
    # What a selection shows there is painted out first.
    painter.fillRect(pill.rect.adjusted(1, 0, -1, 0), look.colour(behind))
    painter.setPen(QPen(look.colour("accent" if hot else "pill_border"), 1.4 if hot else 1.0))
    painter.setBrush(look.colour("pill"))
    painter.drawRoundedRect(body, body.height() / 2, body.height() / 2)
    colour = "warning" if pill.tag.problem else "pill_text"
    text = label_of(pill.tag)
    painter.setFont(look.small_font(0))
    painter.setPen(look.colour(colour))
    wanted = painter.fontMetrics().horizontalAdvance(text)
    name = {"pause": "insert-pause", "length": "fit", "say": "voice"}[pill.tag.kind]
    inside = pill.rect.adjusted(HALF, 0, -HALF, 0)
    shown = painter.fontMetrics().elidedText(
        text, Qt.TextElideMode.ElideRight, max(0, int(inside.width() - ICON_PX - 3))
    )
    wanted = min(wanted, painter.fontMetrics().horizontalAdvance(shown))
    left = inside.center().x() - (ICON_PX + 3 + wanted) / 2
    _paint_icon(painter, QRectF(left, inside.top(), ICON_PX, inside.height()), name, colour)
    words = QRectF(left + ICON_PX + 3, inside.top(), wanted + 2, inside.height())
    painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, shown)
    painter.restore()


def _paint_icon(painter: QPainter, rect: QRectF, name: str, colour: str) -> None:
    half = ICON_PX / 2
    theme().paint_icon(
        painter, QRectF(rect.center().x() - half, rect.center().y() - half, ICON_PX, ICON_PX), name, colour
    )


class PausePopup(QFrame):
    """Types a pause in seconds, next to its pill.

    Signals:
        seconds_changed(float): live, while the number changes.
        removed(): take the tag out.
        closed()
    """

    seconds_changed = Signal(float)
    removed = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget, seconds: float, most_s: float = LONGEST_PAUSE_S, title: str = "") -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        frame = QFrame()
        frame.setProperty("role", "popup")
        outer.addWidget(frame)
        column = QVBoxLayout(frame)
        column.setContentsMargins(GRID + HALF, GRID + HALF, GRID + HALF, GRID + HALF)
        column.setSpacing(GRID)
        heading = QLabel(title or self.tr("Pause"))
        heading.setProperty("role", "heading")
        column.addWidget(heading)
        row = QHBoxLayout()
        row.setSpacing(GRID)
        self.spin = QDoubleSpinBox()
        self.spin.setRange(0.0, most_s)
        self.spin.setDecimals(2)
        self.spin.setSingleStep(0.1)
        self.spin.setSuffix(self.tr(" s"))
        self.spin.setValue(seconds)
        self.spin.setMinimumWidth(96)
        indent(self.spin)
        self.spin.setAccessibleName(heading.text())
        row.addWidget(self.spin)
        for preset in (0.3, 0.5, 1.0, 2.0) if most_s <= LONGEST_PAUSE_S else ():
            button = QPushButton(f"{preset:g}")
            button.setProperty("kind", "flat")
            words = self.tr("1 second") if preset == 1 else self.tr("%1 seconds")
            button.setAccessibleName(words.replace("%1", f"{preset:g}"))
            button.clicked.connect(lambda _=False, value=preset: self.spin.setValue(value))
            row.addWidget(button)
        column.addLayout(row)
        remove = QPushButton(self.tr("Remove"))
        remove.setIcon(theme().icon("trash"))
        remove.setProperty("kind", "flat")
        remove.clicked.connect(self._remove)
        column.addWidget(remove, 0, Qt.AlignmentFlag.AlignLeft)
        self.spin.valueChanged.connect(self.seconds_changed)
        self.spin.installEventFilter(self)
        self.setAccessibleName(self.tr("Length of the pause"))

    def open_at(self, below: QPoint) -> None:
        """Show with the number selected, its top left at a global position."""
        self.adjustSize()
        self.move(below)
        self.show()
        self.spin.setFocus()
        self.spin.selectAll()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.spin.interpretText()
                self.close()
                return True
        return super().eventFilter(watched, event)

    def hideEvent(self, event: QEvent) -> None:
        super().hideEvent(event)
        self.closed.emit()

    def _remove(self) -> None:
        self.removed.emit()
        self.close()


class PillDrag:
    """A pill being dragged sideways: every 6 px are a tenth of a second.

    Attributes:
        seconds: the length now.
        moved: whether the mouse went far enough to be a drag, not a click.
    """

    def __init__(self, pill: Pill, x: int, change: Callable[[float], None]) -> None:
        self.pill = pill
        self.seconds = pill.tag.seconds or 0.0
        self.moved = False
        self._start_s = self.seconds
        self._x = x
        self._change = change

    def move_to(self, x: int, right_to_left: bool = False) -> None:
        distance = (self._x - x) if right_to_left else (x - self._x)
        if not self.moved and abs(distance) < HALF:
            return
        self.moved = True
        wanted = round(min(LONGEST_PAUSE_S, max(0.1, self._start_s + round(distance / PX_PER_TENTH) * 0.1)), 3)
        if wanted != self.seconds:
            self.seconds = wanted
            self._change(wanted)
