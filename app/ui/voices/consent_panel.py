"""Asks once, in place, whose voice was added and whether it may be used."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QPushButton, QRadioButton, QVBoxLayout, QWidget

from app.model.voice import Voice
from app.ui.theme import GRID, HALF
from app.ui.voices.whole_card import WholeCard
from app.ui.widgets.putting_away import put_away


class ConsentPanel(WholeCard):
    """A few lines at the foot of the dock; nothing waits for it. The answer is kept with the voice."""

    def __init__(self, answered: Callable[[Sequence[Voice], dict[str, Any]], None], back_to: QWidget) -> None:
        """`back_to` has the keyboard when it was answered or put off."""
        super().__init__()
        self._back_to = back_to
        self._answered = answered
        self._voices: list[Voice] = []
        self.setAccessibleName(self.tr("Whose voice is it?"))
        column = QVBoxLayout(self)
        column.setContentsMargins(GRID + HALF, GRID, GRID + HALF, GRID)
        column.setSpacing(HALF)
        self._question = QLabel()
        self._question.setWordWrap(True)
        column.addWidget(self._question)
        self._group = QButtonGroup(self)
        self.choices: dict[str, QRadioButton] = {}
        for key, words in (
            ("own", self.tr("My own voice")),
            ("agreed", self.tr("The speaker agreed to it")),
            ("free", self.tr("Published for such use")),
        ):
            choice = QRadioButton(words)
            self._group.addButton(choice)
            self.choices[key] = choice
            column.addWidget(choice)
        self._group.buttonClicked.connect(lambda _: self.keep.setEnabled(True))
        row = QHBoxLayout()
        row.addStretch(1)
        self.later = QPushButton(self.tr("Later"))
        self.later.setProperty("kind", "flat")
        self.later.clicked.connect(self._leave)
        self.keep = QPushButton(self.tr("Keep the answer"))
        self.keep.setEnabled(False)
        self.keep.clicked.connect(self._keep)
        row.addWidget(self.later)
        row.addWidget(self.keep)
        column.addLayout(row)
        self.hide()

    def ask(self, voices: Sequence[Voice]) -> None:
        """Ask about these voices, together with those still waiting for an answer."""
        waiting = {voice.id: voice for voice in (*self._voices, *voices)}
        self._voices = list(waiting.values())
        if not self._voices:
            return
        if len(self._voices) == 1:
            words = self.tr("Whose voice is “%1”? Only clone a voice you may use.").replace("%1", self._voices[0].name)
        else:
            words = self.tr("Whose voices are these %1? Only clone voices you may use.").replace(
                "%1", str(len(self._voices))
            )
        self._question.setText(words)
        self._group.setExclusive(False)
        for choice in self.choices.values():
            choice.setChecked(False)
        self._group.setExclusive(True)
        self.keep.setEnabled(False)
        self.show()

    def _keep(self) -> None:
        answer = next((key for key, choice in self.choices.items() if choice.isChecked()), "")
        voices, self._voices = self._voices, []
        put_away(self, self._back_to)
        if answer:
            self._answered(voices, {"whose": answer, "answered_at_s": round(time.time())})

    def _leave(self) -> None:
        self._voices = []
        put_away(self, self._back_to)
