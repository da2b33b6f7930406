"""Downloads from a hub: the real client against a small hub of our own, with everything that can go wrong."""

from __future__ import annotations

import errno
import gzip
import hashlib
import json
import os
import subprocess
import sys
import threading
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest
import small_hub
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_hub import SmallHub

from engine import HubOptions, hub, hub_access, hub_answers, hub_carry, hub_lock
from engine.card import ModelCard
from engine.catalogue import CATALOGUE, CatalogueEntry, Part
from engine.hub import Download
from engine.hub_access import DownloadStopped, HubError
from engine.hub_files import (
    MANIFEST,
    PARTIAL,
    faults_of,
    find_in_cache,
    partial_folder,
    read_manifest,
    remove_download,
)
from engine.hub_patience import ASKING

LARGE = np.random.default_rng(1).bytes(300_000)
REPOSITORIES = {
    "maker/voice": {
        "config.json": b'{"model_type": "moss_tts_local"}',
        "model.safetensors": LARGE,
        "tokenizer.json": b"{}",
        "modeling.py": b"import os",
        "weights.bin": b"pickle",
        "README.md": b"# voice",
    },
    "maker/codec": {"config.json": b'{"model_type": "moss-audio-tokenizer"}', "model.safetensors": LARGE[:100_000]},
}
ENTRY = CatalogueEntry(
    id="voice-1",
    name="Voice",
    summary="",
    licence="",
    source="",
    parts=(Part("maker/voice"), Part("maker/codec", "MOSS-Audio-Tokenizer-v2")),
    size_bytes=400_000,
    card=ModelCard(name="Voice"),
)
WHOLE = {
    "config.json", "model.safetensors", "tokenizer.json", "README.md", MANIFEST,
    "MOSS-Audio-Tokenizer-v2/config.json", "MOSS-Audio-Tokenizer-v2/model.safetensors",
}  # fmt: skip


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path_factory):
    """No network but our own, no cache of the person's, and no waiting between attempts."""
    from huggingface_hub import constants, file_download
    from huggingface_hub.utils import _http

    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setattr(hub_access, "CHUNK_BYTES", 4096)
    monkeypatch.setattr(hub, "WAITS_S", (0.0, 0.0))
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 4096)
    Quick = namedtuple("Quick", "sleep time monotonic")
    quick = Quick(lambda seconds: None, __import__("time").time, __import__("time").monotonic)
    monkeypatch.setattr(file_download, "time", quick)
    monkeypatch.setattr(_http, "time", quick)


@pytest.fixture
def small():
    server = SmallHub({name: dict(files) for name, files in REPOSITORIES.items()})
    yield server
    server.close()


def download(small: SmallHub, root: Path, **options) -> Download:
    return Download(ENTRY, root, HubOptions(mirror=small.address), **options)


def files_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def assert_whole(folder: Path) -> None:
    assert files_in(folder) == WHOLE
    assert (folder / "model.safetensors").read_bytes() == LARGE
    assert (folder / "MOSS-Audio-Tokenizer-v2" / "model.safetensors").read_bytes() == LARGE[:100_000]
    assert faults_of(folder) == []


def test_a_download_brings_weights_settings_and_tokenizer_and_no_code(small, tmp_path):
    folder = download(small, tmp_path).run()
    assert folder == tmp_path / ENTRY.id
    assert_whole(folder)
    assert {path.name for path in tmp_path.iterdir()} == {ENTRY.id, PARTIAL}
    assert files_in(tmp_path / PARTIAL) == set()


def test_progress_runs_to_the_total_and_tells_speed(small, tmp_path, monkeypatch):
    monkeypatch.setattr(hub, "_TELL_S", 0.0)
    small.delay_s = 0.02
    told = []
    download(small, tmp_path, on_progress=told.append).run()
    total = sum(
        len(content)
        for files in REPOSITORIES.values()
        for name, content in files.items()
        if name not in ("modeling.py", "weights.bin")
    )
    assert told[0].stage == "asking"
    assert {progress.total_bytes for progress in told[1:]} == {total}
    downloading = [progress.done_bytes for progress in told if progress.stage == "downloading"]
    assert downloading == sorted(downloading) and downloading[-1] == total
    assert any(progress.bytes_per_s and progress.left_s is not None for progress in told)


def test_stopping_keeps_what_came_and_going_on_fetches_only_the_rest(small, tmp_path, monkeypatch):
    monkeypatch.setattr(hub, "_TELL_S", 0.0)
    stopped = download(small, tmp_path)
    # 100 kB of the codec come after the 300 kB of the model.
    stopped._on_progress = lambda progress: stopped.stop() if progress.done_bytes > 150_000 else None
    with pytest.raises(DownloadStopped):
        stopped.run()
    assert not (tmp_path / ENTRY.id).exists()
    small.seen.clear()
    assert_whole(download(small, tmp_path).run())
    ranges = [wanted for path, wanted in small.bytes_sent() if wanted]
    assert len(ranges) == 1 and int(ranges[0].removeprefix("bytes=").rstrip("-")) > 100_000


def test_a_file_that_nobody_wants_any_more_is_not_asked_for_again_where_the_network_stalls(
    small, tmp_path, monkeypatch
):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_DOWNLOAD_TIMEOUT", 0.3)
    stalled, over = download(small, tmp_path), threading.Event()
    content = small_hub._Handler._content

    def stall(self, repository, name, body, headers=None):
        if body and name == "model.safetensors":
            stalled.stop()
            over.wait(20)
            self.close_connection = True
        else:
            content(self, repository, name, body, headers)

    monkeypatch.setattr(small_hub._Handler, "_content", stall)
    with pytest.raises(DownloadStopped):
        stalled.run()
    let_the_left_behind_end(lambda: None)
    over.set()
    assert len([path for path, _ in small.bytes_sent() if path.startswith("/cdn/")]) == 1


def let_the_left_behind_end(free) -> None:
    """Join the threads that a download has left behind, once `free` lets the network answer them."""
    left = [each for each in threading.enumerate() if each.name == ASKING]
    assert left, "nobody was left waiting: the network has not stalled"
    free()
    for each in left:
        each.join(30)
    assert not any(each.is_alive() for each in left)


@pytest.mark.parametrize("point", ["GET /api/models/maker/voice", "HEAD /maker/codec", "GET /cdn/maker/voice"])
def test_stopping_is_heard_at_once_wherever_the_network_stalls(small, tmp_path, monkeypatch, point):
    stalled, is_free, ended = download(small, tmp_path), threading.Event(), []
    answer = small_hub._Handler._answer

    def stall(self, body):
        if f"{self.command} {self.path}".startswith(point) and not is_free.is_set():
            stalled.stop()
            is_free.wait(60)
        answer(self, body)

    def run():
        with pytest.raises(DownloadStopped):
            stalled.run()
        ended.append(is_free.is_set())

    monkeypatch.setattr(small_hub._Handler, "_answer", stall)
    running = threading.Thread(target=run)
    running.start()
    running.join(20)
    assert ended == [False], "it waited for the network"
    let_the_left_behind_end(is_free.set)
    assert not any(MANIFEST in name for name in files_in(tmp_path))
    assert_whole(download(small, tmp_path).run())


def test_whoever_was_left_behind_writes_nothing_into_the_file_of_those_who_go_on(small, tmp_path, monkeypatch):
    left, is_free = download(small, tmp_path), threading.Event()
    write = hub_access.Sink.write

    def slow(sink, data):
        if not is_free.is_set() and sink.tell() > 100_000:
            left.stop()
            is_free.wait(60)
        return write(sink, data)

    monkeypatch.setattr(hub_access.Sink, "write", slow)
    with pytest.raises(DownloadStopped):
        left.run()
    begun = {path: path.stat().st_size for path in tmp_path.rglob("*.part")}
    assert len(begun) == 1
    let_the_left_behind_end(is_free.set)
    assert {path: path.stat().st_size for path in tmp_path.rglob("*.part")} == begun
    assert_whole(download(small, tmp_path).run())


def test_a_stop_that_comes_before_the_run_is_heard(small, tmp_path):
    early = download(small, tmp_path)
    early.stop()
    with pytest.raises(DownloadStopped):
        early.run()
    assert_whole(early.run())


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.one_of(st.none(), st.integers(0, 300_000)), max_size=7))
def test_downloads_survive_random_cuts(tmp_path_factory, cuts):
    small = SmallHub({name: dict(files) for name, files in REPOSITORIES.items()})
    root = tmp_path_factory.mktemp("root")
    small.cuts = list(cuts)
    try:
        for _ in range(12):
            try:
                folder = download(small, root).run()
                break
            except HubError:
                assert not (root / ENTRY.id).exists(), "nothing looks complete that is not"
        assert_whole(folder)
    finally:
        small.close()


def test_a_file_that_came_damaged_is_fetched_again(small, tmp_path, monkeypatch):
    monkeypatch.setattr(hub, "_TELL_S", 0.0)
    small.spoiled["model.safetensors"] = LARGE[:-1] + b"x"

    def mend(progress) -> None:
        if progress.stage == "checking" and progress.file == "model.safetensors":
            small.spoiled.clear()

    assert_whole(download(small, tmp_path, on_progress=mend).run())


def test_a_file_that_always_comes_damaged_never_becomes_a_model(small, tmp_path):
    small.spoiled["model.safetensors"] = LARGE[:-1] + b"x"
    with pytest.raises(HubError, match="damaged"):
        download(small, tmp_path).run()
    assert not (tmp_path / ENTRY.id).exists()
    small.spoiled.clear()
    assert_whole(download(small, tmp_path).run())


@pytest.mark.parametrize("length", [len(LARGE) - 1000, len(LARGE) + 1000])
def test_a_wrong_size_never_becomes_a_model(small, tmp_path, length):
    small.spoiled["model.safetensors"] = (LARGE * 2)[:length]
    with pytest.raises(HubError):
        download(small, tmp_path).run()
    assert not (tmp_path / ENTRY.id).exists()


def test_a_server_without_ranges_starts_the_file_again(small, tmp_path):
    small.ranges = False
    small.cuts = [100_000, 50_000]
    assert_whole(download(small, tmp_path).run())


@pytest.mark.parametrize(
    ("status", "words"),
    [(401, "log in"), (403, "account"), (404, "mirror"), (500, "fault of its own"), (503, "fault of its own")],
)
def test_refusals_say_what_to_do(small, tmp_path, status, words):
    small.statuses = {"GET /api/models/maker/codec": [status] * 20}
    with pytest.raises(HubError) as failed:
        download(small, tmp_path).run()
    assert words.lower() in str(failed.value).lower()
    assert not (tmp_path / ENTRY.id).exists()


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_hub_that_is_busy_for_a_while_is_asked_again(small, tmp_path, status):
    small.statuses = {"HEAD /maker/voice/resolve": [status]}
    assert_whole(download(small, tmp_path).run())


def test_names_that_lead_out_of_the_folder_are_never_fetched(small, tmp_path):
    evil = [
        "../evil.safetensors",
        "/evil.safetensors",
        "a/../../evil.json",
        "..\\evil.safetensors",
        "c:evil.safetensors",
        "con.safetensors",
        ".hidden/config.json",
    ]
    small.listed["maker/voice"] = [
        {"rfilename": name, "size": 4, "blobId": "b" * 40, "lfs": {"sha256": "c" * 64, "size": 4, "pointerSize": 1}}
        for name in evil
    ]
    root = tmp_path / "root"
    assert_whole(download(small, root).run())
    assert {path.name for path in tmp_path.iterdir()} == {"root"}
    assert not [path for path, _ in small.bytes_sent() if "evil" in path]


def listed(name: object, size: object = 4, **more: object) -> dict:
    return {"rfilename": name, "size": size, "blobId": "b" * 40, **more}


@pytest.mark.parametrize(
    "more",
    [
        [listed("CONFIG.json")],
        [listed("config.json")],
        [listed("model.safetensors/config.json")],
        [listed("MOSS-Audio-Tokenizer-v2/config.json")],
        [listed("moss-audio-tokenizer-V2")],
        [listed(f"x{number}.safetensors") for number in range(1001)],
    ],
)
def test_files_that_would_be_one_on_some_disk_are_refused_before_anything_is_fetched(small, tmp_path, more):
    small.listed["maker/voice"] = [*more]
    if more[0]["rfilename"] == "moss-audio-tokenizer-V2":
        more[0]["rfilename"] += "/tokenizer.json"
        small.listed["maker/voice"] += [listed("MOSS-Audio-Tokenizer-v2/tokenizer.json")]
    with pytest.raises(HubError, match="beside each other"):
        download(small, tmp_path).run()
    assert small.bytes_sent() == []


@pytest.mark.parametrize(
    "more",
    [
        listed("big.safetensors", True),
        listed("big.safetensors", 1.5),
        listed("big.safetensors", -5),
        listed("big.safetensors", "5"),
        listed("big.safetensors", None),
        listed("big.safetensors", lfs="x"),
        listed("big.safetensors", lfs={"sha256": "../../x", "size": 4, "pointerSize": 1}),
        listed("big.safetensors", blobId="../../../x"),
        listed("big.safetensors", 10**30),
        {"size": 5},
    ],
)
def test_lists_that_make_no_sense_are_refused_before_anything_is_fetched(small, tmp_path, more):
    small.listed["maker/voice"] = [more]
    with pytest.raises(HubError) as caught:
        download(small, tmp_path).run()
    assert caught.value.remedy and small.bytes_sent() == []
    assert not isinstance(caught.value, DownloadStopped) and "connection" not in caught.value.message


@pytest.mark.parametrize("name", [5, None, "a/" * 3000 + "config.json", "a/" * 5 + "config.json", "x" * 5000])
def test_names_that_no_model_has_are_left_where_they_are(small, tmp_path, name):
    small.listed["maker/voice"] = [listed(name)]
    assert_whole(download(small, tmp_path).run())


@pytest.mark.parametrize(
    "body", [b"<html>log in</html>", b"[]", b"5", b"{}", b'{"id": "x", "siblings": 5}', b"[" * 100_000]
)
def test_what_is_no_hub_is_told_as_such(small, tmp_path, monkeypatch, body):
    monkeypatch.setattr(small_hub._Handler, "_list", lambda self, repository, wanted: self._send(200, body, {}, wanted))
    with pytest.raises(HubError, match="as a hub does|which version") as caught:
        download(small, tmp_path).run()
    assert "mirror" in caught.value.remedy


LONG = b'{"id": "maker/voice", "tags": ["' + b"x" * 200_000 + b'"]}'


def packed(content: bytes, times: int = 1) -> bytes:
    for _ in range(times):
        content = gzip.compress(content)
    return content


@pytest.mark.parametrize("status", [200, 302, 404, 500])
@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (LONG, {}),
        (packed(LONG), {"Content-Encoding": "gzip"}),
        (packed(LONG, 2), {"Content-Encoding": "gzip, gzip"}),
        (packed(b"{}") + LONG, {"Content-Encoding": "gzip"}),
        (packed(LONG)[:-20], {"Content-Encoding": "gzip"}),
        (LONG, {"Content-Encoding": "gzip"}),
    ],
)
def test_an_answer_that_is_endless_or_swells_ends_early(small, tmp_path, monkeypatch, status, body, headers):
    monkeypatch.setattr(hub_answers, "LARGEST_BYTES", 100_000)
    monkeypatch.setattr(hub_answers, "STEP_BYTES", 4096)
    more = {"Location": f"{small.address}/api/models/maker/codec"} if status == 302 else {}
    monkeypatch.setattr(
        small_hub._Handler,
        "_list",
        lambda self, repository, wanted: self._send(status, body, headers | more, wanted),
    )
    with pytest.raises(HubError, match="does not end|packs what it sends|cannot be unpacked") as caught:
        download(small, tmp_path).run()
    assert "mirror" in caught.value.remedy and small.bytes_sent() == []


def test_a_list_that_trickles_without_end_is_given_up(small, tmp_path, monkeypatch):
    monkeypatch.setattr(hub_answers, "LONGEST_S", 0.2)
    small.delay_s = 0.1
    monkeypatch.setattr(small_hub._Handler, "_list", lambda self, repository, wanted: self._send(200, LONG, {}, wanted))
    with pytest.raises(HubError, match="does not end"):
        download(small, tmp_path).run()


def test_lists_and_files_that_come_packed_are_unpacked_as_far_as_they_are_announced(small, tmp_path, monkeypatch):
    send = small_hub._Handler._send

    def pack(self, status, content, headers, body, cut=False):
        if status == 200:
            content, headers = packed(content), headers | {"Content-Encoding": "gzip"}
        send(self, status, content, headers, body, cut)

    monkeypatch.setattr(small_hub._Handler, "_send", pack)
    monkeypatch.setattr(hub_answers, "LARGEST_BYTES", 20_000)
    assert_whole(download(small, tmp_path).run())
    small.spoiled["model.safetensors"] = bytes(40_000_000)
    with pytest.raises(HubError, match="damaged"):
        download(small, tmp_path / "swollen").run()
    assert max(path.stat().st_size for path in (tmp_path / "swollen").rglob("*")) <= len(LARGE)


def test_nothing_is_written_through_links_of_others(small, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_bytes(b"precious")
    partial = partial_folder(ENTRY, tmp_path / "root")
    partial.mkdir(parents=True)
    begun = hub._begun(partial / "model.safetensors", hub.RemoteFile("model.safetensors", 1, sha256_of(LARGE)))
    begun.symlink_to(outside / "precious")
    (partial / "config.json").symlink_to(outside / "precious")
    (partial / "MOSS-Audio-Tokenizer-v2").symlink_to(outside, target_is_directory=True)
    assert_whole(download(small, tmp_path / "root").run())
    assert files_in(outside) == {"precious"} and (outside / "precious").read_bytes() == b"precious"


def sha256_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://x/y", "http://[::1", "//", "http://127.0.0.1:9/x"])
def test_a_redirect_to_nowhere_is_told(small, tmp_path, monkeypatch, location):
    resolve = small_hub._Handler._send

    def send(self, status, content, headers, body, cut=False):
        if status == 302:
            headers = {**headers, "Location": location}
        resolve(self, status, content, headers, body, cut)

    monkeypatch.setattr(small_hub._Handler, "_send", send)
    with pytest.raises(HubError) as caught:
        download(small, tmp_path).run()
    assert caught.value.remedy and not (tmp_path / ENTRY.id).exists()


def test_a_token_stays_with_its_hub_when_the_storage_is_another_host(small, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.setattr(hub_access, "OFFICIAL", small.address)
    assert_whole(download(small, tmp_path).run())
    to_hub = [given for method, path, _, given in small.seen if not path.startswith("/cdn/")]
    to_storage = [given for method, path, _, given in small.seen if path.startswith("/cdn/")]
    assert set(to_hub) == {"Bearer hf_secret"} and set(to_storage) == {None}


def test_a_repository_without_weights_is_no_model(small, tmp_path):
    del small.repositories["maker/codec"]["model.safetensors"]
    with pytest.raises(HubError, match="no weights"):
        download(small, tmp_path).run()


def test_too_little_space_is_told_before_anything_is_fetched(small, tmp_path, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(hub.shutil, "disk_usage", lambda path: usage(10, 9, 1000))
    with pytest.raises(HubError, match="free"):
        download(small, tmp_path).run()
    assert small.bytes_sent() == []


def test_a_full_disk_says_so(small, tmp_path, monkeypatch):
    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(hub.Download, "_get", full)
    with pytest.raises(HubError, match="full"):
        download(small, tmp_path).run()


@pytest.mark.parametrize(
    ("mirror", "proxy"),
    [("hub.example", ""), ("ftp://x", ""), ("file:///etc", ""), ("http://", ""), ("http://[::1", ""),
     ("http://a b", ""), ("http://x:99999", ""), ("http://me:secret@", ""), ("", "proxy"), ("", "ftp://x:1"),
     ("", "http://me:secret@x y")],
)  # fmt: skip
def test_what_is_no_address_is_told_at_once_and_without_its_password(tmp_path, mirror, proxy):
    with pytest.raises(HubError, match="is no address") as caught:
        Download(ENTRY, tmp_path, HubOptions(mirror=mirror, proxy=proxy)).run()
    assert "Write one like" in caught.value.remedy and "secret" not in caught.value.message
    assert not list(tmp_path.iterdir())


def test_the_password_of_a_mirror_is_in_no_message(small, tmp_path):
    mirror = small.address.replace("://", "://me:secret@")
    small.statuses = {"GET /api": [500] * 9}
    with pytest.raises(HubError, match="fault of its own") as caught:
        Download(ENTRY, tmp_path, HubOptions(mirror=mirror)).run()
    assert "secret" not in f"{caught.value.message} {caught.value.remedy}"


def test_offline_asks_nobody(small, tmp_path, monkeypatch):
    with pytest.raises(HubError, match="offline"):
        Download(ENTRY, tmp_path, HubOptions(mirror=small.address, offline=True)).run()
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(HubError, match="offline"):
        download(small, tmp_path).run()
    assert small.seen == []


def test_the_mirror_comes_from_settings_then_from_the_environment(monkeypatch):
    assert HubOptions().endpoint == hub_access.OFFICIAL
    monkeypatch.setenv("HF_ENDPOINT", "https://mirror.example/")
    assert HubOptions().endpoint == "https://mirror.example"
    assert HubOptions(mirror="http://other:1/").endpoint == "http://other:1"


def test_a_token_is_never_sent_to_a_mirror(small, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    download(small, tmp_path).run()
    assert {authorisation for *_, authorisation in small.seen} == {None}


def test_a_proxy_is_used_where_one_is_set(tmp_path, small):
    with pytest.raises(HubError, match="onnection"):
        Download(ENTRY, tmp_path, HubOptions(mirror=small.address, proxy="http://127.0.0.1:9")).run()
    assert small.seen == []


@pytest.mark.parametrize("where", ["settings", "environment"])
def test_everything_goes_through_the_proxy(small, tmp_path, monkeypatch, where):
    """The small hub is the proxy: it is asked for an address that leads nowhere."""
    monkeypatch.setattr(small_hub.SmallHub, "address", property(lambda self: "http://hub.invalid"))
    proxy = f"http://127.0.0.1:{small.server.server_address[1]}"
    if where == "environment":
        monkeypatch.setenv("HTTP_PROXY", proxy)
        monkeypatch.setenv("http_proxy", proxy)
    given = proxy if where == "settings" else ""
    assert_whole(Download(ENTRY, tmp_path, HubOptions(mirror="http://hub.invalid", proxy=given)).run())


def test_nothing_answers_and_the_message_says_where(tmp_path):
    with pytest.raises(HubError, match="127.0.0.1:9"):
        Download(ENTRY, tmp_path, HubOptions(mirror="http://127.0.0.1:9")).run()


def stopped_download(small: SmallHub, root: Path, monkeypatch) -> int:
    """A download that was stopped in the middle of the large file; how many bytes had come."""
    monkeypatch.setattr(hub, "_TELL_S", 0.0)
    started = download(small, root, on_progress=lambda progress: progress.done_bytes > 150_000 and started.stop())
    with pytest.raises(DownloadStopped):
        started.run()
    return sum(path.stat().st_size for path in started.partial.rglob("*") if path.is_file())


@pytest.mark.parametrize("same_disk", [True, False])
def test_what_came_in_another_folder_is_moved_and_gone_on_from(small, tmp_path, monkeypatch, same_disk):
    monkeypatch.setattr(hub_carry, "READ_BYTES", 10_000)
    had = stopped_download(small, tmp_path / "old", monkeypatch)
    assert had > 100_000
    if not same_disk:
        monkeypatch.setattr(hub_carry.os, "rename", _another_disk)
    stages: list[str] = []
    small.seen.clear()
    went_on = download(
        small,
        tmp_path / "new",
        on_progress=lambda progress: stages.append(progress.stage),
        begun_at=partial_folder(ENTRY, tmp_path / "old"),
    )
    assert_whole(went_on.run())
    assert not (tmp_path / "old" / PARTIAL).exists() and ("moving" in stages) == (not same_disk)
    ranges = [wanted for path, wanted in small.bytes_sent() if path.startswith("/cdn/maker/voice")]
    assert ranges and all(wanted is not None for wanted in ranges), "nothing that had come is fetched again"


def _another_disk(source, target):
    raise OSError(errno.EXDEV, "another disk")


def test_a_move_that_is_stopped_loses_nothing(small, tmp_path, monkeypatch):
    monkeypatch.setattr(hub_carry, "READ_BYTES", 10_000)
    monkeypatch.setattr(hub_carry.os, "rename", _another_disk)
    had = stopped_download(small, tmp_path / "old", monkeypatch)
    old = partial_folder(ENTRY, tmp_path / "old")
    moving = download(small, tmp_path / "new", on_progress=lambda progress: moving.stop(), begun_at=old)
    with pytest.raises(DownloadStopped):
        moving.run()
    kept = [path for root in (old, moving.partial) for path in root.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in kept) == had and not [path for path in kept if path.suffix == ".moving"]
    moving._on_progress = lambda progress: None
    assert_whole(moving.run())
    assert not old.exists()


def test_a_disk_that_fills_while_moving_says_so_and_loses_nothing(small, tmp_path, monkeypatch):
    had = stopped_download(small, tmp_path / "old", monkeypatch)
    old = partial_folder(ENTRY, tmp_path / "old")

    def full(source, target):
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(hub_carry.os, "rename", full)
    with pytest.raises(HubError, match="full"):
        download(small, tmp_path / "new", begun_at=old).run()
    assert sum(path.stat().st_size for path in old.rglob("*") if path.is_file()) == had


def test_two_downloads_of_one_model_do_not_mix(small, tmp_path):
    small.delay_s = 0.02
    first, failed = download(small, tmp_path), []
    thread = threading.Thread(target=first.run)
    thread.start()
    while not small.bytes_sent():
        pass
    with pytest.raises(HubError, match="already"):
        download(small, tmp_path).run()
    thread.join()
    assert not failed
    assert_whole(tmp_path / ENTRY.id)


def test_another_program_that_downloads_here_is_told_and_a_timeout_of_the_network_is_not_taken_for_one(
    small, tmp_path, monkeypatch
):
    from huggingface_hub.utils import WeakFileLock

    monkeypatch.setattr(hub_lock, "WAIT_S", 0.1)
    partial = partial_folder(ENTRY, tmp_path)
    partial.mkdir(parents=True)
    with WeakFileLock(partial / hub_lock.LOCK), pytest.raises(HubError, match="Another program"):
        download(small, tmp_path).run()

    def late(*_: object) -> None:
        raise TimeoutError("the network")

    monkeypatch.setattr(hub.Download, "_list", late)
    with pytest.raises(HubError) as caught:
        download(small, tmp_path).run()
    assert "Another program" not in caught.value.message


def test_removing_leaves_nothing(small, tmp_path):
    folder = download(small, tmp_path).run()
    remove_download(ENTRY, tmp_path)
    assert not folder.exists()
    remove_download(ENTRY, tmp_path)


def test_a_removed_link_leaves_what_it_points_to(small, tmp_path):
    folder = download(small, tmp_path / "real").run()
    (tmp_path / "models").mkdir()
    os.symlink(folder, tmp_path / "models" / ENTRY.id)
    remove_download(ENTRY, tmp_path / "models")
    assert_whole(folder)


def test_a_damaged_model_is_seen(small, tmp_path):
    folder = download(small, tmp_path).run()
    assert read_manifest(folder)["parts"][0]["commit"] == "a" * 40
    (folder / "model.safetensors").write_bytes(b"short")
    (folder / "tokenizer.json").unlink()
    assert len(faults_of(folder)) == 2


@pytest.mark.parametrize(
    "parts",
    [None, 5, [], [5], [{}], [{"folder": "", "files": [{}]}], [{"folder": 5, "files": [{"path": "x", "size": 1}]}],
     [{"folder": "", "files": []}], [{"folder": "", "files": [{"path": "/x/y", "size": 1}]}],
     [{"folder": "", "files": [{"path": "../x", "size": 1}]}]],
)  # fmt: skip
def test_a_manifest_that_makes_no_sense_is_damage(small, tmp_path, parts):
    folder = download(small, tmp_path).run()
    (folder / MANIFEST).write_text(json.dumps({"version": 1} | ({} if parts is None else {"parts": parts})))
    assert len(faults_of(folder)) == 1


def test_a_newer_download_replaces_the_older(small, tmp_path):
    folder = download(small, tmp_path).run()
    (folder / "extra").write_text("old")
    small.repositories["maker/voice"]["tokenizer.json"] = b'{"new": 1}'
    assert json.loads((download(small, tmp_path).run() / "tokenizer.json").read_text()) == {"new": 1}
    assert not (folder / "extra").exists()


def test_a_model_in_the_hubs_own_cache_is_found_without_copying(small, tmp_path, monkeypatch):
    from huggingface_hub import constants, hf_hub_download

    cache = tmp_path / "cache"
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    assert find_in_cache(ENTRY) is None
    for repository in REPOSITORIES:
        for name in ("config.json", "model.safetensors"):
            hf_hub_download(repository, name, endpoint=small.address, cache_dir=cache, token=False)
    found = find_in_cache(ENTRY)
    assert found is not None and (found["maker/codec"] / "model.safetensors").read_bytes() == LARGE[:100_000]


@pytest.mark.parametrize("index", ["[]", "5", '{"weight_map": [[1]]}', '{"weight_map": {"a": [1]}}', "[" * 100_000])
def test_an_index_in_the_cache_that_makes_no_sense_is_no_model(small, tmp_path, monkeypatch, index):
    from huggingface_hub import constants, hf_hub_download

    cache = tmp_path / "cache"
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    for repository in REPOSITORIES:
        config = hf_hub_download(repository, "config.json", endpoint=small.address, cache_dir=cache, token=False)
        (Path(config).parent / "model.safetensors.index.json").write_text(index)
    assert find_in_cache(ENTRY) is None


@pytest.mark.parametrize("named", ["HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "XDG_CACHE_HOME", ""])
def test_the_cache_is_looked_for_where_the_client_has_it_without_loading_the_client(tmp_path, named):
    """Loading it takes a third of a second, which a window would stand still."""
    code = """
import sys
from engine import CATALOGUE, find_in_cache
from engine.hub_files import _cache_folder
assert find_in_cache(CATALOGUE[0]) is None and "huggingface_hub" not in sys.modules
ours = _cache_folder()
from huggingface_hub import constants
assert str(ours) == constants.HF_HUB_CACHE, (ours, constants.HF_HUB_CACHE)
"""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGG", "XDG_"))}
    if named:
        environment[named] = str(tmp_path / "somewhere")
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_the_catalogue_names_what_is_published():
    entry = CATALOGUE[0]
    assert [part.repo_id for part in entry.parts] == [
        "OpenMOSS-Team/MOSS-TTS-Local-Transformer-v1.5",
        "OpenMOSS-Team/MOSS-Audio-Tokenizer-v2",
    ]
    assert len(entry.languages) == 31 and entry.licence and entry.size_bytes > 10**10


def test_a_broken_connection_is_told_in_the_log_and_not_on_the_screen(small, tmp_path):
    small.cuts = [50_000, 60_000, None]
    fetch = (
        "import sys, logging, pathlib\n"
        "from engine import HubOptions, Download\n"
        "from engine.catalogue import CatalogueEntry, Part\n"
        "from engine.card import ModelCard\n"
        "logging.basicConfig(filename=sys.argv[3])\n"
        "part = Part('maker/voice')\n"
        "entry = CatalogueEntry('voice-1', 'Voice', '', '', '', (part,), 1, ModelCard(name='Voice'))\n"
        "Download(entry, pathlib.Path(sys.argv[2]), HubOptions(mirror=sys.argv[1])).run()\n"
    )
    root = Path(__file__).resolve().parents[2]
    log = tmp_path / "log"
    given = [sys.executable, "-c", fetch, small.address, str(tmp_path / "models"), str(log)]
    done = subprocess.run(given, cwd=root, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "resume" in log.read_text()
