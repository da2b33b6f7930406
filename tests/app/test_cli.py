"""Commands: exit status, what goes to which stream, files that are valid whatever happens."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app import cli
from app.paths import starter
from app.services.saying import Saying

ROOT = Path(cli.__file__).parent.parent


@pytest.fixture
def moss(tmp_path: Path, capsys, monkeypatch) -> Callable[..., tuple[int, str, str]]:
    """Run a command in this process: exit status, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*args: str) -> tuple[int, str, str]:
        try:
            status = cli.main(["--profile", str(tmp_path / "profile"), *args])
        except SystemExit as end:
            status = int(end.code or 0)
        streams = capsys.readouterr()
        return status, streams.out, streams.err

    return run


def process(tmp_path: Path, *args: str, **options) -> subprocess.Popen:
    env = {**os.environ, "MOSS_PROFILE": str(tmp_path / "profile")}
    return subprocess.Popen(
        [sys.executable, "-m", "app.cli", *args],
        cwd=ROOT,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


# -- say ---------------------------------------------------------------------------------------------------------


def test_say_writes_a_file_and_prints_its_figures(moss, tmp_path: Path) -> None:
    status, out, err = moss("say", "Hello.", "-o", "hello.wav", "--json", "--seed", "7")
    assert status == 0, err
    figures = json.loads(out)
    samples, rate = soundfile.read(tmp_path / "hello.wav", always_2d=True)
    assert rate == 48_000 and samples.shape == (round(figures["seconds"] * 48_000), 2)
    assert 0.2 < figures["seconds"] < 3 and np.abs(samples).max() > 0.05
    assert figures["output"] == "hello.wav" and figures["seed"] == 7 and figures["stop_reason"] == "stop"
    assert figures["model"] == "Starter" and figures["voice"] is None and figures["warnings"] == []
    assert figures["frames"] > 3 and figures["ttfa_ms"] > 0 and figures["rtf"] > 0


def test_without_json_standard_output_stays_empty(moss) -> None:
    status, out, err = moss("say", "Hello.", "-o", "hello.flac")
    assert status == 0 and out == "" and "hello.flac" in err


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(moss, tmp_path: Path) -> None:
    for name, seed in (("a", "3"), ("b", "3"), ("c", "4")):
        assert moss("say", "Good morning.", "-o", f"{name}.wav", "--seed", seed)[0] == 0
    first, second, other = (tmp_path / f"{name}.wav" for name in "abc")
    assert first.read_bytes() == second.read_bytes() != other.read_bytes()


def test_text_comes_from_a_file_or_standard_input(moss, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "text.txt").write_bytes("\ufeffGood morning.".encode())
    assert moss("say", "@text.txt", "-o", "file.wav")[0] == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Good morning.")))
    assert moss("say", "-", "-o", "pipe.wav")[0] == 0
    assert moss("say", "Good morning.", "-o", "given.wav")[0] == 0
    assert len({(tmp_path / f"{name}.wav").read_bytes() for name in ("file", "pipe", "given")}) == 1


def test_an_exact_pause_lasts_as_written(moss, tmp_path: Path) -> None:
    assert moss("say", "Hello. [pause 1.5s] Good morning.", "-o", "a.wav")[0] == 0
    samples, _ = soundfile.read(tmp_path / "a.wav")
    level = np.sqrt(np.mean(samples[: len(samples) // 48 * 48].reshape(-1, 48, 2) ** 2, axis=(1, 2)))
    quiet = np.flatnonzero(level > 10 ** (-45 / 20))
    assert np.diff(quiet).max() == pytest.approx(1500, abs=20)  # milliseconds


def test_a_voice_of_the_library_and_its_clip_sound_the_same(moss, tmp_path: Path) -> None:
    status, out, err = moss("say", "Good morning.", "--voice", "kumo", "-o", "name.wav", "--json")
    assert status == 0 and json.loads(out)["voice"] == "Kumo", err
    copied = tmp_path / "somebody.wav"
    copied.write_bytes((starter() / "voices" / "kumo.wav").read_bytes())
    assert moss("say", "Good morning.", "--voice", str(copied), "-o", "clip.wav")[0] == 0
    assert moss("say", "Good morning.", "-o", "joe.wav")[0] == 0
    assert moss("say", "Good morning.", "--voice", "Joe", "-o", "joe2.wav")[0] == 0
    name, clip, joe, joe_again = ((tmp_path / f"{one}.wav").read_bytes() for one in ("name", "clip", "joe", "joe2"))
    assert name == clip != joe == joe_again


def test_a_voice_the_model_cannot_learn_is_refused_and_nothing_is_written(moss, tmp_path: Path) -> None:
    time_s = np.arange(96_000) / 48_000
    soundfile.write(tmp_path / "me.wav", 0.3 * np.sin(2 * np.pi * 220 * time_s), 48_000)
    status, out, err = moss("say", "Hello.", "--voice", "me.wav", "-o", "a.wav")
    assert status == 3 and out == "" and "Kumo" in err and "clone" in err and not (tmp_path / "a.wav").exists()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("say", "Hello.", "-o", "a.xyz"), ".flac"),
        (("say", "Hello.", "-o", "/proc/a.wav"), "/proc"),
        (("say", "", "-o", "a.wav"), "nothing to speak"),
        (("bench", "--model", "server:far"), "speech server is not measured"),
        (("say", " \n ", "-o", "a.wav"), "nothing to speak"),
        (("say", "[pause 1s]", "-o", "a.wav"), "nothing to speak"),
        (("say", "@missing.txt", "-o", "a.wav"), "missing.txt"),
        (("say", "Hello.", "-o", "a.wav", "--voice", "Nobody"), "Kumo"),
        (("say", "Hello.", "-o", "a.wav", "--language", "Klingon"), "Klingon"),
        (("say", "Bonjour.", "-o", "a.wav", "--language", "fr"), "English"),
        (("say", "Hello.", "-o", "a.wav", "--model", "nothing"), "starter"),
        (("say", "Hello.", "-o", "a.wav", "--codec", "nothing"), "codec"),
        (("say", "Hello.", "-o", "a.wav", "--continue-from", "x.wav", "--transcript", "x"), "go on"),
        (("voices", "add", "missing.wav", "--name", "A"), "missing.wav"),
        (("voices", "remove", "Nobody"), "Nobody"),
        (("voices", "remove", "Joe"), "comes with"),
        (("voices", "export", "Nobody"), "Nobody"),
        (("voices", "import", "missing.mvoice"), "missing.mvoice"),
    ],
)
def test_bad_input_exits_with_3_and_says_why(moss, tmp_path: Path, args: tuple[str, ...], words: str) -> None:
    status, out, err = moss(*args)
    assert status == 3 and out == "" and words in err and "Traceback" not in err
    assert not (tmp_path / "a.wav").exists()


@pytest.mark.parametrize(("option", "wrong"), [("--seconds", "100000"), ("--temperature", "1e9"), ("--top-k", "9" * 9)])
def test_a_number_out_of_range_is_refused_with_the_range(moss, option: str, wrong: str) -> None:
    status, out, err = moss("say", "Hello.", "-o", "a.wav", option, wrong)
    assert status == 2 and out == "" and re.search(rf"{wrong} is not .* \d+$", err.strip())


def test_a_failure_is_json_where_json_was_asked_for(moss) -> None:
    status, out, err = moss("say", "Hello.", "-o", "a.wav", "--voice", "Nobody", "--json")
    told = json.loads(out)
    assert status == told["exit_status"] == 3
    assert "Nobody" in told["error"] and "Kumo" in told["remedy"] and told["error"] in err
    status, out, err = moss("say", "", "-o", "-", "--json")
    assert status == 3 and out == "" and json.loads(err.splitlines()[-1])["exit_status"] == 3


def test_an_error_of_our_own_is_json_too(moss, monkeypatch) -> None:
    monkeypatch.setattr("app.services.saying.Saying.run", lambda self: 1 / 0)
    status, out, _ = moss("say", "Hello.", "-o", "a.wav", "--json")
    assert status == 5 and "ZeroDivisionError" in json.loads(out)["error"]


def test_an_interrupted_command_says_so(moss, monkeypatch) -> None:
    def interrupted(archive: Path, folder: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("app.services.voice_archive.read", interrupted)
    status, out, err = moss("voices", "import", "a.mvoice", "--json")
    assert status == 5 and err == "moss-voice-studio: Stopped.\n" and json.loads(out)["exit_status"] == 5


def test_a_missing_folder_is_made(moss, tmp_path: Path) -> None:
    assert moss("say", "Yes.", "-o", "chapters/one/a.wav")[0] == 0
    assert len(soundfile.read(tmp_path / "chapters" / "one" / "a.wav")[0]) > 5_000


def test_a_device_that_is_not_there_exits_with_4(moss) -> None:
    status, _, err = moss("say", "Hello.", "-o", "a.wav", "--device", "cuda:9")
    assert status == 4 and "cuda" in err.lower()


@pytest.mark.parametrize(
    "args",
    [
        ("sing",),
        ("say", "Hello."),
        ("say", "-o", "a.wav"),
        ("say", "Hello.", "-o", "a.wav", "--seed", "x"),
        ("say", "Hello.", "-o", "a.wav", "--seed", "-1"),
        ("say", "Hello.", "-o", "a.wav", "--top-p", "2"),
        ("say", "Hello.", "-o", "a.wav", "--temperature", "nan"),
        ("say", "Hello.", "-o", "a.wav", "--device", "tpu"),
        ("say", "Hello.", "-o", "a.wav", "--device", "cuda:x"),
        ("bench", "--device", "gpu"),
        ("say", "Hello.", "-o", "a.wav", "--seconds", "1", "--frames", "2"),
        ("voices",),
        ("voices", "add", "a.wav"),
    ],
)
def test_wrong_usage_exits_with_2(moss, args: tuple[str, ...]) -> None:
    status, out, err = moss(*args)
    assert status == 2 and out == "" and "usage" in err


def test_a_length_the_model_does_not_follow_is_said(moss) -> None:
    status, out, _ = moss("say", "Hello.", "-o", "a.wav", "--seconds", "3", "--json")
    assert status == 0 and [warning["code"] for warning in json.loads(out)["warnings"]] == ["ignored_tokens"]


@pytest.mark.parametrize("voice", [(), ("--voice", "Joe")])
def test_a_transcript_without_its_clip_is_said_to_be_unused(moss, voice: tuple[str, ...]) -> None:
    status, out, err = moss("say", "Hi.", "-o", "a.wav", "--json", "--transcript", "Good morning.", *voice)
    assert status == 0 and "transcript was not used" in err
    assert [warning["code"] for warning in json.loads(out)["warnings"]] == ["unused_transcript"]


def test_a_standard_output_gets_a_wav_and_the_figures_go_elsewhere(tmp_path: Path) -> None:
    running = process(tmp_path, "say", "-", "-o", "-", "--json")
    out, err = running.communicate(b"Hello.", timeout=120)
    assert running.returncode == 0, err
    samples, rate = soundfile.read(io.BytesIO(out), always_2d=True)
    assert rate == 48_000 and samples.shape[1] == 2 and np.abs(samples).max() > 0.05
    assert json.loads(err.decode().splitlines()[-1])["output"] == "-"


def test_a_reader_that_goes_away_is_met_in_silence(tmp_path: Path) -> None:
    running = process(tmp_path, "say", "One. [pause 0.5s] " * 40, "-o", "-")
    assert running.stdout is not None and running.stderr is not None
    running.stdout.read(2_000)
    running.stdout.close()
    assert running.wait(120) == 5
    assert running.stderr.read() == b""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_a_valid_file_and_exits_with_5(tmp_path: Path, number: signal.Signals) -> None:
    target = tmp_path / "a.wav"
    running = process(tmp_path, "say", "The train leaves at noon. " * 400, "-o", str(target), "--json")
    deadline = time.monotonic() + 120
    while not (target.exists() and target.stat().st_size > 600_000):
        assert running.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    running.send_signal(number)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 5, err
    figures = json.loads(out)
    samples, _ = soundfile.read(target)
    assert figures["stop_reason"] == "cancelled" and len(samples) == round(figures["seconds"] * 48_000) >= 100_000
    assert b"Traceback" not in err


@pytest.mark.skipif(sys.platform == "win32", reason="streams and signals of POSIX")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_a_closed_stream_is_no_error_of_ours(tmp_path: Path, closed: str) -> None:
    command = f'"$0" -m app.cli --profile "$1" voices list --json {closed}'
    done = subprocess.run(["sh", "-c", command, sys.executable, tmp_path / "profile"], cwd=ROOT, capture_output=True)
    assert done.returncode == 0 and done.stderr == b""
    assert (b"Joe" in done.stdout) == (closed != ">&-")


def test_a_text_from_a_closed_standard_input_is_an_empty_text(moss, monkeypatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    status, _, err = moss("say", "-", "-o", "a.wav")
    assert status == 3 and "nothing to speak" in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("args", [("voices", "list", "--json"), ("voices", "list"), ("models",)], ids=" ".join)
def test_a_result_that_cannot_be_printed_is_said(tmp_path: Path, args: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "app.cli", "--profile", str(tmp_path), *args],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 3 and "could not be printed" in done.stderr and "inside" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_message_that_cannot_be_shown_ends_no_work(tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "app.cli", "--profile", tmp_path, "say", "Hi.", "-o", tmp_path / "a.wav"],
            cwd=ROOT,
            stderr=full,
        )
    assert done.returncode == 0
    assert soundfile.info(tmp_path / "a.wav").frames > 0


@pytest.mark.skipif(sys.platform == "win32", reason="streams of POSIX")
def test_speech_for_a_closed_standard_output_is_refused(tmp_path: Path) -> None:
    command = '"$0" -m app.cli --profile "$1" say "Hi." -o - >&-'
    done = subprocess.run(["sh", "-c", command, sys.executable, tmp_path / "profile"], cwd=ROOT, capture_output=True)
    assert done.returncode == 3 and b"Standard output is closed" in done.stderr


def test_a_stop_before_the_first_sound_tells_of_no_file(moss, monkeypatch, tmp_path: Path) -> None:
    wait = Saying._wait_for

    def stopped_when_ready(saying: Saying, engine) -> None:
        wait(saying, engine)
        saying.cancel()

    monkeypatch.setattr(Saying, "_wait_for", stopped_when_ready)
    status, _, err = moss("say", "Hello.", "-o", "a.wav")
    assert status == 5 and "Stopped before anything was spoken" in err and "a.wav" not in err
    assert not (tmp_path / "a.wav").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_an_interrupt_while_modules_are_read_leaves_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "argparse.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    done = subprocess.run(
        [sys.executable, "-m", "app.cli", "voices", "list"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert done.returncode == 5 and done.stderr == b"moss-voice-studio: stopped before anything was done.\n"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(
    "module",
    ["app.commands.say", "app.services.saying", "numpy", "soundfile", "torch", "engine.runtime.factory", "numba"],
)
def test_an_interrupt_at_any_time_of_the_start_is_a_clean_end(tmp_path: Path, module: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            sys.meta_path.remove(self)\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupt())\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "app.cli", "say", "The train leaves at noon. " * 100, "-o", str(tmp_path / "a.wav")],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "MOSS_PROFILE": str(tmp_path / "profile")},
        capture_output=True,
        timeout=120,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert done.returncode == 5 and b"topped" in done.stderr and b"Traceback" not in done.stderr, done.stderr


def test_speech_is_written_while_it_is_made(tmp_path: Path) -> None:
    target = tmp_path / "a.wav"
    running = process(tmp_path, "say", "The train leaves at noon. " * 20, "-o", str(target))
    sizes = set()
    while running.poll() is None:
        if target.exists():
            sizes.add(target.stat().st_size)
        time.sleep(0.02)
    running.communicate()
    assert running.returncode == 0 and len(sizes) > 3


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.skipif(sys.platform == "win32", reason="asks the system for a child's memory as POSIX does")
def test_five_thousand_words_are_spoken_in_bounded_memory(tmp_path: Path) -> None:
    paragraph = "The train leaves at noon. I would like a cup of coffee. " * 4
    (tmp_path / "book.txt").write_text("\n\n".join([paragraph] * 105))
    # A small process starts it: the system counts as a child's own what its parent held when it was started.
    measured = (
        "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:]); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(done.returncode)"
    )
    command = [sys.executable, "-m", "app.cli", "--profile", str(tmp_path / "profile"), "say"]
    command += [f"@{tmp_path / 'book.txt'}", "-o", str(tmp_path / "book.flac"), "--json"]
    done = subprocess.run(
        [sys.executable, "-c", measured, *command], cwd=ROOT, capture_output=True, text=True, timeout=1700
    )
    assert done.returncode == 0, done.stderr
    printed, peak_printed = done.stdout.splitlines()
    figures = json.loads(printed)
    assert figures["seconds"] > 900 and figures["incomplete"] == []
    assert soundfile.info(tmp_path / "book.flac").frames == round(figures["seconds"] * 48_000)
    peak = int(peak_printed) / (2**30 if sys.platform == "darwin" else 2**20)
    assert peak < 1.2  # GB


# -- voices, doctor, the window ----------------------------------------------------------------------------------


def test_voices_can_be_added_listed_exported_removed_and_imported(moss, tmp_path: Path) -> None:
    time_s = np.arange(96_000) / 48_000
    soundfile.write(
        tmp_path / "ana.wav", 0.3 * np.sin(2 * np.pi * 220 * time_s) * np.sin(2 * np.pi * 3 * time_s), 48_000
    )
    assert (
        moss("voices", "add", "ana.wav", "--name", "Ana", "--transcript", "Good morning.", "--language", "en")[0] == 0
    )
    listed = json.loads(moss("voices", "list", "--json")[1])
    assert [voice["name"] for voice in listed] == ["Joe", "Joe light", "Kumo", "Gon", "Nezumi", "Ana"]
    assert listed[-1]["transcript"] == "Good morning." and listed[-1]["language"] == "English"
    assert "Ana" in moss("voices", "list")[1]
    assert moss("voices", "export", "ana")[1].strip() == "Ana.mvoice"
    assert moss("voices", "remove", "Ana")[0] == 0
    assert len(json.loads(moss("voices", "list", "--json")[1])) == 5
    imported = json.loads(moss("voices", "import", "Ana.mvoice", "--json")[1])
    assert imported["name"] == "Ana" and imported["added"] is True
    status, _, err = moss("voices", "import", "Ana.mvoice")
    assert status == 0 and "Nothing was added" in err and "“Ana”" in err


def test_what_is_no_audio_never_becomes_a_voice(moss, tmp_path: Path) -> None:
    (tmp_path / "noise.wav").write_bytes(b"RIFF but not really" * 50)
    status, _, err = moss("voices", "add", "noise.wav", "--name", "Ana")
    assert status == 3 and "noise.wav" in err
    assert len(json.loads(moss("voices", "list", "--json")[1])) == 5


@pytest.mark.parametrize(("seconds", "level", "words"), [(2.0, 0.0, "silent"), (0.1, 0.3, "0.5 s")])
def test_a_clip_that_can_serve_no_model_never_becomes_a_voice(
    moss, tmp_path: Path, seconds: float, level: float, words: str
) -> None:
    soundfile.write(tmp_path / "a.wav", level * np.sin(np.arange(round(seconds * 48_000)) / 30), 48_000)
    status, _, err = moss("voices", "add", "a.wav", "--name", "Ana")
    assert status == 3 and words in err
    assert len(json.loads(moss("voices", "list", "--json")[1])) == 5


def test_doctor_gives_every_lack_a_remedy(moss) -> None:
    status, out, _ = moss("doctor", "--json")
    report = json.loads(out)
    assert status == 0 and report["can_speak"]
    topics = {finding["topic"] for finding in report["findings"]}
    assert {"python", "torch", "starter", "memory", "gpu", "sound", "window", "folders"} <= topics
    assert all(finding["remedy"] for finding in report["findings"] if finding["state"] != "ok")
    assert "This machine can speak." in moss("doctor")[1]


def test_doctor_says_when_the_starter_is_damaged(moss, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("app.services.doctor.starter", lambda: tmp_path)
    status, out, _ = moss("doctor", "--json")
    assert status == 4 and not json.loads(out)["can_speak"]


def test_without_a_display_the_window_is_a_plain_sentence(moss, monkeypatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    if sys.platform.startswith("linux"):
        status, out, err = moss()
        assert status == 4 and out == "" and "display" in err and "say" in err


def test_a_project_alone_goes_to_the_window_and_a_missing_one_is_told(moss, tmp_path: Path, monkeypatch) -> None:
    opened = []
    monkeypatch.setattr(cli, "open_window", lambda argv: opened.append(list(argv)) or 0)
    (tmp_path / "tale.mvs").write_bytes(b"")
    assert moss("tale.mvs")[0] == 0 and moss("--verbose", "tale.mvs")[0] == 0
    assert [argv[-1] for argv in opened] == ["tale.mvs"] * 2 and opened[0][0] == "--profile"
    status, out, err = moss("absent.mvs")
    assert status == 3 and out == "" and "absent.mvs" in err and len(opened) == 2


@pytest.mark.parametrize("device", ["auto", "cpu", "cuda:99"])
def test_the_full_size_without_a_card_is_never_sent_to_the_processor(moss, monkeypatch, device: str) -> None:
    monkeypatch.setattr("engine.runtime.devices.cuda_works", lambda: False)
    status, _, err = moss("bench", "--model", "full-random", "--device", device)
    assert status == 4 and "a machine with a CUDA device" in err and "Choose" not in err


def test_repeats_out_of_range_are_refused_in_a_sentence(moss) -> None:
    for given in ("0", "101", "many"):
        status, _, err = moss("bench", "--repeats", given)
        assert status == 2 and "1 to 100" in err.splitlines()[-1] and len(err.splitlines()[-1]) < 120


def test_an_error_of_our_own_is_one_line_with_its_details_in_a_file(moss, tmp_path: Path, monkeypatch) -> None:
    def broken(paths) -> None:
        raise ZeroDivisionError("inside")

    monkeypatch.setattr("app.services.library.open_library", broken)
    status, out, err = moss("voices", "list")
    assert status == 5 and out == "" and "ZeroDivisionError" in err and "Traceback" not in err
    assert "Traceback" in (tmp_path / "profile" / "logs" / "studio.log").read_text()


def test_help_needs_neither_the_model_nor_the_window() -> None:
    script = (
        "import sys; from app.cli import build_parser; build_parser(); "
        "print(sorted({'torch', 'PySide6'} & set(sys.modules)))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert printed.strip() == "[]"
