"""Estimates of length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.duration import character_frames, estimate_frames


@pytest.mark.parametrize(
    ("text", "language", "rate"),
    [
        ("Good morning, everybody.", "English", 0.8673376262755219),
        ("Good morning, everybody.", None, 0.8673376262755219),
        ("Guten Morgen allerseits.", "German", 0.8673376262755219),
        ("Bonjour à tout le monde.", "French", 0.9),
        ("你好，请问您来自哪座城市？", "Chinese", 3.098411951313033),
        ("你好，请问您来自哪座城市？", None, 3.098411951313033),
        ("你哋好，请问", "yue", 3.098411951313033),
        ("おはようございます、皆さん。", "Japanese", 2.2),
        ("おはようございます、皆さん。", None, 2.2),
        ("안녕하세요여러분", "Korean", 1.8),
    ],
)
def test_a_text_of_one_language_is_estimated_by_its_rate(text, language, rate):
    assert estimate_frames(text, language) == round(len(text) * rate)


def test_mixed_text_is_estimated_by_its_parts():
    chinese, english = "你好请问您来自哪座城市", "good morning everybody"
    mixed = estimate_frames(chinese + english, "Chinese")
    assert abs(mixed - estimate_frames(chinese, "Chinese") - estimate_frames(english, "English")) <= 1


def test_digits_take_longer_than_letters_and_marks_nobody_hears_take_nothing():
    assert estimate_frames("1984 1984 1984") > estimate_frames("year year year")
    assert estimate_frames("a\u0301\u200d\ufe0f" * 10) == estimate_frames("a" * 10)


def test_places_of_a_number_and_rows_of_marks_take_little():
    assert estimate_frames("1,000,000") < estimate_frames("1,234,567") / 1.3
    assert estimate_frames("Wait" + "." * 60 + " what?") < estimate_frames("Wait... what?") + 8


def test_nothing_takes_one_frame():
    assert estimate_frames("") == 1


@given(st.text(max_size=60), st.text(max_size=60))
def test_more_text_never_takes_less(a, b):
    assert estimate_frames(a + b, "en") >= estimate_frames(a, "en") >= 1
    assert len(character_frames(a)) == len(a)
