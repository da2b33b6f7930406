"""Subtitles begin and end where speech is heard in the exported file, however loud the voice and the export are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st
from made_projects import RATE, plan, studio

from app.services.exporter import export
from app.services.exporter_formats import AudioFormat
from app.services.exporter_request import ExportRequest
from app.services.heard_edges import EdgeFinder
from app.services.loudness import target_for
from app.services.mixer import Mixer, MixSettings, Span

LINES = ["First of all.", "And a second line. [pause 0.7s] With a pause.", "The last one."]


def syllables(lead_ms: float, rise_ms: float, level: float, seed: int) -> np.ndarray:
    """Noise that rises by 50 dB from nothing, stays, and falls in the same way, before and after silence."""
    n, rise = round(0.8 * RATE), round(rise_ms / 1_000 * RATE)
    noise = np.random.default_rng(seed).uniform(-1.0, 1.0, n)
    slope = 10.0 ** (np.linspace(-50.0, 0.0, rise) / 20.0)
    noise[:rise] *= slope
    noise[n - rise :] *= slope[::-1]
    quiet = np.zeros(round(lead_ms / 1_000 * RATE))
    mono = np.concatenate((quiet, level * noise, np.zeros(RATE // 3)))
    return np.repeat(mono[:, None], 2, axis=1).astype(np.float32)


def stamps(text: str) -> list[tuple[float, float]]:
    def seconds(stamp: str) -> float:
        hours, minutes, rest = stamp.replace(",", ".").split(":")
        return int(hours) * 3600 + int(minutes) * 60 + float(rest)

    times = [line.split(" --> ") for line in text.splitlines() if " --> " in line]
    return [(seconds(start), seconds(end)) for start, end in times]


def heard_in(file: Path) -> list[tuple[float, float]]:
    """From outside: where the sound of a file is less than 32 dB below its louder parts, in windows of 2 ms."""
    sound, rate = soundfile.read(file, always_2d=True)
    n = rate // 500
    power = np.square(sound[: len(sound) // n * n]).mean(axis=1).reshape(-1, n).mean(axis=1)
    levels = 10.0 * np.log10(power + 1e-15)
    heard = np.flatnonzero(levels >= np.percentile(levels, 85) - 32.0)
    cuts = np.flatnonzero(np.diff(heard) > 50)
    starts = np.concatenate((heard[:1], heard[cuts + 1])) * n / rate
    ends = (np.concatenate((heard[cuts], heard[-1:])) + 1) * n / rate
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


@pytest.mark.parametrize("loudness", ["", "-16"])
@pytest.mark.parametrize("level", [0.5, 0.1, 0.03, 0.02])
@pytest.mark.parametrize(("lead_ms", "rise_ms"), [(0, 60), (13, 5), (90, 60), (250, 100)])
def test_cues_lie_on_what_is_heard_within_20_ms(
    tmp_path: Path, lead_ms: float, rise_ms: float, level: float, loudness: str
) -> None:
    made = studio(LINES)
    for number, (take_id, take) in enumerate(made.project.takes.items()):
        size = take.pieces[0].n_samples
        parts = [syllables(lead_ms, rise_ms, level, 10 * number + at) for at in range(len(take.pieces))]
        whole = [np.resize(np.concatenate((part, np.zeros((size, 2), np.float32))), (size, 2)) for part in parts]
        made.audio[take_id] = np.concatenate(whole)
    request = ExportRequest(
        tmp_path / "a.wav",
        AudioFormat("wav", 24),
        subtitles=frozenset({"srt"}),
        loudness=target_for(loudness) if loudness else None,
    )
    export(made.project, request, made.read, plan)
    cues = stamps((tmp_path / "a.srt").read_text("utf-8"))
    heard = heard_in(tmp_path / "a.wav")
    assert len(cues) == len(heard) == 4
    for (start_s, end_s), (from_s, to_s) in zip(cues, heard, strict=True):
        assert start_s == pytest.approx(from_s, abs=0.02) and end_s == pytest.approx(to_s, abs=0.02)


@given(st.lists(st.integers(1, 20_000), max_size=10), st.sampled_from([0.3, 0.004]))
@settings(max_examples=30, deadline=None)
def test_borders_are_the_same_in_any_split_and_stay_in_order(cuts: list[int], level: float) -> None:
    mixer = Mixer(MixSettings(room_tone_db=-70.0))
    out = []
    for index, rise_ms in enumerate((40, 80, 20)):
        mixer.begin_piece("a", index)
        out += [mixer.feed(syllables(70, rise_ms, level, index)), mixer.end_piece(), mixer.pause(0.02)]
    out.append(mixer.flush())
    sound = np.concatenate(out)
    whole, parts = EdgeFinder(-70.0), EdgeFinder(-70.0)
    whole.feed(sound)
    at = 0
    for cut in [*cuts, len(sound)]:
        parts.feed(sound[at : at + cut])
        at += cut
    edges = whole.edges(mixer.spans)
    assert parts.edges(mixer.spans) == edges
    places = [place for edge in edges for place in (edge.start_sample, edge.end_sample)]
    assert places == sorted(places) and 0 <= places[0] and places[-1] <= len(sound)
    for edge, span in zip(edges, mixer.spans, strict=True):
        assert abs(edge.start_sample - span.start_sample) <= 0.04 * RATE + 240
        assert abs(edge.end_sample - span.end_sample) <= 0.06 * RATE + 240


def test_a_voice_that_is_silent_in_a_file_and_an_empty_one_keep_their_borders() -> None:
    finder = EdgeFinder()
    finder.feed(np.zeros((48_000, 2), np.float32))
    spans = (Span("a", 0, 2_000, 20_000), Span("b", 0, 30_000, 30_000), Span("c", 0, 40_000, 48_000))
    assert finder.edges(spans) == spans
    assert EdgeFinder().edges(()) == ()
