"""Fields show what they hold, or that there is more of it."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QStyleOptionComboBox

from app.ui.theme import theme
from app.ui.widgets.fields import Choice


@pytest.mark.parametrize("with_icon", [False, True])
def test_a_choice_without_room_for_its_text_ends_in_dots(qtbot: Any, with_icon: bool) -> None:
    theme().apply("dark")
    dot = QPixmap(16, 16)
    dot.fill("red")
    choice = Choice("Voice")
    qtbot.addWidget(choice)
    choice.show_values([("Project’s voice (Granny)", None, QIcon(dot) if with_icon else None)], None)

    def shown(width: int) -> str:
        choice.resize(width, 32)
        option = QStyleOptionComboBox()
        choice.initStyleOption(option)
        return option.currentText

    assert shown(600) == choice.currentText() == "Project’s voice (Granny)"
    assert shown(140).startswith("Proj") and shown(140).endswith("…")
