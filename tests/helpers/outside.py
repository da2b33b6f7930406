"""Programs that are not ours, which look at exported files from outside."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

needs_ffmpeg = pytest.mark.skipif(
    not (shutil.which("ffmpeg") and shutil.which("ffprobe")),
    reason="ffmpeg is not installed (packaging/test.sh installs it)",
)
needs_sox = pytest.mark.skipif(not shutil.which("soxi"), reason="sox is not installed (packaging/test.sh installs it)")


def probe(path: Path) -> dict:
    told = subprocess.run(
        ["ffprobe", "-v", "error", "-show_format", "-show_streams", "-show_chapters", "-of", "json", path],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(told.stdout)


def decode(path: Path, channels: int = 2, rate: int = 48_000) -> np.ndarray:
    told = subprocess.run(
        [
            "ffmpeg",
            "-v",
            "error",
            "-i",
            path,
            "-map",
            "0:a",
            "-f",
            "f32le",
            "-ac",
            str(channels),
            "-ar",
            str(rate),
            "-",
        ],
        capture_output=True,
        check=True,
    )
    return np.frombuffer(told.stdout, "<f4").reshape(-1, channels)


def loudness(path: Path) -> tuple[float, float]:
    """(integrated LUFS, true peak dBTP)."""
    told = subprocess.run(
        [
            "ffmpeg",
            "-hide_banner",
            "-nostats",
            "-i",
            path,
            "-map",
            "0:a",
            "-af",
            "ebur128=peak=true",
            "-f",
            "null",
            "-",
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    summary = told[told.rindex("Summary:") :]
    return (
        float(re.search(r"I:\s+(\S+) LUFS", summary).group(1)),
        float(re.search(r"True peak:\s+Peak:\s+(\S+) dBFS", summary).group(1)),
    )


def soxi(option: str, path: Path) -> str:
    return subprocess.run(["soxi", option, path], capture_output=True, text=True, check=True).stdout.strip()
