"""Tags of long texts are those of a search through all of it, and a key looks through a part only."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.services import kept_tags
from app.services.kept_tags import LONG_TEXT, parts_of, tags_in
from engine import find_tags

BITS = [
    "word ",
    "several words of a sentence, and more. " * 20,
    "x" * 900,
    " " * 30,
    "[pause 1.5s]",
    '<break time="2s"/>',
    "[Leif=>layf]",
    "[a long name of somebody" + " and more" * 15 + "=>" + "said " * 70 + "]",
    "[pause 1",
    "[",
    "<b> ",
    "[one <b> two => three] ",
    "[half=> ",
    "]",
    "> ",
    "【pause 2秒】",
    "\U0001f600 ",
]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(BITS), max_size=60))
def test_tags_are_the_same_as_in_one_search(bits: list[str]) -> None:
    text = "".join(bits)
    assert tags_in(text) == tuple(find_tags(text))
    assert "".join(parts_of(text)) == text


def test_a_key_in_a_long_line_has_only_its_part_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[int] = []

    def search(text: str) -> Any:
        searched.append(len(text))
        return find_tags(text)

    monkeypatch.setattr(kept_tags, "find_tags", search)
    text = "".join(
        f"Sentence {number} of a line that does not end [pause 0.5s] for long. Really. " for number in range(300)
    )
    text += "".join(f"Words number {number} without any tag, sentence after sentence. " for number in range(4000))
    first = tags_in(text)
    assert sum(searched) == len(text) and len(first) == 300
    searched.clear()
    at = len(text) - 90_000
    assert len(tags_in(text[:at] + "x" + text[at:])) == 300 and 0 < sum(searched) <= 4 * LONG_TEXT
