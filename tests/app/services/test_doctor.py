"""The doctor: every lack has a remedy, a check that fails is a finding, and the report names nobody."""

from __future__ import annotations

import getpass
import platform
from pathlib import Path

import pytest
from served import TOKEN, Served

from app.paths import paths_for
from app.services import doctor
from app.services.doctor import Finding, can_speak, examine, report_text, without_personal
from app.settings import Server, Settings
from engine import inspect_server


@pytest.fixture
def paths(tmp_path):
    return paths_for(tmp_path / "profile")


@pytest.fixture(scope="module")
def findings(tmp_path_factory):
    return list(examine(paths_for(tmp_path_factory.mktemp("doctor") / "profile")))


def test_this_machine_can_speak_and_every_limit_has_a_remedy(findings):
    assert can_speak(findings)
    assert all(finding.remedy for finding in findings if finding.state != "ok"), findings
    assert {"python", "torch", "starter", "memory", "gpu", "models", "sound", "folders"} <= {
        each.topic for each in findings
    }


def test_a_check_that_fails_is_a_finding(paths, monkeypatch):
    def broken(paths):
        raise OSError("no such thing")
        yield

    monkeypatch.setattr(doctor, "_CHECKS", (("starter", broken), ("memory", broken)))
    found = list(examine(paths))
    assert [(each.topic, each.state) for each in found] == [("starter", "missing"), ("memory", "missing")]
    assert not can_speak(found) and "no such thing" in found[0].message


def test_damaged_models_and_unfinished_downloads_are_told(paths):
    folder = paths.models / "MOSS-TTS-Local-Transformer-v1.5"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text('{"model_type": "moss_tts_local"}')
    found = [each for each in doctor._models(paths) if each.state == "missing"]
    assert found and "codec" in found[0].message and found[0].remedy


def test_a_profile_that_is_no_folder_is_told(tmp_path):
    (tmp_path / "notes.txt").write_text("a file")
    found = list(doctor._folders(paths_for(tmp_path / "notes.txt")))
    assert [each.state for each in found] == ["missing"] * 3 and all(each.remedy for each in found)


def test_servers_are_asked(paths):
    settings = Settings.load(paths)
    settings.change("servers", value=(Server("x", "Far", "http://127.0.0.1:9"),))
    (found, *_) = doctor._servers(paths)
    assert found.state == "note" and "No server answers" in found.message and found.remedy


@pytest.fixture
def two_served():
    made = [Served("sglang"), Served("sglang")]
    yield made
    for served in made:
        served.close()


def states(paths, **given) -> list[tuple[str, str]]:
    return [(each.state, each.message) for each in doctor._servers(paths, **given)]


def test_the_key_of_the_environment_is_for_one_server_and_never_shown_to_another(paths, two_served, monkeypatch):
    monkeypatch.setattr("app.services.server_keys.ServerKeys.get", lambda self, server_id: "")
    shown: list[str] = []

    def inspect(spec):
        shown.append(spec.key)
        return inspect_server(spec)

    monkeypatch.setattr("engine.inspect_server", inspect)
    servers = tuple(Server(str(at), f"Far {at}", each.address) for at, each in enumerate(two_served))
    settings = Settings.load(paths)
    settings.change("servers", value=servers[:1])
    assert [state for state, _ in states(paths)] == ["note"], "it refuses those without the key"
    assert [state for state, _ in states(paths, given_key=TOKEN)] == ["ok"]
    settings.change("servers", value=servers)
    shown.clear()
    found = states(paths, given_key=TOKEN)
    assert [state for state, _ in found] == ["note"] * 3 and "MOSS_SERVER_KEY" in found[0][1]
    assert shown == ["", ""]
    assert states(paths, wanted="Far 1", given_key=TOKEN) == [("ok", "“Far 1” answers (sglang).")]
    assert shown[2:] == [TOKEN]
    assert states(paths, wanted="Near", given_key=TOKEN)[0] == ("missing", "There is no server “Near”.")


@pytest.mark.parametrize(
    ("text", "kept", "gone"),
    [
        (str(Path.home() / "models" / "x"), "models", str(Path.home())),
        ("/home/ana/models is full", "models is full", "ana"),
        (r"C:\Users\Ana Berg\x", "Users", "Ana"),
        ("/Users/ana/Library", "Library", "ana"),
        ("“Far” at https://secret.example:8000/v1 says no", "says no", "secret.example"),
        (f"host {platform.node()} is slow", "is slow", platform.node()),
    ],
)
def test_names_and_folders_are_taken_out(text, kept, gone):
    without = without_personal(text)
    assert kept in without and (len(gone) < 3 or gone not in without)


@pytest.mark.parametrize("name", ["a", "k", "Far away", "+1", ""])
def test_a_report_hides_the_name_of_a_server_and_leaves_its_own_words(findings, paths, name):
    plain = report_text(findings, paths)
    Settings.load(paths).change("servers", value=(Server("x", name, "http://far.example"),))
    assert report_text(findings, paths) == plain
    said = report_text([Finding("servers", "note", f"“{name or 'http://far.example'}” says: no", "Start it.")], paths)
    assert "“server 1” says: no" in said


def test_the_disk_that_was_chosen_for_models_is_looked_at_and_not_named(paths, tmp_path):
    chosen = tmp_path / "Ana's disk" / "models"
    Settings.load(paths).change("models", folder=str(chosen))
    found = list(doctor._folders(paths))
    assert any(str(chosen) in each.message for each in found)
    assert "Ana" not in report_text(found, paths)


def test_the_report_keeps_what_helps(findings, paths):
    report = report_text([*findings, Finding("x", "missing", f"{paths.profile} is gone", "Make it.")], paths)
    assert "torch" in report and "MISSING  x: <folder> is gone -> Make it." in report
    assert str(paths.profile) not in report
    assert len(getpass.getuser()) < 3 or getpass.getuser() not in report
