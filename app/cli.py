"""The door without a window: commands, their exit status, and no traceback for a person."""

from __future__ import annotations

import os
import signal
import sys

PROGRAM = "moss-voice-studio"
INTERNAL_STATUS = 5
NO_DEVICE_STATUS = 4
BAD_INPUT_STATUS = 3


def _end_at_once(*_: object) -> None:
    """Nothing is under way while modules are read: a sentence, and no traceback of them."""
    os.write(2, f"{PROGRAM}: stopped before anything was done.\n".encode())
    os._exit(INTERNAL_STATUS)


_owns_process = __name__ == "__main__" or os.path.basename((sys.argv or [""])[0]).removesuffix(".exe") == PROGRAM
if _owns_process and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, _end_at_once)

import argparse
import importlib
import importlib.metadata
import logging
import pkgutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from app import commands
from app.commands.console import failure, forget, remedy_of, tell
from app.log import start_log
from app.paths import paths_for
from engine.errors import RequestCancelled, SpeechError


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command, or open the window where there is none.

    Returns:
        0 done, 2 usage, 3 bad input, 4 not enough memory or no device, 5 incomplete result.
    """
    given = list(sys.argv[1:] if argv is None else argv)
    _open_streams()
    _speak_utf8()
    parser = build_parser()
    project = _project_alone(given)
    if project is not None:
        if not os.path.exists(project):  # false for a name that no disk takes, too
            tell(f"{PROGRAM}: There is no project {project}.\nCheck the path; {PROGRAM} new makes one from a script.")
            return BAD_INPUT_STATUS
        return open_window(given)
    args = parser.parse_args(given)
    if args.run is None:
        return open_window(given)
    with _log(args.profile, args.verbose) as log_file:
        try:
            _let_interrupts_raise()
            return int(args.run(args))
        except SpeechError as error:
            logging.getLogger(__name__).info("%s: %s", type(error).__name__, error, exc_info=error)
            return _fail(args, error)
        except BrokenPipeError:
            forget(sys.stdout)
            return INTERNAL_STATUS
        except KeyboardInterrupt:
            return _fail(args, RequestCancelled("Stopped."))
        except Exception as error:
            logging.getLogger(__name__).error("An error was not handled", exc_info=error)
            where = f"Details are in {log_file}." if log_file else ""
            message = f"something went wrong inside the studio ({type(error).__name__}: {error})."
            return _fail(args, _InternalError(message, where))
        finally:
            if _owns_process:
                signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is over; what is left takes a moment


class _InternalError(SpeechError):
    """A fault of the program itself."""

    exit_status = INTERNAL_STATUS


def _fail(args: argparse.Namespace, error: SpeechError) -> int:
    """Say what went wrong: to a person, and to a program that asked for JSON."""
    remedy = remedy_of(error)
    tell(f"{PROGRAM}: {error.message}" + (f"\n{remedy}" if remedy else ""))
    if getattr(args, "json", False):
        failure(error, to_stderr=str(getattr(args, "output", "")) == "-")
    return error.exit_status


def build_parser() -> argparse.ArgumentParser:
    """The parser with every command group of `app.commands`."""
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Speech made by an open model on your own machine. Without a command the studio's window opens.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {_version()}")
    parser.add_argument("--profile", type=Path, metavar="DIR", help="keep settings, voices and caches in this folder")
    parser.add_argument("--verbose", action="store_true", help="say more on standard error")
    parser.set_defaults(run=None)
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND")
    for module in sorted(pkgutil.iter_modules(commands.__path__), key=lambda module: module.name):
        register = getattr(importlib.import_module(f"{commands.__name__}.{module.name}"), "register", None)
        if register is not None:
            register(subparsers)
    return parser


def open_window(argv: Sequence[str]) -> int:
    """The studio's window; a plain sentence where it cannot open."""
    _let_interrupts_raise()
    if sys.platform.startswith("linux") and not any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    ):
        tell(
            f"{PROGRAM}: there is no display for the window. Commands work without one: "
            f'{PROGRAM} say "Hello." -o hello.wav'
        )
        return NO_DEVICE_STATUS
    try:
        from app.main import main as window_main
    except ImportError as error:
        tell(
            f"{PROGRAM}: the window cannot open here ({error}). Install its libraries, or use a command: "
            f'{PROGRAM} say "Hello." -o hello.wav; {PROGRAM} doctor says what is missing.'
        )
        return NO_DEVICE_STATUS
    return int(window_main(list(argv)) or 0)


def _let_interrupts_raise() -> None:
    if signal.getsignal(signal.SIGINT) is _end_at_once:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _version() -> str:
    try:
        return importlib.metadata.version(PROGRAM)
    except importlib.metadata.PackageNotFoundError:
        return "(not installed)"


def _project_alone(given: Sequence[str]) -> Path | None:
    """The project's file where nothing else was given but the options of all commands: it opens the window."""
    rest = list(given)
    while rest and rest[0].startswith("-"):
        del rest[: 2 if rest[0] == "--profile" else 1]
    return Path(rest[0]) if len(rest) == 1 and rest[0].lower().endswith(".mvs") else None


@contextmanager
def _log(profile: Path | None, verbose: bool) -> Iterator[Path | None]:
    """The log's file while a command runs; a person sees tracebacks only where `--verbose` asks for them."""
    root = logging.getLogger()
    before = list(root.handlers)
    try:
        yield start_log(paths_for(profile), verbose=verbose, to_console=verbose)
    finally:
        for handler in [handler for handler in root.handlers if handler not in before]:
            root.removeHandler(handler)
            handler.close()


def _open_streams() -> None:
    """A stream that the caller closed is None in Python, and its number would be taken by the next file opened."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # stays open as long as the process


def _speak_utf8() -> None:
    """Names and texts are Unicode whatever the terminal's locale says; what it cannot show becomes an escape."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
