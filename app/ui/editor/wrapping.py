"""Where lines of the script are broken: between words, and anywhere while there is a word without an end."""

from __future__ import annotations

import re

from PySide6.QtCore import QObject
from PySide6.QtGui import QTextBlock, QTextDocument, QTextOption

_LONGEST_WORD = 4_000
# Scripts that are written without spaces are left out: their lines may be broken between most letters.
_ENDLESS = re.compile(f"[!-\u0dff]{{{_LONGEST_WORD}}}")


class Wrapping(QObject):
    """Qt looks for the end of the word at the end of each line, so a paragraph that is one word of many pages would
    take it minutes a key. Such a script is broken anywhere instead."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._document = document
        self._anywhere = False
        self._wrap(False)
        document.contentsChange.connect(self._changed)

    def _changed(self, position: int, _removed: int, added: int) -> None:
        if self._anywhere:
            if not self._has_endless(self._document.firstBlock(), self._document.characterCount()):
                self._wrap(False)
        elif self._has_new_endless(position, position + added):
            self._wrap(True)

    def _has_new_endless(self, start: int, end: int) -> bool:
        """Whether there is one through what was put in from `start` to `end`; elsewhere there was none before."""
        block = self._document.findBlock(start)
        while block.isValid() and block.position() <= end:
            if block.length() > _LONGEST_WORD:
                first, last = max(0, start - block.position()), max(0, end - block.position())
                if _ENDLESS.search(block.text()[max(0, first - _LONGEST_WORD) : last + _LONGEST_WORD]):
                    return True
            block = block.next()
        return False

    def _has_endless(self, block: QTextBlock, end: int) -> bool:
        while block.isValid() and block.position() <= end:
            if block.length() > _LONGEST_WORD and _ENDLESS.search(block.text()):
                return True
            block = block.next()
        return False

    def _wrap(self, anywhere: bool) -> None:
        self._anywhere = anywhere
        option = QTextOption()
        option.setTextDirection(self._document.defaultTextOption().textDirection())
        modes = QTextOption.WrapMode
        option.setWrapMode(modes.WrapAnywhere if anywhere else modes.WrapAtWordBoundaryOrAnywhere)
        self._document.setDefaultTextOption(option)
