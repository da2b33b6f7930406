"""Kills exports at random instants and looks at what is there under the names that were asked for.

Run as a program: `export_rounds.py FOLDER KILLS SEED`. Exit status 1 and a message when a file is not complete.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import sys
import time
from pathlib import Path

from made_projects import plan, studio

from app.services.exporter import export
from app.services.exporter_formats import AudioFormat
from app.services.exporter_request import ExportRequest
from app.services.loudness import target_for

LINES = ["# One", "First line.", "Second line. [pause 0.4s] More.", "# Two", "Third line."]
KINDS = ("wav", "flac", "mp3", "m4b")


def write_all(made, folder: Path) -> None:
    subtitles = frozenset({"srt", "vtt", "json"})
    for kind in KINDS:
        audio = AudioFormat(kind, 16)
        export(made.project, ExportRequest(folder / f"{kind}-file.{kind}", audio, subtitles=subtitles), made.read, plan)
    request = ExportRequest(folder / "parts", AudioFormat("flac"), split="chapter", loudness=target_for("-16"))
    export(made.project, request, made.read, plan)


def contents(folder: Path) -> dict[str, str]:
    """Name to hash of every file that is not a temporary one."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(".moss-part")
    }


def main(folder: Path, kills: int, seed: int) -> int:
    chance = random.Random(seed)
    made = studio(LINES, seconds=0.6)
    started_s = time.monotonic()
    write_all(made, folder / "good")
    took_s = time.monotonic() - started_s
    good = contents(folder / "good")
    seen: set[str] = set()
    for number in range(kills):
        target = folder / f"round{number % 4}"
        child = os.fork()
        if child == 0:
            for path in list(target.rglob("*")) if target.exists() else []:
                if path.is_file():
                    path.unlink()
            write_all(made, target)
            os._exit(0)
        time.sleep(chance.uniform(0.0, took_s * 1.1))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        found = contents(target) if target.exists() else {}
        seen |= set(found)
        for name, digest in found.items():
            # The JSON names no time and no place, so every file has exactly one right content.
            if good.get(name) != digest:
                print(f"kill {number}: {name} is not complete", file=sys.stderr)
                return 1
    write_all(made, folder / "round0")
    if contents(folder / "round0") != good or list((folder / "round0").rglob("*.moss-part")):
        print("an export after a killed one is not whole, or left something behind", file=sys.stderr)
        return 1
    print(json.dumps({"kills": kills, "files": len(good), "seen": len(seen)}))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
