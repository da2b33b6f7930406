"""Ten hours are exported with no more memory than ten minutes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
AAC_FRAME = 1024  # samples
TABLE_BYTES = 80  # of a frame's entry, written (56) and read back (24)


def run(folder: Path, *options: str) -> dict:
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests" / "helpers")])
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "helpers" / "long_export.py"), str(folder), *options],
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": path},
        timeout=3_600,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.full
@pytest.mark.timeout(3_700)
@pytest.mark.parametrize(("kind", "loudness"), [("wav", "off"), ("m4b", "-18")])
def test_ten_hours_need_no_more_memory_than_ten_minutes(kind: str, loudness: str, tmp_path: Path) -> None:
    short = run(tmp_path, "0.17", kind, loudness)
    long = run(tmp_path, "10", kind, loudness)
    print(short, long)
    assert long["seconds"] > 35_000
    # An MP4 ends with a table of all its frames, which its writer keeps and its reader reads: that alone grows.
    table_mb = (long["seconds"] - short["seconds"]) * 48_000 / AAC_FRAME * TABLE_BYTES / 1e6 if kind == "m4b" else 0
    assert long["grew_mb"] < short["grew_mb"] + table_mb + 60
