"""What an action of the studio is, and what must be true for it to be possible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QT_TRANSLATE_NOOP

Kind = Literal["deed", "switch", "choice"]

# What must be true for an action to be possible. The text says why not, in its tool tip.
CONDITIONS: dict[str, str] = {
    "project": QT_TRANSLATE_NOOP("Conditions", "Open a project first."),
    "text": QT_TRANSLATE_NOOP("Conditions", "Write something first."),
    "blocks": QT_TRANSLATE_NOOP("Conditions", "Put the caret into a line first."),
    "engine": QT_TRANSLATE_NOOP("Conditions", "The model is still loading."),
    "takes": QT_TRANSLATE_NOOP("Conditions", "This line has no take yet."),
    "two_takes": QT_TRANSLATE_NOOP("Conditions", "Comparing needs two takes of a line."),
    "can_undo": QT_TRANSLATE_NOOP("Conditions", "There is nothing to undo."),
    "can_redo": QT_TRANSLATE_NOOP("Conditions", "There is nothing to redo."),
    "selected_text": QT_TRANSLATE_NOOP("Conditions", "Select some text first."),
    "player": QT_TRANSLATE_NOOP("Conditions", "Sound is not ready yet."),
    "playing": QT_TRANSLATE_NOOP("Conditions", "Nothing is being played."),
    "making": QT_TRANSLATE_NOOP("Conditions", "Nothing is being made."),
}


@dataclass(frozen=True)
class Action:
    """One thing a person can do.

    Attributes:
        id: stable name; settings keep shortcuts under it.
        text: in menus and the palette; `&` marks the access key; source text for translation (context "Actions").
        keys: default shortcuts, the first is shown.
        icon: name of a file in resources/icons, or "".
        tip: one sentence more than the text says.
        needs: names of CONDITIONS.
        kind: a deed; a switch that is on or off; a choice among those whose `group` is the same.
    """

    id: str
    text: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    tip: str = ""
    needs: tuple[str, ...] = ()
    kind: Kind = "deed"
    group: str = ""


def action(
    id: str,
    text: str,
    *,
    keys: str = "",
    icon: str = "",
    tip: str = "",
    needs: str = "",
    kind: Kind = "deed",
    group: str = "",
) -> Action:
    """An action whose keys and needs are written as words with spaces between."""
    return Action(id, text, tuple(keys.split()), icon, tip, tuple(needs.split()), kind, group)
