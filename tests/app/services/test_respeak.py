"""Sentences of a take spoken anew: what stays is the same sample for sample, and the new ones stand in their place."""

from __future__ import annotations

import queue
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tones import RATE, ToneBackend, hash_of

from app.model.commands import ReplaceText, SetBlockSettings
from app.paths import paths_for
from app.services.renderer import Renderer
from app.services.respeak import Stretch, cuts_of, touched
from app.services.store import ProjectStore
from engine import FRAME_SAMPLES, Engine, ModelCard, StopReason, plan_speech

TEXT = "One two three. Four five six. Seven eight nine ten."


class Breathing(ToneBackend):
    """Speaks tones, with two frames of silence behind each sentence."""

    def step(self, timeout_s: float) -> None:
        if not self.gate.wait(0.01):
            return
        for job_id, state in list(self.jobs.items()):
            job, _ = state
            words = job.request.text.split()
            loud = [False]
            for number, word in enumerate(words):
                loud += [True, True] + [False, False] * (word.endswith(".") and number < len(words) - 1)
            loud.append(False)
            tone = 200 + 10 * (hash_of(job.request.text) % 50) + job.request.seed % 97
            at = np.arange(len(loud) * FRAME_SAMPLES)
            sound = 0.3 * np.sin(2 * np.pi * tone * at / RATE) * np.repeat(loud, FRAME_SAMPLES)
            samples = np.rint(np.repeat(sound[:, None], 2, axis=1) * 2**23).astype(np.float32) / np.float32(2**23)
            job.audio(samples, np.zeros((len(loud), 12), np.int16))
            del self.jobs[job_id]
            job.finish(self.ends.get(job.request.text, StopReason.STOP))
        time.sleep(0.0005)


class Studio:
    """One thread that owns the project, driven by the test."""

    def __init__(self, folder: Any, text: str, card: ModelCard) -> None:
        self.calls: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.backend = Breathing(card)
        self.engine = Engine(self.backend)
        self.engine.start()
        self.engine.ready(5)
        self.store = ProjectStore.untitled(paths_for(folder), deliver=self.calls.put)
        self.project = self.store.project
        self.store.history.do(ReplaceText(0, "", text))
        self.renderer = Renderer(self.calls.put, SimpleNamespace(clips=lambda voice: (), find=lambda name: None))
        self.renderer.set_store(self.store)
        self.renderer.set_engine(self.engine, card)
        self.renderer.render([self.id])
        self.settle()

    @property
    def id(self) -> str:
        return self.project.blocks[0].id

    @property
    def take(self) -> Any:
        return self.project.takes[self.project.block(self.id).chosen]

    def audio(self) -> np.ndarray:
        return self.store.read_take(self.take.id)

    def settle(self) -> None:
        ends_at_s = time.monotonic() + 20
        while self.renderer.queue():
            assert time.monotonic() < ends_at_s
            try:
                self.calls.get(timeout=0.01)()
            except queue.Empty:
                continue

    def close(self) -> None:
        self.renderer.close()
        self.engine.close()
        self.store.close()


@pytest.fixture
def studio(tmp_path: Any) -> Any:
    made: list[Studio] = []

    def make(text: str = TEXT, **abilities: Any) -> Studio:
        made.append(Studio(tmp_path, text, ModelCard("Tones", **abilities)))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_a_sentence_in_the_middle_is_new_and_the_others_are_the_same_samples(studio: Any) -> None:
    it = studio()
    old, before = it.audio(), it.take
    assert it.renderer.respeak(it.id, 16, 20)
    it.settle()
    new = it.audio()
    assert it.backend.spoken[-1] == "Four five six." and it.take.id != before.id
    assert it.take.state == "done" and it.take.seed == before.seed + 1 and it.renderer.state(it.id) == "ready"
    first, last = cuts_of(old, TEXT, None)
    kept = first.loud - 1920
    assert np.array_equal(new[:kept], old[:kept])
    rest = len(old) - (last.quiet + 2880)
    assert np.array_equal(new[-rest:], old[-rest:])
    middle = (first.loud + last.quiet) // 2
    assert not np.array_equal(new[middle : middle + 4800], old[middle : middle + 4800])
    # The pauses around it last as long as before.
    begin, end = cuts_of(new, TEXT, None)
    assert abs((begin.loud - begin.quiet) - (first.loud - first.quiet)) <= 960
    assert abs((end.loud - end.quiet) - (last.loud - last.quiet)) <= 960


def test_undo_brings_back_the_take_before_and_redo_the_new_one(studio: Any) -> None:
    it = studio()
    before = it.take.id
    it.renderer.respeak(it.id, 0, 3)
    it.settle()
    after = it.take.id
    it.store.history.undo()
    assert it.take.id == before and after in it.project.block(it.id).takes
    it.store.history.redo()
    assert it.take.id == after


def test_what_precedes_is_given_to_a_model_that_goes_on_from_it(studio: Any) -> None:
    it = studio(continuation=True)
    it.renderer.respeak(it.id, len(TEXT) - 3, len(TEXT))
    it.settle()
    clip = it.backend.continued[-1]
    assert clip.transcript == "One two three. Four five six. "
    assert np.array_equal(clip.samples, it.audio()[: len(clip.samples)]) and len(clip.samples) > RATE


def test_a_model_that_cannot_go_on_is_given_nothing_before(studio: Any) -> None:
    it = studio(continuation=False)
    it.renderer.respeak(it.id, 16, 40)
    it.settle()
    assert it.backend.spoken[-1] == "Four five six. Seven eight nine ten." and it.backend.continued[-1] is None


def test_only_the_piece_with_the_sentence_is_spoken_where_a_line_is_cut_at_a_pause(studio: Any) -> None:
    text = "One two three. [pause 1.0s] Four five six. [pause 0.5s] Seven eight."
    it = studio(text, continuation=True)
    old, before = it.audio(), it.take
    assert it.renderer.respeak(it.id, 30, 31)
    it.settle()
    assert it.backend.spoken[-1] == "Four five six." and len(it.backend.spoken) == 4
    assert it.backend.continued[-1].transcript == "One two three. "
    new, first, last = it.audio(), it.take.pieces[0], it.take.pieces[2]
    assert [piece.item for piece in it.take.pieces] == [piece.item for piece in before.pieces]
    assert np.array_equal(new[: first.n_samples], old[: first.n_samples])
    assert np.array_equal(new[last.start_sample :], old[before.pieces[2].start_sample :])


def test_where_nothing_would_stay_the_line_is_spoken_again_as_a_whole(studio: Any) -> None:
    it = studio()
    assert not it.renderer.respeak(it.id, 0, len(TEXT))
    it.settle()
    assert it.backend.spoken[-1] == TEXT and len(it.project.block(it.id).takes) == 2
    it.store.history.do(ReplaceText(0, "One", "Six"))
    assert not it.renderer.respeak(it.id, 0, 3)
    it.settle()
    assert it.backend.spoken[-1].startswith("Six two")


def test_a_locked_line_keeps_its_take(studio: Any) -> None:
    it = studio()
    it.store.history.do(SetBlockSettings((it.id,), {"locked": True}))
    it.renderer.respeak(it.id, 0, 3)
    assert it.renderer.queue() == () and len(it.project.block(it.id).takes) == 1


def test_a_sentence_that_runs_away_does_not_take_the_place_of_a_good_take(studio: Any) -> None:
    it = studio()
    before = it.take.id
    it.backend.ends["Four five six."] = StopReason.RUNAWAY
    it.renderer.respeak(it.id, 16, 20)
    it.settle()
    takes = [it.project.takes[each] for each in it.project.block(it.id).takes]
    assert it.take.id == before and [take.state for take in takes] == ["done", "suspicious"]


def test_cancelling_leaves_the_take_before_and_nothing_else(studio: Any) -> None:
    it = studio()
    before = it.take.id
    it.backend.gate.clear()
    it.renderer.respeak(it.id, 16, 20)
    it.renderer.cancel()
    it.backend.gate.set()
    it.settle()
    assert it.project.block(it.id).takes == (before,) and it.renderer.state(it.id) == "ready"


def test_sentences_that_were_edited_before_their_turn_are_not_spoken(studio: Any) -> None:
    it = studio()
    it.renderer.pause()
    it.backend.gate.clear()
    it.renderer.respeak(it.id, 16, 20)
    it.store.history.do(ReplaceText(15, "Four", "Nine"))
    it.backend.gate.set()
    it.renderer.resume()
    it.settle()
    assert len(it.project.block(it.id).takes) == 1


def test_a_caret_in_a_pause_means_the_sentence_before_it() -> None:
    plan = plan_speech("[pause 0.5s] One two. [pause 1.0s] Three four.", ModelCard("Any"))
    assert touched(plan, None, 25, 25) == {0: Stretch(0, 8)} == touched(plan, None, 2, 2)
    assert touched(plan_speech("...", ModelCard("Any")), None, 0, 0) == {}


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0, 0, Stretch(0, 15)),
        (13, 14, Stretch(0, 15)),
        (15, 15, Stretch(15, 30)),
        (10, 16, Stretch(0, 30)),
        (len(TEXT) - 1, len(TEXT), Stretch(30, len(TEXT))),
        (len(TEXT), len(TEXT), Stretch(30, len(TEXT))),
    ],
)
def test_a_range_touches_whole_sentences(start: int, end: int, expected: Stretch) -> None:
    assert touched(plan_speech(TEXT, ModelCard("Any")), None, start, end) == {0: expected}
