"""Labels whose words and look change while they are shown."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel


def show_words(label: QLabel, text: str, role: str) -> None:
    """Show words in the look of a role of the theme; what is there already is not laid out again."""
    if label.text() != text:
        label.setText(text)
    if (label.property("role") or "") != role:
        label.setProperty("role", role)
        label.style().unpolish(label)
        label.style().polish(label)


class Note(QLabel):
    """A sentence beneath a field; takes no room while it says nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.setWordWrap(True)
        self.hide()

    def say(self, text: str, role: str = "faint") -> None:
        show_words(self, text, role)
        self.setVisible(bool(text))
