"""An export that is killed leaves nothing incomplete under the name that was asked for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the rounds fork their workers")
ROUNDS = Path(__file__).with_name("export_rounds.py")


def run_rounds(folder: Path, kills: int, seed: int) -> dict:
    root = Path(__file__).parents[3]
    path = os.pathsep.join([str(root), str(root / "tests" / "helpers")])
    done = subprocess.run(
        [sys.executable, str(ROUNDS), str(folder), str(kills), str(seed)],
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": path},
        timeout=280 if kills < 100 else 1_500,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_killed_exports_leave_no_incomplete_file(tmp_path: Path) -> None:
    report = run_rounds(tmp_path, 8, 1)
    assert report["seen"] > 0


@pytest.mark.full
@pytest.mark.timeout(1_800)
def test_many_killed_exports_leave_no_incomplete_file(tmp_path: Path) -> None:
    assert run_rounds(tmp_path, 200, 2)["seen"] > 0
