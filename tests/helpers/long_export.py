"""Exports hours of made-up speech and tells the time it took and the memory it needed.

Run as a program: `long_export.py FOLDER HOURS KIND [LOUDNESS]`; prints JSON.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import psutil
from made_projects import RATE, plan, voiced

from app.model.block import Block
from app.model.project import Project
from app.model.take import PieceAudio, Take
from app.services.exporter import export
from app.services.exporter_formats import AudioFormat, kind_for
from app.services.exporter_request import ExportRequest, Progress
from app.services.loudness import target_for

TAKE_S = 10.0


def main(folder: Path, hours: float, kind: str, loudness: str | None) -> None:
    audio = [voiced(TAKE_S - 0.5, seed=seed, level=0.12) for seed in range(4)]
    blocks, takes = [], []
    for number in range(int(hours * 3600 / TAKE_S)):
        text = f"# Chapter {number}" if number % 300 == 0 else f"Line number {number} is here."
        pieces = (PieceAudio(0, round(TAKE_S * RATE), 0),)
        take = Take(block_id=f"b{number}", text=text, state="done", seconds=TAKE_S, pieces=pieces, id=f"t{number}")
        takes.append(take)
        blocks.append(Block(id=take.block_id, text=text, takes=(take.id,), chosen=take.id))
    project = Project(blocks, takes=takes)
    process = psutil.Process()
    most = [0, process.memory_info().rss]

    def look(progress: Progress) -> None:
        most[0] = max(most[0], process.memory_info().rss)

    started_s, cpu_s = time.monotonic(), time.process_time()
    out = folder / f"long.{kind}"
    request = ExportRequest(out, AudioFormat(kind_for(out), 16, kbps=96), loudness=target_for(loudness))
    report = export(
        project, request, lambda take_id, start, n: audio[int(take_id[1:]) % 4][start : start + n], plan, progress=look
    )
    told = {
        "seconds": report.files[0].seconds,
        "took_s": round(time.monotonic() - started_s, 1),
        "cpu_s": round(time.process_time() - cpu_s, 1),
        "most_mb": round(most[0] / 1e6),
        "grew_mb": round((most[0] - most[1]) / 1e6),
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3], sys.argv[4] if len(sys.argv) > 4 else None)
