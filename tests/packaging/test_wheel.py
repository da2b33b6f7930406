"""The built wheel, installed where nothing of the checkout is, speaks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import numpy as np
import pytest
import soundfile

pytest.importorskip("hatchling")

ROOT = Path(__file__).resolve().parents[2]


def run(*command: object, cwd: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "MOSS_"))}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    # Without isolation the builder of the tests' environment serves: nothing is downloaded.
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "--wheel-dir", folder]
    run(sys.executable, "-m", "pip", "wheel", *options, ROOT, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that holds the wheel; its dependencies are lent by the environment of the tests.

    A folder that a .pth names is searched, but its own .pth files are not read: the checkout stays out of reach.
    """
    place = tmp_path_factory.mktemp("empty")
    run(sys.executable, "-m", "venv", "--without-pip", place / "venv", cwd=place)
    python = place / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=place).strip())
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--disable-pip-version-check"]
    run(*pip, "--no-deps", wheel, cwd=place)
    (site / "lent.pth").write_text(sysconfig.get_path("purelib"), "utf-8")
    return python


def kept_by_git(folder: str) -> set[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", folder], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    if listed.returncode:
        pytest.skip("this is no git checkout")
    return {name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()}


@pytest.mark.parametrize("folder", ["app", "engine", "resources"])
def test_the_wheel_holds_everything_that_is_kept(wheel: Path, folder: str) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    kept = kept_by_git(folder)
    assert kept and kept <= inside, sorted(kept - inside)


def test_the_wheel_holds_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
        information = next(top for top in tops if top.endswith(".dist-info"))
        assert tops == {"app", "engine", "resources", information}
        assert not [name for name in archive.namelist() if name.endswith((".pyc", ".nbc", ".nbi"))]
        assert any(name.startswith(information) and name.endswith("/LICENSE") for name in archive.namelist())


def test_the_installed_wheel_speaks(installed: Path, tmp_path: Path) -> None:
    said = run(
        installed, "-P", "-m", "app.cli", "--profile", tmp_path / "profile",
        "say", "Good morning, and welcome.", "--voice", "Gon", "-o", tmp_path / "hello.wav", "--json",
        cwd=tmp_path,
    )  # fmt: skip
    figures = json.loads(said)
    samples, rate = soundfile.read(tmp_path / "hello.wav")
    assert rate == 48_000 and samples.shape[1] == 2
    assert figures["stop_reason"] == "stop" and figures["voice"] == "Gon"
    assert abs(len(samples) / rate - figures["seconds"]) < 0.01
    assert np.abs(samples).max() > 0.05


def test_the_installed_wheel_takes_all_from_itself(installed: Path, tmp_path: Path) -> None:
    program = """
import json, sys
import app.main, app.cli, engine, resources
from app.paths import resource, starter
modules = [module for module in sys.modules.values() if getattr(module, "__file__", None)]
print(json.dumps({
    "ours": sorted({m.__file__ for m in modules if m.__name__.split(".")[0] in ("app", "engine", "resources")}),
    "all": sorted({m.__file__ for m in modules}),
    "starter": str(starter()),
    "there": [resource(*name.split("/")).exists() for name in NAMES],
}))
""".replace(
        "NAMES",
        repr(
            [
                "starter/model/model.safetensors",
                "starter/codec/model.safetensors",
                "starter/voices/voices.json",
                "starter/card.json",
                "icons/studio.svg",
                "themes/dark.json",
                "themes/studio.qss",
                "translations/studio_zh_CN.qm",
                "samples/welcome.json",
            ]
        ),
    )
    found = json.loads(run(installed, "-P", "-c", program, cwd=tmp_path))
    place = str(installed.parent.parent)
    assert all(file.startswith(place) for file in found["ours"]), found["ours"]
    assert not [file for file in found["all"] if Path(file).parent.is_relative_to(ROOT / "tests")]
    assert found["starter"].startswith(place)
    assert all(found["there"]), found["there"]
