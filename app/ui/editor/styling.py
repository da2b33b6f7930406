"""How the text of the script looks: headings large, notes faint, tags out of the way of their pills."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QTextBlock, QTextCharFormat, QTextDocument, QTextLayout

from app.model.block import BlockKind, kind_of
from app.services.kept_tags import LONG_TEXT, tags_in
from app.ui.theme import theme
from engine.text.markup import Tag

TAG_SCALE = 0.82
CHAPTER_SCALE = 1.5
SCENE_SCALE = 1.2
ICON_PX = 14.0
PILL_AIR_PX = 12.0
_AT_ONCE = 120  # lines formatted while they are put in
_SLICE = 40
_BETWEEN_MS, _AFTER_A_KEY_MS = 4, 150  # who types in a book that was just opened is not to feel the rest of it
_NOT_FORMATTED = -1
WIDEST_PILL_PX = 360.0  # longer words are shortened with an ellipsis


def tags_of(text: str) -> tuple[Tag, ...]:
    """Tags of a block's text in UTF-16 units, kept, since a block is asked for them at every repaint."""
    return _kept_tags(text) if len(text) <= LONG_TEXT else _kept_long_tags(text)


def _tags(text: str) -> tuple[Tag, ...]:
    tags = tags_in(text)
    if not tags or text.isascii() or max(text) <= "\uffff":
        return tags

    def units(position: int) -> int:
        return len(text[:position].encode("utf-16-le")) // 2

    return tuple(
        Tag(tag.kind, units(tag.start), units(tag.end), tag.seconds, tag.written, tag.spoken, tag.problem)
        for tag in tags
    )


# Of a text as long as a book each key makes another: only a few of them may be kept.
_kept_tags, _kept_long_tags = lru_cache(maxsize=32_768)(_tags), lru_cache(maxsize=16)(_tags)


def label_of(tag: Tag) -> str:
    """What the pill of a tag says."""
    if tag.seconds is not None:
        return f"{tag.seconds:g} s"
    return f"{tag.written} → {tag.spoken}"


def pill_width(tag: Tag) -> float:
    """Pixels that the pill of a tag takes in its line: picture, words, and air around them."""
    return min(WIDEST_PILL_PX, ICON_PX + 3 + _label_width(label_of(tag)) + 2 * PILL_AIR_PX)


@lru_cache(maxsize=4096)
def _label_width(label: str) -> float:
    """Kept until the font is another."""
    return QFontMetricsF(theme().small_font(0)).horizontalAdvance(label)


class ScriptHighlighter(QObject):
    """Formats only; it never touches the text.

    Lines that are typed in are formatted at once. Of a whole book those in sight come first and the rest follows a
    slice at a time: to format thousands of lines and to lay them out anew takes longer than a window may stand still.
    """

    def __init__(self, document: QTextDocument, font: QFont, in_sight: Callable[[], range] = lambda: range(0)) -> None:
        """
        Args:
            in_sight: numbers of the lines that are seen now.
        """
        super().__init__(document)
        self._document, self._in_sight = document, in_sight
        self._open_tag: tuple[int, int] | None = None  # block number, start of the tag the caret is in
        self._round = 0  # kept with each line: in which round it was formatted
        self._next = 0  # where the slices go on
        self._timer = QTimer(self)
        self._timer.setInterval(_BETWEEN_MS)
        self._timer.timeout.connect(self._slice)
        self.set_font(font)
        document.contentsChange.connect(self._changed)

    @property
    def document(self) -> QTextDocument:
        return self._document

    @property
    def busy(self) -> bool:
        """Whether some lines still look as they did before."""
        return self._timer.isActive()

    def set_font(self, font: QFont) -> None:
        """Take sizes and colours anew; call `rehighlight` after."""
        points = font.pointSizeF()
        self._chapter = _form("text", weight=QFont.Weight.Bold, points=points * CHAPTER_SCALE)
        self._scene = _form("text", weight=QFont.Weight.DemiBold, points=points * SCENE_SCALE)
        self._mark = _form("text_faint", weight=QFont.Weight.Normal, points=points)
        self._note = _form("text_faint", italic=True)
        self._room = QTextCharFormat()
        self._room.setForeground(QColor(0, 0, 0, 0))
        self._room.setFontPointSize(points * TAG_SCALE)
        self._bracket_px = QFontMetricsF(_resized(font, points * TAG_SCALE)).horizontalAdvance("[")
        self._hidden = QTextCharFormat(self._room)
        self._hidden.setProperty(QTextCharFormat.Property.FontPixelSize, 1)
        self._hidden.clearProperty(QTextCharFormat.Property.FontPointSize)
        self._hidden.setFontLetterSpacingType(QFont.SpacingType.PercentageSpacing)
        self._hidden.setFontLetterSpacing(1)
        self._shown = _form("pill_text", points=points * TAG_SCALE)
        self._broken = _form("error")
        self._broken.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        self._broken.setUnderlineColor(theme().colour("error"))
        _label_width.cache_clear()

    def rehighlight(self) -> None:
        """Format every line again, those in sight first."""
        self._round += 1
        self._next = 0
        self._timer.start(_BETWEEN_MS)
        self._slice()

    def open_tag(self, block_number: int, start: int) -> None:
        """The caret is inside this tag: show its letters. (-1, -1) for none."""
        wanted = (block_number, start) if block_number >= 0 else None
        if wanted == self._open_tag:
            return
        before, self._open_tag = self._open_tag, wanted
        for number in {each[0] for each in (before, wanted) if each is not None}:
            self._format(range(number, number + 1), dirty=True)

    def is_open(self, block_number: int, start: int) -> bool:
        return self._open_tag == (block_number, start)

    # -- which lines, and when ----------------------------------------------------------------------------------

    def _changed(self, position: int, _removed: int, added: int) -> None:
        """Qt lays out what was changed after this, so nothing has to be laid out twice."""
        first = self._document.findBlock(position).blockNumber()
        last = self._document.findBlock(position + added)
        end = last.blockNumber() + 1 if last.isValid() else self._document.blockCount()
        self._format(range(first, min(end, first + _AT_ONCE)), dirty=False)
        if end > first + _AT_ONCE:
            for number in range(first + _AT_ONCE, end):
                self._document.findBlockByNumber(number).setUserState(_NOT_FORMATTED)
            self._next = min(self._next, first) if self.busy else first
            self._timer.start(_BETWEEN_MS)
        elif self.busy:
            self._next = min(self._next, first)  # the numbers of the lines behind it may be others
            self._timer.start(_AFTER_A_KEY_MS)

    def _slice(self) -> None:
        self._timer.setInterval(_BETWEEN_MS)
        seen = self._in_sight()
        if not self._format(self._stale(seen), dirty=True):
            block = self._document.findBlockByNumber(self._next)
            while block.isValid() and block.userState() == self._round:
                block = block.next()
            if not block.isValid():
                self._timer.stop()
                return
            self._next = block.blockNumber() + _SLICE
            self._format(range(block.blockNumber(), self._next), dirty=True)

    def _stale(self, numbers: range) -> range:
        """From the first to the last of these lines that has to be formatted."""
        found = [each for each in numbers if self._document.findBlockByNumber(each).userState() != self._round]
        return range(found[0], min(found[-1] + 1, found[0] + _SLICE)) if found else range(0)

    def _format(self, numbers: range, *, dirty: bool) -> int:
        """Format these lines; how many there were. `dirty`: have them laid out and painted again."""
        block = self._document.findBlockByNumber(numbers.start) if numbers else QTextBlock()
        start, count = block.position(), 0
        length = 0
        while block.isValid() and count < len(numbers):
            self._format_block(block)
            length = block.position() + block.length() - start
            block = block.next()
            count += 1
        if dirty and count:
            self._document.markContentsDirty(start, length)
        return count

    def _format_block(self, block: QTextBlock) -> None:
        block.setUserState(self._round)
        layout = block.layout()
        wanted = self._ranges(block.text(), block.blockNumber())
        composed = len(layout.preeditAreaText().encode("utf-16-le")) // 2
        if composed:
            # Letters of an input method lie between those of the text, with formats of their own.
            at = layout.preeditAreaPosition()
            own = [each for each in layout.formats() if each.start >= at and each.start + each.length <= at + composed]
            for each in wanted:
                if each.start >= at:
                    each.start += composed
                elif each.start + each.length > at:
                    each.length += composed
            wanted += own
        elif not wanted and not layout.formats():
            return
        layout.setFormats(wanted)

    # -- how a line looks ---------------------------------------------------------------------------------------

    def _ranges(self, text: str, number: int) -> list[QTextLayout.FormatRange]:
        kind = kind_of(text)
        length = len(text.encode("utf-16-le")) // 2 if not text.isascii() else len(text)
        if kind is BlockKind.NOTE:
            return [_range(0, length, self._note)]
        heading = {BlockKind.CHAPTER: (self._chapter, 2), BlockKind.SCENE: (self._scene, 3)}.get(kind)
        if heading is None and "[" not in text and "<" not in text and text.isascii():
            return []
        ranges: list[QTextLayout.FormatRange] = []
        at = 0
        if heading is not None:
            ranges.append(_range(0, heading[1], self._mark))
            at = heading[1]
        for tag in tags_of(text):
            if heading is not None and tag.start > at:
                ranges.append(_range(at, tag.start, heading[0]))
            ranges += self._tag_ranges(tag, number)
            at = tag.end
        if heading is not None and at < length:
            ranges.append(_range(at, length, heading[0]))
        return ranges

    def _tag_ranges(self, tag: Tag, number: int) -> list[QTextLayout.FormatRange]:
        if tag.kind == "broken":
            return [_range(tag.start, tag.end, self._broken)]
        if self.is_open(number, tag.start):
            return [_range(tag.start, tag.end, self._shown)]
        # All the room of the pill is in the first letter: so it never runs over the end of a line.
        room = QTextCharFormat(self._room)
        room.setFontLetterSpacingType(QFont.SpacingType.AbsoluteSpacing)
        room.setFontLetterSpacing(pill_width(tag) - self._bracket_px)
        return [_range(tag.start, tag.start + 1, room), _range(tag.start + 1, tag.end, self._hidden)]


def _range(start: int, end: int, form: QTextCharFormat) -> QTextLayout.FormatRange:
    made = QTextLayout.FormatRange()
    made.start, made.length, made.format = start, end - start, form
    return made


def _resized(font: QFont, points: float) -> QFont:
    resized = QFont(font)
    resized.setPointSizeF(points)
    return resized


def _form(
    colour: str, *, weight: QFont.Weight | None = None, points: float | None = None, italic: bool = False
) -> QTextCharFormat:
    form = QTextCharFormat()
    form.setForeground(theme().colour(colour))
    if weight is not None:
        form.setFontWeight(weight)
    if points is not None:
        form.setFontPointSize(points)
    if italic:
        form.setFontItalic(True)
    return form
