"""What commands share: standard error for people, standard output for results, options that several take."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any, TextIO

from app.paths import Paths, paths_for
from app.services.server_keys import KEY_VARIABLE
from engine.errors import SpeechError

REDRAW_S = 0.2
_CHECK_KEY = "Check the server's key."
_DEVICES = re.compile(r"auto|cpu|mps|cuda(:\d+)?(\+cuda(:\d+)?)?")


def paths_of(args: argparse.Namespace) -> Paths:
    """The profile that `--profile` names."""
    return paths_for(args.profile)


def tell(message: str) -> None:
    """A line for people; work does not end because it cannot be shown."""
    try:
        print(message, file=sys.stderr, flush=True)
    except OSError:
        forget(sys.stderr)


def forget(stream: TextIO) -> None:
    """Nobody reads what is written here: nothing may be flushed to it at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError, AttributeError):
        pass  # it is no real file, or closed already


def result(value: dict[str, Any] | list[Any], *, to_stderr: bool = False) -> None:
    """A result for programs: one JSON value.

    Raises:
        SpeechError: it cannot be printed. BrokenPipeError: nobody reads any more.
    """
    show(json.dumps(value, ensure_ascii=False), to_stderr=to_stderr)


def show(line: object, *, to_stderr: bool = False) -> None:
    """A line of a result for people, on standard output.

    Raises:
        SpeechError: it cannot be printed. BrokenPipeError: nobody reads any more.
    """
    try:
        print(line, file=sys.stderr if to_stderr else sys.stdout, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise SpeechError(
            f"The result could not be printed ({error.strerror or error}).", "Check where the output goes."
        ) from error


def remedy_of(error: SpeechError) -> str:
    """What a person can do at a terminal, where a menu of the window helps nobody."""
    from app.services.model_sources import IN_THE_WINDOW  # late: it knows all kinds of models

    remedy = getattr(error, "terminal_remedy", "") or error.remedy.replace(IN_THE_WINDOW, ".")
    return f"{remedy} Commands take it from {KEY_VARIABLE}." if remedy == _CHECK_KEY else remedy


def failure(error: SpeechError, *, to_stderr: bool = False) -> None:
    """What went wrong, for a program that asked for JSON; silent where nothing can be printed."""
    value = {"error": error.message, "remedy": remedy_of(error), "exit_status": error.exit_status}
    try:
        result(value, to_stderr=to_stderr)
    except (SpeechError, OSError):
        pass  # that it cannot be printed is what went wrong, or nobody reads


class ProgressLine:
    """One line on a terminal that is drawn again and again; silent where standard error is no terminal."""

    def __init__(self) -> None:
        self._shown = False
        self._drawn_s = 0.0
        self._enabled = sys.stderr.isatty()

    def draw(self, text: str) -> None:
        now_s = time.monotonic()
        if self._enabled and now_s - self._drawn_s >= REDRAW_S:
            self._drawn_s, self._shown = now_s, True
            print(f"\r\x1b[K{text[:100]}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._shown:
            self._shown = False
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """--model, --codec, --device, --precision."""
    group = parser.add_argument_group("model")
    group.add_argument("--model", metavar="NAME|DIR", help="an installed model or its folder (default: the starter)")
    group.add_argument("--codec", type=Path, metavar="DIR", help="the codec's folder, where it is not beside the model")
    group.add_argument(
        "--device",
        type=_device,
        default="auto",
        metavar="DEVICE",
        help="auto, cpu, mps, cuda, cuda:1, or cuda:0+cuda:1 for the codec on a second card (default: auto)",
    )
    group.add_argument(
        "--precision",
        default="auto",
        choices=("auto", "fp32", "bf16", "fp16", "int8", "fp8", "int4"),
        help="how the model computes (default: auto)",
    )


def _device(text: str) -> str:
    """A name that a device can have; whether it is there is known when the model is loaded."""
    if _DEVICES.fullmatch(text.strip().lower()) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no device: auto, cpu, mps, cuda, cuda:1 or cuda:0+cuda:1")
    return text
