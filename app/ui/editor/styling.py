"""How the text of the script looks: headings large, notes faint, tags out of the way of their pills."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtGui import QColor, QFont, QFontMetricsF, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from app.model.block import BlockKind, kind_of
from app.ui.theme import theme
from engine.text.markup import Tag, find_tags

TAG_SCALE = 0.82
CHAPTER_SCALE = 1.5
SCENE_SCALE = 1.2
ICON_PX = 14.0
PILL_AIR_PX = 12.0
WIDEST_PILL_PX = 360.0  # longer words are shortened with an ellipsis


@lru_cache(maxsize=4096)
def tags_of(text: str) -> tuple[Tag, ...]:
    """Tags of a block's text in UTF-16 units, kept, since a block is asked for them at every repaint."""
    tags = find_tags(text)
    if not tags or text.isascii() or max(text) <= "\uffff":
        return tuple(tags)

    def units(position: int) -> int:
        return len(text[:position].encode("utf-16-le")) // 2

    return tuple(
        Tag(tag.kind, units(tag.start), units(tag.end), tag.seconds, tag.written, tag.spoken, tag.problem)
        for tag in tags
    )


def label_of(tag: Tag) -> str:
    """What the pill of a tag says."""
    if tag.seconds is not None:
        return f"{tag.seconds:g} s"
    return f"{tag.written} → {tag.spoken}"


def pill_width(tag: Tag) -> float:
    """Pixels that the pill of a tag takes in its line: picture, words, and air around them."""
    words = QFontMetricsF(theme().small_font(0)).horizontalAdvance(label_of(tag))
    return min(WIDEST_PILL_PX, ICON_PX + 3 + words + 2 * PILL_AIR_PX)


class ScriptHighlighter(QSyntaxHighlighter):
    """Formats only; it never touches the text."""

    def __init__(self, document: QTextDocument, font: QFont) -> None:
        super().__init__(document)
        self._open_tag: tuple[int, int] | None = None  # block number, start of the tag the caret is in
        self.set_font(font)

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

    def open_tag(self, block_number: int, start: int) -> None:
        """The caret is inside this tag: show its letters. (-1, -1) for none."""
        wanted = (block_number, start) if block_number >= 0 else None
        if wanted == self._open_tag:
            return
        before, self._open_tag = self._open_tag, wanted
        for number in {each[0] for each in (before, wanted) if each is not None}:
            block = self.document().findBlockByNumber(number)
            if block.isValid():
                self.rehighlightBlock(block)

    def is_open(self, block_number: int, start: int) -> bool:
        return self._open_tag == (block_number, start)

    def highlightBlock(self, text: str) -> None:
        kind = kind_of(text)
        length = len(text.encode("utf-16-le")) // 2 if not text.isascii() else len(text)
        if kind is BlockKind.CHAPTER:
            self.setFormat(0, length, self._chapter)
            self.setFormat(0, 2, self._mark)
        elif kind is BlockKind.SCENE:
            self.setFormat(0, length, self._scene)
            self.setFormat(0, 3, self._mark)
        elif kind is BlockKind.NOTE:
            self.setFormat(0, length, self._note)
            return
        elif "[" not in text and "<" not in text and text.isascii():
            return
        number = self.currentBlock().blockNumber()
        for tag in tags_of(text):
            if tag.kind == "broken":
                self.setFormat(tag.start, tag.end - tag.start, self._broken)
            elif self.is_open(number, tag.start):
                self.setFormat(tag.start, tag.end - tag.start, self._shown)
            else:
                # All the room of the pill is in the first letter: so it never runs over the end of a line.
                room = QTextCharFormat(self._room)
                room.setFontLetterSpacingType(QFont.SpacingType.AbsoluteSpacing)
                room.setFontLetterSpacing(pill_width(tag) - self._bracket_px)
                self.setFormat(tag.start, 1, room)
                self.setFormat(tag.start + 1, tag.end - tag.start - 1, self._hidden)


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
