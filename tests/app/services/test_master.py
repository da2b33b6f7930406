"""Playing as loud as the export: the same samples as the file, however they come, and none touched when it is off."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st
from made_projects import RATE, Studio, plan, studio
from outside import loudness, needs_ffmpeg

from app.services.excerpt import Excerpt
from app.services.exporter import export
from app.services.exporter_formats import AudioFormat
from app.services.exporter_request import ExportRequest
from app.services.loudness import LoudnessTarget, target_for
from app.services.master import Master, Mastering, Wish
from app.services.mastered import Mastered
from app.services.mixer import Mixer
from app.services.playing import Place
from app.services.programme import mix, programme
from app.services.programme_loudness import HeardLine, ProgrammeLoudness, gain_of
from engine.errors import RequestCancelled

LINES = ["The first of them.", "A second line. [pause 1s] It goes on.", "Third.", "And the last line of all."]


def speech(seconds: float, seed: int, level: float = 0.3) -> np.ndarray:
    """Pulses through a throat: as peaky as a voice, with syllables and breaths."""
    rng = np.random.default_rng(seed)
    t = np.arange(round(seconds * RATE)) / RATE
    hz = rng.uniform(95, 170)
    wave = sum(np.cos(2 * np.pi * hz * k * t + 0.02 * k * k) / k**0.6 for k in range(1, 30))
    wave = wave * np.abs(np.sin(2 * np.pi * 1.9 * t + seed)) ** 1.5
    wave *= 1 + 2 * np.exp(-(((3.1 * t) % 1 - 0.5) ** 2) / 2e-4)  # plosives
    edge = np.minimum(1.0, np.minimum(np.arange(len(t)), np.arange(len(t))[::-1]) / 480)
    quiet = np.zeros(RATE // 5)
    mono = np.concatenate((quiet, level * wave / np.abs(wave).max() * edge, quiet))
    return np.stack((mono, 0.8 * mono), axis=1).astype(np.float32)


class Book:
    """A project with takes of everything, and what a window knows of it."""

    def __init__(self, level: float = 0.3, lines: list[str] = LINES) -> None:
        self.made: Studio = studio(lines, seconds=2.0)
        for number, (take_id, samples) in enumerate(sorted(self.made.audio.items())):
            length = len(samples)
            self.made.audio[take_id] = speech(length / RATE, number, level)[:length]
        self.project = self.made.project
        self.ids = [block.id for block in self.project.blocks]
        mixer = Mixer()
        self.played = np.concatenate(list(mix(programme(self.project, self.ids, self.made.read, plan), mixer)))
        self.spans = mixer.spans
        self.reads = 0

    def read(self, take_id: str, start: int, n: int) -> np.ndarray:
        self.reads += 1
        return self.made.read(take_id, start, n)

    def lines(self) -> list[HeardLine]:
        found, ended = [], 0
        for block in self.project.blocks:
            own = [span for span in self.spans if span.block_id == block.id]
            gap_s = (own[0].start_sample - ended) / RATE if found else 0.0
            excerpt = Excerpt(self.project, [block.id], lambda _: None)
            excerpt.plan = plan  # type: ignore[method-assign]
            assert block.chosen is not None
            found.append(HeardLine(block.chosen, block.text, block.settings.gain_db, gap_s, block, excerpt))
            ended = own[-1].end_sample
        return found

    def gain_db(self, target: LoudnessTarget, kept: ProgrammeLoudness | None = None) -> float:
        gain_db, complete = (kept or ProgrammeLoudness()).gain_db(self.lines(), target, self.read, lambda: None)
        assert gain_db is not None and complete
        return gain_db

    def export(self, out: Path, target: LoudnessTarget) -> tuple[np.ndarray, float]:
        request = ExportRequest(out, AudioFormat("wav", 32), loudness=target)
        report = export(self.project, request, self.made.read, plan)
        return soundfile.read(out, dtype="float32", always_2d=True)[0], report.files[0].gain_db


class Made:
    """A source of these samples, of which `there` are made."""

    remaining_s = 0.0
    problem = ""

    def __init__(self, samples: np.ndarray, there: int | None = None, steps: list[int] | None = None) -> None:
        self.samples, self.there = samples, len(samples) if there is None else there
        self.steps = steps or []
        self.at = 0
        self.closed = False

    @property
    def ready_samples(self) -> int:
        return self.there - self.at

    @property
    def complete(self) -> bool:
        return self.there == len(self.samples)

    def read(self, n: int) -> np.ndarray | None:
        if self.at == len(self.samples):
            return None
        step = min(n, self.steps.pop(0)) if self.steps else n
        block = self.samples[self.at : min(self.at + step, self.there)]
        self.at += len(block)
        return block

    def place(self, sample: int) -> Place:
        return Place("block", sample)

    def close(self) -> None:
        self.closed = True


def on(target: str = "-16", gain_db: float | None = None) -> Mastering:
    mastering = Mastering()
    wanted = target_for(target)
    assert wanted is not None
    mastering.wish = Wish(wanted, gain_db)
    return mastering


def everything(source: Mastered, n: int = 960) -> np.ndarray:
    blocks = []
    while (block := source.read(n)) is not None:
        assert len(block), "the player would have had to wait"
        blocks.append(block)
    return np.concatenate(blocks)


@pytest.fixture(scope="module")
def book() -> Book:
    return Book()


# -- off


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 3000), max_size=30), st.integers(1, 2000))
def test_switched_off_every_sample_passes_untouched(steps: list[int], n: int) -> None:
    sound = speech(0.5, 1, 1.0)
    assert np.array_equal(everything(Mastered(Made(sound, steps=steps), Mastering()), n), sound)


# -- on


@needs_ffmpeg
@pytest.mark.parametrize("name", ["-14", "-16", "-23"])
def test_what_is_played_has_the_loudness_of_the_export_and_stays_under_its_ceiling(
    name: str, book: Book, tmp_path: Path
) -> None:
    target = target_for(name)
    assert target is not None and target.lufs is not None
    played = everything(Mastered(Made(book.played), on(name, book.gain_db(target))))
    soundfile.write(tmp_path / "played.wav", played, RATE, subtype="FLOAT")
    lufs, true_peak_db = loudness(tmp_path / "played.wav")
    assert lufs == pytest.approx(target.lufs, abs=0.5)
    assert true_peak_db <= target.true_peak_db


@pytest.mark.parametrize(("name", "level"), [("-14", 0.9), ("-16", 0.3), ("-19", 0.05), ("acx", 0.3)])
def test_the_gain_is_that_of_the_export(name: str, level: float, tmp_path: Path) -> None:
    target = target_for(name)
    assert target is not None
    made = Book(level)
    assert made.gain_db(target) == pytest.approx(made.export(tmp_path / "file.wav", target)[1], abs=0.15)


@pytest.mark.parametrize(("name", "most"), [("-23", 5e-3), ("-16", 5e-3)])
def test_a_finished_programme_is_played_as_the_file_has_it(name: str, most: float, book: Book, tmp_path: Path) -> None:
    target = target_for(name)
    assert target is not None
    written, gain_db = book.export(tmp_path / "file.wav", target)
    # With the very gain of the file it is the file.
    same = everything(Mastered(Made(book.played), on(name, gain_db)))
    np.testing.assert_allclose(same, written, atol=1e-6)
    played = everything(Mastered(Made(book.played), on(name, book.gain_db(target))))
    np.testing.assert_allclose(played, written, atol=most * np.abs(written).max())
    # The limiter works on the louder one, so that this says something about it.
    assert (np.abs(played - book.played * np.float32(10 ** (gain_db / 20))).max() > 0.1) == (name == "-16")


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 5000), max_size=40), st.lists(st.integers(1, 1500), min_size=1, max_size=20))
def test_any_split_of_the_chunks_gives_the_same_samples(fed: list[int], taken: list[int]) -> None:
    sound = speech(0.6, 2, 0.9)
    whole = everything(Mastered(Made(sound), on("-14", 9.0)))
    source = Mastered(Made(sound, steps=fed), on("-14", 9.0))
    blocks = []
    while (block := source.read(taken[len(blocks) % len(taken)])) is not None:
        blocks.append(block)
    assert np.array_equal(np.concatenate(blocks), whole)
    master, cuts = Master(9.0, -1.0), np.cumsum(fed)
    parts = [master.feed(part) for part in np.split(sound, cuts[cuts < len(sound)])]
    assert np.array_equal(np.concatenate([*parts, master.flush()]), whole)


def test_no_sample_moves_in_time() -> None:
    sound = np.zeros((RATE, 2), np.float32)
    sound[[3_000, 20_000, RATE - 1]] = 0.9
    played = everything(Mastered(Made(sound), on("-14", 6.0)))
    assert len(played) == len(sound)
    assert list(np.flatnonzero(np.abs(played[:, 0]) > 0.1)) == [3_000, 20_000, RATE - 1]
    assert np.abs(played).max() < 0.9


def test_places_are_those_of_the_source_and_closing_closes_it() -> None:
    inner = Made(speech(0.5, 3))
    source = Mastered(inner, on("-16", 3.0))
    assert source.place(1_234) == Place("block", 1_234)
    source.close()
    assert inner.closed


def test_what_the_limiter_holds_back_does_not_count_as_ready() -> None:
    inner = Made(speech(3.0, 4), there=RATE)
    source = Mastered(inner, on("-16", 3.0))
    taken = 0
    while source.ready_samples >= 960:
        block = source.read(960)
        assert block is not None and len(block) == 960
        taken += 960
    assert RATE - taken <= Master.HELD_SAMPLES + 960
    inner.there = len(inner.samples)
    assert taken + len(everything(source)) == len(inner.samples)


# -- switching, and a gain that changes


def largest_step(samples: np.ndarray) -> float:
    return float(np.abs(np.diff(samples[:, 0])).max())


def tone(seconds: float, level: float = 0.2) -> np.ndarray:
    t = np.arange(round(seconds * RATE)) / RATE
    return np.repeat((level * np.sin(2 * np.pi * 100 * t))[:, None], 2, axis=1).astype(np.float32)


def test_switching_on_and_off_while_it_plays_makes_no_click() -> None:
    sound = tone(3.0)
    mastering = Mastering()
    source = Mastered(Made(sound), mastering)
    played = [source.read(960) for _ in range(25)]
    mastering.wish = on("-16", 9.0).wish
    played += [source.read(960) for _ in range(50)]
    mastering.wish = None
    played += [everything(source)]
    heard = np.concatenate(played)
    assert len(heard) == len(sound)
    loud = np.float32(10 ** (9 / 20))
    assert np.array_equal(heard[: 25 * 960], sound[: 25 * 960])
    assert np.array_equal(heard[40 * 960 : 75 * 960], sound[40 * 960 : 75 * 960] * loud)
    assert np.array_equal(heard[90 * 960 :], sound[90 * 960 :])
    assert largest_step(heard) <= 1.02 * loud * largest_step(sound)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([None, 0.0, 6.0, -6.0]), st.integers(0, 9_000), st.integers(1, 12)), max_size=12
    ),
    st.integers(1, 2_000),
)
def test_however_it_is_switched_and_however_late_sound_comes_nothing_is_lost_moved_or_cut(
    wishes: list[tuple[float | None, int, int]], n: int
) -> None:
    sound = np.full((2 * RATE, 2), 0.1, np.float32) + tone(2.0, 0.02)
    mastering, inner = Mastering(), Made(sound, there=0)
    source, played = Mastered(inner, mastering), []
    for gain_db, come, reads in wishes:
        mastering.wish = None if gain_db is None else on("-16", gain_db).wish
        inner.there = min(len(sound) - 1, inner.there + come)
        for _ in range(reads):
            block = source.read(n)
            assert block is not None
            played.append(block)
    inner.there = len(sound)
    heard = np.concatenate([*played, everything(source, n)])
    assert heard.shape == sound.shape
    gains = heard[:, 0] / sound[:, 0]
    assert 0.5 <= gains.min() and gains.max() <= 2.0
    # From half to double within the 50 ms of a switch is the fastest that it may go.
    assert np.abs(np.diff(gains)).max() <= 1.6 * np.pi / 2 / 2_400


def test_another_gain_is_reached_without_a_click_and_kept() -> None:
    sound = tone(4.0)
    mastering = on("-16", 0.0)
    source = Mastered(Made(sound), mastering)
    played = [source.read(960) for _ in range(25)]
    mastering.wish = on("-16", -6.0).wish
    heard = np.concatenate([*played, everything(source)])
    envelope = np.abs(heard[:, 0]).reshape(-1, 480).max(axis=1)
    assert largest_step(heard) <= 1.001 * largest_step(sound)
    assert envelope[40] == pytest.approx(0.2, rel=0.01) and envelope[-1] == pytest.approx(0.2 * 10**-0.3, rel=1e-3)
    assert np.all(np.diff(envelope) <= 1e-6)


def test_another_ceiling_holds_while_it_plays() -> None:
    sound = speech(4.0, 5, 0.9)
    mastering = on("-16", 6.0)
    source = Mastered(Made(sound), mastering)
    played = [source.read(960) for _ in range(50)]
    before = np.concatenate(played)
    mastering.wish = on("acx", 6.0).wish
    after = everything(source)[RATE // 4 :]
    assert np.abs(before).max() > 10 ** (-2 / 20)
    assert np.abs(after).max() <= 10 ** (-3 / 20)


# -- before anything was measured


def test_without_a_measured_gain_the_first_speech_says_how_loud_it_is(book: Book, tmp_path: Path) -> None:
    target = target_for("-19")
    assert target is not None
    mastering = on("-19")
    source = Mastered(Made(book.played), mastering)
    first = source.read(960)
    assert first is not None and len(first)
    assert mastering.heard_db == pytest.approx(book.gain_db(target), abs=4.0)
    measured = book.gain_db(target)
    mastering.wish = Wish(target, measured)
    everything(source)
    assert mastering.heard_db == measured


def test_it_waits_for_some_speech_before_the_first_sample_and_never_again() -> None:
    sound = speech(3.0, 6)
    inner = Made(sound, there=9_600)
    source = Mastered(inner, on("-16"))
    assert source.ready_samples == 0 and len(source.read(960)) == 0
    inner.there = RATE
    played = []
    while source.ready_samples >= 960:
        played.append(source.read(960))
        assert len(played[-1]) == 960
    inner.there = len(sound)
    assert sum(map(len, played)) + len(everything(source)) == len(sound)


def test_silence_before_the_first_speech_is_played_while_nothing_can_be_told() -> None:
    sound = np.concatenate((np.zeros((2 * RATE, 2), np.float32), speech(2.0, 7)))
    played = everything(Mastered(Made(sound), on("-16")))
    assert len(played) == len(sound) and not played[: 2 * RATE].any()
    assert np.abs(played).max() > 1.2 * np.abs(sound).max()


def test_the_next_round_of_a_loop_begins_with_the_gain_that_the_last_one_ended_with() -> None:
    sound, mastering = tone(1.0), on("-16", 0.0)
    source = Mastered(Made(sound), mastering)
    source.read(960)
    mastering.wish = on("-16", -20.0).wish
    ended_db = (everything(source), mastering.heard_db)[1]
    assert ended_db is not None and -8.0 < ended_db < -4.0
    again = Mastered(Made(sound), mastering, goes_on=True)
    first = again.read(960)
    assert first is not None
    assert np.abs(first).max() == pytest.approx(0.2 * 10 ** (ended_db / 20), rel=0.03)


# -- measuring


def test_each_take_is_measured_once_and_kept_for_the_next_time(tmp_path: Path) -> None:
    target = target_for("-16")
    assert target is not None
    made = Book()
    kept = ProgrammeLoudness(tmp_path)
    first_db = made.gain_db(target, kept)
    assert made.reads > 0
    made.reads = 0
    assert made.gain_db(target, kept) == first_db
    assert made.gain_db(target, ProgrammeLoudness(tmp_path)) == pytest.approx(first_db)
    assert made.reads == 0
    changed = made.lines()
    changed[1] = HeardLine(
        changed[1].take_id, "other pauses", 0.0, changed[1].gap_s, changed[1].block, changed[1].excerpt
    )
    asked = []
    kept.gain_db(changed, target, lambda take_id, *at: asked.append(take_id) or made.made.read(take_id, *at), int)
    assert set(asked) == {changed[1].take_id}


def test_a_louder_line_counts_without_being_measured_again() -> None:
    target = target_for("-23")
    assert target is not None
    made, kept = Book(), ProgrammeLoudness()
    before_db = made.gain_db(target, kept)
    made.reads = 0
    louder = [HeardLine(one.take_id, one.heard_as, 3.0, one.gap_s, one.block, one.excerpt) for one in made.lines()]
    assert kept.gain_db(louder, target, made.read, int)[0] == pytest.approx(before_db - 3.0, abs=0.01)
    assert made.reads == 0


def test_a_damaged_take_or_cache_does_not_stop_the_others(tmp_path: Path) -> None:
    target = target_for("-16")
    assert target is not None
    made = Book()
    lines = made.lines()

    def read(take_id: str, start: int, n: int) -> np.ndarray:
        if take_id == lines[0].take_id:
            raise OSError("damaged")
        return made.made.read(take_id, start, n)

    gain_db, complete = ProgrammeLoudness(tmp_path).gain_db(lines, target, read, int)
    assert gain_db == pytest.approx(made.gain_db(target), abs=3.0) and complete
    for file in tmp_path.rglob("*"):
        if file.is_file():
            file.write_bytes(file.read_bytes()[:-1])
    assert ProgrammeLoudness(tmp_path).gain_db(lines, target, read, int) == (gain_db, True)


def test_measuring_ends_when_it_is_cancelled_and_pauses_when_its_time_is_over() -> None:
    target = target_for("-16")
    assert target is not None
    made = Book()

    def cancelled() -> None:
        raise RequestCancelled("cancelled")

    with pytest.raises(RequestCancelled):
        ProgrammeLoudness().gain_db(made.lines(), target, made.read, cancelled)
    kept, rounds = ProgrammeLoudness(), 1
    while not kept.gain_db(made.lines(), target, made.read, int, for_s=0.0)[1]:
        rounds += 1
    assert 1 < rounds <= len(LINES) + 1
    assert all(kept.knows(line) for line in made.lines())


def test_of_silence_nothing_is_told() -> None:
    silent, made = np.zeros((100, 3), np.float16), Book()
    silent[:] = -120.0
    for name in ("-16", "acx"):
        target = target_for(name)
        assert target is not None
        assert ProgrammeLoudness().gain_db([], target, made.read, int) == (None, True)
        assert gain_of([(silent, made.lines()[0])], target) is None
