"""The text log of the studio: a few rotating files in the profile, and every uncaught error in them."""

from __future__ import annotations

import contextlib
import logging
import logging.handlers
import sys
import threading
from pathlib import Path
from types import TracebackType

from app.paths import Paths

FILE = "studio.log"
_BYTES = 2_000_000
_FILES = 4


def start_log(paths: Paths, *, verbose: bool = False, to_console: bool = True) -> Path | None:
    """Send the log to a file in `paths.logs`, and warnings to standard error unless `to_console` is off.

    Scripts, clips and keys are never logged; messages name files and figures.

    Returns:
        The file; None where it cannot be written, which keeps nothing from working.
    """
    root = logging.getLogger()
    root.setLevel(logging.DEBUG if verbose else logging.INFO)
    if to_console:
        console = logging.StreamHandler(sys.stderr)
        console.setLevel(logging.DEBUG if verbose else logging.WARNING)
        console.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
        root.addHandler(console)
    file: Path | None = paths.logs / FILE
    try:
        _make_private(paths.profile)
        paths.logs.mkdir(parents=True, exist_ok=True)
        handler = _LogFile(
            paths.logs / FILE, maxBytes=_BYTES, backupCount=_FILES - 1, encoding="utf-8", errors="backslashreplace"
        )
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(threadName)s %(name)s: %(message)s"))
        root.addHandler(handler)
    except OSError as error:
        root.warning("The log cannot be written: %s", error)
        file = None
    sys.excepthook = _uncaught
    threading.excepthook = _uncaught_in_thread
    return file


class _LogFile(logging.handlers.RotatingFileHandler):
    """A log whose disk may be full or go away: what cannot be written is left out."""

    def handleError(self, record: logging.LogRecord) -> None:
        """The record is left out."""

    def close(self) -> None:
        with contextlib.suppress(OSError):
            super().close()


def _make_private(profile: Path) -> None:
    """Scripts, voices and kept texts are nobody else's: a new profile is its owner's alone. An old one stays as it
    is."""
    try:
        profile.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        pass


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    logging.getLogger("uncaught").critical("An error was not handled", exc_info=(kind, error, trace))


def _uncaught_in_thread(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None:
        name = args.thread.name if args.thread else "a thread"
        logging.getLogger("uncaught").critical(
            "An error ended %s", name, exc_info=(args.exc_type, args.exc_value, args.exc_traceback)
        )
