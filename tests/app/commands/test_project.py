"""`new` and `inspect` on the command line: what they make, what they print, how they refuse."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.cli import main
from app.model.errors import ProjectError
from app.paths import paths_for
from app.services import store_copy, store_opening
from app.services.store import ProjectStore
from app.services.store_lock import Lock
from app.settings import Settings


@pytest.fixture
def run(tmp_path: Path):
    """Run a command in a fresh profile; its exit status."""
    return lambda *words: main(["--profile", str(tmp_path / "profile"), *map(str, words)])


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.txt"
    path.write_bytes("\ufeff# One\r\nHello there, “friend”.\r\n\r\n## Scene\r\n// aside\r\nBye.\r\n".encode())
    return path


def test_new_makes_a_project_of_the_script(run, script: Path, tmp_path: Path, capsys) -> None:
    assert run("new", tmp_path / "a.mvs", "--script", script, "--voice", "Joe") == 0
    assert "5 paragraphs" in capsys.readouterr().err
    with ProjectStore.open(tmp_path / "a.mvs", paths=paths_for(tmp_path / "profile")) as store:
        texts = [block.text for block in store.project.blocks]
        assert texts == ["# One", "Hello there, “friend”.", "## Scene", "// aside", "Bye."]
        voice = store.project.voices[store.project.settings.default_voice]
        assert voice.name == "Joe" and all(store.clip(clip.sha256) for clip in voice.references)
        assert not store.history.can_undo


def test_inspect_tells_what_is_in_it_and_changes_nothing(run, script: Path, tmp_path: Path, capsys) -> None:
    run("new", tmp_path / "a.mvs", "--script", script)
    before = (tmp_path / "a.mvs").read_bytes()
    capsys.readouterr()
    assert run("inspect", tmp_path / "a.mvs", "--json") == 0
    about = json.loads(capsys.readouterr().out)
    assert about["blocks"] == {"chapter": 1, "speech": 2, "scene": 1, "note": 1}
    assert about["chapters"][0]["title"] == "One" and about["chapters"][0]["scenes"] == ["Scene"]
    assert about["voices"] == [] and about["takes"] == {} and about["seconds"] == 0
    assert run("inspect", tmp_path / "a.mvs") == 0
    assert "chapter One" in capsys.readouterr().out
    assert (tmp_path / "a.mvs").read_bytes() == before and sorted(each.suffix for each in tmp_path.iterdir()) == [
        "",
        ".mvs",
        ".txt",
    ]


def test_a_script_comes_from_standard_input_and_in_utf_16(run, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO("Grüße\n".encode("utf-16"))))
    assert run("new", tmp_path / "a", "--script", "-", "--json") == 0
    assert json.loads(capsys.readouterr().out)["characters"] == 5
    assert (tmp_path / "a.mvs").exists()


@pytest.mark.parametrize("data", [b"", b" \n\n ", b"\x00\x01\x02" * 50])
def test_a_script_that_is_none_is_refused_and_no_file_is_made(run, tmp_path: Path, capsys, data: bytes) -> None:
    (tmp_path / "script.txt").write_bytes(data)
    assert run("new", tmp_path / "a.mvs", "--script", tmp_path / "script.txt") == 3
    assert "Traceback" not in capsys.readouterr().err and not (tmp_path / "a.mvs").exists()


def test_what_cannot_be_done_is_refused_with_words(run, script: Path, tmp_path: Path, capsys) -> None:
    run("new", tmp_path / "a.mvs", "--script", script)
    assert run("new", tmp_path / "a.mvs", "--script", script) == 3
    assert run("new", tmp_path / "b.mvs", "--script", script, "--voice", "nobody") == 3
    assert run("new", tmp_path / "b.mvs", "--script", tmp_path / "none.txt") == 3
    assert run("inspect", tmp_path / "none.mvs") == 3
    assert run("inspect", script) == 3
    assert not (tmp_path / "b.mvs").exists() and "Traceback" not in capsys.readouterr().err


def test_a_script_in_an_old_encoding_is_read_and_the_guess_is_told(run, tmp_path: Path, capsys) -> None:
    text = "Das Café schließt um zehn. Über die Straße gehen müde Gäste.\n" * 20
    (tmp_path / "old.txt").write_bytes(text.encode("cp1252"))
    assert run("new", tmp_path / "a.mvs", "--script", tmp_path / "old.txt") == 0
    assert "guessed" in capsys.readouterr().err
    with ProjectStore.open(tmp_path / "a.mvs", paths=paths_for(tmp_path / "profile")) as store:
        assert "Café" in store.project.blocks[0].text and "müde Gäste" in store.project.blocks[0].text


def test_subtitles_become_lines_that_fit_their_slots(run, tmp_path: Path) -> None:
    (tmp_path / "a.srt").write_text("1\n00:00:01,000 --> 00:00:03,500\nHello there.\n", "utf-8")
    assert run("new", tmp_path / "a.mvs", "--script", tmp_path / "a.srt") == 0
    with ProjectStore.open(tmp_path / "a.mvs", paths=paths_for(tmp_path / "profile")) as store:
        block = next(block for block in store.project.blocks if "Hello there." in block.text)
        assert (block.settings.length, block.settings.target_s) == ("fit", 2.5)


def test_what_of_a_document_cannot_be_spoken_is_listed(run, tmp_path: Path, capsys) -> None:
    (tmp_path / "a.md").write_text("# One\n\nHello.\n\n![a cat](cat.png)\n\n```\ncode\n```\n", "utf-8")
    assert run("new", tmp_path / "a.mvs", "--script", tmp_path / "a.md") == 0
    told = capsys.readouterr().err
    assert "Left out: " in told and "picture" in told


def test_names_before_colons_become_voices_only_when_asked(run, tmp_path: Path, capsys) -> None:
    script = tmp_path / "a.txt"
    script.write_text("Joe: Good morning.\nAna: Hello!\nJoe: Nice day.\nAna: It is.\n", "utf-8")
    assert run("new", tmp_path / "a.mvs", "--script", script) == 0
    assert run("new", tmp_path / "b.mvs", "--script", script, "--voices-from-names") == 0
    assert "Ana" in capsys.readouterr().err
    profile = paths_for(tmp_path / "profile")
    with ProjectStore.open(tmp_path / "a.mvs", paths=profile) as store:
        assert [block.text for block in store.project.blocks][0] == "Joe: Good morning." and not store.project.voices
    with ProjectStore.open(tmp_path / "b.mvs", paths=profile) as store:
        first, second, *_ = store.project.blocks
        assert first.text == "Good morning." and store.project.voices[first.settings.voice].name == "Joe"
        assert second.text == "Ana: Hello!" and second.settings.voice is None
        assert store.project.settings.default_voice is None


def test_a_project_without_its_script_is_not_left_behind(run, script: Path, tmp_path: Path, monkeypatch) -> None:
    def full(part: Path, target: Path) -> None:
        raise ProjectError("The disk is full.")

    monkeypatch.setattr(store_copy, "settle", full)
    assert run("new", tmp_path / "a.mvs", "--script", script) == 3
    assert not list(tmp_path.glob("*.mvs*")) and not list(tmp_path.glob(".*"))
    monkeypatch.undo()
    assert run("new", tmp_path / "a.mvs", "--script", script) == 0
    whole = (tmp_path / "a.mvs").read_bytes()
    assert run("new", tmp_path / "a.mvs", "--script", script) == 3
    assert (tmp_path / "a.mvs").read_bytes() == whole


KILLS = """
import os, random, signal, sys, time
from pathlib import Path
from app.cli import main
from app.services import store
folder = Path(sys.argv[1])
words = ["--profile", str(folder / "profile"), "new", str(folder / "a.mvs"), "--script", str(folder / "long.txt")]
started_s = time.monotonic()
assert main(words) == 0
took_s = time.monotonic() - started_s
chance = random.Random(5)
left = 0
for number in range(20):
    (folder / "a.mvs").unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        os._exit(main(words))
    time.sleep(chance.uniform(0.2, 1.1) * took_s)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    left += len(list(folder.glob(".a.mvs.*.part")))
    if (folder / "a.mvs").exists():
        from app.paths import paths_for
        with store.ProjectStore.open(folder / "a.mvs", paths=paths_for(folder / "profile"), read_only=True) as made:
            assert len(made.project.blocks) == 3_000 and not made.notices, number
(folder / "a.mvs").unlink(missing_ok=True)
assert main(words) == 0
assert not list(folder.glob(".a.mvs*")), list(folder.glob(".a.mvs*"))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the rounds fork their workers")
def test_a_project_whose_making_is_killed_is_there_with_its_script_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("\n".join(f"Paragraph {number} of a long book." for number in range(3_000)))
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path(__file__).parents[3])}
    program = [sys.executable, "-c", KILLS, str(tmp_path)]
    done = subprocess.run(program, capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr[-2_000:]


def test_a_project_that_somebody_makes_meanwhile_is_left_alone(run, script: Path, tmp_path: Path, monkeypatch) -> None:
    def made_meanwhile(path: Path) -> Lock:
        path.write_bytes(b"somebody's")
        return Lock(path)

    monkeypatch.setattr(store_opening, "Lock", made_meanwhile)
    assert run("new", tmp_path / "a.mvs", "--script", script) == 3
    assert (tmp_path / "a.mvs").read_bytes() == b"somebody's" and not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("name", ["", "."])
def test_a_project_has_a_name(run, script: Path, name: str, capsys) -> None:
    assert run("new", name, "--script", script) == 3
    assert "no name" in capsys.readouterr().err


@pytest.mark.parametrize("preferred", ["exact", "natural"])
def test_new_follows_the_preference_for_pauses(run, script: Path, tmp_path: Path, preferred: str) -> None:
    paths = paths_for(tmp_path / "profile")
    Settings.load(paths).change("generation", pauses=preferred)
    assert run("new", tmp_path / "a.mvs", "--script", script) == 0
    with ProjectStore.open(tmp_path / "a.mvs", paths=paths) as store:
        assert store.project.settings.pauses_mode == preferred and not store.history.can_undo
