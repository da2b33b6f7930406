"""The inspector: how the selected blocks are to be spoken, and their takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QStackedLayout, QVBoxLayout, QWidget

from app.model.block import Block, BlockKind
from app.model.commands import SetBlockSettings
from app.ui.editor.block_info import STATES, estimate_s, info_of, length_warning
from app.ui.inspector.takes import TakesSection
from app.ui.language_names import shown_language
from app.ui.messages import local
from app.ui.slices import Slices
from app.ui.studio import Studio
from app.ui.theme import GRID, theme
from app.ui.throttle import Debounce, Throttle
from app.ui.toolbar import language_names
from app.ui.voice_menu import default_voice_words, voice_dot, voices_of
from app.ui.widgets.dock import small_button
from app.ui.widgets.empty_state import EmptyState
from app.ui.widgets.fields import MIXED, Choice, OptionalNumber, Section, Segments, TextField, common, rule
from app.ui.widgets.scroll import Scrolled

LONGEST_S = 600.0
_FACTS_AT_ONCE = 20
MOST_SEED = 2**31 - 1


class Inspector(QWidget):
    """Shows the selection of the editor; what differs between its blocks is shown as several values.

    What the model cannot do is greyed, with the reason beneath it.
    """

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self._disconnects: list[Any] = []
        self.setAccessibleName(self.tr("Inspector"))
        self._stack = QStackedLayout(self)
        self._empty = EmptyState(
            "inspector",
            self.tr("Nothing selected"),
            self.tr("Put the caret into a line, or click beside it, to see how it is spoken."),
            small=True,
        )
        self._stack.addWidget(self._empty)
        page = QWidget()
        scroll = Scrolled(page, self.tr("Inspector"))
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column = QVBoxLayout(page)
        column.setContentsMargins(GRID + 4, GRID, GRID + 4, GRID * 2)
        column.setSpacing(GRID + 4)
        column.addWidget(self._make_heading())
        column.addWidget(self._make_speaker())
        column.addWidget(rule())
        column.addWidget(self._make_length())
        column.addWidget(rule())
        self.takes = TakesSection(studio)
        column.addWidget(self.takes)
        column.addWidget(rule())
        column.addWidget(self._make_direction())
        column.addWidget(self._make_sampling())
        column.addStretch(1)
        self._stack.addWidget(scroll)
        self._slices = Slices(self)
        self._soon = Throttle(self.refresh, 50, self)
        self._after_typing = Debounce(self.refresh, 120, self)
        for signal in (studio.selection_changed, studio.card_changed, studio.services_changed):
            signal.connect(self._soon)
        studio.block_state_changed.connect(self._block_changed)
        studio.project_replaced.connect(self._attach)
        theme().changed.connect(self._soon)
        self._attach()

    # Building

    def _make_heading(self) -> QWidget:
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        self._glyph = _Glyph()
        self._heading = QLabel()
        self._heading.setProperty("role", "heading")
        self._lock = QCheckBox(self.tr("Locked"))
        self._lock.setToolTip(self.tr("A locked line keeps its take when others are made again."))
        self._lock.clicked.connect(lambda on: self._set("locked", bool(on)))
        row.addWidget(self._glyph)
        row.addWidget(self._heading, 1)
        row.addWidget(self._lock)
        outer = QWidget()
        column = QVBoxLayout(outer)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(holder)
        self._state = QLabel()
        self._state.setWordWrap(True)
        self._state.setProperty("role", "small")
        column.addWidget(self._state)
        return outer

    def _make_speaker(self) -> Section:
        section = Section("")
        self.voice = Choice(self.tr("Voice"))
        self.voice.edited.connect(lambda voice_id: self._studio.give_voice(self._ids(), voice_id))
        self.language = Choice(self.tr("Language"))
        self.language.edited.connect(lambda value: self._set("language", value))
        section.add_row(self.tr("Voice"), self.voice)
        section.add_row(self.tr("Language"), self.language)
        return section

    def _make_length(self) -> Section:
        section = Section(self.tr("Length"))
        self.length = Segments(
            self.tr("Length"), ((self.tr("Natural"), "natural"), (self.tr("Target"), "target"), (self.tr("Fit"), "fit"))
        )
        self.length.buttons["natural"].setToolTip(self.tr("As long as the voice takes."))
        self.length.buttons["fit"].setToolTip(
            self.tr("Exactly this long: what is left over is stretched by at most 8 %, with the pitch kept.")
        )
        self.length.edited.connect(self._set_length)
        self.seconds = OptionalNumber(self.tr("Seconds"), 0.1, LONGEST_S, 0.1, 2, self.tr(" s"))
        self.seconds.edited.connect(self._set_seconds)
        self._length_note = QLabel()
        self._length_note.setWordWrap(True)
        section.add_wide(self.length)
        section.add_row(self.tr("Seconds"), self.seconds)
        section.add_wide(self._length_note)
        return section

    def _make_direction(self) -> Section:
        section = Section(self.tr("Direction"), foldable=True)
        self.instruction = TextField(self.tr("Instruction"))
        self.instruction.edited.connect(lambda text: self._set("instruction", text.strip() or None))
        self._instruction_note = QLabel()
        self._instruction_note.setWordWrap(True)
        self._instruction_note.setProperty("role", "faint")
        self.gain = OptionalNumber(self.tr("Gain"), -60.0, 24.0, 0.5, 1, self.tr(" dB"))
        self.gain.edited.connect(lambda value: self._set("gain_db", value or 0.0))
        section.add_wide(self.instruction)
        section.add_wide(self._instruction_note)
        section.add_row(self.tr("Gain"), self.gain)
        return section

    def _make_sampling(self) -> Section:
        section = Section(self.tr("Sampling"), foldable=True, open_=False)
        self.sampling_section = section
        self.numbers: dict[str, OptionalNumber] = {
            "temperature": OptionalNumber(self.tr("Temperature"), 0.0, 5.0, 0.05, 2),
            "top_p": OptionalNumber(self.tr("Top-p"), 0.01, 1.0, 0.05, 2),
            "top_k": OptionalNumber(self.tr("Top-k"), 0, 1000, 1, 0),
            "repetition_penalty": OptionalNumber(self.tr("Repetition"), 0.5, 3.0, 0.05, 2),
        }
        tips = {
            "temperature": self.tr("Higher is livelier and less sure; 0 always takes the likeliest sound."),
            "top_p": self.tr("Only the likeliest sounds that together reach this share are drawn from; 1 is off."),
            "top_k": self.tr("Only so many of the likeliest sounds are drawn from; 0 is off."),
            "repetition_penalty": self.tr("Above 1, sounds that were there already become less likely."),
        }
        for name, field in self.numbers.items():
            field.setToolTip(tips[name])
            field.edited.connect(
                lambda value, name=name: self._set(name, int(value) if name == "top_k" and value is not None else value)
            )
            section.add_row(field.accessibleName(), field)
        self.seed = OptionalNumber(self.tr("Seed"), 0, MOST_SEED, 1, 0)
        self.seed.setToolTip(self.tr("The same text, voice and seed sound the same again."))
        self.seed.edited.connect(lambda value: self._set("seed", None if value is None else int(value)))
        reset = small_button("undo", self.tr("Back to the project’s seed and the model’s settings"))
        reset.clicked.connect(self._reset_sampling)
        section.add_row(self.tr("Seed"), self.seed, reset)
        self._sampling_note = QLabel()
        self._sampling_note.setProperty("role", "faint")
        self._sampling_note.setWordWrap(True)
        section.add_wide(self._sampling_note)
        return section

    # The selection

    def _attach(self) -> None:
        for disconnect in self._disconnects:
            disconnect()
        project = self._studio.project
        self._disconnects = []
        if project is not None:
            self._disconnects = [
                project.block_changed.connect(self._block_changed),
                project.takes_changed.connect(self._block_changed),
                project.settings_changed.connect(self._soon),
                project.voices_changed.connect(self._soon),
            ]
        self.refresh()

    def _block_changed(self, block_id: str) -> None:
        if block_id in self._studio.selection:
            self._after_typing()

    def _ids(self) -> tuple[str, ...]:
        return tuple(block.id for block in self._blocks())

    def _blocks(self) -> list[Block]:
        """The selected blocks that are spoken."""
        project = self._studio.project
        if project is None:
            return []
        found = [project.block(each) for each in self._studio.selection if project.has_block(each)]
        return [block for block in found if block.kind is not BlockKind.NOTE and block.text.strip()]

    def focus_length(self) -> None:
        """For "length of this line": the number, ready to be typed."""
        if not self._blocks():
            return
        if common([block.settings.length for block in self._blocks()]) == "natural":
            self._set_length("target" if self._can_target() else "fit")
        self.refresh()
        self.seconds.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.seconds.selectAll()

    def _can_target(self) -> bool:
        return self._studio.card is None or self._studio.card.length

    def _set(self, name: str, value: Any) -> None:
        ids = self._ids()
        if ids:
            self._studio.do(SetBlockSettings(ids, {name: value}), f"inspector:{name}:{ids[0]}:{len(ids)}")

    def _set_length(self, length: str) -> None:
        blocks = self._blocks()
        changes: dict[str, Any] = {"length": length}
        if length != "natural" and any(block.settings.target_s is None for block in blocks):
            natural = [estimate_s(self._studio.project, block) for block in blocks]
            changes["target_s"] = max(0.5, round(natural[0], 1)) if natural else 4.0
        self._studio.do(SetBlockSettings(self._ids(), changes))

    def _set_seconds(self, value: float | None) -> None:
        if value is None:
            self._set_length("natural")
            return
        changes: dict[str, Any] = {"target_s": max(0.1, value)}
        if any(block.settings.length == "natural" for block in self._blocks()):
            changes["length"] = "target" if self._can_target() else "fit"
        ids = self._ids()
        self._studio.do(SetBlockSettings(ids, changes), f"inspector:seconds:{ids[0]}:{len(ids)}")

    def _reset_sampling(self) -> None:
        self._studio.do(SetBlockSettings(self._ids(), dict.fromkeys((*self.numbers, "seed"))))

    # Showing

    def refresh(self) -> None:
        """Show what is so now; of a whole book bit by bit."""
        self._slices.start(self._refreshing())

    def _refreshing(self) -> Iterator[None]:
        blocks = self._blocks()
        self._stack.setCurrentIndex(1 if blocks else 0)
        if not blocks:
            return
        many = len(blocks) >= _FACTS_AT_ONCE  # a few lines are shown before this returns
        if many:
            yield
        self._show_speaker(blocks)
        self._show_direction(blocks)
        self._show_sampling(blocks)
        self.takes.show_block(blocks[0] if len(blocks) == 1 else None, len(blocks))
        if many:
            yield
        project = self._studio.project
        states: list[str] = []
        natural: list[float] = []
        warnings: list[str] = []
        for block in blocks:
            states.append(self._studio.block_state(block.id))
            natural.append(round(estimate_s(project, block), 1))
            warnings.append(length_warning(self._studio, block))
            if len(states) % _FACTS_AT_ONCE == 0:
                yield
        self._show_heading(blocks, states)
        self._show_length(blocks, common(natural), [text for text in warnings if text])

    def _show_heading(self, blocks: list[Block], states: list[str]) -> None:
        if len(blocks) == 1:
            number = self._studio.project.index(blocks[0].id) + 1
            self._heading.setText(self.tr("Line %1").replace("%1", str(number)))
            info = info_of(self._studio, blocks[0])
            words = info.state_words if info.spoken else info.sentence()
            renderer = self._studio.renderer
            if info.state in ("suspicious", "failed") and renderer is not None:
                words = local(renderer.reason(blocks[0].id)) or words
            self._glyph.show_state(info.state if info.spoken else "none")
            self._state.setText(words)
        else:
            self._heading.setText(self.tr("%1 lines").replace("%1", str(len(blocks))))
            self._glyph.show_state(states[0] if common(states) is not MIXED else "none")
            done = sum(state in ("ready", "locked") for state in states)
            self._state.setText(self.tr("%1 of %2 are spoken").replace("%1", str(done)).replace("%2", str(len(blocks))))
        locked = common([block.settings.locked for block in blocks])
        self._lock.setTristate(locked is MIXED)
        self._lock.setCheckState(
            Qt.CheckState.PartiallyChecked
            if locked is MIXED
            else Qt.CheckState.Checked
            if locked
            else Qt.CheckState.Unchecked
        )

    def _show_speaker(self, blocks: list[Block]) -> None:
        project = self._studio.project
        default = project.voices.get(project.settings.default_voice) if project.settings.default_voice else None
        words = default_voice_words() + (f" ({default.name})" if default is not None else "")
        entries: list[Any] = [(words, None, voice_dot(default.colour if default else ""))]
        entries += [(voice.name, voice.id, voice_dot(voice.colour)) for voice in voices_of(self._studio)]
        self.voice.show_values(entries, common([block.settings.voice for block in blocks]))
        own = project.settings.language
        words = self.tr("Project’s (%1)").replace("%1", shown_language(own) if own else self.tr("any"))
        languages: list[Any] = [(words, None, None)]
        languages += [(shown_language(name), name, None) for name in language_names(self._studio)]
        chosen = common([block.settings.language for block in blocks])
        if isinstance(chosen, str) and all(chosen != each[1] for each in languages):
            languages.append((shown_language(chosen), chosen, None))
        self.language.show_values(languages, chosen)

    def _show_length(self, blocks: list[Block], natural: Any, warnings: list[str]) -> None:
        card = self._studio.card
        length = common([block.settings.length for block in blocks])
        self.length.show_value(length)
        can = self._can_target()
        self.length.buttons["target"].setEnabled(can or length == "target")
        reason = (
            ""
            if can
            else self.tr("%1 does not follow a length; a fit stretches by at most 8 %.").replace("%1", card.name)
        )
        self.length.buttons["target"].setToolTip(reason or self.tr("The voice aims at this length."))
        about = self.tr("each its own") if natural is MIXED else self.tr("about %1 s").replace("%1", f"{natural:.1f}")
        target = common([block.settings.target_s if block.settings.length != "natural" else None for block in blocks])
        self.seconds.show_value(target, about, natural if isinstance(natural, float) else 4.0)
        if warnings:
            more = "" if len(warnings) == 1 else self.tr(" (%1 lines)").replace("%1", str(len(warnings)))
            self._note(self._length_note, warnings[0] + more, "warning")
        else:
            self._note(self._length_note, reason, "faint")

    def _show_direction(self, blocks: list[Block]) -> None:
        card = self._studio.card
        can = card is None or card.instruction
        self.instruction.setEnabled(can)
        self.instruction.show_value(
            common([block.settings.instruction or "" for block in blocks]),
            self.tr("How to say it: warm, whispered, in a hurry…"),
        )
        reason = "" if can else self.tr("%1 does not follow instructions.").replace("%1", card.name)
        self._instruction_note.setText(reason)
        self._instruction_note.setVisible(bool(reason))
        gain = common([block.settings.gain_db for block in blocks])
        self.gain.show_value(gain, "", 0.0)

    def _show_sampling(self, blocks: list[Block]) -> None:
        card = self._studio.card
        for name, field in self.numbers.items():
            default = getattr(card.sampling.audio, name) if card is not None else 0.0
            words = self.tr("Model’s %1").replace("%1", f"{default:g}")
            field.show_value(common([getattr(block.settings, name) for block in blocks]), words, float(default))
            field.setEnabled(card is None or name in card.sampling_fields)
        seed = self._studio.project.settings.seed
        self.seed.show_value(
            common([block.settings.seed for block in blocks]), self.tr("Project’s %1").replace("%1", str(seed)), seed
        )
        self.seed.setEnabled(card is None or card.seed)
        fixed = card is not None and len(card.sampling_fields) < len(self.numbers)
        self._sampling_note.setText(
            self.tr("%1 decides the greyed ones itself.").replace("%1", card.name) if fixed else ""
        )
        self._sampling_note.setVisible(fixed)

    @staticmethod
    def _note(label: QLabel, text: str, role: str) -> None:
        label.setText(text)
        label.setVisible(bool(text))
        if label.property("role") != role:
            label.setProperty("role", role)
            label.style().unpolish(label)
            label.style().polish(label)

    def minimumSizeHint(self) -> QSize:
        needed = super().minimumSizeHint()
        return QSize(max(304, needed.width()), needed.height())


class _Glyph(QWidget):
    """The state of the selected block."""

    def __init__(self) -> None:
        super().__init__()
        self._state = "none"

    def sizeHint(self) -> QSize:
        return QSize(18, 18)

    def show_state(self, state: str) -> None:
        self._state = state
        self.setVisible(bool(STATES[state][0]))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        icon, colour, _ = STATES[self._state]
        if icon:
            theme().paint_icon(QPainter(self), QRectF(0, (self.height() - 18) / 2, 18, 18), icon, colour)
