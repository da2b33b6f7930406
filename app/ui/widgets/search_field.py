"""A line in which one searches: a glass before the words, a cross behind them."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit

from app.ui.theme import theme


class SearchField(QLineEdit):
    """The icons follow the theme; the cross takes the words out."""

    def __init__(self, words: str, *, glass: bool = True) -> None:
        """
        Args:
            words: shown while it is empty, and its name for screen readers.
        """
        super().__init__()
        self.setPlaceholderText(words)
        self.setAccessibleName(words)
        self.setClearButtonEnabled(True)
        self._cross = self.findChild(QAction)
        self._cross.setText(self.tr("Clear"))
        self._glass: QAction | None = None
        if glass:
            self._glass = self.addAction(theme().icon("search", "text_faint"), QLineEdit.ActionPosition.LeadingPosition)
            self._glass.setText(words)
            self._glass.triggered.connect(self.selectAll)
        theme().changed.connect(self._tint)
        self._tint()

    def _tint(self) -> None:
        self._cross.setIcon(theme().icon("close", "text_soft"))
        if self._glass is not None:
            self._glass.setIcon(theme().icon("search", "text_faint"))
