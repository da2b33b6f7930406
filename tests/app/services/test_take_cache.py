"""What was spoken once is found again by its content, in every project, and never outgrows its room."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from app.model.commands import PutTake
from app.model.take import PieceAudio, Take
from app.model.take_key import take_key
from app.paths import paths_for
from app.services import take_cache
from app.services.store import ProjectStore
from app.services.take_cache import Lease, TakeCache


def noise(seed: int, count: int = 60_000) -> np.ndarray:
    return (np.random.default_rng(seed).integers(-(2**20), 2**20, (count, 2)) / 2**23).astype(np.float32)


def put(cache: TakeCache, number: int, state: str = "done") -> str:
    audio = noise(number)
    key = take_key({"text": f"line {number}"})
    take = Take(block_id="b", key=key, text=f"line {number} “é”", state=state, seconds=len(audio) / 48_000,
                pieces=(PieceAudio(0, len(audio), 0),), figures={"rtf": 0.1})  # fmt: skip
    cache.keep(take, [audio[:1_000], audio[1_000:]])
    return key


@pytest.fixture
def cache(tmp_path: Path):
    opened = TakeCache(tmp_path / "takes")
    yield opened
    opened.close()


def test_a_take_is_found_again_after_a_restart_with_all_of_it(cache: TakeCache) -> None:
    key = put(cache, 1)
    cache.close()
    found = TakeCache(cache.folder).find(key)
    assert found.text == "line 1 “é”" and found.pieces == (PieceAudio(0, 60_000, 0),) and found.key == key
    assert np.array_equal(np.concatenate(list(TakeCache(cache.folder).blocks(key))), noise(1))
    assert cache.find(take_key({"text": "other"})) is None


def test_only_complete_takes_are_kept(cache: TakeCache) -> None:
    for state in ("making", "incomplete", "suspicious", "failed"):
        assert cache.find(put(cache, 1, state)) is None
    assert not cache.keep(Take(block_id="b", state="done"), [noise(1)])


def test_a_take_whose_audio_is_not_whole_is_not_kept(cache: TakeCache) -> None:
    take = Take(block_id="b", key="a" * 64, state="done", seconds=2.0)
    assert not cache.keep(take, [noise(1)]) and cache.find("a" * 64) is None
    assert list(cache.folder.glob("*/*")) == []


def test_the_least_recently_used_goes_first(cache: TakeCache) -> None:
    keys = [put(cache, number) for number in range(4)]
    each = cache.size_bytes // 4
    assert cache.find(keys[0]) is not None  # used again
    cache.most_bytes = int(each * 3.5)
    keys.append(put(cache, 4))
    assert [cache.find(key) is not None for key in keys] == [True, False, False, True, True]
    assert cache.size_bytes <= cache.most_bytes


def test_what_an_open_project_uses_never_goes(cache: TakeCache) -> None:
    used = put(cache, 0)
    lease = Lease(cache)
    lease.hold([used, ""])
    cache.most_bytes = 1
    other = put(cache, 1)
    assert cache.find(used) is not None and cache.find(other) is None
    lease.release()
    cache.clear()
    assert cache.find(used) is None


def test_the_lease_of_a_dead_process_holds_nothing(cache: TakeCache) -> None:
    key = put(cache, 0)
    program = (
        "import sys; from pathlib import Path; from app.services.take_cache import Lease, TakeCache\n"
        "cache = TakeCache(Path(sys.argv[1])); Lease(cache).hold([sys.argv[2]]); import os; os._exit(1)"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    subprocess.run([sys.executable, "-c", program, str(cache.folder), key], env=environment, timeout=60, check=False)
    with cache.index() as index:
        assert index.execute("SELECT count(*) FROM leases").fetchone()[0] == 1
    cache.clear()
    assert cache.find(key) is None


@pytest.mark.parametrize("damage", [b"", b"junk" * 100, None])
def test_a_damaged_take_is_not_found_and_goes(cache: TakeCache, damage: bytes | None) -> None:
    key = put(cache, 1)
    path = next(cache.folder.glob(f"*/{key}.flac"))
    path.write_bytes(path.read_bytes()[:2_000] if damage is None else damage)
    assert cache.find(key) is None or damage is None
    if damage is not None:
        assert not path.exists()


def test_a_lost_or_damaged_index_is_made_again_from_the_files(cache: TakeCache) -> None:
    keys = [put(cache, number) for number in range(3)]
    size = cache.size_bytes
    cache.close()
    for data in (b"no database at all" * 100, None):
        for file in cache.folder.glob("index.sqlite*"):
            file.unlink()
        if data is not None:
            (cache.folder / "index.sqlite").write_bytes(data)
        again = TakeCache(cache.folder)
        again.tidy()
        assert again.size_bytes == size and all(again.find(key) for key in keys)
        again.close()


def test_what_a_crash_left_is_tidied_up(cache: TakeCache, monkeypatch) -> None:
    key = put(cache, 1)
    path = next(cache.folder.glob(f"*/{key}.flac"))
    part = path.with_suffix(".part")
    part.write_bytes(b"half")
    monkeypatch.setattr(take_cache, "_OLD_PART_S", -1.0)
    path.unlink()
    cache.tidy()
    assert not part.exists() and cache.size_bytes == 0


@pytest.mark.parametrize("key", ["", "../../etc/passwd", "A" * 64, "a" * 63])
def test_a_name_that_is_no_key_leads_nowhere(cache: TakeCache, key: str) -> None:
    assert cache.find(key) is None and not cache.keep(Take(block_id="b", key=key, state="done"), [noise(1)])
    with pytest.raises(OSError):
        list(cache.blocks(key))


def test_several_users_at_once_keep_it_whole(cache: TakeCache) -> None:
    other = TakeCache(cache.folder)
    errors: list[BaseException] = []

    def use(mine: TakeCache) -> None:
        try:
            for number in range(8):
                assert mine.find(put(mine, number)) is not None
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=use, args=(each,)) for each in (cache, other, cache, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.close()
    assert errors == [] and len(list(cache.folder.glob("*/*.flac"))) == 8


def test_a_cache_that_cannot_be_written_keeps_nothing_from_working(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    cache = TakeCache(blocked / "takes")
    assert cache.find("a" * 64) is None
    assert not cache.keep(Take(block_id="b", key="a" * 64, state="done", seconds=1.0), [noise(1, 48_000)])


def test_an_open_project_holds_the_takes_it_had_and_those_it_gets(cache: TakeCache, tmp_path: Path) -> None:
    had, got, other = (put(cache, number) for number in range(3))
    paths = paths_for(tmp_path / "profile")
    with ProjectStore.create(tmp_path / "a.mvs", paths=paths) as store:
        block_id = store.project.blocks[0].id
        store.history.note(PutTake(Take(block_id=block_id, key=had, state="done")))
        store.lease_takes(cache)
        saved = threading.Event()
        store.saved.connect(lambda sequence: saved.set() if sequence == store.sequence else None)
        store.history.note(PutTake(Take(block_id=block_id, key=got, state="done")))
        assert saved.wait(10)
        assert cache.clear() == 1
        assert [cache.find(key) is not None for key in (had, got, other)] == [True, True, False]
    assert cache.clear() == 2
