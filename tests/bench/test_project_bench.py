"""Figures of long projects: opening, typing, reading from the middle, copying and compacting."""

from __future__ import annotations

import sqlite3
import statistics
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from app.model.commands import PutTake, ReplaceText
from app.model.take import PieceAudio, Take
from app.paths import paths_for
from app.services import store_audio
from app.services.store import ProjectStore

pytestmark = pytest.mark.bench

BLOCKS = 5_000
WORDS = 10
SEGMENTS = 18_000  # of two seconds: ten hours


def timed(what: str, deed: Callable[[], object]) -> float:
    begin = time.perf_counter()
    deed()
    took = time.perf_counter() - begin
    print(f"{what}: {took * 1000:.1f} ms")
    return took


def speech(seconds: float) -> np.ndarray:
    """Something that FLAC makes about as large as speech: smooth noise with silence in it."""
    chance = np.random.default_rng(1)
    slow = np.cumsum(chance.normal(size=(int(seconds * 48_000), 2)), axis=0)
    slow = slow - np.convolve(slow[:, 0], np.ones(400) / 400, "same")[:, None]
    loud = np.abs(np.sin(np.arange(len(slow)) / 20_000))[:, None] ** 3
    return np.rint(slow / np.abs(slow).max() * loud * 0.5 * 2**23).astype(np.float32) / np.float32(2**23)


@pytest.fixture(scope="module")
def ten_hours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """5,000 paragraphs, each with a take of 7.2 s: ten hours."""
    folder = tmp_path_factory.mktemp("ten hours")
    path = folder / "book.mvs"
    each = SEGMENTS // BLOCKS
    flac = store_audio.encode(speech(2.0))
    with ProjectStore.create(path, paths=paths_for(folder / "profile")) as store:
        store.history.do(ReplaceText(0, "", "\n".join("a word of the book " * (WORDS // 5) for _ in range(BLOCKS))))
        lengths = [each + (1 if number < SEGMENTS - each * BLOCKS else 0) for number in range(BLOCKS)]
        for number, block in enumerate(list(store.project.blocks)):
            samples = lengths[number] * 96_000
            pieces = (PieceAudio(0, samples, 0),)
            take = Take(
                f"t{number}", block.id, "", block.text, {"model": "x"}, 1, "done", "stop", samples / 48_000, pieces
            )
            store.history.note(PutTake(take, choose=True))

        def fill(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN")
            for number, count in enumerate(lengths):
                connection.executemany(
                    "INSERT INTO segments (take, start, samples, crc, flac) VALUES (?, ?, 96000, ?, ?)",
                    [(f"t{number}", at * 96_000, zlib.crc32(flac), flac) for at in range(count)],
                )
            connection.execute("COMMIT")

        store._writer.call(fill).result()
    print(f"\n{path.stat().st_size / 1e9:.2f} GB, {len(flac) / 2 * 3600 / 1e6:.0f} MB an hour")
    return path


@pytest.mark.full
def test_a_project_of_ten_hours(ten_hours: Path) -> None:
    paths = paths_for(ten_hours.parent / "profile")
    stores: list[ProjectStore] = []
    timed("open", lambda: stores.append(ProjectStore.open(ten_hours, paths=paths)))
    store = stores[0]
    assert len(store.project.blocks) == BLOCKS and store.notices == []
    timed("first read from the middle", lambda: store.read_take("t2500", 96_000, 9_600))
    timed("read of another middle", lambda: store.read_take("t3777", 50_000, 9_600))
    timed("key", lambda: store.history.do(ReplaceText(store.project.characters // 2, "", "x")))
    timed("commit", store.flush)
    timed("save as", lambda: store.save_as(ten_hours.with_name("copy.mvs")))
    rewrite = store.compact()
    timed("compact", rewrite)
    timed("close", store.close)
    timed("open again", lambda: stores.append(ProjectStore.open(ten_hours.with_name("copy.mvs"), paths=paths)))
    stores[1].close()


def test_typing_into_a_long_script(tmp_path: Path) -> None:
    with ProjectStore.create(tmp_path / "book.mvs", paths=paths_for(tmp_path / "profile")) as store:
        text = "\n".join("a word of the book " * (WORDS // 5) for _ in range(BLOCKS))
        timed(f"paste of {BLOCKS} paragraphs", lambda: store.history.do(ReplaceText(0, "", text)))
        timed("commit of it", store.flush)
        for name, position in (
            ("start", 5),
            ("middle", store.project.characters // 2),
            ("end", store.project.characters),
        ):
            for what, typed in (("key", "x"), ("new paragraph", "\n")):
                costs = []
                for number in range(200):
                    begin = time.perf_counter()
                    store.history.do(ReplaceText(position + number, "", typed), "typing")
                    costs.append((time.perf_counter() - begin) * 1000)
                costs.sort()
                print(f"{what} at the {name}: median {statistics.median(costs):.3f} ms, 99 % {costs[197]:.3f} ms")
        assert store.flush(60)
