"""The optional normaliser."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.card import FULL_SIZE_CARD
from engine.text.normalize import normalise
from engine.text.plan import plan_speech


@pytest.mark.parametrize(
    ("written", "clean"),
    [
        ("# Title\n\n- one\n- two", "Title. one. two"),
        ("> quoted\n1. first", "quoted. first"),
        ("你好 ， 世界……真的吗？！！", "你好，世界。真的吗？！"),
        ("你好 2024 年 hello世界", "你好2024年 hello 世界"),
        ("一行\n又一行", "一行。又一行"),
        ("[link](http://a.b/c) x--y", "link http://a.b/c x. y"),
        ("【公告】今天放假", "公告。今天放假"),
        ("《三体》", "三体"),
        ("我读《三体》了", "我读《三体》了"),
        ("a → b", "a, b"),
        ("甲→乙", "甲，乙"),
        ("什么——没有", "什么。没有"),
        ("Hi!!! What?!?!", "Hi! What?!"),
        ("See www.x.com/a--b and file.tar.gz", "See www.x.com/a--b and file.tar.gz"),
        ("me--too@x-y.org #tag @you", "me--too@x-y.org #tag @you"),
        ("zero\u200bwidth\u3000space\r\nline", "zerowidth space. line"),
        ("keep [this] and {that}", "keep [this] and {that}"),
        ("Well done.", "Well done."),
    ],
)
def test_text_is_cleaned(written, clean):
    assert normalise(written) == clean


atoms = st.sampled_from(
    list(" \n.。,，!！?？…-—>→#*[](){}【】《》「」1aA好こ한")
    + ["http://a.b/c", "...", "--", "->", "\r\n", "\u200b", "a.b", "](", "1. ", "# "]
)


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.lists(atoms, max_size=30).map("".join), st.text(max_size=60)))
def test_cleaning_twice_changes_nothing_more(text):
    once = normalise(text)
    assert normalise(once) == once


def test_it_is_off_unless_asked_for_and_keeps_the_way_back():
    text = "Wait -- what?!?! [pause 1s] 你好 世界"
    assert plan_speech(text, FULL_SIZE_CARD).pieces[0].text == "Wait -- what?!?!"
    plan = plan_speech(text, FULL_SIZE_CARD, normalise=True)
    assert [piece.text for piece in plan.pieces] == ["Wait. what?!", "你好世界"]
    assert text[plan.to_source(1, 2) :].startswith("世界")
