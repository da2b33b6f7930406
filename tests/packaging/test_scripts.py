"""The scripts that set up and start: a fake interpreter tells what they ask for."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ("packaging/setup.sh", "packaging/run.sh", "packaging/test.sh", "packaging/linux/install.sh", ".ci/run")
LINUX = (
    "packaging/linux/moss-voice-studio.desktop",
    "packaging/linux/moss-voice-studio.xml",
    "resources/icons/studio.svg",
)
BASH = shutil.which("bash")

pytestmark = pytest.mark.skipif(BASH is None, reason="the scripts need bash")

# It writes down what it is asked for. `-m venv` makes an environment of itself; a file named `break-WORD` makes WORD fail.
_INTERPRETER = """#!/usr/bin/env bash
printf '%s\\n' "$*" >> "$FAKE_LOG"
for word in "$@"; do [ ! -e "$(dirname "$FAKE_LOG")/break-$word" ] || exit 9; done
case "$*" in
    "-m venv"*) place=${@: -1}; mkdir -p "$place/bin"; cp "$0" "$place/bin/python"; touch "$place/pyvenv.cfg" ;;
    "-m pytest"*) exit "${FAKE_STATUS:-0}" ;;
    "-P -m app.cli --profile"*) ;;
    "-P -m app.cli"*) echo "started"; exit "${FAKE_STATUS:-0}" ;;
esac
"""


class Checkout:
    """What the scripts need of a checkout, with an interpreter that only writes down."""

    def __init__(self, folder: Path) -> None:
        self.top = folder / "my studio"
        self.log = folder / "log"
        for name in (*SCRIPTS, *LINUX, "packaging/constraints.txt", "pyproject.toml", "engine/lm/kernels.py"):
            (self.top / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, self.top / name)
        self.interpreter = folder / "python"
        self.interpreter.write_text(_INTERPRETER)
        self.interpreter.chmod(0o755)
        self.folder = folder

    def run(self, script: Path, *args: str, **environment: str) -> subprocess.CompletedProcess[str]:
        self.log.write_text("")
        plain = {name: value for name, value in os.environ.items() if not name.startswith("MOSS_")}
        given = {"FAKE_LOG": str(self.log), "MOSS_PYTHON": str(self.interpreter), "MOSS_NO_SYSTEM": "1", **environment}
        return subprocess.run(
            [str(script), *args], capture_output=True, text=True, cwd=self.folder, env={**plain, **given}, timeout=60
        )

    def start(self, *args: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return self.run(self.top / "packaging" / "run.sh", *args, **environment)

    @property
    def asked(self) -> list[str]:
        """What the interpreter was asked for in the last run."""
        return self.log.read_text().splitlines()

    def installs(self) -> list[str]:
        return [line for line in self.asked if line.startswith("-m pip install")]

    def compiles(self) -> list[str]:
        return [line for line in self.asked if line.startswith("-P -m app.cli --profile")]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_are_programs_that_bash_can_read(script: str) -> None:
    subprocess.run([str(BASH), "-n", str(ROOT / script)], check=True)
    assert script == "packaging/setup.sh" or os.access(ROOT / script, os.X_OK)


def test_the_first_start_sets_up_and_the_second_only_starts(checkout: Checkout) -> None:
    first = checkout.start("say", "two words")
    assert first.returncode == 0, first.stderr
    assert first.stdout == "started\n", "standard output belongs to the command"
    assert len(checkout.installs()) == 1 and len(checkout.compiles()) == 1
    second = checkout.start("say", "two words")
    assert second.returncode == 0 and second.stderr == ""
    assert checkout.asked == ["-P -m app.cli say two words"]


def test_a_set_up_that_failed_says_so_and_the_next_start_mends_it(checkout: Checkout) -> None:
    (checkout.folder / "break-install").touch()
    failed = checkout.start("doctor")
    assert failed.returncode == 4 and "Run this again" in failed.stderr and failed.stdout == ""
    (checkout.folder / "break-install").unlink()
    mended = checkout.start("doctor")
    assert mended.returncode == 0 and mended.stdout == "started\n"
    assert checkout.installs()


def test_a_place_that_cannot_be_written_is_named_with_what_to_do(checkout: Checkout) -> None:
    (checkout.folder / "file").touch()
    refused = checkout.start("doctor", MOSS_VENV=str(checkout.folder / "file" / "venv"))
    assert refused.returncode == 4 and refused.stdout == "" and "Set MOSS_VENV" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


def test_an_environment_that_was_cut_off_in_the_making_is_made_anew(checkout: Checkout) -> None:
    (checkout.top / ".venv" / "bin").mkdir(parents=True)
    (checkout.top / ".venv" / "pyvenv.cfg").touch()
    assert checkout.start("doctor").returncode == 0
    assert any(line.startswith("-m venv --clear") for line in checkout.asked)


def test_a_folder_that_is_no_environment_is_never_emptied(checkout: Checkout) -> None:
    (checkout.folder / "mine").mkdir()
    (checkout.folder / "mine" / "thesis.txt").write_text("all of it")
    assert checkout.start("doctor", MOSS_VENV="mine").returncode == 0
    assert not any("--clear" in line for line in checkout.asked)
    assert (checkout.folder / "mine" / "thesis.txt").read_text() == "all of it"


def test_a_package_that_was_cut_off_is_installed_again(checkout: Checkout) -> None:
    packages = checkout.top / ".venv" / "lib" / "python3.11" / "site-packages"
    for name, whole in (("whole", True), ("half", False)):
        (packages / f"{name}-1.0.dist-info").mkdir(parents=True)
        if whole:
            (packages / f"{name}-1.0.dist-info" / "RECORD").touch()
    assert checkout.start("doctor").returncode == 0
    assert [path.name for path in packages.iterdir()] == ["whole-1.0.dist-info"]


@pytest.mark.parametrize("file", ["pyproject.toml", "packaging/constraints.txt"])
def test_other_requirements_are_installed_once(checkout: Checkout, file: str) -> None:
    checkout.start("doctor")
    with (checkout.top / file).open("a") as out:
        out.write("# another\n")
    checkout.start("doctor")
    assert len(checkout.installs()) == 1
    checkout.start("doctor")
    assert checkout.installs() == []


def test_other_kernels_are_compiled_once(checkout: Checkout) -> None:
    checkout.start("doctor")
    with (checkout.top / "engine/lm/kernels.py").open("a") as out:
        out.write("# another\n")
    checkout.start("doctor")
    assert len(checkout.compiles()) == 1 and checkout.installs() == []
    checkout.start("doctor")
    assert checkout.compiles() == []


def test_another_checkout_does_not_run_in_an_environment_that_is_bound_to_this_one(
    checkout: Checkout, tmp_path: Path
) -> None:
    shared = str(tmp_path / "shared")
    checkout.start("doctor", MOSS_VENV=shared)
    (tmp_path / "elsewhere").mkdir()
    other = Checkout(tmp_path / "elsewhere")
    other.start("doctor", MOSS_VENV=shared)
    assert any(f"-e {other.top}" in line for line in other.installs())


def test_a_link_from_another_folder_starts_the_checkout(checkout: Checkout) -> None:
    link = checkout.folder / "moss"
    link.symlink_to(checkout.top / "packaging" / "run.sh")
    started = checkout.run(link, "doctor")
    assert started.returncode == 0, started.stderr
    assert (checkout.top / ".venv" / "pyvenv.cfg").exists()


def test_the_exit_status_is_the_commands(checkout: Checkout) -> None:
    assert checkout.start("doctor", FAKE_STATUS="5").returncode == 5
    assert checkout.run(checkout.top / "packaging" / "test.sh", FAKE_STATUS="3").returncode == 3
    assert checkout.run(checkout.top / ".ci" / "run", FAKE_STATUS="1").returncode == 1


def test_tests_run_without_the_long_ones_unless_full_is_asked_for(checkout: Checkout) -> None:
    script = checkout.top / "packaging" / "test.sh"
    assert checkout.run(script, "-x", "tests/engine").returncode == 0
    assert checkout.asked[-1] == "-m pytest -m not full -x tests/engine"
    assert "[test]" in checkout.installs()[0]
    assert checkout.run(script, "--full", "-x").returncode == 0
    assert checkout.asked[-1] == "-m pytest -x"
    assert "[test,quality]" in checkout.installs()[0]


def test_the_studio_starts_at_once_where_the_tests_ran(checkout: Checkout) -> None:
    checkout.run(checkout.top / "packaging" / "test.sh")
    assert checkout.start("doctor").returncode == 0
    assert checkout.installs() == []
    checkout.run(checkout.top / "packaging" / "test.sh")
    assert checkout.installs() == []


def test_without_a_python_that_serves_it_says_what_to_install(checkout: Checkout, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in "bash env dirname readlink cat cksum tr grep mkdir flock mv rm sort mktemp".split():
        if (found := shutil.which(name)) is not None:
            (tools / name).symlink_to(found)
    result = checkout.start("doctor", PATH=str(tools), MOSS_PYTHON="")
    assert result.returncode == 4
    assert "Python 3.11 or newer is needed" in result.stderr


def test_without_the_right_to_install_it_names_what_is_missing_once(checkout: Checkout, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, does in {
        "dpkg-query": "echo libegl1 installed",
        "apt-get": 'touch "$(dirname "$FAKE_LOG")/apt-was-called"',
        "id": "echo 1000",
        "sudo": "exit 1",
    }.items():
        (tools / name).write_text(f"#!/usr/bin/env bash\n{does}\n")
        (tools / name).chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    first = checkout.start("doctor", PATH=path, MOSS_NO_SYSTEM="")
    assert first.returncode == 0 and first.stdout == "started\n"
    assert "apt-get install libgl1 " in first.stderr and "libegl1" not in first.stderr
    assert not (tmp_path / "apt-was-called").exists()
    assert "apt-get" not in checkout.start("doctor", PATH=path, MOSS_NO_SYSTEM="").stderr


def test_the_studio_goes_into_the_menu_of_programs_and_out_again(checkout: Checkout) -> None:
    script, data = checkout.top / "packaging" / "linux" / "install.sh", checkout.folder / "data"
    done = checkout.run(script, XDG_DATA_HOME=str(data))
    assert done.returncode == 0, done.stderr
    entry = (data / "applications" / "moss-voice-studio.desktop").read_text("utf-8")
    assert f'Exec="{checkout.top}/packaging/run.sh" %f\n' in entry
    assert (data / "icons/hicolor/scalable/apps/moss-voice-studio.svg").exists()
    assert checkout.run(script, "--remove", XDG_DATA_HOME=str(data)).returncode == 0
    assert not [path for path in data.rglob("moss-voice-studio*") if path.is_file()]
