"""`voices`: list, add, remove, export, import."""

from __future__ import annotations

import argparse
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from app.commands.console import paths_of, result, show, tell

if TYPE_CHECKING:
    from app.model.voice import Voice
    from app.services.library import Library


def register(subparsers) -> None:
    group = subparsers.add_parser("voices", help="list, add, remove, export and import voices")
    verbs = group.add_subparsers(title="voices", metavar="VERB", required=True)

    def verb(name: str, run, help_: str) -> argparse.ArgumentParser:
        parser = verbs.add_parser(name, help=help_)
        parser.add_argument("--json", action="store_true", help="print the result as JSON")
        parser.set_defaults(run=run)
        return parser

    verb("list", run_list, "the voices there are")
    add = verb("add", run_add, "make a voice from a clip")
    add.add_argument("clip", type=Path, metavar="CLIP", help="audio or video file with the voice")
    add.add_argument("--name", required=True, metavar="N", help="what to call it")
    add.add_argument("--transcript", default="", metavar="T", help="what is said in the clip")
    add.add_argument("--language", metavar="L", help="the language of the clip")
    remove = verb("remove", run_remove, "move a voice to the trash")
    remove.add_argument("name", metavar="NAME")
    export = verb("export", run_export, "write a voice with its clips to one file")
    export.add_argument("name", metavar="NAME")
    export.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: NAME.mvoice in this folder")
    import_ = verb("import", run_import, "read a voice from a .mvoice file")
    import_.add_argument("file", type=Path, metavar="FILE")


def run_list(args: argparse.Namespace) -> int:
    library = _library(args)
    for problem in library.problems:
        tell(problem)
    if args.json:
        result([_described(library, voice) for voice in library.voices])
        return 0
    for voice in library.voices:
        clips = len(voice.references)
        origin = "with the model" if library.is_built_in(voice.id) else f"{clips} clip{'s' if clips != 1 else ''}"
        show(f"{voice.name}\t{origin}\t{voice.references[0].transcript}")
    return 0


def run_add(args: argparse.Namespace) -> int:
    from engine import CHANNELS, SAMPLE_RATE, Clip
    from engine.references import prepare_clip

    library = _library(args)
    language = _language(args.language)
    # As a codec takes it: what cannot serve never becomes a voice.
    prepared = prepare_clip(Clip(path=args.clip), SimpleNamespace(sample_rate=SAMPLE_RATE, channels=CHANNELS))
    voice = library.add(args.clip, args.name, transcript=args.transcript, language=language)
    for repair in prepared.repairs:
        tell(f"Note: {repair.message}")
    if voice.known is None:
        tell(
            "The starter knows only its own voices; a model that clones, such as MOSS-TTS-Local v1.5, can use this one."
        )
    return _tell_result(args, library, voice, f"“{voice.name}” is in the library.")


def run_remove(args: argparse.Namespace) -> int:
    library = _library(args)
    voice = library.get(args.name)
    library.remove(voice.id)
    return _tell_result(args, library, voice, f"“{voice.name}” is in the trash.")


def run_export(args: argparse.Namespace) -> int:
    library = _library(args)
    voice = library.get(args.name)
    target = args.output or Path(_file_name(voice.name))
    written = library.export(voice.id, target)
    if args.json:
        result({**_described(library, voice), "output": str(written)})
    else:
        show(written)
    return 0


def run_import(args: argparse.Namespace) -> int:
    library = _library(args)
    before = {voice.id for voice in library.voices}
    voice = library.import_(args.file)
    if voice.id in before:
        message = f"Nothing was added: these clips are in the library already, as “{voice.name}”."
    else:
        message = f"“{voice.name}” is in the library."
    return _tell_result(args, library, voice, message, added=voice.id not in before)


def _library(args: argparse.Namespace) -> Library:
    from app.services.library import open_library

    return open_library(paths_of(args))


def _language(given: str | None) -> str | None:
    from app.services.speech import language_or_error

    return language_or_error(given)


def _described(library: Library, voice: Voice) -> dict[str, object]:
    return {
        "id": voice.id,
        "name": voice.name,
        "built_in": library.is_built_in(voice.id),
        "clips": [str(library.clip_path(voice, clip)) for clip in voice.references],
        "transcript": voice.references[0].transcript,
        "language": voice.references[0].language,
    }


def _tell_result(args: argparse.Namespace, library: Library, voice: Voice, message: str, **more: object) -> int:
    if args.json:
        result({**_described(library, voice), **more})
    else:
        tell(message)
    return 0


def _file_name(name: str) -> str:
    """A file name that every system takes."""
    kept = "".join(character if character.isalnum() or character in " -_" else "_" for character in name).strip()
    return (kept or "voice") + ".mvoice"
