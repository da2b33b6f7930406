"""Texts of any length go through a few pieces at a time, with the pauses that were written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_backend import ScriptedBackend

from app.services.speech import (
    LONGEST_PLANNED,
    Manner,
    Speech,
    continuation_clip,
    language_or_error,
    paragraphs,
    parts,
    with_sampling,
)
from engine import (
    CapabilityError,
    CheckpointError,
    Clip,
    Engine,
    ModelCard,
    Sampling,
    SamplingOptions,
    StopReason,
    TextError,
)


class LoudBackend(ScriptedBackend):
    """Every word is one frame of a tone, so that the mixer hears speech."""

    def __init__(self) -> None:
        super().__init__()
        self.card = ModelCard("Loud", continuation=False, longest_piece_s=10.0)
        self.requests: list = []

    def start(self, job) -> None:
        self.requests.append(job.request)
        hand_over = job.audio
        tone = np.sin(np.arange(3_840) * 0.05)[:, None].repeat(2, axis=1) * 0.5
        job.audio = lambda samples, codes: hand_over(tone, codes)
        super().start(job)


@pytest.fixture
def backend() -> LoudBackend:
    return LoudBackend()


@pytest.fixture
def engine(backend: LoudBackend) -> Iterator[Engine]:
    made = Engine(backend)
    made.start()
    assert made.ready(10)
    yield made
    backend.gate.set()
    made.close()


def speak(engine: Engine, text: list[str], manner: Manner | None = None) -> tuple[Speech, np.ndarray]:
    speech = Speech(engine, text, manner or Manner())
    parts = list(speech)
    return speech, np.concatenate(parts) if parts else np.zeros((0, 2), np.float32)


def gaps_s(samples: np.ndarray) -> list[float]:
    """Silences inside a programme, in seconds."""
    loud = np.flatnonzero(np.abs(samples).max(axis=1) > 0.01)
    steps = np.diff(loud)
    return [round(float(step) / 48_000, 2) for step in steps[steps > 2_400]]


def test_every_piece_is_spoken_in_order_and_counted(engine: Engine, backend: LoudBackend) -> None:
    speech, samples = speak(engine, ["Good morning.", "How are you today?"])
    assert [request.text for request in backend.requests] == ["Good morning.", "How are you today?"]
    spoken = speech.spoken
    assert spoken.pieces == 2 and spoken.frames == 6 and spoken.stop_reason is StopReason.STOP
    assert spoken.samples == len(samples) and spoken.speech_s == pytest.approx(0.48) and spoken.ttfa_ms is not None


def test_pauses_between_paragraphs_and_in_the_text_last_as_they_should(engine: Engine) -> None:
    _, samples = speak(engine, ["Good morning. [pause 1.5s] How are you?", "I am well."], Manner(paragraph_s=0.7))
    assert gaps_s(samples) == pytest.approx([1.5, 0.7], abs=0.02)


def test_a_written_pause_takes_the_place_of_the_one_between_paragraphs(engine: Engine) -> None:
    _, samples = speak(
        engine, ["Good morning. [pause 1s]", "I am well.", "[pause 2s] Really."], Manner(paragraph_s=0.5)
    )
    assert gaps_s(samples) == pytest.approx([1.0, 2.0], abs=0.02)


def test_only_a_few_pieces_are_in_the_engine_at_once(engine: Engine, backend: LoudBackend) -> None:
    taken = 0

    def book() -> Iterator[str]:
        nonlocal taken
        for number in range(200):
            taken += 1
            yield f"This is page {number}."

    parts = iter(Speech(engine, book(), Manner()))
    for _ in range(20):
        next(parts)
    assert taken < 40 and len(backend.requests) < 40
    parts.close()


def test_cancel_ends_with_what_is_complete(engine: Engine) -> None:
    speech = Speech(engine, ["forever and ever.", "And more."], Manner())
    parts = iter(speech)
    got = [next(parts)]
    speech.cancel()
    got += list(parts)
    assert speech.spoken.stop_reason is StopReason.CANCELLED
    assert speech.spoken.samples == sum(len(part) for part in got) > 0


def test_cancel_before_the_start_speaks_nothing(engine: Engine, backend: LoudBackend) -> None:
    speech = Speech(engine, ["Good morning."], Manner())
    speech.cancel()
    assert list(speech) == [] and backend.requests == []


def test_leaving_the_iteration_cancels_what_is_under_way(engine: Engine, backend: LoudBackend) -> None:
    parts = iter(Speech(engine, ["forever."], Manner()))
    next(parts)
    parts.close()
    assert engine.submit(backend.requests[0].__class__("one", estimate_frames=3)).result(10).complete


def test_a_piece_that_fails_comes_after_all_that_was_spoken_before(engine: Engine) -> None:
    speech = Speech(engine, ["Good morning.", "break this."], Manner())
    got = []
    with pytest.raises(CheckpointError):
        for part in speech:
            got.append(part)
    assert len(np.concatenate(got)) >= 2 * 3_840


def test_an_incomplete_piece_is_named_and_the_rest_is_spoken(engine: Engine, backend: LoudBackend) -> None:
    speech, _ = speak(engine, ["silent.", "Good morning."])
    assert speech.spoken.stop_reason is StopReason.EARLY_END and speech.spoken.incomplete == ["silent."]
    assert len(backend.requests) == 2


@pytest.mark.parametrize("text", [[], ["[pause 2s]"], ["...", "[pause 1s]"]])
def test_a_text_without_words_is_refused_without_a_sound(engine: Engine, text: list[str]) -> None:
    got = []
    with pytest.raises(TextError):
        for part in Speech(engine, text, Manner()):
            got.append(part)
    assert got == []


def test_a_text_of_which_nothing_can_be_read_says_what_and_what_to_do(engine: Engine, backend: LoudBackend) -> None:
    backend.card = ModelCard("Plain", continuation=False, characters="ascii")
    with pytest.raises(TextError, match="Plain cannot read “你”") as caught:
        speak(engine, ["你好"])
    assert "another model" in str(caught.value) or "choose a model" in str(caught.value)


WORDS = ["Yes. ", "word ", "[pause 1.5s] ", "[Leif=>Dr. layf] ", "好。", "x" * 9, "<break "]


@given(st.lists(st.sampled_from(WORDS), max_size=60))
def test_a_long_paragraph_is_planned_in_parts_that_hold_all_of_it(pieces: list[str]) -> None:
    text = "".join(pieces)
    made = list(parts(text, longest=40))
    assert "".join(made) == text and all(len(part) <= 40 for part in made) and (len(made) == 1 or all(made))
    if "<" not in text:
        assert sum(part.count("[pause 1.5s]") + part.count("[Leif=>Dr. layf]") for part in made) == text.count("[")


def test_a_paragraph_as_long_as_a_book_is_spoken_as_it_is_planned(
    engine: Engine, backend: LoudBackend, monkeypatch
) -> None:
    planned: list[int] = []
    plan = Speech._plan
    monkeypatch.setattr(Speech, "_plan", lambda self, part: (planned.append(len(part)), plan(self, part))[1])
    speech = Speech(engine, ["Good morning to you. " * 20_000], Manner())
    for _ in speech:
        break
    assert planned and sum(planned) <= 2 * LONGEST_PLANNED


def test_parts_of_a_paragraph_are_joined_like_its_pieces(engine: Engine, backend: LoudBackend, monkeypatch) -> None:
    backend.card = replace(backend.card, longest_piece_s=0.1)  # every sentence is a piece, in parts or not
    text = "One two three four. " * 60
    whole = np.concatenate(list(Speech(engine, [text], Manner())))
    monkeypatch.setattr("app.services.speech.parts", lambda paragraph: parts(paragraph, longest=600))
    cut = np.concatenate(list(Speech(engine, [text], Manner())))
    assert np.array_equal(cut, whole)  # and no pause of a paragraph between them


def test_a_text_of_half_a_tag_says_what_is_wrong_with_it(engine: Engine) -> None:
    with pytest.raises(TextError, match="only half a tag"):
        speak(engine, ["[pause 1"])


def test_a_wanted_length_is_shared_by_the_pieces_after_the_pauses(engine: Engine, backend: LoudBackend) -> None:
    speak(engine, ["One two three four five six. [pause 2s] Seven eight."], Manner(tokens=100))
    tokens = [request.tokens for request in backend.requests]
    assert sum(tokens) == pytest.approx(75, abs=1) and tokens[0] > tokens[1]


def test_a_length_written_in_the_text_is_asked_for(engine: Engine, backend: LoudBackend) -> None:
    speak(engine, ["One two three. [length 4.0s]", "Four."])
    assert [request.tokens for request in backend.requests] == [50, None]


def test_pieces_of_a_paragraph_go_on_from_each_other_where_the_card_allows_it(
    engine: Engine, backend: LoudBackend
) -> None:
    backend.card = ModelCard("Loud", longest_piece_s=2.0)
    first = "One two three four five six seven eight nine ten."
    text = [f"{first} {first}", "Another paragraph."]
    speak(engine, text, Manner(references=(Clip(codes=np.zeros((3, 12), np.int16)),)))
    assert len(backend.requests) > 2
    assert [request.continue_from is not None for request in backend.requests] == [
        False,
        *[True] * (len(backend.requests) - 2),
        False,
    ]
    continued = backend.requests[1].continue_from
    assert continued.transcript == backend.requests[0].text + " " and len(continued.codes) == len(
        backend.requests[0].text.split()
    )
    backend.requests.clear()
    speak(engine, text, Manner(continue_pieces=False))
    assert all(request.continue_from is None for request in backend.requests)


@given(st.text())
def test_paragraphs_lose_no_word(text: str) -> None:
    parts = paragraphs(text)
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(part == part.strip() and part for part in parts)


def test_paragraphs_are_lines_or_what_blank_lines_part() -> None:
    assert paragraphs("One.\r\nTwo.\rThree.") == ["One.", "Two.", "Three."]
    assert paragraphs("One and\ntwo.\n \nThree.\n\n\n") == ["One and two.", "Three."]


def test_languages_are_given_by_name_or_code() -> None:
    assert [language_or_error(given) for given in ("en", "ENGLISH", "auto", None)] == ["English", "English", None, None]
    with pytest.raises(TextError, match="Klingon"):
        language_or_error("Klingon")


def test_sampling_changes_only_what_was_given() -> None:
    card = Sampling(SamplingOptions(0.6, 0.9, 30), SamplingOptions())
    assert with_sampling(card, temperature=None, top_k=None) is None
    changed = with_sampling(card, temperature=0.0, top_k=5)
    assert changed == Sampling(SamplingOptions(0.0, 0.9, 5), SamplingOptions())


def test_going_on_needs_a_transcript_and_a_model_that_can() -> None:
    with pytest.raises(CapabilityError):
        continuation_clip(Clip(transcript="Hi."), False, "Starter")
    with pytest.raises(TextError):
        continuation_clip(Clip(transcript=" "), True, "Full")
    assert continuation_clip(Clip(transcript="Hi. "), True, "Full").transcript == "Hi. "
    assert continuation_clip(Clip(transcript="你好。"), True, "Full").transcript == "你好。"
