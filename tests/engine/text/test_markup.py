"""Tags: what is read, what is half written, what a pill covers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.markup import find_tags, format_length, format_pause, format_say


def one(text):
    (tag,) = find_tags(text)
    return tag


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("[pause 1.5s]", 1.5),
        ("[pause=2s]", 2),
        ("[pause 500ms]", 0.5),
        ("[pause: 2 s]", 2),
        ("[PAUSE 2S]", 2),
        ("[ pause .5s ]", 0.5),
        ("[pause 1,5s]", 1.5),
        ("[pause 2 seconds]", 2),
        ("[pause2s]", 2),
        ("[pause 0s]", 0),
        ('<break time="1s"/>', 1),
        ("<break time='250ms' />", 0.25),
        ('<break time="1s">', 1),
        ('<break time="1s"></break>', 1),
        ('<BREAK TIME="1.5s"/>', 1.5),
        ("【pause 1.5s】", 1.5),
        ("［pause １．５秒］", 1.5),
        ("[pause 0000000000000000001.5s]", 1.5),
        ("[pause 0.50000000000000000000000000s]", 0.5),
        (f"[pause {'0' * 5000}2s]", 2),
        (f'<break time="{"0" * 40}250ms"/>', 0.25),
    ],
)
def test_every_spelling_of_a_pause_is_read(written, seconds):
    tag = one(f"before {written} after")
    assert (tag.kind, tag.seconds, tag.problem) == ("pause", seconds, "")
    assert (tag.start, tag.end) == (7, 7 + len(written))


@pytest.mark.parametrize(
    "written",
    ["[pause 20s]", '<break time="1000s"/>', "[pause 10001ms]", f"[pause {'9' * 20}s]", f"[pause {'9' * 5000}ms]"],
)
def test_a_pause_is_limited_to_ten_seconds_and_says_so(written):
    tag = one(written)
    assert tag.seconds == 10 and "10 seconds" in tag.problem


def test_lengths_and_pronunciations_are_read():
    tags = find_tags("[length 4.0s] I am [Leif=>layf], [St. John=>sinjun].")
    assert [(t.kind, t.seconds, t.written, t.spoken) for t in tags] == [
        ("length", 4.0, "", ""),
        ("say", None, "Leif", "layf"),
        ("say", None, "St. John", "sinjun"),
    ]
    assert one("[length=700s]").seconds == one(f"[length {'9' * 400}s]").seconds == 600
    assert one(f"[length {'0' * 30}4s]").seconds == 4
    assert one("[length 1500ms]").seconds == 1.5


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("Hello [pause 1.5s world.", "[pause 1.5s"),
        ("Hello [pause 1.5 world.", "[pause 1.5 "),
        ("Hello [pause", "[pause"),
        ("Hello [pau", "[pau"),
        ("Hello [pause]", "[pause]"),
        ("Hello [pause 2]", "[pause 2]"),
        ("Hello [pause -1s]", "[pause -1s]"),
        ("Hello [pause soon]", "[pause soon]"),
        ("Hello [length", "[length"),
        ("Hello [length 0s]", "[length 0s]"),
        ("Hello <break/>", "<break/>"),
        ('Hello <break time="1s', '<break time="1s'),
        ("Hello <break time=1s/>", "<break time=1s/>"),
        ("Hello <brea", "<brea"),
        (f"Hello [pause {'1' * 50} two", f"[pause {'1' * 50} "),
        (f'Hello <break time="{"1" * 50} two', f'<break time="{"1" * 50} '),
        ("Hello [Leif=>", "[Leif=>"),
        ("Hello [Leif=>]", "[Leif=>]"),
        ("Hello [=>layf]", "[=>layf]"),
        ("Hello [Leif=>layf and", "[Leif=>layf"),
    ],
)
def test_half_written_tags_are_found_and_take_no_words_with_them(text, broken):
    tag = one(text)
    assert tag.kind == "broken" and text[tag.start : tag.end] == broken
    assert "half a tag" in tag.problem or "more than 0" in tag.problem


@pytest.mark.parametrize(
    "text", ["[pauses] [lengthy] [paused for effect] [note]", "a [b] c", "<b>", "<breakfast>", "x <|im_end|>", "[1]"]
)
def test_other_brackets_are_text(text):
    assert find_tags(text) == []


def test_a_broken_tag_does_not_swallow_the_next_one():
    assert [t.kind for t in find_tags("[pause 1.5s[pause 1s]")] == ["broken", "pause"]
    assert [t.kind for t in find_tags("[pause\n[pause 1s]")] == ["broken", "pause"]


@given(st.integers(0, 10_000))
def test_a_formatted_pause_reads_back(milliseconds):
    seconds = milliseconds / 1000
    assert one(format_pause(seconds)).seconds == pytest.approx(seconds)


def test_formatted_tags_are_the_ones_of_the_documentation():
    assert (
        format_pause(1.5) == "[pause 1.5s]"
        and format_pause(2) == "[pause 2.0s]"
        and format_pause(0.25) == "[pause 0.25s]"
    )
    assert format_length(4) == "[length 4.0s]" and format_say("Leif", "layf") == "[Leif=>layf]"


pieces = st.sampled_from(
    [
        "[",
        "]",
        "pause",
        "length",
        " ",
        "1.5",
        "s",
        "ms",
        "=",
        "=>",
        "<",
        ">",
        "/>",
        "break",
        'time="',
        '"',
        "a",
        "\n",
        "【",
        "】",
        "-",
    ]
)


@given(st.one_of(st.lists(pieces, max_size=30).map("".join), st.text(max_size=80)))
def test_tags_are_in_order_and_apart(text):
    end = 0
    for tag in find_tags(text):
        assert end <= tag.start < tag.end <= len(text)
        assert (tag.seconds is not None) == (tag.kind in ("pause", "length"))
        assert tag.kind != "say" or (tag.written and tag.spoken)
        assert tag.kind != "broken" or tag.problem
        end = tag.end
