"""Pills: painted over the tags of the script, found under the mouse, dragged longer, edited in a small popup."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPen, QTextBlock
from PySide6.QtWidgets import QDoubleSpinBox, QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.ui.editor.styling import tags_of
from app.ui.theme import GRID, HALF, theme
from app.ui.widgets.fields import indent
from engine.text.markup import LONGEST_PAUSE_S, Tag

PX_PER_TENTH = 6
ICON_PX = 14.0


@dataclass(frozen=True)
class Pill:
    """One tag as painted.

    Attributes:
        rects: in viewport pixels; two when the tag runs over a line end.
        block_number, tag: where it is.
    """

    rects: tuple[QRectF, ...]
    block_number: int
    tag: Tag

    def holds(self, point: QPoint) -> bool:
        return any(rect.adjusted(-1, -2, 1, 2).contains(point) for rect in self.rects)


def pills_of(block: QTextBlock, top_left: tuple[float, float]) -> list[Pill]:
    """Pills of a laid-out block whose layout begins at `top_left` of the viewport."""
    pills: list[Pill] = []
    layout = block.layout()
    for tag in tags_of(block.text()):
        if tag.kind == "broken":
            continue
        rects: list[QRectF] = []
        at = tag.start
        while at < tag.end:
            line = layout.lineForTextPosition(at)
            if not line.isValid():
                break
            end = min(tag.end, line.textStart() + line.textLength())
            left, right = line.cursorToX(at)[0], line.cursorToX(end)[0]
            ascent_top = line.y() + line.ascent()
            height = min(line.ascent() + line.descent(), 26.0)
            x, width = min(left, right), abs(right - left)
            middle = ascent_top - line.ascent() * 0.36
            rects.append(QRectF(top_left[0] + x, top_left[1] + middle - height / 2, width, height))
            if end <= at:
                break
            at = end
        if rects:
            pills.append(Pill(tuple(rects), block.blockNumber(), tag))
    return pills


def same_pill(one: Pill, other: Pill) -> bool:
    """Whether both are the same tag, at two paintings."""
    return (one.block_number, one.tag.start) == (other.block_number, other.tag.start)


def label_of(tag: Tag) -> str:
    if tag.kind == "pause":
        return f"{tag.seconds:g} s"
    if tag.kind == "length":
        return f"{tag.seconds:g} s"
    return f"{tag.written} → {tag.spoken}"


def paint_pill(painter: QPainter, pill: Pill, behind: str, *, hot: bool = False) -> None:
    """Draw a pill over its tag; `behind` is the colour of its row."""
    look = theme()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    widest = max(pill.rects, key=lambda rect: rect.width())
    for rect in pill.rects:
        body = rect.adjusted(1.5, 1.5, -1.5, -1.5)
        # The tag's own letters are painted out first: a selection would show them.
        painter.fillRect(rect.adjusted(1, 0, -1, 0), look.colour(behind))
        painter.setPen(QPen(look.colour("accent" if hot else "pill_border"), 1.4 if hot else 1.0))
        painter.setBrush(look.colour("pill"))
        painter.drawRoundedRect(body, body.height() / 2, body.height() / 2)
    colour = "warning" if pill.tag.problem else "pill_text"
    text = label_of(pill.tag)
    painter.setFont(look.small_font(0))
    painter.setPen(look.colour(colour))
    wanted = painter.fontMetrics().horizontalAdvance(text)
    name = {"pause": "insert-pause", "length": "fit", "say": "voice"}[pill.tag.kind]
    if len(pill.rects) > 1 and wanted + ICON_PX + 16 > widest.width():
        # Run over a line end: the picture before it, the words after it.
        _paint_icon(painter, pill.rects[0], name, colour)
        painter.drawText(pill.rects[1], Qt.AlignmentFlag.AlignCenter, text)
    elif wanted + ICON_PX + 12 > widest.width():
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(widest.width()) - 10)
        painter.drawText(widest, Qt.AlignmentFlag.AlignCenter, shown)
    else:
        left = widest.center().x() - (ICON_PX + 3 + wanted) / 2
        _paint_icon(painter, QRectF(left, widest.top(), ICON_PX, widest.height()), name, colour)
        words = QRectF(left + ICON_PX + 3, widest.top(), wanted + 2, widest.height())
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, text)
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
            button.setAccessibleName(self.tr("%1 seconds").replace("%1", f"{preset:g}"))
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
