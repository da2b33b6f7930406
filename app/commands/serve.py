"""`serve`: let other programs of this machine use the engine, by the interface of a speech server."""

from __future__ import annotations

import argparse
import os
import signal
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from app.commands.console import ProgressLine, add_model_options, paths_of, result, tell

if TYPE_CHECKING:
    from engine import Engine

TOKEN_VARIABLE = "MOSS_SERVE_TOKEN"


def register(subparsers) -> None:
    parser = subparsers.add_parser(
        "serve",
        help="let other programs of this machine use the engine",
        description="Listens on this machine's own address until it is stopped (Ctrl+C). Programs need the token that "
        f"is printed once, or the one in {TOKEN_VARIABLE}.",
    )
    parser.add_argument("--port", type=_port, default=0, metavar="N", help="0 takes a free one (default: 0)")
    parser.add_argument(
        "--flavour", choices=("sglang", "vllm"), default="sglang", help="whose interface (default: sglang)"
    )
    parser.add_argument("--parallel", type=_slots, default=1, metavar="N", help="requests spoken at once (default: 1)")
    parser.add_argument("--json", action="store_true", help="print address and token as JSON")
    add_model_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from app.services.model_choice import open_engine
    from engine import DeviceError

    try:
        from app.services.serve.service import Service
    except ImportError as error:
        raise DeviceError(
            "This needs aiohttp, which is not installed.", "pip install 'moss-voice-studio[serve]'"
        ) from error

    paths = paths_of(args)
    line = ProgressLine()
    options = {
        "slots": args.parallel,
        "model": args.model,
        "codec": args.codec,
        "device": args.device,
        "precision": args.precision,
    }
    engine = open_engine(paths, **options, on_status=lambda now: line.draw(f"{now.stage} … {now.fraction:.0%}"))
    stopped = threading.Event()
    before = {number: signal.signal(number, lambda *_: stopped.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        while not engine.ready(0.1):
            if stopped.is_set():
                return 0
        line.clear()
        given = os.environ.get(TOKEN_VARIABLE) or None
        service = Service(
            engine,
            args.flavour,
            port=args.port,
            token=given,
            count_tokens=token_counter(engine),
            clips=paths.served_clips,
        )
        service.start()
        try:
            if args.json:
                result(
                    {
                        "address": service.address,
                        "token": service.token if given is None else None,
                        "flavour": args.flavour,
                    }
                )
            else:
                tell(f"Listening on {service.address} in the manner of {args.flavour}. Ctrl+C stops it.")
                if given is None:
                    tell(f"Token: {service.token}")
            stopped.wait()
        finally:
            service.close()
    finally:
        line.clear()
        engine.close()
        for number, handler in before.items():
            signal.signal(number, handler)
    return 0


def token_counter(engine: Engine) -> Callable[[str], int] | None:
    """What counts the tokens of a text for a model of this machine; None where its tokenizer is of another kind."""
    import tokenizers

    layout = getattr(engine.backend, "layout", None)
    if layout is None or not (file := layout.model / "tokenizer.json").is_file():
        return None
    tokenizer = tokenizers.Tokenizer.from_file(str(file))
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def _slots(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 64:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to 64")
    return int(text)


def _port(text: str) -> int:
    if not text.isdigit() or not 0 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port")
    return int(text)
