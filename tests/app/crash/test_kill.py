"""A project that is killed at any instant loses nothing that was acknowledged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROUNDS = Path(__file__).with_name("rounds.py")
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the rounds fork their workers")


def run_rounds(folder: Path, kills: int, seed: int) -> dict:
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run(
        [sys.executable, str(ROUNDS), str(folder), str(kills), str(seed)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=280 if kills < 100 else 1_500,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_forty_kills_lose_nothing_acknowledged(tmp_path: Path) -> None:
    report = run_rounds(tmp_path, 40, 1)
    print(report)
    assert report["kills"] == 40


@pytest.mark.full
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("seed", range(2, 7))
def test_five_hundred_kills_lose_nothing_acknowledged(tmp_path: Path, seed: int) -> None:
    print(run_rounds(tmp_path, 100, seed))
