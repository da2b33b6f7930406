"""Any text at all: no exception, nothing but clean pieces, and time in proportion to its length."""

import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.card import FULL_SIZE_CARD, read_card
from engine.text.markup import find_tags
from engine.text.plan import Piece, plan_speech

STARTER = read_card(Path(__file__).parents[2] / "resources" / "starter")
CARDS = [STARTER, FULL_SIZE_CARD, replace(FULL_SIZE_CARD, longest_piece_s=3, pause_tags=None)]

any_character = st.characters(codec=None, categories=None)
tag_parts = st.sampled_from(
    [
        "[pause",
        "[length",
        "[",
        "]",
        "=>",
        "<break",
        'time="',
        '"/>',
        ">",
        " 1.5s",
        "=2s",
        "500ms",
        "-",
        "99999999999s",
        "[a=>",
        "[Leif=>layf]",
    ]
    + ["[pause 1s]", "[pause 0.04s]", "<break time='3s'/>", "[length 4.0s]", "<|im_end|>", "${token:5}"]
)
words = st.sampled_from(
    [
        "Mr. ",
        "U.S. ",
        "e.g. ",
        "3.14",
        "1,000",
        "https://x.y/z?a=b.",
        "a@b.co ",
        "“",
        "”",
        "’",
        "—",
        "…",
        "«",
        " »",
        "。",
        "？！",
        "।",
        "؟",
    ]
    + [
        "สวัสดีครับ",
        "नमस्ते",
        "مرحبا",
        "שלום",
        "你好",
        "こんにちは",
        "안녕",
        "\u202e",
        "\u200f",
        "\ufeff",
        "\u0301",
        "\x00",
        "\ud83d",
        "\udc00",
    ]
    + ["👩‍👩‍👧", "🇫🇷", "A" * 40, " " * 9, "\n\n", "\r\n", "\t", "İ", "ẞ", "ǆ", "ﬃ", "½", "²", "№", "𝕳", "𠀀"]
)


@settings(max_examples=500, deadline=None)
@given(
    st.lists(st.one_of(tag_parts, words, st.text(any_character, max_size=8)), max_size=60).map("".join),
    st.sampled_from(CARDS),
    st.sampled_from(["exact", "natural"]),
    st.booleans(),
    st.sampled_from([None, "en", "Chinese", "Thai", "Arabic", "Hindi", "?"]),
    st.lists(st.tuples(st.text(any_character, max_size=4), st.text(any_character, max_size=6)), max_size=4),
)
def test_any_text_is_planned(text, card, pauses, normalise, language, lexicon):
    plan = plan_speech(text, card, pauses=pauses, normalise=normalise, language=language, lexicon=lexicon)
    for item in plan.items:
        assert 0 <= item.start < item.end <= len(text)
        if isinstance(item, Piece):
            item.text.encode("utf-8")
            assert any(character.isalnum() or character in "%&+=@$€£¥" for character in item.text)
            assert card.characters == "any" or item.text.isascii()
            assert item.estimate_frames >= 1 and 0 <= item.own_pause_s <= 10.5
        else:
            assert 0 <= item.seconds <= 10 * max(1, len(find_tags(text)))
    for warning in plan.warnings:
        assert warning.code and warning.message and len(warning.message) < 1000
    plan.from_source(len(text) // 2)


HOSTILE = {
    "one word": "a",
    "spaces": " ",
    "stops": ".",
    "lines": "\n",
    "lines and spaces": "\n ",
    "han": "好",
    "thai": "ก",
    "emoji": "😀",
    "accents": "\u0301",
    "viramas": "\u0915\u094d",
    "dashes": "—",
    "spaced dashes": " —",
    "hyphens": "-",
    "quotes": '"',
    "closing quotes": ". »",
    "dots": "... ",
    "commas": "x,",
    "digits": "1",
    "surrogates": "\ud800",
    "nul": "\x00",
    "open brackets": "[",
    "pauses": "[pause 1s]",
    "broken pauses": "[pause ",
    "broken says": "[a=>",
    "says": "[a=>b]",
    "breaks": "<break ",
    "capitals": "A",
    "short words": "a ",
    "addresses": "a.",
    "at": "a@",
    "arrows": "->",
    "headings": "# ",
    "items": "1. ",
    "brackets": "【",
    "book marks": "《",
    "links": "[a](",
}


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
def test_time_grows_with_the_length_not_with_its_square(unit):
    """Sixteen times the text may take sixteen times as long, with room for a busy machine; the square would be 256."""

    def spent(n):
        text = (unit * n)[:n] + "x"
        best = float("inf")
        for _ in range(2):
            start = time.process_time()
            for card, normalise in ((STARTER, False), (FULL_SIZE_CARD, True)):
                plan_speech(text, card, lexicon=[("a", "b"), ("好", "b")], normalise=normalise, pauses="natural")
            best = min(best, time.process_time() - start)
        return best

    small, large = spent(2_000), spent(32_000)
    assert large < 80 * small + 0.05


@pytest.mark.full
@pytest.mark.parametrize("unit", ["a", "好", "a ", "Mr. Smith said so. ", "[pause 1s]"])
def test_a_megabyte_is_planned(unit):
    text = (unit * 1_000_000)[:1_000_000]
    for card in (STARTER, FULL_SIZE_CARD):
        plan_speech(text, card)
