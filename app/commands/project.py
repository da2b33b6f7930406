"""`new` and `inspect`: make a project from a script, and tell what is in one."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.commands.console import paths_of, result, show, tell
from engine.errors import TextError

if TYPE_CHECKING:
    from app.model.voice import Voice
    from app.services.importers import ImportPreview
    from app.services.library import Library
    from app.services.store import ProjectStore
    from app.services.store_draft import Draft

MAX_SCRIPT_BYTES = 64 * 1024 * 1024


def register(subparsers: Any) -> None:
    new = subparsers.add_parser("new", help="make a project from a script")
    new.add_argument("project", type=Path, metavar="PROJECT.mvs", help="the file to make; it must not exist")
    new.add_argument(
        "--script",
        type=Path,
        required=True,
        metavar="FILE",
        help="a .txt .md .docx .epub .srt or .vtt file; - reads text from standard input",
    )
    new.add_argument("--voice", metavar="NAME", help="the voice of all paragraphs (default: the model's own)")
    new.add_argument(
        "--voices-from-names",
        action="store_true",
        help="lines that begin with `Name:` are spoken by the voice of that name (default: the name stays in the text)",
    )
    new.add_argument("--json", action="store_true", help="print what was made as JSON")
    new.set_defaults(run=run_new)
    inspect = subparsers.add_parser("inspect", help="tell what is in a project; changes nothing")
    inspect.add_argument("project", type=Path, metavar="PROJECT.mvs")
    inspect.add_argument("--json", action="store_true", help="print it as JSON")
    inspect.set_defaults(run=run_inspect)


def run_new(args: argparse.Namespace) -> int:
    from app.model.content_commands import SetProjectSettings
    from app.model.errors import ProjectError
    from app.services.importers.apply import import_command
    from app.services.library import open_library
    from app.services.new_project import follow_preferences
    from app.services.store import SUFFIX, ProjectStore
    from app.services.store_draft import Draft
    from app.settings import Settings

    if not args.project.name:
        raise ProjectError(f"“{args.project}” is no name of a file.", "Name the project to be made: tale.mvs.")
    script = read_script(args.script)
    paths = paths_of(args)
    library = open_library(paths) if args.voice or args.voices_from_names else None
    default = library.get(args.voice) if args.voice else None  # one that is not there is told before a file is made
    speakers = speakers_of(script, library) if args.voices_from_names else {}
    path = args.project if args.project.suffix.lower() == SUFFIX else args.project.with_name(args.project.name + SUFFIX)
    draft = Draft()  # a project without its script is none, so its file begins with it
    follow_preferences(draft.history, Settings.load(paths))
    wanted = [*speakers.values(), *([default] if default else [])]
    for voice in {voice.id: voice for voice in wanted}.values():
        bring_voice(draft, library, voice)
    voices = {speaker: voice.id for speaker, voice in speakers.items()}
    draft.history.do(import_command(draft.project, script, position=0, voices=voices))
    told = {"title": script.title if script.title != args.script.stem else "", "author": script.author}
    settings = {name: value for name, value in told.items() if value}
    if default is not None:
        settings["default_voice"] = default.id
    if settings:
        draft.history.do(SetProjectSettings(settings))
    with ProjectStore.create(path, paths=paths, draft=draft) as store:
        about = described(store)
    if args.json:
        result(about)
    else:
        tell(f"{store.path}: {_sentence(about)}")
    for phrase in script.left_out:
        tell(f"Left out: {phrase}")
    for warning in script.warnings:
        tell(warning)
    for speaker in script.speakers if args.voices_from_names else ():
        if speaker not in speakers:
            tell(f"No voice is called {speaker}: the name stays in the text.")
    return 0


def speakers_of(script: ImportPreview, library: Library) -> dict[str, Voice]:
    """The voices that are called as the speakers of a script are."""
    by_name = {voice.name.casefold(): voice for voice in library.voices}
    return {name: voice for name in script.speakers if (voice := by_name.get(name.casefold())) is not None}


def bring_voice(store: ProjectStore | Draft, library: Library, voice: Voice) -> None:
    """Put a voice of the library with its clips into the project."""
    from app.model.content_commands import SetVoice

    for clip in voice.references:
        store.add_clip(library.clip_path(voice, clip).read_bytes(), clip.file)
    store.history.do(SetVoice(voice))


def run_inspect(args: argparse.Namespace) -> int:
    from app.services.store import ProjectStore

    with ProjectStore.open(args.project, paths=paths_of(args), read_only=True) as store:
        about = described(store)
        if args.json:
            result(about)
            return 0
        show(f"{store.path}: {_sentence(about)}")
        for voice in about["voices"]:
            show(
                f"  voice {voice['name']}: {_counted(voice['blocks'], 'paragraph')}"
                + (", the default" if voice["default"] else "")
            )
        for chapter in about["chapters"]:
            show(f"  chapter {chapter['title'] or '(beginning)'}: {_counted(chapter['blocks'], 'paragraph')}")
        for notice in store.notices:
            show(f"  {notice}")
    return 0


def described(store: ProjectStore) -> dict[str, Any]:
    """What is in a project, as plain values."""
    from app.model.outline import outline

    project = store.project
    blocks = list(project.blocks)
    speakers = Counter(voice.id for block in blocks if block.kind == "speech" and (voice := project.voice_of(block)))
    chosen = [project.takes[block.chosen] for block in blocks if block.chosen in project.takes]
    return {
        "path": str(store.path),
        "title": project.settings.title,
        "bytes": store.path.stat().st_size,
        "characters": project.characters,
        "words": sum(len(block.text.split()) for block in blocks if block.kind in ("speech", "chapter", "scene")),
        "blocks": dict(Counter(block.kind.value for block in blocks)),
        "chapters": [
            {
                "title": chapter.title,
                "blocks": chapter.end - chapter.first,
                "scenes": [scene.title for scene in chapter.scenes],
            }
            for chapter in outline(project)
        ],
        "voices": [
            {
                "id": voice.id,
                "name": voice.name,
                "blocks": speakers[voice.id],
                "default": voice.id == project.settings.default_voice,
            }
            for voice in project.voices.values()
        ],
        "takes": dict(Counter(take.state for take in project.takes.values())),
        "seconds": round(sum(take.seconds for take in chosen), 3),
        "settings": project.settings.to_json(),
        "lexicon": len(project.lexicon),
        "steps": len(store.history.steps),
        "notices": list(store.notices),
    }


def read_script(path: Path) -> ImportPreview:
    """What a script would bring: a file of a kind that can be imported, else a plain text in any encoding.

    Raises:
        TextError: it cannot be read, or is too large. ImportRefused: it is no script.
    """
    from app.services.importers import kind_is_known, preview_file, preview_text

    if kind_is_known(path):
        return preview_file(path)
    try:
        data = sys.stdin.buffer.read(MAX_SCRIPT_BYTES + 1) if str(path) == "-" else _read(path)
    except OSError as error:
        raise TextError(f"{path} cannot be read ({error.strerror}).", "Give a text file.") from error
    if len(data) > MAX_SCRIPT_BYTES:
        raise TextError(f"{path} is larger than a script can be.", "Cut it into parts.")
    return preview_text(data, path)


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MAX_SCRIPT_BYTES + 1)


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _sentence(about: dict[str, Any]) -> str:
    minutes, seconds = divmod(round(about["seconds"]), 60)
    takes = sum(about["takes"].values())
    return (
        f"{_counted(sum(about['blocks'].values()), 'paragraph')}, {_counted(about['words'], 'word')}, "
        f"{_counted(len(about['voices']), 'voice')}, {_counted(takes, 'take')}, {minutes}:{seconds:02d} of speech"
    )
