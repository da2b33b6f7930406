"""The sound of an exported file: how much gain it needs, and the writing and checking of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from app.model.block import Block
from app.model.project import Project
from app.services.exporter_chain import Chain
from app.services.exporter_file import SoundFileOut
from app.services.exporter_formats import FileTags
from app.services.exporter_plan import ExportFile, chapters_by_block, voice_id
from app.services.exporter_request import ExportedFile, ExportRequest
from app.services.heard_edges import EdgeFinder
from app.services.loudness import Loudness, LoudnessMeter, gain_for, gain_through_limiter
from app.services.mixer import Mixer, MixSettings, Span
from app.services.programme import Action, PlanFn, Silence, TakeReader, mix, programme
from app.services.silences import SilenceFinder

_LOSSY_HEADROOM_DB = 0.5  # what compression adds to peaks, as a rule
_LOSSY_CLOSE_DB = 0.12
_LOSSY_TRIES = 4


@dataclass(frozen=True)
class Made:
    """A file that is complete under its temporary name, with its speech and its silences, in samples at 48 kHz."""

    sound: SoundFileOut
    exported: ExportedFile
    spans: tuple[Span, ...]
    silences: list[tuple[int, int]]


class SoundMaker:
    """Mixes, measures and writes the files of one export.

    Args:
        worked: called with a stage and a number of samples as they are gone through; may raise to end the export.
    """

    def __init__(
        self,
        project: Project,
        request: ExportRequest,
        read: TakeReader,
        plan: PlanFn,
        worked: Callable[[str, int], None],
    ) -> None:
        self._project = project
        self._request = request
        self._read = read
        self._plan = plan
        self._worked = worked

    def heard_in(self, file: ExportFile) -> tuple[tuple[Span, ...], list[tuple[int, int]]]:
        """Where speech and silences are in a file, by mixing it without writing it."""
        settings = self._mix_settings(0.0)
        mixer, silences, edges = Mixer(settings), SilenceFinder(), EdgeFinder(settings.room_tone_db)
        for samples in self._mixed(file, mixer, "measuring"):
            silences.feed(samples)
            edges.feed(samples)
        return edges.edges(mixer.spans), silences.found

    def gain_of(self, file: ExportFile) -> tuple[float, tuple[Span, ...]]:
        """The gain in dB that makes a file as loud as asked after its peaks were limited, and where its speech is."""
        loudness = self._request.loudness
        if loudness is None:
            return 0.0, self.heard_in(file)[0]
        measured, spans = self._measure(file, 0.0, None)
        first_db = gain_for(measured, loudness)
        if measured.true_peak_db + first_db <= self._ceiling_db() and loudness.room_tone_db is None:
            return first_db, spans

        def missing_db(gain_db: float) -> float:
            nonlocal spans
            limited, spans = self._measure(file, gain_db, self._ceiling_db())
            return gain_for(limited, loudness)

        return gain_through_limiter(first_db, missing_db), spans

    def make(self, file: ExportFile, target: Path, tags: FileTags, gain_db: float, *, shared: bool) -> Made:
        """Writes a file under its temporary name and reads it back.

        Args:
            shared: other files have the same gain, so it stays as it is.
        """
        loudness = self._request.loudness
        limited = loudness is not None or self._may_clip(file)
        ceiling_db = self._ceiling_db() if limited else None
        for tries_left in reversed(range(_LOSSY_TRIES)):
            made = self._write(file, target, tags, gain_db, ceiling_db, shared=shared)
            if self._request.audio.lossless or loudness is None or ceiling_db is None or not tries_left:
                break
            measured = made.exported.measured
            over_db = measured.true_peak_db - loudness.true_peak_db
            missing_db = 0.0 if shared else gain_for(measured, loudness)
            if over_db <= 0.0 and abs(missing_db) <= _LOSSY_CLOSE_DB:
                break
            # Compression changed peaks or loudness too much: the same again with what it took, or added, allowed for.
            made.sound.discard()
            ceiling_db -= max(0.0, over_db + 0.1)
            gain_db += min(1.0, max(-1.0, missing_db))
        return made

    def _write(
        self, file: ExportFile, target: Path, tags: FileTags, gain_db: float, ceiling_db: float | None, *, shared: bool
    ) -> Made:
        audio, loudness = self._request.audio, self._request.loudness
        chain = Chain(audio.rate, audio.channels, gain_db=gain_db, ceiling_db=ceiling_db)
        settings = self._mix_settings(gain_db)
        mixer, silences, edges = Mixer(settings), SilenceFinder(), EdgeFinder(settings.room_tone_db)
        meter = LoudnessMeter(audio.rate, audio.channels) if loudness and audio.lossless else None
        sound = SoundFileOut(target, audio, tags, exact=chain.exact)
        try:
            for samples in self._mixed(file, mixer, "writing"):
                silences.feed(samples)
                edges.feed(samples)
                finished = chain.feed(samples)
                sound.write(finished)
                if meter:
                    meter.feed(finished)
            finished = chain.flush()
            sound.write(finished)
            if meter:
                meter.feed(finished)
            measured = sound.finish(lambda: self._worked("checking", 0), measure=loudness is not None)
        except BaseException:
            sound.discard()
            raise
        measured = meter.result() if meter else measured
        faults = () if shared else self._faults(measured)
        exported = ExportedFile(target, sound.seconds, gain_db, chain.reduced_db, measured, faults)
        return Made(sound, exported, edges.edges(mixer.spans), silences.found)

    def _measure(self, file: ExportFile, gain_db: float, ceiling_db: float | None) -> tuple[Loudness, tuple[Span, ...]]:
        audio = self._request.audio
        meter = LoudnessMeter(audio.rate, audio.channels, true_peak=ceiling_db is None)
        chain = Chain(audio.rate, audio.channels, gain_db=gain_db, ceiling_db=ceiling_db)
        mixer = Mixer(self._mix_settings(gain_db))
        for samples in self._mixed(file, mixer, "measuring"):
            meter.feed(chain.feed(samples))
        meter.feed(chain.flush())
        return meter.result(), mixer.spans

    def _faults(self, measured: Loudness | None) -> tuple[str, ...]:
        loudness = self._request.loudness
        if loudness is None or measured is None:
            return ()
        if loudness.rms_db is not None:
            audio = self._request.audio
            fits = audio.kind == "mp3" and audio.rate == 44_100 and audio.kbps >= 192
            faults = measured.acx_faults() + ([] if fits else ["ACX takes MP3 at 44.1 kHz with 192 kbit/s or more"])
            if self._request.split == "programme" and len(set(chapters_by_block(self._project).values())) > 1:
                faults.append("ACX takes one file a chapter")
            return tuple(faults)
        missing_db = gain_for(measured, loudness)
        if abs(missing_db) <= 0.2:
            return ()
        return (f"loudness is {measured.lufs:.1f} LUFS instead of {loudness.lufs:g}",)

    def _ceiling_db(self) -> float:
        loudness = self._request.loudness
        ceiling_db = loudness.true_peak_db if loudness else 0.0
        return ceiling_db - (0.0 if self._request.audio.lossless else _LOSSY_HEADROOM_DB)

    def _may_clip(self, file: ExportFile) -> bool:
        """Takes are within full scale; only a gain can bring them over it."""
        settings = self._project.settings
        return any(settings.gain_db(self._project.block(each)) > 0.0 for each in file.block_ids)

    def _mix_settings(self, gain_db: float) -> MixSettings:
        settings = self._request.mix or MixSettings(room_tone_db=self._project.settings.room_tone_db)
        loudness = self._request.loudness
        if loudness is not None and loudness.room_tone_db is not None:
            # As quiet as wanted after the gain; there is always some, as real rooms have.
            wanted_db = loudness.room_tone_db - gain_db
            given_db = settings.room_tone_db
            settings = replace(settings, room_tone_db=wanted_db if given_db is None else min(wanted_db, given_db))
        return settings

    def _mixed(self, file: ExportFile, mixer: Mixer, stage: str) -> Iterator[np.ndarray]:
        """The mixer's samples of a file, counted as they come."""
        loudness = self._request.loudness

        def gain(block: Block) -> float:
            elsewhere = file.voice is not None and voice_id(self._project, block) != file.voice
            return -math.inf if elsewhere else 0.0

        def actions() -> Iterator[Action]:
            if loudness is not None and loudness.head_s:
                yield Silence(loudness.head_s)
            yield from programme(self._project, file.block_ids, self._read, self._plan, gain_db=gain)
            if loudness is not None and loudness.tail_s:
                yield Silence(loudness.tail_s)

        for samples in mix(actions(), mixer):
            self._worked(stage, len(samples))
            yield samples
