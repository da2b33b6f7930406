"""The list of blocks answers as a plain list of texts does, whatever was done to it before."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.model.block import Block
from app.model.block_list import BlockList

DEEDS = st.lists(
    st.tuples(
        st.sampled_from(["splice", "put", "look"]),
        st.integers(0, 2000),
        st.integers(0, 300),
        st.integers(0, 300),
        st.text("ab ", max_size=4),
    ),
    max_size=14,
)


def check(found: BlockList, plain: list[Block], at: int) -> None:
    script = "\n".join(block.text for block in plain)
    assert len(found) == len(plain) and list(found) == plain and found.characters == len(script)
    if not plain:
        return
    index = at % len(plain)
    start = sum(len(block.text) + 1 for block in plain[:index])
    assert found[index] is plain[index] and found.index_of(plain[index].id) == index
    assert found.start_of(index) == start and found.start_of(len(plain)) == len(script) + 1
    assert found.at_position(start) == (index, 0)
    assert found.at_position(start + len(plain[index].text)) == (index, len(plain[index].text))
    assert found[index : index + 200] == plain[index : index + 200]
    for outside in (-1, len(script) + 1):
        with pytest.raises(IndexError):
            found.at_position(outside)


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 400), DEEDS)
def test_it_is_a_list_with_positions(count: int, deeds: list[tuple[str, int, int, int, str]]) -> None:
    plain = [Block(text="x" * (number % 5)) for number in range(count)]
    found = BlockList(plain)
    for kind, where, gone, come, text in deeds:
        at = where % (len(plain) + 1)
        if kind == "splice":
            new = [Block(text=text) for _ in range(come)]
            assert found.splice(at, min(gone, len(plain) - at), new) == plain[at : at + gone]
            plain[at : at + gone] = new
        elif kind == "put" and plain:
            at %= len(plain)
            plain[at] = replace(plain[at], text=text)
            found.put(plain[at])
        else:
            check(found, plain, where)
    for at in (0, 63, 64, 127, 128, 399):
        check(found, plain, at)
