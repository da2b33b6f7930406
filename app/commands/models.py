"""`models`: what can speak here; download, check and remove models; keep speech servers."""

from __future__ import annotations

import argparse
import getpass
import os
import signal
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.commands.console import ProgressLine, paths_of, result, show, tell
from app.services.server_keys import KEY_VARIABLE

if TYPE_CHECKING:
    from app.services.models import Models

INCOMPLETE_STATUS = 5
LONGEST_NAME = 100  # of a server
_STATES = {
    "ready": "installed",
    "absent": "not downloaded",
    "partial": "download not finished",
    "damaged": "DAMAGED",
    "cached": "in the hub's cache",
    "loading": "downloading",
}


def register(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "models", help="what can speak here; download, check and remove models; speech servers"
    )
    deeds = parser.add_subparsers(title="deeds", metavar="DEED")
    parser.set_defaults(run=_list, json=False)
    listing = deeds.add_parser("list", help="models and servers (the default)")
    listing.add_argument("--json", action="store_true", help="print them as JSON")
    listing.set_defaults(run=_list)
    download = deeds.add_parser("download", help="fetch a model, or go on with it; Ctrl+C keeps what has come")
    download.add_argument("id", metavar="ID", help="as `models list` names it")
    download.add_argument(
        "--folder", type=Path, metavar="DIR", help="where it goes, now and later (default: the profile)"
    )
    download.add_argument(
        "--mirror", metavar="URL", help="another hub, this time (default: HF_ENDPOINT, then the hub itself)"
    )
    download.set_defaults(run=_download)
    remove = deeds.add_parser("remove", help="delete a downloaded model, or what has come of it")
    remove.add_argument("id", metavar="ID")
    remove.set_defaults(run=_remove)
    add = deeds.add_parser("add-server", help="keep a speech server under a name; speak with --model server:NAME")
    add.add_argument("name", type=_name, metavar="NAME")
    add.add_argument("address", metavar="URL")
    add.add_argument(
        "--kind", choices=("auto", "sglang", "vllm"), default="auto", help="whose interface (default: ask it)"
    )
    add.add_argument("--served-model", default="", metavar="M", help="the model to ask for (default: the server's own)")
    add.add_argument("--key", action="store_true", help=f"it needs a key: taken from {KEY_VARIABLE}, else asked for")
    add.set_defaults(run=_add_server)
    test = deeds.add_parser("test-server", help="ask a server what it is and what it can do")
    test.add_argument("name", metavar="NAME")
    test.add_argument("--json", action="store_true", help="print the answer as JSON")
    test.set_defaults(run=_test_server)
    forget = deeds.add_parser("remove-server", help="forget a server and its key")
    forget.add_argument("name", metavar="NAME")
    forget.set_defaults(run=_remove_server)


def _models(args: argparse.Namespace) -> Models:
    from app.services.models import Models

    return Models(paths_of(args))


def _list(args: argparse.Namespace) -> int:
    rows = _models(args).rows()
    if args.json:
        known = [
            {
                "key": row.key,
                "kind": row.kind,
                "name": row.name,
                "state": row.state,
                "folder": str(row.folder) if row.folder else None,
                "bytes": row.size_bytes,
                "fault": row.fault,
            }
            for row in rows
        ]
        result(known)
        return 0
    for row in rows:
        size = f"{row.size_bytes / 1e9:5.1f} GB" if row.size_bytes else " " * 8
        name = f"server:{row.name}" if row.kind == "server" else row.key
        state = "server" if row.kind == "server" else _STATES[row.state]
        show(f"{name:34}  {state:22}  {size}  {row.fault or row.summary}")
    return 0


def _entry(name: str) -> Any:
    from engine import CATALOGUE, CheckpointError

    entry = next(
        (entry for entry in CATALOGUE if name.casefold() in (entry.id.casefold(), entry.name.casefold())), None
    )
    if entry is None:
        raise CheckpointError(f"There is no model “{name}” to fetch.", f"Known: {', '.join(e.id for e in CATALOGUE)}.")
    return entry


def _download(args: argparse.Namespace) -> int:
    from dataclasses import replace

    from engine import Download, DownloadStopped, Progress

    models, entry, line = _models(args), _entry(args.id), ProgressLine()
    root = models.root if args.folder is None else args.folder.expanduser().absolute()
    options = replace(models.hub, mirror=args.mirror) if args.mirror else models.hub

    def keep_folder() -> None:
        if root != models.root:
            models.move_root(root)

    def show(progress: Progress) -> None:
        if progress.done_bytes:
            keep_folder()  # only a folder that has taken something is where models go from now on
        left = "" if progress.left_s is None else f", {progress.left_s / 60:.0f} min left"
        speed = "" if not progress.bytes_per_s else f", {progress.bytes_per_s / 1e6:.1f} MB/s"
        done = f"{progress.done_bytes / 1e9:.2f} of {progress.total_bytes / 1e9:.2f} GB"
        line.draw(f"{progress.stage} … {progress.fraction:.0%} ({done}{speed}{left})")

    download = Download(entry, root, options, show, begun_at=models.begun_at(entry))
    before = {number: signal.signal(number, lambda *_: download.stop()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        folder = _in_thread(download.run)
    except DownloadStopped:
        tell("Stopped. What has come is kept; the same command goes on.")
        return INCOMPLETE_STATUS
    finally:
        line.clear()
        for number, handler in before.items():
            signal.signal(number, handler)
    keep_folder()
    tell(f"“{entry.name}” is in {folder}. Speak with it: --model {entry.id}")
    return 0


def _in_thread(work: Any) -> Any:
    """Runs work on another thread, so that a signal is heard at once while this one waits. Raises what it raises."""
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:
            outcome.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.2)
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]


def _remove(args: argparse.Namespace) -> int:
    _models(args).remove(_entry(args.id))
    return 0


def _server(models: Models, name: str) -> Any:
    from engine import CheckpointError

    found = [each for each in models.settings.servers if name in (each.name, each.address, each.id)]
    if not found:
        names = ", ".join(each.name for each in models.settings.servers) or "none"
        raise CheckpointError(f"There is no server “{name}”.", f"Kept are: {names}.")
    return found[0]


def _name(text: str) -> str:
    """A name that can be given to --model and shown in one line."""
    if not text.strip() or not text.isprintable() or len(text) > LONGEST_NAME:
        raise argparse.ArgumentTypeError(f"a name is of 1 to {LONGEST_NAME} letters, digits and signs in one line")
    return text.strip()


def _add_server(args: argparse.Namespace) -> int:
    from app.settings import Server

    models = _models(args)
    same = next((each for each in models.settings.servers if each.name == args.name), None)
    server = Server(same.id if same else "", args.name, args.address, args.kind, args.served_model)
    spec = models.spec(server, "")
    spec.base  # noqa: B018 - refuses what is no address
    key = None
    if args.key:
        key = os.environ.get(KEY_VARIABLE) or (
            getpass.getpass("Key: ") if sys.stdin.isatty() else sys.stdin.readline().strip()
        )
    replace(spec, key=key or "").authorisation  # noqa: B018 - refuses what is no key
    models.save_server(server, key)
    if key and models.keys.notice:
        tell(f"This system has no keyring that can be used, so the key is not kept. Set {KEY_VARIABLE} for commands.")
    tell(f"Kept. Speak with it: --model server:{args.name}")
    return 0


def _test_server(args: argparse.Namespace) -> int:
    from engine import inspect_server

    models = _models(args)
    server = _server(models, args.name)
    key = os.environ.get(KEY_VARIABLE) or models.keys.get(server.id)
    report = inspect_server(models.spec(server, key))
    if args.json:
        voices = [voice.name for voice in report.voices]
        result(
            {
                "kind": report.kind,
                "models": list(report.models),
                "voices": voices,
                "needs_clip": report.card.needs_reference,
            }
        )
        return 0
    show(f"{report.kind}; models: {', '.join(report.models) or 'not told'}; voices kept there: {len(report.voices)}")
    if report.card.needs_reference:
        show("It speaks only in the voice of a clip.")
    return 0


def _remove_server(args: argparse.Namespace) -> int:
    models = _models(args)
    models.remove_server(_server(models, args.name))
    return 0
