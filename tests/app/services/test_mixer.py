"""The mixer: trimming, exact pauses, joins, and the same samples for any split."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.services.mixer import RATE, Mixer, MixSettings, TrimRule, gain_factor


def speech(seconds: float, *, seed: int = 0, level: float = 0.2, hz: float = 180.0) -> np.ndarray:
    n = round(seconds * RATE)
    t = np.arange(n) / RATE
    tone = level * np.sin(2 * np.pi * hz * t + seed) + level * 0.3 * np.sin(2 * np.pi * hz * 7 * t)
    return np.repeat(tone[:, None], 2, axis=1).astype(np.float32)


def silence(seconds: float, *, noise_db: float | None = None, seed: int = 0) -> np.ndarray:
    n = round(seconds * RATE)
    if noise_db is None:
        return np.zeros((n, 2), np.float32)
    return (np.random.default_rng(seed).standard_normal((n, 2)) * 10 ** (noise_db / 20)).astype(np.float32)


def piece(lead_s: float, speech_s: float, tail_s: float, **kw: float) -> np.ndarray:
    return np.concatenate((silence(lead_s), speech(speech_s, **kw), silence(tail_s)))


def mix(steps: list, mixer: Mixer | None = None, chunk: int | None = None) -> tuple[np.ndarray, Mixer]:
    """Steps: an array is a piece, a number is a pause."""
    mixer = mixer or Mixer()
    out = []
    for index, step in enumerate(steps):
        if isinstance(step, (int, float)):
            out.append(mixer.pause(step))
            continue
        mixer.begin_piece(f"block{index}", 0)
        size = chunk or max(1, len(step))
        out += [mixer.feed(step[at : at + size]) for at in range(0, len(step), size)]
        out.append(mixer.end_piece())
    out.append(mixer.flush())
    return np.concatenate(out), mixer


def loud_runs(samples: np.ndarray, quiet_s: float = 0.05, threshold: float = 0.0056) -> list[tuple[int, int]]:
    loud = np.flatnonzero(np.abs(samples).max(axis=1) >= threshold)
    cuts = np.flatnonzero(np.diff(loud) > quiet_s * RATE)
    starts = np.concatenate((loud[:1], loud[cuts + 1]))
    ends = np.concatenate((loud[cuts], loud[-1:])) + 1
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


@pytest.mark.parametrize("pause_s", [0.1, 0.2, 0.5, 1.5, 3.0, 10.0])
def test_a_pause_is_as_long_as_its_tag(pause_s: float) -> None:
    out, _ = mix([piece(0.13, 0.5, 0.31), pause_s, piece(0.07, 0.4, 0.2)])
    (_, first_end), (second_start, _) = loud_runs(out)
    assert abs((second_start - first_end) / RATE - pause_s) <= 0.02


def test_a_pause_is_exact_after_a_tail_longer_than_what_is_held_back() -> None:
    out, _ = mix([piece(0, 0.5, 1.4), 2.0, piece(0.3, 0.4, 0.2)], chunk=960)
    (_, first_end), (second_start, _) = loud_runs(out)
    assert abs((second_start - first_end) / RATE - 2.0) <= 0.02


def test_several_pauses_in_a_row_add_up_and_silent_pieces_between_them_vanish() -> None:
    out, mixer = mix([piece(0, 0.5, 0.1), 0.3, 0.4, silence(0.6), 0.5, piece(0.1, 0.4, 0)])
    (_, first_end), (second_start, _) = loud_runs(out)
    assert abs((second_start - first_end) / RATE - 1.2) <= 0.02
    silent = mixer.spans[1]
    assert silent.start_sample == silent.end_sample


def test_pauses_at_the_start_and_the_end_are_kept() -> None:
    out, _ = mix([0.7, piece(0.2, 0.5, 0.3), 1.1])
    ((start, end),) = loud_runs(out)
    assert abs(start / RATE - 0.7) <= 0.02
    assert abs((len(out) - end) / RATE - 1.1) <= 0.02


def test_leading_silence_is_dropped_as_it_comes() -> None:
    mixer = Mixer()
    mixer.begin_piece("a", 0)
    assert sum(len(mixer.feed(silence(0.08))) for _ in range(50)) == 0
    assert mixer._waiting_n + len(mixer._edge) < 0.1 * RATE
    out = mixer.feed(speech(0.5))
    assert loud_runs(out)[0][0] <= 0.041 * RATE


def test_at_most_half_a_second_of_tail_is_held_back_and_speech_releases_it() -> None:
    mixer = Mixer()
    mixer.begin_piece("a", 0)
    fed = returned = 0
    for chunk in [speech(0.4), *[silence(0.08)] * 12, speech(0.4)]:
        fed += len(chunk)
        returned += len(mixer.feed(chunk))
        assert fed - returned <= 0.52 * RATE
    assert fed - returned <= 0.01 * RATE


def test_silence_inside_a_piece_is_left_alone() -> None:
    inside = np.concatenate((speech(0.3), silence(2.0), speech(0.3, seed=1)))
    out, _ = mix([inside], chunk=1000)
    np.testing.assert_array_equal(out[200:-200], inside[200:-200])


def test_speech_comes_out_untouched_between_its_fades() -> None:
    spoken = piece(0.2, 0.6, 0.2)
    out, mixer = mix([spoken])
    span = mixer.spans[0]
    first = np.flatnonzero(np.abs(spoken).max(axis=1) > 0)[0]
    at = first - first % 240
    np.testing.assert_array_equal(
        out[span.start_sample : span.end_sample], spoken[at : at + span.end_sample - span.start_sample]
    )


def test_spans_lie_where_speech_is() -> None:
    out, mixer = mix([0.5, piece(0.1, 0.5, 0.3), 0.8, piece(0.2, 0.7, 0.1), 0.25, piece(0, 0.3, 0)])
    runs = loud_runs(out)
    assert len(runs) == len(mixer.spans) == 3
    for (start, end), span in zip(runs, mixer.spans, strict=True):
        assert abs(start - span.start_sample) <= 240
        assert abs(end - span.end_sample) <= 240


def test_the_open_span_follows_what_is_being_spoken() -> None:
    mixer = Mixer()
    mixer.begin_piece("a", 3)
    mixer.feed(silence(0.2))
    assert mixer.open_span is None
    mixer.feed(speech(0.5))
    assert (mixer.open_span.block_id, mixer.open_span.piece_index) == ("a", 3)
    assert mixer.open_span.end_sample - mixer.open_span.start_sample == 0.5 * RATE


def test_joins_never_click() -> None:
    # A piece that starts and ends in full swing: the steepest step must stay near the steepest of the signal itself.
    for gap in (0.0, 0.01, 0.05, 0.1, 0.3):
        out, _ = mix([speech(0.4, level=0.5, hz=101.3), gap, speech(0.4, level=0.5, seed=1, hz=101.3)])
        steepest = np.abs(np.diff(speech(0.4, level=0.5, hz=101.3), axis=0)).max()
        assert np.abs(np.diff(out, axis=0, prepend=0, append=0)).max() < 1.2 * steepest, gap


def test_edges_that_meet_in_a_short_pause_keep_their_power() -> None:
    noise = {"noise_db": -50.0}
    first = np.concatenate((speech(0.3), silence(0.3, **noise, seed=1)))
    second = np.concatenate((silence(0.3, **noise, seed=2), speech(0.3)))
    out, mixer = mix([first, 0.05, second])
    gap = out[mixer.spans[0].end_sample : mixer.spans[1].start_sample]
    level_db = 10 * np.log10(np.mean(gap.astype(np.float64) ** 2))
    assert -53 < level_db < -46


def test_gain_changes_the_level_and_nothing_else() -> None:
    spoken = piece(0.1, 0.4, 0.2)
    plain, a = mix([spoken])
    mixer = Mixer()
    mixer.begin_piece("block0", 0, gain_db=-6.0)
    louder = np.concatenate((mixer.feed(spoken), mixer.end_piece(), mixer.flush()))
    assert mixer.spans == a.spans
    np.testing.assert_allclose(louder, plain * gain_factor(-6.0), atol=1e-7)


def test_room_tone_fills_pauses_at_its_level_and_is_the_same_every_time() -> None:
    steps = [1.0, piece(0, 0.5, 0.2), 2.0, piece(0, 0.5, 0.2), 1.0]
    first, mixer = mix(steps, Mixer(MixSettings(room_tone_db=-66.0)))
    again, _ = mix(steps, Mixer(MixSettings(room_tone_db=-66.0)), chunk=777)
    np.testing.assert_array_equal(first, again)
    gap = first[mixer.spans[0].end_sample + 4000 : mixer.spans[1].start_sample - 4000].astype(np.float64)
    assert abs(10 * np.log10(np.mean(gap**2)) + 66.0) < 0.5
    hush = first[: mixer.spans[0].start_sample].reshape(-1, 2)
    windows = np.sqrt(np.mean(hush[: len(hush) // 480 * 480].reshape(-1, 960) ** 2, axis=1))
    assert 20 * np.log10(windows.min()) > -76  # no hole anywhere


def test_the_wrong_order_of_calls_is_refused() -> None:
    mixer = Mixer()
    with pytest.raises(RuntimeError):
        mixer.feed(silence(0.1))
    with pytest.raises(RuntimeError):
        mixer.end_piece()
    mixer.begin_piece("a", 0)
    with pytest.raises(RuntimeError):
        mixer.begin_piece("b", 0)
    with pytest.raises(RuntimeError):
        mixer.pause(1.0)
    with pytest.raises(ValueError, match="expected samples"):
        mixer.feed(np.zeros(10, np.float32))
    mixer.end_piece()
    for wrong in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="pause"):
            mixer.pause(wrong)


def test_a_programme_of_nothing_is_empty() -> None:
    assert len(Mixer().flush()) == 0
    out, _ = mix([silence(0.3), 0.2, silence(0.1)])
    assert len(out) == 0.2 * RATE
    assert not out.any()


SEGMENT = st.tuples(st.sampled_from(["speech", "silence", "faint", "click"]), st.integers(0, 9_000), st.integers(0, 9))


def build(segments: list[tuple[str, int, int]]) -> np.ndarray:
    parts = [np.zeros((0, 2), np.float32)]
    for kind, n, seed in segments:
        noise = np.random.default_rng(seed).standard_normal((n, 2))
        level = {"speech": 0.1, "silence": 0.0, "faint": 0.0055, "click": 0.0}[kind]
        part = (noise * level).astype(np.float32)
        if kind == "click" and n:
            part[n // 2] = 0.9
        parts.append(part)
    return np.concatenate(parts)


@settings(max_examples=150, deadline=None)
@given(
    pieces=st.lists(
        st.tuples(st.lists(SEGMENT, max_size=5), st.floats(0, 0.3), st.sampled_from([0.0, -3.3, 6.0])),
        min_size=1,
        max_size=4,
    ),
    lead_s=st.floats(0, 0.2),
    room_tone_db=st.sampled_from([None, -60.0]),
    trim=st.sampled_from(
        [TrimRule(), TrimRule(hold_ms=30, head_ms=0, tail_ms=5), TrimRule(window_samples=97, hold_ms=100)]
    ),
    data=st.data(),
)
def test_any_split_of_the_chunks_gives_the_same_samples(pieces, lead_s, room_tone_db, trim, data) -> None:
    def run(cut: bool) -> tuple[bytes, tuple]:
        mixer = Mixer(MixSettings(trim=trim, room_tone_db=room_tone_db))
        out = [mixer.pause(lead_s)]
        for index, (segments, pause_s, gain_db) in enumerate(pieces):
            audio = build(segments)
            mixer.begin_piece("b", index, gain_db)
            at = 0
            while at < len(audio):
                n = data.draw(st.integers(1, 6_000)) if cut else len(audio)
                out.append(mixer.feed(audio[at : at + n]))
                at += n
            out += [mixer.end_piece(), mixer.pause(pause_s)]
        out.append(mixer.flush())
        mixed = np.concatenate(out)
        assert len(mixed) == mixer.position
        return mixed.tobytes(), mixer.spans

    assert run(cut=False) == run(cut=True)
