"""What can be said of a line without making anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.services.block_states import has_words
from engine import find_tags

PARTS = st.sampled_from(
    [
        "a",
        "7",
        "字",
        "é",
        "_",
        " ",
        "…",
        "#",
        "[pause 1s]",
        "[length 2s]",
        "[Leif=>layf]",
        "<break time='1s'/>",
        "[",
        "<",
    ]
)


@given(st.lists(PARTS, max_size=12).map("".join))
def test_a_line_has_words_where_a_letter_or_digit_stands_beside_its_tags(text):
    tags = find_tags(text)
    bare = list(text)
    for tag in tags:
        bare[tag.start : tag.end] = " " * (tag.end - tag.start)
    said = any(tag.kind in ("say", "broken") for tag in tags)
    assert has_words(text) == (said or any(map(str.isalnum, bare)))


@pytest.mark.parametrize(
    ("text", "is_so"), [("", False), ("… – !", False), ("[pause 2s]", False), ("[pause 2s] x", True)]
)
def test_pauses_alone_are_no_words(text, is_so):
    assert has_words(text) is is_so
