"""`say`: speak a text into a file or a pipe."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path
from typing import Any

from app.commands.console import ProgressLine, add_model_options, paths_of, result, tell
from engine.errors import SpeechError

INCOMPLETE_STATUS = 5


def register(subparsers) -> None:
    parser = subparsers.add_parser(
        "say",
        help="speak a text into a file",
        description="Speak TEXT into a 48 kHz stereo file. A pause is written [pause 1.5s].",
    )
    parser.add_argument("text", metavar="TEXT|-|@FILE", help="the text; - reads standard input, @FILE reads a file")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="OUT|-",
        help=".wav, .flac, .mp3, .ogg or .opus; - writes a wav to standard output",
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    voice = parser.add_argument_group("voice")
    voice.add_argument("--voice", metavar="NAME|CLIP", help="a voice of the library, or an audio file")
    voice.add_argument("--transcript", default="", metavar="T", help="what is said in the clip")
    voice.add_argument("--continue-from", type=Path, metavar="CLIP", help="go on from this audio; needs --transcript")
    voice.add_argument("--language", metavar="L", help="name or code (default: the model's own, or by itself)")
    voice.add_argument("--instruction", metavar="I", help="how to speak, for models that follow instructions")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--seconds", type=_positive_float, metavar="S", help="wanted length, for models that follow it")
    length.add_argument("--frames", type=_positive_int, metavar="N", help="wanted length in frames of 80 ms")
    sampling = parser.add_argument_group("sampling (default: the model's own)")
    sampling.add_argument(
        "--seed", type=_seed, default=0, metavar="N", help="the same seed gives the same bytes (default: 0)"
    )
    sampling.add_argument(
        "--temperature", type=_not_negative_float, metavar="X", help="0 takes the likeliest every time"
    )
    sampling.add_argument("--top-p", type=_share, metavar="X", help="0 to 1; 1 is off")
    sampling.add_argument("--top-k", type=_not_negative_int, metavar="N", help="0 is off")
    sampling.add_argument("--repetition-penalty", type=_positive_float, metavar="X", help="1 is off")
    parser.add_argument(
        "--natural-pauses", action="store_true", help="leave pauses to the model where it makes them itself"
    )
    add_model_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from app.services.saying import Saying, Wish, read_text

    to_pipe = args.output == "-"
    if to_pipe and getattr(sys.stdout, "name", None) == os.devnull:
        raise SpeechError("Standard output is closed.", "Give a file after -o, or a program that reads.")
    names = (
        "voice transcript continue_from language instruction seconds frames seed temperature top_p top_k "
        "repetition_penalty natural_pauses model codec device precision"
    ).split()
    options: dict[str, Any] = {name: getattr(args, name) for name in names}
    line = ProgressLine()
    text = read_text(args.text, sys.stdin.buffer)
    saying = Saying(
        Wish(text=text, output=sys.stdout.buffer if to_pipe else Path(args.output).expanduser(), **options),
        paths_of(args),
        line.draw,
    )
    before = {number: signal.signal(number, lambda *_: saying.cancel()) for number in _ends()}
    try:
        complete = saying.run()
    finally:
        line.clear()
        for number, handler in before.items():
            signal.signal(number, handler)
    figures = saying.figures
    for warning in figures["warnings"]:
        tell(f"Note: {warning['message']}")
    for text in figures["incomplete"]:
        tell(f"Not complete ({figures['stop_reason']}): {text[:80]}")
    if args.json:
        result(figures, to_stderr=to_pipe)
    else:
        tell(
            f"{figures['seconds']:.2f} s in {figures['output']}; first audio after {figures['ttfa_ms'] or 0:.0f} ms, "
            f"{figures['rtf']:.2f} of real time."
        )
    if not complete and not figures["incomplete"]:
        tell("Stopped: the file holds what was spoken until then.")
    return 0 if complete else INCOMPLETE_STATUS


def _ends() -> list[signal.Signals]:
    """Signals that ask for an end; a closed terminal does, unless it was said not to (nohup)."""
    hang_up = getattr(signal, "SIGHUP", None)
    ignored = hang_up is None or signal.getsignal(hang_up) is signal.SIG_IGN
    return [signal.SIGINT, signal.SIGTERM, *([] if ignored else [hang_up])]


def _number(kind, low: float, high: float, wanted: str, *, open_low: bool = False):
    def parse(text: str):
        try:
            value = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not {wanted}") from None
        if not low <= value <= high or (open_low and value == low):
            raise argparse.ArgumentTypeError(f"{text} is not {wanted}")
        return value

    return parse


_positive_float = _number(float, 0.0, 1e4, "a number above 0, at most 10000", open_low=True)
_not_negative_float = _number(float, 0.0, 1e4, "a number from 0 to 10000")
_share = _number(float, 0.0, 1.0, "a number above 0, at most 1", open_low=True)
_positive_int = _number(int, 1, 7_500, "a whole number from 1 to 7500")
_not_negative_int = _number(int, 0, 1_000_000, "a whole number from 0 to 1000000")
_seed = _number(int, 0, 2**63 - 1, "a whole number from 0 to 2^63-1")
