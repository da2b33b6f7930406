"""Export: from a project to files that are complete, verified and as loud as asked, or to a message and no file at
all."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import av
import soundfile

from app.model import checks
from app.model.block import Block
from app.model.project import Project
from app.services.exporter_file import explain, write_text_part
from app.services.exporter_formats import ChapterMark, ExportError, FileTags
from app.services.exporter_parts import put_in_place, remove_dead_parts
from app.services.exporter_plan import (
    BlocksNotReady,
    ExportFile,
    IsStale,
    Problem,
    audible,
    chapters_by_block,
    files_of,
    problems_of,
    spoken_blocks,
)
from app.services.exporter_request import Cancelled, ExportReport, ExportRequest, Progress, Rendering
from app.services.exporter_sound import Made, SoundMaker
from app.services.mixer import RATE, Span
from app.services.programme import PlanFn, TakeReader, heard_take
from app.services.store_copy import sync_folder
from app.services.subtitles import SpokenBlock, cue_sheet, cues_of, srt, vtt

if TYPE_CHECKING:
    from engine import SpeechPlan

_FAILURES = (OSError, av.error.FFmpegError, soundfile.SoundFileError)
_TELL_EVERY_S = 0.1


def export(
    project: Project,
    request: ExportRequest,
    take_reader: TakeReader,
    plan_fn: PlanFn,
    *,
    is_stale: IsStale | None = None,
    rendering: Rendering | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> ExportReport:
    """Makes all files of a request, or none of them.

    Runs on any thread; give it `snapshot(project)` where another thread goes on editing.

    Args:
        take_reader, plan_fn: as in `programme`; must be usable on this thread.
        is_stale: whether a block would sound different now; None compares its text with that of the take.
        rendering: speaks what has no take of its present text first; None does not.
        cancelled: asked several times a second.

    Raises:
        BlocksNotReady: with the list of blocks that stop it.
        ExportError: what went wrong and what to do; nothing was left behind.
    """
    return _Export(snapshot(project), request, take_reader, plan_fn, is_stale, rendering, progress, cancelled).run()


def snapshot(project: Project) -> Project:
    """A copy that later edits do not change; its blocks, takes and voices are frozen anyway."""
    return Project(
        tuple(project.blocks),
        takes=tuple(project.takes.values()),
        voices=tuple(project.voices.values()),
        lexicon=project.lexicon,
        settings=project.settings,
    )


class _RememberedPlans:
    """Plans are asked for several times in an export and cost milliseconds each."""

    def __init__(self, plan_fn: PlanFn) -> None:
        self._plan_fn = plan_fn
        self._plans: dict[tuple[str, str], SpeechPlan] = {}

    def __call__(self, block: Block, text: str) -> SpeechPlan:
        plan = self._plans.get((block.id, text))
        if plan is None:
            plan = self._plans[block.id, text] = self._plan_fn(block, text)
        return plan


class _Export:
    """One export from its beginning to its end."""

    def __init__(
        self,
        project: Project,
        request: ExportRequest,
        take_reader: TakeReader,
        plan_fn: PlanFn,
        is_stale: IsStale | None,
        rendering: Rendering | None,
        progress: Callable[[Progress], None] | None,
        cancelled: Callable[[], bool] | None,
    ) -> None:
        self._project = project
        self._request = request
        self._read = take_reader
        self._plan = _RememberedPlans(plan_fn)
        self._is_stale = is_stale
        self._rendering = rendering
        self._tell = progress or (lambda _: None)
        self._cancelled = cancelled or (lambda: False)
        self._started_s = time.monotonic()
        self._told_s = 0.0
        self._all_s = 1.0  # seconds of audio to go through, in all passes together
        self._done_s = 0.0

    def run(self) -> ExportReport:
        self._check_place()
        ids, left_out, doubtful = self._ready_blocks()
        # Names on disk need not be UTF-8; tags and cue sheets are.
        title = checks.clean_text(self._request.tags.title or self._project.settings.title)
        split, template, taken = self._request.split, self._request.template, self._request.taken
        files = files_of(self._project, ids, split, template, self._plan, title, taken)
        if not audible(self._project, ids, self._plan):
            raise ExportError("Nothing of this choice is spoken, so there is nothing to export.", "Choose other lines.")
        self._check_room(ids, len(files))
        self._plan_work(ids, len(files))
        self._started_s = time.monotonic()
        folders = self._make_folders()
        made: list[Made] = []
        texts: list[tuple[Path, Path]] = []
        self._target = self._request.out
        try:
            self._make_all(files, ids, title, made, texts)
            self._stop_if_cancelled()
            put_in_place([*((each.sound.part, each.sound.target) for each in made), *texts], self._now_at)
        except BaseException as error:
            self._clean_up(made, [part for part, _ in texts], folders)
            if isinstance(error, _FAILURES):
                raise explain(error, self._target) from error
            raise
        self._tell(Progress("checking", 1.0, 0.0))
        files_made, texts_made = tuple(each.exported for each in made), tuple(path for _, path in texts)
        for folder in {path.parent for path in (*(file.path for file in files_made), *texts_made)}:
            with contextlib.suppress(OSError):
                sync_folder(folder)  # what is said to be there is there after a power cut too
        return ExportReport(files_made, texts_made, tuple(left_out), tuple(doubtful))

    def _now_at(self, target: Path) -> None:
        """What an error is about."""
        self._target = target

    # -- before anything is written

    def _ready_blocks(self) -> tuple[tuple[str, ...], list[Problem], list[Problem]]:
        """Ids to go through, what is left out, what is doubtful. Renders what is missing, then lists what is still not
        ready."""
        ids = self._request.block_ids or tuple(block.id for block in self._project.blocks)
        problems, doubtful = problems_of(self._project, ids, self._plan, self._is_stale)
        if problems and self._rendering is not None:
            wanted = [problem.block_id for problem in problems]
            rendered = self._rendering.render(
                wanted, lambda share: self._tell(Progress("rendering", share, None)), self._cancelled
            )
            self._project = snapshot(rendered)
            self._stop_if_cancelled()
            ids = tuple(each for each in ids if self._project.has_block(each))
            problems, doubtful = problems_of(self._project, ids, self._plan, self._is_stale)
            problems = [
                replace(problem, detail=self._rendering.reason(problem.block_id) or problem.detail)
                for problem in problems
            ]
        if problems and not self._request.skip:
            raise BlocksNotReady(problems)
        skipped = {problem.block_id for problem in problems}
        return tuple(each for each in ids if each not in skipped), problems, doubtful

    def _estimated_s(self, ids: Sequence[str]) -> float:
        pauses = self._project.settings.pauses
        total = 5.0
        for block_id in ids:
            block = self._project.block(block_id)
            take = heard_take(self._project, block)
            total += (take.seconds if take else 0.0) + pauses.paragraph_s + pauses.empty_line_s
            total += sum(getattr(item, "seconds", 0.0) for item in self._plan(block, block.text).items)
        return total

    def _folder(self) -> Path:
        out = self._request.out
        return out.parent if self._request.split == "programme" else out

    def _check_place(self) -> None:
        """A place where nothing can be written is said before an hour of speaking, not after it."""
        folder = self._folder().absolute()
        if self._request.split == "programme" and self._request.out.is_dir():
            raise ExportError(f"{self._request.out} is a folder.", "Choose another name.")
        there = next((each for each in (folder, *folder.parents) if each.exists()), folder)
        if not there.is_dir():
            raise explain(NotADirectoryError(errno.ENOTDIR, "not a folder"), there / self._request.out.name)
        if not os.access(there, os.W_OK):
            raise explain(PermissionError(errno.EACCES, "write-protected"), there / self._request.out.name)

    def _check_room(self, ids: Sequence[str], n_files: int) -> None:
        """Too little room is said before an hour of work, not after it."""
        copies = n_files if self._request.split == "voice" else 1
        needed = self._request.audio.bytes_for(self._estimated_s(ids)) * copies
        # A bound for FLAC; what speech really needs is about a third of it.
        likely = needed * (0.3 if self._request.audio.kind == "flac" else 0.9)
        folder = self._folder().absolute()
        while not folder.exists() and folder != folder.parent:
            folder = folder.parent
        try:
            free = shutil.disk_usage(folder).free
        except OSError:
            return  # some network drives cannot tell; writing will
        if free < likely:
            raise ExportError(
                f"The export needs about {likely / 1e6:,.0f} MB, and {folder} has {free / 1e6:,.0f} MB left.",
                "Free some space or choose another folder.",
            )

    def _make_folders(self) -> list[Path]:
        """Makes what is missing of the folders; returns it, deepest first."""
        made: list[Path] = []
        for folder in (self._folder(), *(path.parent for path in self._request.subtitle_files.values())):
            missing = [each for each in (folder, *folder.parents) if not each.exists()]
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise explain(error, folder) from error
            remove_dead_parts(folder)
            made = missing + made
        return made

    def _clean_up(self, made: Sequence[Made], parts: Sequence[Path], folders: Sequence[Path]) -> None:
        for each in made:
            each.sound.discard()
        for part in parts:
            part.unlink(missing_ok=True)
        for folder in folders:
            with contextlib.suppress(OSError):
                folder.rmdir()

    # -- making

    def _make_all(
        self,
        files: Sequence[ExportFile],
        ids: tuple[str, ...],
        title: str,
        made: list[Made],
        texts: list[tuple[Path, Path]],
    ) -> None:
        request = self._request
        sounds = SoundMaker(self._project, request, self._read, self._plan, self._worked)
        everything = ExportFile("", title, 1, ids)
        loudness = request.loudness
        # Loudness is measured over the programme, never over a part of it; ACX alone judges each file.
        shared_db = None
        if request.split != "programme" and loudness is not None and loudness.lufs is not None:
            shared_db = sounds.gain_of(everything)[0]
        for file in files:
            self._target = self._place(file)
            gain_db, tags = shared_db or 0.0, self._tags(file, title, len(files))
            spans: tuple[Span, ...] | None = None
            if loudness is not None and shared_db is None:
                gain_db, spans = sounds.gain_of(file)
            if request.split == "programme" and not request.audio.lossless:
                # A compressed file has its chapters in its head, so they must be known before the sound.
                spans = sounds.heard_in(file)[0] if spans is None else spans
                tags = replace(tags, chapters=self._chapters(spans))
            each = sounds.make(file, self._target, tags, gain_db, shared=shared_db is not None)
            made.append(each)
            beside = {kind: self._target.with_suffix(f".{kind}") for kind in sorted(request.subtitles)}
            heard = each.spans, each.silences
            self._add_texts(texts, beside, heard, each.exported.seconds, self._target.name, file.voice)
        if request.subtitle_files:
            one = request.split == "programme"
            whole = (made[0].spans, made[0].silences) if one else sounds.heard_in(everything)
            seconds = made[0].exported.seconds if one else _end_s(whole[0])
            self._add_texts(texts, request.subtitle_files, whole, seconds, request.out.name, None)

    def _place(self, file: ExportFile) -> Path:
        out = self._request.out
        target = out if self._request.split == "programme" else out / (file.name + self._request.audio.extension)
        if target.is_dir():
            raise ExportError(f"{target} is a folder.", "Choose another name.")
        return target

    def _tags(self, file: ExportFile, title: str, n_files: int) -> FileTags:
        tags = self._request.tags
        several = n_files > 1
        return replace(
            tags,
            title=file.title or title,
            artist=tags.artist or self._project.settings.author,
            album=tags.album or title,
            track=file.number if several else tags.track,
            tracks=n_files if several else tags.tracks,
        )

    def _chapters(self, spans: Sequence[Span]) -> tuple[ChapterMark, ...]:
        """Marks from the first speech of each chapter to that of the next; none where the script has no chapters."""
        title_of = chapters_by_block(self._project)
        starts: list[tuple[str, float]] = []
        for span in spans:
            title = title_of.get(span.block_id, "")
            if not starts or starts[-1][0] != title:
                starts.append((title, span.start_sample / RATE))
        if len(starts) < 2 and not (starts and starts[0][0]):
            return ()
        ends = [start_s for _, start_s in starts[1:]] + [_end_s(spans)]
        return tuple(
            ChapterMark(title or "…", 0.0 if index == 0 else start_s, end_s)
            for index, ((title, start_s), end_s) in enumerate(zip(starts, ends, strict=True))
        )

    def _add_texts(
        self,
        texts: list[tuple[Path, Path]],
        wanted: dict,
        heard: tuple[Sequence[Span], Sequence[tuple[int, int]]],
        seconds: float,
        name: str,
        voice: str | None,
    ) -> None:
        if not wanted:
            return
        blocks = spoken_blocks(self._project, *heard, self._plan, voice=voice)
        for kind, self._target in wanted.items():
            text = self._text(kind, blocks, seconds, name)
            texts.append((write_text_part(self._target, text), self._target))

    def _text(self, kind: str, blocks: Sequence[SpokenBlock], seconds: float, name: str) -> str:
        tags = self._request.tags
        if kind == "srt":
            return srt(cues_of(blocks))
        if kind == "vtt":
            return vtt(cues_of(blocks), note=replace(tags, comment="").remark)
        return cue_sheet(blocks, seconds=seconds, file=checks.clean_text(name), synthetic=tags.synthetic)

    # -- progress

    def _plan_work(self, ids: Sequence[str], n_files: int) -> None:
        request = self._request
        passes = n_files if request.split == "voice" else 1
        if request.loudness is not None:
            passes += 2
        elif not request.audio.lossless and request.split == "programme":
            passes += 1
        self._all_s = self._estimated_s(ids) * passes

    def _worked(self, stage: str, samples: int) -> None:
        self._stop_if_cancelled()
        self._done_s += samples / RATE
        now_s = time.monotonic()
        if now_s - self._told_s >= _TELL_EVERY_S:
            self._told_s = now_s
            share = min(0.99, self._done_s / self._all_s)
            left_s = (now_s - self._started_s) * (1.0 - share) / share if share > 0.02 else None
            self._tell(Progress(stage, share, left_s))

    def _stop_if_cancelled(self) -> None:
        if self._cancelled():
            raise Cancelled


def _end_s(spans: Sequence[Span]) -> float:
    return spans[-1].end_sample / RATE if spans else 0.0
