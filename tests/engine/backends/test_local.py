"""The starter through the engine: voices, chunks, isolation, continuation, and failures that stay alone."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engine import (
    CapabilityError,
    ClipError,
    DeviceError,
    Engine,
    Event,
    EventKind,
    Priority,
    SpeechRequest,
    StopReason,
    open_local,
)
from engine.backends.local import chunk_frames, frame_levels_db, frames_to_decode
from engine.job import to_grid
from engine.requests import Clip

STARTER = Path(__file__).parents[3] / "resources" / "starter"
VOICES = STARTER / "voices"
TEXTS = ("Hello there, how are you?", "I would like two slices of toast.", "The train leaves at noon.", "Good morning.")


@pytest.fixture(scope="module")
def engine(tmp_path_factory) -> Iterator[Engine]:
    made = open_local(STARTER, device="cpu", cache_folder=tmp_path_factory.mktemp("codes"))
    made.start()
    assert made.ready(120)
    yield made
    made.close()


@pytest.fixture(scope="module")
def three_rows() -> Iterator[Engine]:
    made = open_local(STARTER, device="cpu", slots=3)
    made.start()
    assert made.ready(120)
    yield made
    made.close()


def heard(stream) -> tuple[np.ndarray, np.ndarray]:
    """Samples and codes of a whole stream."""
    chunks = list(stream)
    return np.concatenate([chunk.samples for chunk in chunks]), np.concatenate([chunk.codes for chunk in chunks])


def test_chunks_are_small_while_the_listener_waits() -> None:
    assert chunk_frames(0.0, first=True) == 1
    assert [chunk_frames(lead, first=False) for lead in (-1, 0, 0.1, 0.3, 0.5, 0.9, 5)] == [1, 1, 2, 3, 4, 6, 8]
    assert chunk_frames(math.inf, first=True) == chunk_frames(math.inf, first=False) == 25


def test_chunks_end_with_a_block_where_the_listener_can_wait_for_it() -> None:
    ladder = [(0.0, 0, True), (0.08, 1, False), (0.2, 3, False), (0.5, 7, False), (0.8, 11, False), (5.0, 19, False)]
    assert [frames_to_decode(*step, in_blocks=True) for step in ladder] == [1, 2, 4, 4, 8, 8]
    assert frames_to_decode(0.05, 3, False, in_blocks=True) == 2  # not the four of the block: that would be a gap
    assert frames_to_decode(math.inf, 0, True, in_blocks=True) == 27
    assert frames_to_decode(0.2, 3, False, in_blocks=False) == 3


def test_levels_are_of_whole_frames() -> None:
    samples = np.zeros((7_680, 2), np.float32)
    samples[:3_840] = 0.1
    loud, quiet = frame_levels_db(samples, 2)
    assert loud == pytest.approx(-20) and quiet == -120


def test_speech_has_the_length_of_its_frames_and_the_identity_of_its_model(engine: Engine) -> None:
    events: list[Event] = []
    stream = engine.submit(SpeechRequest(TEXTS[0], seed=5), events.append)
    samples, codes = heard(stream)
    result = stream.result(60)
    assert result.stop_reason is StopReason.STOP and result.warnings == ()
    assert samples.shape == (result.frames * 3_840, 2) and codes.shape == (result.frames, 12)
    assert np.abs(samples).max() > 0.05 and np.array_equal(result.codes, codes)
    assert set(result.identity) == {"model", "codec", "tokenizer", "numeric", "revision"} and all(
        result.identity.values()
    )
    assert any(event.kind is EventKind.PROGRESS for event in events)


@pytest.mark.parametrize("leads_s", [[0.0, 0.0, 0.1, 0.2, 0.5, 0.9], [0.0] * 20, [0.0, 0.01] + 30 * [0.3], 60 * [0.07]])
def test_a_listener_gets_the_same_bytes_in_smaller_chunks(engine: Engine, leads_s: list[float]) -> None:
    whole, codes = heard(engine.submit(SpeechRequest(TEXTS[1], seed=5)))
    leads = iter([*leads_s, *[3.0] * 10_000])
    stream = engine.submit(SpeechRequest(TEXTS[1], seed=5, priority=Priority.LISTENING), lead_s=lambda: next(leads))
    chunks = list(stream)
    assert len(chunks[0].codes) == 1 and max(len(chunk.codes) for chunk in chunks) <= 12
    assert np.array_equal(np.concatenate([chunk.codes for chunk in chunks]), codes)
    assert np.array_equal(np.concatenate([chunk.samples for chunk in chunks]), whole)


def test_the_default_voice_is_the_model_without_a_reference(engine: Engine) -> None:
    plain = heard(engine.submit(SpeechRequest(TEXTS[3], seed=2)))
    joe = heard(engine.submit(SpeechRequest(TEXTS[3], seed=2, references=(Clip(path=VOICES / "joe.wav"),))))
    kumo = heard(engine.submit(SpeechRequest(TEXTS[3], seed=2, references=(Clip(path=VOICES / "kumo.wav"),))))
    assert np.array_equal(plain[0], joe[0]) and not np.array_equal(plain[1], kumo[1][: len(plain[1])])


def test_a_copied_and_renamed_clip_is_the_same_voice_and_costs_no_second_encode(
    engine: Engine, tmp_path: Path, monkeypatch
) -> None:
    original = heard(engine.submit(SpeechRequest(TEXTS[3], references=(Clip(path=VOICES / "gon.wav"),))))
    codec = engine.backend._runtime.codec
    monkeypatch.setattr(codec, "encode_in_slices", lambda *_: pytest.fail("encoded again"))
    copied = tmp_path / "who is this.wav"
    shutil.copyfile(VOICES / "gon.wav", copied)
    events: list[Event] = []
    again = heard(engine.submit(SpeechRequest(TEXTS[3], references=(Clip(path=copied),)), events.append))
    assert np.array_equal(original[0], again[0])
    assert EventKind.REFERENCE_READY in [event.kind for event in events]


def test_a_clip_the_model_does_not_know_is_refused_and_never_replaced(engine: Engine, tmp_path: Path) -> None:
    time_s = np.arange(96_000) / 48_000
    soundfile.write(tmp_path / "me.wav", 0.3 * np.sin(2 * np.pi * 220 * time_s), 48_000)
    with pytest.raises(CapabilityError, match="Joe.*Nezumi.*MOSS-TTS-Local"):
        list(engine.submit(SpeechRequest(TEXTS[0], references=(Clip(path=tmp_path / "me.wav"),))))
    with pytest.raises(ClipError, match="gone.wav"):
        list(engine.submit(SpeechRequest(TEXTS[0], references=(Clip(path=tmp_path / "gone.wav"),))))
    assert engine.submit(SpeechRequest(TEXTS[3])).result(60).complete


def test_a_clip_that_changes_under_its_name_is_noticed(engine: Engine, tmp_path: Path) -> None:
    clip = tmp_path / "voice.wav"
    shutil.copyfile(VOICES / "kumo.wav", clip)
    request = SpeechRequest(TEXTS[3], references=(Clip(path=clip),))
    kumo = heard(engine.submit(request))
    shutil.copyfile(VOICES / "gon.wav", clip)
    gon = heard(engine.submit(request))
    expected = heard(engine.submit(SpeechRequest(TEXTS[3], references=(Clip(path=VOICES / "gon.wav"),))))
    assert np.array_equal(gon[0], expected[0]) and not np.array_equal(gon[0][:3_840], kumo[0][:3_840])


def test_a_clip_longer_than_the_model_takes_is_refused(engine: Engine, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(engine.backend, "card", replace(engine.card, cloning="zero_shot"))
    monkeypatch.setattr(engine.backend._clips, "_card", engine.backend.card)
    noise = np.random.default_rng(0).normal(0, 0.1, (48_000 * 10, 1))
    soundfile.write(tmp_path / "long.wav", noise, 48_000)
    with pytest.raises(ClipError, match="at most 8.8 s"):
        list(engine.submit(SpeechRequest(TEXTS[0], references=(Clip(path=tmp_path / "long.wav"),))))


def noise_clips(folder: Path, *lengths_s: float) -> tuple[Clip, ...]:
    random = np.random.default_rng(0)
    for number, length_s in enumerate(lengths_s):
        soundfile.write(folder / f"{number}.wav", random.normal(0, 0.1, (round(48_000 * length_s), 1)), 48_000)
    return tuple(Clip(path=folder / f"{number}.wav") for number in range(len(lengths_s)))


@pytest.fixture
def any_voice(three_rows: Engine, monkeypatch) -> Engine:
    """An engine that takes any clip, of any length."""
    card = replace(three_rows.card, cloning="zero_shot", longest_reference_s=100.0)
    monkeypatch.setattr(three_rows.backend, "card", card)
    monkeypatch.setattr(three_rows.backend._clips, "_card", card)
    return three_rows


def test_clips_of_one_request_are_encoded_in_one_batch(any_voice: Engine, tmp_path: Path, monkeypatch) -> None:
    clips = noise_clips(tmp_path, 1.0, 3.0, 2.0)
    codec = any_voice.backend._runtime.codec
    encode, batches = codec.encode_in_slices, []

    def counted(batch, codebooks):
        batches.append([samples.shape[1] for samples in batch])
        return encode(batch, codebooks)

    monkeypatch.setattr(codec, "encode_in_slices", counted)
    request = SpeechRequest(TEXTS[3], references=clips, max_frames=4)
    together = heard(any_voice.submit(request))
    assert [sorted(batch) for batch in batches] == [[48_000, 96_000, 144_000]]
    assert np.array_equal(heard(any_voice.submit(request))[0], together[0]) and len(batches) == 1


def test_a_listener_is_served_between_the_slices_of_somebody_elses_clip(
    any_voice: Engine, tmp_path: Path, monkeypatch
) -> None:
    runtime, deeds = any_voice.backend._runtime, []
    for owner, name in ((runtime.codec, "_encode_slice"), (runtime.loop, "step")):
        deed = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *given, deed=deed, name=name: (deeds.append(name), deed(*given))[1])
    listener = SpeechRequest(" ".join(TEXTS * 2), priority=Priority.LISTENING)
    listening = any_voice.submit(listener, lead_s=lambda: 0.6)
    next(listening.chunks(60))
    (clip,) = noise_clips(tmp_path, 30.0)
    any_voice.submit(SpeechRequest(TEXTS[3], references=(clip,), max_frames=1)).result(60)
    listening.cancel()
    slices = [at for at, name in enumerate(deeds) if name == "_encode_slice"]
    assert len(slices) == 4
    assert all(after - before > 1 for before, after in zip(slices, slices[1:], strict=False))


def test_a_clip_whose_request_was_cancelled_is_encoded_for_the_next(any_voice: Engine, tmp_path: Path) -> None:
    (clip,) = noise_clips(tmp_path, 40.0)
    cancelled = any_voice.submit(SpeechRequest(TEXTS[3], references=(clip,)))
    time.sleep(0.3)  # in the middle of it, or before
    cancelled.cancel()
    assert cancelled.result(60).stop_reason is StopReason.CANCELLED
    assert any_voice.submit(SpeechRequest(TEXTS[3], references=(clip,), max_frames=2)).result(60).frames == 2


def test_the_frame_budget_ends_a_request_as_incomplete(engine: Engine) -> None:
    result = engine.submit(SpeechRequest(TEXTS[1], max_frames=5)).result(60)
    assert result.stop_reason is StopReason.LENGTH and result.frames == 5 and not result.complete


def test_texts_spoken_together_are_bit_for_bit_those_spoken_alone(three_rows: Engine) -> None:
    requests = [
        SpeechRequest(text, seed=number, references=(Clip(path=VOICES / "kumo.wav"),) if number % 2 else ())
        for number, text in enumerate(TEXTS * 2)
    ]
    alone = [heard(three_rows.submit(request)) for request in requests]
    for order in (list(range(8)), [5, 2, 7, 0, 3, 6, 1, 4]):
        streams = {number: three_rows.submit(requests[number]) for number in order}
        together = {number: heard(stream) for number, stream in streams.items()}
        for number, (samples, codes) in enumerate(alone):
            assert np.array_equal(together[number][1], codes) and np.array_equal(together[number][0], samples)


def test_rendering_that_gave_way_to_a_listener_is_bit_for_bit_the_same(engine: Engine) -> None:
    long = SpeechRequest(" ".join(TEXTS), seed=3)
    expected, _ = heard(engine.submit(long))
    stream = engine.submit(long)
    chunks = stream.chunks(60)
    parts = [next(chunks).samples]
    engine.submit(SpeechRequest(TEXTS[3], priority=Priority.LISTENING)).result(60)
    assert not stream.done
    parts += [chunk.samples for chunk in chunks]
    assert np.array_equal(np.concatenate(parts), expected)


def test_cancelled_rows_are_free_at_once(three_rows: Engine) -> None:
    for _ in range(4):
        streams = [three_rows.submit(SpeechRequest(" ".join(TEXTS), seed=seed)) for seed in range(5)]
        next(streams[0].chunks(60))
        for stream in streams:
            stream.cancel()
        assert all(stream.result(60).stop_reason is StopReason.CANCELLED for stream in streams)
    runtime = three_rows.backend._runtime
    assert three_rows.submit(SpeechRequest(TEXTS[3])).result(60).complete
    assert runtime.loop.free_rows == 3 and runtime.streams.free == 3


def test_not_enough_memory_fails_who_was_speaking_and_keeps_the_model(engine: Engine, monkeypatch) -> None:
    loop = engine.backend._runtime.loop
    step = loop.step

    def hungry():
        monkeypatch.setattr(loop, "step", step)
        raise MemoryError

    monkeypatch.setattr(loop, "step", hungry)
    with pytest.raises(DeviceError) as caught:
        engine.submit(SpeechRequest(TEXTS[0])).result(60)
    assert caught.value.remedy
    assert engine.submit(SpeechRequest(TEXTS[3])).result(60).complete


def test_continuation_goes_on_where_the_audio_before_it_ended(engine: Engine, monkeypatch) -> None:
    monkeypatch.setattr(engine.backend, "card", replace(engine.card, continuation=True))
    before = engine.submit(SpeechRequest(TEXTS[0], seed=1)).result(60)
    clip = Clip(codes=before.codes, transcript=TEXTS[0] + " ")
    samples, codes = heard(engine.submit(SpeechRequest(TEXTS[3], seed=1, continue_from=clip, max_frames=20)))
    whole = engine.backend._runtime.codec.decode(np.concatenate([before.codes, codes])).T
    assert np.array_equal(to_grid(whole[len(before.codes) * 3_840 :]), samples)
    cold = engine.backend._runtime.codec.decode(codes).T
    assert np.abs(cold - samples).max() > 1e-3


@pytest.mark.parametrize(
    "codes", [np.full((4, 12), 2_000), np.zeros((4, 99), np.int16), np.zeros(12), np.zeros((4, 12))]
)
def test_codes_that_no_codec_made_are_refused(engine: Engine, codes: np.ndarray, monkeypatch) -> None:
    monkeypatch.setattr(engine.backend, "card", replace(engine.card, continuation=True))
    with pytest.raises(ClipError):
        list(engine.submit(SpeechRequest(TEXTS[3], continue_from=Clip(codes=codes, transcript="x"))))
    assert engine.submit(SpeechRequest(TEXTS[3])).result(60).complete


def test_first_audio_of_a_known_voice_does_not_wait_for_the_whole_text(engine: Engine) -> None:
    request = SpeechRequest(
        " ".join(TEXTS), seed=1, references=(Clip(path=VOICES / "kumo.wav"),), priority=Priority.LISTENING
    )
    engine.submit(request).result(60)
    started_s = time.monotonic()
    stream = engine.submit(request, lead_s=lambda: 0.0)
    next(stream.chunks(60))
    first_s = time.monotonic() - started_s
    result = stream.result(60)
    assert first_s < (time.monotonic() - started_s) / 2 and result.ttfa_ms is not None


def test_somebody_elses_clip_waits_until_the_listener_has_a_lead(three_rows: Engine) -> None:
    lead_s = [0.1]
    listening = three_rows.submit(
        SpeechRequest(" ".join(TEXTS * 3), priority=Priority.LISTENING), lead_s=lambda: lead_s[0]
    )
    chunks = listening.chunks(60)
    next(chunks)
    events: list[EventKind] = []
    other = three_rows.submit(
        SpeechRequest(TEXTS[3], references=(Clip(path=VOICES / "nezumi.wav"),)), lambda event: events.append(event.kind)
    )
    for _ in range(8):
        next(chunks)
    assert EventKind.STARTED in events and EventKind.REFERENCE_READY not in events
    lead_s[0] = 5.0
    assert other.result(60).complete and EventKind.REFERENCE_READY in events
    listening.cancel()


def test_an_engine_can_be_opened_and_closed_again_and_again() -> None:
    for _ in range(2):
        made = open_local(STARTER, device="cpu")
        made.start()
        assert made.submit(SpeechRequest(TEXTS[3])).result(120).complete
        made.close()
