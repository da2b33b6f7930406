"""`render`: speak what a project lacks and write it to files."""

from __future__ import annotations

import argparse
import queue
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.commands.console import ProgressLine, add_model_options, paths_of, result, tell

if TYPE_CHECKING:
    from app.services.exporter_request import ExportReport, ExportRequest, Progress
    from app.services.store import ProjectStore

_STAGES = {"rendering": "Speaking", "measuring": "Measuring", "writing": "Writing", "checking": "Checking"}


def register(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "render",
        help="speak a project and write it to files",
        description="Speak what PROJECT.mvs lacks, then write the programme: all of it, or nothing.",
    )
    parser.add_argument("project", type=Path, metavar="PROJECT.mvs")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="OUT", help="a .wav .flac .mp3 .opus or .m4b file"
    )
    sound = parser.add_argument_group("sound")
    sound.add_argument("--bits", type=int, metavar="N", help="wav: 16, 24 or 32 (float); flac: 16 or 24 (default: 24)")
    sound.add_argument("--rate", type=int, metavar="HZ", help="samples a second (default: 48000; acx: 44100)")
    sound.add_argument("--mono", action="store_true", help="one channel")
    sound.add_argument("--kbps", type=int, default=192, metavar="N", help="mp3, opus, m4b: kbit/s (default: 192)")
    sound.add_argument("--loudness", metavar="L", help="-14 -16 -18 -19 -23 (LUFS), acx or off (default: off)")
    more = parser.add_argument_group("more files")
    more.add_argument(
        "--stems",
        metavar="TEMPLATE",
        help="also a file for each part, named by TEMPLATE beside OUT: [FOLDER/]{number:03} {chapter} {voice} {text}",
    )
    more.add_argument(
        "--stems-by", choices=("block", "chapter", "voice"), default="block", help="what a part is (default: block)"
    )
    more.add_argument("--srt", type=Path, metavar="F", help="subtitles as SubRip")
    more.add_argument("--vtt", type=Path, metavar="F", help="subtitles as WebVTT")
    more.add_argument("--cues", type=Path, metavar="F", help="where everything is heard, as JSON")
    about = parser.add_argument_group("about the file")
    about.add_argument("--title", default="", help="(default: the project's, else its file name)")
    about.add_argument("--author", default="", help="(default: the project's)")
    about.add_argument("--cover", type=Path, metavar="PICTURE", help="JPEG or PNG, for mp3 and m4b")
    about.add_argument(
        "--no-synthetic-mark", action="store_true", help="do not say in the file that the voice is synthetic"
    )
    parser.add_argument("--skip", action="store_true", help="leave out lines that are not ready instead of stopping")
    parser.add_argument(
        "--no-speaking", action="store_true", help="use the takes there are; change nothing in the project"
    )
    parser.add_argument("--json", action="store_true", help="print what was written as JSON")
    add_model_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from app.services.store import ProjectStore

    requests = requests_of(args)
    calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
    with ProjectStore.open(args.project, paths=paths_of(args), deliver=calls.put, read_only=args.no_speaking) as store:
        for notice in store.notices:
            tell(notice)
        store.notices_were_told()
        title = args.title or store.project.settings.title or store.path.stem
        requests = [replace(request, tags=replace(request.tags, title=title)) for request in requests]
        reports = _export_all(args, store, requests, calls)
    if args.json:
        result(described(reports))
        return 0
    for report in reports:
        for file in report.files:
            faults = "; ".join(file.faults)
            tell(f"{file.path}: {file.seconds:.2f} s" + (f" – note: {faults}" if faults else ""))
        for path in report.texts:
            tell(str(path))
    for problem in reports[0].left_out:
        tell(f"Left out: {problem}")
    for problem in reports[0].doubtful:
        tell(f"Listen to {problem}")
    return 0


def requests_of(args: argparse.Namespace) -> list[ExportRequest]:
    """What was asked for on the command line. Raises ExportError for what cannot be."""
    from app.services.exporter_formats import AudioFormat, ExportError, FileTags, kind_for
    from app.services.exporter_names import check_template
    from app.services.exporter_request import ExportRequest
    from app.services.loudness import target_for

    loudness = target_for(args.loudness)
    out = args.output.expanduser()
    rate = args.rate
    if rate is None:
        rate = 44_100 if loudness is not None and loudness.rms_db is not None else 48_000
    bits = args.bits if args.bits is not None else 16 if rate == 44_100 else 24
    audio = AudioFormat(kind_for(out), bits, rate, 1 if args.mono else 2, args.kbps)
    tags = FileTags(artist=args.author, genre="Speech", cover=args.cover, synthetic=not args.no_synthetic_mark)
    files = {kind: path.expanduser() for kind in ("srt", "vtt") if (path := getattr(args, kind)) is not None}
    if args.cues is not None:
        files["json"] = args.cues.expanduser()
    named = [path.resolve() for path in (args.project.expanduser(), out, *files.values())]
    twice = next((path for path in named if named.count(path) > 1), None)
    if twice is not None:
        raise ExportError(f"{twice.name} cannot be two files at once.", "Give every file a name of its own.")
    asked = [ExportRequest(out, audio, loudness=loudness, subtitle_files=files, tags=tags, skip=args.skip)]
    if args.stems:
        folder, name = (out.parent / args.stems).parent, Path(args.stems).name
        name = name.removesuffix(audio.extension)
        check_template(name)
        there = folder.resolve()
        asked.append(
            ExportRequest(
                folder,
                audio,
                split=args.stems_by,
                template=name,
                taken=tuple(path.stem for path in named if path.parent == there),
                loudness=loudness,
                tags=tags,
                skip=args.skip,
            )
        )
    return asked


def described(reports: list[ExportReport]) -> dict[str, Any]:
    """What was written, as plain values."""
    return {
        "files": [
            {
                "path": str(file.path),
                "seconds": round(file.seconds, 4),
                "gain_db": round(file.gain_db, 3),
                "limited_db": round(file.limited_db, 3),
                "lufs": None if file.measured is None else file.measured.lufs,
                "true_peak_db": None if file.measured is None else round(file.measured.true_peak_db, 2),
                "rms_db": None if file.measured is None else round(file.measured.rms_db, 2),
                "faults": list(file.faults),
            }
            for report in reports
            for file in report.files
        ],
        "texts": [str(path) for report in reports for path in report.texts],
        "left_out": [str(problem) for problem in reports[0].left_out],
        "doubtful": [str(problem) for problem in reports[0].doubtful],
    }


def _export_all(
    args: argparse.Namespace,
    store: ProjectStore,
    requests: list[ExportRequest],
    calls: queue.SimpleQueue[Callable[[], None]],
) -> list[ExportReport]:
    """Exports on a thread of their own, while this one owns the project and runs what is posted to it."""
    from app.services.export_job import prepare_export
    from app.services.library import open_library
    from app.services.model_choice import known_card, open_engine
    from app.services.project_clips import ProjectClips
    from app.services.renderer import Renderer
    from app.services.speaking import habits_of
    from app.services.take_cache import TakeCache
    from app.settings import Settings

    paths = paths_of(args)
    line = ProgressLine()
    stop = threading.Event()
    take_cache = TakeCache(paths.take_cache)
    store.lease_takes(take_cache)
    clips = ProjectClips(open_library(paths), store, paths.cache / "clips")
    renderer = Renderer(calls.put, clips, take_cache=take_cache)
    renderer.set_habits(habits_of(Settings.load(paths)))
    renderer.set_store(store)
    card = known_card(args.model, paths)
    renderer.set_engine(None, card)
    engine = None
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        if not args.no_speaking and renderer.stale_ids():
            engine = open_engine(
                paths,
                model=args.model,
                codec=args.codec,
                device=args.device,
                precision=args.precision,
                on_status=lambda progress: line.draw(f"{progress.stage} … {progress.fraction:.0%}"),
            )
            while not engine.ready(0.1):
                if stop.is_set():
                    break
            renderer.set_engine(engine, engine.card)
        reports = []
        for number, request in enumerate(requests):
            export = prepare_export(renderer, request, calls.put, render_first=engine is not None and number == 0)
            reports.append(_wait_for(export, calls, stop, line))
        store.flush_or_raise()
        return reports
    finally:
        line.clear()
        for number, handler in before.items():
            signal.signal(number, handler)
        renderer.close()
        if engine is not None:
            engine.close()


def _wait_for(
    export: Callable[..., ExportReport],
    calls: queue.SimpleQueue[Callable[[], None]],
    stop: threading.Event,
    line: ProgressLine,
) -> ExportReport:
    """Runs an export on another thread and posted calls on this one. Raises what the export raises."""
    outcome: list[Any] = []

    def tell_progress(progress: Progress) -> None:
        left = "" if progress.left_s is None else f", {progress.left_s:.0f} s left"
        text = f"{_STAGES[progress.stage]} … {progress.fraction:.0%}{left}"
        calls.put(lambda: line.draw(text))

    def work() -> None:
        try:
            outcome.append(export(tell_progress, stop.is_set))
        except BaseException as error:
            outcome.append(error)
        calls.put(lambda: None)

    worker = threading.Thread(target=work, name="export")
    worker.start()
    while worker.is_alive() or not outcome:
        try:
            calls.get(timeout=0.2)()
        except queue.Empty:
            continue
    worker.join()
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]
