"""Streams decode to the same samples whatever the split, the slot, the company and the hour."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.codec.blocks import BLOCK_FRAMES, block_at, frames_to_border
from engine.codec.stream import DecodeStreams

FRAMES = 40
TOLERANCE = 1e-5


def some_codes(codec, frames: int = FRAMES, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    return random.integers(0, codec.config.codebook_size, (frames, codec.codebooks)).astype(np.int16)


def streamed(streams: DecodeStreams, slot: int, codes: np.ndarray, sizes: list[int]) -> np.ndarray:
    parts, at = [], 0
    for size in [*sizes, len(codes)]:
        parts.append(streams.step({slot: codes[at : at + size]})[slot])
        at = min(len(codes), at + size)
    return np.concatenate(parts).T


@given(st.lists(st.integers(0, FRAMES), max_size=FRAMES))
@settings(deadline=None, max_examples=60)
def test_every_split_gives_the_bytes_of_offline_decoding(tiny, sizes):
    codes = some_codes(tiny)
    streams = DecodeStreams(tiny)
    audio = streamed(streams, streams.open(), codes, sizes)
    np.testing.assert_array_equal(audio, tiny.decode(codes))


@given(st.lists(st.integers(0, 25), max_size=60))
@settings(deadline=None, max_examples=6)
def test_every_split_of_real_speech_gives_the_bytes_of_offline_decoding(starter, sizes):
    codes = some_codes(starter, 60)
    streams = DecodeStreams(starter)
    audio = streamed(streams, streams.open(), codes, sizes)
    np.testing.assert_array_equal(audio, starter.decode(codes))


@given(st.lists(st.integers(0, FRAMES), max_size=FRAMES))
@settings(deadline=None, max_examples=30)
def test_every_split_in_one_batch_gives_the_samples_of_offline_decoding(tiny, sizes):
    codes = some_codes(tiny)
    streams = DecodeStreams(tiny, together=True)
    audio = streamed(streams, streams.open(), codes, sizes)
    np.testing.assert_allclose(audio, tiny.decode(codes), rtol=0, atol=TOLERANCE)


def test_blocks_follow_each_other_without_gap_or_overlap():
    starts = [block_at(frame)[0] for frame in range(100)]
    assert starts[:8] == [0, 1, 1, 3, 3, 3, 3, 7]
    for frame, (start, end) in enumerate(map(block_at, range(100))):
        assert start <= frame < end and block_at(end)[0] == end and block_at(end - 1) == (start, end)


@given(st.integers(0, 10_000), st.integers(1, 30))
def test_the_frames_to_a_border_end_a_block_and_are_hardly_more(position, frames):
    whole = frames_to_border(position, frames)
    assert frames <= whole < frames + BLOCK_FRAMES
    assert block_at(position + whole)[0] == position + whole


def test_a_block_has_one_number_of_codebooks(tiny):
    streams = DecodeStreams(tiny)
    slot = streams.open()
    codes = some_codes(tiny, 8)
    first = streams.step({slot: codes[:2, :3]})[slot]
    with pytest.raises(ValueError, match="6 codebooks in a block of 3"):
        streams.step({slot: codes[2:]})
    rest = streams.step({slot: codes[2:, :3]})[slot]
    np.testing.assert_array_equal(np.concatenate([first, rest]).T, tiny.decode(codes[:, :3]))


@given(st.data())
@settings(deadline=None, max_examples=40)
def test_slots_start_stop_and_reset_without_touching_each_other(tiny, data):
    together = data.draw(st.booleans())
    streams = DecodeStreams(tiny, 4, together=together)
    spoken: dict[int, list[np.ndarray]] = {}
    heard: dict[int, list[np.ndarray]] = {}
    seed = 0

    def finish(slot: int) -> None:
        codes = spoken.pop(slot)
        parts = heard.pop(slot)
        if codes:
            expected = tiny.decode(np.concatenate(codes))
            np.testing.assert_allclose(np.concatenate(parts).T, expected, rtol=0, atol=TOLERANCE if together else 0)

    for _ in range(data.draw(st.integers(1, 12))):
        action = data.draw(st.sampled_from(["open", "step", "step", "step", "reset", "close"]))
        if action == "open" and streams.free:
            slot = streams.open()
            assert slot not in spoken
            spoken[slot], heard[slot] = [], []
        elif action == "step" and spoken:
            chunks = {}
            for slot in data.draw(st.sets(st.sampled_from(sorted(spoken)), min_size=1)):
                seed += 1
                chunks[slot] = some_codes(tiny, data.draw(st.integers(0, 6)), seed)
            for slot, audio in streams.step(chunks).items():
                spoken[slot].append(chunks[slot])
                heard[slot].append(audio)
        elif action in ("reset", "close") and spoken:
            slot = data.draw(st.sampled_from(sorted(spoken)))
            finish(slot)
            if action == "reset":
                streams.reset(slot)
                spoken[slot], heard[slot] = [], []
            else:
                streams.close(slot)
    for slot in list(spoken):
        finish(slot)


@pytest.mark.parametrize("frames", [1, 4])
@pytest.mark.parametrize("company", [[1], [2, 3], [3]])
def test_a_stream_has_the_same_bits_alone_and_in_company(tiny, frames, company):
    codes = [some_codes(tiny, 60, seed) for seed in range(4)]

    def first_of(slots: list[int]) -> np.ndarray:
        streams = DecodeStreams(tiny, 4)
        for slot in range(4):
            streams.open()
            if slot in slots and slot:  # company of another age
                streams.step({slot: codes[slot][: 2 * slot]})
        steps = [streams.step({slot: codes[slot][at : at + frames] for slot in slots}) for at in range(0, 60, frames)]
        return np.concatenate([step[0] for step in steps])

    np.testing.assert_array_equal(first_of([0, *company]), first_of([0]))


def test_an_hour_into_a_stream_the_samples_are_those_of_its_beginning(tiny):
    codes = torch.from_numpy(some_codes(tiny).astype(np.int64))[None]

    def decoded(first_frame: int) -> np.ndarray:
        with torch.inference_mode():
            state = tiny.new_decode_state(1)
            state.frames.fill_(first_frame)
            # `oldest=0`: nothing is remembered yet. The first step fills every context, the others use all of it.
            parts = [tiny.decode_step(codes[:, :10], state, oldest=0)]
            parts += [tiny.decode_step(codes[:, at : at + 5], state) for at in range(10, FRAMES, 5)]
        assert state.frames.item() == first_frame + FRAMES
        return torch.cat(parts, dim=1)[0].numpy()

    np.testing.assert_allclose(decoded(45_000), decoded(0), rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(decoded(0).T, tiny.decode(codes[0].numpy()), rtol=0, atol=TOLERANCE)


def test_a_stream_forgets_what_lies_beyond_its_context(tiny):
    # Its layers reach back 9 + 2.5 + 2.5 frames.
    ending = some_codes(tiny, 20, 9)
    one, two = (tiny.decode(np.concatenate([some_codes(tiny, 30, seed), ending])) for seed in (1, 2))
    hop = tiny.config.hop
    np.testing.assert_allclose(one[:, -5 * hop :], two[:, -5 * hop :], rtol=0, atol=TOLERANCE)
    assert np.abs(one - two)[:, -20 * hop : -19 * hop].max() > 1e-3


def test_a_wrong_code_or_slot_decodes_nothing(tiny):
    streams = DecodeStreams(tiny, 2)
    slot = streams.open()
    codes = some_codes(tiny, 4)
    wrong = codes.copy()
    wrong[2, 1] = tiny.config.codebook_size
    with pytest.raises(ValueError, match="0..31"):
        streams.step({slot: wrong})
    with pytest.raises(KeyError):
        streams.step({slot: codes, 1: codes})
    np.testing.assert_allclose(streams.step({slot: codes})[slot].T, tiny.decode(codes), rtol=0, atol=TOLERANCE)


def test_no_more_streams_open_than_there_are_slots(tiny):
    streams = DecodeStreams(tiny, 2)
    assert [streams.open(), streams.open()] == [0, 1]
    with pytest.raises(RuntimeError):
        streams.open()
    streams.close(0)
    assert (streams.free, streams.open()) == (1, 0)
