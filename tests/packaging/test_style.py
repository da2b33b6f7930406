"""The tree has no mistake that can be seen without running it, and one layout."""

import subprocess
import sys
from pathlib import Path

import pytest

_TOP = Path(__file__).parents[2]


@pytest.mark.parametrize("arguments", [("check", "--output-format", "concise"), ("format", "--check")])
def test_the_tree_is_clean(arguments):
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *arguments, "--no-cache", "."], cwd=_TOP, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
