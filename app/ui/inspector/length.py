"""The section of the inspector on how long lines last."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QCoreApplication, Qt

from app.model.block import Block
from app.ui.editor.block_info import estimate_s
from app.ui.inspector.lines import SelectedLines
from app.ui.studio import Studio
from app.ui.widgets.fields import MIXED, OptionalNumber, Section, Segments, common
from app.ui.widgets.labels import Note

LONGEST_S = 600.0


class LengthSection(Section):
    """
    Attributes:
        mode: natural, target or fit. seconds: the wanted length; none is natural. note: what stands in its way.
    """

    def __init__(self, studio: Studio, lines: SelectedLines) -> None:
        super().__init__(QCoreApplication.translate("LengthSection", "Length"))
        self._studio = studio
        self._lines = lines
        self.mode = Segments(
            self.tr("Length"), ((self.tr("Natural"), "natural"), (self.tr("Target"), "target"), (self.tr("Fit"), "fit"))
        )
        self.mode.buttons["natural"].setToolTip(self.tr("As long as the voice takes."))
        self.mode.buttons["fit"].setToolTip(
            self.tr("Exactly this long: what is left over is stretched by at most 8 %, with the pitch kept.")
        )
        self.mode.edited.connect(self._set_mode)
        self.seconds = OptionalNumber(self.tr("Seconds"), 0.1, LONGEST_S, 0.1, 2, self.tr(" s"))
        self.seconds.edited.connect(self._set_seconds)
        self.note = Note()
        self.add_wide(self.mode)
        self.add_row(self.tr("Seconds"), self.seconds)
        self.add_wide(self.note)

    def want_number(self) -> None:
        """Natural lines get a length, but the keyboard waits for `focus_number`: they are shown first."""
        if common([block.settings.length for block in self._lines.blocks()]) == "natural":
            self._set_mode(self._best_mode())

    def focus_number(self) -> None:
        """The number, ready to be typed over."""
        self.seconds.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.seconds.selectAll()

    def show_lines(self, blocks: list[Block], natural_s: Any, warnings: list[str]) -> None:
        """Args: natural_s: the estimate all lines share, else MIXED. warnings: of lines whose length cannot be kept."""
        card = self._studio.card
        mode = common([block.settings.length for block in blocks])
        self.mode.show_value(mode)
        can = self._can_target()
        self.mode.buttons["target"].setEnabled(can or mode == "target")
        reason = (
            ""
            if can
            else self.tr("%1 does not follow a length; a fit stretches by at most 8 %.").replace("%1", card.name)
        )
        self.mode.buttons["target"].setToolTip(reason or self.tr("The voice aims at this length."))
        mixed = natural_s is MIXED
        about = self.tr("each its own") if mixed else self.tr("about %1 s").replace("%1", f"{natural_s:.1f}")
        target = common([block.settings.target_s if block.settings.length != "natural" else None for block in blocks])
        self.seconds.show_value(target, about, 4.0 if mixed else natural_s)
        if warnings:
            more = "" if len(warnings) == 1 else self.tr(" (%1 lines)").replace("%1", str(len(warnings)))
            self.note.say(warnings[0] + more, "warning")
        else:
            self.note.say(reason)

    def _can_target(self) -> bool:
        return self._studio.card is None or self._studio.card.length

    def _best_mode(self) -> str:
        """Of those that have a number."""
        return "target" if self._can_target() else "fit"

    def _set_mode(self, mode: str) -> None:
        blocks = self._lines.blocks()
        changes: dict[str, Any] = {"length": mode}
        if mode != "natural" and any(block.settings.target_s is None for block in blocks):
            changes["target_s"] = max(0.5, round(estimate_s(self._studio.project, blocks[0]), 1))
        self._lines.change(changes)

    def _set_seconds(self, value: float | None) -> None:
        if value is None:
            self._set_mode("natural")
            return
        changes: dict[str, Any] = {"target_s": max(0.1, value)}
        if any(block.settings.length == "natural" for block in self._lines.blocks()):
            changes["length"] = self._best_mode()
        self._lines.change(changes, "seconds")
