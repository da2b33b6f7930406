"""Sentence ends and the other places where text may be cut."""

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from engine.text.segment import clause_ends, is_cluster_border, sentence_ends, space_ends, syllable_ends, unspaced_ends


def sentences(text, language=None):
    start, out = 0, []
    for end in sentence_ends(text, language):
        out.append(text[start:end].strip())
        start = end
    return out


@pytest.mark.parametrize(
    "parts",
    [
        ["One. ", "Two! ", "Three? ", "Four… ", "Five."],
        ["“Good morning,” she said. ", "“It is late.” ", "He left."],
        ["“Stop!” she said. ", "He stopped."],
        ["He left. ", '"Go," she said.'],
        ["Wait... what? ", "Yes."],
        ["And then... ", "I saw it."],
        ["Is it? ", "(It is.) ", "Good."],
        ["你好。", "请问您来自哪里？", "我来自北京！", "“好的。”", "他说。"],
        ["こんにちは。", "「はい。」と言った。", "さようなら。"],
        ["안녕하세요. ", "어디에서 오셨어요? ", "서울입니다."],
        ["مرحبا. ", "كيف حالك؟ ", "أنا بخير."],
        ["यह एक वाक्य है। ", "यह दूसरा है॥ ", "तीसरा?"],
        ["สวัสดีครับ ", "วันนี้อากาศดี"],
        ["¿Qué? ", "¡Sí! ", "Bueno."],
        ["Il dit « Bonjour ! » ", "Puis il part."],
        ["Er kam. ", "»Hallo«, sagte er. ", "„Gut.“ ", "Ja."],
        ["I like 你好。", "Then I left. ", "再见。"],
        ["First paragraph\n\n", "Second paragraph"],
        ["He lives in the U.S. ", "He works there."],
        ["It was plan B. ", "The end."],
        ["He said no. ", "John left."],
        ["The cat sat. ", "Birds flew."],
        ["That was in 1984. ", "Then it ended."],
        ["What?! ", "No!! ", "Yes."],
    ],
)
def test_sentences_end_where_people_end_them(parts):
    text = "".join(parts)
    assert sentences(text) == [part.strip() for part in parts]


@pytest.mark.parametrize(
    "text",
    [
        "Mr. Smith met Dr. Jones and Mrs. Brown.",
        "Pi is 3.14 and 1,000 is more, e.g. here, i.e. now.",
        "The U.S. Army and J. R. R. Tolkien met at 5 p.m. Monday.",
        "See www.example.com/a.b?c=d and mail me@x.org now.",
        "Open setup.py and v1.2.3 of Node.js there.",
        "No. 5 and Fig. 3 and Vol. 2 are here.",
        "It cost $3.50 vs. €2,99 etc. and more.",
        "On Jan. 5 and Sat. 7 it rained.",
        "1. First of all",
        "Yahoo! is a company.",
        "He works at Acme Inc. Paris as Prof. Dr. Meyer.",
        "“Really?” he asked.",
    ],
)
def test_no_sentence_ends_in_an_abbreviation_a_number_an_initial_or_an_address(text):
    assert sentences(text) == [text]


def test_german_ordinals_are_no_sentence_ends():
    text = "Am 3. Oktober kam er, z. B. Und Nr. 4."
    assert sentences("Am 3. Oktober kam er.", "German") == ["Am 3. Oktober kam er."]
    assert sentences("Am 3. Oktober kam er.", "de") == ["Am 3. Oktober kam er."]
    assert text.startswith(sentences(text, "de")[0])


def test_clause_and_space_borders_are_not_inside_numbers_or_tied_words():
    assert clause_ends("1,000 apples, 3:30 and 你好，再见") == [14, 26]
    assert space_ends("a b\u00a0c\u202fd e") == [2, 8]


def test_borders_without_spaces_keep_marks_and_small_signs_with_what_they_follow():
    text = "私はチョコレートが好き。"
    allowed = unspaced_ends(text)
    assert allowed and all(text[i] not in "ョー。" for i in allowed)
    thai = "เขากินข้าวที่น้ำ"
    for i in unspaced_ends(thai):
        assert thai[i - 1] not in "เแโใไ" and thai[i] not in "ะาำ"
        assert not regex.match(r"\p{M}", thai[i])


def test_thai_syllables_begin_with_the_vowel_written_first():
    text = "เขากินแกงไก่"
    assert [text[i] for i in syllable_ends(text)] == ["แ", "ไ"]
    assert set(syllable_ends(text)) <= set(unspaced_ends(text))


def check_borders(text):
    ends = sentence_ends(text)
    assert ends == sorted(set(ends)) and (not text or ends[-1] == len(text))
    for borders in (clause_ends(text), space_ends(text), unspaced_ends(text)):
        assert borders == sorted(set(borders)) and all(0 < b < len(text) for b in borders)
    return ends


@given(st.text(max_size=200))
def test_any_text_has_rising_borders(text):
    check_borders(text)


prose = st.lists(
    st.sampled_from(
        [
            "Hello",
            "world",
            "3.14",
            "1,000",
            "Mr.",
            "e.g.",
            "U.S.",
            "http://a.b/c?d.e",
            "me@x.org",
            "“",
            "”",
            ".",
            "!",
            "…",
            " ",
            " ",
            ", ",
        ]
        + ["你好", "。", "नमस्ते", "।", "สวัสดี", "مرحبا", "؟", "\n", "\n\n", '."', "?»", "(", ")", "é", "e\u0301"]
    ),
    max_size=40,
).map("".join)


@given(prose)
def test_no_sentence_ends_inside_a_word_or_before_a_closing_mark(text):
    for end in check_borders(text)[:-1]:
        before, after = text[end - 1], text[end]
        assert not (before.isascii() and before.isalnum() and after.isascii() and after.isalnum())
        assert not (after in "”)" and not before.isspace())
        for whole in ("3.14", "1,000", "e.g.", "U.S.", "http://a.b/c?d.e", "me@x.org"):
            for start in range(max(0, end - len(whole) + 1), end):
                assert not text.startswith(whole, start) or start + len(whole) <= end


clustered = st.lists(
    st.sampled_from(list("aé好क्षिकนำเกา한\u1112\u1161\u11ab\u0301\u200d\ufe0f👩👧🏽🇫🇷\r\nがカ゛\u0600")), max_size=30
).map("".join)


@given(st.one_of(clustered, st.text(max_size=40)))
@example("\u0915\u094d\u0301\u0915")  # a mark between the virama and what it binds
def test_a_border_between_clusters_is_one_for_unicode_too(text):
    real, at = set(), 0
    for cluster in regex.findall(r"\X", text):
        real.add(at)
        at += len(cluster)
    for i in range(1, len(text)):
        if is_cluster_border(text, i):
            assert i in real
    assert set(unspaced_ends(text)) <= real
