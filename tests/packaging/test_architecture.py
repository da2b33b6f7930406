"""What holds the house together and cannot be seen in one file: imports, sizes, and what code may never do."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOP_LEVEL = {"app", "engine", "resources", "tests", "packaging", "pyproject.toml", "README.md", "LICENSE"}
SOURCES = sorted(path for folder in ("app", "engine", "packaging") for path in (ROOT / folder).rglob("*.py"))

# Whoever opens a file that somebody sent must not run what is in it.
FORBIDDEN_MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
FORBIDDEN_CALLS = {"eval", "exec", "os.system", "os.popen", "torch.load", "yaml.load", "subprocess.getoutput"}
ONLY_FALSE = {"shell", "trust_remote_code", "allow_pickle"}


def faults_of(source: str) -> list[str]:
    """What `source` does that no file of the product may do."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [each.name for each in node.names if each.name.split(".")[0] in FORBIDDEN_MODULES]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in FORBIDDEN_MODULES:
            found.append(str(node.module))
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in FORBIDDEN_CALLS:
                found.append(name)
            for keyword in node.keywords:
                harmless = isinstance(keyword.value, ast.Constant) and keyword.value.value is False
                if keyword.arg in ONLY_FALSE and not harmless:
                    found.append(f"{keyword.arg}={ast.unparse(keyword.value)}")
    return found


def test_imports_point_one_way() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and " 0 broken" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_runs_what_it_reads(path: Path) -> None:
    assert faults_of(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from dill import loads",
        "eval(text)",
        "torch.load(path)",
        "subprocess.run(command, shell=True)",
        "load(path, trust_remote_code=given)",
        "np.load(path, allow_pickle=True)",
    ],
)
def test_the_search_for_what_is_forbidden_finds_it(source: str) -> None:
    assert faults_of(source)


def test_what_ships_with_the_studio_stays_small() -> None:
    size = sum(path.stat().st_size for path in (ROOT / "resources").rglob("*") if path.is_file())
    assert size < 80_000_000


def test_a_file_holds_one_idea() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in SOURCES
        if (lines := len(path.read_text("utf-8").splitlines())) > 600
    }
    assert long == {}


def test_the_top_level_is_as_it_was_laid_out() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is no git checkout")
    tops = {name.split("/")[0] for name in listed.stdout.split("\0") if name}
    assert {top for top in tops if not top.startswith(".")} == TOP_LEVEL
