"""Bytes of servers: samples and events are the same however they are cut, and nothing hostile passes."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import ServerError
from engine.backends.pcm import PcmDecoder, WavDecoder
from engine.backends.sse import SseReader

VALUES = np.random.default_rng(1).integers(-32768, 32767, (3000, 2)).astype("<i2")
cuts = st.lists(st.integers(0, 12_000), max_size=12)


def pieces(data: bytes, at: list[int]) -> list[bytes]:
    edges = sorted({0, len(data), *(cut for cut in at if cut < len(data))})
    return [data[start:end] for start, end in zip(edges, edges[1:], strict=False)]


def fed(decoder, data: bytes, at: list[int]) -> np.ndarray:
    return np.concatenate([*(decoder.feed(piece) for piece in pieces(data, at)), decoder.flush()])


@given(cuts)
def test_samples_are_the_same_for_any_cuts(at):
    samples = fed(PcmDecoder(48_000, 2), VALUES.tobytes(), at)
    assert np.array_equal(samples, VALUES.astype(np.float32) / 32768)


@settings(max_examples=25, deadline=None)
@given(cuts, st.sampled_from([8_000, 22_050, 24_000, 44_100, 96_000]))
def test_resampled_sound_is_the_same_for_any_cuts(at, rate):
    whole = fed(PcmDecoder(rate, 2), VALUES.tobytes(), [])
    parts = fed(PcmDecoder(rate, 2), VALUES.tobytes(), at)
    assert abs(len(whole) - len(VALUES) * 48_000 / rate) < 2
    assert whole.shape == parts.shape and np.allclose(whole, parts, atol=1e-6)


@pytest.mark.parametrize("subtype", ["PCM_16", "PCM_24", "PCM_32", "FLOAT"])
@pytest.mark.parametrize("channels", [1, 2, 3])
def test_every_usual_wav_is_read(subtype, channels):
    samples = np.random.default_rng(2).uniform(-1, 1, (500, channels))
    file = io.BytesIO()
    soundfile.write(file, samples, 48_000, format="WAV", subtype=subtype)
    decoded = fed(WavDecoder(), file.getvalue(), [3, 20, 45, 77])
    expected = soundfile.read(io.BytesIO(file.getvalue()), dtype="float32", always_2d=True)[0]
    expected = np.repeat(expected, 2, axis=1) if channels == 1 else expected[:, :2]
    assert np.allclose(decoded, expected, atol=2**-23)


@given(st.binary(max_size=400), cuts)
def test_bytes_that_are_no_wav_are_an_error_or_silence(data, at):
    decoder = WavDecoder()
    try:
        samples = fed(decoder, data, at)
    except ServerError:
        return
    assert samples.dtype == np.float32 and not decoder.complete or decoder.decoder is not None


def test_a_wav_that_is_shorter_than_it_says_is_not_complete():
    file = io.BytesIO()
    soundfile.write(file, VALUES, 48_000, format="WAV", subtype="PCM_16")
    whole, short = WavDecoder(), WavDecoder()
    whole.feed(file.getvalue())
    short.feed(file.getvalue()[:-10])
    assert whole.complete and not short.complete


def test_a_header_without_end_is_refused():
    decoder = WavDecoder()
    with pytest.raises(ServerError):
        for _ in range(100):
            decoder.feed(b"RIFF\xff\xff\xff\xffWAVEjunk\xff\xff\xff\xff" + bytes(2000))


@pytest.mark.parametrize(
    ("rate", "channels", "bits"), [(0, 1, 16), (48_000, 0, 16), (48_000, 99, 16), (10**9, 2, 16), (48_000, 2, 8)]
)
def test_formats_that_cannot_be_are_refused(rate, channels, bits):
    with pytest.raises(ServerError):
        PcmDecoder(rate, channels, bits)


texts = st.text(st.characters(exclude_characters="\r\n", exclude_categories=("Cs",)), max_size=30)


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=5), cuts, st.sampled_from(["\n", "\r\n", "\r"]))
def test_events_are_the_same_for_any_cuts_and_line_ends(events, at, end):
    text = "".join(
        f": comment{end}"
        + (f"event: {name}{end}" if name else "")
        + f"data: {json.dumps(data)}{end}data: more{end}{end}"
        for name, data in events
    )
    reader = SseReader()
    got = [event for piece in pieces(text.encode(), at) for event in reader.feed(piece)]
    got += reader.feed(b"\n")  # a lone CR at the end may still become CR LF
    assert [event.data for event in got] == [f"{json.dumps(data)}\nmore" for _, data in events]
    assert [event.name for event in got] == [name or "message" for name, _ in events]


@given(st.binary(max_size=300), cuts)
def test_bytes_that_are_no_events_do_no_harm(data, at):
    reader = SseReader()
    try:
        for piece in pieces(data, at):
            reader.feed(piece)
    except ServerError:
        pass


def test_an_event_without_end_is_refused(monkeypatch):
    from engine.backends import sse

    monkeypatch.setattr(sse, "LARGEST_EVENT", 10_000)
    reader = SseReader()
    with pytest.raises(ServerError):
        for _ in range(100):
            reader.feed(b"data: " + b"x" * 1000)
