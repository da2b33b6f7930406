"""Pages go to rows as they grow, come back when they end, and never belong to two."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import DeviceError
from engine.runtime.paged import PAGE_ROWS, PagedCache
from engine.runtime.random_weights import FULL_LM

CONFIG = replace(FULL_LM.backbone, layers=2, kv_heads=2, head_dim=4)


def cache(*, pages: int = 6, rows: int = 3, longest: int = 4 * PAGE_ROWS) -> PagedCache:
    return PagedCache(CONFIG, pages=pages, rows=rows, longest=longest, device=torch.device("cpu"), dtype=torch.float32)


def test_a_row_takes_a_page_when_it_grows_over_the_last_one() -> None:
    store = cache()
    store.reserve(0, PAGE_ROWS)
    assert len(store.pages_of(0)) == 1
    store.reserve(0, PAGE_ROWS + 1)
    assert len(store.pages_of(0)) == 2 and store.free_pages == 4


def test_the_page_of_nobody_is_never_handed_out() -> None:
    store = cache(pages=3)
    for row in range(3):
        store.reserve(row, 1)
    assert sorted(page for row in range(3) for page in store.pages_of(row)) == [1, 2, 3]


def test_what_is_copied_from_one_row_is_pasted_into_another_across_pages() -> None:
    store = cache()
    store.reserve(2, 1)
    store.reserve(1, PAGE_ROWS + 30)
    store.keys.normal_()
    store.values.normal_()
    kept = store.copy(1, PAGE_ROWS + 20)
    assert kept.nbytes == (PAGE_ROWS + 20) * store.position_bytes
    store.reserve(0, PAGE_ROWS + 30)
    before = store.keys.clone(), store.values.clone()
    store.paste(0, kept)
    theirs, ours = store.pages_of(1), store.pages_of(0)
    for part, old in zip((store.keys, store.values), before, strict=True):
        assert torch.equal(part[:, ours[0]], part[:, theirs[0]])
        assert torch.equal(part[:, ours[1], :, :20], part[:, theirs[1], :, :20])
        assert torch.equal(part[:, ours[1], :, 20:], old[:, ours[1], :, 20:])
        rest = [page for page in range(7) if page not in ours]
        assert torch.equal(part[:, rest], old[:, rest])


def test_a_row_that_gets_no_page_fails_alone_and_goes_on_when_another_ends() -> None:
    store = cache(pages=2)
    store.reserve(0, 1)
    store.reserve(1, 1)
    with pytest.raises(DeviceError) as caught:
        store.reserve(0, PAGE_ROWS + 1)
    assert caught.value.remedy and len(store.pages_of(0)) == 1 and len(store.pages_of(1)) == 1
    store.release(1)
    store.reserve(0, PAGE_ROWS + 1)
    assert len(store.pages_of(0)) == 2


def test_a_row_longer_than_any_may_be_is_refused_whatever_is_free() -> None:
    store = cache(pages=6, longest=2 * PAGE_ROWS)
    with pytest.raises(DeviceError, match="longer than the model can hold"):
        store.reserve(0, 2 * PAGE_ROWS + 1)
    assert store.free_pages == 6


def test_a_released_row_points_at_the_page_of_nobody() -> None:
    store = cache()
    store.reserve(1, 3 * PAGE_ROWS)
    store.release(1)
    assert not store.table[1].any() and store.free_pages == 6 and store.pages_of(1) == []


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5 * PAGE_ROWS)), max_size=40))
@settings(max_examples=60, deadline=None)
def test_no_page_ever_belongs_to_two_rows_or_is_lost(deeds: list[tuple[int, int]]) -> None:
    store = cache()
    for row, positions in deeds:
        if positions == 0:
            store.release(row)
        else:
            try:
                store.reserve(row, positions)
            except DeviceError:
                pass
        owned = [page for each in range(3) for page in store.pages_of(each)]
        assert len(set(owned)) == len(owned) and len(owned) + store.free_pages == 6 and 0 not in owned
        for each in range(3):
            pages = store.pages_of(each)
            assert store.table[each, : len(pages)].tolist() == pages
