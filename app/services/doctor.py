"""What this machine can run and what is missing, each line with its remedy."""

from __future__ import annotations

import getpass
import importlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from app.paths import Paths, starter
from engine import SpeechError

State = Literal["ok", "note", "missing"]
SMALLEST_FREE_GB = 2.0
STARTER_NEEDS_GB = 1.2


@dataclass(frozen=True)
class Finding:
    """One line of the report.

    Attributes:
        topic: a stable word: `python`, `speech`, `gpu`, …
        state: `ok`; `note`: works with a limit; `missing`: something cannot be done.
        message: what was found. remedy: what to do; empty when nothing needs to be done.
        needed_to_speak: a `missing` here means that no speech can be made at all.
    """

    topic: str
    state: State
    message: str
    remedy: str = ""
    needed_to_speak: bool = False

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def examine(paths: Paths, *, server: str = "", key: str = "") -> Iterator[Finding]:
    """The findings, one by one as they are made; a check that fails is itself a finding.

    Args:
        server: name or address of the only server that is asked; "" asks every one.
        key: of that server, or of the only one that is kept; it goes before a kept key, and to no other server.
    """
    for topic, check in _CHECKS:
        try:
            yield from _servers(paths, server, key) if check is _servers else check(paths)
        except SpeechError as error:
            yield Finding(topic, "missing", error.message, error.remedy, topic in _NEEDED)
        except Exception as error:
            yield Finding(
                topic,
                "missing",
                f"This could not be examined ({type(error).__name__}: {error}).",
                "Install the studio again.",
                topic in _NEEDED,
            )


def report_text(findings: list[Finding], paths: Paths) -> str:
    """The findings as text to hand on: without the person's folders, names of this machine and of servers."""
    from app.settings import Settings

    marks = {"ok": "ok     ", "note": "note   ", "missing": "MISSING"}
    lines = [f"Moss Voice Studio, {time.strftime('%Y-%m-%d')}"]
    lines += [
        f"{marks[finding.state]}  {finding.topic}: {finding.message}"
        + (f" -> {finding.remedy}" if finding.remedy else "")
        for finding in findings
    ]
    text = "\n".join(lines)
    settings = Settings.load(paths)
    named = settings.models
    own = [Path(folder).expanduser() for folder in (named.folder, *named.earlier, *named.folders) if folder]
    for folder in (paths.cache, paths.models, paths.logs, paths.profile, *own):
        text = text.replace(
            str(folder), f"<{folder.name if folder in (paths.cache, paths.models, paths.logs) else 'folder'}>"
        )
    for number, server in enumerate(settings.servers, 1):
        text = text.replace(server.address, f"server {number}") if server.address else text
        text = text.replace(f"“{server.name}”", f"“server {number}”")
        if len(server.name) > 2:
            text = re.sub(rf"(?<!\w){re.escape(server.name)}(?!\w)", f"server {number}", text)
    return without_personal(text)


def without_personal(text: str) -> str:
    """A text without home folders, user and host names, and keys in addresses."""
    home = str(Path.home())
    text = text.replace(home, "~").replace(home.replace("\\", "/"), "~")
    text = re.sub(r"(?i)([A-Z]:\\Users\\|/home/|/Users/)[^\\/\s:]+", r"\1…", text)
    for name in {_user_name(), platform.node(), platform.node().partition(".")[0]}:
        if len(name) > 2:
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "…", text)
    return re.sub(r"(https?://)[^\s/“”]+", r"\1…", text)


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


def can_speak(findings: list[Finding]) -> bool:
    return not any(finding.state == "missing" and finding.needed_to_speak for finding in findings)


def _python(paths: Paths) -> Iterator[Finding]:
    yield Finding("python", "ok", f"Python {platform.python_version()} on {platform.system()} {platform.machine()}")


def _torch(paths: Paths) -> Iterator[Finding]:
    import torch

    yield Finding("torch", "ok", f"torch {torch.__version__}")


def _starter(paths: Paths) -> Iterator[Finding]:
    from engine import find_layout, read_card

    layout = find_layout(starter())
    card = read_card(starter())
    assert card is not None, "the layout has a card"
    weights = [folder / "model.safetensors" for folder in (layout.model, layout.codec)]
    gone = [str(path) for path in (*weights, *(voice.path for voice in card.voices)) if not path.is_file()]
    if gone:
        yield Finding(
            "starter", "missing", f"The starter model lacks {', '.join(gone)}.", "Install the studio again.", True
        )
    else:
        yield Finding("starter", "ok", f"The starter model and its {len(card.voices)} voices are there.")


def _memory(paths: Paths) -> Iterator[Finding]:
    import psutil

    memory = psutil.virtual_memory()
    free_gb, total_gb = memory.available / 2**30, memory.total / 2**30
    message = f"{total_gb:.1f} GB of memory, {free_gb:.1f} GB of it free."
    if free_gb < STARTER_NEEDS_GB:
        yield Finding(
            "memory", "note", message, f"The starter takes up to {STARTER_NEEDS_GB} GB: close other programs."
        )
    else:
        yield Finding("memory", "ok", message)


def _processor(paths: Paths) -> Iterator[Finding]:
    from engine import usable_cores

    cores = usable_cores()
    if cores == 1:
        yield Finding("processor", "note", "One processor core.", "Speech may be slower than it is played.")
    else:
        yield Finding("processor", "ok", f"{cores} processor cores.")
    if importlib.util.find_spec("numba") is None:
        yield Finding(
            "processor", "note", "numba is not installed: speech is made several times slower.", "pip install numba"
        )


def _gpu(paths: Paths) -> Iterator[Finding]:
    import torch

    from engine import card_reports, cuda_works

    if cuda_works():
        for card in card_reports():
            name = f"GPU {card.device}: {card.name}, {card.memory_gb:.1f} GB"
            if not card.plan:
                yield Finding("gpu", "note", f"{name}: too small for the full-size model.", card.limits)
            elif card.limits:
                limits = f"Given up for it: {card.limits}."
                yield Finding("gpu", "note", f"{name}: runs the full-size model: {card.plan}.", limits)
            else:
                yield Finding("gpu", "ok", f"{name}: runs the full-size model: {card.plan}.")
    elif torch.cuda.is_available():
        yield Finding(
            "gpu", "missing", "The GPU is too old or too new for this build of torch.", "Install a build made for it."
        )
    elif shutil.which("nvidia-smi"):
        yield Finding(
            "gpu",
            "missing",
            "There is an NVIDIA driver, but this torch is built for the CPU.",
            "Install torch with CUDA.",
        )
    else:
        yield Finding(
            "gpu", "note", "No CUDA GPU: the starter speaks on the processor.", "Use a speech server for larger models."
        )


def _codecs(paths: Paths) -> Iterator[Finding]:
    import soundfile

    missing = [name for name in ("WAV", "FLAC", "OGG", "MP3") if name not in soundfile.available_formats()]
    if missing:
        yield Finding(
            "formats", "note", f"libsndfile does not write {', '.join(missing)}.", "Update the soundfile package."
        )
    else:
        yield Finding("formats", "ok", "wav, flac, mp3, ogg and opus can be written.")
    try:
        importlib.import_module("av")
        yield Finding("formats", "ok", "m4a and video files can be read.")
    except ImportError as error:
        yield Finding("formats", "note", f"m4a and video files cannot be read ({error}).", "pip install av")


def _sound(paths: Paths) -> Iterator[Finding]:
    try:
        sounddevice = importlib.import_module("sounddevice")
    except (ImportError, OSError) as error:
        yield Finding("sound", "missing", f"Nothing can be played ({error}).", "Install PortAudio (libportaudio2).")
        return
    known = list(sounddevice.query_devices())
    outputs = [device["name"] for device in known if device["max_output_channels"] > 0]
    if not any(device["max_input_channels"] > 0 for device in known):
        yield Finding("sound", "note", "There is no microphone.", "Voices can be made from files.")
    if outputs:
        yield Finding("sound", "ok", f"{len(outputs)} devices to play through.")
    else:
        yield Finding("sound", "note", "There is no device to play through.", "Files can be made all the same.")


def _window(paths: Paths) -> Iterator[Finding]:
    try:
        importlib.import_module("PySide6.QtWidgets")
    except ImportError as error:
        remedy = "Install PySide6-Essentials and the system's libegl1, libgl1, libxkbcommon0 and libxcb-cursor0."
        yield Finding("window", "missing", f"The window cannot open ({error}).", remedy)
        return
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")):
        yield Finding("window", "note", "There is no display.", "Use the commands, or log in to a desktop.")
    else:
        yield Finding("window", "ok", "The window can open.")


def _servers(paths: Paths, wanted: str = "", given_key: str = "") -> Iterator[Finding]:
    from app.services.model_sources import spec_of
    from app.services.server_keys import KEY_VARIABLE, ServerKeys
    from app.settings import Settings
    from engine import inspect_server

    settings, keys = Settings.load(paths), ServerKeys()
    if settings.notice:
        yield Finding("settings", "note", settings.notice)
    servers = [each for each in settings.servers if not wanted or wanted in (each.id, each.name, each.address)]
    if wanted and not servers:
        names = ", ".join(each.name or each.address for each in settings.servers) or "none"
        yield Finding("servers", "missing", f"There is no server “{wanted}”.", f"Kept are: {names}.")
    if given_key and len(servers) > 1:
        # It is one server's key: to show it to the others would give it away.
        message = f"{KEY_VARIABLE} is not used: {len(servers)} servers are kept, and it is the key of one."
        yield Finding("servers", "note", message, "Name the server with --server.")
    for server in servers:
        try:
            kept = given_key if given_key and len(servers) == 1 else keys.get(server.id)
            spec = replace(spec_of(server, kept, settings), connect_timeout_s=3.0, attempts=1)
            report = inspect_server(spec)
        except SpeechError as error:
            yield Finding("servers", "note", error.message, error.remedy)
        else:
            yield Finding("servers", "ok", f"“{spec.shown}” answers ({report.kind}).")
    if servers and keys.notice:
        yield Finding("servers", "note", keys.notice)


def _driver(paths: Paths) -> Iterator[Finding]:
    """What NVIDIA's own tool says, where it is there."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return
    question = [tool, "--query-gpu=driver_version,memory.free", "--format=csv,noheader"]
    try:
        said = subprocess.run(question, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError) as error:
        yield Finding(
            "driver", "missing", f"The NVIDIA driver does not answer ({type(error).__name__}).", "Install it again."
        )
        return
    for index, line in enumerate(said.splitlines()):
        version, _, free = line.partition(",")
        yield Finding("driver", "ok", f"GPU {index}: driver {version.strip()}, {free.strip()} free.")


def _folders(paths: Paths) -> Iterator[Finding]:
    from app.services.models import Models

    for name, folder in (("profile", paths.profile), ("models", Models(paths).root), ("cache", paths.cache)):
        there = _existing(folder)
        free_gb = shutil.disk_usage(there).free / 2**30
        if not there.is_dir() or not os.access(there, os.W_OK):
            remedy = "Choose another under Models & Servers." if name == "models" else "Choose another with --profile."
            yield Finding("folders", "missing", f"{folder} may not be written.", remedy)
        elif free_gb < SMALLEST_FREE_GB:
            yield Finding("folders", "note", f"{name}: only {free_gb:.1f} GB are free at {folder}.", "Free some space.")
        else:
            yield Finding("folders", "ok", f"{name}: {folder} ({free_gb:.0f} GB free)")


def _existing(folder: Path) -> Path:
    return next(parent for parent in (folder, *folder.parents) if parent.exists())


def _models(paths: Paths) -> Iterator[Finding]:
    from app.services.model_choice import installed_models
    from app.services.models import Models

    for row in Models(paths).rows():
        if row.state == "damaged":
            yield Finding(
                "models", "missing", f"“{row.name}” is damaged: {row.fault}", "Open Models and repair or forget it."
            )
        elif row.state == "partial":
            yield Finding(
                "models", "note", f"The download of “{row.name}” is not finished.", "Go on with it under Models."
            )
    names = list(installed_models(paths))
    if len(names) == 1:
        yield Finding(
            "models",
            "note",
            "Only the starter is installed: it knows five voices.",
            "The full-size model clones any voice.",
        )
    else:
        yield Finding("models", "ok", f"Installed: {', '.join(names)}.")


_NEEDED = frozenset({"python", "torch", "starter"})
_CHECKS: tuple[tuple[str, Callable[[Paths], Iterator[Finding]]], ...] = (
    ("python", _python),
    ("torch", _torch),
    ("starter", _starter),
    ("processor", _processor),
    ("memory", _memory),
    ("gpu", _gpu),
    ("driver", _driver),
    ("models", _models),
    ("servers", _servers),
    ("formats", _codecs),
    ("sound", _sound),
    ("window", _window),
    ("folders", _folders),
)
