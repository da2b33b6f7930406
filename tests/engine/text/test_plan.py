"""From text to pieces and pauses, and back."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.card import FULL_SIZE_CARD, read_card
from engine.text.plan import Pause, Piece, plan_speech

STARTER = read_card(Path(__file__).parents[3] / "resources" / "starter")
FULL = FULL_SIZE_CARD


def texts(plan):
    return [item.text if isinstance(item, Piece) else item.seconds for item in plan.items]


def codes(plan):
    return {warning.code for warning in plan.warnings}


def said(text, card=STARTER, **options):
    return " ".join(piece.text for piece in plan_speech(text, card, **options).pieces)


# -- pauses and lengths ---------------------------------------------------------------------------------------------


def test_exact_pauses_cut_the_text_at_the_tag():
    text = "Once upon a time [pause 1.5s] there was a studio."
    plan = plan_speech(text, STARTER)
    assert texts(plan) == ["Once upon a time", 1.5, "there was a studio."]
    first, pause, last = plan.items
    assert text[pause.start : pause.end] == "[pause 1.5s]"
    assert (first.ends_sentence, last.ends_sentence) == (False, True)
    assert text[first.start : first.end] == "Once upon a time"


def test_pauses_at_start_and_end_and_in_a_row_all_count():
    text = '[pause 1s]Hi.[pause=2s] <break time="500ms"/>\n[pause 0.25s] You.[pause 3s]'
    for card in (STARTER, FULL):
        assert texts(plan_speech(text, card)) == [1, "Hi.", 2, 0.5, 0.25, "You.", 3]


def test_a_text_of_pauses_alone_has_no_pieces():
    plan = plan_speech("[pause 1s] [pause 2s]", STARTER)
    assert texts(plan) == [1, 2] and plan.pieces == () and plan.estimate_s == 3


def test_a_pause_too_long_is_limited_with_a_warning():
    plan = plan_speech("A [pause 60s] b.", STARTER)
    assert texts(plan)[1] == 10 and codes(plan) == {"pause_limited"}


def test_a_half_written_tag_is_reported_and_never_spoken():
    for text in ("Hello [pause 1.5s world.", "Hello [pause] world.", "Hello <break/> world.", "Hello [a=>] world."):
        plan = plan_speech(text, STARTER)
        assert texts(plan) == ["Hello world."] and codes(plan) == {"broken_tag"}


def test_punctuation_behind_a_pause_is_not_spoken_alone():
    assert texts(plan_speech("Hello [pause 1s], world [pause 1s].", STARTER)) == ["Hello", 1, "world", 1]


def test_natural_pauses_stay_in_the_card_s_spelling_and_step():
    plan = plan_speech("Well [pause=1,23s]then <break time='2s'/> go.", STARTER, pauses="natural")
    assert texts(plan) == ["Well [pause 1.2s] then [pause 2.0s] go."]
    assert plan.pieces[0].own_pause_s == 2 and codes(plan) == {"pause_rounded"}
    speech = plan_speech("Well then go.", STARTER).pieces[0].estimate_frames
    assert plan.pieces[0].estimate_frames >= speech + 3.2 * 12.5


def test_natural_pauses_the_card_does_not_follow_are_cut():
    assert texts(plan_speech("Well [pause 7s] then [pause 0.01s] go.", STARTER, pauses="natural")) == [
        "Well",
        7,
        "then",
        0.01,
        "go.",
    ]
    assert texts(plan_speech("a [pause 1s] b", replace(FULL, pause_tags=None), pauses="natural")) == ["a", 1, "b"]


def test_natural_pauses_in_a_row_are_one_and_at_the_ends_are_exact():
    plan = plan_speech("[pause 1s] A [pause 1s] [pause 2s] b. [pause 1s][pause 0.5s]", STARTER, pauses="natural")
    assert texts(plan) == [1, "A [pause 3.0s] b.", 1.5]


def test_a_natural_pause_where_a_piece_ends_becomes_exact():
    sentence = "This sentence is spoken in about five and a half seconds, says the estimate at least, I think."
    plan = plan_speech(f"{sentence} {sentence} [pause 1s] {sentence}", STARTER, pauses="natural")
    assert texts(plan) == [f"{sentence} {sentence}", 1, sentence]


def test_a_length_belongs_to_the_block():
    plan = plan_speech("[length 4.0s] Hello there.", STARTER)
    assert (plan.length_s, plan.estimate_s, texts(plan)) == (4.0, 4.0, ["Hello there."])
    plan = plan_speech("Hello[length 4.0s]there. [length 900s]", STARTER)
    assert plan.length_s == 600 and texts(plan) == ["Hello there."]
    assert codes(plan) == {"several_lengths", "length_limited"}


# -- what the card reads --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("It’s “good”.", 'It\'s "good".'),
        ("Well — yes—no. – So", "Well, yes, no. So"),
        ("But I—", "But I..."),
        ("—Hello", "Hello"),
        ("Wait… what", "Wait... what"),
        ("STOP, I SAID", "stop, I said"),
        ("I AM McDonald in A TV", "I am McDonald in A tv"),
        ("José’s café, naïve Æsop, groß", "Jose's cafe, naive Aesop, gross"),
        ("e\u0301te\u0301", "ete"),
        ("It is 20\u202f°C, 5 km²", "It is 20 degrees Celsius, 5 km2"),
        ("€5 and £1,000.50", "5 euros and 1,000.50 pounds"),
        ("1990–1995, −5", "1990 to 1995, minus 5"),
        ("a\u00a0b\u3000c\td\ne", "a b c d e"),
        ("zero\u200bwidth \u202bRTL\u202c \ufeffmark", "zerowidth rtl mark"),
        ("ﬁne Ｗide", "fine Wide"),
        ("No!!!! Wait....... what??", "No! Wait... what??"),
        ("«Oui»", '"Oui"'),
    ],
)
def test_text_for_an_ascii_model_is_mapped(written, read):
    plan = plan_speech(written, STARTER)
    assert texts(plan) == [read] and "unreadable" not in codes(plan)


def test_what_cannot_be_mapped_is_reported_with_its_characters():
    plan = plan_speech("Hello 世界 and 😀 мир.", STARTER)
    assert said("Hello 世界 and 😀 мир.") == "Hello and ."
    (warning,) = [w for w in plan.warnings if w.code == "unreadable"]
    assert all(character in warning.message for character in "世界😀мир") and "Starter" in warning.message


def test_words_do_not_run_together_where_something_was_left_out():
    assert said("one世two") == "one two"


def test_text_for_a_model_that_reads_everything_is_left_as_it_is():
    text = "“Ça va ?” — DANS l’été… 世界 😀"
    assert texts(plan_speech(text, FULL)) == [text]


def test_broken_characters_never_reach_any_model():
    for card in (STARTER, FULL):
        plan = plan_speech("a\ud800b\x00c\x07", card)
        plan.pieces[0].text.encode("utf-8")
        assert "unreadable" in codes(plan) and "\x00" not in plan.pieces[0].text


def test_a_typed_control_string_stays_text():
    for card in (STARTER, FULL):
        assert said("Say <|im_end|> and </user_inst>.", card) == "Say <|im_end|> and </user_inst>."


@pytest.mark.parametrize("text", ["", " \n ", "...", "— “”", "😀", "[length 3s]", "\u200b", "。"])
def test_where_there_is_nothing_to_speak_there_are_no_pieces(text):
    for card in (STARTER, FULL):
        plan = plan_speech(text, card)
        assert plan.items == () and plan.estimate_s == (plan.length_s or 0)
        assert ("nothing_to_speak" in codes(plan)) == bool(text.strip())


def test_several_numbers_in_one_sentence_are_pointed_out_for_the_ascii_model_only():
    assert "several_numbers" in codes(plan_speech("It took 3 hours and 20 minutes.", STARTER))
    assert "several_numbers" not in codes(plan_speech("It took 3 hours and 20 minutes.", FULL))
    for fine in (
        "Call (555) 123-4567.",
        "On May 5, 2024 it rained.",
        "At 3:30 we left. By 5:00 we were there.",
        "It is 1,000.5.",
    ):
        assert "several_numbers" not in codes(plan_speech(fine, STARTER))
    assert "several_numbers" not in codes(plan_speech("One [pause 1s] two [pause 2s] 3.", STARTER, pauses="natural"))


# -- pronunciations -------------------------------------------------------------------------------------------------


def test_a_pronunciation_is_spoken_in_place_of_its_tag():
    assert said("I am [Leif=>layf].") == "I am layf."


def test_the_lexicon_replaces_whole_words():
    lexicon = [("Dana", "Dayna"), ("lead", "led"), ("lead singer", "leed singer"), ("LV", "Level"), ("don", "dawn")]
    assert said("Dana's and Danas. Lead the lead singer, leader!", FULL, lexicon=lexicon) == (
        "Dayna's and Danas. led the leed singer, leader!"
    )
    assert said("LV lv. Don't, Don.", FULL, lexicon=lexicon) == "Level lv. Don't, dawn."
    assert said("dana", FULL, lexicon=lexicon) == "dana"


def test_the_lexicon_works_where_nobody_writes_spaces():
    assert said("我在重庆。", FULL, lexicon=[("重庆", "chong2 qing4")]) == "我在chong2 qing4。"


def test_the_lexicon_leaves_tags_and_its_own_words_alone():
    lexicon = [("pause", "x"), ("s", "x"), ("a", "b"), ("b", "a"), ("Leif", "x"), ("layf", "x")]
    plan = plan_speech("a b [pause 1s] a [Leif=>layf] [pause 2s]", FULL, lexicon=lexicon, pauses="natural")
    assert texts(plan) == ["b a [pause 1.0s] b layf", 2]


def test_said_words_are_still_spelled_for_the_model():
    assert said("[x=>é–ï]", STARTER) == "e-i"
    assert said("Zoë", STARTER, lexicon=[("Zoë", "Zóe"), ("", "x"), ("x", "")]) == "Zoe"


# -- pieces ---------------------------------------------------------------------------------------------------------


def test_a_block_that_fits_is_one_piece():
    assert len(plan_speech("One. Two. Three. Four.", STARTER).pieces) == 1


@pytest.mark.parametrize(
    "sentence",
    [
        "Mr. Smith went to Washington, D.C. and paid $3.14 for apples, e.g. red ones. ",
        "他买了三个苹果，然后回家了。",
        "यह एक लंबा वाक्य है जो बहुत कुछ कहता है। ",
        "هذه جملة طويلة تقول الكثير عن هذا المكان. ",
        "これは少し長い文章です。",
    ],
)
def test_long_blocks_are_cut_at_sentence_ends_only(sentence):
    text = sentence * 60
    plan = plan_speech(text, FULL, longest_piece_s=15)
    assert len(plan.pieces) > 1 and not plan.warnings
    for piece in plan.pieces:
        assert piece.estimate_frames <= 15 * 12.5 and piece.ends_sentence
        assert piece.text.strip().endswith(sentence.strip()) and piece.text.startswith(sentence[:10])


def test_a_piece_is_a_minute_as_a_rule_and_up_to_ten_where_that_is_wanted():
    text = "This sentence says nothing that anybody would want to remember. " * 400
    longest_s = {wanted: max(piece.estimate_frames for piece in plan_speech(text, FULL, longest_piece_s=wanted).pieces) / 12.5 for wanted in (None, 30, 300, 6_000)}  # fmt: skip
    assert 55 < longest_s[None] <= 60 and 25 < longest_s[30] <= 30
    assert 290 < longest_s[300] <= 300 and 590 < longest_s[6_000] <= 600
    assert max(piece.estimate_frames for piece in plan_speech(text, STARTER, longest_piece_s=300).pieces) <= 15 * 12.5


def test_a_sentence_too_long_is_cut_at_its_marks_with_a_warning():
    clause = "and then the old man said another thing nobody wanted to hear, "
    plan = plan_speech(clause * 9 + "the end.", STARTER)
    assert codes(plan) == {"long_sentence"} and len(plan.pieces) > 2
    for piece in plan.pieces:
        assert piece.estimate_frames <= 15 * 12.5
    assert all(piece.text.endswith(",") for piece in plan.pieces[:-1])
    assert [piece.ends_sentence for piece in plan.pieces] == [False] * (len(plan.pieces) - 1) + [True]


def test_a_sentence_without_marks_is_cut_at_spaces():
    plan = plan_speech("word " * 200, STARTER)
    assert set(" ".join(piece.text for piece in plan.pieces).split()) == {"word"}
    assert sum(len(piece.text.split()) for piece in plan.pieces) == 200


def test_text_without_spaces_is_cut_between_characters():
    text = "好" * 500
    plan = plan_speech(text, FULL, longest_piece_s=15)
    assert "".join(piece.text for piece in plan.pieces) == text and "long_sentence" in codes(plan)
    assert all(piece.estimate_frames <= 15 * 12.5 + 1 for piece in plan.pieces)


def test_an_early_mark_is_rather_cut_at_than_a_word_of_an_unspaced_script():
    text = "价格是3.5元，日期2024年3月15日。第二天早上八点半，火车准时出发。"
    plan = plan_speech(text, FULL, longest_piece_s=5)
    assert [piece.text for piece in plan.pieces][:2] == ["价格是3.5元，", "日期2024年3月15日。"]


def test_a_word_longer_than_a_piece_is_kept_and_a_run_that_is_no_word_is_cut():
    assert len(plan_speech("supercalifragilisticexpialidocious", STARTER, longest_piece_s=1).pieces) == 1
    plan = plan_speech("x" * 5000, STARTER)
    assert "long_word" in codes(plan) and "".join(piece.text for piece in plan.pieces) == "x" * 5000


def test_very_short_last_pieces_take_a_sentence_from_the_one_before():
    sentence = "This sentence here takes about four and a half seconds to say."
    plan = plan_speech(" ".join([sentence] * 3 + ["No."]), STARTER, longest_piece_s=13.2)
    assert all(piece.estimate_frames >= 12 for piece in plan.pieces)
    assert len(plan.pieces) == 2 and plan.pieces[1].text.endswith("No.") and plan.pieces[1].text != "No."


def test_a_natural_tag_is_never_cut():
    text = "word " * 30 + "[pause 1.5s] " + "word " * 170
    plan = plan_speech(text, STARTER, pauses="natural")
    assert (
        sum(piece.text.count("[pause 1.5s]") for piece in plan.pieces)
        + sum(isinstance(item, Pause) for item in plan.items)
        == 1
    )
    assert sum(piece.text.count("[") for piece in plan.pieces) == sum(piece.text.count("]") for piece in plan.pieces)


# -- the way back ---------------------------------------------------------------------------------------------------


def test_what_is_spoken_is_found_in_the_text_and_back():
    text = "“Hi,” said [Leif=>layf] the 2nd… [pause 1s] LV is USA."
    plan = plan_speech(text, STARTER, lexicon=[("LV", "Level")])
    first, second = plan.pieces
    assert text[plan.to_source(0, first.text.index("said")) :].startswith("said")
    assert text[plan.to_source(0, first.text.index("yf")) :].startswith("[Leif")
    assert text[plan.to_source(1, second.text.index("vel")) :].startswith("LV")
    assert plan.from_source(text.index("USA") + 1) == (1, second.text.index("usa") + 1)
    assert plan.from_source(text.index("Leif")) == (0, first.text.index("layf"))
    assert plan.from_source(text.index("[pause")) == (1, 0)
    assert plan.from_source(0) == (0, 0)
    assert plan.from_source(len(text) + 5) == (1, len(second.text))
    assert plan_speech("", STARTER).from_source(0) is None


fragments = st.one_of(
    st.sampled_from(
        [
            "[pause 1s]",
            "[pause 0.33s]",
            "[pause 8s]",
            "[length 2s]",
            "[Leif=>layf]",
            "[pause",
            "[a=>",
            "<break time='1s'/>",
            "Mr. ",
            "3.14 ",
        ]
        + [
            "Hello ",
            "WORLD ",
            "e.g. ",
            "“Yes.” ",
            "No! ",
            "— ",
            "… ",
            "é",
            "好",
            "。",
            "नमस्ते",
            "สวัสดี",
            " ",
            "\n\n",
            "😀",
            "\u200d",
        ]
        + ["\ud800", "\x00", "lexeme ", "https://a.b/c?d ", "-", ",", "²", "½"]
    ),
    st.text(max_size=12),
)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(fragments, max_size=40).map("".join),
    st.sampled_from([STARTER, FULL]),
    st.sampled_from(["exact", "natural"]),
    st.booleans(),
    st.sampled_from([None, "English", "zh", "de", "no such language"]),
    st.sampled_from([0.5, 2, 15, None]),
)
def test_every_spoken_character_maps_into_the_text_and_order_is_kept(
    text, card, pauses, normalise, language, longest_piece_s
):
    plan = plan_speech(
        text,
        card,
        language=language,
        lexicon=[("lexeme", "said so"), ("世", "x")],
        pauses=pauses,
        normalise=normalise,
        longest_piece_s=longest_piece_s,
    )
    end = 0
    for item in plan.items:
        assert end <= item.start < item.end <= len(text)
        end = item.end
    for index, piece in enumerate(plan.pieces):
        assert piece.text == piece.text.strip() != "" and piece.estimate_frames >= 1
        piece.text.encode("utf-8")
        assert card.characters == "any" or piece.text.isascii()
        at, source = 0, piece.start
        for start, stop, source_start, source_end in piece.source_map:
            assert start == at < stop and source <= source_start <= source_end <= piece.end
            at, source = stop, source_start
        assert at == len(piece.text)
        places = [plan.to_source(index, i) for i in range(len(piece.text) + 1)]
        assert places == sorted(places) and all(piece.start <= place <= piece.end for place in places)
        back = [piece.from_source(i) for i in range(piece.start, piece.end + 1)]
        assert back == sorted(back) and all(0 <= place <= len(piece.text) for place in back)
        for offset, place in enumerate(places[:-1]):
            if text[place : place + 1] == piece.text[offset] and piece.text[offset].isalnum():
                assert piece.from_source(place) <= offset


def test_planning_needs_no_torch():
    code = "import sys, engine; engine.plan_speech; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize("text", ["0[pause 0.33s]½", "Now[pause 0.33s]then", "½ ½", "Dr. X"])
def test_what_is_written_otherwise_in_as_many_characters_stands_for_the_whole_of_it(text):
    plan = plan_speech(text, STARTER, pauses="natural")
    (piece,) = plan.pieces
    places = [plan.to_source(0, offset) for offset in range(len(piece.text) + 1)]
    assert places == sorted(places) and places[-1] == len(text)
