"""Which models there are, and what a key of the settings stands for."""

from __future__ import annotations

import json
import queue
import threading
from dataclasses import replace

import keyring
import keyring.backend
import keyring.errors
import pytest

from app.paths import paths_for
from app.services import model_sources
from app.services import models as module
from app.services.machine import Machine, fit_of
from app.services.model_sources import find_source, open_source, spec_of
from app.services.models import Models
from app.services.server_keys import ServerKeys
from app.settings import Server, Settings
from engine import CATALOGUE, CheckpointError, DownloadStopped, ServerError, hub_files

ENTRY = CATALOGUE[0]


class MemoryKeyring(keyring.backend.KeyringBackend):
    """A keyring that works."""

    priority = 1

    def __init__(self):
        self.kept = {}

    def get_password(self, service, name):
        return self.kept.get((service, name))

    def set_password(self, service, name, password):
        self.kept[service, name] = password

    def delete_password(self, service, name):
        if self.kept.pop((service, name), None) is None:
            raise keyring.errors.PasswordDeleteError("not there")


class BrokenKeyring(MemoryKeyring):
    """A keyring that is locked for good."""

    def get_password(self, service, name):
        raise keyring.errors.KeyringLocked("secret-value is in this message")

    def set_password(self, service, name, password):
        raise keyring.errors.KeyringLocked(f"{password} could not be kept")


@pytest.fixture
def ring():
    before = keyring.get_keyring()
    made = MemoryKeyring()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


@pytest.fixture
def paths(tmp_path, monkeypatch):
    for each in (module, model_sources):
        monkeypatch.setattr(each, "find_in_cache", lambda entry: None)
    return paths_for(tmp_path / "profile")


def checkpoint(folder, codec="MOSS-Audio-Tokenizer-v2"):
    (folder / codec).mkdir(parents=True)
    (folder / "config.json").write_text('{"model_type": "moss_tts_local"}')
    (folder / codec / "config.json").write_text('{"model_type": "moss-audio-tokenizer"}')
    return folder


def test_a_new_profile_has_the_starter_and_may_fetch_the_rest(paths):
    assert [(row.kind, row.state) for row in Models(paths).rows()] == [("starter", "ready"), ("catalogue", "absent")]


def test_a_folder_is_listed_used_and_forgotten_without_being_touched(paths, tmp_path):
    folder = checkpoint(tmp_path / "my model")
    models = Models(paths)
    told = []
    models.changed.connect(lambda: told.append(1))
    key = models.add_folder(folder)
    assert models.add_folder(folder) == key
    assert [row.key for row in Models(paths).rows() if row.kind == "folder"] == [key], "it is remembered, once"
    assert find_source(key, paths, models.settings, None).folder == folder
    models.forget_folder(folder)
    assert not [row for row in models.rows() if row.kind == "folder"] and folder.is_dir() and len(told) == 3


def test_a_folder_that_lost_its_codec_is_damaged(paths, tmp_path):
    folder = checkpoint(tmp_path / "my model")
    models = Models(paths)
    models.add_folder(folder)
    (folder / "MOSS-Audio-Tokenizer-v2" / "config.json").unlink()
    row = models.rows()[-1]
    assert row.state == "damaged" and "codec" in row.fault
    with pytest.raises(CheckpointError):
        models.add_folder(tmp_path / "nothing")


def test_a_model_put_into_the_folder_by_hand_is_ready(paths):
    checkpoint(paths.models / ENTRY.id)
    assert Models(paths).rows()[1].state == "ready"
    assert find_source(ENTRY.id, paths, Settings.load(paths), None).card.cloning == "zero_shot"


def test_a_download_that_broke_off_is_not_a_model(paths):
    checkpoint(paths.models / ".partial" / ENTRY.id)
    assert Models(paths).rows()[1].state == "partial"
    with pytest.raises(CheckpointError, match="Download it"):
        find_source(ENTRY.id, paths, Settings.load(paths), None)


def test_a_download_that_lost_its_settings_is_damaged_and_not_absent(paths):
    folder = paths.models / ENTRY.id
    folder.mkdir(parents=True)
    files = [{"path": "config.json", "size": 2, "sha256": "", "blob": "b" * 40}]
    manifest = {"version": hub_files.MANIFEST_VERSION, "parts": [{"folder": "", "files": files}]}
    (folder / hub_files.MANIFEST).write_text(json.dumps(manifest))
    row = Models(paths).rows()[1]
    assert row.state == "damaged" and "config.json" in row.fault


def test_a_damaged_download_is_not_opened(paths):
    folder = checkpoint(paths.models / ENTRY.id)
    parts = [{"folder": "", "files": [{"path": "model.safetensors", "size": 9}]}]
    (folder / "download.json").write_text(json.dumps({"version": 1, "parts": parts}))
    assert Models(paths).rows()[1].state == "damaged"
    with pytest.raises(CheckpointError, match="damaged"):
        find_source(ENTRY.id, paths, Settings.load(paths), None)


def test_models_of_the_profile_are_found_after_downloads_moved_to_another_disk(paths, tmp_path):
    checkpoint(paths.models / ENTRY.id)
    models = Models(paths)
    models.move_root(tmp_path / "other")
    assert models.rows()[1].state == "ready" and models.root == tmp_path / "other"


def test_models_and_unfinished_downloads_are_found_wherever_downloads_went_before(paths, tmp_path):
    models = Models(paths)
    for name in ("one", "two", "three"):
        models.move_root(tmp_path / name)
    assert models.settings.models.earlier == (), "nothing was there"
    models.move_root(tmp_path / "one")
    checkpoint(tmp_path / "one" / ENTRY.id)
    models.move_root(tmp_path / "two")
    models.move_root(tmp_path / "three")
    again = Models(paths)
    assert again.rows()[1].state == "ready" and again.rows()[1].folder == tmp_path / "one" / ENTRY.id
    assert find_source(ENTRY.id, paths, again.settings, None).folder == tmp_path / "one" / ENTRY.id
    again.remove(ENTRY)
    assert again.rows()[1].state == "absent" and not (tmp_path / "one" / ENTRY.id).exists()


def test_an_unfinished_download_is_gone_on_with_or_removed_where_it_was_begun(paths, tmp_path, monkeypatch):
    models = Models(paths)
    (paths.models / ".partial" / ENTRY.id).mkdir(parents=True)
    models.move_root(tmp_path / "other")
    assert models.rows()[1].state == "partial"
    begun: list[object] = []

    class Noted:
        def __init__(self, entry, root, options, on_progress, *, begun_at):
            begun.append((root, begun_at))

        def run(self):
            raise DownloadStopped("stopped")

        def stop(self):
            pass

    monkeypatch.setattr(module, "Download", Noted)
    models.download(ENTRY)
    models._threads[ENTRY.id].join(10)
    assert begun == [(tmp_path / "other", paths.models / ".partial" / ENTRY.id)]
    models.remove(ENTRY)
    assert models.rows()[1].state == "absent" and not (paths.models / ".partial").exists()


def test_removing_in_a_window_waits_for_nobody_and_tells_what_failed(paths, monkeypatch):
    posted: queue.SimpleQueue = queue.SimpleQueue()
    models = Models(paths, post=posted.put)
    checkpoint(paths.models / ENTRY.id)
    gate = threading.Event()
    models._threads[ENTRY.id] = threading.Thread(target=gate.wait, args=(20,))
    models._threads[ENTRY.id].start()
    told: list[int] = []
    models.changed.connect(lambda: told.append(1))
    models.remove(ENTRY)
    assert not told and (paths.models / ENTRY.id).is_dir(), "the download is still stopping"
    gate.set()
    posted.get(timeout=20)()
    assert told and models.rows()[1].state == "absent"
    checkpoint(paths.models / ".partial" / ENTRY.id)

    def refuse(*_: object) -> None:
        raise OSError(13, "Permission denied")

    monkeypatch.setattr(hub_files.shutil, "rmtree", refuse)
    models.remove(ENTRY)
    posted.get(timeout=20)()
    assert models.rows()[1].state == "partial" and "cannot be deleted" in models.rows()[1].fault


def test_the_hubs_own_cache_is_used_where_it_lies(paths, tmp_path, monkeypatch):
    model = checkpoint(tmp_path / "cached" / "model", codec="unused")
    codec = checkpoint(tmp_path / "cached" / "codec", codec="unused")
    (codec / "config.json").write_text('{"model_type": "moss-audio-tokenizer"}')
    found = {ENTRY.parts[0].repo_id: model, ENTRY.parts[1].repo_id: codec}
    for each in (module, model_sources):
        monkeypatch.setattr(each, "find_in_cache", lambda entry: found)
    assert Models(paths).rows()[1].state == "cached"
    source = find_source(ENTRY.id, paths, Settings.load(paths), None)
    assert (source.folder, source.codec) == (model, codec)


def test_plain_names_are_left_to_others(paths):
    for key in (None, "", "starter", "some folder"):
        assert find_source(key, paths, Settings.load(paths), None) is None


# -- servers --------------------------------------------------------------------------------------------------------


def test_a_key_goes_to_the_keyring_and_nowhere_else(paths, ring):
    models = Models(paths)
    server = models.save_server(Server("", "Far", "http://far:1"), "secret-key")
    assert list(ring.kept.values()) == ["secret-key"] and models.keys.notice == ""
    assert models.spec(server).key == "secret-key"
    assert b"secret-key" not in paths.settings_file.read_bytes()
    models.save_server(server, None)
    assert models.spec(server).key == "secret-key", "saving again without a key leaves it"
    models.remove_server(server)
    assert ring.kept == {} and models.settings.servers == ()


def test_a_key_never_goes_to_another_address(paths, ring):
    models = Models(paths)
    server = models.save_server(Server("", "Far", "http://far:1"), "secret-key")
    moved = replace(server, address="http://elsewhere:1")
    assert models.spec(moved).key == "", "asking the new address before it is saved"
    models.save_server(moved, None)
    assert models.spec(moved).key == "" and ring.kept == {}
    models.save_server(moved, "its-own")
    assert models.spec(moved).key == "its-own"


def test_without_a_keyring_keys_live_until_the_end_and_that_is_said(paths, caplog):
    before = keyring.get_keyring()
    keyring.set_keyring(BrokenKeyring())
    try:
        keys = ServerKeys()
        keys.set("one", "secret-value")
        assert ServerKeys().get("one") == "secret-value"
        assert "until the studio ends" in keys.notice
        keys.forget("one")
        assert keys.get("one") == ""
        assert "secret-value" not in caplog.text
    finally:
        keyring.set_keyring(before)


def test_servers_are_found_by_name_and_told_by_name_when_gone(paths, ring):
    models = Models(paths)
    models.save_server(Server("", "Far", "http://far:1", kind="vllm"), "k")
    source = find_source("server:Far", paths, models.settings, models.keys)
    assert source.card.needs_reference and source.server.key == "k"
    assert find_source("server:Far", paths, models.settings, None).server.key == ""
    with pytest.raises(CheckpointError, match="Servers: Far"):
        find_source("server:Near", paths, models.settings, models.keys)


def test_options_of_a_wrong_kind_keep_their_defaults():
    odd = {
        "parallel": "8",
        "stream_format": 3,
        "use_batch": "yes",
        "references": "upload",
        "key": "stolen",
        "attempts": 0,
    }
    spec = spec_of(Server("x", "n", "http://h", options=odd), "", Settings())
    assert (spec.parallel, spec.stream_format, spec.use_batch, spec.references) == (4, "audio", False, "upload")
    assert spec.key == "" and spec.attempts == 5
    assert spec_of(Server("x", "n", "http://h", options={"parallel": 999}), "", Settings()).parallel == 4


def test_the_seed_may_change_only_where_the_person_lets_it():
    settings = Settings()
    server = Server("x", "n", "http://h")
    assert not spec_of(server, "", settings).may_change_seed
    settings.change("generation", seed_policy="new")
    assert spec_of(server, "", settings).may_change_seed


def test_an_address_that_is_none_is_told_before_anything_starts(paths):
    settings = Settings()
    settings.change("servers", value=(Server("x", "Bad", "ftp://h"),))
    with pytest.raises(ServerError, match="no address"):
        open_source(find_source("server:Bad", paths, settings, None), paths)


# -- the machine ----------------------------------------------------------------------------------------------------


def test_what_a_machine_runs_is_said_with_the_reason():
    big = Machine((("Big GPU", 24.0),), 64.0, 50.0, 8)
    small = Machine((("Small GPU", 8.0),), 64.0, 50.0, 8)
    none = Machine((), 8.0, 4.0, 4)
    assert fit_of(ENTRY, big).level == "good" and "Big GPU" in fit_of(ENTRY, big).words
    assert fit_of(ENTRY, small).level == "slow" and "Small GPU has 8 GB" in fit_of(ENTRY, small).words
    assert fit_of(ENTRY, none).level == "no" and "server" in fit_of(ENTRY, none).words
