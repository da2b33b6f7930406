"""Brings in new voices: from files that are chosen or dropped, with what became of them and whose they are."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from app.model.voice import Voice
from app.services.speaking import cannot_speak
from app.services.voice_archive import SUFFIX as ARCHIVE_SUFFIX
from app.ui.dropping import SOUND_SUFFIXES
from app.ui.messages import local
from app.ui.studio import Studio
from app.ui.voices.adding import Added, add_in_background, longest_clip_s
from app.ui.voices.consent_panel import ConsentPanel
from app.ui.voices.deeds import VoiceDeeds
from app.ui.voices.drop_hint import DropHint


class NewVoices(QObject):
    """
    Attributes:
        hint: says where clips go, and that they are looked at. consent: asks about new voices, in place.
    """

    def __init__(
        self, studio: Studio, dock: QWidget, deeds: VoiceDeeds, select: Callable[[str], None], back_to: QWidget
    ) -> None:
        """
        Args:
            select: shows a voice of this id in the list. back_to: has the keyboard after a question.
        """
        super().__init__(dock)
        self._studio, self._dock, self._deeds, self._select = studio, dock, deeds, select
        self.consent = ConsentPanel(self._consent_given, back_to)
        self.hint = DropHint(self.tr("Drop clips here to make voices"), self.tr("or choose files…"), self.ask_for_files)

    def ask_for_files(self) -> None:
        patterns = " ".join(f"*{suffix}" for suffix in sorted((*SOUND_SUFFIXES, ARCHIVE_SUFFIX)))
        names, _ = QFileDialog.getOpenFileNames(
            self._dock, self.tr("Clips of voices"), "", self.tr("Sound and voices (%1)").replace("%1", patterns)
        )
        if names:
            self.add_files([Path(name) for name in names])

    def ask_for_archive(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(
            self._dock, self.tr("Voice files"), "", self.tr("Voices (%1)").replace("%1", f"*{ARCHIVE_SUFFIX}")
        )
        if names:
            self.add_files([Path(name) for name in names])

    def add_recording(self, file: Path) -> None:
        """Make a voice of what was recorded; its folder is deleted, unless this copy is the only one that there is."""

        def added(what: Added) -> None:
            if what.voices:
                shutil.rmtree(file.parent, ignore_errors=True)
            self._added(what)

        self._add([file], added)

    def add_files(self, files: Sequence[Path]) -> None:
        """Make a voice of each file, in the background."""
        self._add(files, self._added)

    def _add(self, files: Sequence[Path], added: Callable[[Added], None]) -> None:
        library = self._studio.library
        if library is None:
            self._studio.say("warning", self.tr("Voices are not ready yet. Drop the clip again in a moment."))
            return
        self.hint.set_busy(True)
        longest_s = longest_clip_s(self._studio.card)
        add_in_background(library, list(files), longest_s, self._studio.bridge.post, added)

    def _added(self, added: Added) -> None:
        self.hint.set_busy(False)
        for name, reason in added.refused:
            words = self.tr("%1 did not become a voice: %2")
            self._studio.say("error", words.replace("%1", name).replace("%2", local(reason)))
        fresh = [voice for voice in added.voices if voice.id not in added.known]
        if added.voices:
            self._select(added.voices[-1].id)
        cannot = self._why_not_cloned(added.voices)
        unfit = [
            local(finding.words)
            for voice in fresh
            if (found := added.examinations.get(voice.id)) is not None
            for finding in found.findings
            if finding.severity == "bad"
        ]
        if cannot:
            self._studio.say("warning", self.tr("Kept, but: %1").replace("%1", cannot), offer="models")
        elif unfit:
            self._studio.say("warning", " ".join(dict.fromkeys(unfit)))
        elif len(fresh) == 1 and not added.refused:
            self._studio.say(
                "done", self.tr("“%1” is ready. Drag it onto lines to let it speak them.").replace("%1", fresh[0].name)
            )
        elif fresh and not added.refused:
            self._studio.say("done", self.tr("%1 voices are ready.").replace("%1", str(len(fresh))))
        elif added.known and not added.refused:
            self._studio.say("info", self.tr("This voice is here already."))
        self.consent.ask([voice for voice in fresh if voice.known is None and "whose" not in voice.consent])

    def _consent_given(self, voices: Sequence[Voice], answer: dict[str, Any]) -> None:
        for voice in voices:
            self._deeds.update(voice.id, lambda now: replace(now, consent={**now.consent, **answer}))

    def _why_not_cloned(self, voices: Sequence[Voice]) -> str:
        """Why the model cannot speak with these voices, one sentence for all; "" when it can."""
        card = self._studio.card
        refused = [voice for voice in voices if cannot_speak(card, voice)]
        if len(refused) < 2:
            return local(cannot_speak(card, refused[0])) if refused else ""
        words = self.tr("“%1” cannot clone %2. A model that clones can, such as MOSS-TTS-Local v1.5.")
        names = self.tr(", ").join(f"“{voice.name}”" for voice in refused)
        return words.replace("%1", card.name).replace("%2", names)
