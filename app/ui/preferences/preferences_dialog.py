"""The preferences: pages on the left, everything takes effect at once."""

from __future__ import annotations

import logging
import math
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from app.model.content_commands import SetProjectSettings
from app.model.project_settings import Pauses
from app.ui.language_names import shown_language
from app.ui.messages import local
from app.ui.preferences.shortcuts_page import ShortcutsPage
from app.ui.studio import Studio
from app.ui.theme import GRID, theme
from app.ui.toolbar import language_names
from app.ui.voice_menu import voice_dot, voices_of
from app.ui.widgets.dialog import Dialog, note
from app.ui.widgets.fields import Choice, OptionalNumber, Segments
from app.ui.widgets.lazy_stack import LazyStack
from app.ui.widgets.page_list import PageList
from app.ui.widgets.scroll import Scrolled

log = logging.getLogger(__name__)

PAGES = ("appearance", "project", "speech", "sound", "shortcuts")


class PreferencesDialog(Dialog):
    """There is no Apply: what is chosen is done. Settings of the project can be undone like every edit."""

    def __init__(self, studio: Studio, window: Any, page: str = "appearance") -> None:
        super().__init__(window, QCoreApplication.translate("PreferencesDialog", "Preferences"), width=760)
        self._studio = studio
        self._window = window
        self._state = window.state
        row = QHBoxLayout()
        row.setSpacing(GRID * 2)
        self.pages = PageList()
        self._stack = LazyStack()
        names = (
            ("appearance", self.tr("Appearance"), "sun", self._appearance),
            ("project", self.tr("Project"), "file", self._project),
            ("speech", self.tr("Speech"), "voice", self._speech),
            ("sound", self.tr("Sound"), "volume", self._sound),
            ("shortcuts", self.tr("Shortcuts"), "keyboard", lambda: ShortcutsPage(studio.actions)),
        )
        for _, name, icon, make in names:
            self.pages.add_page(name, icon)
            self._stack.add(lambda make=make, name=name: Scrolled(make(), name))
        self.pages.currentRowChanged.connect(self._stack.show_page)
        row.addWidget(self.pages)
        row.addWidget(self._stack, 1)
        self.body.addLayout(row, 1)
        self.add_button(self.tr("Close"), primary=True).clicked.connect(self.accept)
        self.show_page(page)
        studio.project_replaced.connect(self.reject)
        self.resize(760, 560)

    def show_page(self, page: str) -> None:
        self.pages.setCurrentRow(PAGES.index(page))
        self.pages.setFocus()

    def done(self, result: int) -> None:
        self._window.save_state()
        super().done(result)

    # Pages

    def _appearance(self) -> QWidget:
        page = _Page()
        mode = Segments(
            self.tr("Theme"), ((self.tr("Dark"), "dark"), (self.tr("Light"), "light"), (self.tr("System"), "system"))
        )
        mode.show_value(self._state.theme)
        mode.edited.connect(lambda value: self._studio.actions.trigger(f"theme_{value}"))
        page.add(self.tr("Theme"), mode)
        language = Choice(self.tr("Language"))
        languages: list[Any] = [
            (self.tr("As the system"), "", None),
            ("English", "en", None),
            ("简体中文", "zh_CN", None),
        ]
        language.show_values(languages, self._state.language)
        language.edited.connect(self._set_language)
        page.add(self.tr("Language"), language, self.tr("Changes when the studio is started again."))
        size = OptionalNumber(self.tr("Interface size"), 8, 20, 0.5, 1, self.tr(" pt"))
        size.show_value(self._state.interface_points or None, self.tr("As the system"), 10.0)
        size.edited.connect(self._set_interface_size)
        page.add(self.tr("Interface size"), size)
        family = Choice(self.tr("Script font"))
        families: list[Any] = [(self.tr("As the interface"), "", None)]
        families += [(name, name, None) for name in QFontDatabase.families() if not QFontDatabase.isPrivateFamily(name)]
        family.show_values(families, self._state.script_family)
        family.edited.connect(self._set_script_family)
        page.add(self.tr("Script font"), family)
        script = OptionalNumber(self.tr("Script size"), 8, 32, 1, 1, self.tr(" pt"))
        script.show_value(self._state.script_points or None, self.tr("Usual"), 12.0)
        script.edited.connect(self._set_script_size)
        page.add(self.tr("Script size"), script)
        return page

    def _project(self) -> QWidget:
        page = _Page()
        settings = self._studio.project.settings
        voice = Choice(self.tr("Voice"))
        entries: list[Any] = [(self.tr("The model’s own"), None, voice_dot(""))]
        entries += [(each.name, each.id, voice_dot(each.colour)) for each in voices_of(self._studio)]
        voice.show_values(entries, settings.default_voice)
        voice.edited.connect(self._set_default_voice)
        page.add(self.tr("Voice"), voice, self.tr("Speaks every line that has no voice of its own."))
        language = Choice(self.tr("Language"))
        names: list[Any] = [(self.tr("Not told to the model"), None, None)]
        names += [(shown_language(name), name, None) for name in language_names(self._studio)]
        language.show_values(names, settings.language)
        language.edited.connect(lambda value: self._set_project("language", value))
        page.add(self.tr("Language"), language)
        seed = OptionalNumber(self.tr("Seed"), 0, 2**31 - 1, 1, 0)
        seed.show_value(settings.seed, "", 1234)
        seed.edited.connect(lambda value: self._set_project("seed", int(value or 0)))
        page.add(self.tr("Seed"), seed, self.tr("One seed for the whole project keeps one timbre over a book."))
        headings = QCheckBox(self.tr("Chapter and scene lines are spoken"))
        headings.setChecked(settings.headings_spoken)
        headings.toggled.connect(lambda on: self._set_project("headings_spoken", on))
        page.add(self.tr("Headings"), headings)
        pauses = (
            ("paragraph_s", self.tr("After a paragraph")),
            ("scene_s", self.tr("Before a scene")),
            ("chapter_s", self.tr("Before a chapter")),
            ("heading_s", self.tr("After a heading")),
            ("empty_line_s", self.tr("For an empty line")),
        )
        page.heading(self.tr("Pauses"))
        for name, words in pauses:
            field = OptionalNumber(words, 0.0, 30.0, 0.05, 2, self.tr(" s"))
            field.show_value(getattr(settings.pauses, name), "", 0.5)
            field.edited.connect(lambda value, name=name: self._set_pause(name, value or 0.0))
            page.add(words, field)
        tone = OptionalNumber(self.tr("Room tone"), -90.0, -30.0, 1.0, 0, self.tr(" dB"))
        tone.show_value(settings.room_tone_db, self.tr("Digital silence"), -68.0)
        tone.edited.connect(lambda value: self._set_project("room_tone_db", value))
        page.add(self.tr("Room tone"), tone, self.tr("A quiet noise in the pauses instead of digital silence."))
        return page

    def _speech(self) -> QWidget:
        page = _Page()
        settings = self._studio.project.settings
        ahead = OptionalNumber(self.tr("Speak ahead"), 5, 600, 5, 0, self.tr(" s"))
        ahead.show_value(self._state.generate_ahead_s, "", 60)
        ahead.edited.connect(self._set_ahead)
        page.add(
            self.tr("Speak ahead"), ahead, self.tr("How far ahead of the playhead lines are made while you listen.")
        )
        card = self._studio.card
        can = card is not None and card.pause_tags is not None
        mode = Segments(self.tr("Pauses"), ((self.tr("Exact"), "exact"), (self.tr("By the voice"), "natural")))
        mode.show_value(settings.pauses_mode)
        mode.buttons["natural"].setEnabled(can)
        mode.edited.connect(self._set_pauses_mode)
        reason = self.tr("Exact pauses are cut to a fiftieth of a second; the voice’s own sound more natural.")
        page.add(
            self.tr("Pauses"),
            mode,
            reason if can else self.tr("%1 cannot make pauses itself.").replace("%1", card.name if card else ""),
        )
        goes_on = card is not None and card.continuation
        joined = QCheckBox(self.tr("A long line goes on in the tone of what was just spoken"))
        joined.setChecked(self._state.continuation)
        joined.setEnabled(goes_on)
        joined.toggled.connect(lambda on: setattr(self._state, "continuation", on))
        cannot = self.tr("%1 speaks each piece on its own.").replace("%1", card.name if card else "")
        page.add(self.tr("Long lines"), joined, "" if goes_on else cannot)
        usual_s, most_s = (card.longest_piece_s, card.piece_limit_s(math.inf)) if card is not None else (60.0, 60.0)
        longest = OptionalNumber(self.tr("Longest piece"), 5, most_s, 5, 0, self.tr(" s"))
        longest.show_value(
            self._state.longest_piece_s, self.tr("The model’s usual %1 s").replace("%1", f"{usual_s:g}"), usual_s
        )
        longest.edited.connect(lambda value: setattr(self._state, "longest_piece_s", value))
        page.add(self.tr("Longest piece"), longest, self.tr("Longer lines are cut at the ends of sentences."))
        seeds = Segments(
            self.tr("Seed"), ((self.tr("The project’s"), "project"), (self.tr("Another each time"), "new"))
        )
        seeds.show_value(self._state.seed_policy)
        seeds.edited.connect(lambda value: setattr(self._state, "seed_policy", value))
        page.add(self.tr("Seed"), seeds, self.tr("The same seed gives the same sound again."))
        tidy = QCheckBox(self.tr("Tidy the text before speaking"))
        tidy.setChecked(settings.normalise)
        tidy.toggled.connect(lambda on: self._set_project("normalise", on))
        what = self.tr("Markdown, arrows, dashes, repeated marks and spaces beside Chinese; words stay as they are.")
        page.add(self.tr("Text"), tidy, what)
        ask = QCheckBox(self.tr("Ask before quitting while lines are being made"))
        ask.setChecked(self._state.ask_before_quit)
        ask.toggled.connect(lambda on: setattr(self._state, "ask_before_quit", on))
        page.add(self.tr("Quitting"), ask)
        return page

    def _sound(self) -> QWidget:
        page = _Page()
        devices = self._studio.devices
        problem = note("", "warning")
        gap = page.add("", problem)
        for each in (gap, problem):
            each.hide()
        output = Choice(self.tr("Output"))
        output.edited.connect(self._set_output)
        page.add(self.tr("Output"), output, self.tr("“As the system” follows when the system’s output changes."))
        microphone = Choice(self.tr("Microphone"))
        microphone.edited.connect(self._set_microphone)
        page.add(self.tr("Microphone"), microphone, self.tr("For recording a voice."))
        switch = self._studio.actions.action("export_loudness")
        loudness = QCheckBox(self.tr("Play at the export’s loudness"))
        loudness.setChecked(switch.isChecked())
        loudness.toggled.connect(lambda on: setattr(self._state, "loudness_preview", on))
        switch.toggled.connect(loudness.setChecked)
        page.add(
            self.tr("Loudness"),
            loudness,
            self.tr("Gain and limiter as for the loudness chosen in the export, −16 LUFS where none was."),
        )

        def look(_task: Any) -> tuple[list[str], list[str]]:
            return [device.name for device in devices.outputs()], [device.name for device in devices.inputs()]

        def show(names: tuple[list[str], list[str]]) -> None:
            for choice, found, chosen in zip(
                (output, microphone), names, (self._state.output_device, self._state.input_device), strict=True
            ):
                if isValid(choice):
                    system: tuple[str, Any, Any] = (self.tr("As the system"), None, None)
                    choice.show_values([system, *((name, name, None) for name in dict.fromkeys(found))], chosen or None)

        def fail(error: BaseException) -> None:  # PortAudio reports in its own ways; the page is there all the same
            show(([], []))
            if isValid(problem):
                problem.setText(local(str(error)))
                for each in (gap, problem):
                    each.show()

        # PortAudio takes a moment to find what there is, longer where a sound server has to be asked.
        try:
            self._studio.tasks.run(look, show, fail, title=self.tr("Sound"))
        except RuntimeError:
            log.debug("the studio is closing: nobody will choose a device any more")
        return page

    # Deeds

    def _set_language(self, language: str) -> None:
        self._state.language = language

    def _set_interface_size(self, points: float | None) -> None:
        self._state.interface_points = points or 0.0
        theme().apply(self._state.theme, points)

    def _set_script_family(self, family: str) -> None:
        self._state.script_family = family
        self._window.script.set_font_size(self._state.script_points, family)

    def _set_script_size(self, points: float | None) -> None:
        self._state.script_points = points or 0.0
        self._window.script.set_font_size(self._state.script_points, self._state.script_family)

    def _set_project(self, name: str, value: Any) -> None:
        self._studio.do(SetProjectSettings({name: value}), f"project:{name}")

    def _set_pauses_mode(self, mode: str) -> None:
        """For this project, and for those that are begun from now on."""
        self._set_project("pauses_mode", mode)
        self._state.pauses_mode = mode

    def _set_default_voice(self, voice_id: str | None) -> None:
        if voice_id is not None:
            adopt = self._studio.adopt_voice(voice_id)
            if adopt is not None:
                self._studio.do(adopt)
        self._set_project("default_voice", voice_id)

    def _set_pause(self, name: str, seconds: float) -> None:
        pauses: Pauses = self._studio.project.settings.pauses
        self._set_project("pauses", {**pauses.to_json(), name: seconds})

    def _set_ahead(self, seconds: float | None) -> None:
        self._state.generate_ahead_s = seconds or 60.0
        if self._studio.renderer is not None:
            self._studio.renderer.ahead_s = self._state.generate_ahead_s

    def _set_output(self, name: str | None) -> None:
        self._state.output_device = name or ""
        self._studio.player.choose_output(name)

    def _set_microphone(self, name: str | None) -> None:
        """From the next recording on."""
        self._state.input_device = name or ""
        self._studio.devices.wanted_input = name


class _Page(QWidget):
    """Labelled rows, each with a sentence beneath where one helps."""

    def __init__(self) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, GRID, 0)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(GRID * 2)
        self._grid.setVerticalSpacing(GRID + 4)
        self._grid.setColumnMinimumWidth(0, 132)
        self._grid.setColumnStretch(1, 1)
        column.addLayout(self._grid)
        column.addStretch(1)

    def add(self, label: str, field: QWidget, sentence: str = "") -> QLabel:
        """A row more; returns its label."""
        row = self._grid.rowCount()
        words = QLabel(label)
        words.setProperty("role", "soft")
        self._grid.addWidget(words, row, 0, Qt.AlignmentFlag.AlignTop if sentence else Qt.AlignmentFlag.AlignVCenter)
        if not sentence:
            self._grid.addWidget(field, row, 1)
            return words
        words.setContentsMargins(0, 6, 0, 0)
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(field)
        column.addWidget(note(sentence, "faint"))
        self._grid.addWidget(holder, row, 1)
        return words

    def heading(self, text: str) -> None:
        label = QLabel(text)
        label.setProperty("role", "heading")
        label.setContentsMargins(0, GRID, 0, 0)
        self._grid.addWidget(label, self._grid.rowCount(), 0, 1, 2)
