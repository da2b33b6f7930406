"""`models` and `serve` on the command line."""

from __future__ import annotations

import json
from dataclasses import replace

import keyring
import keyring.errors
import numpy as np
import pytest
import soundfile
from served import TOKEN, Served, make_clip
from small_hub import SmallHub

from app.cli import main
from app.paths import paths_for
from app.services import server_keys
from app.services.model_sources import SourceError, find_source
from app.settings import Settings
from engine import catalogue
from engine.catalogue import LOCAL_V15, Part


@pytest.fixture
def moss(tmp_path, capsys):
    def run(*args):
        status = main(["--profile", str(tmp_path / "profile"), *args])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def kept(tmp_path):
    """Where models go, as it is on the disk."""
    return Settings.load(paths_for(tmp_path / "profile")).models.folder


@pytest.fixture
def served():
    service = Served("sglang")
    yield service
    service.close()


@pytest.fixture
def hub(monkeypatch):
    content = np.random.default_rng(1).bytes(50_000)
    small = SmallHub(
        {
            "maker/small": {"config.json": b'{"model_type": "moss_tts_local"}', "model.safetensors": content},
            "maker/codec": {
                "config.json": b'{"model_type": "moss-audio-tokenizer"}',
                "model.safetensors": content[:5000],
            },
        }
    )
    entry = replace(LOCAL_V15, id="small", name="Small", parts=(Part("maker/small"), Part("maker/codec", "codec")))
    monkeypatch.setattr("engine.CATALOGUE", (entry,), raising=False)
    monkeypatch.setattr("app.services.models.CATALOGUE", (entry,))
    monkeypatch.setattr(catalogue, "CATALOGUE", (entry,))
    monkeypatch.setattr("app.services.models.find_in_cache", lambda entry: None)
    yield small
    small.close()


def test_the_starter_and_the_catalogue_are_listed(moss):
    status, out, _ = moss("models")
    assert status == 0 and "starter" in out and "not downloaded" in out
    status, out, _ = moss("models", "list", "--json")
    assert [row["key"] for row in json.loads(out)] == ["starter", LOCAL_V15.id]


def test_a_model_is_downloaded_and_removed(moss, hub, tmp_path):
    status, _, err = moss("models", "download", "small", "--mirror", hub.address)
    assert status == 0 and "--model small" in err
    folder = tmp_path / "profile" / "models" / "small"
    assert (folder / "codec" / "model.safetensors").is_file()
    assert json.loads(moss("models", "list", "--json")[1])[1]["state"] == "ready"
    assert moss("models", "remove", "small")[0] == 0 and not folder.exists()


def test_a_folder_is_kept_for_later_only_once_it_has_taken_something(moss, hub, tmp_path):
    good, file = tmp_path / "good", tmp_path / "file"
    file.write_text("no folder")
    fetch = ("models", "download", "small", "--mirror", hub.address, "--folder")
    before = kept(tmp_path)
    assert moss(*fetch, str(file / "sub"))[0] == 3
    assert kept(tmp_path) == before
    hub.statuses["/api/models/"] = [404] * 9
    assert moss(*fetch, str(good))[0] == 3
    assert kept(tmp_path) == before
    hub.statuses.clear()
    assert moss(*fetch, str(good))[0] == 0
    assert kept(tmp_path) == str(good) and (good / "small").is_dir()
    assert moss(*fetch, str(file / "sub"))[0] == 3
    assert kept(tmp_path) == str(good)


def test_what_is_not_known_says_what_is(moss):
    status, _, err = moss("models", "download", "nothing")
    assert status == 3 and LOCAL_V15.id in err
    status, _, err = moss("models", "test-server", "nobody")
    assert status == 3 and "none" in err
    status, _, err = moss("say", "Hello.", "-o", "x.wav", "--model", "server:nobody")
    assert status == 3 and "nobody" in err
    status, _, err = moss("models", "add-server", "bad", "ftp://x")
    assert status == 3 and "no address" in err


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 101])
def test_a_name_that_no_line_could_show_is_refused(moss, name, capsys):
    with pytest.raises(SystemExit) as ended:
        moss("models", "add-server", name, "http://host")
    assert ended.value.code == 2 and "in one line" in capsys.readouterr().err
    assert "http://host" not in moss("models", "list")[1]


def test_a_server_is_kept_asked_and_spoken_through(moss, served, tmp_path, monkeypatch):
    monkeypatch.setenv("MOSS_SERVER_KEY", TOKEN)
    assert moss("models", "add-server", "far", served.address, "--key")[0] == 0
    status, out, _ = moss("models", "test-server", "far", "--json")
    assert status == 0 and json.loads(out)["kind"] == "sglang"
    clip = make_clip(tmp_path / "clip.wav")
    target = tmp_path / "out.wav"
    words = ["say", "one two three", "-o", str(target), "--model", "server:far", "--voice", str(clip), "--seed", "5"]
    status, _, err = moss(*words)
    assert status == 0, err
    samples, rate = soundfile.read(target)
    assert rate == 48_000 and samples.shape[1] == 2 and len(samples) > 20_000
    assert served.backend.seen[-1].seed == 5
    for path in (tmp_path / "profile").rglob("*"):
        assert not path.is_file() or TOKEN.encode() not in path.read_bytes(), path
    assert moss("models", "remove-server", "far")[0] == 0
    assert "server:far" not in moss("models")[1]


def test_without_a_keyring_the_key_comes_from_the_environment_of_each_command(moss, served, tmp_path, monkeypatch):
    def none(*_: object) -> None:
        raise keyring.errors.NoKeyringError("none here")

    for deed in ("get_password", "set_password", "delete_password"):
        monkeypatch.setattr(keyring, deed, none)
    monkeypatch.setattr(server_keys, "_memory", {})
    monkeypatch.setenv("MOSS_SERVER_KEY", TOKEN)
    status, _, err = moss("models", "add-server", "far", served.address, "--key")
    assert status == 0 and "MOSS_SERVER_KEY" in err
    server_keys._memory.clear()  # a command ends, and its memory with it
    words = ["say", "one two", "-o", str(tmp_path / "out.wav"), "--model", "server:far"]
    assert moss(*words)[0] == 0
    for more in ((), ("--server", "far")):
        found = json.loads(moss("doctor", "--json", *more)[1])["findings"]
        assert [each["state"] for each in found if each["topic"] == "servers"][0] == "ok"
    monkeypatch.delenv("MOSS_SERVER_KEY")
    status, _, err = moss(*words, "--seed", "6")
    assert status == 3 and "Unauthorized" in err and "MOSS_SERVER_KEY" in err and "Models & Servers" not in err


def test_the_report_of_the_doctor_names_no_folder_of_the_person(moss, tmp_path):
    status, out, _ = moss("doctor", "--report")
    assert status == 0 and "python" in out and str(tmp_path) not in out


@pytest.mark.parametrize(
    ("command", "key", "wanted"),
    [
        ("say", LOCAL_V15.id, f"Download it: moss-voice-studio models download {LOCAL_V15.id}"),
        ("serve", LOCAL_V15.id, f"Download it: moss-voice-studio models download {LOCAL_V15.id}"),
        ("say", "server:Far", "Servers: none. Add one: moss-voice-studio models add-server NAME URL"),
    ],
)
def test_a_model_that_is_not_here_is_told_with_the_command_that_brings_it(
    moss, tmp_path, monkeypatch, command, key, wanted
):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "empty"))
    rest = ["Hello.", "-o", str(tmp_path / "a.wav"), "--json"] if command == "say" else []
    status, out, err = moss(command, *rest, "--model", key)
    assert status == 3 and wanted in err and "Models & Servers" not in err + out
    if rest:
        assert json.loads(out)["remedy"] == wanted
    with pytest.raises(SourceError) as caught:  # the window names its menu
        find_source(key, paths_for(tmp_path / "profile"), Settings(), None)
    assert "under Models & Servers." in caught.value.remedy
