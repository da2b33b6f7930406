"""Sections of the inspector on how lines are said: by whom, in which language, with which direction."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QCoreApplication

from app.model.block import Block
from app.model.content_commands import SetProjectSettings
from app.ui.inspector.lines import SelectedLines
from app.ui.language_names import shown_language
from app.ui.studio import Studio
from app.ui.toolbar import language_names
from app.ui.voice_menu import default_voice_words, voice_dot, voices_of
from app.ui.widgets.fields import Choice, OptionalNumber, Section, TextField, common
from app.ui.widgets.labels import Note


class SpeakerSection(Section):
    """
    Attributes:
        voice, language: of the lines. gain: of their voices in this project, in dB.
    """

    def __init__(self, studio: Studio, lines: SelectedLines) -> None:
        super().__init__("")
        self._studio, self._lines = studio, lines
        self.voice = Choice(self.tr("Voice"))
        self.voice.edited.connect(lambda voice_id: studio.give_voice(lines.ids(), voice_id))
        self.language = Choice(self.tr("Language"))
        self.language.edited.connect(lambda value: lines.set("language", value))
        self.add_row(self.tr("Voice"), self.voice)
        self.add_row(self.tr("Language"), self.language)
        self.gain = OptionalNumber(self.tr("Gain of the voice"), -60.0, 24.0, 0.5, 1, self.tr(" dB"))
        self.gain.setToolTip(self.tr("Louder or quieter in all lines of this voice; nothing is spoken again."))
        self.gain.edited.connect(self._set_gain)
        self.add_row(self.tr("Voice’s gain"), self.gain)

    def show_lines(self, blocks: list[Block]) -> None:
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
        gains = project.settings.voice_gains_db
        self.gain.show_value(common([gains.get(voice, 0.0) for voice in self._voices(blocks)]), "", 0.0)

    def _voices(self, blocks: list[Block]) -> list[str]:
        """Ids of the voices that speak lines; "" is the model's own."""
        default = self._studio.project.settings.default_voice
        return sorted({block.settings.voice or default or "" for block in blocks})

    def _set_gain(self, gain_db: float | None) -> None:
        voices = self._voices(self._lines.blocks())
        gains = {**self._studio.project.settings.voice_gains_db, **dict.fromkeys(voices, gain_db or 0.0)}
        self._studio.do(SetProjectSettings({"voice_gains_db": gains}), f"inspector:voice gain:{voices}")


class DirectionSection(Section):
    """
    Attributes:
        instruction: how to say it, for models that follow that; note: why not. gain: in dB.
    """

    def __init__(self, studio: Studio, lines: SelectedLines) -> None:
        super().__init__(QCoreApplication.translate("DirectionSection", "Direction"), foldable=True)
        self._studio = studio
        self.instruction = TextField(self.tr("Instruction"))
        self.instruction.edited.connect(lambda text: lines.set("instruction", text.strip() or None))
        self.note = Note()
        self.gain = OptionalNumber(self.tr("Gain"), -60.0, 24.0, 0.5, 1, self.tr(" dB"))
        self.gain.edited.connect(lambda value: lines.set("gain_db", value or 0.0))
        self.add_wide(self.instruction)
        self.add_wide(self.note)
        self.add_row(self.tr("Gain"), self.gain)

    def show_lines(self, blocks: list[Block]) -> None:
        card = self._studio.card
        can = card is None or card.instruction
        self.instruction.setEnabled(can)
        self.instruction.show_value(
            common([block.settings.instruction or "" for block in blocks]),
            self.tr("How to say it: warm, whispered, in a hurry…"),
        )
        self.note.say("" if can else self.tr("%1 does not follow instructions.").replace("%1", card.name))
        self.gain.show_value(common([block.settings.gain_db for block in blocks]), "", 0.0)
