"""Kept voices come back exactly, stay within their bytes, and leave in the order in which they were not heard."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from engine.runtime.paged import PAGE_ROWS, PagedCache
from engine.runtime.prefixes import PrefixStore
from engine.runtime.random_weights import FULL_LM

CONFIG = replace(FULL_LM.backbone, layers=2, kv_heads=2, head_dim=4)
ROWS = 10


@pytest.fixture
def cache() -> PagedCache:
    made = PagedCache(CONFIG, pages=6, rows=3, longest=2 * PAGE_ROWS, device=torch.device("cpu"), dtype=torch.float32)
    for row in range(3):
        made.reserve(row, PAGE_ROWS + 1)
    made.keys.normal_()
    made.values.normal_()
    return made


def voice(number: int, rows: int = ROWS) -> torch.Tensor:
    return torch.full((rows, 13), number, dtype=torch.int64)


def test_a_kept_voice_comes_back_exactly_and_others_are_not_there(cache: PagedCache) -> None:
    store = PrefixStore(cache, 1 << 20)
    store.keep(voice(1), 0)
    expected = cache.copy(0, ROWS)
    cache.keys.zero_()
    assert store.paste(voice(1), 2) and torch.equal(cache.copy(2, ROWS), expected)
    assert not store.paste(voice(2), 2) and not store.paste(voice(1, ROWS - 1), 2)


def test_the_voice_that_was_not_heard_for_longest_leaves_first(cache: PagedCache) -> None:
    store = PrefixStore(cache, 2 * ROWS * cache.position_bytes)
    store.keep(voice(1), 0)
    store.keep(voice(2), 0)
    assert store.paste(voice(1), 1)
    store.keep(voice(3), 0)
    assert [store.paste(voice(number), 1) for number in (1, 2, 3)] == [True, False, True]


@pytest.mark.parametrize("room", [0, 3 * ROWS])
def test_voices_never_take_more_than_their_bytes(cache: PagedCache, room: int) -> None:
    store = PrefixStore(cache, room * cache.position_bytes)
    for number, rows in enumerate((ROWS, 2 * ROWS, ROWS, 4 * ROWS, 5, 25, 3 * ROWS)):
        store.keep(voice(number, rows), 0)
        assert store.nbytes <= store.most_bytes
    assert store.paste(voice(6, 3 * ROWS), 1) == (room > 0)
    assert not store.paste(voice(3, 4 * ROWS), 1)  # too large for the store; what was in it stayed


def test_a_voice_that_finds_no_memory_is_not_kept_and_nothing_fails(cache: PagedCache, monkeypatch) -> None:
    def full(row: int, length: int) -> torch.Tensor:
        raise torch.OutOfMemoryError("no memory")

    store = PrefixStore(cache, 1 << 20)
    monkeypatch.setattr(cache, "copy", full)
    store.keep(voice(1), 0)
    assert store.nbytes == 0 and not store.paste(voice(1), 1)
