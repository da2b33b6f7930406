"""The engine's thread carries every request to an end, in order of urgency, whatever breaks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine.engine as engine_module
from engine.card import ModelCard
from engine.engine import Engine
from engine.errors import (
    CapabilityError,
    CheckpointError,
    DeviceError,
    EngineClosedError,
    EngineFailedError,
    TextError,
)
from engine.job import to_grid
from engine.requests import Clip, Event, EventKind, Priority, SpeechRequest, StopReason


@pytest.fixture
def speaking(scripted) -> Iterator[Engine]:
    made = Engine(scripted)
    made.start()
    assert made.ready(10)
    yield made
    scripted.gate.set()
    scripted.load_gate.set()
    made.close()


def ask(text: str, priority: Priority = Priority.RENDERING, **fields) -> SpeechRequest:
    return SpeechRequest(text, priority=priority, estimate_frames=5, **fields)


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not true():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.005)


def test_audio_comes_in_order_with_its_codes_and_figures(speaking: Engine) -> None:
    events: list[Event] = []
    stream = speaking.submit(ask("one two three"), events.append)
    chunks = list(stream)
    assert [chunk.start_frame for chunk in chunks] == [0, 1, 2]
    assert [int(chunk.codes[0, 0]) for chunk in chunks] == [0, 1, 2]
    result = stream.result(10)
    assert result.complete and result.frames == 3 and result.seconds == pytest.approx(0.24)
    assert result.codes.tolist() == np.concatenate([chunk.codes for chunk in chunks]).tolist()
    assert result.ttfa_ms is not None and result.ttfa_ms >= result.waited_ms >= 0 and result.rtf > 0
    assert result.identity == {"model": "scripted"}
    wait_until(lambda: events[-1].kind is EventKind.DONE)
    kinds = [event.kind for event in events if event.kind is not EventKind.PROGRESS]
    assert kinds == [EventKind.QUEUED, EventKind.STARTED, EventKind.FIRST_AUDIO, EventKind.DONE]
    assert events[-1].result == result


def test_samples_lie_on_the_grid_of_24_bits(speaking: Engine) -> None:
    for chunk in speaking.submit(ask("one two three")):
        scaled = chunk.samples.astype(np.float64) * 2**23
        assert chunk.samples.dtype == np.float32 and np.array_equal(scaled, np.rint(scaled))


@given(st.lists(st.floats(width=32, allow_nan=True, allow_infinity=True), min_size=1, max_size=40))
def test_the_grid_takes_any_float_and_holds_still_when_applied_again(values: list[float]) -> None:
    given_samples = np.array(values, np.float32)[:, None].repeat(2, axis=1)
    once = to_grid(given_samples)
    assert np.all(np.abs(once) <= 1) and np.array_equal(once, to_grid(once))
    inside = np.isfinite(given_samples) & (np.abs(given_samples) < 0.999)
    assert np.all(np.abs(once - given_samples)[inside] <= 2.0**-24)


def test_a_listener_goes_before_all_that_wait_and_equals_keep_their_order(scripted) -> None:
    scripted.repeatable = False
    made = Engine(scripted)
    scripted.load_gate.clear()
    made.start()
    streams = [
        made.submit(ask("export one", Priority.EXPORTING)),
        made.submit(ask("render one")),
        made.submit(ask("render two")),
        made.submit(ask("listen one", Priority.LISTENING)),
        made.submit(ask("preview one", Priority.PREVIEW)),
        made.submit(ask("listen two", Priority.LISTENING)),
    ]
    scripted.load_gate.set()
    for stream in streams:
        stream.result(10)
    assert scripted.started == ["listen one", "listen two", "preview one", "render one", "render two", "export one"]
    made.close()


def test_the_backend_gets_faster_while_nobody_asks(scripted) -> None:
    scripted.improvements_left = 3
    made = Engine(scripted)
    made.start()
    wait_until(lambda: scripted.improved_after == [0, 0, 0])
    assert made.submit(ask("one two")).result(10).complete and scripted.improved_after == [0, 0, 0]
    made.close()


def test_a_listener_need_not_wait_until_the_backend_is_as_fast_as_it_gets(scripted) -> None:
    scripted.improvements_left = 3
    scripted.improve_gate.clear()
    made = Engine(scripted)
    made.start()
    assert made.ready(10)
    listening = made.submit(ask("listen now", Priority.LISTENING))
    scripted.improve_gate.set()
    assert listening.result(10).complete
    wait_until(lambda: len(scripted.improved_after) == 3)
    assert scripted.improved_after in ([0, 1, 1], [1, 1, 1])
    made.close()


def asked_before_it_is_loaded(scripted, texts: list[str]) -> None:
    """All `texts` are rendered, and the backend has become faster."""
    scripted.improvements_left = 2
    scripted.load_gate.clear()
    made = Engine(scripted)
    made.start()
    streams = [made.submit(ask(text)) for text in texts]
    scripted.load_gate.set()
    assert all(stream.result(10).complete for stream in streams)
    wait_until(lambda: len(scripted.improved_after) == 2)
    made.close()


def test_one_text_is_rendered_at_once(scripted) -> None:
    asked_before_it_is_loaded(scripted, ["one two"])
    assert scripted.improved_after == [1, 1]


def test_many_texts_are_rendered_when_the_backend_is_fast(scripted) -> None:
    asked_before_it_is_loaded(scripted, ["one two", "three", "four"])
    assert scripted.improved_after == [0, 0]


def test_closing_does_not_wait_for_what_is_left_to_improve(scripted) -> None:
    scripted.improvements_left = 1000
    scripted.improve_gate.clear()
    made = Engine(scripted)
    made.start()
    assert made.ready(10)
    closing = threading.Thread(target=made.close)
    closing.start()
    time.sleep(0.05)
    scripted.improve_gate.set()
    closing.join(10)
    assert not closing.is_alive() and scripted.closed.wait(10) and len(scripted.improved_after) <= 1


def test_rendering_gives_its_place_to_a_listener_and_goes_on_unheard(speaking: Engine, scripted) -> None:
    words = " ".join(["word"] * 400)
    rendering = speaking.submit(ask(words))
    chunks = rendering.chunks(10)
    first = [next(chunks), next(chunks)]
    listening = speaking.submit(ask("listen now", Priority.LISTENING))
    assert listening.result(10).complete
    assert not rendering.done
    everything = [*first, *chunks]
    assert [chunk.start_frame for chunk in everything] == list(range(400))
    assert np.concatenate([chunk.codes for chunk in everything])[:, 0].tolist() == list(range(400))
    assert scripted.started.count(words) == 2 and rendering.result(10).frames == 400


def test_a_backend_that_does_not_repeat_itself_is_never_interrupted(speaking: Engine, scripted) -> None:
    scripted.repeatable = False
    rendering = speaking.submit(ask(" ".join(["word"] * 50)))
    next(rendering.chunks(10))
    speaking.submit(ask("listen now", Priority.LISTENING)).result(10)
    assert rendering.done and len(scripted.started) == 2


def test_several_requests_are_in_work_at_once_where_there_are_places(scripted) -> None:
    scripted.capacity = 3
    made = Engine(scripted)
    made.start()
    endless = [made.submit(ask("forever")) for _ in range(2)]
    assert made.submit(ask("one two")).result(10).complete
    assert not any(stream.done for stream in endless)
    made.close()


def test_cancel_ends_a_running_request_and_keeps_what_was_handed_over(speaking: Engine, scripted) -> None:
    stream = speaking.submit(ask("forever"))
    chunks = stream.chunks(10)
    next(chunks)
    stream.cancel()
    rest = list(chunks)
    result = stream.result(10)
    assert result.stop_reason is StopReason.CANCELLED and not result.complete
    assert result.frames == 1 + len(rest) and scripted.cancelled == [stream.id]
    assert speaking.submit(ask("one")).result(10).complete


def test_cancel_ends_a_waiting_request_at_once(speaking: Engine, scripted) -> None:
    running = speaking.submit(ask("forever", Priority.LISTENING))
    waiting = speaking.submit(ask("one"))
    waiting.cancel()
    assert waiting.result(10).stop_reason is StopReason.CANCELLED and list(waiting) == []
    assert scripted.started == ["forever"]
    running.cancel()


def test_cancel_after_the_end_changes_nothing(speaking: Engine) -> None:
    stream = speaking.submit(ask("one"))
    assert stream.result(10).complete
    stream.cancel()
    assert stream.result(10).complete


@pytest.mark.parametrize("text", ["refuse me", "break me in two"])
def test_a_request_that_fails_fails_alone(scripted, text: str) -> None:
    scripted.capacity = 2
    made = Engine(scripted)
    made.start()
    events: list[Event] = []
    other = made.submit(ask(" ".join(["word"] * 30)))
    failing = made.submit(ask(text), events.append)
    with pytest.raises(CheckpointError, match="refused|broke"):
        list(failing)
    with pytest.raises(CheckpointError):
        failing.result(10)
    assert other.result(10).complete and made.submit(ask("one")).result(10).complete
    assert events[-1].kind is EventKind.FAILED and isinstance(events[-1].error, CheckpointError)
    made.close()


def test_a_stop_without_audio_is_not_complete(speaking: Engine) -> None:
    result = speaking.submit(ask("silent")).result(10)
    assert result.stop_reason is StopReason.EARLY_END and not result.complete and result.ttfa_ms is None


def test_when_the_thread_dies_everybody_learns_why(speaking: Engine, scripted) -> None:
    scripted.gate.clear()
    streams = [speaking.submit(ask(text)) for text in ("explode now", "one", "two")]
    scripted.gate.set()
    for stream in streams:
        with pytest.raises(EngineFailedError, match="the device is gone") as caught:
            stream.result(10)
        assert isinstance(caught.value.__cause__, RuntimeError) and caught.value.remedy
    with pytest.raises(EngineFailedError):
        speaking.submit(ask("one"))
    assert speaking.status()["state"] == "failed" and scripted.closed.wait(10)


@pytest.mark.parametrize(
    ("error", "expected"), [(CheckpointError("Torn."), CheckpointError), (MemoryError(), DeviceError)]
)
def test_a_failed_load_reaches_who_waits(scripted, error: Exception, expected: type[Exception]) -> None:
    scripted.load_error = error
    scripted.load_gate.clear()
    made = Engine(scripted)
    made.start()
    stream = made.submit(ask("one"))
    scripted.load_gate.set()
    with pytest.raises(expected):
        made.ready(10)
    with pytest.raises(expected):
        stream.result(10)
    made.close()


def test_loading_is_reported_and_ready_waits_for_it(scripted) -> None:
    seen: list[float] = []
    scripted.load_gate.clear()
    made = Engine(scripted, on_status=lambda progress: seen.append(progress.fraction))
    made.start()
    assert not made.ready(0.01) and made.status()["state"] == "loading"
    scripted.load_gate.set()
    assert made.ready(10) and seen[0] == 0 and seen[-1] == 1
    made.close()
    assert made.status()["state"] == "closed"


def test_close_returns_in_the_middle_of_loading(scripted) -> None:
    scripted.load_gate.clear()
    made = Engine(scripted)
    made.start()
    stream = made.submit(ask("one"))
    threading.Timer(0.2, scripted.load_gate.set).start()
    made.close()
    with pytest.raises(EngineClosedError):
        stream.result(10)
    with pytest.raises(EngineClosedError):
        made.submit(ask("one"))
    assert scripted.closed.wait(10)


@pytest.mark.parametrize("where", ["step", "load", "listener"])
def test_close_returns_when_the_thread_is_stuck(scripted, where: str, monkeypatch) -> None:
    monkeypatch.setattr(engine_module, "CLOSE_TIMEOUT_S", 0.2)
    stuck = threading.Event()
    if where == "load":
        scripted.load_gate.clear()
    if where == "step":
        scripted.gate.clear()
    made = Engine(scripted)
    made.start()
    listener = (lambda event: stuck.wait()) if where == "listener" else None
    streams = [made.submit(ask("one two"), listener), made.submit(ask("three"))]
    made.close()
    for stream in streams:
        with pytest.raises(EngineClosedError):
            stream.result(0)
    stuck.set()
    scripted.gate.set()
    scripted.load_gate.set()
    assert scripted.closed.wait(10)


def test_close_from_a_listener_ends_the_engine(speaking: Engine, scripted) -> None:
    stream = speaking.submit(ask("forever"), lambda event: speaking.close())
    with pytest.raises(EngineClosedError):
        stream.result(10)
    assert scripted.closed.wait(10)
    speaking.close()


def test_close_twice_and_without_start_is_harmless(scripted) -> None:
    made = Engine(scripted)
    made.close()
    made.close()
    with pytest.raises(EngineClosedError):
        made.ready(1)


def test_a_listener_that_fails_hurts_nobody(speaking: Engine) -> None:
    def listener(event: Event) -> None:
        raise ValueError("my own fault")

    def lead() -> float:
        raise ValueError("mine too")

    assert speaking.submit(ask("one two"), listener, lead).result(10).complete


def test_many_threads_can_ask_and_cancel_at_once(scripted) -> None:
    scripted.capacity = 4
    made = Engine(scripted)
    made.start()
    ends: list[StopReason] = []

    def work(number: int) -> None:
        stream = made.submit(ask(" ".join(["word"] * (number % 7 + 1)), Priority(number % 4)))
        if number % 3 == 0:
            stream.cancel()
        ends.append(stream.result(30).stop_reason)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(ends) == 60 and ends.count(StopReason.STOP) >= 40
    made.close()


def test_waiting_for_audio_can_time_out(speaking: Engine, scripted) -> None:
    scripted.gate.clear()
    stream = speaking.submit(ask("one"))
    with pytest.raises(TimeoutError):
        next(stream.chunks(0.05))
    with pytest.raises(TimeoutError):
        stream.result(0.05)


@pytest.mark.parametrize(
    ("card", "request_", "error"),
    [
        (ModelCard("M"), SpeechRequest(" \n"), TextError),
        (ModelCard("M"), SpeechRequest("Hi.", seed=-1), TextError),
        (ModelCard("M"), SpeechRequest("Hi.", max_frames=0), TextError),
        (ModelCard("M"), SpeechRequest("Hi.", max_frames=7_501), TextError),
        (ModelCard("M"), SpeechRequest("Hi.", tokens=0), TextError),
        (ModelCard("M", languages=("English",)), SpeechRequest("Hi.", language="French"), CapabilityError),
        (ModelCard("M", cloning="none"), SpeechRequest("Hi.", references=(Clip(),)), CapabilityError),
        (ModelCard("M", needs_reference=True), SpeechRequest("Hi."), CapabilityError),
        (ModelCard("M", continuation=False), SpeechRequest("Hi.", continue_from=Clip()), CapabilityError),
    ],
)
def test_what_the_card_forbids_is_refused_with_a_remedy(scripted, card, request_, error) -> None:
    scripted.card = card
    made = Engine(scripted)
    with pytest.raises(error) as caught:
        made.submit(request_)
    assert caught.value.remedy
    made.close()


def test_fields_the_model_does_not_follow_are_left_out_and_named(speaking: Engine, scripted) -> None:
    scripted.card = ModelCard("M", length=False, instruction=False, languages=("English",))
    stream = speaking.submit(ask("one", tokens=50, instruction="softly"))
    assert stream.request.tokens is None and stream.request.instruction is None
    assert stream.request.language == "English" and stream.request.sampling == scripted.card.sampling
    assert {warning.code for warning in stream.result(10).warnings} == {"ignored_tokens", "ignored_instruction"}
