"""Voices on disk: one folder a voice, clips named by their content, voices of the model beside them."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import tempfile
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.model.errors import FormatError
from app.model.signal import Signal
from app.model.voice import Voice, VoiceClip
from app.paths import Paths, starter
from app.services import voice_archive
from app.services.voice_records import (
    COLOURS,
    VERSION,
    LibraryError,
    built_in_voice,
    checked_voice,
    clean_name,
    read_voice,
    reference_for,
    refused,
)
from engine import Clip, KnownVoice, read_card

VOICE_FILE = "voice.json"


class Library:
    """The person's voices and those that come with the model.

    Built-in voices are never written: they are remade from the model's card at every start. A voice on disk is
    `folder/<id>/voice.json` and `folder/<id>/clips/<sha256><suffix>`; what is removed moves to `folder/.trash`.
    Methods may be called from any thread.

    Attributes:
        folder: where the voices are.
        problems: one sentence for every voice folder that could not be read.
        voices_changed: emitted without arguments after every change.
    """

    def __init__(self, folder: Path, built_in: Sequence[KnownVoice] = ()) -> None:
        self.folder = folder
        self.problems: tuple[str, ...] = ()
        self.voices_changed = Signal()
        self._lock = threading.RLock()
        self._known = {voice.id: voice for voice in built_in}
        self._built_in = {voice.id: voice for voice in map(built_in_voice, built_in, itertools.count())}
        self._own: dict[str, Voice] = {}
        self.reload()

    # -- reading ------------------------------------------------------------------------------------------------

    @property
    def voices(self) -> tuple[Voice, ...]:
        """Built-in voices in the card's order, then the person's own, oldest first."""
        with self._lock:
            own = sorted(self._own.values(), key=lambda voice: (voice.created_at_s, voice.id))
            return (*self._built_in.values(), *own)

    def reload(self) -> None:
        """Read the folder again; a voice that cannot be read is left out and named in `problems`."""
        found: dict[str, Voice] = {}
        problems: list[str] = []
        for file in sorted(self.folder.glob(f"*/{VOICE_FILE}")):
            if file.parent.name.startswith("."):
                continue
            try:
                voice = read_voice(file, file.parent.name)
            except (OSError, FormatError) as error:
                problems.append(
                    f"The voice in {file.parent} cannot be read ({error}). Import it again from a .mvoice file."
                )
                continue
            found[voice.id] = voice
        with self._lock:
            self._own, self.problems = found, tuple(problems)

    def is_built_in(self, voice_id: str) -> bool:
        return voice_id in self._built_in

    def voice(self, voice_id: str) -> Voice:
        """Raises LibraryError when there is no such voice."""
        with self._lock:
            voice = self._own.get(voice_id) or self._built_in.get(voice_id)
        if voice is None:
            raise LibraryError("This voice is not in the library.", "Choose another voice, or add it again.")
        return voice

    def find(self, name: str) -> Voice | None:
        """The voice with this id, this id on the card, or this name (in any case; an own voice comes first)."""
        wanted = name.strip().casefold()
        every = (*reversed(self.voices),)
        return (
            next((voice for voice in every if voice.id == name), None)
            or next((voice for voice in every if voice.name.casefold() == wanted), None)
            or next((voice for voice in every if voice.known and voice.known.casefold() == wanted), None)
        )

    def get(self, name: str) -> Voice:
        """As `find`; LibraryError with the names there are when it finds nothing."""
        voice = self.find(name)
        if voice is None:
            names = ", ".join(one.name for one in self.voices)
            raise LibraryError(f"There is no voice or clip “{name}”.", f"There are: {names}.")
        return voice

    def clip_path(self, voice: Voice, clip: VoiceClip) -> Path:
        """Where the audio of one reference is."""
        if self.is_built_in(voice.id) and voice.known is not None:
            return self._known[voice.known].path
        return self.folder / voice.id / "clips" / clip.file

    def clips(self, voice: Voice) -> tuple[Clip, ...]:
        """What a speech request takes as its references.

        Raises:
            LibraryError: a clip's file is gone.
        """
        made = []
        for clip in voice.references:
            path = self.clip_path(voice, clip)
            if not path.is_file():
                raise LibraryError(
                    f"The clip of the voice “{voice.name}” is gone: {path}.", "Add the clip to the voice again."
                )
            made.append(Clip(path=path, transcript=clip.transcript, start_s=clip.start_s, end_s=clip.end_s))
        return tuple(made)

    # -- changing -----------------------------------------------------------------------------------------------

    def add(
        self,
        clip: Path,
        name: str,
        *,
        transcript: str = "",
        language: str | None = None,
        start_s: float | None = None,
        end_s: float | None = None,
        consent: Mapping[str, Any] | None = None,
    ) -> Voice:
        """Make a voice from an audio file, which is copied. The same clip under the same name is the same voice.

        Raises:
            LibraryError: the file is missing or not audio by its suffix, the name is empty or taken, the disk refuses.
        """
        name = self._free_name(name, allow_own=True)
        reference = reference_for(clip, transcript, language, start_s, end_s)
        with self._lock:
            same = self.find(name)
            if same is not None:
                if reference.sha256 in {one.sha256 for one in same.references}:
                    return same
                raise LibraryError(f"There is already a voice called “{same.name}”.", "Choose another name.")
            voice = Voice(
                id=uuid.uuid4().hex,
                name=name,
                colour=COLOURS[(len(self._built_in) + len(self._own)) % len(COLOURS)],
                references=(reference,),
                known=self._known_id(reference.sha256),
                consent=dict(consent or {}),
                created_at_s=time.time(),
            )
            self._write(voice, {reference.file: clip})
        self.voices_changed.emit()
        return voice

    def add_clip(self, voice_id: str, clip: Path, *, transcript: str = "", language: str | None = None) -> Voice:
        """Give a voice another reference; a clip that it already has changes nothing."""
        reference = reference_for(clip, transcript, language, None, None)
        with self._lock:
            voice = self._own_voice(voice_id)
            if reference.sha256 in {one.sha256 for one in voice.references}:
                return voice
            voice = replace(voice, references=(*voice.references, reference), known=None)
            self._write(voice, {reference.file: clip})
        self.voices_changed.emit()
        return voice

    def replace_clip(self, voice_id: str, sha256: str, clip: Path) -> Voice:
        """Put a mended or newly recorded clip in the place of one of a voice's references; words and tags stay.

        The range is that of the whole new clip. The old audio stays in the voice's folder.
        """
        fresh = reference_for(clip, "", None, None, None)
        with self._lock:
            voice = self._own_voice(voice_id)
            references = tuple(
                replace(one, file=fresh.file, sha256=fresh.sha256, start_s=None, end_s=None)
                if one.sha256 == sha256
                else one
                for one in voice.references
            )
            if references == voice.references:
                return voice
            voice = replace(
                voice, references=references, known=self._known_id(fresh.sha256) if len(references) == 1 else None
            )
            self._write(voice, {fresh.file: clip})
        self.voices_changed.emit()
        return voice

    def update(self, voice: Voice) -> Voice:
        """Store a changed voice: name, colour, tags, transcripts, ranges, favourite, consent. Its clips stay."""
        with self._lock:
            before = self._own_voice(voice.id)
            if before.name != voice.name:
                voice = replace(voice, name=self._free_name(voice.name, besides=voice.id))
            self._write(voice, {})
        self.voices_changed.emit()
        return voice

    def rename(self, voice_id: str, name: str) -> Voice:
        """Raises LibraryError when the name is empty or taken, or the voice came with the model."""
        return self.update(replace(self._own_voice(voice_id), name=name))

    def remove(self, voice_id: str) -> None:
        """Move a voice to the trash."""
        with self._lock:
            voice = self._own_voice(voice_id)
            trash = self.folder / ".trash"
            target = trash / f"{voice.id}-{time.time_ns()}"
            try:
                trash.mkdir(parents=True, exist_ok=True)
                os.replace(self.folder / voice.id, target)
            except OSError as error:
                raise refused(f"The voice “{voice.name}” could not be removed.", error) from error
            del self._own[voice_id]
        self.voices_changed.emit()

    def trash(self) -> tuple[tuple[str, Voice], ...]:
        """What was removed, newest first: the key for `restore` and the voice."""
        found = []
        for file in (self.folder / ".trash").glob(f"*/{VOICE_FILE}"):
            voice_id, _, removed_ns = file.parent.name.partition("-")
            try:
                found.append((int(removed_ns), file.parent.name, read_voice(file, voice_id)))
            except (OSError, ValueError, FormatError):
                continue  # not a voice: emptying the trash takes it away
        return tuple((key, voice) for _, key, voice in sorted(found, key=lambda one: one[:2], reverse=True))

    def restore(self, key: str) -> Voice:
        """Take a voice back from the trash; it gets another name when its own was taken meanwhile."""
        with self._lock:
            voice = dict(self.trash()).get(key)
            if voice is None:
                raise LibraryError("This voice is no longer in the trash.", "Import it from a .mvoice file.")
            if voice.id in self._own:
                raise LibraryError(f"The voice “{voice.name}” is already in the library.", "Nothing needs to be done.")
            try:
                os.replace(self.folder / ".trash" / key, self.folder / voice.id)
            except OSError as error:
                raise refused(f"The voice “{voice.name}” could not be restored.", error) from error
            voice = replace(voice, name=self._unused_name(voice.name))
            self._write(voice, {})
        self.voices_changed.emit()
        return voice

    def empty_trash(self) -> None:
        """Delete for good what was removed."""
        shutil.rmtree(self.folder / ".trash", ignore_errors=True)

    # -- one file a voice ---------------------------------------------------------------------------------------

    def export(self, voice_id: str, target: Path) -> Path:
        """Write a voice with its clips as one `.mvoice` file; the suffix is added where it is missing."""
        voice = self.voice(voice_id)
        if target.suffix.lower() != voice_archive.SUFFIX:
            target = target.with_name(target.name + voice_archive.SUFFIX)
        clips = {clip.file: self.clip_path(voice, clip) for clip in voice.references}
        try:
            voice_archive.write(target, {"version": VERSION, **voice.to_json()}, clips)
        except OSError as error:
            raise refused(f"The voice could not be written to {target}.", error) from error
        return target

    def import_(self, archive: Path) -> Voice:
        """Read a `.mvoice` file that may come from anywhere. A voice with the same clips is not added twice.

        Raises:
            LibraryError: it is no voice, damaged, or larger than a voice may be.
        """
        with tempfile.TemporaryDirectory(prefix="mvoice-") as unpacked:
            try:
                record, unpacked_clips = voice_archive.read(archive, Path(unpacked))
                voice = checked_voice(record, uuid.uuid4().hex)
            except (voice_archive.ArchiveError, FormatError) as error:
                raise LibraryError(f"{archive.name} is not a voice: {error}", "Ask for the file again.") from error
            except FileNotFoundError as error:
                raise LibraryError(f"There is no file {archive}.", "Check the path.") from error
            except OSError as error:
                raise refused(f"{archive} could not be read.", error) from error
            paths: dict[str, Path] = {}
            references = []
            for clip in voice.references:
                if clip.sha256 not in unpacked_clips:
                    raise LibraryError(f"{archive.name} lacks the clip {clip.file!r}.", "Ask for the file again.")
                file = clip.sha256 + Path(clip.file).suffix.lower()  # never the name a stranger gave
                paths[file] = unpacked_clips[clip.sha256]
                references.append(replace(clip, file=file))
            voice = replace(voice, references=tuple(references))
            with self._lock:
                there = self._same_voice(voice)
                if there is not None:
                    return there
                known = self._known_id(voice.references[0].sha256) if len(voice.references) == 1 else None
                voice = replace(voice, name=self._unused_name(voice.name), known=known, created_at_s=time.time())
                self._write(voice, paths)
        self.voices_changed.emit()
        return voice

    # -- inside -------------------------------------------------------------------------------------------------

    def _own_voice(self, voice_id: str) -> Voice:
        voice = self.voice(voice_id)
        if self.is_built_in(voice_id):
            raise LibraryError(
                f"“{voice.name}” comes with the model and stays as it is.", "Add its clip under a name of your own."
            )
        return voice

    def _same_voice(self, voice: Voice) -> Voice | None:
        """The voice with these very clips: that of this name, else one of the person's own. The model's own voice under
        another name is another voice."""
        content = {clip.sha256 for clip in voice.references}
        same = [each for each in self.voices if {clip.sha256 for clip in each.references} == content]
        named = next((each for each in same if each.name.casefold() == voice.name.casefold()), None)
        return named or next((each for each in same if not self.is_built_in(each.id)), None)

    def _known_id(self, sha256: str) -> str | None:
        return next((voice.id for voice in self._known.values() if voice.sha256 == sha256), None)

    def _free_name(self, name: str, *, allow_own: bool = False, besides: str | None = None) -> str:
        """The name cleaned of what no name holds; `allow_own` leaves the check against own voices to the caller."""
        name = clean_name(name)
        if not name:
            raise LibraryError("A voice needs a name.", "Type one, for instance the speaker's.")
        taken = next((voice for voice in self.voices if voice.name.casefold() == name.casefold()), None)
        if taken is not None and taken.id != besides and (not allow_own or self.is_built_in(taken.id)):
            raise LibraryError(f"There is already a voice called “{taken.name}”.", "Choose another name.")
        return name

    def _unused_name(self, name: str) -> str:
        """The name, or the name with the first free number behind it."""
        taken = {voice.name.casefold() for voice in self.voices}
        name = clean_name(name) or "Voice"
        numbered = (f"{name} {number}" for number in range(2, len(taken) + 3))
        return next(one for one in (name, *numbered) if one.casefold() not in taken)

    def _write(self, voice: Voice, clips: Mapping[str, Path]) -> None:
        """Copy clips, then replace voice.json in one rename: a crash leaves the old voice or the new one."""
        folder = self.folder / voice.id
        try:
            (folder / "clips").mkdir(parents=True, exist_ok=True)
            for file, source in clips.items():
                target = folder / "clips" / file
                if not target.exists():
                    partial = target.with_name(target.name + ".part")
                    shutil.copyfile(source, partial)
                    os.replace(partial, target)
            partial = folder / (VOICE_FILE + ".part")
            with partial.open("w", encoding="utf-8") as out:
                json.dump({"version": VERSION, **voice.to_json()}, out, ensure_ascii=False, indent=1)
                out.flush()
                os.fsync(out.fileno())
            os.replace(partial, folder / VOICE_FILE)
        except OSError as error:
            raise refused(f"The voice “{voice.name}” could not be stored in {folder}.", error) from error
        self._own[voice.id] = voice


def open_library(paths: Paths) -> Library:
    """The library of a profile, with the voices that come with the studio."""
    card = read_card(starter())
    return Library(paths.voices, card.voices if card is not None else ())
