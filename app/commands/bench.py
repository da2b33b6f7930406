"""`bench`: figures of a model on this machine."""

from __future__ import annotations

import argparse

from app.commands.console import ProgressLine, add_model_options, paths_of, result, show
from engine.errors import SpeechError


def register(subparsers) -> None:
    parser = subparsers.add_parser(
        "bench",
        help="measure a model on this machine",
        description="Measure a model on this machine. --model full-random: the full size, random weights, on a GPU, "
        "in each precision whatever --precision says.",
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--repeats", type=_repeats, default=5, metavar="N", help="runs a figure, 1 to 100 (default: 5)")
    add_model_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from app.services.benching import all_figures

    if (args.model or "").startswith("server:"):
        raise SpeechError("A speech server is not measured: its figures are its own.", "Choose a model that is here.")
    line = ProgressLine()
    found = []
    for figure in all_figures(
        paths_of(args),
        model=args.model,
        codec=args.codec,
        device=args.device,
        precision=args.precision,
        repeats=args.repeats,
        on_progress=line.draw,
    ):
        line.clear()
        found.append(figure)
        if not args.json:
            show(figure)
    if args.json:
        result([figure.to_json() for figure in found])
    return 0


def _repeats(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to 100")
    return int(text)
