"""Subtitles: lines that can be read, cues that follow speech, words that are estimates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.services.silences import SilenceFinder
from app.services.subtitles import Cue, SpokenBlock, SpokenPiece, cues_of, srt, vtt, words_of, wrap


def block(*pieces: SpokenPiece) -> SpokenBlock:
    return SpokenBlock("id", "speech", "Joe", "", pieces)


@given(st.text(st.sampled_from("ab c,.!?“”「」第一章。，-—…'\n\t"), max_size=600), st.floats(0.1, 60))
def test_any_text_becomes_cues_that_hold_all_of_it_in_order_of_time(text: str, seconds: float) -> None:
    piece = SpokenPiece(" ".join(text.split()), 1.0, 1.0 + seconds)
    cues = cues_of([block(piece)])
    said = "".join("".join(cue.lines) for cue in cues)
    assert "".join(said.split()) == "".join(text.split())
    assert all(len(cue.lines) <= 2 and all(0 < len(line) <= 42 for line in cue.lines) for cue in cues)
    times = [time for cue in cues for time in (cue.start_s, cue.end_s)]
    assert times == sorted(times)
    if cues:
        assert (times[0], times[-1]) == (pytest.approx(1.0), pytest.approx(1.0 + seconds))


def test_two_lines_are_about_as_long_and_break_after_a_mark() -> None:
    assert wrap("A short line.") == ["A short line."]
    assert wrap("When the rain had stopped, they walked slowly home.") == [
        "When the rain had stopped,",
        "they walked slowly home.",
    ]


def test_words_of_scripts_without_spaces_are_characters_with_their_marks() -> None:
    words = words_of(SpokenPiece("「你好，世界。」Hello there!", 0.0, 4.0))
    assert [word.text for word in words] == ["「你", "好，", "世", "界。」", "Hello", "there!"]
    assert words[0].start_s == 0.0
    assert words[-1].end_s == pytest.approx(4.0)


def test_a_new_sentence_starts_a_new_cue_once_a_line_is_full() -> None:
    text = "The first sentence is long enough for a line of its own. And this is the second."
    cues = cues_of([block(SpokenPiece(text, 0.0, 6.0))])
    assert cues[1].lines[0] == "And this is the second."


def test_what_is_special_in_a_format_is_written_so_that_it_is_text() -> None:
    cues = [Cue(0.0, 3661.5, ("a --> b & <c>",))]
    assert "a → b & <c>" in srt(cues)
    assert "00:00:00,000 --> 01:01:01,500" in srt(cues)
    assert "a --&gt; b &amp; &lt;c&gt;" in vtt(cues)
    assert vtt([], note="x --> y\nz").count("-->") == 0


def test_words_are_held_fast_where_a_mark_and_a_silence_meet() -> None:
    text = "A rather long first sentence that takes its time. Short. And one more, with a comma."
    # The first sentence lasts 2 s though by its letters it should last much longer.
    silences = ((2.0, 2.5), (3.1, 3.5))
    words = words_of(SpokenPiece(text, 0.0, 6.0, silences))
    by_text = {word.text: word for word in words}
    assert by_text["time."].end_s == pytest.approx(2.0)
    assert by_text["Short."].start_s == pytest.approx(2.5)
    assert by_text["Short."].end_s == pytest.approx(3.1)
    assert by_text["And"].start_s == pytest.approx(3.5)
    assert words[-1].end_s == pytest.approx(6.0)


@given(
    st.text(st.sampled_from("ab ,.!第。"), max_size=120),
    st.lists(st.tuples(st.floats(0, 10), st.floats(0.12, 2)), max_size=8),
)
def test_words_stay_in_order_whatever_the_silences(text: str, gaps: list[tuple[float, float]]) -> None:
    silences, at = [], 0.0
    for start, length in sorted(gaps):
        start = max(at, start)
        silences.append((start, start + length))
        at = start + length + 0.01
    words = words_of(SpokenPiece(text, 0.5, 9.0, tuple(silences)))
    times = [time for word in words for time in (word.start_s, word.end_s)]
    assert times == sorted(times)
    assert all(0.5 <= time <= 9.0 + 1e-9 for time in times)


@given(st.lists(st.integers(1, 30_000), max_size=12))
def test_silences_are_found_in_any_split(cuts: list[int]) -> None:
    loud, quiet = np.full((24_000, 2), 0.3, np.float32), np.zeros((9_600, 2), np.float32)
    sound = np.concatenate((loud, quiet, loud, quiet[:3_000], loud, quiet, quiet, loud))
    finder = SilenceFinder()
    at = 0
    for cut in [*cuts, len(sound)]:
        finder.feed(sound[at : at + cut])
        at += cut
    assert finder.found == [(24_000, 33_600), (84_960, 103_680)]
