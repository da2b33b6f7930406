"""A long text is spoken from its beginning on before the rest is planned, and in the same pieces."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.paths import starter
from app.services.serve import asked
from app.services.serve.asked import Asked, beginning_of, plan_of, rest_of
from app.services.serve.wish import Wish
from engine import Pause, plan_speech, read_card
from engine.catalogue import LOCAL_V15

CARDS = {"starter": read_card(starter()), "full": LOCAL_V15.card}
WORDS = [
    "One fox runs.",
    "Is it late? ",
    "今天天气很好。",
    "[pause 1.5s]",
    "[pau",
    " ",
    "\n\n",
    "a long clause, and more, ",
    "(note)",
]


def heard(plan) -> list:
    return [item.seconds if isinstance(item, Pause) else item.text for item in plan.items]


def stream_of(text: str, **more) -> Wish:
    return Wish(text=text, stream="audio", response_format="pcm", **more)


@pytest.mark.parametrize("name", CARDS)
def test_beginning_and_rest_are_the_whole(name):
    text = " ".join(
        f"The fox of day {'one two three'.split()[i % 3]} runs over the hill, and sleeps." for i in range(900)
    )
    wish = stream_of(text)
    whole, beginning = plan_of(wish, CARDS[name]), beginning_of(wish, CARDS[name])
    assert len(text) > asked.LONG and beginning is not None and len(beginning.pieces) == 1
    assert heard(beginning) + heard(rest_of(wish, CARDS[name], beginning)) == heard(whole)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=30, max_size=120).map("".join), st.sampled_from(sorted(CARDS)))
def test_nothing_is_left_out_or_said_twice_and_no_cut_is_warned_of(text, name):
    card, wish = CARDS[name], stream_of(text)
    limits = asked.BEGINNING, asked.LONG
    asked.BEGINNING, asked.LONG = len(text) // 2, 1
    try:
        beginning = beginning_of(wish, card)
        if beginning is None:
            return
        rest = rest_of(wish, card, beginning)
    finally:
        asked.BEGINNING, asked.LONG = limits
    both = heard(beginning) + heard(rest)
    whole = heard(plan_speech(text, card, pauses="natural"))
    squeezed = ["".join(str(each) for each in parts).replace(" ", "") for parts in (both, whole)]
    assert squeezed[0] == squeezed[1]
    codes = {each.code for each in plan_speech(text, card, pauses="natural").warnings}
    assert {each.code for each in beginning.warnings} <= codes


def test_a_sentence_longer_than_the_beginning_goes_on_where_it_was_cut(monkeypatch):
    monkeypatch.setattr(asked, "BEGINNING", 1500)
    monkeypatch.setattr(asked, "LONG", 2000)
    words = [f"word{'abcdefghij'[i % 10]}" for i in range(700)]
    wish = stream_of(" ".join(words))
    beginning = beginning_of(wish, CARDS["starter"])
    rest = rest_of(wish, CARDS["starter"], beginning)
    assert " ".join([*heard(beginning), *heard(rest)]).split() == words
    assert "long_sentence" in {each.code for each in rest.warnings}


@pytest.mark.parametrize("more", [{"tokens": 900}, {"stream": ""}, {"text": "Short."}])
def test_where_all_must_be_known_all_is_planned_first(more):
    wish = Wish(**{"text": "The fox runs. " * 3000, "stream": "audio", **more})
    assert beginning_of(wish, CARDS["starter"]) is None


def test_only_the_first_request_goes_on_from_the_clip(tmp_path):
    from engine import Clip

    wish = stream_of("The fox runs home. " * 200)
    plan = plan_of(wish, CARDS["full"])
    clip = Clip(path=tmp_path / "a.wav", transcript="so it goes")
    first, *others = Asked(wish, CARDS["full"], clip, continues=True).requests(plan)
    assert first.continue_from == clip and not first.references and others
    assert all(each.continue_from is None and not each.references for each in others)
